//! Worker processes. Each process runs the work of one contender whenever it reads a command from standard input.

use crate::entry_counts::Counts;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The environment variable that selects the benchmark in a program with one contender.
pub(crate) const PROGRAM: &str = "IPROF_PEERS_PROGRAM";

/// Replaces this process with another program of this package, with the same arguments. Returns only on an error.
pub(crate) fn become_program(program: &str, benchmark: &str) -> std::io::Result<()> {
    let path = std::env::current_exe()?.with_file_name(program);
    let mut command = Command::new(&path);
    command.args(std::env::args_os().skip(1));
    command.env(PROGRAM, benchmark);
    // Stay in the same process if possible, because the parent stops and continues it.
    #[cfg(unix)]
    let error = std::os::unix::process::CommandExt::exec(&mut command);
    #[cfg(not(unix))]
    let error = match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    };
    let text = format!(
        "{}: {error}; cargo build --release builds it",
        path.display()
    );
    Err(std::io::Error::new(error.kind(), text))
}

/// Makes a worker process end when its parent ends, even if the worker is stopped at that time.
pub(crate) fn end_with_parent() {
    #[cfg(target_os = "linux")]
    // SAFETY: the call sets an attribute of this process and accesses no memory.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

#[derive(Debug)]
pub(crate) struct Worker {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Worker {
    pub(crate) fn start(contender: &str, job: &str, flags: &[String]) -> std::io::Result<Worker> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--worker", contender, job])
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let questions = child.stdin.take().expect("the stream is piped");
        let answers = BufReader::new(child.stdout.take().expect("the stream is piped"));
        Ok(Worker {
            child,
            questions,
            answers,
        })
    }

    /// Makes the worker do something, and returns the numbers in its answer. The worker's process is stopped except
    /// during this call, so that it does nothing during other workers' turns.
    pub(crate) fn ask(&mut self, question: &str) -> std::io::Result<Vec<f64>> {
        self.resume();
        writeln!(self.questions, "{question}")?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        self.suspend();
        let numbers: Option<Vec<f64>> = answer.split(' ').map(|n| n.trim().parse().ok()).collect();
        numbers.ok_or_else(|| std::io::Error::other(format!("a worker said {answer:?}")))
    }

    /// Makes the worker end, and returns its output.
    pub(crate) fn finish(mut self) -> std::io::Result<String> {
        self.resume();
        drop(self.questions);
        let mut text = String::new();
        self.answers.read_to_string(&mut text)?;
        let status = self.child.wait()?;
        match status.success() {
            true => Ok(text),
            false => Err(std::io::Error::other(format!(
                "a worker ended with {status}"
            ))),
        }
    }
}

#[cfg(target_os = "linux")]
impl Worker {
    fn resume(&self) {
        self.signal(libc::SIGCONT);
    }

    fn suspend(&self) {
        self.signal(libc::SIGSTOP);
    }

    fn signal(&self, signal: i32) {
        // SAFETY: the child hasn't been waited for, so no other process can have its ID.
        unsafe { libc::kill(self.child.id() as i32, signal) };
    }
}

#[cfg(not(target_os = "linux"))]
impl Worker {
    fn resume(&self) {}
    fn suspend(&self) {}
}

pub(crate) fn print_counts(counts: &Counts) {
    for (name, entries) in counts {
        println!("count {name} {entries}");
    }
}

pub(crate) fn counts_from(text: &str) -> Counts {
    let count = |line: &str| {
        let (name, entries) = line.strip_prefix("count ")?.rsplit_once(' ')?;
        Some((name.to_owned(), entries.parse().ok()?))
    };
    text.lines().filter_map(count).collect()
}
