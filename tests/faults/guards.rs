//! Tests guards that are leaked, stored, sent to other threads, or dropped out of order.
#![allow(unsafe_code, reason = "guards are not `Send`")]

use crate::measured::{
    alone, bars, close, faults, find, recorded_frame, running, spin, value, view,
};
use crate::recorded::{entries, entries_on};
use iprof::{ColumnId, OpenZone, Threads};
use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

struct Sent(OpenZone);

// SAFETY: sending a guard is unsound in general, and is the misuse that these tests provoke. It causes no undefined
// behavior, because guards point to nodes, which are never freed.
unsafe impl Send for Sent {}

impl Sent {
    fn drop_here(self) {
        drop(self.0);
    }
}

fn on_a_thread<T: Send + 'static>(name: &str, f: impl FnOnce() -> T + Send + 'static) -> T {
    let builder = thread::Builder::new().name(name.into());
    builder.spawn(f).unwrap().join().unwrap()
}

/// Returns how many times a fault occurred, according to the warning that contains `what`.
fn warned(what: &str) -> u64 {
    iprof::update(true);
    let warnings = faults();
    let warning = warnings.iter().find(|warning| warning.contains(what));
    let Some(warning) = warning else { return 0 };
    let mut words = warning.split(' ').peekable();
    while let Some(word) = words.next() {
        if word.starts_with("once") {
            return 1;
        }
        if words.peek().is_some_and(|next| next.starts_with("times")) {
            return word.parse().unwrap();
        }
    }
    panic!("no count in warning: {warning}");
}

const LEFT_OPEN: &str = "zone still open when its parent ended; closed implicitly";
const NOT_OPEN: &str = "`end!` without a matching `begin!`; ignored";

#[test]
fn forgotten_guard_closes_with_the_enclosing_zone() {
    let _alone = alone();
    for _ in 0..100 {
        iprof::zone!(forgetful);
        std::mem::forget(iprof::open_zone!(forgotten));
        iprof::zone!(after_it);
    }
    assert_eq!(entries("forgetful"), 100);
    assert_eq!(entries("forgotten"), 100);
    assert_eq!(entries("after_it"), 100);
    assert_eq!(warned(LEFT_OPEN), 100);
    assert_eq!(warned(NOT_OPEN), 0);
}

#[test]
fn forgotten_top_level_guards_nest_until_thread_end() {
    let _alone = alone();
    on_a_thread("nests", || {
        for _ in 0..1_000 {
            std::mem::forget(iprof::open_zone!(nests));
        }
    });
    assert_eq!(entries("nests"), 1_000);
    assert_eq!(warned(LEFT_OPEN), 1_000);
    // The next thread that takes over the record starts with no open zones.
    let nodes = || {
        let recorded = iprof::snapshot();
        let thread = recorded
            .threads
            .iter()
            .find(|thread| &*thread.name == "nests");
        thread.unwrap().nodes.len()
    };
    let before = nodes();
    on_a_thread("nests", || {
        iprof::zone!(nests_again);
    });
    assert_eq!(nodes(), before + 1);
}

#[test]
fn outer_guard_dropped_first_closes_inner_zones() {
    let _alone = alone();
    for _ in 0..10 {
        let lower = iprof::open_zone!(lower);
        let upper = iprof::open_zone!(upper);
        let top = iprof::open_zone!(top);
        drop(lower);
        drop(upper);
        drop(top);
        iprof::zone!(next_to_them);
    }
    for zone in ["lower", "upper", "top", "next_to_them"] {
        assert_eq!(entries(zone), 10, "{zone}");
    }
    assert_eq!(warned(LEFT_OPEN), 20);
    assert_eq!(warned(NOT_OPEN), 20);
}

/// Ends two frames in which the thread spends all of its time in an open zone that was entered earlier.
fn check_open_in_two_frames(name: &str, zone: &str) {
    // This call ends the frame in which the zone was entered.
    iprof::update(true);
    let thread = running(name);
    for _ in 0..2 {
        spin(Duration::from_millis(2));
        let frame = recorded_frame().expect("a frame should be recorded");
        let ms = bars(thread)[&frame];
        let report = view(Threads::One(thread), frame).report(&iprof::profiler());
        let kept = find(&report, zone).expect("the open zone should have a row");
        assert!(
            close(kept.value(iprof::ColumnId::SelfTime).unwrap().number, ms),
            "{ms}: {kept:?}"
        );
        assert_eq!(value(&report, zone, ColumnId::Count), 0.0);
        assert!(ms >= 2.0, "{ms}");
    }
}

