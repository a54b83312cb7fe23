//! Compares snapshots, remembered frames and reports with the thread models of the `calls` fuzz target.

use super::calls::{IDLE, NAMES, Run, UPDATE};
use super::oracle::{IDLE_OUTSIDE, Moments, RowId, Stack, Sums};
use crate::clock::mock;
use crate::{ThreadId, Threads, View};
use iprof_process::{Snapshot, SnapshotThread};
use iprof_report::{ColumnId, Recursion, Report, ReportMode, Row, RowKey, Section};
use std::collections::BTreeMap;

/// The maximum number of rows per report whose call graphs are checked.
const MOST_ROWS: usize = 10;

impl Run {
    pub(super) fn check_snapshot(&mut self) {
        mock::set_both(self.now);
        let snapshot = crate::snapshot();
        let is_recording = !self.is_paused && !self.was_off;
        for (name, model) in NAMES.iter().zip(&self.models) {
            let mut truth = model.recorded.clone();
            if is_recording {
                truth.merge(&model.frame);
            }
            self.check_thread(&snapshot, name, &truth);
        }
        let recorded: u64 = self.frames.iter().map(|frame| frame.ticks).sum();
        let open = if is_recording {
            self.now - self.frame_start
        } else {
            0
        };
        assert_eq!(
            snapshot.ticks,
            recorded + open,
            "the snapshot's total ticks"
        );
        assert_eq!(snapshot.frames, self.frames.len() as u64);
    }

    /// Checks that each frame equals its model. Because the totals are checked first, this implies that the frames sum
    /// to the totals.
    pub(super) fn check_frames(&self) {
        let remembered: Vec<_> = crate::frame_snapshots(..).collect();
        assert_eq!(remembered.len(), self.frames.len());
        for (frame, truth) in remembered.iter().zip(&self.frames) {
            assert_eq!(frame.recorded.ticks, truth.ticks, "frame {}", frame.number);
            for (name, truth) in NAMES.iter().zip(&truth.threads) {
                self.check_thread(&frame.recorded, name, truth);
            }
        }
    }

    pub(super) fn check_thread(&self, snapshot: &Snapshot, name: &str, truth: &Moments) {
        let mut got = BTreeMap::<Stack, (u64, u64)>::new();
        for zone in &snapshot.zones {
            let is_idle = number(&zone.name) == IDLE;
            assert_eq!(zone.is_idle, is_idle, "{zone:?}");
        }
        let threads = snapshot.threads.iter().filter(|t| &*t.name == name);
        let mut total = 0;
        for thread in threads {
            for at in 0..thread.nodes.len() {
                let node = thread.nodes[at];
                total += node.ticks;
                if node.ticks > 0 || node.entries > 0 {
                    let sums = got.entry(stack_of(snapshot, thread, at)).or_default();
                    sums.0 += node.ticks;
                    sums.1 += node.entries;
                }
            }
        }
        assert_eq!(total as f64, truth.total(), "time of {name}");
        let stacks = truth.0.keys().chain(got.keys());
        for stack in stacks {
            let (ticks, entries) = got.get(stack).copied().unwrap_or_default();
            let (time, wanted) = truth.0.get(stack).copied().unwrap_or_default();
            assert_eq!(entries as f64, wanted, "entries of {stack:?} on {name}");
            if self.is_exact {
                assert_eq!(ticks as f64, time, "time of {stack:?} on {name}");
            }
        }
    }

    pub(super) fn check_reports(&self) {
        let frame = self.frames.last().expect("a frame should have been pushed");
        for info in crate::threads() {
            let Some(at) = NAMES.iter().position(|name| *name == info.name) else {
                continue;
            };
            if let Some(truth) = frame.threads.get(at) {
                let is_main = self.main == Some(at);
                self.check_thread_reports(info.id, is_main, truth, frame.ticks as f64);
            }
        }
        let faults: [u64; 2] = self.models.iter().fold([0; 2], |sum, model| {
            [sum[0] + model.faults[0], sum[1] + model.faults[1]]
        });
        let warnings = View::default().report(&crate::profiler()).warnings;
        for (text, count) in FAULTS.iter().zip(faults) {
            let found = warnings.iter().find(|warning| warning.starts_with(text));
            let wanted = match count {
                0 => None,
                1 => Some(format!("{text}: once")),
                _ => Some(format!("{text}: {count} times")),
            };
            let is_right = match (found, &wanted) {
                (Some(found), Some(wanted)) => found.starts_with(&**wanted),
                (found, wanted) => found.is_none() && wanted.is_none(),
            };
            assert!(is_right, "{warnings:?}, not {wanted:?}");
        }
    }

