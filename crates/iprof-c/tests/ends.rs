//! Tests that zones by name, spans and scopes have well-defined results before the first frame, without a name, during
//! unwinding, while a thread ends, and after `main`. `programs.rs` tests the same cases in C.

#![cfg(unix)]
#![allow(unsafe_code, reason = "only the C library can call code after `main`")]

#[path = "../../../tests/support/own_program.rs"]
mod own_program;

use iprof::ZoneBuilder;
use iprof_tracing::{Layer, Options, Subscriber};
use std::ffi::c_int;
use std::panic::catch_unwind;
use std::{env, thread};
use tracing_subscriber::layer::SubscriberExt;

/// The environment variable that selects the collector in the program that this test starts.
const TASK: &str = "IPROF_TEST_COLLECTOR";

/// A way to create zones: its name, a function that enters a zone around a call, and a function that returns a zone's
/// label for a given name.
type Maker = (&'static str, fn(&str, fn()), fn(&str) -> String);

fn plain(name: &str) -> String {
    match name {
        "" => "(unnamed)".to_owned(),
        _ => name.to_owned(),
    }
}

const MAKERS: [Maker; 5] = [
    (
        "zone_named",
        |name, f| {
            iprof::zone_named!(name);
            f();
        },
        plain,
    ),
    (
        "enter",
        |name, f| {
            let _open = ZoneBuilder::new(name).build().enter();
            f();
        },
        plain,
    ),
    (
        "begin",
        |name, f| {
            let zone = ZoneBuilder::new(name).build();
            zone.begin();
            f();
            zone.end();
        },
        plain,
    ),
    (
        "scope",
        |name, f| {
            profiling::scope!(name);
            f();
        },
        plain,
    ),
    (
        "span",
        |name, f| tracing::info_span!("span", name).in_scope(f),
        |name| format!("span::{name}"),
    ),
];

/// Returns the number of entries with this label, on all threads.
fn entries(label: &str) -> u64 {
    let snapshot = iprof::snapshot();
    snapshot.validate().unwrap();
    let of_thread = |thread: &iprof::SnapshotThread| -> u64 {
        let nodes = thread.nodes.iter().skip(1);
        let of = nodes.filter(|node| &*snapshot.zones[node.zone as usize].name == label);
        of.map(|node| node.entries).sum()
    };
    snapshot.threads.iter().map(of_thread).sum()
}

fn open() -> usize {
    let mut count = 0;
    let none: Option<()> = iprof::RunTimeZone::find_open(|_| {
        count += 1;
        None
    });
    assert!(none.is_none());
    count
}

fn name(maker: &str, place: &str) -> String {
    format!("{maker} {place}")
}

fn enter_all(place: &str) {
    for (maker, enter, _) in MAKERS {
        enter(&name(maker, place), || {});
    }
}

/// Enters all zones at the end of a thread, except spans that go to a tracing-subscriber registry. A registry would
/// panic there, even on the thread that ends the program, because its own thread-locals are gone.
fn enter_at_the_end(place: &str) {
    let is_registry = env::var(TASK).is_ok_and(|collector| collector == "layer");
    for (maker, enter, _) in MAKERS {
        if !(is_registry && maker == "span") {
            enter(&name(maker, place), || {});
        }
    }
}

fn print_all(place: &str) {
    for (maker, _, label) in MAKERS {
        println!("{place} {maker}: {}", entries(&label(&name(maker, place))));
    }
}

struct AtEnd(&'static str);

impl Drop for AtEnd {
    fn drop(&mut self) {
        enter_at_the_end(self.0);
        assert_eq!(open(), 0);
    }
}

thread_local! {
    /// A value created before the thread's first zone. It is dropped after iprof's thread-locals, if those are dropped
    /// at all.
    static EARLY: AtEnd = const { AtEnd("ending, made early") };
    static LATE: AtEnd = const { AtEnd("ending, made late") };
}

unsafe extern "C" {
    // SAFETY: this is the signature in ISO C.
    safe fn atexit(function: extern "C" fn()) -> c_int;
}

extern "C" fn after_main() {
    // End the test harness's unfinished line.
    println!();
    enter_at_the_end("after main");
    iprof::update(true);
    print_all("after main");
    let thread = thread::spawn(|| enter_all("thread after main"));
    thread.join().unwrap();
    print_all("thread after main");
    println!("report: {}", iprof::report().rows.len() > 1);
}

/// Runs through a program's whole lifetime, with its spans sent to this collector.
fn live(collector: &str) {
    let options = Options::new().named_by("name");
    match collector {
        "layer" => {
            let registry = tracing_subscriber::registry().with(Layer::with_options(options));
            tracing::subscriber::set_global_default(registry).unwrap();
        }
        _ => Subscriber::with_options(options).init(),
    }
    println!();
    enter_all("before");
    print_all("before");
    let _ = iprof::report();
    for (maker, enter, label) in MAKERS {
        let before = entries(&label(""));
        enter("", || {});
        println!("empty {maker}: {}", entries(&label("")) - before);
        let unwound = catch_unwind(|| {
            iprof::zone!(around);
            enter(&name(maker, "unwound"), || panic!("panicking for the test"));
        });
        assert!(unwound.is_err());
        // `begin` has no guard, so its zone is closed together with the zone around it.
        println!("open {maker}: {}", open());
    }
    print_all("unwound");
    let ends = thread::spawn(|| {
        EARLY.with(|_| ());
        enter_all("running");
        LATE.with(|_| ());
    });
    ends.join().unwrap();
    for place in ["running", "ending, made early", "ending, made late"] {
        print_all(place);
    }
    iprof::update(true);
    assert_eq!(atexit(after_main), 0);
    std::process::exit(0);
}

#[test]
fn zone_functions_work_before_and_after_main() {
    const TEST: &str = "zone_functions_work_before_and_after_main";
    if let Ok(collector) = env::var(TASK) {
        live(&collector);
    }
    for collector in ["subscriber", "layer"] {
        let mut program = own_program::own_program();
        let program = program.args([TEST, "--exact", "--nocapture"]);
        let output = program.env(TASK, collector).output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{collector}: {stdout}{stderr}");
        let count = |what: &str| -> u64 {
            let line = stdout
                .lines()
                .find_map(|line| line.strip_prefix(what)?.strip_prefix(": "));
            line.unwrap_or_else(|| panic!("no {what} in {stdout}"))
                .parse()
                .unwrap()
        };
        for (maker, ..) in MAKERS {
            let of = |place: &str| count(&format!("{place} {maker}"));
            let once = ["before", "empty", "unwound", "running", "thread after main"];
            for place in once {
                assert_eq!(of(place), 1, "{collector}, {place}, {maker}: {stdout}");
            }
            assert_eq!(of("open"), 0, "{collector}, {maker}: {stdout}");
            // Zones in these places are recorded unless the thread's record was already returned.
            for place in ["ending, made early", "ending, made late", "after main"] {
                assert!(of(place) <= 1, "{collector}, {place}, {maker}: {stdout}");
            }
            if cfg!(target_os = "linux") {
                // A thread's destructors run in reverse order of creation.
                let is_skipped = collector == "layer" && maker == "span";
                let late = u64::from(!is_skipped);
                assert_eq!(
                    of("ending, made late"),
                    late,
                    "{collector}, {maker}: {stdout}"
                );
                assert_eq!(
                    of("ending, made early"),
                    0,
                    "{collector}, {maker}: {stdout}"
                );
            }
            if cfg!(all(target_os = "linux", target_env = "gnu")) {
                // glibc's `exit` runs the thread's destructors before functions registered with `atexit`.
                assert_eq!(of("after main"), 0, "{collector}, {maker}: {stdout}");
            }
        }
        assert!(stdout.contains("report: true"), "{stdout}");
    }
}
