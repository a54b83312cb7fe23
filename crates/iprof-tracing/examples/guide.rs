//! Turns spans from libraries and from the program itself into zones.

use iprof_tracing::{Options, Subscriber};

// Stands in for library code.
#[tracing::instrument(skip_all)]
fn step(systems: &[&str]) {
    for name in systems {
        let _span = tracing::info_span!("system", name).entered();
        iprof::zone!(your_own);
    }
}

fn main() -> std::io::Result<()> {
    Subscriber::with_options(Options::new().named_by("name")).init();
    for _ in 0..10 {
        step(&["gravity", "collisions"]);
        iprof::update(true);
    }
    iprof::write_report(std::io::stdout())
}
