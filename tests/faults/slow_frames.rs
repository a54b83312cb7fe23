//! Tests programs in which some frames take too long.

use crate::children::{describe, run, run_with, task};
use iprof::{configure, frame_snapshots, on_slow_frame};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);
const BUDGET: Duration = Duration::from_millis(40);

fn frame(is_slow: bool) {
    {
        iprof::zone!(frame);
        if is_slow {
            iprof::zone!(slow_work);
            thread::sleep(2 * BUDGET);
        }
    }
    iprof::update(true);
}

/// Returns the first frame of each run of consecutive frames over the budget.
fn hitches() -> Vec<u64> {
    let frames: Vec<(u64, bool)> = frame_snapshots(..)
        .map(|it| (it.number, it.recorded.ns(it.recorded.ticks) > 40e6))
        .collect();
    let is_first = |at: &usize| frames[*at].1 && (*at == 0 || !frames[*at - 1].1);
    let at = (0..frames.len()).filter(is_first);
    at.map(|at| frames[at].0).collect()
}

#[test]
fn hitch_callback_runs_once_and_may_call_everything() {
    if task().is_none() {
        let test = "hitch_callback_runs_once_and_may_call_everything";
        let output = run(&format!("slow_frames::{test}"), "hitches");
        assert!(output.status.success(), "{}", describe(&output));
        return;
    }
    configure(|config| config.frame_budget = BUDGET);
    iprof::update(true);
    let found = Arc::new(Mutex::new(Vec::new()));
    let noted = found.clone();
    on_slow_frame(Duration::ZERO, move |slow| {
        assert!(slow.duration > slow.budget && slow.budget == BUDGET);
        noted.lock().unwrap().push(slow.number);
        assert_eq!(frame_snapshots(slow.number..).count(), 1);
        iprof::mark("hitch");
    });
    for is_slow in [false, true, true, false, true, false] {
        frame(is_slow);
    }
    let wanted = hitches();
    let wanted: Vec<u64> = wanted.into_iter().filter(|number| *number > 1).collect();
    assert_eq!(*found.lock().unwrap(), wanted);
    assert!(wanted.len() >= 2, "{wanted:?}");
    // The callback runs once per dead time, and is never called recursively.
    found.lock().unwrap().clear();
    let noted = found.clone();
    on_slow_frame(3_600_000 * MS, move |slow| {
        noted.lock().unwrap().push(slow.number);
        frame(false);
        frame(true);
        on_slow_frame(Duration::ZERO, |_| ());
    });
    for is_slow in [true, false, true, false] {
        frame(is_slow);
    }
    assert_eq!(found.lock().unwrap().len(), 1);
}

#[test]
fn panic_in_hitch_callback_propagates() {
    let test = "panic_in_hitch_callback_propagates";
    if task().is_none() {
        let output = run(&format!("slow_frames::{test}"), "panics");
        assert!(output.status.success(), "{}", describe(&output));
        return;
    }
    configure(|config| config.frame_budget = BUDGET);
    iprof::update(true);
    on_slow_frame(Duration::ZERO, |_| panic!("a test panic"));
    std::panic::set_hook(Box::new(|_| ()));
    // On a busy machine, another slow frame may hide the next hitch.
    let slow = [false, true].into_iter().cycle().take(12);
    let panics = slow.filter(|is_slow| std::panic::catch_unwind(|| frame(*is_slow)).is_err());
    assert!(panics.count() >= 2);
}