#[test]
fn kept_guard_keeps_its_zone_open_in_every_frame() {
    let _alone = alone();
    static KEPT: Mutex<Option<Sent>> = Mutex::new(None);
    let (ready, is_ready) = mpsc::channel();
    let (resume, resumed) = mpsc::channel();
    let thread = thread::Builder::new().name("keeps on".into());
    let run = move || {
        *KEPT.lock().unwrap() = Some(Sent(iprof::open_zone!(kept_in_a_static)));
        ready.send(()).unwrap();
        resumed.recv().unwrap();
        drop(KEPT.lock().unwrap().take());
        let kept = iprof::open_zone!(kept_in_a_thread_local);
        KEPT_BY_THREAD.with_borrow_mut(|all| all.push(kept));
        ready.send(()).unwrap();
        resumed.recv().unwrap();
    };
    let thread = thread.spawn(run).unwrap();
    for zone in ["kept_in_a_static", "kept_in_a_thread_local"] {
        is_ready.recv().unwrap();
        check_open_in_two_frames("keeps on", zone);
        resume.send(()).unwrap();
    }
    thread.join().unwrap();
    assert_eq!(entries("kept_in_a_static"), 1);
    assert_eq!(entries("kept_in_a_thread_local"), 1);
    // Both guards were dropped on the thread that created them (the second guard when the thread ended), so there are
    // no warnings.
    assert_eq!(warned(LEFT_OPEN), 0);
    assert_eq!(warned(NOT_OPEN), 0);
}

#[test]
fn guard_in_a_static_keeps_its_zone_open() {
    let _alone = alone();
    static KEPT: Mutex<Option<Sent>> = Mutex::new(None);
    on_a_thread("keeper", || {
        *KEPT.lock().unwrap() = Some(Sent(iprof::open_zone!(kept)));
        iprof::zone!(in_kept);
    });
    assert_eq!(entries("kept"), 1);
    // The zone was closed when its thread ended.
    assert_eq!(warned(LEFT_OPEN), 1);
    KEPT.lock().unwrap().take().unwrap().drop_here();
    assert_eq!(entries("kept"), 1);
    assert_eq!(warned(NOT_OPEN), 1);
}

thread_local! {
    static KEPT_BY_THREAD: RefCell<Vec<OpenZone>> = const { RefCell::new(Vec::new()) };
}

#[test]
fn guard_in_a_thread_local_closes_with_its_thread() {
    let _alone = alone();
    // Destructors run in reverse order of registration. Test both orders, so that the guard is dropped before the
    // profiler's destructor runs in one case, and after it in the other case.
    for is_first in [true, false] {
        on_a_thread("keeps", move || {
            if is_first {
                KEPT_BY_THREAD.with_borrow_mut(Vec::clear);
            }
            iprof::zone!(registers);
            let keep = || iprof::open_zone!(kept_by_thread);
            let kept = keep();
            KEPT_BY_THREAD.with_borrow_mut(|all| all.push(kept));
        });
    }
    assert_eq!(entries("registers"), 2);
    assert_eq!(entries("kept_by_thread"), 2);
    // The next thread with that name starts with no open zones.
    on_a_thread("keeps", || {
        iprof::zone!(keeps_nothing);
    });
    let recorded = iprof::snapshot();
    let root = |thread: &&iprof::SnapshotThread| &*thread.name == "keeps";
    let thread = recorded.threads.iter().find(root).unwrap();
    let zone = |node: &iprof::SnapshotNode| &*recorded.zones[node.zone as usize].name;
    let node = thread
        .nodes
        .iter()
        .find(|node| zone(node) == "keeps_nothing");
    assert_eq!(node.unwrap().parent, 0);
}

