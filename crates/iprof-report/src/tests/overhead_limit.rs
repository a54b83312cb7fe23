//! Tests for the overhead budget: which nodes keep their clocks, given a cost and frames of known length.
//!
//! This file is long because the stage and the frames that drive it have to be read together.

use crate::query;
use crate::report::{ColumnId, Report};
use crate::view::View;
use iprof_gather::class;
use iprof_gather::cost::ZoneCost;
use iprof_gather::mode::cutoff;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_gather::{Zone, clock::Pair};
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::Timing;
use iprof_process::{ThreadId, Threads};

static LONG: Zone = Zone::new("long", "", 0, "");
static MIDDLE: Zone = Zone::new("middle", "", 0, "");
static SHORT: Zone = Zone::new("short", "", 0, "");
static TINY: Zone = Zone::new("tiny", "", 0, "");
static COUNTER: Zone = Zone::new("counter", "", 0, "");

/// A frame of 16 ms, where a tick is a nanosecond. One percent of it pays for 8,000 timed zones at 20 ns each.
const FRAME: u64 = 16_000_000;
const COST: ZoneCost = ZoneCost {
    timed: 20.0,
    inside: 8.0,
    counted: 1.0,
};

struct Stage {
    thread: ScriptedThread,
    profiler: Profiler,
    now: u64,
    is_recorded: bool,
}

/// Begins a thread at tick 1, in [`Timing::AUTO`]. Each zone costs [`COST`].
pub(super) fn begin_auto() -> (ScriptedThread, Profiler) {
    let mut profiler = Profiler::new(Pair::both(1));
    profiler.set_timing(Timing::AUTO);
    profiler.add_cost_measurement(Some(COST));
    let thread = ScriptedThread::begin("budget", 1);
    thread.apply_mode(cutoff::AUTO, 1);
    (thread, profiler)
}

impl Stage {
    fn new() -> Stage {
        let (thread, profiler) = begin_auto();
        Stage {
            thread,
            profiler,
            now: 1,
            is_recorded: true,
        }
    }

    /// Ends a frame with `short` entries of the short zone, 100 ns each. Returns whether a reclassification was issued.
    fn frame(&mut self, short: u64) -> bool {
        let end = self.now + FRAME;
        self.thread.enter(&LONG, self.now);
        for _ in 0..100_000 {
            // Counter entries cost nothing, since counters never read the clock.
            self.thread.count_as_counter(&COUNTER);
        }
        for _ in 0..500 {
            self.thread.enter(&MIDDLE, self.now);
            self.now += 1_000;
            self.thread.leave(self.now);
        }
        for _ in 0..short {
            self.thread.enter(&SHORT, self.now);
            self.now += 100;
            self.thread.leave(self.now);
        }
        self.now = end;
        self.thread.leave(self.now);
        self.end_frame()
    }

    /// Ends a frame. Returns whether a reclassification was issued.
    fn end_frame(&mut self) -> bool {
        let record = self.thread.record();
        let now = Pair::both(self.now);
        let ordered = self
            .profiler
            .end_frame(&[record], record, now, self.is_recorded);
        self.thread.apply_mode(cutoff::AUTO, self.now);
        ordered
    }

