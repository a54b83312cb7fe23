//! The server thread, which accepts and serves all clients, and the handle that stops it.
//!
//! One thread serves all connections with asynchronous I/O, so a client that is slow or waits for its
//! profile costs some memory but no thread. Responses that take time to write are written on two [writer
//! threads](super::writers). hyper and tokio do the work. tiny_http has a thread for each client and waits
//! for it without limit, as does rouille, which is built on it; astra has a limited number of threads, all
//! of which would be taken by as many readers that wait for their profiles.

use super::address::Address;
use super::client::{Client, REQUEST_BYTES, Shared};
use super::limits::Limits;
use super::workers::Writers;
use crate::memory::can_allocate;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::time::sleep;

/// Name of the endpoint's threads.
pub(super) const NAME: &str = "iprof http";
/// Connections that the system queues until they are accepted.
const BACKLOG: u32 = 128;
/// Size of a connection's send buffer, which the system would otherwise let grow to megabytes for a client
/// that does not read.
const SYSTEM_BYTES: u32 = 128 << 10;
/// Pause before the next connection is accepted after one failed for lack of files or memory.
const PAUSE: Duration = Duration::from_millis(250);
/// Upper bound of a client's memory until its request is parsed, mostly buffers.
const CLIENT_BYTES: usize = 256 << 10;

/// An open endpoint: see [`serve`](super::serve).
///
/// Dropping it closes the endpoint: the port is free again, clients are disconnected and its threads have
/// ended. This is immediate unless a response is being written; then it waits until that is done. For an
/// endpoint that stays open as long as the program runs, keep the value or [forget](std::mem::forget) it.
#[must_use = "the endpoint is closed when this is dropped"]
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    /// Dropping it ends the server thread.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    /// Id of the process that opened it: a child made by `fork` has none of its threads.
    process: u32,
}

impl Server {
    pub(super) fn start(address: Address) -> io::Result<Server> {
        let (tell, told) = mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        // The runtime is created on the thread that drops it: a runtime must not be dropped by a caller
        // that runs in another runtime.
        let run = move || match open(address.into()) {
            Ok((runtime, listener, writers)) => {
                // The caller of `start` waits for this, or is gone and has dropped `stop`.
                let _ = tell.send(listener.local_addr());
                serve_until(runtime, listener, writers, stopped);
            }
            Err(error) => drop(tell.send(Err(error))),
        };
        let thread = thread::Builder::new().name(NAME.to_owned()).spawn(run)?;
        let ended = |_| {
            Err(io::Error::other(
                "the HTTP server thread ended unexpectedly",
            ))
        };
        Ok(Server {
            address: told.recv().unwrap_or_else(ended)?,
            stop: Some(stop),
            thread: Some(thread),
            process: std::process::id(),
        })
    }

    /// The address of the endpoint, with the actual port if port 0 was given.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if std::process::id() != self.process {
            // The thread and its channel belong to the parent process.
            std::mem::forget((self.stop.take(), self.thread.take()));
            return;
        }
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already printed.
            let _ = thread.join();
        }
    }
}

/// Creates the runtime, the listening socket and the writer threads.
fn open(address: SocketAddr) -> io::Result<(Runtime, TcpListener, Writers)> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let inside = runtime.enter();
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // On Unix this lets an address be reused as soon as the previous endpoint is closed. Other systems
    // allow that anyway, and there the option would allow two endpoints at once.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    // Accepted connections inherit this size.
    socket.set_send_buffer_size(SYSTEM_BYTES)?;
    socket.bind(address)?;
    let listener = socket.listen(BACKLOG)?;
    drop(inside);
    Ok((runtime, listener, Writers::start()?))
}

/// Runs the server until it is stopped. Returning drops `runtime`, and with it all clients and the writer
/// threads.
fn serve_until(
    runtime: Runtime,
    listener: TcpListener,
    writers: Writers,
    stopped: oneshot::Receiver<()>,
) {
    runtime.block_on(async {
        tokio::spawn(serve_all(listener, writers));
        // The result is an error if the sender was dropped, which means the same.
        let _ = stopped.await;
    });
}

