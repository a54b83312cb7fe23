//! Tests for threads that end while a frame is being ended, and for their data in later frames.

use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Profiler;

static JOB: Zone = Zone::new("job", file!(), line!(), module_path!());

/// A main thread that ends the frames, and a worker thread that each test begins and ends. The counter always agrees
/// with the operating system's clock.
struct Scene {
    main: ScriptedThread,
    worker: ScriptedThread,
    profiler: Profiler,
}

impl Scene {
    /// Begins both threads at tick 1,000 and ends the first frame at that tick.
    fn new() -> Scene {
        let main = ScriptedThread::begin("main", 1_000);
        let worker = ScriptedThread::begin("worker", 1_000);
        let profiler = Profiler::new(Pair::both(1_000));
        let mut scene = Scene {
            main,
            worker,
            profiler,
        };
        scene.update(1_000);
        scene
    }

    /// Ends a frame and returns the worker's ticks in that frame.
    fn update(&mut self, now: u64) -> u64 {
        let records = [self.main.record(), self.worker.record()];
        let pair = Pair::both(now);
        self.profiler.end_frame(&records, records[0], pair, true);
        let frame = self.profiler.history().newest().unwrap();
        frame.deltas_of(1).iter().map(|delta| delta.ticks).sum()
    }

    /// Records 500 ticks too many in `job`, for which `(outside zones)` has to get less time. The worker leaves `job`
    /// on a core whose counter is behind that of the core that ended the frame.
    fn record_too_much_time(&mut self) {
        self.worker.enter(&JOB, 1_000);
        assert_eq!(self.update(2_000), 1_000);
        self.worker.leave(1_500);
    }
}

#[test]
fn ended_thread_data_is_in_next_frame() {
    let mut scene = Scene::new();
    scene.worker.enter(&JOB, 1_000);
    assert_eq!(scene.update(2_000), 1_000);
    scene.worker.end(3_100);
    assert_eq!(scene.update(3_000), 1_000);
    assert_eq!(scene.update(4_000), 100);
    assert_eq!(scene.update(5_000), 0);
}

#[test]
fn short_lived_thread_takes_at_most_its_frame() {
    let mut scene = Scene::new();
    scene.worker = ScriptedThread::begin("worker", 1_100);
    scene.profiler = Profiler::new(Pair::both(1_000));
    scene.worker.enter(&JOB, 1_200);
    scene.worker.end(2_700);
    assert_eq!(scene.update(2_000), 1_000);
    assert_eq!(scene.update(3_000), 600);
    assert_eq!(scene.update(4_000), 0);
}

#[test]
fn excess_time_is_dropped_when_thread_ends() {
    let mut scene = Scene::new();
    scene.record_too_much_time();
    scene.worker.end(2_900);
    assert_eq!(scene.update(3_000), 900);
    scene.update(4_000);
    let frame = scene.profiler.history().newest().unwrap();
    assert!(frame.deltas_of(1).is_empty());

    // Since the ended thread has no excess time left, it doesn't reappear after a reset.
    let records = [scene.main.record(), scene.worker.record()];
    let pair = Pair::both(4_000);
    scene.profiler.reset(&records, records[0], pair);
    scene.update(5_000);
    assert!(scene.profiler.threads()[1].is_gone());
}

#[test]
fn next_same_name_thread_is_in_every_frame() {
    let mut scene = Scene::new();
    scene.record_too_much_time();
    scene.worker.end(3_100);
    assert_eq!(scene.update(3_000), 1_000);
    scene.worker.begin_again(3_200);
    assert_eq!(
        scene.update(4_000),
        900,
        "the frame should include the previous thread's data"
    );
    assert_eq!(scene.update(4_100), 100);
    assert_eq!(scene.update(4_200), 100);
}