    /// Ends a frame with calls of constant length, given as zone, number of calls, and nanoseconds per call. All calls
    /// are made within a single call to the long zone, which fills the frame.
    fn frame_of(&mut self, calls: &[(&'static Zone, u64, u64)]) {
        let end = self.now + FRAME;
        self.thread.enter(&LONG, self.now);
        for (zone, entries, ns) in calls {
            for _ in 0..*entries {
                self.thread.enter(zone, self.now);
                self.now += ns;
                self.thread.leave(self.now);
            }
        }
        assert!(self.now <= end, "the calls should fit in a frame");
        self.now = end;
        self.thread.leave(self.now);
        self.end_frame();
    }

    fn is_short(&self, zone: &'static Zone) -> bool {
        let record = self.thread.record();
        let node = (0..record.node_count())
            .map(|index| record.node(index).unwrap())
            .find(|node| node.is_of(zone));
        node.unwrap().class() == class::UNTIMED_BY_AUTO
    }
}

#[test]
fn most_entered_nodes_lose_their_clocks() {
    let mut stage = Stage::new();
    assert!(
        !stage.frame(7_000),
        "500 + 7,000 + 1 zones should be within the budget"
    );
    assert!(
        stage.frame(8_000),
        "clocks should be lost in the first frame over the limit"
    );
    assert!(stage.is_short(&SHORT));
    assert!(!stage.is_short(&MIDDLE) && !stage.is_short(&LONG) && !stage.is_short(&COUNTER));
    assert_eq!(stage.profiler.sampler_hz(), 1000.0);
}

/// The thread exists for a tenth of the frame. Its calls would cost 2% of that tenth.
#[test]
fn late_thread_limit_is_based_on_its_own_time() {
    let mut stage = Stage::new();
    stage.frame(0);
    let (main, end) = (stage.thread.record(), stage.now + FRAME);
    let mut now = end - FRAME / 10;
    let late = ScriptedThread::begin("late", now);
    late.apply_mode(cutoff::AUTO, now);
    for _ in 0..FRAME / 10_000 {
        late.enter(&SHORT, now);
        now += 1_000;
        late.leave(now);
    }
    let records = [main, late.record()];
    assert!(
        stage
            .profiler
            .end_frame(&records, main, Pair::both(end), true)
    );
    late.apply_mode(cutoff::AUTO, end);
    assert_eq!(
        late.record().node(1).unwrap().class(),
        class::UNTIMED_BY_AUTO
    );
}

#[test]
fn clock_returns_after_a_delay_within_the_limit() {
    let mut stage = Stage::new();
    stage.frame(50_000);
    assert!(stage.is_short(&SHORT));
    let mut frames = 0;
    while stage.is_short(&SHORT) {
        stage.frame(100);
        frames += 1;
        assert!(frames < 400);
    }
    assert!(frames as f64 * FRAME as f64 * 1e-9 >= 1.0);
    assert_eq!(stage.profiler.sampler_hz(), 0.0);
    // The second delay is twice as long.
    stage.frame(50_000);
    let mut again = 0;
    while stage.is_short(&SHORT) {
        stage.frame(100);
        again += 1;
    }
    assert!(again as f64 * FRAME as f64 * 1e-9 >= 2.0, "{again}");
}

/// Clocks that were not read before the first `update` must not count as savings that can be spent later.
#[test]
fn sampled_frame_spends_no_budget() {
    let mut stage = Stage::new();
    stage.thread.apply_mode(cutoff::SAMPLED, 1);
    for _ in 0..2_000_000 {
        stage.thread.enter(&SHORT, stage.now);
        stage.now += 200;
        stage.thread.leave(stage.now);
    }
    assert!(stage.end_frame());
    let mut frames = 0;
    while stage.is_short(&SHORT) {
        stage.frame(100);
        frames += 1;
    }
    let seconds = frames as f64 * FRAME as f64 * 1e-9;
    assert!((1.0..2.0).contains(&seconds), "{seconds}");
}

#[test]
fn overhead_at_the_limit_does_not_flicker() {
    let mut stage = Stage::new();
    let mut changes = 0;
    for frame in 0..600u64 {
        changes += u32::from(stage.frame(7_500 + frame * 7919 % 400));
    }
    assert!(changes <= 1, "{changes}");
    assert!(stage.is_short(&SHORT));
}

#[test]
fn no_clock_returns_during_a_pause() {
    let mut stage = Stage::new();
    stage.frame(50_000);
    for _ in 0..10 {
        stage.frame(0);
        stage.frame(40_000);
    }
    assert!(stage.is_short(&SHORT));
}

#[test]
fn long_call_stays_exact_if_counting_exceeds_limit() {
    let mut stage = Stage::new();
    stage.profiler.set_timing(Timing::Auto { budget: 1e-4 });
    for _ in 0..200 {
        stage.frame(1_000_000);
        assert!(stage.is_short(&SHORT) && stage.is_short(&MIDDLE) && !stage.is_short(&LONG));
    }
    let record = stage.thread.record();
    assert_eq!(record.node(0).unwrap().class(), class::TIMED_BY_AUTO);
    assert_eq!(stage.profiler.sampler_hz(), 100.0);
}

#[test]
fn thread_in_untimed_zones_is_sampled_until_it_moves() {
    let mut stage = Stage::new();
    stage.thread.apply_mode(cutoff::SAMPLED, 1);
    stage.thread.enter(&LONG, 1);
    let record = stage.thread.record();
    stage
        .profiler
        .end_frame(&[record], record, Pair::both(2), true);
    for timing in [Timing::Exact, Timing::AUTO] {
        stage.profiler.set_timing(timing);
        assert_eq!(stage.profiler.sampler_hz(), 1000.0);
    }
    stage.profiler.set_timing(Timing::Off);
    assert_eq!(stage.profiler.sampler_hz(), 0.0);
    stage.profiler.set_timing(Timing::Exact);
    stage.thread.apply_mode(cutoff::EXACT, 3);
    assert_eq!(stage.profiler.sampler_hz(), 0.0);
    // Outside zones there is nothing to sample.
    stage.thread.apply_mode(cutoff::SAMPLED, 4);
    stage.thread.leave(5);
    assert_eq!(stage.profiler.sampler_hz(), 0.0);
}

#[test]
fn unused_nodes_do_not_keep_the_sampler_awake() {
    let mut stage = Stage::new();
    stage.frame(50_000);
    assert!(stage.is_short(&SHORT));
    for _ in 0..200 {
        stage.frame(0);
    }
    assert!(!stage.is_short(&SHORT));
    assert_eq!(stage.profiler.sampler_hz(), 0.0);
    stage.frame(50_000);
    assert_eq!(stage.profiler.sampler_hz(), 1000.0);
    stage.thread.end(stage.now);
    assert_eq!(stage.profiler.sampler_hz(), 0.0);
}

#[test]
fn long_timed_node_starts_with_the_first_delay() {
    let frames_without = |stage: &mut Stage| {
        stage.frame(50_000);
        let mut frames = 0;
        while stage.is_short(&SHORT) {
            stage.frame(100);
            frames += 1;
        }
        frames
    };
    let mut stage = Stage::new();
    let first = frames_without(&mut stage);
    assert!(frames_without(&mut stage) > first);
    for _ in 0..64 {
        stage.now += 1_000_000_000;
        stage.end_frame();
    }
    assert_eq!(frames_without(&mut stage), first);
}

#[test]
fn sampler_is_charged_to_its_frame_and_threads() {
    let threads = ["one", "other"].map(|name| ScriptedThread::begin(name, 1));
    let records = [threads[0].record(), threads[1].record()];
    let mut profiler = Profiler::new(Pair::both(1));
    profiler.set_timing(Timing::SAMPLED);
    let mut now = 1;
    for (spent, is_recorded) in [
        (FRAME / 100, true),
        (FRAME / 25, true),
        (FRAME, false),
        (0, true),
    ] {
        profiler.take_hits(|found| found.spent_ns = spent);
        now += FRAME;
        profiler.end_frame(&records, records[0], Pair::both(now), is_recorded);
    }
    let title = |profiler: &Profiler, threads: Threads, frame: Option<u64>| {
        let mut view = View::default();
        view.average = crate::Average::Newest;
        view.set_threads(threads);
        if let Some(frame) = frame {
            view.frame = Frames::Number(frame);
        }
        query::report(profiler, &view, None).title[1].clone()
    };
    let share = |title: String| title.split("overhead ").nth(1).unwrap().to_owned();
    // The cost is spread over the time of two threads, so it is half of its fraction of the frame.
    for (frame, wanted) in [(Some(1), "0.50 %"), (Some(2), "2.00 %"), (None, "0.00 %")] {
        assert_eq!(share(title(&profiler, Threads::All, frame)), wanted);
        assert_eq!(
            share(title(&profiler, Threads::One(ThreadId(1)), frame)),
            wanted
        );
    }
    // In an average, each thread is also charged its share.
    profiler.take_hits(|found| found.spent_ns = FRAME);
    now += FRAME;
    profiler.end_frame(&records, records[0], Pair::both(now), true);
    let average = |threads: Threads| {
        let mut view = View::default();
        view.set_threads(threads);
        share(query::report(&profiler, &view, None).title[1].clone())
    };
    assert_ne!(average(Threads::All), "0.00 %");
    assert_eq!(average(Threads::One(ThreadId(1))), average(Threads::All));
}

/// A frame with 70,501 entries, including the long zone's. Counting them costs 70,501 ns, and clocks would cost an
/// additional 1,339,519 ns.
const CALLS: [(&Zone, u64, u64); 3] = [
    (&TINY, 50_000, 20),
    (&SHORT, 20_000, 100),
    (&MIDDLE, 500, 1_000),
];

fn report(stage: &Stage) -> Report {
    let mut view = View::default();
    view.average = crate::Average::Newest;
    query::report(&stage.profiler, &view, None)
}

#[test]
fn reported_overhead_is_correct_and_within_limit() {
    const ALL: [&str; 3] = ["tiny", "short", "middle"];
    // Each case lists the budget in percent, how many of these zones lose their clocks, and the overhead shown.
    // Computed by hand:
    for (budget, sampled, shown) in [
        // The budget is 2,400,000 ns. With all clocks: 70,501 x 20 = 1,410,020.
        (15.0, 0, "8.81"),
        // 800,000 ns, minus 70,501 for counting, leaves 729,499 for clocks. The tiny zones' clocks cost 950,000.
        // Without those clocks: 50,000 x 1 + 20,501 x 20 = 460,020.
        (5.0, 1, "2.88"),
        // 160,000 ns minus counting leaves 89,499 for clocks. The short zones' clocks cost 380,000. Without those
        // clocks: 70,000 x 1 + 501 x 20 = 80,020.
        (1.0, 2, "0.50"),
        // 32,000 ns is less than the cost of counting. Clocks get a tenth of it, 3,200. The long zone's clock costs 19,
        // and the middle zones' clocks cost 9,500. Without those clocks: 70,500 x 1 + 20 = 70,520.
        (0.2, 3, "0.44"),
    ] {
        let mut stage = Stage::new();
        stage.profiler.set_timing(Timing::Auto {
            budget: budget / 100.0,
        });
        stage.frame_of(&CALLS);
        let title = format!(
            "auto: budget {budget} %, measured {shown} %, update 0.00 %  {sampled} of 4 call stacks sampled"
        );
        // Clocks that were removed needlessly would return within these two seconds.
        for frame in 1..125 {
            stage.frame_of(&CALLS);
            let report = report(&stage);
            assert_eq!(report.title[1], title, "frame {frame}");
            let find = |zone| report.rows.iter().find(|r| &*r.name == zone).unwrap();
            for (zone, ms) in ALL.into_iter().zip([1.0, 2.0, 0.5]) {
                let is_sampled = find(zone).standard_error(ColumnId::SelfTime) > 0.0;
                assert_eq!(
                    is_sampled,
                    ALL[..sampled].contains(&zone),
                    "{title}: {zone}"
                );
                let is_right = (find(zone).number(ColumnId::SelfTime) - ms).abs() < 1e-9;
                assert!(is_sampled || is_right, "{title}: {:?}", find(zone));
            }
            // The long zone's hierarchical time is exact, no matter what is known about its callees.
            let hier = find("long").number(ColumnId::HierarchicalTime);
            assert_eq!(
                (
                    hier,
                    find("long").standard_error(ColumnId::HierarchicalTime)
                ),
                (16.0, 0.0),
                "{title}"
            );
        }
    }
}

#[test]
fn any_program_respects_limit_and_shows_its_cost() {
    const PER_CLOCK: f64 = COST.timed - COST.counted;
    let mut random = fastrand::Rng::with_seed(1);
    let mut seen = [0; 4];
    for _ in 0..60 {
        let budget = 10f64.powf(-3.5 + 3.0 * random.f64());
        // The number of calls varies by orders of magnitude, at 50 ns per call.
        let mut entries = || 10f64.powf(5.0 * random.f64()) as u64;
        let calls = [&TINY, &SHORT, &MIDDLE].map(|zone| (zone, entries(), 50));
        let mut stage = Stage::new();
        stage.profiler.set_timing(Timing::Auto { budget });
        for frame in 0..4 {
            // A decision made in one frame takes effect in the next.
            let is_short = |zone: &'static Zone| frame > 0 && stage.is_short(zone);
            let long = (1, is_short(&LONG));
            let others = calls.map(|(zone, entries, _)| (entries, is_short(zone)));
            stage.frame_of(&calls);

            let (mut counting, mut clocks, mut dearest, mut least_taken) = (0.0, 0.0, 0, u64::MAX);
            for (entries, short) in [[long].as_slice(), &others].concat() {
                counting += entries as f64 * COST.counted;
                if short {
                    least_taken = least_taken.min(entries);
                } else {
                    clocks += entries as f64 * PER_CLOCK;
                    dearest = dearest.max(entries);
                }
            }
            let what = format!("frame {frame}, {budget}, {calls:?}");
            let part = |ns: f64| ns / FRAME as f64;
            let title = &report(&stage).title[1];
            let shown = format!("measured {:.2} %", part(counting + clocks) * 100.0);
            assert!(title.contains(&shown), "wanted {shown} in {title}: {what}");
            if frame == 0 {
                continue;
            }
            let allowed = (budget - part(counting)).max(budget / 10.0);
            assert!(
                part(clocks) <= allowed,
                "clocks cost {clocks} ns, allowed {allowed} of the frame: {what}"
            );
            // The nodes with the most entries lost their clocks, and none lost its clock needlessly.
            assert!(dearest <= least_taken, "{what}");
            if least_taken < u64::MAX {
                let with_another = part(clocks + least_taken as f64 * PER_CLOCK);
                assert!(
                    with_another > 0.8 * allowed,
                    "{with_another} of {allowed}: {what}"
                );
            }
            seen[others.iter().filter(|(_, short)| *short).count()] += 1;
        }
    }
    // The runs included frames in which no zones, some zones and all zones lost their clocks.
    assert!(seen.iter().all(|seen| *seen >= 9), "{seen:?}");
}

#[test]
fn discarded_frames_respect_the_limit() {
    let mut stage = Stage::new();
    stage.is_recorded = false;
    assert!(stage.frame(50_000));
    assert!(stage.is_short(&SHORT) && !stage.is_short(&LONG));
    assert!(
        !stage.frame(50_000),
        "a lost clock should not return at once"
    );
}

#[test]
fn sampling_rate_fits_its_budget_fraction() {
    let mut stage = Stage::new();
    stage.frame(50_000);
    for (look_ns, hz) in [
        (1_000, 1000.0),
        (5_000, 500.0),
        (20_000, 125.0),
        (90_000, 100.0),
    ] {
        stage.profiler.take_hits(|found| {
            found.samples = 1_000;
            found.spent_ns = 1_000 * look_ns;
        });
        stage.profiler.take_hits(|_| {});
        let off = stage.profiler.sampler_hz() / hz;
        assert!(
            (0.99..1.01).contains(&off),
            "the rate for {look_ns} ns per sample is off by a factor of {off}"
        );
    }
}
