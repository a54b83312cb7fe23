//! Tests the live endpoint with `go tool pprof`.

use crate::go::{TOP, pprof, rows};
use crate::work::{Ending, Frames, alone, spin};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Without this option, pprof gives up after 1.5 times the profile's duration.
const PATIENT: &str = "-timeout=60";

/// Enters `outer`, which calls `inner`. Each of them takes half of the time.
fn with_work(test: impl FnOnce()) {
    let is_running = AtomicBool::new(true);
    thread::scope(|scope| {
        scope.spawn(|| {
            while is_running.load(Ordering::Relaxed) {
                iprof::zone!(outer);
                spin(Duration::from_millis(1));
                iprof::zone!(inner);
                spin(Duration::from_millis(1));
            }
        });
        let _ending = Ending(&is_running);
        test();
    });
}

#[test]
fn go_tool_pprof_fetches_by_path_and_by_port() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let address = server.address();
    with_work(|| {
        let url = format!("http://{address}/debug/pprof/profile?seconds=2");
        let Some(text) = pprof(&[&TOP[..], &[PATIENT]].concat(), &[Path::new(&url)]) else {
            return;
        };
        assert!(text.contains("Type: work\n"), "{text}");
        let rows = rows(&text);
        let (inner, outer) = (rows["inner"], rows["outer"]);
        assert_eq!(outer.1 - outer.0, inner.1, "{text}");
        assert!(inner.0 > 0 && outer.0 > 0, "{text}");
        let url = format!("http://{address}");
        let options = ["-seconds=2", "-peek=^outer$", "-unit=ns", PATIENT];
        let text = pprof(&options, &[Path::new(&url)]).unwrap();
        let order =
            ["(outside zones)", "outer", "inner"].map(|name| text.find(&format!("|   {name}\n")));
        // The caller is listed above the callee.
        assert!(order[0].is_some() && order[2].is_some(), "{text}");
        assert!(order[0] < order[2], "{text}");
    });
}

#[test]
fn go_tool_pprof_shows_recorded_times() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let options: Vec<&str> = TOP.into_iter().filter(|o| *o != "-unit=ns").collect();
    let options = [&options[..], &["-sample_index=entries", PATIENT]].concat();
    let work = |times| {
        for _ in 0..times {
            iprof::zone!(eleven);
            spin(Duration::from_millis(2));
        }
    };
    // This work happens before the first request.
    work(3);
    let mut seen = 0;
    // On a slow machine, pprof may start too late, so each attempt lasts longer than the attempt before.
    for attempt in 1..=4 {
        let address = server.address();
        let url = format!(
            "http://{address}/debug/pprof/profile?seconds={}",
            3 * attempt
        );
        let before = iprof::snapshot();
        let worker = thread::spawn(move || {
            thread::sleep(Duration::from_millis(1500 * attempt));
            work(11);
        });
        let text = pprof(&options, &[Path::new(&url)]);
        worker.join().unwrap();
        let Some(text) = text else {
            return;
        };
        let since = iprof::snapshot().since(&before);
        let is_it = |zone: u32| &*since.zones[zone as usize].name == "eleven";
        let nodes = since.threads.iter().flat_map(|thread| &thread.nodes);
        let entries = nodes
            .filter(|node| is_it(node.zone))
            .map(|node| node.entries);
        assert_eq!(entries.sum::<u64>(), 11);
        seen = rows(&text).get("eleven").map_or(0, |(own, _)| *own);
        if seen == 11 {
            return;
        }
    }
    panic!("pprof saw {seen} entries");
}

#[test]
fn go_tool_pprof_shows_the_difference_of_two_fetches() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let url = format!("http://{}/debug/pprof/profile?seconds=1", server.address());
    with_work(|| {
        let base = format!("-diff_base={url}");
        let url = url.replace("seconds=1", "seconds=3");
        let Some(text) = pprof(&[&base, "-top", "-unit=ns", PATIENT], &[Path::new(&url)]) else {
            return;
        };
        // The second profile covers two more seconds.
        let rows = rows(&text);
        assert!(rows["inner"].0 > 0 && rows["outer"].0 > 0, "{text}");
    });
}

#[test]
fn go_tool_pprof_shows_the_error_message() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let frames = Frames::begin();
    let mut command = std::process::Command::new("go");
    let url = format!("http://{}/debug/pprof/profile?seconds=x", server.address());
    command.args(["tool", "pprof", "-top", &url]);
    command
        .env("GOTOOLCHAIN", "local")
        .env("GOFLAGS", "-mod=mod");
    match command.output() {
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(
                errors.contains("invalid value \"x\" for seconds"),
                "{errors}"
            );
        }
        Err(error) => crate::program::missing(&format!("go: {error}")),
    }
    frames.end();
}
