//! A library with every form of zone.

profiler::define_zone!(SHARED, "shared");

/// As deep as the host says, so that zones are found by their sites and without them.
#[unsafe(no_mangle)]
pub extern "C" fn work(depth: u32) -> usize {
    profiler::zone!("plugin one");
    named_after_me();
    {
        profiler::zone!(&SHARED);
        profiler::counter!(things);
    }
    profiler::begin!(pair);
    profiler::end!(pair);
    // Faults, which reports name.
    profiler::end!(&SHARED);
    profiler::begin!(left_open);
    if depth > 0 {
        work(depth - 1);
    }
    (&raw const SHARED).addr()
}

fn named_after_me() {
    profiler::zone!();
}
