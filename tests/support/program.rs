//! A child process whose output is collected.

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit for the X server to carry out a request, such as changing the focus or the size of a window.
pub(super) const REACTION: Duration = Duration::from_secs(5);
pub(super) const POLL: Duration = Duration::from_millis(5);

/// Returns the path of one of this crate's examples, which cargo places next to the running test's directory.
///
/// # Panics
///
/// Panics if the example has not been built. `cargo test` builds the examples unless told which targets to build.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = env::current_exe().expect("the running test should have a path");
    let profile = test
        .parent()
        .and_then(Path::parent)
        .expect("a test program should be in <profile>/deps");
    let path = profile
        .join("examples")
        .join(format!("{name}{}", env::consts::EXE_SUFFIX));
    assert!(
        path.is_file(),
        "{} does not exist: run `cargo build --example {name}` first",
        path.display()
    );
    path
}

/// A child process and its output. Dropping it kills the child, and prints the output if the test is panicking.
#[derive(Debug)]
pub(crate) struct Program {
    name: String,
    child: Child,
    output: Arc<Mutex<String>>,
    /// The number of output bytes that [`Program::wait_for_line`] has consumed, always in whole lines.
    consumed: usize,
    /// A channel that closes when both pipes have ended.
    ended: mpsc::Receiver<()>,
    /// The time that dropping waits for the child to end by itself before killing it.
    pub(super) grace: Duration,
}

impl Program {
    /// Starts a program that does not need an X server.
    ///
    /// # Panics
    ///
    /// Panics if the program cannot be started.
    pub(crate) fn spawn(command: &mut Command) -> Program {
        let name = Path::new(command.get_program())
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("failed to start {command:?}: {error}"));
        let output = Arc::new(Mutex::new(String::new()));
        let (running, ended) = mpsc::channel();
        collect(
            child.stdout.take().expect("the pipe should be open"),
            &output,
            running.clone(),
        );
        collect(
            child.stderr.take().expect("the pipe should be open"),
            &output,
            running,
        );
        Program {
            name,
            child,
            output,
            consumed: 0,
            ended,
            grace: Duration::ZERO,
        }
    }

    /// Returns all output so far, in whole lines.
    pub(crate) fn output(&self) -> String {
        self.output
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Waits for a line that contains `text`, after the line that the last call returned.
    ///
    /// # Panics
    ///
    /// Panics if `limit` passes or the program ends without such a line.
    pub(crate) fn wait_for_line(&mut self, text: &str, limit: Duration) -> String {
        self.wait_for_line_where(&format!("\"{text}\""), limit, |line| line.contains(text))
    }

    /// Like [`Program::wait_for_line`], but for any condition, which `what` describes.
    pub(super) fn wait_for_line_where(
        &mut self,
        what: &str,
        limit: Duration,
        holds: impl Fn(&str) -> bool,
    ) -> String {
        let found = poll(limit, POLL, || {
            // The output is read after this check, so it includes everything that was printed before the program ended.
            let ended = matches!(self.ended.try_recv(), Err(mpsc::TryRecvError::Disconnected));
            let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
            for line in output[self.consumed..].lines() {
                // `collect` ends each line with a line feed.
                self.consumed += line.len() + 1;
                if holds(line) {
                    return Some(Ok(line.to_owned()));
                }
            }
            ended.then_some(Err("before it ended".to_owned()))
        });
        let found = found.unwrap_or_else(|| Err(format!("in {limit:?}")));
        found.unwrap_or_else(|when| panic!("{} printed no {what} {when}", self.name))
    }

    /// Waits for the program to end.
    ///
    /// # Panics
    ///
    /// Panics after `limit`.
    pub(crate) fn wait(&mut self, limit: Duration) -> ExitStatus {
        let status = poll(limit, POLL, || {
            self.child
                .try_wait()
                .expect("failed to query the child process")
        });
        let status =
            status.unwrap_or_else(|| panic!("{} is still running after {limit:?}", self.name));
        // The rest of the output may still arrive. The wait has a limit, because a grandchild may keep the pipe open.
        let _ = self.ended.recv_timeout(REACTION);
        status
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child
            .try_wait()
            .expect("failed to query the child process")
            .is_none()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // This code must not panic, because the test may already be panicking.
        let ended = poll(self.grace, POLL, || self.child.try_wait().ok().flatten());
        if ended.is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        if thread::panicking() && !self.output().is_empty() {
            eprintln!("--- output of {} ---\n{}---", self.name, self.output());
        }
    }
}

/// Reads a pipe on a separate thread until it ends, because a full pipe would block the program.
fn collect(
    pipe: impl Read + Send + 'static,
    output: &Arc<Mutex<String>>,
    running: mpsc::Sender<()>,
) {
    let output = Arc::clone(output);
    thread::spawn(move || {
        let _running = running;
        let mut pipe = BufReader::new(pipe);
        let mut line = Vec::new();
        while pipe
            .read_until(b'\n', &mut line)
            .is_ok_and(|length| length > 0)
        {
            let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
            output.push_str(String::from_utf8_lossy(&line).trim_end());
            output.push('\n');
            line.clear();
        }
    });
}

/// Calls `attempt` at least once, and repeats it until it returns a value. Returns `None` after `limit`.
pub(super) fn poll<T>(
    limit: Duration,
    pause: Duration,
    mut attempt: impl FnMut() -> Option<T>,
) -> Option<T> {
    let start = Instant::now();
    loop {
        let late = start.elapsed() >= limit;
        if let Some(answer) = attempt() {
            return Some(answer);
        }
        if late {
            return None;
        }
        thread::sleep(pause);
    }
}
