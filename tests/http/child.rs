//! A child process in which `IPROF_PORT` opens the endpoint.

use crate::own_program::own_program;
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, ChildStdout, Stdio};

/// The environment variable that makes this test program run as the child.
const CHILD: &str = "IPROF_TEST_CHILD";

/// The child's code. It does not refer to `IPROF_PORT`, and runs until its standard input ends.
#[test]
fn a_program() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    for _ in 0..3 {
        iprof::zone!(child_work);
        iprof::update(true);
    }
    println!(); // The test harness has not ended its line yet.
    for warning in iprof::report().warnings {
        println!("warning: {warning}");
    }
    println!("running");
    iprof::zone!(waits_for_its_end);
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

pub(crate) struct Program {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Program {
    pub(crate) const ARGUMENTS: [&str; 3] = ["--exact", "child::a_program", "--nocapture"];

    /// Starts the child with `IPROF_PORT`. Returns the child and its warnings.
    pub(crate) fn start(port: &str) -> (Program, Vec<String>) {
        Program::start_with(port, &[])
    }

    fn start_with(port: &str, variables: &[(&str, &str)]) -> (Program, Vec<String>) {
        let mut program = own_program();
        program.args(Program::ARGUMENTS);
        program.env(CHILD, "1").env("IPROF_PORT", port);
        program.envs(variables.iter().copied());
        program.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = program.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let lines = out.by_ref().lines().map(|line| line.unwrap());
        let mut warnings: Vec<String> = lines.take_while(|line| line != "running").collect();
        warnings.retain(|line| line.starts_with("warning: IPROF"));
        (Program { child, out }, warnings)
    }

    /// Starts a child that serves on a free port. No other test may look for a free port at the same time.
    pub(crate) fn with_port() -> (Program, SocketAddr) {
        Program::with_port_and(&[])
    }

    pub(crate) fn with_port_and(variables: &[(&str, &str)]) -> (Program, SocketAddr) {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let (program, warnings) = Program::start_with(&format!(" {} ", address.port()), variables);
        assert_eq!(warnings, Vec::<String>::new());
        (program, address)
    }

    pub(crate) fn end(mut self) {
        drop(self.child.stdin.take());
        self.out.read_to_end(&mut Vec::new()).unwrap();
        assert!(self.child.wait().unwrap().success());
    }
}
