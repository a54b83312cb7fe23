//! Defines contenders, and lists all of them. A contender consists of a profiler with its settings and of functions
//! that run the benchmarks' work with that profiler.

use crate::clock::Spent;
use crate::contenders as with;
use crate::entry_counts::Counts;

/// A profiler or a baseline, with the settings used for the measurement.
#[derive(Clone, Copy, Debug)]
pub struct Contender {
    pub name: &'static str,
    /// The contender's package, for looking up its version.
    pub package: Option<&'static str>,
    pub set: &'static str,
    /// The only program that contains the contender, or `None` if all programs contain it.
    pub program: Option<&'static str>,
    /// Called once per process, before anything else.
    pub start: fn(),
    /// Called before and after a batch of at most [`MOST_ZONES`] zones. A frame consists of several batches.
    pub open: fn(),
    pub close: fn(),
    /// Called at the end of a frame, while no zone is open.
    pub frame: fn(),
    /// Called once per second of program time, when a background thread of the contender would wake up. Also called at
    /// the end, so that all of the contender's work is measured.
    pub second: fn(),
    /// Restarts counting. Contenders that report totals don't need this function, because totals can be subtracted.
    pub mark: fn(),
    /// Returns the entry counts recorded in this process since `mark` or the start. `None` if the counts can't be read.
    pub counts: Option<fn() -> Counts>,
    /// The maximum relative error of the contender's counts. It is 0 unless the counts can only be read in rounded
    /// form.
    pub tolerance: f64,
    pub work: &'static Work,
}

impl Contender {
    /// Compares the contender's counts with the true counts, and returns the text for the result.
    ///
    /// # Panics
    ///
    /// Panics if the counts are wrong.
    pub(crate) fn verdict(&self, wanted: &Counts, counted: &Counts) -> &'static str {
        if self.counts.is_none() {
            return "-";
        }
        assert!(!wanted.is_empty(), "the true counts are missing");
        let wrong = differences(wanted, counted, self.tolerance);
        assert!(wrong.is_empty(), "{}: {wrong:?}", self.name);
        match self.tolerance > 0.0 {
            true => "about",
            false => "right",
        }
    }
}

/// Lists where `counted` differs from `wanted` by more than the fraction `tolerance`.
fn differences(wanted: &Counts, counted: &Counts, tolerance: f64) -> Vec<String> {
    let off = |&(name, &wanted): &(&String, &u64)| {
        let counted = counted.get(name).copied().unwrap_or(0);
        let differs = counted.abs_diff(wanted) as f64 > tolerance * wanted as f64;
        differs.then(|| format!("{name}: {counted} instead of {wanted}"))
    };
    wanted.iter().filter_map(|pair| off(&pair)).collect()
}

/// The maximum number of frames in a measurement. With more frames, some counts could not be read afterward, because
/// puffin remembers 1,000 frames and iprof 1,024.
pub const MOST_FRAMES: usize = 1_000;

/// The maximum number of zones in a batch. A fastrace local parent holds this many spans, and drops any more.
pub const MOST_ZONES: u64 = 10_240;

/// The measured work, compiled with the contender's zones.
#[derive(Debug)]
pub struct Work {
    /// The functions for [`CASES`]. Each function enters [`Plan::CASE_ZONES`] zones.
    pub cases: [fn(); CASES.len()],
    /// Runs one batch of a frame of the memory benchmark, and returns how many zones it entered.
    pub stacks: fn() -> u64,
    /// The ray tracers of [`GRAINS`].
    pub scenes: [fn(&Plan, &Contender) -> Traced; GRAINS.len()],
}

/// How fine-grained the ray tracer's zones are. With coarse grain, zones enclose rays and shading. Middle grain adds
/// zones around searches, and fine grain adds zones around each branch of a search.
pub const GRAINS: [&str; 3] = ["coarse", "middle", "fine"];

pub const CASES: [&str; 4] = [
    "site hit",
    "alternating parents",
    "recursion to 64 and back",
    "100 children in turn",
];

/// Specifies which picture to trace, and how much of it.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub width: usize,
    pub height: usize,
    pub flake_depth: u32,
    /// The tiling pass. Passes go from coarse to fine. A fine pass must not be used, because each tile is a batch.
    pub pass: usize,
    /// How many times the whole picture is traced.
    pub times: usize,
    pub tiles_per_frame: usize,
}

#[derive(Clone, Copy, Debug)]
pub struct Traced {
    pub spent: Spent,
    pub checksum: u64,
    pub frames: usize,
}

impl Plan {
    /// The number of zones in one batch of a case.
    pub const CASE_ZONES: u32 = 6_400;
}

/// A contender whose functions do nothing.
pub const BARE: Contender = Contender {
    name: "",
    package: None,
    set: "",
    program: None,
    start: nothing,
    open: nothing,
    close: nothing,
    frame: nothing,
    second: nothing,
    mark: nothing,
    counts: None,
    tolerance: 0.0,
    work: &with::plain::WORK,
};

fn nothing() {}

/// The contender that only counts. Its counts are the reference for all others.
pub const TRUTH: &str = "truth";
pub const PLAIN: &str = "plain";
/// The contender that is the lower bound for profilers that read the timestamp counter.
pub const FLOOR: &str = "two counter reads";

/// Tracy's client. Linking it starts its threads even before `main`, so the work with Tracy's zones is in a separate
/// program.
pub const TRACY: Contender = Contender {
    name: "tracy-client",
    package: Some("tracy-client"),
    set: "enable, only-localhost; not ondemand, so that it records with no server connected; no sampling, no call stacks; frame_mark() per frame",
    program: Some("with-tracy"),
    ..BARE
};

/// tracing-tracy, which also links Tracy's client.
pub const TRACING_TRACY: Contender = Contender {
    name: "tracing-tracy",
    package: Some("tracing-tracy"),
    set: "info_span, entered; a Registry with TracyLayer as it comes; tracy-client as above",
    program: Some("with-tracing-tracy"),
    ..BARE
};

/// The profilers and their baselines.
pub const CONTENDERS: &[Contender] = &[
    Contender {
        name: PLAIN,
        set: "no zones",
        ..BARE
    },
    with::reads::READS,
    with::iprof::EXACT,
    with::iprof::AUTO,
    with::iprof::SAMPLED,
    with::iprof::OFF,
    TRACY,
    with::puffin::PUFFIN,
    with::coarse_prof::COARSE_PROF,
    with::fastrace::FASTRACE,
    with::perfetto::PERFETTO,
    with::registry::REGISTRY,
    with::calltree::CALLTREE,
];

/// Subscribers and layers that record `tracing` spans, and their baselines. Only the `peers` benchmark runs them.
pub const SPANS: &[Contender] = &[
    with::spans::SUBSCRIBER,
    with::spans::EMPTY,
    with::spans::READS,
    with::spans::ONE_ZONE,
    with::spans::LAYER,
    with::spans::CHROME,
    with::spans::FLAME,
    TRACING_TRACY,
];

/// Returns the contender with the given name, which may be [`TRUTH`].
pub fn contender(name: &str) -> Option<&'static Contender> {
    let truth = std::iter::once(&with::truth::COUNTED);
    CONTENDERS
        .iter()
        .chain(SPANS)
        .chain(truth)
        .find(|one| one.name == name)
}
