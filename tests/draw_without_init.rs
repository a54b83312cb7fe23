//! Tests drawing without an overlay. Debug builds print one warning that explains what is missing.

#![cfg(all(feature = "enable", feature = "gl"))]

mod support;

use support::own_program::own_program;

/// The environment variable that is set for the child program.
const CHILD: &str = "IPROF_TEST_DRAWS_WITHOUT_INIT";

fn run_program(task: &str) -> String {
    let mut command = own_program();
    command.args(["--exact", "the_program", "--nocapture"]);
    let output = command
        .env(CHILD, task)
        .output()
        .expect("failed to start the test program");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).expect("stderr should be UTF-8")
}

/// The program that the other tests start as a child process. It does nothing in a normal test run.
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
