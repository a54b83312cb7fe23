//! A library with zones of every form.

profiler::define_zone!(SHARED, "shared");

/// Recurses `depth` times, so that zones are looked up both with and without the caches of their call sites.
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
    // Reports list these calls as faults.
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