async fn serve_all(listener: TcpListener, writers: Writers) -> io::Result<()> {
    let is_local = listener.local_addr()?.ip().to_canonical().is_loopback();
    let limits = Arc::new(Limits::new());
    let shared = Arc::new(Shared {
        limits: Arc::clone(&limits),
        writers,
        is_local,
    });
    let mut reserve = Reserve::default();
    loop {
        // The client has already disconnected, or no more files can be opened for now.
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let Some(place) = limits.client().await else {
            return Ok(());
        };
        if reserve.can_serve() {
            let client = Client::new(Arc::clone(&shared), place);
            tokio::spawn(client.serve(stream));
        } else {
            refuse(stream).await;
        }
    }
}

/// The pre-formatted response of [`Refusal::OutOfMemory`](super::refusal::Refusal::OutOfMemory), for a
/// client for which nothing can be allocated.
const OUT_OF_MEMORY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    content-type: text/plain; charset=utf-8\r\n\
    cache-control: no-store\r\n\
    x-content-type-options: nosniff\r\n\
    x-go-pprof: 1\r\n\
    retry-after: 5\r\n\
    connection: close\r\n\
    content-length: 46\r\n\r\n\
    the program is out of memory; try again later\n";

/// Refuses a client whose request cannot be read for lack of memory, without allocating anything.
async fn refuse(stream: TcpStream) {
    let Ok(mut stream) = stream.into_std() else {
        return sleep(PAUSE).await;
    };
    // The socket's send buffer has room for so little; if not, the client is disconnected without a
    // response.
    let _ = stream.write_all(OUT_OF_MEMORY);
    let _ = stream.shutdown(Shutdown::Write);
    sleep(PAUSE).await;
    // Closing a connection with unread bytes resets it, and the client may lose the response.
    let mut unread = [0; 1 << 10];
    for _ in 0..REQUEST_BYTES / unread.len() {
        // The socket is non-blocking: reading fails if the client has sent no more.
        if !matches!(stream.read(&mut unread), Ok(1..)) {
            break;
        }
    }
}

/// Memory reserved while the program has enough, so that clients can be refused properly when it has not.
#[derive(Debug, Default)]
struct Reserve(Vec<u8>);

impl Reserve {
    /// Whether there is enough memory to read and refuse a client's request.
    fn can_serve(&mut self) -> bool {
        if can_allocate(2 * CLIENT_BYTES) {
            // If the reservation fails now, it may succeed next time.
            let _ = self.0.try_reserve_exact(CLIENT_BYTES);
            return true;
        }
        self.0 = Vec::new();
        can_allocate(CLIENT_BYTES)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::refusal::Refusal;
    use super::*;
    use std::net::TcpStream as Stream;

    /// The response to `request`, up to the end of the connection.
    fn refused(request: &[u8]) -> io::Result<String> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let mut client = Stream::connect(listener.local_addr()?)?;
            client.write_all(request)?;
            let (stream, _) = listener.accept().await?;
            refuse(stream).await;
            let mut answer = String::new();
            client.read_to_string(&mut answer)?;
            Ok(answer)
        })
    }

    #[test]
    fn a_client_refused_for_lack_of_memory_gets_the_whole_response() {
        let most = vec![b'a'; REQUEST_BYTES];
        for request in [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", &most[..], b""] {
            let answer = refused(request).unwrap();
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            assert_eq!(body, format!("{}\n", Refusal::OutOfMemory));
            let status = Refusal::OutOfMemory.status();
            assert!(
                head.starts_with(&format!("HTTP/1.1 {status}\r\n")),
                "{head}"
            );
            let length = format!("content-length: {}", body.len());
            assert!(head.lines().any(|line| line == length), "{head}");
        }
    }
}
