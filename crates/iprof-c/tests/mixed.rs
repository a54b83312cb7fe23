//! Runs random programs on several threads. In these programs, Rust zones, `tracing` spans (collected by a subscriber
//! or a layer), `profiling` scopes, and C and C++ functions call each other.
//!
//! Each stack must have the entries and the time recorded by an oracle, which stores whole stacks and reads a different
//! clock. On every thread, the report's times must add up to the frame's time.

#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

mod opened;

use iprof::{Average, ColumnId, Frames, Report, ReportMode, Row, Threads, View};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{c_int, c_void};
use std::sync::{Barrier, OnceLock};
use std::thread;
use std::time::{Duration, Instant};
use tracing_subscriber::layer::SubscriberExt;

type Mixed = unsafe extern "C" fn(c_int, unsafe extern "C" fn(*mut c_void), *mut c_void);

struct Library {
    name: &'static str,
    files: &'static [&'static str],
    flags: &'static [&'static str],
    opened: OnceLock<Mixed>,
}

impl Library {
    const fn new(
        name: &'static str,
        files: &'static [&'static str],
        flags: &'static [&'static str],
    ) -> Library {
        Library {
            name,
            files,
            flags,
            opened: OnceLock::new(),
        }
    }

    fn function(&self) -> Mixed {
        *self.opened.get_or_init(|| {
            let found = opened::function(self.files, self.flags, self.name);
            // SAFETY: the function has this type.
            unsafe { std::mem::transmute::<*mut c_void, Mixed>(found) }
        })
    }
}

static C: Library = Library::new("mixed", &["mixed.c"], &[]);
static CPP: Library = Library::new("mixed_cpp", &["mixed.cpp"], &[]);
static HOOKED: Library = Library::new(
    "mixed_hooked",
    &["mixed_hooked.c", "../../functions/functions.c"],
    // Use the test library's own hooks, because the C library's hooks do nothing.
    &["-finstrument-functions", "-Wl,-Bsymbolic"],
);

/// A call: an index into `ZONES`, and the calls inside it.
#[derive(Clone, Debug)]
struct Call {
    function: usize,
    calls: Vec<Call>,
}

/// The zones' names. A zone in C or C++ also has the library that opens it, and a number for how the library does so.
const ZONES: [(&str, Option<(&Library, c_int)>); 14] = [
    ("rust", None),
    ("helper", None),
    ("named", None),
    ("span", None),
    ("system::gravity", None),
    ("scope", None),
    ("scope named", None),
    ("c scope", Some((&C, 0))),
    ("c pair", Some((&C, 1))),
    ("c_original", Some((&C, 2))),
    ("cpp scope", Some((&CPP, 0))),
    ("cpp thrown", Some((&CPP, 1))),
    ("cpp_original", Some((&CPP, 2))),
    ("hooked", Some((&HOOKED, 0))),
];

/// A thread's calls, and whether its spans go to a layer instead of the subscriber.
#[derive(Clone, Debug)]
struct Program {
    calls: Vec<Call>,
    has_layer: bool,
}

fn program() -> impl Strategy<Value = Program> {
    let all = (calls(), any::<bool>());
    all.prop_map(|(calls, has_layer)| Program { calls, has_layer })
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let leaf = (0..ZONES.len()).prop_map(|function| Call {
        function,
        calls: Vec::new(),
    });
    let call = leaf.prop_recursive(7, 60, 4, |inner| {
        let calls = prop::collection::vec(inner, 0..4);
        (0..ZONES.len(), calls).prop_map(|(function, calls)| Call { function, calls })
    });
    prop::collection::vec(call, 1..8)
}

const WORK: Duration = Duration::from_micros(20);

/// The oracle: a naive profiler that stores whole stacks.
#[derive(Default)]
struct Oracle {
    stack: Vec<&'static str>,
    entries: BTreeMap<Vec<&'static str>, Entered>,
}

/// How many times a stack was entered, and bounds on how long it was open: at least the time measured inside it, and at
/// most the time measured around it.
#[derive(Clone, Copy, Debug, Default)]
struct Entered {
    count: u64,
    least: Duration,
    most: Duration,
}

impl Oracle {
    fn of_stack(&mut self) -> &mut Entered {
        self.entries.entry(self.stack.clone()).or_default()
    }
}

/// Returns whether a time is between `least` and `most`, allowing the clocks to differ by 1%.
fn is_within(ns: f64, least: Duration, most: Duration) -> bool {
    let [least, most] = [least, most].map(|time| time.as_nanos() as f64);
    ns >= least * 0.99 - 1e3 && ns <= most * 1.01 + 1e3
}

struct Run<'a> {
    calls: &'a [Call],
    oracle: &'a mut Oracle,
}