    fn check_thread_reports(
        &self,
        thread: ThreadId,
        is_main: bool,
        truth: &Moments,
        frame_ticks: f64,
    ) {
        let in_lists = truth.in_lists((!is_main).into());
        let mut view = View::default();
        view.idle_ranked = true;
        view.set_threads(Threads::One(thread));
        view.average = crate::Average::Newest;
        for recursion in [Recursion::Flatten, Recursion::Spread] {
            view.recursion = recursion;
            for mode in [ReportMode::SelfTime, ReportMode::HierarchicalTime] {
                view.report_mode = mode;
                let report = view.report(&crate::profiler());
                self.compare(&report, row_id, &in_lists.by_row(recursion).flat());
                self.check_idle(&view, &report, &in_lists);
                let self_times: f64 = report.rows.iter().map(|r| sums(r)[0]).sum();
                assert!(close(self_times, truth.total()), "sum 1: {report:?}");
                let is_in_frame = |row| sums(row)[1] <= frame_ticks + 1e-3;
                assert!(report.rows.iter().all(is_in_frame), "sum 4: {report:?}");
            }
            let by_row = truth.by_row(recursion);
            // Each level of a deep recursion may have a row, so only some rows are checked.
            let rows = view.report(&crate::profiler()).rows.len();
            for at in (0..rows).step_by(rows / MOST_ROWS + 1) {
                let mut view = view.clone();
                view.act(&crate::profiler(), crate::Action::SetCursor(at));
                let row = view.report(&crate::profiler()).rows[at].clone();
                if row_id(&row).0 == IDLE_OUTSIDE {
                    continue;
                }
                view.act(&crate::profiler(), crate::Action::Select);
                let report = view.report(&crate::profiler());
                assert_eq!(view.report_mode, ReportMode::CallGraph);
                let key = |row: &Row| (row.key.section, row_id(row));
                self.compare(&report, key, &by_row.call_graph(row_id(&row)));
                check_sums(&row, &report);
                view.report_mode = ReportMode::CallGraphDescendants;
                let _ = view.report(&crate::profiler());
            }
            let mut tree = view.clone();
            tree.report_mode = ReportMode::CallTree;
            let report = tree.report(&crate::profiler());
            if let Some(root) = report.rows.first() {
                assert!(close(sums(root)[1], truth.total()), "{report:?}");
            }
        }
    }

    /// Checks that a list that ranks idle rows marks them as idle, and that any other list combines them into one row.
    fn check_idle(&self, view: &View, ranked: &Report, truth: &Moments) {
        let is_idle = |zone: usize| [IDLE, IDLE_OUTSIDE].contains(&zone);
        let marked = |row: &&Row| row.is_idle;
        for row in &ranked.rows {
            assert_eq!(row.is_idle, is_idle(row_id(row).0), "{row:?}");
        }
        let mut view = view.clone();
        view.idle_ranked = false;
        let folded = view.report(&crate::profiler());
        let list = |rows: &[Row], idle| -> Vec<RowId> {
            let rows = rows.iter().filter(|row| row.is_idle == idle);
            let mut rows: Vec<RowId> = rows.map(row_id).collect();
            rows.sort_unstable();
            rows
        };
        assert_eq!(list(&ranked.rows, false), list(&folded.rows, false));
        let sum = |value: usize| -> f64 {
            let rows = ranked.rows.iter().filter(marked);
            rows.map(|row| sums(row)[value]).sum()
        };
        let Some(idle) = folded.rows.iter().find(marked) else {
            assert!(!ranked.rows.iter().any(|row| row.is_idle), "{folded:?}");
            return;
        };
        assert_eq!(&*idle.name, "(idle)");
        assert_eq!(folded.rows.last().map(|row| row.key), Some(idle.key));
        let [time, hier, entries] = sums(idle);
        assert!(close(time, sum(0)) && close(entries, sum(2)), "{idle:?}");
        let stacks = truth.0.iter();
        let open = stacks.filter(|(stack, _)| stack.iter().any(|zone| is_idle(*zone)));
        let open: f64 = open.map(|(_, (time, _))| time).sum();
        assert!(close(hier, open) || !self.is_exact, "{idle:?}, not {open}");
        view.act(
            &crate::profiler(),
            crate::Action::SetCursor(folded.rows.len() - 1),
        );
        view.act(&crate::profiler(), crate::Action::Expand);
        let mut opened = view.report(&crate::profiler()).rows;
        opened.retain(|row| row.key != idle.key);
        assert_eq!(list(&opened, true), list(&ranked.rows, true));
    }

