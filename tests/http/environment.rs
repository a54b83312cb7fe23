//! `IPROF_PORT` opens the endpoint of a program that was never touched: this test starts itself anew.

use crate::asking::get;
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, ChildStdout, Command, Stdio};

/// What a child is to be.
const CHILD: &str = "IPROF_TEST_CHILD";

/// As a program that knows nothing of the variable. It runs until its input ends.
#[test]
fn a_program() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    for _ in 0..3 {
        iprof::zone!(untouched);
        iprof::update(true);
    }
    println!(); // What is printed before has no end of line.
    for warning in iprof::report().warnings {
        println!("warning: {warning}");
    }
    println!("running");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

/// Such a program, which ends with this.
struct Program {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Program {
    /// Starts it in that environment. Returns what it warned of, too.
    fn start(port: &str) -> (Program, Vec<String>) {
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["--exact", "environment::a_program", "--nocapture"]);
        program.env(CHILD, "1").env("IPROF_PORT", port);
        program.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = program.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let lines = out.by_ref().lines().map(|line| line.unwrap());
        let mut said: Vec<String> = lines.take_while(|line| line != "running").collect();
        said.retain(|line| line.starts_with("warning: IPROF"));
        (Program { child, out }, said)
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        self.out.read_to_end(&mut Vec::new()).unwrap();
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn a_program_that_was_never_touched_opens_the_port_that_it_is_told() {
    let port = {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap().port()
    };
    let (program, said) = Program::start(&format!(" {port} "));
    assert_eq!(said, Vec::<String>::new());
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let report = get(address, "/report");
    assert!(report.text().contains("untouched"), "{}", report.text());
    program.end();
}

#[test]
fn a_port_that_cannot_be_had_is_warned_of() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (asked, expected) in [
        (&*port, "127.0.0.1: "),
        ("http", "IPROF_PORT: \"http\" is no port"),
        ("0", "IPROF_PORT: \"0\" is no port"),
        ("65536", "IPROF_PORT: \"65536\" is no port"),
    ] {
        let (program, said) = Program::start(asked);
        program.end();
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains(expected), "{said:?}");
    }
    let (program, said) = Program::start("");
    program.end();
    assert_eq!(said, Vec::<String>::new());
}
