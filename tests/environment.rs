//! What the environment asks of a program that was never touched: this test starts itself anew.
#![cfg(feature = "enable")]

use std::process::Command;

/// What a child is to say.
const CHILD: &str = "IPROF_TEST_CHILD";

/// As a program that knows nothing of the variables.
#[test]
fn a_program() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    {
        iprof::zone!(work);
    }
    iprof::update(true);
    println!("timing: {:?}", iprof::timing());
    for warning in iprof::report().warnings {
        println!("warning: {warning}");
    }
}

/// What such a program says in that environment.
fn said(variables: &[(&str, &str)]) -> Vec<String> {
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args(["--exact", "a_program", "--nocapture"]);
    program.env(CHILD, "1");
    program.envs(variables.iter().copied());
    let output = program.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let is_said = |line: &&str| line.starts_with("timing:") || line.starts_with("warning: IPROF");
    text.lines().filter(is_said).map(str::to_owned).collect()
}

#[test]
fn timing_is_what_the_environment_says() {
    for (variables, timing) in [
        (&[][..], "Exact"),
        (&[("IPROF_TIMING", "off")][..], "Off"),
        (&[("IPROF_TIMING", "sampled:250")], "Sampled { hz: 250.0 }"),
        (
            &[("IPROF_TIMING", "sampled"), ("IPROF_FREQUENCY", "99")],
            "Sampled { hz: 99.0 }",
        ),
        (&[("IPROF_TIMING", "auto:5%")], "Auto { budget: 0.05 }"),
    ] {
        assert_eq!(said(variables), [format!("timing: {timing}")]);
    }
}

#[test]
#[cfg(not(feature = "http"))]
fn a_port_is_warned_of_where_there_is_no_endpoint() {
    let said = said(&[("IPROF_PORT", "6060")]);
    assert_eq!(said[0], "timing: Exact");
    assert!(said[1].contains("without its feature `http`"), "{said:?}");
}

#[test]
fn what_cannot_be_read_is_warned_of_and_changes_nothing() {
    let said = said(&[("IPROF_TIMING", "fast")]);
    assert_eq!(said[0], "timing: Exact");
    assert!(said[1].contains("\"fast\" is no timing"), "{said:?}");
}