    /// Compares the report's rows with the model. Rows that are not shown must be zero in the model.
    fn compare<K: Ord + std::fmt::Debug>(
        &self,
        report: &Report,
        key: impl Fn(&Row) -> K,
        truth: &BTreeMap<K, Sums>,
    ) {
        let shown: BTreeMap<K, Sums> = report.rows.iter().map(|r| (key(r), sums(r))).collect();
        assert_eq!(shown.len(), report.rows.len(), "duplicate row");
        for key in truth.keys().chain(shown.keys()) {
            let got = shown.get(key).copied().unwrap_or_default();
            let wanted = truth.get(key).copied().unwrap_or_default();
            let times = got[..2].iter().zip(&wanted[..2]);
            let is_same = |(got, wanted): (&f64, &f64)| close(*got, *wanted);
            assert!(close(got[2], wanted[2]), "{key:?}: {got:?}, not {wanted:?}");
            if self.is_exact {
                assert!(
                    times.clone().all(is_same),
                    "{key:?}: {got:?}, not {wanted:?}"
                );
            }
            assert!(got.iter().all(|value| value.is_finite() && *value >= 0.0));
        }
    }
}

/// The beginnings of the warnings that report faults.
const FAULTS: [&str; 2] = [
    "zone still open when its parent ended; closed implicitly",
    "`end!` without a matching `begin!`; ignored",
];

/// Checks sums 2 and 3 for a zone and its call graph.
fn check_sums(row: &Row, report: &Report) {
    let total = |section, value: usize| -> f64 {
        let rows = report.rows.iter().filter(|r| r.key.section == section);
        rows.map(|row| sums(row)[value]).sum()
    };
    // A list shows the idle time outside zones in a separate row.
    let of_zone = match number(&row.name) {
        0 => [0, 1, 2].map(|value| total(Section::Selected, value)),
        _ => sums(row),
    };
    for (value, of_zone) in of_zone.into_iter().enumerate() {
        assert!(close(total(Section::Selected, value), of_zone));
        if number(&row.name) != 0 {
            let callers = total(Section::Caller, value);
            assert!(close(callers, of_zone), "sum 3: {report:?}");
        }
    }
    let callees = total(Section::Callee, 1);
    assert!(close(callees, of_zone[1] - of_zone[0]), "sum 2: {report:?}");
}

fn stack_of(snapshot: &Snapshot, thread: &SnapshotThread, node: usize) -> Stack {
    let name = |zone: u32| number(&snapshot.zones[zone as usize].name);
    let mut stack: Stack = thread.stack(node).map(|node| name(node.zone)).collect();
    stack.reverse();
    stack
}

fn number(name: &str) -> usize {
    match name.split(' ').next() {
        Some("(outside") => 0,
        Some("iprof_update") => UPDATE,
        Some(letter) if letter.len() == 1 => usize::from(letter.as_bytes()[0] - b'a') + 1,
        _ => panic!("zone {name} was never entered"),
    }
}

fn row_id(row: &Row) -> RowId {
    if row.key == RowKey::idle_outside_zones(0) {
        return (IDLE_OUTSIDE, 0);
    }
    (number(&row.name), row.key.level as usize)
}

/// Returns the times in nanoseconds, which equal ticks in this test, and the number of entries.
fn sums(row: &Row) -> Sums {
    let columns = [
        ColumnId::SelfTime,
        ColumnId::HierarchicalTime,
        ColumnId::Count,
    ];
    let [self_ms, hier_ms, entries] = row.numbers(columns);
    [self_ms * 1e6, hier_ms * 1e6, entries]
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-3 + 1e-9 * a.abs().max(b.abs())
}
