//! Tests processes that run out of memory. Zones on new call stacks and on new threads are then not recorded, and a
//! warning reports this. If other allocations in the profiler fail, the program may end, as in any Rust program.
//!
//! Each test runs in a separate process: the test program starts itself again with an environment variable set.

#![cfg(all(feature = "enable", target_os = "linux", target_pointer_width = "64"))]
#![allow(unsafe_code, reason = "limits the memory of the process")]

#[path = "support/address_space.rs"]
mod address_space;
#[path = "support/own_program.rs"]
mod own_program;

use own_program::own_program;
use std::sync::{Arc, Barrier};

const VARIABLE: &str = "OUT_OF_MEMORY_CHILD";

/// Whether this process should run `test`. If not, runs the test in a child process, or skips it if memory can't be
/// limited.
fn is_child(test: &str) -> bool {
    if std::env::var(VARIABLE).is_ok_and(|name| name == test) {
        return true;
    }
    if !address_space::can_be_limited() {
        return false;
    }
    let child = own_program()
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(VARIABLE, test)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{}: {stderr}", child.status);
    false
}

#[repr(C)]
struct Limit {
    now: u64,
    most: u64,
}

/// `RLIMIT_AS`: the limit on the size of the address space, in bytes.
const ADDRESS_SPACE: i32 = 9;

unsafe extern "C" {
    fn getrlimit(what: i32, limit: *mut Limit) -> i32;
    fn setrlimit(what: i32, limit: *const Limit) -> i32;
}

/// Limits the process's memory to a number of additional bytes, until dropped.
struct Limited {
    before: Limit,
    taken: Vec<Vec<u8>>,
}

impl Limited {
    fn to(more: u64) -> Limited {
        // Allocate this first, because it is larger than some limits allow.
        let taken = Vec::with_capacity(100_000);
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
        let pages: u64 = pages.split(' ').next().unwrap().parse().unwrap();
        let mut before = Limit { now: 0, most: 0 };
        // SAFETY: both pointers refer to limits.
        unsafe {
            assert_eq!(getrlimit(ADDRESS_SPACE, &mut before), 0);
            let limit = Limit {
                now: pages * 4096 + more,
                most: before.most,
            };
            assert_eq!(setrlimit(ADDRESS_SPACE, &limit), 0);
        }
        Limited { before, taken }
    }

    /// Allocates all memory except a few kilobytes, which even C library calls need.
    fn take_all(&mut self) {
        for size in [1 << 20, 1 << 15] {
            while self.taken.len() < self.taken.capacity() {
                let mut block = Vec::new();
                if block.try_reserve_exact(size).is_err() {
                    break;
                }
                self.taken.push(block);
            }
        }
        assert!(self.taken.len() < self.taken.capacity());
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        // SAFETY: the pointer refers to a limit.
        let rc = unsafe { setrlimit(ADDRESS_SPACE, &self.before) };
        self.taken = Vec::new();
        assert_eq!(rc, 0);
    }
}

/// Enters every call stack that consists of up to `levels` zones of two kinds.
fn all_stacks(levels: u32) {
    for bits in 0..1_u32 << levels {
        for level in 0..levels {
            if bits >> level & 1 == 0 {
                iprof::begin!(zero);
            } else {
                iprof::begin!(one);
            }
        }
        for _ in 0..levels {
            iprof::end!();
        }
    }
}

fn warnings() -> Vec<String> {
    iprof::update(true);
    iprof::report().warnings
}

fn nodes() -> usize {
    let threads = iprof::snapshot().threads;
    threads.iter().map(|thread| thread.nodes.len()).sum()
}

fn out_of_memory(warnings: &[String]) -> usize {
    let says_so = |line: &&String| line.starts_with("out of memory");
    warnings.iter().filter(says_so).count()
}

#[test]
fn tree_out_of_memory_stays_unchanged() {
    if !is_child("tree_out_of_memory_stays_unchanged") {
        return;
    }
    {
        iprof::zone!(first);
        assert_eq!(out_of_memory(&warnings()), 0);
    }
    const LEVELS: u32 = 13;
    {
        iprof::zone!(limited);
        all_stacks(9);
        let mut limited = Limited::to(1 << 20);
        limited.take_all();
        all_stacks(LEVELS);
    }
    let some = nodes();
    let all = 1 << (LEVELS + 1);
    assert!((1_000..all).contains(&some), "{some}");
    let warned = warnings();
    assert_eq!(out_of_memory(&warned), 1, "{warned:?}");
    // There must be no other warnings: zones that could not be entered must not be ended either.
    assert_eq!(warned.len(), 1, "{warned:?}");
    // Memory is available again. The profiler retries only now and then, so enter all stacks twice.
    all_stacks(LEVELS);
    iprof::zone!(again);
    all_stacks(LEVELS);
    iprof::update(true);
    assert!(nodes() > some + all, "{}", nodes());
}

#[test]
fn new_threads_and_zones_survive_out_of_memory() {
    if !is_child("new_threads_and_zones_survive_out_of_memory") {
        return;
    }
    {
        iprof::zone!(first);
    }
    // Start the sampler. Running out of memory there must not end the program either.
    iprof::set_timing(iprof::Timing::SAMPLED);
    iprof::update(true);
    // Use a barrier, because it doesn't allocate while waiting.
    let gate = Arc::new(Barrier::new(2));
    let same_gate = Arc::clone(&gate);
    let thread = std::thread::Builder::new()
        .name("late".into())
        .spawn(move || {
            // Wait until the system has allocated what a running thread needs.
            same_gate.wait();
            for _ in 0..2 {
                same_gate.wait();
                for _ in 0..1_000 {
                    iprof::zone!(on_a_new_thread);
                    iprof::begin!(pair);
                    iprof::counter!(things);
                    iprof::end!(pair);
                    iprof::end!(never_begun);
                }
                same_gate.wait();
            }
        });
    let thread = thread.unwrap();
    gate.wait();
    {
        let mut limited = Limited::to(1 << 20);
        limited.take_all();
        gate.wait();
        gate.wait();
        for _ in 0..1_000 {
            iprof::zone!(new_zone);
            iprof::counter!(new_counter);
            iprof::begin!(new_pair);
            iprof::end!(new_pair);
        }
    }
    let warned = warnings();
    // The thread may have been recorded, because the C library may have reserved memory for it.
    let threads = iprof::snapshot().threads;
    let was_recorded = threads.iter().any(|thread| *thread.name == *"late");
    assert!(was_recorded || out_of_memory(&warned) > 0, "{warned:?}");
    // Once memory is available, the thread must be registered eventually.
    gate.wait();
    gate.wait();
    thread.join().unwrap();
    iprof::update(true);
    let threads = iprof::snapshot().threads;
    assert!(
        threads.iter().any(|thread| *thread.name == *"late"),
        "{threads:?}"
    );
}
