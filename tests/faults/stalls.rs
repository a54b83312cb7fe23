//! Tests programs that stop ending frames.

use crate::children::{describe, run, run_with, task};
use iprof::{Stall, last_stall, set_stall_timeout};
use std::path::Path;
use std::process::Output;
use std::sync::{Arc, Barrier, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const MS: Duration = Duration::from_millis(1);
const TIMEOUT: Duration = Duration::from_millis(400);

fn frames() {
    for _ in 0..5 {
        iprof::zone!(frame);
        iprof::update(true);
    }
}

fn plant_a_deadlock() {
    let (one, two) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    let both = Arc::new(Barrier::new(2));
    for (name, first, second) in [("loader", one.clone(), two.clone()), ("physics", two, one)] {
        let both = both.clone();
        let lock_both = move || {
            iprof::zone!(step);
            let _first = first.lock();
            both.wait();
            iprof::zone_named!(&format!("lock of {name}"));
            let _second = second.lock().unwrap_or_else(PoisonError::into_inner);
        };
        let thread = thread::Builder::new().name(name.into());
        thread.spawn(lock_both).unwrap();
    }
}

/// Waits for a stall that is reported after `frames` frames, without ending a frame.
fn stall_after(frames: u32) -> Option<Stall> {
    let start = Instant::now();
    while start.elapsed() < 20 * TIMEOUT {
        if let Some(stall) = last_stall().filter(|stall| stall.frames == frames) {
            return Some(stall);
        }
        thread::sleep(MS);
    }
    None
}

fn open_zones(stall: &Stall, thread: &str) -> Vec<(String, Duration)> {
    let threads = stall.threads.iter().filter(|it| it.name == thread);
    let zones = threads.flat_map(|it| &it.zones);
    zones.map(|it| (it.name.clone(), it.open)).collect()
}

fn child(test: &str, what: &str) -> Output {
    let test = format!("stalls::{test}");
    let output = match what.strip_prefix("IPROF_STALL=") {
        Some(value) => run_with(&test, "by the environment", &[("IPROF_STALL", value)]),
        None => run(&test, what),
    };
    assert!(output.status.success(), "{}", describe(&output));
    output
}

#[test]
fn deadlock_is_reported_after_the_timeout() {
    let test = "deadlock_is_reported_after_the_timeout";
    if task().is_none() {
        let output = child(test, "deadlock");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("iprof: no frame ended for 0.4"), "{text}");
        assert!(text.contains("s   lock of loader"), "{text}");
        return;
    }
    set_stall_timeout(Some(TIMEOUT), None).unwrap();
    // On a busy machine, the detector may wake up late, but it won't do so five times in a row.
    let mut soonest = Duration::MAX;
    for round in 1..=5 {
        frames();
        let end = Instant::now();
        if round == 1 {
            plant_a_deadlock();
        }
        iprof::zone!(waits);
        let stall = stall_after(5 * round).expect("a stall should be detected");
        let named = end.elapsed();
        soonest = soonest.min(named);
        assert!(
            stall.duration >= TIMEOUT && stall.duration <= named,
            "{stall}"
        );
        for thread in ["loader", "physics"] {
            let [step, lock] = &open_zones(&stall, thread)[..] else {
                panic!("{stall}");
            };
            assert_eq!(
                (&*step.0, &*lock.0),
                ("step", &*format!("lock of {thread}"))
            );
            assert!(step.1 >= lock.1, "{stall}");
            if round == 1 {
                assert!(step.1 <= named, "{stall}");
            } else {
                assert!(lock.1 >= TIMEOUT * round, "{stall}");
            }
        }
        let own = thread::current().name().unwrap_or_default().to_owned();
        let own = open_zones(&stall, &own);
        assert!(
            own.iter().any(|it| it.0 == "waits" && it.1 <= named),
            "{stall}"
        );
        // A stall is reported only once.
        thread::sleep(TIMEOUT / 4);
        assert_eq!(last_stall(), Some(stall));
        if soonest <= TIMEOUT + 100 * MS {
            break;
        }
    }
    assert!(soonest <= TIMEOUT + 100 * MS, "{soonest:?}");
}

#[test]
fn no_stall_before_first_frame_or_while_off() {
    let test = "no_stall_before_first_frame_or_while_off";
    if task().is_none() {
        let output = child(test, "none");
        assert!(
            !describe(&output).contains("no frame ended"),
            "{}",
            describe(&output)
        );
        return;
    }
    set_stall_timeout(Some(20 * MS), None).unwrap();
    thread::sleep(200 * MS);
    assert_eq!(last_stall(), None);
    set_stall_timeout(None, None).unwrap();
    frames();
    thread::sleep(200 * MS);
    assert_eq!(last_stall(), None);
}

#[test]
fn environment_reports_stalls_to_stderr_and_file() {
    let test = "environment_reports_stalls_to_stderr_and_file";
    if task().is_some() {
        for round in 1..=2 {
            frames();
            iprof::zone!(waits);
            stall_after(5 * round).expect("a stall should be detected");
        }
        // A stall is stored before it is written, so wait for the output.
        thread::sleep(100 * MS);
        set_stall_timeout(None, None).unwrap();
        return;
    }
    let file = std::env::temp_dir().join(format!("iprof stalls {}.txt", std::process::id()));
    let output = child(test, &format!("IPROF_STALL=0.1:{}", file.display()));
    let written = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(
        written.matches("iprof: no frame ended for 0.1").count(),
        2,
        "{written}"
    );
    assert!(
        written.contains("s waits  tests/faults/stalls.rs:"),
        "{written}"
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains(&written));
    for (value, warning) in [
        ("soon", "invalid value \"soon\"; expected"),
        ("0", "invalid value \"0\"; expected"),
        ("1:", "invalid value \"1:\"; expected"),
    ] {
        let test = "stalls::invalid_stall_variable_is_rejected";
        let output = run_with(test, "nothing", &[("IPROF_STALL", value)]);
        let text = describe(&output);
        assert!(
            text.contains(&format!("iprof: IPROF_STALL: {warning}")),
            "{text}"
        );
    }
}

#[test]
fn invalid_stall_variable_is_rejected() {
    if task().is_some() {
        frames();
        assert!(set_stall_timeout(None, Some(Path::new("stalls.txt"))).is_ok());
    }
}

/// Stops the process as a shell or a debugger would do.
#[cfg(target_os = "linux")]
#[test]
fn stopped_process_is_not_a_stall() {
    let test = "stopped_process_is_not_a_stall";
    if task().is_none() {
        child(test, "stopped");
        return;
    }
    set_stall_timeout(Some(2 * TIMEOUT), None).unwrap();
    frames();
    iprof::zone!(stopped);
    let start = Instant::now();
    crate::stopped::be_stopped();
    assert!(start.elapsed() > 4 * TIMEOUT);
    assert_eq!(last_stall(), None);
    // Time spent waiting after the process is resumed counts toward a stall.
    let stall = stall_after(5).expect("a stall should be detected");
    assert!(stall.duration < start.elapsed() - 4 * TIMEOUT, "{stall}");
    let open = stall.threads[0].zones[0].open;
    assert!(open < start.elapsed() - 4 * TIMEOUT, "{stall}");
}
