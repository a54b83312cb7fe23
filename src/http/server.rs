//! The endpoint's thread, and who may stop it.
//!
//! All clients are served by one thread that waits for whatever comes next of any of them; so one that
//! is slow, or waits for its profile, costs some memory and no thread. What takes a while to make is
//! made on two [others](super::writers). hyper and tokio do the work: tiny_http has a thread for each client and waits for
//! it without end, as does rouille, which is made of it; astra has a limit of threads, which are all
//! taken by as many readers that wait for their profiles.

use super::address::Address;
use super::client::{Client, House};
use super::limits::Limits;
use super::writers::Writers;
use crate::memory::can_allocate;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::time::sleep;

/// In the names of threads.
pub(super) const NAME: &str = "iprof http";
/// Clients that the system lets wait for their turn.
const BACKLOG: u32 = 128;
/// What of an answer the system may hold for a client that does not take it, instead of megabytes.
const SYSTEM_BYTES: u32 = 128 << 10;
/// Until the next client is taken when there was no file or no memory left for one.
const PAUSE: Duration = Duration::from_millis(250);
/// What a client takes of memory until its request is read: buffers, mostly.
const CLIENT_BYTES: usize = 256 << 10;

/// The endpoint, as long as it is there: see [`serve`](super::serve).
///
/// When it is dropped the port is free again, clients are disconnected, and its threads have ended:
/// a moment is enough, unless an answer is being made, which is waited for. For an endpoint that stays
/// as long as the program, keep it, or [forget](std::mem::forget) it.
#[must_use = "the endpoint is closed when this is dropped"]
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    /// Dropping it ends the thread.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    /// The one that it was opened in: a copy made by `fork` has none of its threads.
    process: u32,
}

impl Server {
    pub(super) fn start(address: Address) -> io::Result<Server> {
        let (tell, told) = mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        // Made where it is dropped: a runtime must not be dropped by a caller that runs in another.
        let run = move || match open(address.into()) {
            Ok((runtime, listener, writers)) => {
                // Whoever asked for it waits, or is gone and has dropped `stop`.
                let _ = tell.send(listener.local_addr());
                serve_until(runtime, listener, writers, stopped);
            }
            Err(error) => drop(tell.send(Err(error))),
        };
        let thread = thread::Builder::new().name(NAME.to_owned()).spawn(run)?;
        let ended = |_| Err(io::Error::other("the endpoint's thread has ended"));
        Ok(Server {
            address: told.recv().unwrap_or_else(ended)?,
            stop: Some(stop),
            thread: Some(thread),
            process: std::process::id(),
        })
    }

    /// Where it is: with the port that the system chose if that was left to it.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if std::process::id() != self.process {
            // Neither the thread nor what wakes it is this process's.
            std::mem::forget((self.stop.take(), self.thread.take()));
            return;
        }
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // If it has panicked, that was printed, and it has ended.
            let _ = thread.join();
        }
    }
}

/// What the thread works with.
fn open(address: SocketAddr) -> io::Result<(Runtime, TcpListener, Writers)> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let inside = runtime.enter();
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A port is free as soon as its last endpoint is gone; elsewhere that is so in any case, and this
    // would allow two at once.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    // Connections inherit it.
    socket.set_send_buffer_size(SYSTEM_BYTES)?;
    socket.bind(address)?;
    let listener = socket.listen(BACKLOG)?;
    drop(inside);
    Ok((runtime, listener, Writers::start()?))
}

/// What the thread does. All clients are gone with `runtime` when it comes back, and so are the
/// writers.
fn serve_until(
    runtime: Runtime,
    listener: TcpListener,
    writers: Writers,
    stopped: oneshot::Receiver<()>,
) {
    runtime.block_on(async {
        tokio::spawn(serve_all(listener, writers));
        // An error is what comes of a sender that was dropped.
        let _ = stopped.await;
    });
}

async fn serve_all(listener: TcpListener, writers: Writers) -> io::Result<()> {
    let is_local = listener.local_addr()?.ip().to_canonical().is_loopback();
    let limits = Arc::new(Limits::new());
    let house = Arc::new(House {
        limits: Arc::clone(&limits),
        writers,
        is_local,
    });
    let mut reserve = Reserve::default();
    loop {
        // The client has gone already, or no more files can be opened for now.
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let Some(place) = limits.client().await else {
            return Ok(());
        };
        if reserve.can_serve() {
            let client = Client::new(Arc::clone(&house), place);
            tokio::spawn(client.serve(stream));
        } else {
            drop(stream);
            sleep(PAUSE).await;
        }
    }
}

/// Memory that is kept back while the program has enough, so that clients can be told that it has not.
#[derive(Debug, Default)]
struct Reserve(Vec<u8>);

impl Reserve {
    /// Whether there is enough to read a client's request and to refuse it.
    fn can_serve(&mut self) -> bool {
        if can_allocate(2 * CLIENT_BYTES) {
            // What it does not get now, it may the next time.
            let _ = self.0.try_reserve_exact(CLIENT_BYTES);
            return true;
        }
        self.0 = Vec::new();
        can_allocate(CLIENT_BYTES)
    }
}
