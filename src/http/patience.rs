//! How long a client is waited for.

use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// The moment at which a client is given up, which moves as its request goes on; none while it is the
/// client that waits.
#[derive(Debug)]
pub(super) struct Patience(watch::Sender<Option<Instant>>);

impl Patience {
    /// Waits for so long from now.
    pub(super) fn new(time: Duration) -> Patience {
        Patience(watch::Sender::new(Some(Instant::now() + time)))
    }

    /// Waits for so long from now, whatever it was before.
    pub(super) fn renew(&self, time: Duration) {
        self.0.send_replace(Some(Instant::now() + time));
    }

    /// Waits as long as it takes.
    pub(super) fn suspend(&self) {
        self.0.send_replace(None);
    }

    /// Comes back when the client has used up its time.
    pub(super) async fn ends(&self) {
        let mut until = self.0.subscribe();
        loop {
            let moment = *until.borrow_and_update();
            // The sender is `self`, so there is one, and the only error is that time is up.
            let changed = until.changed();
            let in_time = match moment {
                Some(moment) => timeout_at(moment, changed).await.is_ok(),
                None => changed.await.is_ok(),
            };
            if !in_time {
                return;
            }
        }
    }
}
