//! A contender: a profiler with its settings, and the functions that run the benchmarks' work with it; and the list
//! of all.

use crate::clock::Spent;
use crate::contenders as with;
use crate::entry_counts::Counts;

/// A profiler, or none, as it was set for the measurement.
#[derive(Clone, Copy, Debug)]
pub struct Contender {
    pub name: &'static str,
    /// The package it comes from, for its version.
    pub package: Option<&'static str>,
    /// Its settings.
    pub set: &'static str,
    /// The program that has it, if it is not in all of them.
    pub program: Option<&'static str>,
    /// Once per process, before anything else.
    pub start: fn(),
    /// Before and after a batch of at most [`MOST_ZONES`] zones; several make a frame.
    pub open: fn(),
    pub close: fn(),
    /// At the end of a frame, where no zone is open.
    pub frame: fn(),
    /// Once a second of the measured program's time, when a thread of the contender's would wake up; and at the
    /// end, so that all of its work is measured.
    pub second: fn(),
    /// Starts counting anew. Nothing to do for contenders with totals, which are subtracted.
    pub mark: fn(),
    /// The entry counts recorded since `mark`, or since the start; read after the measurement, in the measured
    /// process. `None` if the contender has no way to read them.
    pub counts: Option<fn() -> Counts>,
    /// The relative error that its counts may have: 0 except where only rounded counts can be read.
    pub tolerance: f64,
    pub work: &'static Work,
}

impl Contender {
    /// The text for its counts: how they compare with the true ones.
    ///
    /// # Panics
    ///
    /// If they are wrong.
    pub(crate) fn verdict(&self, wanted: &Counts, counted: &Counts) -> &'static str {
        if self.counts.is_none() {
            return "-";
        }
        assert!(!wanted.is_empty(), "the truth was not told");
        let wrong = differences(wanted, counted, self.tolerance);
        assert!(wrong.is_empty(), "{}: {wrong:?}", self.name);
        match self.tolerance > 0.0 {
            true => "about",
            false => "right",
        }
    }
}

/// Where `counted` differs from `wanted` by more than the share `tolerance`.
fn differences(wanted: &Counts, counted: &Counts, tolerance: f64) -> Vec<String> {
    let off = |&(name, &wanted): &(&String, &u64)| {
        let counted = counted.get(name).copied().unwrap_or(0);
        let differs = counted.abs_diff(wanted) as f64 > tolerance * wanted as f64;
        differs.then(|| format!("{name}: {counted} instead of {wanted}"))
    };
    wanted.iter().filter_map(|pair| off(&pair)).collect()
}

/// Most frames of a measurement. Contenders with a history remember so many: puffin 1,000, iprof 1,024. Counts
/// of more could not be read afterward.
pub const MOST_FRAMES: usize = 1_000;

/// Most zones in a batch. A local parent of fastrace holds so many spans, and drops all further ones.
pub const MOST_ZONES: u64 = 10_240;

/// The work that is measured, compiled with the contender's zones.
#[derive(Debug)]
pub struct Work {
    /// See [`CASES`]. Each enters [`Plan::CASE_ZONES`] zones.
    pub cases: [fn(); CASES.len()],
    /// One batch of the memory benchmark's frame: returns how many zones it entered.
    pub stacks: fn() -> u64,
    /// See [`GRAINS`].
    pub scenes: [fn(&Plan, &Contender) -> Traced; GRAINS.len()],
}

/// How fine the ray tracer's zones are: those around rays and shading, those around searches too,
/// and those around each branch that is searched too.
pub const GRAINS: [&str; 3] = ["coarse", "middle", "fine"];

pub const CASES: [&str; 4] = [
    "site hit",
    "alternating parents",
    "recursion to 64 and back",
    "100 children in turn",
];

/// How much of the picture is traced.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub width: usize,
    pub height: usize,
    pub flake_depth: u32,
    /// Which of the tiling's passes, from coarse to fine. Not a fine one: a tile is a batch.
    pub pass: usize,
    /// How often the whole picture.
    pub times: usize,
    /// Tiles in a frame.
    pub tiles_per_frame: usize,
}

/// The result of tracing.
#[derive(Clone, Copy, Debug)]
pub struct Traced {
    pub spent: Spent,
    /// Of the picture.
    pub checksum: u64,
    pub frames: usize,
}

impl Plan {
    /// Zones in one turn of a case: one batch.
    pub const CASE_ZONES: u32 = 6_400;
}

/// A contender without anything to call.
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

/// Counts and measures nothing else: what the others' counts are compared with.
pub const TRUTH: &str = "truth";
/// No zones at all.
pub const PLAIN: &str = "plain";
/// The lower bound of profilers that read the counter.
pub const FLOOR: &str = "two counter reads";

/// Linking it starts its threads, before `main` even. So it has a program of its own, where the
/// work and what has to be called are.
pub const TRACY: Contender = Contender {
    name: "tracy-client",
    package: Some("tracy-client"),
    set: "enable, only-localhost; not ondemand, so that it records with no server connected; no sampling, no call stacks; frame_mark() per frame",
    program: Some("with-tracy"),
    ..BARE
};

/// Links it, too.
pub const TRACING_TRACY: Contender = Contender {
    name: "tracing-tracy",
    package: Some("tracing-tracy"),
    set: "info_span, entered; a Registry with TracyLayer as it comes; tracy-client as above",
    program: Some("with-tracing-tracy"),
    ..BARE
};

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
    with::spans::SUBSCRIBER,
    with::spans::EMPTY,
    with::spans::READS,
    with::spans::ONE_ZONE,
    with::spans::LAYER,
    with::spans::CHROME,
    with::spans::FLAME,
    TRACING_TRACY,
];

/// By its name; [`TRUTH`] too, which is not among [`CONTENDERS`].
pub fn contender(name: &str) -> Option<&'static Contender> {
    let truth = std::iter::once(&with::truth::COUNTED);
    CONTENDERS.iter().chain(truth).find(|one| one.name == name)
}
