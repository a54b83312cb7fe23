//! One client: its connection, its request and its answer.

use super::answer::Answer;
use super::body::{Draft, Parts};
use super::host;
use super::limits::{Limits, Share};
use super::page::Page;
use super::patience::{Deadline, Patience, first};
use super::refusal::Refusal;
use super::size::{Size, Work};
use super::writers::Writers;
use crate::process;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::sleep;

/// To send its request; the second is for when somebody waits for its place.
const REQUEST_TIME: [Duration; 2] = [Duration::from_secs(5), Duration::from_millis(500)];
/// A request's line and headers together.
const REQUEST_BYTES: usize = 16 << 10;
/// To take its answer, and a second more for each so many bytes.
const ANSWER_TIME: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(2)];
const BYTES_PER_SECOND: f64 = 65_536.0;

/// What all clients have in common.
#[derive(Debug)]
pub(super) struct House {
    pub(super) limits: Arc<Limits>,
    pub(super) writers: Writers,
    /// Whether requests have to name the loopback interface.
    pub(super) is_local: bool,
}

/// A client that is connected.
#[derive(Debug)]
pub(super) struct Client {
    house: Arc<House>,
    patience: Patience,
    /// What it takes of the limits, until the connection is over.
    shares: Mutex<Vec<Share>>,
    /// By this, writers know that it is still there.
    alive: Arc<()>,
}

impl Client {
    /// One that has just come, and has a place.
    pub(super) fn new(house: Arc<House>, place: Share) -> Client {
        let crowded = house.limits.crowded();
        Client {
            house,
            patience: Patience::new(Deadline::after(REQUEST_TIME), crowded),
            shares: Mutex::new(vec![place]),
            alive: Arc::new(()),
        }
    }

    /// Answers one request, and is over when the answer was taken, when the client has gone, or when
    /// it has used up its time.
    pub(super) async fn serve(self, stream: TcpStream) {
        let respond =
            service_fn(|request| async { Ok::<_, Infallible>(self.respond(request).await) });
        let connection = http1::Builder::new()
            .keep_alive(false)
            .max_buf_size(REQUEST_BYTES)
            // By `writev` a client that hangs up would send the signal SIGPIPE, which ends a program
            // that does not ignore it, as those in C do not.
            .writev(false)
            .serve_connection(TokioIo::new(stream), respond);
        // What goes wrong on the way is between the client and its network.
        first(async { drop(connection.await) }, self.patience.ends()).await;
    }

    async fn respond(&self, request: Request<Incoming>) -> Response<Parts> {
        self.patience.suspend();
        let answer = self.answer(&request).await;
        let answer = answer.unwrap_or_else(|why| Answer::refusal(&why));
        let taking = Duration::from_secs_f64(answer.bytes() as f64 / BYTES_PER_SECOND);
        let times = ANSWER_TIME.map(|time| time + taking);
        self.patience.renew(Deadline::after(times));
        answer.into_response()
    }

    async fn answer<T>(&self, request: &Request<T>) -> Result<Answer, Refusal> {
        if self.house.is_local && !host::is_loopback(request) {
            return Err(Refusal::AnotherHost);
        }
        let page = Page::of(request.uri())?;
        let is_head = request.method() == Method::HEAD;
        if !is_head && request.method() != Method::GET {
            return Err(Refusal::Method);
        }
        Ok(match page {
            Page::Index => Answer::index(),
            Page::CommandLine { of } => Answer::command_line(of),
            Page::Profile { .. } if is_head => Answer::profile_head(),
            Page::Profile { time } => self.profile(time).await?,
            Page::Report => self.make(false, Work::Report, Answer::report).await?,
            Page::Dump => self.make(false, Work::Compact, Answer::dump).await?,
        })
    }

    /// What is recorded in that time.
    async fn profile(&self, time: Duration) -> Result<Answer, Refusal> {
        let House { limits, .. } = &*self.house;
        let turn = limits.writer(false).await?;
        let size = self.run(Size::now).await?;
        let shares = limits.reader(size)?;
        let work = limits.work(size, Work::Compact).await?;
        let take = move || size.has_memory(Work::Compact).then(process::snapshot);
        let begin = self.run(take).await?.ok_or(Refusal::OutOfMemory)?;
        drop((work, turn));
        // The place among the others is for the next one.
        *self.shares() = shares.into();
        sleep(time).await;
        let make = move |draft| Answer::profile(begin, draft);
        self.make(true, Work::Compact, make).await
    }

    /// What `make` makes, on a thread that may take its time, when there is one and memory for it.
    async fn make<F>(&self, waited: bool, work: Work, make: F) -> Result<Answer, Refusal>
    where
        F: FnOnce(Draft) -> Result<(Answer, Vec<Share>), Refusal> + Send + 'static,
    {
        let House { limits, .. } = &*self.house;
        let _turn = limits.writer(waited).await?;
        let size = self.run(Size::now).await?;
        let memory = limits.work(size, work).await?;
        let draft = Draft::new(Arc::clone(limits), Arc::downgrade(&self.alive));
        let make = move || match size.has_memory(work) {
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
        let made = self.house.writers.run(job).await;
        made.ok_or(Refusal::Failed)
    }

    fn shares(&self) -> std::sync::MutexGuard<'_, Vec<Share>> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
