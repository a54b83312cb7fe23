//! An HTTP endpoint that serves profiles of the running program. It is documented in iprof's `http` module.
//!
//! One thread serves all connections with asynchronous I/O, so a slow client ties up some memory but no thread. Two
//! writer threads build the responses that take time.

mod request;
mod response;

use crate::RunningProgram;
use hyper::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use request::{Page, accepts_gzip, names_loopback};
use response::{Answer, ProfileStart, Refusal};
use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::panic::{self, AssertUnwindSafe};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::task::Poll;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::time::{Instant, sleep, sleep_until};

const THREAD: &str = "iprof http";
/// The maximum number of connections served at once. Each uses a file descriptor.
const CONNECTIONS: usize = 32;
/// The number of additional connections that can be refused at the same time. The rest are queued.
const REFUSED: usize = 4;
/// The number of connections that the system queues until they are accepted.
const BACKLOG: u32 = 128;
/// The size of a connection's send buffer. Without a limit, the system would let it grow to megabytes.
const SYSTEM_BYTES: u32 = 128 << 10;
/// The client's time limit for sending the request.
const HEADER_TIME: Duration = Duration::from_secs(5);
/// The maximum size of the request line and headers combined.
const HEADER_BYTES: usize = 16 << 10;
/// The client's time limit for receiving the response, plus one second per `BYTES_PER_SECOND`.
const ANSWER_TIME: Duration = Duration::from_secs(10);
const BYTES_PER_SECOND: f64 = 65_536.0;
/// The pause before accepting the next connection after one failed for lack of file descriptors or memory.
const PAUSE: Duration = Duration::from_millis(250);

/// An open endpoint: see [`serve`](fn.serve.html).
///
/// Dropping the server closes the endpoint: it frees the port, disconnects clients and waits for the server's threads
/// to end. If a response is being written, dropping waits until it is finished. To keep the endpoint open until the
/// program ends, keep the value or [forget](std::mem::forget) it.
#[must_use = "if unused, the endpoint closes immediately"]
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    /// The sender that ends the server thread when it is dropped.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    /// The id of the process that opened the endpoint. A forked child process has none of the endpoint's threads.
    process: u32,
}

impl Server {
    #[doc(hidden)]
    pub fn start(program: &'static RunningProgram, address: SocketAddr) -> io::Result<Server> {
        let (sender, receiver) = mpsc::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        // The runtime is created and dropped on its own thread. The caller may be inside a different runtime, where
        // dropping this one would panic.
        let run = move || match open(address) {
            Ok((runtime, listener, writers)) => {
                // The caller of `start` is either waiting for this or has already dropped `stop`.
                let _ = sender.send(listener.local_addr());
                runtime.block_on(async {
                    tokio::spawn(accept_all(program, listener, writers));
                    // An error means that the sender was dropped, which also means stop.
                    let _ = stopped.await;
                });
                // The runtime is dropped here, along with all clients and the writer threads.
            }
            Err(error) => drop(sender.send(Err(error))),
        };
        let thread = thread::Builder::new().name(THREAD.to_owned()).spawn(run)?;
        let address = receiver.recv().map_err(io::Error::other)?;
        Ok(Server {
            address: address?,
            stop: Some(stop),
            thread: Some(thread),
            process: std::process::id(),
        })
    }

    /// Returns the address of the endpoint, with the actual port if port 0 was given.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if std::process::id() != self.process {
            // After a fork, the thread and its channel only exist in the parent process.
            std::mem::forget((self.stop.take(), self.thread.take()));
            return;
        }
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // If the thread panicked, the panic was already printed.
            let _ = thread.join();
        }
    }
}

fn open(address: SocketAddr) -> io::Result<(Runtime, TcpListener, Writers)> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let inside = runtime.enter();
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // On Unix, `SO_REUSEADDR` makes the address available as soon as the previous endpoint is closed. On other systems,
    // that is the default, and the option would allow two endpoints at once.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    // Accepted connections inherit this size.
    socket.set_send_buffer_size(SYSTEM_BYTES)?;
    socket.bind(address)?;
    let listener = socket.listen(BACKLOG)?;
    drop(inside);
    Ok((runtime, listener, Writers::start()?))
}

async fn accept_all(
    program: &'static RunningProgram,
    listener: TcpListener,
    writers: Writers,
) -> io::Result<()> {
    let endpoint = Arc::new(Endpoint {
        program,
        is_local: listener.local_addr()?.ip().to_canonical().is_loopback(),
        writers,
    });
    let permits = Arc::new(Semaphore::new(CONNECTIONS + REFUSED));
    loop {
        // The semaphore is never closed.
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else {
            return Ok(());
        };
        // Accepting fails if the client has already disconnected, or if no more files can be opened at the moment.
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let is_served = permits.available_permits() >= REFUSED;
        let endpoint = Arc::clone(&endpoint);
        tokio::spawn(async move {
            endpoint.serve(stream, is_served).await;
            drop(permit);
        });
    }
}

