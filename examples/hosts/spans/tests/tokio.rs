//! Tests that tokio tasks are entered once per poll, on any thread.

use std::time::{Duration, Instant};
use tracing_subscriber::layer::SubscriberExt;

const TASKS: u64 = 200;
const YIELDS: u64 = 9;

#[tracing::instrument]
async fn task(number: u64) -> u64 {
    let mut steps = 0;
    for _ in 0..YIELDS {
        steps += work(number);
        tokio::task::yield_now().await;
    }
    steps
}

#[tracing::instrument(level = "trace")]
fn work(number: u64) -> u64 {
    iprof::zone!(working);
    let start = Instant::now();
    while start.elapsed() < Duration::from_micros(20 + number % 7) {}
    1
}

#[test]
fn task_zone_is_entered_per_poll_and_on_drop() {
    let registry = tracing_subscriber::registry().with(iprof_tracing::Layer::new());
    tracing::subscriber::set_global_default(registry).unwrap();
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(4).build().unwrap();
    iprof::zone!(here); // Registers this thread before the snapshot.
    let before = iprof::snapshot();
    let steps: u64 = runtime.block_on(async {
        let tasks: Vec<_> = (0..TASKS).map(|at| tokio::spawn(task(at))).collect();
        let mut steps = 0;
        for task in tasks {
            steps += task.await.unwrap();
        }
        steps
    });
    drop(runtime);
    let entries = spans::checked_entries(&before);
    assert_eq!(steps, TASKS * YIELDS);
    // A task is polled once at first and once after each yield. tracing also enters the span to drop the future.
    assert_eq!(entries["task"], TASKS * (YIELDS + 1 + 1));
    assert_eq!(entries["work"], steps);
    assert_eq!(entries["working"], steps);
}