#[test]
fn guard_dropped_on_unregistered_thread_does_nothing() {
    let _alone = alone();
    {
        iprof::zone!(kept_at_home);
        let sent = Sent(iprof::open_zone!(sent_to_a_stranger));
        on_a_thread("stranger", move || sent.drop_here());
        iprof::zone!(is_in_it);
    }
    assert_eq!(entries("sent_to_a_stranger"), 1);
    let recorded = iprof::snapshot();
    assert_eq!(entries_on(&recorded, "stranger", "sent_to_a_stranger"), 0);
    // The zone stayed open until its parent ended.
    assert_eq!(warned(LEFT_OPEN), 1);
    on_a_thread("stranger", || {
        iprof::zone!(strange);
    });
    assert_eq!(entries("strange"), 1);
}

#[test]
fn guard_dropped_on_another_thread_closes_nothing() {
    let _alone = alone();
    let (send, receive) = mpsc::channel::<Sent>();
    let (done, wait) = mpsc::channel();
    // This zone is entered with the same call stack on both threads.
    fn open() -> OpenZone {
        iprof::open_zone!(sent_about)
    }
    let thread = thread::Builder::new().name("taker".into()).spawn(move || {
        iprof::zone!(takes);
        for sent in receive {
            let own = open();
            {
                iprof::zone!(in_own);
                sent.drop_here();
            }
            drop(own);
            done.send(()).unwrap();
        }
    });
    {
        iprof::zone!(takes);
        for _ in 0..100 {
            iprof::zone!(sends);
            send.send(Sent(open())).unwrap();
            wait.recv().unwrap();
        }
    }
    drop(send);
    thread.unwrap().join().unwrap();
    let recorded = iprof::snapshot();
    assert_eq!(entries_on(&recorded, "taker", "sent_about"), 100);
    assert_eq!(entries_on(&recorded, "taker", "in_own"), 100);
    assert_eq!(entries("sent_about"), 200);
    assert_eq!(warned(NOT_OPEN), 100);
    assert_eq!(warned(LEFT_OPEN), 100);
}

/// Threads pass guards around, drop them on any thread, and end, while another thread ends frames.
#[test]
fn guards_sent_between_threads_corrupt_nothing() {
    let _alone = alone();
    static HEAP: Mutex<Vec<Sent>> = Mutex::new(Vec::new());
    fn open(depth: usize) -> OpenZone {
        match depth % 3 {
            0 => iprof::open_zone!(thrown_a),
            1 => iprof::open_zone!(thrown_b),
            _ => iprof::open_zone!(thrown_c),
        }
    }
    const ROUNDS: usize = 300;
    let run = |seed: u64| {
        move || {
            let mut state = seed;
            for _ in 0..ROUNDS {
                iprof::zone!(thrower);
                // This pseudorandom sequence is the same in every run.
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let sent = Sent(open((state >> 33) as usize));
                let mut heap = HEAP.lock().unwrap();
                heap.push(sent);
                let at = (state >> 40) as usize % heap.len();
                let other = (heap.len() > 8).then(|| heap.swap_remove(at));
                drop(heap);
                if let Some(other) = other {
                    other.drop_here();
                }
            }
        }
    };
    let mut threads = Vec::new();
    for seed in 0..12 {
        let builder = thread::Builder::new().name(format!("thrower {}", seed % 3));
        threads.push(builder.spawn(run(seed)).unwrap());
        iprof::update(true);
    }
    for thread in threads {
        while !thread.is_finished() {
            iprof::update(true);
        }
        thread.join().unwrap();
    }
    HEAP.lock().unwrap().drain(..).for_each(Sent::drop_here);
    let thrown: u64 = ["thrown_a", "thrown_b", "thrown_c"]
        .map(entries)
        .iter()
        .sum();
    assert_eq!(thrown, 12 * ROUNDS as u64);
    assert_eq!(entries("thrower"), 12 * ROUNDS as u64);
    // No thread's time may exceed the elapsed time.
    let recorded = iprof::snapshot();
    for thread in &recorded.threads {
        let ticks: u64 = thread.nodes.iter().map(|node| node.ticks).sum();
        assert!(ticks <= recorded.ticks, "{}: {ticks}", thread.name);
    }
}
