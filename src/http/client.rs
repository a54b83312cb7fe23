//! Serves one client: reads its request, gets the response built, and sends it, within the limits and
//! the client's deadline.

use super::body::{Draft, Parts};
use super::deadline::{ClientDeadline, Deadline, first};
use super::host_header;
use super::limits::{Limits, Share, kib};
use super::memory_estimate::{Size, Work};
use super::page::Page;
use super::refusal::Refusal;
use super::response::{Answer, Begin};
use super::workers::Writers;
use hyper::body::Incoming;
use hyper::header;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::sleep;

/// Time limit for sending the request; the second value applies while another client waits for a place.
const REQUEST_TIME: [Duration; 2] = [Duration::from_secs(5), Duration::from_millis(500)];
/// Maximum size of a request's line and headers together.
pub(super) const REQUEST_BYTES: usize = 16 << 10;
/// Time limit for receiving the response, plus one second per `BYTES_PER_SECOND`; the second value applies
/// while another client waits for a place.
const ANSWER_TIME: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(2)];
const BYTES_PER_SECOND: f64 = 65_536.0;

/// Extension of the profiles for pprof.
const PPROF: &str = ".pb.gz";

/// State that all clients share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) limits: Arc<Limits>,
    pub(super) writers: Writers,
    /// Whether requests must name the loopback interface.
    pub(super) is_local: bool,
}

/// A connected client.
#[derive(Debug)]
pub(super) struct Client {
    shared: Arc<Shared>,
    deadline: ClientDeadline,
    /// Its shares of the limits, until the connection ends.
    shares: Mutex<Vec<Share>>,
    /// Tells writer threads, by weak references, that the client is still connected.
    alive: Arc<()>,
}

impl Client {
    /// A newly connected client with its place.
    pub(super) fn new(shared: Arc<Shared>, place: Share) -> Client {
        let crowded = shared.limits.crowded();
        Client {
            shared,
            deadline: ClientDeadline::new(Deadline::after(REQUEST_TIME), crowded),
            shares: Mutex::new(vec![place]),
            alive: Arc::new(()),
        }
    }

    /// Answers one request. Returns when the response is sent, when the client has disconnected, or when
    /// its time is up.
    pub(super) async fn serve(self, stream: TcpStream) {
        let respond =
            service_fn(|request| async { Ok::<_, Infallible>(self.respond(request).await) });
        let connection = http1::Builder::new()
            .keep_alive(false)
            .max_buf_size(REQUEST_BYTES)
            // With `writev`, a client that disconnects would raise SIGPIPE, which ends programs that do not
            // ignore it, such as programs written in C.
            .writev(false)
            .serve_connection(TokioIo::new(stream), respond);
        // Connection errors concern the client only.
        first(async { drop(connection.await) }, self.deadline.ends()).await;
    }

    async fn respond(&self, request: Request<Incoming>) -> Response<Parts> {
        self.deadline.suspend();
        let answer = self.answer(&request).await;
        let answer = answer.unwrap_or_else(|why| Answer::refusal(&why));
        let taking = Duration::from_secs_f64(answer.bytes() as f64 / BYTES_PER_SECOND);
        let times = ANSWER_TIME.map(|time| time + taking);
        self.deadline.renew(Deadline::after(times));
        answer.into_response()
    }

    async fn answer<T>(&self, request: &Request<T>) -> Result<Answer, Refusal> {
        if self.shared.is_local && !host_header::is_loopback(request) {
            return Err(Refusal::AnotherHost);
        }
        let page = Page::of(request.uri())?;
        let is_head = request.method() == Method::HEAD;
        if !is_head && request.method() != Method::GET {
            return Err(Refusal::Method);
        }
        let is_gzip = accepts_gzip(request);
        Ok(match page {
            Page::Index => Answer::index(),
            Page::CommandLine => Answer::command_line(),
            Page::Stall => Answer::stall(),
            Page::Profile { .. } if is_head => Answer::dump_head(PPROF),
            Page::Profile { time } => self.profile(PPROF, time, is_gzip).await?,
            Page::Report => {
                let make = move |draft| Answer::report(is_gzip, draft);
                self.make(false, Work::Report, make).await?
            }
            Page::Dump {
                extension,
                time: Some(_),
            } if is_head => Answer::dump_head(extension),
            Page::Dump {
                extension,
                time: Some(time),
            } => self.profile(extension, time, is_gzip).await?,
            Page::Dump {
                extension,
                time: None,
            } => {
                let make = move |draft| Answer::dump(extension, None, is_gzip, draft);
                self.make(false, Work::of(extension), make).await?
            }
        })
    }

    /// The profile of the next `time`, in the format of that extension.
    async fn profile(
        &self,
        extension: &'static str,
        time: Duration,
        is_gzip: bool,
    ) -> Result<Answer, Refusal> {
        let Shared { limits, .. } = &*self.shared;
        let turn = limits.writer(false).await?;
        let size = self.run(Size::now).await?;
        let shares = limits.reader(size)?;
        let work = limits.work(size, Work::Compact).await?;
        let asked = Arc::clone(limits);
        let take = move || asked.can_allocate(0).then(Begin::now).flatten();
        let begin = self.run(take).await?.ok_or(Refusal::OutOfMemory)?;
        drop((work, turn));
        // Releases the client's place for another client.
        *self.shares() = shares.into();
        sleep(time).await;
        let make = move |draft| Answer::dump(extension, Some(begin), is_gzip, draft);
        self.make(true, Work::of(extension), make).await
    }

    /// Runs `make` on a writer thread, when one and the memory for it are available.
    async fn make<F>(&self, waited: bool, work: Work, make: F) -> Result<Answer, Refusal>
    where
        F: FnOnce(Draft) -> Result<(Answer, Vec<Share>), Refusal> + Send + 'static,
    {
        let Shared { limits, .. } = &*self.shared;
        let _turn = limits.writer(waited).await?;
        let size = self.run(Size::now).await?;
        let memory = limits.work(size, work).await?;
        let alive = Arc::downgrade(&self.alive);
        let draft = Draft::new(Arc::clone(limits), alive, kib(size.bytes(work)));
        let asked = Arc::clone(limits);
        let make = move || match asked.can_allocate(0) {
            true => make(draft),
            false => Err(Refusal::OutOfMemory),
        };
        let (answer, shares) = self.run(make).await??;
        drop(memory);
        self.shares().extend(shares);
        Ok(answer)
    }

    async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let made = self.shared.writers.run(job).await;
        made.ok_or(Refusal::Failed)
    }

    fn shares(&self) -> std::sync::MutexGuard<'_, Vec<Share>> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the client decompresses bodies.
fn accepts_gzip<T>(request: &Request<T>) -> bool {
    let values = request.headers().get_all(header::ACCEPT_ENCODING).iter();
    let codings = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(','));
    codings.into_iter().any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=");
        let is_refused = weight.is_some_and(|weight| weight.trim().parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::accepts_gzip;
    use hyper::Request;

    #[test]
    fn bodies_are_compressed_for_clients_that_say_so() {
        for (codings, expected) in [
            (&["gzip"][..], true),
            (&["deflate, GZIP;q=0.5, br"], true),
            (&["br", "gzip"], true),
            (&["gzip; q=0"], false),
            (&["gzip;q=0.000"], false),
            (&["identity", "xgzip"], false),
            (&[""], false),
            (&[], false),
        ] {
            let mut request = Request::builder();
            for coding in codings {
                request = request.header("accept-encoding", *coding);
            }
            assert_eq!(
                accepts_gzip(&request.body(()).unwrap()),
                expected,
                "{codings:?}"
            );
        }
    }
}
