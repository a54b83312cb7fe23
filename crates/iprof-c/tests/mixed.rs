//! Random programs on several threads, in which zones of Rust, spans of `tracing`, scopes of `profiling` and functions of
//! C call each other: each stack has the entries of the oracle, which keeps whole stacks, and reports sum on every
//! thread.

#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

mod opened;

use iprof::{Average, ColumnId, FrameSelection, Report, ReportMode, Row, Threads, View};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{c_int, c_void};
use std::sync::{Barrier, OnceLock};
use std::thread;

type Mixed = unsafe extern "C" fn(c_int, unsafe extern "C" fn(*mut c_void), *mut c_void);

/// The function of C.
fn mixed() -> Mixed {
    static MIXED: OnceLock<Mixed> = OnceLock::new();
    *MIXED.get_or_init(|| {
        let found = opened::function("cc", "mixed.c", "mixed");
        // SAFETY: it is a function of that type.
        unsafe { std::mem::transmute::<*mut c_void, Mixed>(found) }
    })
}

/// A call, by the number of its name, and what it calls.
#[derive(Clone, Debug)]
struct Call {
    function: usize,
    calls: Vec<Call>,
}

const NAMES: [&str; 7] = [
    "rust",
    "helper",
    "span",
    "scope",
    "c scope",
    "c pair",
    "c_original",
];

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let leaf = (0..NAMES.len()).prop_map(|function| Call {
        function,
        calls: Vec::new(),
    });
    let call = leaf.prop_recursive(7, 60, 4, |inner| {
        let calls = prop::collection::vec(inner, 0..4);
        (0..NAMES.len(), calls).prop_map(|(function, calls)| Call { function, calls })
    });
    prop::collection::vec(call, 1..8)
}

/// The naive profiler: whole stacks, and how often each was entered.
#[derive(Default)]
struct Oracle {
    stack: Vec<&'static str>,
    entries: BTreeMap<Vec<&'static str>, u64>,
}

/// Runs the calls, as C calls them back.
struct Run<'a> {
    calls: &'a [Call],
    oracle: &'a mut Oracle,
}

impl Run<'_> {
    fn all(&mut self) {
        for call in self.calls {
            self.oracle.stack.push(NAMES[call.function]);
            *self
                .oracle
                .entries
                .entry(self.oracle.stack.clone())
                .or_default() += 1;
            Run {
                calls: &call.calls,
                oracle: self.oracle,
            }
            .within(call.function);
            self.oracle.stack.pop();
        }
    }

    /// In a zone of that function.
    fn within(mut self, function: usize) {
        match function {
            0 => {
                iprof::zone!(rust);
                self.all();
            }
            1 => {
                iprof::begin!(helper);
                self.all();
                iprof::end!(helper);
            }
            2 => {
                let _entered = tracing::info_span!("span").entered();
                self.all();
            }
            3 => {
                profiling::scope!("scope");
                self.all();
            }
            of_c => {
                unsafe extern "C" fn body(run: *mut c_void) {
                    // SAFETY: it is the pointer from below, whose run waits.
                    unsafe { &mut *run.cast::<Run>() }.all();
                }
                // SAFETY: the function takes a number, and calls `body` with the pointer, which is valid until it returns.
                unsafe { mixed()(of_c as c_int - 4, body, (&raw mut self).cast()) };
            }
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

/// The thread's rows of the last frame sum.
fn reports_sum(thread: iprof::ThreadId, entered: &BTreeSet<&str>) {
    const TIMES: [ColumnId; 2] = [ColumnId::SelfTime, ColumnId::HierarchicalTime];
    let mut view = View::new();
    view.set_threads(Threads::One(thread));
    view.set_average(Average::Newest);
    view.set_frames(FrameSelection::Back(0));
    view.set_report_mode(ReportMode::SelfTime);
    let report = view.report();
    let outside = report
        .rows
        .iter()
        .find(|row| &*row.name == "(outside zones)");
    let frame = number(outside.expect("the time outside of zones"), TIMES[1]);
    assert_near(sum(&report.rows, TIMES[0]), frame, &report);
    for row in &report.rows {
        assert!(number(row, TIMES[1]) <= frame * (1.0 + 1e-6), "{report:?}");
    }
    view.set_report_mode(ReportMode::CallGraph);
    for name in entered {
        assert!(view.select_zone(name), "{name}");
        let report = view.report();
        // Callers stand above the zone, which is indented by one step, and callees below it.
        let at = report.rows.iter().position(|row| row.indent == 1);
        let at = at.expect("the zone");
        assert!(report.rows[at].name.starts_with(name), "{name}: {report:?}");
        let (zone, callers, callees) =
            (&report.rows[at], &report.rows[..at], &report.rows[at + 1..]);
        for column in [TIMES[0], TIMES[1], ColumnId::Count] {
            assert_near(sum(callers, column), number(zone, column), &report);
        }
        let below = number(zone, TIMES[1]) - number(zone, TIMES[0]);
        assert_near(sum(callees, TIMES[1]), below, &report);
    }
}

/// What a thread has recorded so far, by stack.
fn recorded(name: &str) -> BTreeMap<Vec<String>, u64> {
    let snapshot = iprof::snapshot();
    snapshot.validate().expect("a valid snapshot");
    let thread = snapshot.threads.iter().find(|thread| &*thread.name == name);
    let nodes = thread.map_or(&[][..], |thread| &thread.nodes);
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
                *found.entry(stack.clone()).or_default() += node.entries;
            }
        }
        stacks.push(stack);
    }
    found
}

