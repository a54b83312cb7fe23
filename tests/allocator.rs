//! A host whose allocator has zones of its own: what the profiler allocates for itself comes back
//! to it there.

#![cfg(feature = "enable")]

#[path = "support/zoned.rs"]
mod zoned;

#[global_allocator]
static ALLOCATOR: zoned::Zoned = zoned::Zoned;

fn work(depth: u32) -> Vec<u32> {
    iprof::zone!(work);
    let mut numbers: Vec<u32> = (0..depth).collect();
    if depth > 0 {
        numbers.append(&mut work(depth - 1));
    }
    numbers
}

#[test]
fn an_allocator_may_have_zones() {
    let spawn = |at: usize| {
        let builder = std::thread::Builder::new().name(format!("worker {at}"));
        builder.spawn(move || {
            iprof::thread_name(format!("renamed {at}"));
            for _ in 0..20 {
                std::hint::black_box(work(60));
                iprof::begin!(part);
                iprof::end!(part);
            }
        })
    };
    let threads: Vec<_> = (0..8).map(|at| spawn(at).unwrap()).collect();
    for _ in 0..50 {
        iprof::update(true);
        std::hint::black_box(iprof::report());
    }
    for thread in threads {
        thread.join().unwrap();
    }
    iprof::update(true);
    let names: Vec<String> = iprof::threads()
        .into_iter()
        .map(|thread| thread.name)
        .collect();
    for at in 0..8 {
        assert!(names.contains(&format!("renamed {at}")), "{names:?}");
    }
    let warnings = iprof::report().warnings;
    assert!(warnings.is_empty(), "{warnings:?}");
    let counted = iprof::graph();
    assert!(
        counted
            .zones
            .iter()
            .any(|zone| &*zone.name == "allocations")
    );
}
