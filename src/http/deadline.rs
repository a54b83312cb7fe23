//! Client deadlines, which get shorter while other clients wait for a place.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// When a client is disconnected; the second time applies while another client waits for its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline([Instant; 2]);

impl Deadline {
    /// The deadlines that lie `times` from now.
    pub(super) fn after(times: [Duration; 2]) -> Deadline {
        let now = Instant::now();
        Deadline(times.map(|time| now + time))
    }
}

/// The current deadline of a client. It changes as the request proceeds, and there is none while the client
/// waits for the server.
#[derive(Debug)]
pub(super) struct ClientDeadline {
    deadline: watch::Sender<Option<Deadline>>,
    crowded: watch::Receiver<bool>,
}

impl ClientDeadline {
    pub(super) fn new(deadline: Deadline, crowded: watch::Receiver<bool>) -> ClientDeadline {
        ClientDeadline {
            deadline: watch::Sender::new(Some(deadline)),
            crowded,
        }
    }

    /// Replaces the deadline.
    pub(super) fn renew(&self, deadline: Deadline) {
        self.deadline.send_replace(Some(deadline));
    }

    /// Removes the deadline.
    pub(super) fn suspend(&self) {
        self.deadline.send_replace(None);
    }

    /// Returns when the deadline has passed.
    pub(super) async fn ends(&self) {
        let mut deadline = self.deadline.subscribe();
        let mut crowded = self.crowded.clone();
        loop {
            let moments = *deadline.borrow_and_update();
            let is_crowded = *crowded.borrow_and_update();
            // Both senders live as long as `self`, so the only event is a change.
            let news = first(async { drop(deadline.changed().await) }, async {
                drop(crowded.changed().await)
            });
            match moments {
                Some(Deadline(moments)) => {
                    let moment = moments[usize::from(is_crowded)];
                    if timeout_at(moment, news).await.is_err() {
                        return;
                    }
                }
                None => news.await,
            }
        }
    }
}

/// Returns as soon as one of the two futures is ready.
pub(super) async fn first(one: impl Future<Output = ()>, other: impl Future<Output = ()>) {
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
