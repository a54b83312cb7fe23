//! Tests of timed zones whose clock reading is interrupted by a signal handler. The handler's first zone applies a mode
//! change.

use crate::Zone;
use crate::clock::mock;
use crate::local::{enter_timed, leave_timed};
use crate::mode::cutoff;
use crate::node::{Node, class};
use crate::record::ThreadRecord;
use crate::scripted_thread::ScriptedThread;
use std::cell::Cell;

static OUTER: Zone = Zone::new("outer", "", 0, "");
static INNER: Zone = Zone::new("inner", "", 0, "");
static HANDLED: Zone = Zone::new("handled", "", 0, "");

/// The threads' begin. The value is large, so that times mistakenly counted from 0 are noticed.
const BEGIN: u64 = 1 << 40;

/// The nodes that become untimed: all of them, or only the one with this index.
const CHANGES: [Option<u32>; 3] = [None, Some(1), Some(2)];

/// Returns a thread that is in `OUTER` and has been in `INNER` on top of it. All nodes are timed.
fn thread() -> ScriptedThread {
    let thread = ScriptedThread::begin("", BEGIN);
    thread.apply_mode(cutoff::EXACT, BEGIN);
    thread.enter(&OUTER, BEGIN);
    thread.enter(&INNER, BEGIN);
    thread.enter(&HANDLED, BEGIN);
    thread.leave(BEGIN);
    thread.leave(BEGIN);
    thread
}

#[derive(Clone, Copy)]
struct Interrupt {
    record: &'static ThreadRecord,
    change: Option<u32>,
    at: u64,
}

thread_local! {
    static INTERRUPT: Cell<Option<Interrupt>> = const { Cell::new(None) };
}

/// Makes a handler interrupt the next reading at the time `at`. The handler changes clocks and enters a zone.
fn interrupt(thread: &ScriptedThread, change: Option<u32>, at: u64) {
    let record = thread.record();
    INTERRUPT.set(Some(Interrupt { record, change, at }));
    mock::set(at);
    mock::interrupt(handle);
}

fn handle() {
    let Interrupt { record, change, at } = INTERRUPT.get().unwrap();
    let handler = ScriptedThread::of(record);
    match change {
        None => handler.apply_mode(cutoff::SAMPLED, at),
        Some(node) => {
            record.reclassify(&[(node, class::UNTIMED_BY_AUTO)]);
            handler.apply_mode(cutoff::AUTO, at);
        }
    }
    handler.enter(&HANDLED, at);
    handler.leave(at);
}

/// Returns the sum of all times. It never exceeds the time since the thread began, and equals it at the end.
fn sum(thread: &ScriptedThread) -> u64 {
    let record = thread.record();
    let nodes = (0..record.node_count()).filter_map(|at| record.node(at));
    nodes.map(Node::ticks).sum()
}

fn assert_sums(thread: &ScriptedThread, mut now: u64) {
    while thread.record().current().unwrap().parent().is_some() {
        assert!(sum(thread) <= now);
        now += 100;
        thread.leave(BEGIN + now);
    }
    assert!(sum(thread) <= now);
    // Stop the running clock.
    thread.apply_mode(cutoff::EXACT, BEGIN + now + 100);
    assert_eq!(sum(thread), now + 100);
    // If an untimed node's cached value were mistaken for a start, it would look like a reset.
    assert_eq!(thread.record().counter_resets(), 0);
}

#[test]
fn interrupted_entry_adds_no_earlier_time() {
    for change in CHANGES {
        let thread = thread();
        interrupt(&thread, change, BEGIN + 100);
        let inner = thread.record().node(2).unwrap();
        enter_timed(thread.record(), inner);
        assert_sums(&thread, 100);
    }
}

#[test]
fn interrupted_exit_adds_no_earlier_time() {
    for change in CHANGES {
        let thread = thread();
        thread.enter(&INNER, BEGIN + 50);
        let inner = thread.record().node(2).unwrap();
        interrupt(&thread, change, BEGIN + 100);
        leave_timed(thread.record(), inner, inner.parent().unwrap());
        assert_sums(&thread, 100);
    }
}
