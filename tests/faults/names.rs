//! Tests a program in which every thread has a new name.

use crate::children::{describe, run, task};
use crate::own_program::is_emulated;
use crate::process_memory::memory;
use crate::recorded::{entries_in, entries_on};
use std::thread;

/// The maximum number of thread names that are listed separately.
const NAMES: usize = 1_024;

fn start(name: String, f: impl FnOnce() + Send + 'static) -> thread::JoinHandle<()> {
    let builder = thread::Builder::new().name(name).stack_size(64 << 10);
    builder.spawn(f).unwrap()
}

fn work() {
    iprof::zone!(job);
    iprof::zone!(part);
}

#[test]
fn many_thread_names_take_bounded_memory() {
    const TEST: &str = "names::many_thread_names_take_bounded_memory";
    if task().is_none() {
        let output = run(TEST, "names");
        assert!(output.status.success(), "{}", describe(&output));
        return;
    }
    // More threads wouldn't use more memory, but the test would take too long. In an emulator, starting a thread takes
    // ten times as long.
    let few = if is_emulated() { 4_000 } else { 30_000 };
    let wanted: usize = std::env::var("IPROF_TEST_THREADS").map_or(few, |n| n.parse().unwrap());
    start("loader".into(), work).join().unwrap();
    iprof::update(true);
    let mut before = None;
    for at in 0..wanted {
        // Some threads are renamed while they are working.
        let run = move || {
            work();
            if at % 16 == 0 {
                iprof::set_thread_name(format!("job {at} at work"));
                work();
            }
        };
        start(format!("job {at}"), run).join().unwrap();
        if at % 1_000 == 999 {
            iprof::update(true);
        }
        if at == wanted / 4 {
            before = Some(memory().1);
        }
    }
    iprof::update(true);
    let grown = memory().1.saturating_sub(before.unwrap());
    // Each record uses a page for its call stacks. QEMU's user mode (7.2) leaks 280 KiB per thread, even in C programs.
    let is_bounded = is_emulated() || grown < 4 << 20;
    assert!(is_bounded, "{grown} bytes more");
    let recorded = iprof::snapshot();
    let entered = 1 + wanted + wanted.div_ceil(16);
    assert_eq!(entries_in(&recorded, "job"), entered as u64);
    assert_eq!(entries_in(&recorded, "part"), entered as u64);
    let threads = iprof::threads();
    assert!(threads.len() <= NAMES, "{}", threads.len());
    // The first threads are still listed under their own names.
    assert_eq!(entries_on(&recorded, "loader", "job"), 1);
    assert_eq!(entries_on(&recorded, "job 1", "job"), 1);
    let others = threads
        .iter()
        .filter(|thread| thread.name == "other threads");
    assert_eq!(others.count(), 1);
    assert!(entries_on(&recorded, "other threads", "job") as usize > wanted - NAMES);
    // Running threads are always listed separately, under their own names.
    let (wait, waits) = std::sync::mpsc::channel::<()>();
    let waits = std::sync::Arc::new(std::sync::Mutex::new(waits));
    let (begun, begin) = std::sync::mpsc::channel();
    let mut running = Vec::new();
    for at in 0..20 {
        let (waits, begun) = (waits.clone(), begun.clone());
        let run = move || {
            iprof::zone!(stays);
            begun.send(()).unwrap();
            let _ = waits.lock().unwrap().recv();
        };
        running.push(start(format!("stays {at}"), run));
        begin.recv().unwrap();
    }
    iprof::update(true);
    let now = iprof::threads();
    let at_work = now
        .iter()
        .filter(|t| t.running && t.name == "other threads");
    assert_eq!(at_work.count(), 20);
    drop(wait);
    running
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert!(iprof::threads().len() <= NAMES, "too many thread records");
}
