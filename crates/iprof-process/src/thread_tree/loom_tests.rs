//! Loom tests of `update` with a running thread, in every order allowed by the memory model. `./dev test` includes
//! them.

use super::*;
use crate::profiler::Profiler;
use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_gather::sync::{model, run_with_reader};

static A: Zone = Zone::new("a", "", 0, "");
static B: Zone = Zone::new("b", "", 0, "");

/// A thread's tree that is walked without corrections, so that it attributes exactly what it reads.
struct Walker {
    tree: ThreadTree,
    indices: Indices,
}

impl Walker {
    fn new(record: &'static ThreadRecord) -> Walker {
        let mut walker = Walker {
            tree: ThreadTree::new(record, 0),
            indices: Indices::new(),
        };
        walker.walk();
        walker
    }

    /// Does the same as `end_frame` and `collect_deltas`, but at time 0, so that there is no open time.
    fn walk(&mut self) {
        let tree = &mut self.tree;
        let reading = tree.record.read();
        tree.add_new_nodes(&mut self.indices);
        tree.frame += 1;
        if reading.is_none() && tree.record.is_owned() {
            tree.full_walk_until = tree.frame + 1;
        }
        let mut deltas = Vec::new();
        tree.walk(0, reading, None, &mut deltas, false);
    }

    fn assert_has_all(&mut self) {
        self.walk();
        for (index, state) in self.tree.states.iter().enumerate() {
            assert_eq!((state.ticks, state.entries), state.node.totals(), "{index}");
        }
    }
}

/// Returns a thread that has entered and left `a`, and `b` called by `a`, once each.
fn thread_with_nodes(cutoff: u8) -> ScriptedThread {
    let thread = ScriptedThread::begin("", 0);
    thread.apply_mode(cutoff, 0);
    thread.enter(&A, 0);
    thread.enter(&B, 0);
    thread.leave(0);
    thread.leave(0);
    thread
}

fn enters_two_and_leaves_one(thread: &ScriptedThread) {
    thread.enter(&A, 10);
    thread.enter(&B, 25);
    thread.leave(30);
}

/// Runs `script` on the thread during two walks, then walks once more. Asserts that nothing was missed.
fn assert_two_walks_miss_nothing(thread: ScriptedThread, script: impl FnOnce(&ScriptedThread)) {
    let mut walker = Walker::new(thread.record());
    // After this walk, the first nodes are neither new nor open.
    walker.walk();
    walker.walk();
    let mut walker = run_with_reader(
        || script(&thread),
        || {
            walker.walk();
            walker.walk();
            walker
        },
    );
    walker.assert_has_all();
}

#[test]
fn entries_are_seen_by_this_walk_or_the_next_one() {
    model(|| {
        let thread = thread_with_nodes(cutoff::SAMPLED);
        assert_two_walks_miss_nothing(thread, |thread| {
            thread.enter(&A, 0);
            thread.enter(&B, 0);
            thread.leave(0);
            thread.leave(0);
        });
    });
}

#[test]
fn entries_and_times_are_not_missed() {
    model(|| {
        let thread = thread_with_nodes(cutoff::EXACT);
        assert_two_walks_miss_nothing(thread, enters_two_and_leaves_one);
    });
}

/// Adds to two values on one thread. One of them is temporarily negative.
#[test]
fn additions_to_values_are_not_missed() {
    static BODIES: Zone = Zone::new("bodies", "", 0, "").with_unit("", 1);
    model(|| {
        let thread = thread_with_nodes(cutoff::SAMPLED);
        assert_two_walks_miss_nothing(thread, |thread| {
            thread.add(&BODIES, 5);
            thread.add(&BODIES, 7u64.wrapping_neg());
            thread.enter(&A, 10);
            thread.add(&BODIES, 3);
        });
    });
}

#[test]
fn counters_are_not_missed() {
    model(|| {
        let thread = thread_with_nodes(cutoff::SAMPLED);
        assert_two_walks_miss_nothing(thread, |thread| {
            thread.enter(&A, 0);
            thread.count(&B);
            thread.leave(0);
            thread.count(&B);
        });
    });
}

#[test]
fn time_added_after_leaving_is_not_missed() {
    model(|| {
        let thread = thread_with_nodes(cutoff::EXACT);
        thread.enter(&A, 10);
        thread.enter(&B, 25);
        assert_two_walks_miss_nothing(thread, |thread| thread.leave(30));
    });
}

#[test]
fn times_of_zones_closed_together_are_not_missed() {
    model(|| {
        let thread = thread_with_nodes(cutoff::EXACT);
        thread.enter(&A, 10);
        thread.enter(&B, 25);
        assert_two_walks_miss_nothing(thread, |thread| thread.close(&A, 30));
    });
}

