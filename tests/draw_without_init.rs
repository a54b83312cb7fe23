//! Draws without an overlay. A debug build prints one warning that says what is missing.

#![cfg(all(feature = "enable", feature = "gl"))]

mod support;

use support::own_program::own_program;

/// Set in the program that this test starts.
const CHILD: &str = "IPROF_TEST_DRAWS_WITHOUT_INIT";

fn run_program(task: &str) -> String {
    let mut command = own_program();
    command.args(["--exact", "the_program", "--nocapture"]);
    let output = command
        .env(CHILD, task)
        .output()
        .expect("the test program starts");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).expect("stderr is UTF-8")
}

/// The started program. It does nothing in the test run itself.
#[test]
fn the_program() {
    let Ok(task) = std::env::var(CHILD) else {
        return;
    };
    if task == "knows that there is none" {
        iprof::gl::make_current(None);
    }
    for _ in 0..3 {
        iprof::update(true);
        if task != "draws nothing" {
            iprof::draw_gl(0.0, 0.0, 100.0, 100.0, 2);
            iprof::draw_graph_gl(0.0, 0.0, 1.0, 1.0);
        }
    }
}

#[test]
fn program_without_init_is_warned_once() {
    let stderr = run_program("draws");
    let lines = stderr.lines().filter(|line| line.starts_with("iprof: "));
    let lines: Vec<&str> = lines.collect();
    if cfg!(debug_assertions) {
        assert_eq!(lines.len(), 1, "{stderr}");
        assert!(lines[0].contains("iprof::gl::init "), "{stderr}");
    } else {
        assert_eq!(lines, [""; 0], "{stderr}");
    }
}

#[test]
fn deliberate_use_is_not_warned_about() {
    for task in ["knows that there is none", "draws nothing"] {
        let stderr = run_program(task);
        assert!(!stderr.contains("iprof: "), "{stderr}");
    }
}