#[derive(Debug)]
struct Endpoint {
    program: &'static RunningProgram,
    /// Whether requests must name the loopback interface.
    is_local: bool,
    writers: Writers,
}

impl Endpoint {
    /// Answers one request. Returns when the response has been sent, when the client disconnects, or when its time is
    /// up.
    async fn serve(&self, stream: TcpStream, is_served: bool) {
        let (send_until, mut deadline) = watch::channel(None);
        let respond = service_fn(|request| {
            let send_until = send_until.clone();
            async move {
                let answer = if is_served {
                    self.answer(&request).await
                } else {
                    let why = "too many connections; try again later";
                    Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why))
                };
                let answer = answer.unwrap_or_else(Refusal::into_answer);
                let bytes = answer.body().size_hint().lower();
                let taking = Duration::from_secs_f64(bytes as f64 / BYTES_PER_SECOND);
                send_until.send_replace(Some(Instant::now() + ANSWER_TIME + taking));
                Ok::<_, Infallible>(answer)
            }
        });
        let mut connection = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER_TIME)
                .keep_alive(false)
                .max_buf_size(HEADER_BYTES)
                // `writev` would raise SIGPIPE when a client disconnects. The signal kills programs that don't ignore
                // it, such as C programs.
                .writev(false)
                .serve_connection(TokioIo::new(stream), respond)
        );
        let mut time_is_up = pin!(async {
            let until = deadline.wait_for(Option::is_some).await;
            if let Some(until) = until.ok().and_then(|until| *until) {
                sleep_until(until).await;
            }
        });
        // Connection errors only affect the client.
        poll_fn(|context| match connection.as_mut().poll(context) {
            Poll::Ready(_) => Poll::Ready(()),
            Poll::Pending => time_is_up.as_mut().poll(context),
        })
        .await;
    }

    async fn answer<T>(&self, request: &Request<T>) -> Result<Answer, Refusal> {
        if self.is_local && !names_loopback(request) {
            let why = "host not allowed; use localhost or 127.0.0.1";
            return Err(Refusal::new(StatusCode::FORBIDDEN, why));
        }
        let program = self.program;
        let page = Page::of(request.uri())?;
        let is_head = request.method() == Method::HEAD;
        if !is_head && request.method() != Method::GET {
            let why = "method not allowed; use GET or HEAD";
            return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, why));
        }
        let is_gzip = accepts_gzip(request);
        match page {
            Page::Index => Ok(response::index()),
            Page::CommandLine => Ok(response::command_line()),
            Page::Stall => Ok(response::stall(program)),
            Page::Report => {
                self.writers
                    .run(move || response::report(program, is_gzip))
                    .await?
            }
            Page::Dump {
                format,
                time: Some(_),
            } if is_head => Ok(response::dump_head(format)),
            Page::Dump { format, time } => {
                let mut begin = None;
                if let Some(time) = time {
                    begin = Some(self.writers.run(move || ProfileStart::now(program)).await?);
                    sleep(time).await;
                }
                let make = move || response::dump(program, format, begin, is_gzip);
                self.writers.run(make).await?
            }
        }
    }
}

const WRITERS: usize = 2;

type Job = Box<dyn FnOnce() + Send>;

/// The writer threads. When dropped, waits for running jobs and ends the threads.
#[derive(Debug)]
struct Writers {
    jobs: Option<mpsc::Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Writers {
    fn start() -> io::Result<Writers> {
        let (jobs, todo) = mpsc::channel();
        let todo = Arc::new(Mutex::new(todo));
        let mut writers = Writers {
            jobs: Some(jobs),
            threads: Vec::new(),
        };
        for _ in 0..WRITERS {
            let todo = Arc::clone(&todo);
            let thread = thread::Builder::new().name(THREAD.to_owned());
            writers.threads.push(thread.spawn(move || run_jobs(&todo))?);
        }
        Ok(writers)
    }

    /// Runs `make` on one of the threads. Returns a refusal if `make` panics.
    async fn run<T: Send + 'static>(
        &self,
        make: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let (sender, receiver) = oneshot::channel();
        let job = move || {
            if !sender.is_closed() {
                // Sending fails if the client has disconnected in the meantime. Then nobody needs the result.
                let _ = sender.send(make());
            }
        };
        if let Some(jobs) = &self.jobs {
            // The threads outlive the sender.
            let _ = jobs.send(Box::new(job));
        }
        receiver.await.map_err(|_| Refusal::failed())
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

fn run_jobs(todo: &Mutex<mpsc::Receiver<Job>>) {
    loop {
        let job = todo.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        // A panic was already printed. The waiting task notices that the sender was dropped.
        let _ = panic::catch_unwind(AssertUnwindSafe(job));
    }
}
