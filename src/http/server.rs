//! The endpoint's thread, and who may stop it.
//!
//! All clients are served by one thread that waits for whatever comes next of any of them; so one that
//! is slow, or waits for its profile, costs some memory and no thread. What takes a while to make is
//! made on two others. hyper and tokio do the work: tiny_http has a thread for each client and waits for
//! it without end, as does rouille, which is made of it; astra has a limit of threads, which are all
//! taken by as many readers that wait for their profiles.

use super::address::Address;
use super::client::Client;
use super::limits::{Limits, MAKERS};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::time::sleep;

/// In the names of threads.
const NAME: &str = "iprof-http";
/// Until the next client is taken when there was no file left for one.
const PAUSE: Duration = Duration::from_millis(50);

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
}

impl Server {
    pub(super) fn start(address: Address) -> io::Result<Server> {
        let listener = TcpListener::bind(SocketAddr::from(address))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(MAKERS)
            .thread_name(NAME)
            .build()?;
        let (stop, stopped) = oneshot::channel();
        let run = move || serve_until(runtime, listener, stopped);
        let thread = thread::Builder::new().name(NAME.to_owned()).spawn(run)?;
        Ok(Server {
            address,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Where it is: with the port that the system chose if that was left to it.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // If it has panicked, that was printed, and it has ended.
            let _ = thread.join();
        }
    }
}

/// What the thread does. All clients are gone with `runtime` when it comes back.
fn serve_until(runtime: Runtime, listener: TcpListener, stopped: oneshot::Receiver<()>) {
    runtime.block_on(async {
        tokio::spawn(serve_all(listener));
        // An error is what comes of a sender that was dropped.
        let _ = stopped.await;
    });
}

async fn serve_all(listener: TcpListener) -> io::Result<()> {
    let is_local = listener.local_addr()?.ip().to_canonical().is_loopback();
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let limits = Arc::new(Limits::new());
    while let Some(place) = limits.client().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let client = Client::new(Arc::clone(&limits), place, is_local);
                tokio::spawn(client.serve(stream));
            }
            // The client has gone already, or no more files can be opened for now.
            Err(_) => sleep(PAUSE).await,
        }
    }
    Ok(())
}
