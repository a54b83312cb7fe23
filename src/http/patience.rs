//! How long a client is waited for.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// When a client is given up: the second moment holds while another one waits for its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline([Instant; 2]);

impl Deadline {
    /// So long from now.
    pub(super) fn after(times: [Duration; 2]) -> Deadline {
        let now = Instant::now();
        Deadline(times.map(|time| now + time))
    }
}

/// The deadline of a client, which moves as its request goes on; none while it is the client that
/// waits.
#[derive(Debug)]
pub(super) struct Patience {
    deadline: watch::Sender<Option<Deadline>>,
    crowded: watch::Receiver<bool>,
}

impl Patience {
    pub(super) fn new(deadline: Deadline, crowded: watch::Receiver<bool>) -> Patience {
        Patience {
            deadline: watch::Sender::new(Some(deadline)),
            crowded,
        }
    }

    /// This deadline holds, whatever it was before.
    pub(super) fn renew(&self, deadline: Deadline) {
        self.deadline.send_replace(Some(deadline));
    }

    /// Waits as long as it takes.
    pub(super) fn suspend(&self) {
        self.deadline.send_replace(None);
    }

    /// Comes back when the client has used up its time.
    pub(super) async fn ends(&self) {
        let mut deadline = self.deadline.subscribe();
        let mut crowded = self.crowded.clone();
        loop {
            let moments = *deadline.borrow_and_update();
            let is_crowded = *crowded.borrow_and_update();
            // Both senders live as long as this, so what comes of them is news.
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

/// Is over with the first of two that is.
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
