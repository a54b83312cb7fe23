use super::*;
use crate::local;

static FOUND: OnceLock<bool> = OnceLock::new();

fn enter_zones() {
    zone!(own);
    begin!(own_too);
    counter!(things);
    end!(own_too);
    let _ = FOUND.set(local::record().is_some());
}

#[test]
fn thread_named_gpu_never_owns_gpu_record() {
    // This is the state if a thread registers before `register_gpu` returns: the record is in the list but not
    // otherwise set up.
    let published = add(&mut lock(&RECORDS), ThreadRecord::of_gpu).unwrap();
    let own = || {
        zone!(draw);
        local::record().expect("this thread should have a record")
    };
    let thread = std::thread::Builder::new().name("GPU".into());
    let own = thread.spawn(own).unwrap().join().unwrap();
    assert!(!std::ptr::eq(own, published));
    assert!(!own.is_gpus());
    assert_eq!((published.generation(), published.node_count()), (0, 1));
    assert!(register_gpu().unwrap().is_gpus());
}

#[test]
fn profiler_threads_get_no_record() {
    spawn_unrecorded("iprof signal", enter_zones).unwrap();
    assert!(!FOUND.wait());
    // An allocator with zones enters them like this, before the thread's own function runs.
    let thread = std::thread::Builder::new().name("iprof signal".into());
    let has_record = || {
        zone!(own);
        local::record().is_some()
    };
    assert!(!thread.spawn(has_record).unwrap().join().unwrap());
    let mut records = Vec::new();
    append_new_records(&mut records);
    assert!(
        records
            .iter()
            .all(|record| !record.is_named("iprof signal"))
    );
}
