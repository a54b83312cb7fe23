//! One client: its connection, its request and its answer.

use super::answer::Answer;
use super::host;
use super::limits::{Limits, Share};
use super::page::{NoPage, Page};
use super::patience::Patience;
use crate::process;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// To send its request.
const REQUEST_TIME: Duration = Duration::from_secs(5);
/// A request's line and headers together.
const REQUEST_BYTES: usize = 16 << 10;
/// To take its answer, and a second more for each so many bytes.
const ANSWER_TIME: Duration = Duration::from_secs(10);
const BYTES_PER_SECOND: f64 = 65_536.0;

/// A client that is connected.
#[derive(Debug)]
pub(super) struct Client {
    limits: Arc<Limits>,
    patience: Patience,
    /// What it takes of the limits, until the connection is over.
    shares: Mutex<Vec<Share>>,
    /// Whether requests have to name the loopback interface.
    is_local: bool,
}

impl Client {
    /// One that has just come, and has a place.
    pub(super) fn new(limits: Arc<Limits>, place: Share, is_local: bool) -> Client {
        Client {
            limits,
            patience: Patience::new(REQUEST_TIME),
            shares: Mutex::new(vec![place]),
            is_local,
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
            .serve_connection(TokioIo::new(stream), respond);
        // What goes wrong on the way is between the client and its network.
        first(async { drop(connection.await) }, self.patience.ends()).await;
    }

    async fn respond(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        self.patience.suspend();
        let answer = self.answer(&request).await;
        let seconds = answer.bytes() as f64 / BYTES_PER_SECOND;
        self.patience
            .renew(ANSWER_TIME + Duration::from_secs_f64(seconds));
        answer.into_response()
    }

    async fn answer<T>(&self, request: &Request<T>) -> Answer {
        if self.is_local && !host::is_loopback(request) {
            let why = "this endpoint answers to localhost and 127.0.0.1 only";
            return Answer::error(StatusCode::FORBIDDEN, why);
        }
        let page = match Page::of(request.uri()) {
            Ok(page) => page,
            Err(NoPage::NotFound) => {
                let why = "there is no such page; /debug/pprof/ lists all";
                return Answer::error(StatusCode::NOT_FOUND, why);
            }
            Err(NoPage::NoNumber(text)) => {
                let why = format!("seconds: \"{text}\" is no number");
                return Answer::error(StatusCode::BAD_REQUEST, &why);
            }
        };
        let is_head = request.method() == Method::HEAD;
        if !is_head && request.method() != Method::GET {
            let why = "only GET and HEAD are possible";
            return Answer::error(StatusCode::METHOD_NOT_ALLOWED, why);
        }
        match page {
            Page::Index => Answer::index(),
            Page::CommandLine { of } => Answer::command_line(of),
            Page::Profile { .. } if is_head => Answer::profile_head(),
            Page::Profile { time } => self.profile(time).await,
            Page::Report => self.make(Answer::report).await,
            Page::Dump => self.make(Answer::dump).await,
        }
    }

    /// What is recorded in that time.
    async fn profile(&self, time: Duration) -> Answer {
        let maker = self.limits.maker().await;
        let Ok(begin) = spawn_blocking(process::snapshot).await else {
            return failed();
        };
        let Some(share) = self.limits.reader(&begin) else {
            return busy("too many wait for a profile");
        };
        drop(maker);
        // The place among the others is for the next one.
        *self.shares.lock().unwrap_or_else(PoisonError::into_inner) = vec![share];
        sleep(time).await;
        self.make(move || Answer::profile(&begin)).await
    }

    /// What `answer` makes, on a thread that may take its time, when one is free. Memory for it is
    /// asked for before the next one is made.
    async fn make(&self, answer: impl FnOnce() -> io::Result<Answer> + Send + 'static) -> Answer {
        let _maker = self.limits.maker().await;
        let Ok(Ok(answer)) = spawn_blocking(answer).await else {
            return failed();
        };
        let Some(share) = self.limits.answer(answer.bytes()).await else {
            return busy("too many have not taken their answers yet");
        };
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.push(share);
        answer
    }
}

fn busy(why: &str) -> Answer {
    Answer::error(StatusCode::SERVICE_UNAVAILABLE, why)
}

/// Writing to memory does not fail, so this is for what has panicked.
fn failed() -> Answer {
    let why = "this could not be written";
    Answer::error(StatusCode::INTERNAL_SERVER_ERROR, why)
}

/// Is over with the first of two that is.
async fn first(one: impl Future<Output = ()>, other: impl Future<Output = ()>) {
    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|context| {
        let is_over =
            one.as_mut().poll(context).is_ready() || other.as_mut().poll(context).is_ready();
        if is_over {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}
