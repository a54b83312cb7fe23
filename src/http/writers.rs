//! Threads that take snapshots and write responses, so that the server thread never waits for one. They
//! start with the endpoint: tokio would start such a thread when a request arrives, and panics if the
//! program has reached its limit of threads.

use super::response::Refusal;
use super::server::THREAD;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use tokio::sync::oneshot;

/// Number of responses that are written at once.
const WRITERS: usize = 2;

type Job = Box<dyn FnOnce() + Send>;

/// The writer threads. Dropping it waits for running jobs and ends the threads.
#[derive(Debug)]
pub(super) struct Writers {
    jobs: Option<mpsc::Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Writers {
    pub(super) fn start() -> io::Result<Writers> {
        let (jobs, todo) = mpsc::channel();
        let todo = Arc::new(Mutex::new(todo));
        let mut writers = Writers {
            jobs: Some(jobs),
            threads: Vec::new(),
        };
        for _ in 0..WRITERS {
            let todo = Arc::clone(&todo);
            let thread = thread::Builder::new().name(THREAD.to_owned());
            writers.threads.push(thread.spawn(move || work(&todo))?);
        }
        Ok(writers)
    }

    /// Runs `make` on one of the threads. Refuses if it panics.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        make: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let (tell, told) = oneshot::channel();
        let job = move || {
            if !tell.is_closed() {
                // A client that has disconnected meanwhile does not need the result.
                let _ = tell.send(make());
            }
        };
        if let Some(jobs) = &self.jobs {
            // The threads end after the sender.
            let _ = jobs.send(Box::new(job));
        }
        told.await.map_err(|_| Refusal::failed())
    }
}

impl Drop for Writers {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // The thread catches panics.
            let _ = thread.join();
        }
    }
}

fn work(todo: &Mutex<mpsc::Receiver<Job>>) {
    loop {
        let job = todo.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        // The panic was already printed; the waiting task sees the dropped sender.
        let _ = panic::catch_unwind(AssertUnwindSafe(job));
    }
}
