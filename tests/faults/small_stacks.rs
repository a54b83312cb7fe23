//! Tests threads with the smallest stack that the system allows.

use crate::children::{describe, run_with, task};
use crate::recorded::entries;
use iprof::Timing;
use std::hint::black_box;
use std::thread;

/// POSIX's `PTHREAD_STACK_MIN` on Linux, to which the system adds the size of thread-locals.
const SMALLEST: usize = 16 << 10;
/// The KiB of stack that are used before the program's first zone.
const TAKEN_BEFORE_THE_FIRST_KIB: usize = 1;

/// Returns the KiB of stack that are used before any other zone. Zones need more stack in unoptimized builds and with
/// AddressSanitizer. With musl, threads have slightly less stack.
fn used_kib() -> usize {
    let is_unoptimized = option_env!("CARGO_PROFILE_DEV_OPT_LEVEL") == Some("0");
    if is_unoptimized || std::env::var_os("ASAN_OPTIONS").is_some() {
        4
    } else if cfg!(target_env = "musl") {
        10
    } else {
        11
    }
}

/// Calls `f` after using the given number of KiB of stack.
#[inline(never)]
fn below(kib: usize, f: &mut dyn FnMut()) {
    let taken = black_box([0_u8; 1 << 10]);
    match kib {
        0 => f(),
        _ => below(kib - 1, f),
    }
    black_box(&taken);
}

fn on_a_small_thread(name: &str, used_kib: usize, mut f: impl FnMut() + Send + 'static) {
    let thread = thread::Builder::new().name(name.into());
    let run = move || match used_kib {
        0 => f(),
        _ => below(used_kib - 1, &mut f),
    };
    thread
        .stack_size(SMALLEST)
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
}

fn left(depth: u32) {
    iprof::zone!(left);
    if depth > 0 {
        left(depth - 1);
        right(depth - 1);
    }
}

fn right(depth: u32) {
    iprof::zone!();
    if depth > 0 {
        left(depth - 1);
        right(depth - 1);
    }
}

/// Makes all calls that are supported on threads with the smallest stack.
fn use_zones() {
    left(5);
    let _zone = true.then(|| iprof::open_zone!(conditional));
    iprof::begin!(pair);
    iprof::counter!(things);
    iprof::end!(pair);
    let mut open = iprof::open_zone!(first_part);
    iprof::relabel!(open, second_part);
    drop(open);
    {
        let _scope = iprof::recording_scope(false);
        iprof::begin!(unrecorded);
        iprof::end!(unrecorded);
    }
    iprof::set_recording(iprof::is_recording());
    iprof::mark("a worker has begun");
    iprof::set_thread_name("renamed");
    // The following faults are reported.
    iprof::end!(of_nothing);
    std::mem::forget(iprof::open_zone!(forgotten));
}

/// Runs `use_zones` on small threads. Some of the threads get new stacks, and others reuse stacks.
fn use_zones_on_small_threads(rounds: u32) {
    for round in 0..rounds {
        on_a_small_thread(&format!("small {}", round % 3), used_kib(), use_zones);
    }
}

#[test]
fn threads_with_smallest_stack_may_enter_zones() {
    const TEST: &str = "small_stacks::threads_with_smallest_stack_may_enter_zones";
    let Some(what) = task() else {
        let folder = std::env::temp_dir().join(format!("iprof-stack-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for timing in ["exact", "sampled", "auto", "off"] {
            // The first zone starts the features that the environment requests.
            let profile = folder.join(format!("{timing}.txt"));
            let mut variables = vec![("IPROF_TIMING", timing)];
            variables.push(("IPROF_PROFILE", profile.to_str().unwrap()));
            if cfg!(unix) {
                variables.push(("IPROF_SIGNAL", "USR2"));
            }
            let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let port = free.local_addr().unwrap().port().to_string();
            drop(free);
            if cfg!(feature = "http") {
                variables.push(("IPROF_PORT", &port));
            }
            let output = run_with(TEST, timing, &variables);
            assert!(output.status.success(), "{timing}: {}", describe(&output));
        }
        std::fs::remove_dir_all(&folder).unwrap();
        return;
    };
    on_a_small_thread("first", TAKEN_BEFORE_THE_FIRST_KIB, use_zones);
    use_zones_on_small_threads(5);
    let expected: Timing = what.parse().unwrap();
    assert_eq!(iprof::timing(), expected);
    iprof::update(true);
    for timing in [
        Timing::SAMPLED,
        Timing::AUTO,
        Timing::Exact,
        Timing::Off,
        expected,
    ] {
        iprof::set_timing(timing);
        // Frames in which timing was off are discarded.
        iprof::update(true);
        use_zones_on_small_threads(3);
        iprof::update(true);
    }
    let recorded = if expected == Timing::Off { 9 } else { 18 };
    assert_eq!(entries("forgotten"), recorded);
    assert_eq!(entries("left"), recorded * 32);
    assert_eq!(entries("right"), recorded * 31);
}
