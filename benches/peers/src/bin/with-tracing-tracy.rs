//! The worker program for tracing-tracy, which links Tracy's client.

use iprof_peers::contender::{self, Contender};
use tracing_subscriber::layer::SubscriberExt;

const TRACING_TRACY: Contender = Contender {
    start: || {
        let layer = tracing_tracy::TracyLayer::default();
        let subscriber = tracing_subscriber::registry().with(layer);
        tracing::subscriber::set_global_default(subscriber).expect("a subscriber is already set");
        // Wait while Tracy's thread calibrates the clocks, which is not part of the spans' cost.
        std::thread::sleep(std::time::Duration::from_millis(500));
    },
    work: &iprof_peers::contenders::registry::WORK,
    ..contender::TRACING_TRACY
};

fn main() -> std::io::Result<()> {
    iprof_peers::programs::run_for(&TRACING_TRACY)
}
