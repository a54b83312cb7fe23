//! Threads that end while a frame ends, and what is left of them for the frames after it.

use crate::Zone;
use crate::clock::Pair;
use crate::gather::scripted::ScriptedThread;
use crate::process::core::Process;

static JOB: Zone = Zone::new("job", file!(), line!(), module_path!());

/// A thread that updates, a worker that comes and goes, and both clocks, which agree.
struct Scene {
    main: ScriptedThread,
    worker: ScriptedThread,
    process: Process,
}

impl Scene {
    /// Main and worker begin at 1,000, and a first frame ends there.
    fn new() -> Scene {
        let main = ScriptedThread::begin("main", 1_000);
        let worker = ScriptedThread::begin("worker", 1_000);
        let process = Process::new(Pair::both(1_000));
        let mut scene = Scene {
            main,
            worker,
            process,
        };
        scene.update(1_000);
        scene
    }

    /// Ends a frame; returns the ticks that the worker has of it.
    fn update(&mut self, now: u64) -> u64 {
        let records = [self.main.record(), self.worker.record()];
        let pair = Pair::both(now);
        self.process.update(&records, records[0], pair, true);
        let frame = self.process.history.newest().unwrap();
        frame.samples_of(1).iter().map(|sample| sample.ticks).sum()
    }

    /// The worker is owed time in `_global` that `job` was given: the core that it goes on from is
    /// behind the one that the frame's end was read on.
    fn give_too_much(&mut self) {
        self.worker.enter(&JOB, 1_000);
        assert_eq!(self.update(2_000), 1_000);
        self.worker.leave(1_500);
    }
}

#[test]
fn what_comes_between_the_end_of_a_frame_and_that_of_a_thread_is_the_next_frames() {
    let mut scene = Scene::new();
    scene.worker.enter(&JOB, 1_000);
    assert_eq!(scene.update(2_000), 1_000);
    scene.worker.end(3_100);
    assert_eq!(scene.update(3_000), 1_000);
    assert_eq!(scene.update(4_000), 100);
    assert_eq!(scene.update(5_000), 0);
}

#[test]
fn a_thread_that_begins_and_ends_in_a_frame_has_no_more_than_the_frame() {
    let mut scene = Scene::new();
    scene.worker = ScriptedThread::begin("worker", 1_100);
    scene.process = Process::new(Pair::both(1_000));
    scene.worker.enter(&JOB, 1_200);
    scene.worker.end(2_700);
    assert_eq!(scene.update(2_000), 1_000);
    assert_eq!(scene.update(3_000), 600);
    assert_eq!(scene.update(4_000), 0);
}

#[test]
fn an_ended_thread_is_owed_nothing() {
    let mut scene = Scene::new();
    scene.give_too_much();
    scene.worker.end(2_900);
    assert_eq!(scene.update(3_000), 900);
    scene.update(4_000);
    let frame = scene.process.history.newest().unwrap();
    assert!(frame.samples_of(1).is_empty());

    // So once it is forgotten it does not come back.
    let records = [scene.main.record(), scene.worker.record()];
    let pair = Pair::both(4_000);
    scene.process.reset(&records, records[0], pair);
    scene.update(5_000);
    assert!(scene.process.threads[1].gone);
}

#[test]
fn the_next_thread_of_a_name_has_all_of_its_frames() {
    let mut scene = Scene::new();
    scene.give_too_much();
    scene.worker.end(3_100);
    assert_eq!(scene.update(3_000), 1_000);
    scene.worker.begin_again(3_200);
    assert_eq!(scene.update(4_000), 900, "what the last one left, too");
    assert_eq!(scene.update(4_100), 100);
    assert_eq!(scene.update(4_200), 100);
}