impl Run<'_> {
    fn all(&mut self) {
        for call in self.calls {
            self.oracle.stack.push(ZONES[call.function].0);
            self.oracle.of_stack().count += 1;
            let start = Instant::now();
            Run {
                calls: &call.calls,
                oracle: self.oracle,
            }
            .within(call.function);
            self.oracle.of_stack().most += start.elapsed();
            self.oracle.stack.pop();
        }
    }

    fn body(&mut self) {
        let start = Instant::now();
        while start.elapsed() < WORK {
            std::hint::spin_loop();
        }
        self.all();
        self.oracle.of_stack().least += start.elapsed();
    }

    fn within(mut self, function: usize) {
        let (name, way) = ZONES[function];
        if let Some((library, way)) = way {
            unsafe extern "C" fn body(run: *mut c_void) {
                // SAFETY: the pointer is the one passed below, and its `Run` is not used meanwhile.
                unsafe { &mut *run.cast::<Run>() }.body();
            }
            // SAFETY: the function accepts any number, and calls `body` with the pointer, which is valid until the
            // function returns.
            unsafe { library.function()(way, body, (&raw mut self).cast()) };
            return;
        }
        match name {
            "rust" => {
                iprof::zone!(rust);
                self.body();
            }
            "helper" => {
                iprof::begin!(helper);
                self.body();
                iprof::end!(helper);
            }
            "named" => {
                iprof::zone_named!(name);
                self.body();
            }
            "span" => {
                let _entered = tracing::info_span!("span").entered();
                self.body();
            }
            "system::gravity" => {
                let _entered = tracing::info_span!("system", name = "gravity").entered();
                self.body();
            }
            "scope" => {
                profiling::scope!("scope");
                self.body();
            }
            "scope named" => {
                profiling::scope!(name);
                self.body();
            }
            _ => unreachable!("{name}"),
        }
    }
}

fn number(row: &Row, column: ColumnId) -> f64 {
    row.value(column).map_or(0.0, |value| value.number)
}

fn sum(rows: &[Row], column: ColumnId) -> f64 {
    rows.iter().map(|row| number(row, column)).sum()
}

#[track_caller]
fn assert_near(one: f64, other: f64, report: &Report) {
    let error = (one - other).abs();
    assert!(
        error <= 1e-9 + 1e-6 * one.abs(),
        "{one}, {other}: {report:?}"
    );
}

/// Checks that the thread's rows in the last frame add up to the frame's time. Returns the frame's time in
/// milliseconds.
fn reports_sum(thread: iprof::ThreadId, entered: &BTreeSet<&str>) -> f64 {
    const TIMES: [ColumnId; 2] = [ColumnId::SelfTime, ColumnId::HierarchicalTime];
    let mut view = View::default();
    view.set_threads(Threads::One(thread));
    view.average = Average::Newest;
    view.show_frames(&iprof::profiler(), Frames::Back(0));
    view.report_mode = ReportMode::SelfTime;
    let report = view.report(&iprof::profiler());
    let outside = report
        .rows
        .iter()
        .find(|row| &*row.name == "(outside zones)");
    let frame = number(
        outside.expect("the report should have time outside zones"),
        TIMES[1],
    );
    assert_near(sum(&report.rows, TIMES[0]), frame, &report);
    for row in &report.rows {
        assert!(number(row, TIMES[1]) <= frame * (1.0 + 1e-6), "{report:?}");
    }
    view.report_mode = ReportMode::CallGraph;
    for name in entered {
        assert!(view.select_zone(&iprof::profiler(), name), "{name}");
        let report = view.report(&iprof::profiler());
        // Callers come before the zone, which is indented by one level, and callees come after it.
        let at = report.rows.iter().position(|row| row.indent == 1);
        let at = at.expect("the report should contain the zone");
        assert!(report.rows[at].name.starts_with(name), "{name}: {report:?}");
        let (zone, callers, callees) =
            (&report.rows[at], &report.rows[..at], &report.rows[at + 1..]);
        for column in [TIMES[0], TIMES[1], ColumnId::Count] {
            assert_near(sum(callers, column), number(zone, column), &report);
        }
        let below = number(zone, TIMES[1]) - number(zone, TIMES[0]);
        assert_near(sum(callees, TIMES[1]), below, &report);
    }
    frame
}