#[test]
fn environment_writes_slow_frames_to_a_folder() {
    let test = "environment_writes_slow_frames_to_a_folder";
    let test = format!("slow_frames::{test}");
    if task().is_some() {
        configure(|config| config.frame_budget = BUDGET);
        for _ in 0..5 {
            frame(false);
        }
        // Wait until the dead time after earlier slow frames is over.
        thread::sleep(1_100 * MS);
        frame(false);
        frame(false);
        frame(true);
        frame(false);
        frame(false);
        // This frame falls into the dead time.
        frame(true);
        frame(false);
        thread::sleep(500 * MS);
        return;
    }
    let folder = std::env::temp_dir().join(format!("iprof slow {}", std::process::id()));
    let value = folder.display().to_string();
    let output = run_with(&test, "slow", &[("IPROF_SLOW_FRAMES", &value)]);
    assert!(output.status.success(), "{}", describe(&output));
    let files = std::fs::read_dir(&folder).unwrap();
    let texts = files.map(|file| {
        let path = file.unwrap().path();
        (path.clone(), std::fs::read_to_string(path).unwrap())
    });
    let texts: Vec<_> = texts.collect();
    std::fs::remove_dir_all(&folder).unwrap();
    let of_text = |(path, text): &&(_, String)| {
        let path: &std::path::PathBuf = path;
        path.extension().is_some_and(|it| it == "txt") && text.contains("slow_work")
    };
    let (path, text) = texts
        .iter()
        .find(of_text)
        .expect("the slow frame should have a file");
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let number: u64 = name.rsplit('-').next().unwrap().parse().unwrap();
    for number in number - 2..=number + 2 {
        assert!(
            text.contains(&format!("frame {number}: ")),
            "{number}: {text}"
        );
    }
    let of_next = format!("-{}.txt", number + 3);
    let is_of_next =
        |(path, _): &(std::path::PathBuf, String)| path.display().to_string().ends_with(&of_next);
    assert!(
        !texts.iter().any(is_of_next),
        "a frame within the dead time should not be written"
    );
    assert_eq!(text.matches("over the budget of 40ms").count(), 1, "{text}");
    if cfg!(feature = "export") {
        let events = texts
            .iter()
            .find(|it| it.0.ends_with(format!("{name}.trace.json")));
        assert!(
            events
                .expect("a trace should be written")
                .1
                .contains("slow_work")
        );
    }
    // A folder that cannot be created causes a warning.
    let value = std::env::current_exe().unwrap().join("below a file");
    let value = value.display().to_string();
    let test = "slow_frames::slow_frames_work_without_a_folder";
    let output = run_with(test, "nothing", &[("IPROF_SLOW_FRAMES", &value)]);
    let warnings = describe(&output);
    let count = warnings.matches("iprof: IPROF_SLOW_FRAMES: ").count();
    assert_eq!(count, 1, "{warnings}");
}

/// The budget is set by the environment, not by the program.
#[test]
fn slow_frame_right_before_exit_is_written() {
    let test = "slow_frames::slow_frame_right_before_exit_is_written";
    if task().is_some() {
        frame(false);
        assert_eq!(iprof::config().frame_budget, Duration::from_micros(60_500));
        thread::sleep(1_100 * MS);
        frame(false);
        frame(true);
        std::process::exit(0);
    }
    let folder = std::env::temp_dir().join(format!("iprof exit {}", std::process::id()));
    let value = folder.display().to_string();
    let variables = [
        ("IPROF_SLOW_FRAMES", &*value),
        ("IPROF_FRAME_BUDGET", "60.5"),
    ];
    let output = run_with(test, "slow", &variables);
    assert!(output.status.success(), "{}", describe(&output));
    let files = std::fs::read_dir(&folder).unwrap();
    let texts: Vec<String> = files
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    std::fs::remove_dir_all(&folder).unwrap();
    let is_written =
        |text: &String| text.contains("over the budget of 60.5ms") && text.contains("slow_work");
    assert!(texts.iter().any(is_written), "{texts:?}");
    let output = run_with(test, "slow", &[("IPROF_FRAME_BUDGET", "16,7")]);
    let warning =
        "iprof: IPROF_FRAME_BUDGET: invalid value \"16,7\"; expected 0.001 to 3600000 milliseconds";
    assert!(describe(&output).contains(warning), "{}", describe(&output));
}

#[test]
fn slow_frames_work_without_a_folder() {
    if task().is_some() {
        configure(|config| config.frame_budget = BUDGET);
        for is_slow in [false, true, false] {
            frame(is_slow);
        }
    }
}