#[test]
fn times_are_not_missed_while_clocks_change() {
    model(|| {
        let thread = thread_with_nodes(cutoff::EXACT);
        thread.enter(&A, 10);
        thread.enter(&B, 25);
        assert_two_walks_miss_nothing(thread, |thread| {
            thread.change_clocks(cutoff::SAMPLED, 30);
            thread.leave(0);
            thread.leave(0);
        });
    });
}

#[test]
fn times_are_not_missed_while_owner_changes() {
    model(|| {
        let thread = thread_with_nodes(cutoff::EXACT);
        thread.enter(&A, 10);
        assert_two_walks_miss_nothing(thread, |thread| {
            thread.end(25);
            thread.begin_again(30);
            thread.enter(&A, 45);
        });
    });
}

/// A profiler for one thread, with the sums over its frames.
struct Scene {
    records: [&'static ThreadRecord; 1],
    profiler: Profiler,
    ticks: Ticks,
    entries: Vec<u64>,
}

impl Scene {
    /// Creates a scene in which the thread begins, and a first frame ends, at 0.
    fn new(thread: &ScriptedThread) -> Scene {
        let mut scene = Scene {
            records: [thread.record()],
            profiler: Profiler::new(Pair::both(0)),
            ticks: 0,
            entries: vec![0; thread.record().node_count() as usize],
        };
        scene.update(0);
        scene
    }

    /// Ends a frame, and asserts that the thread's deltas don't exceed it.
    fn update(&mut self, now: Ticks) {
        let now = Pair::both(now);
        self.profiler
            .end_frame(&self.records, self.records[0], now, true);
        let frame = self.profiler.history().newest().unwrap();
        let mut ticks = 0;
        for delta in frame.deltas_of(0) {
            ticks += delta.ticks;
            self.entries[delta.node as usize] += delta.entries;
        }
        assert!(ticks <= frame.ticks);
        self.ticks += ticks;
    }

    fn reset(&mut self, now: Ticks) {
        let now = Pair::both(now);
        self.profiler.reset(&self.records, self.records[0], now);
        let states = &self.profiler.threads[0].tree.states;
        self.entries = states.iter().map(|state| state.entries).collect();
        self.ticks = 0;
    }

    fn assert_has_entries(&self) {
        for (index, entries) in self.entries.iter().enumerate() {
            let node = self.records[0].node(index as u32).unwrap();
            assert_eq!(node.entries(), *entries, "{index}");
        }
    }
}

/// Runs `script` on the thread while `at_20` is called and a frame ends at 35. Then ends a frame at each time in
/// `rest`.
fn scene_after(
    script: impl FnOnce(&ScriptedThread),
    at_20: fn(&mut Scene, Ticks),
    rest: &[Ticks],
) -> Scene {
    let thread = thread_with_nodes(cutoff::EXACT);
    let mut scene = Scene::new(&thread);
    let update = move || {
        at_20(&mut scene, 20);
        scene.update(35);
        scene
    };
    let mut scene = run_with_reader(|| script(&thread), update);
    rest.iter().for_each(|now| scene.update(*now));
    scene.assert_has_entries();
    scene
}

#[test]
fn frames_sum_to_counted_time() {
    model(|| {
        let scene = scene_after(enters_two_and_leaves_one, Scene::update, &[100]);
        assert_eq!(scene.ticks, 100);
    });
}

#[test]
fn frames_sum_up_while_owner_changes() {
    model(|| {
        let script = |thread: &ScriptedThread| {
            thread.enter(&A, 10);
            thread.end(25);
            thread.begin_again(30);
        };
        let scene = scene_after(script, Scene::update, &[100, 200]);
        // The next thread's time before 35 is lost unless the frame that ends at 35 saw the next thread.
        assert!([190, 195].contains(&scene.ticks), "{}", scene.ticks);
    });
}

#[test]
fn frames_sum_up_while_clocks_change() {
    model(|| {
        let script = |thread: &ScriptedThread| {
            thread.enter(&A, 10);
            thread.change_clocks(cutoff::SAMPLED, 25);
            thread.enter(&B, 0);
        };
        let scene = scene_after(script, Scene::update, &[100]);
        assert_eq!(scene.ticks, 100);
    });
}

#[test]
fn reset_keeps_later_time() {
    model(|| {
        let scene = scene_after(enters_two_and_leaves_one, Scene::reset, &[100]);
        assert_eq!(scene.ticks, 80);
    });
}