/// Returns a thread's entries and hierarchical time in nanoseconds so far, by stack.
fn recorded(name: &str) -> BTreeMap<Vec<String>, (u64, f64)> {
    let snapshot = iprof::snapshot();
    snapshot.validate().expect("the snapshot should be valid");
    let thread = snapshot.threads.iter().find(|thread| &*thread.name == name);
    let nodes = thread.map_or(&[][..], |thread| &thread.nodes);
    let mut ticks: Vec<u64> = nodes.iter().map(|node| node.ticks).collect();
    // Callees come after their callers.
    for at in (1..nodes.len()).rev() {
        ticks[nodes[at].parent as usize] += ticks[at];
    }
    let mut stacks: Vec<Vec<String>> = Vec::new();
    let mut found = BTreeMap::new();
    for (at, node) in nodes.iter().enumerate() {
        let mut stack = match at {
            0 => Vec::new(),
            _ => stacks[node.parent as usize].clone(),
        };
        if at > 0 {
            stack.push(snapshot.zones[node.zone as usize].name.to_string());
            if node.entries > 0 {
                let of_stack: &mut (u64, f64) = found.entry(stack.clone()).or_default();
                of_stack.0 += node.entries;
                of_stack.1 += snapshot.ns(ticks[at]);
            }
        }
        stacks.push(stack);
    }
    found
}

fn layer() -> &'static tracing::Dispatch {
    static LAYER: OnceLock<tracing::Dispatch> = OnceLock::new();
    LAYER.get_or_init(|| {
        let layer = iprof_tracing::Layer::with_options(options());
        tracing_subscriber::registry().with(layer).into()
    })
}

fn options() -> iprof_tracing::Options {
    iprof_tracing::Options::new().named_by("name")
}

/// Runs each program on its own thread, all in one frame.
fn check(programs: &[Program]) {
    static CASES: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let case = CASES.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let name = |at: usize| format!("case {case}, thread {at}");
    let steps = Barrier::new(programs.len() + 1);
    thread::scope(|scope| {
        let run = |at: usize| {
            let (steps, name, program) = (&steps, name(at), &programs[at]);
            move || {
                iprof::set_thread_name(name);
                iprof::register_thread();
                let mut oracle = Oracle::default();
                steps.wait();
                steps.wait();
                let mut run = Run {
                    calls: &program.calls,
                    oracle: &mut oracle,
                };
                match program.has_layer {
                    true => tracing::dispatcher::with_default(layer(), || run.all()),
                    false => run.all(),
                }
                steps.wait();
                steps.wait();
                oracle
            }
        };
        let threads: Vec<_> = (0..programs.len()).map(|at| scope.spawn(run(at))).collect();
        steps.wait();
        let start = Instant::now();
        iprof::update(true);
        let started = Instant::now();
        steps.wait();
        steps.wait();
        let least = started.elapsed();
        iprof::update(true);
        let most = start.elapsed();
        // Release the threads before anything that can fail, because they would wait forever otherwise.
        steps.wait();
        let known = iprof::threads();
        for (at, program) in programs.iter().enumerate() {
            let thread = known.iter().find(|thread| thread.name == name(at));
            let thread = thread.expect("the report should contain the thread");
            let mut entered = BTreeSet::new();
            let mut todo: Vec<&Call> = program.calls.iter().collect();
            while let Some(call) = todo.pop() {
                entered.insert(ZONES[call.function].0);
                todo.extend(&call.calls);
            }
            let frame = reports_sum(thread.id, &entered) * 1e6;
            assert!(
                is_within(frame, least, most),
                "{least:?}, {frame} ns, {most:?}"
            );
        }
        for (at, thread) in threads.into_iter().enumerate() {
            let oracle = thread.join().expect("the thread should return its oracle");
            let found = recorded(&name(at));
            assert_eq!(
                found.len(),
                oracle.entries.len(),
                "{found:?}, {:?}",
                oracle.entries
            );
            for (stack, entered) in oracle.entries {
                let names: Vec<String> = stack.iter().map(|name| (*name).to_owned()).collect();
                let (count, ns) = found.get(&names).copied().unwrap_or_default();
                assert_eq!(count, entered.count, "{stack:?}");
                assert!(
                    is_within(ns, entered.least, entered.most),
                    "{stack:?}: {ns} ns, {entered:?}"
                );
            }
        }
    });
}

/// Runs 100 programs, unless PROPTEST_CASES is set.
fn config() -> ProptestConfig {
    let mut config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 100;
    }
    config
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn all_languages_sum_on_every_thread(
        programs in prop::collection::vec(program(), 1..4)
    ) {
        static COLLECTED: OnceLock<()> = OnceLock::new();
        COLLECTED.get_or_init(|| {
            let subscriber = iprof_tracing::Subscriber::with_options(options());
            tracing::subscriber::set_global_default(subscriber).expect("another subscriber is already set");
            layer();
            for library in [&C, &CPP, &HOOKED] {
                library.function();
            }
        });
        check(&programs);
    }
}