/// Runs a program for each thread in one frame.
fn check(programs: &[Vec<Call>]) {
    static CASES: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let case = CASES.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let name = |at: usize| format!("case {case}, thread {at}");
    let steps = Barrier::new(programs.len() + 1);
    thread::scope(|scope| {
        let run = |at: usize| {
            let (steps, name, calls) = (&steps, name(at), &programs[at]);
            move || {
                iprof::set_thread_name(name);
                iprof::register_thread();
                let mut oracle = Oracle::default();
                steps.wait();
                steps.wait();
                Run {
                    calls,
                    oracle: &mut oracle,
                }
                .all();
                steps.wait();
                steps.wait();
                oracle
            }
        };
        let threads: Vec<_> = (0..programs.len()).map(|at| scope.spawn(run(at))).collect();
        steps.wait();
        iprof::update(true);
        steps.wait();
        steps.wait();
        iprof::update(true);
        // Before anything here can fail, or the threads would wait.
        steps.wait();
        let known = iprof::threads();
        for (at, calls) in programs.iter().enumerate() {
            let thread = known.iter().find(|thread| thread.name == name(at));
            let thread = thread.expect("the thread");
            let mut entered = BTreeSet::new();
            let mut todo: Vec<&Call> = calls.iter().collect();
            while let Some(call) = todo.pop() {
                entered.insert(NAMES[call.function]);
                todo.extend(&call.calls);
            }
            reports_sum(thread.id, &entered);
        }
        for (at, thread) in threads.into_iter().enumerate() {
            let wanted: BTreeMap<Vec<String>, u64> = thread
                .join()
                .expect("the thread's oracle")
                .entries
                .into_iter()
                .map(|(stack, count)| (stack.into_iter().map(str::to_owned).collect(), count))
                .collect();
            assert_eq!(recorded(&name(at)), wanted);
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn zones_of_all_languages_and_facades_sum_on_every_thread(
        programs in prop::collection::vec(calls(), 1..4)
    ) {
        static COLLECTED: OnceLock<()> = OnceLock::new();
        COLLECTED.get_or_init(|| {
            tracing::subscriber::set_global_default(iprof_tracing::Subscriber::new()).expect("the first");
        });
        check(&programs);
    }
}
