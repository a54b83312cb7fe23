//! Fills in the columns that need per-frame values. While rows are being built, this code records which nodes make up
//! each row. It then sums those nodes' values in each frame in view.

use super::{Builder, FrameSummary, MissedFrames};
use crate::query::call_paths::CallPaths;
use crate::query::columns;
use crate::query::row_plan::RowPlan;
use crate::query::row_plan::TimesPerFrame;
use crate::query::row_tree::RowTrees;
use crate::query::sums::{self, RowSums};
use crate::query::values::NodeValues;
use crate::query::zone_sets::{self, ZoneSets};
use crate::report::{ColumnId, Row, RowKey, Value};
use iprof_process::Frames;
use iprof_process::frame::Frame;
use iprof_process::thread_tree::TreeNode;
use iprof_process::untimed_nodes::NodeDelta;

impl Builder<'_> {
    /// Plans the rows of a list. `set_keys` receives the number of the first row.
    pub(super) fn plan_list(
        &self,
        on_behalf_of: Option<u32>,
        set_keys: impl FnOnce(u32, &mut RowPlan),
    ) {
        let Some(plan) = &self.plan else {
            return;
        };
        let count = self.by_row.totals.len() - 1;
        let mut rows = RowSums::with_terms(count + 1, self.main_time);
        let recursion = self.view.recursion;
        sums::add_totals_by_row(&mut rows, &self.values, recursion, count, on_behalf_of);
        let mut plan = plan.borrow_mut();
        let first = plan.add(rows);
        set_keys(first, &mut plan);
    }

    pub(super) fn plan_sets(
        &self,
        sets: ZoneSets<'_>,
        on_behalf_of: Option<u32>,
        key: impl Fn(u32) -> RowKey,
    ) {
        let Some(plan) = &self.plan else {
            return;
        };
        let mut rows = RowSums::with_terms(sets.above.len(), self.main_time);
        let recursion = self.view.recursion;
        zone_sets::add_sets(&mut rows, &self.values, recursion, sets, on_behalf_of);
        let mut plan = plan.borrow_mut();
        let first = plan.add(rows);
        (0..sets.above.len() as u32).for_each(|set| plan.set_key(key(set), first + set));
    }

    /// Plans the call paths of all nodes, since nodes without values now may have values in a different frame.
    pub(super) fn plan_paths<'p>(
        &self,
        new: impl FnOnce(bool) -> CallPaths<'p>,
        add: &dyn Fn(&mut CallPaths<'_>, usize, &NodeValues<'_>),
    ) {
        let Some(plan) = &self.plan else {
            return;
        };
        let mut sums = new(true);
        sums.add_value_sets(self.value_sets().take(1), add);
        let mut plan = plan.borrow_mut();
        let first = sums.sets.pop().map_or(0, |rows| plan.add(rows));
        // Paths come after their parents. In reverse order, each path's sum is complete before it is added to its
        // parent's.
        let last = first + sums.paths.len() as u32;
        for (path, at) in sums.paths.iter().rev().zip((first..last).rev()) {
            plan.set_key(path.key, at);
            if (path.above as usize) < sums.paths.len() {
                plan.link(at, first + path.above);
            }
        }
    }

    /// Records that a row is part of the folded row `others`.
    pub(super) fn plan_part(&self, part: RowKey, others: RowKey) {
        let Some(plan) = &self.plan else {
            return;
        };
        let mut plan = plan.borrow_mut();
        let row = plan.row_of(others).unwrap_or_else(|| {
            let row = plan.add_row();
            plan.set_key(others, row);
            row
        });
        if let Some(part) = plan.row_of(part) {
            plan.link(part, row);
        }
    }

    /// Returns the frames that the per-frame columns cover, oldest first.
    fn frames_in_view(&self) -> Vec<&Frame> {
        let history = self.profiler.history();
        let mut frames: Vec<&Frame> = match &self.view.frame {
            frames if frames.is_session() => Vec::new(),
            Frames::Live | Frames::Number(_) => {
                let oldest = history.oldest_in_ring().unwrap_or_default();
                history
                    .iter()
                    .filter(|frame| frame.number >= oldest)
                    .collect()
            }
            set => history.members(set),
        };
        if self.profiler.shows_gpu(self.view.threads()) {
            frames.retain(|frame| self.profiler.has_gpu(frame));
        }
        frames
    }

    /// Fills in the columns that need per-frame values.
    pub(super) fn add_per_frame_columns(&self, trees: &mut RowTrees) {
        let Some(plan) = &self.plan else {
            return;
        };
        // The session keeps only sums.
        if self.view.shown_part().is_some() {
            return;
        }
        let plan = plan.borrow();
        let frames = self.frames_in_view();
        let wanted = trees.rows_mut().filter(|row| self.wants(row.key));
        let planned = |row| {
            let row: &mut Row = row;
            Some((plan.row_of(row.key)?, row))
        };
        let mut rows: Vec<(u32, &mut Row)> = wanted.filter_map(planned).collect();
        let numbers: Vec<u32> = rows.iter().map(|(at, _)| *at).collect();
        let mut summary = FrameSummary {
            count: frames.len(),
            ..FrameSummary::default()
        };
        if columns::has_any(self.view, columns::TIMES) {
            let mut times: Vec<f64> = frames.iter().map(|frame| frame.ms()).collect();
            summary.times = TimesPerFrame::of(&mut times);
            let ticks = self.sums_by_frame(&plan, &numbers, &frames, |_, delta| {
                Some((delta.node, delta.ticks))
            });
            for ((_, row), ticks) in rows.iter_mut().zip(ticks) {
                let ms = frames.iter().zip(&ticks);
                times = ms
                    .map(|(frame, ticks)| *ticks as f64 * frame.ms_per_tick)
                    .collect();
                let error = row.standard_error(self.main_time);
                Self::set_per_frame(row, ColumnId::TIMES_PER_FRAME, &mut times, error);
            }
            self.last_row_times.set(times);
        }
        if let Some(zone) = self.value
            && columns::has_any(self.view, columns::VALUES)
        {
            let steps = self.sums_by_frame(&plan, &numbers, &frames, |thread, delta| {
                // The amount added to a value at a node is stored in a child node.
                let node = &self.profiler.threads()[thread].tree().nodes()[delta.node as usize];
                (node.zone == zone).then_some((node.parent, delta.entries))
            });
            for ((_, row), steps) in rows.iter_mut().zip(steps) {
                let value = |steps: &u64| *steps as i64 as f64 / self.steps;
                let mut values: Vec<f64> = steps.iter().map(value).collect();
                if values.iter().any(|value| *value != 0.0) {
                    Self::set_per_frame(row, ColumnId::VALUES_PER_FRAME, &mut values, 0.0);
                }
            }
        }
        if columns::has_any(self.view, columns::RESCUED) {
            rows.retain(|(_, row)| !row.is_idle);
            summary.missed = Some(self.set_rescued(&plan, &mut rows, &frames));
        }
        self.frame_summary.set(summary);
    }

    /// Fills in how many frames over the budget would have met it if the row had taken half its time.
    fn set_rescued(
        &self,
        plan: &RowPlan,
        rows: &mut [(u32, &mut Row)],
        frames: &[&Frame],
    ) -> MissedFrames {
        let budget_ms = self.profiler.frame_budget().as_secs_f64() * 1e3;
        let is_missed = |frame: &&&Frame| frame.ms() > budget_ms;
        let missed: Vec<&Frame> = frames.iter().filter(is_missed).copied().collect();
        let numbers: Vec<u32> = rows.iter().map(|(at, _)| *at).collect();
        let main = self.profiler.frame_thread() as usize;
        let waits: Vec<Vec<bool>> = (0..self.profiler.threads().len())
            .map(|thread| self.waits(thread))
            .collect();
        // Each row's working time in each missed frame, on the frame's thread and on all others.
        let [own, others] = [true, false].map(|is_own| {
            self.sums_by_frame(plan, &numbers, &missed, |thread, delta| {
                let works = (thread == main) == is_own && !waits[thread][delta.node as usize];
                works.then_some((delta.node, delta.ticks))
            })
        });
        let waits: &[bool] = waits.get(main).map_or(&[], |waits| waits);
        let waited: Vec<Option<u64>> = missed
            .iter()
            .map(|frame| self.waited(frame, waits))
            .collect();
        let mut is_estimated = false;
        for ((_, row), (own, others)) in rows.iter_mut().zip(own.iter().zip(&others)) {
            let met = |by: f64| {
                let is_met = |(at, frame): &(usize, &&Frame)| {
                    let saved = saved(own[*at], others[*at], waited[*at], frame.ticks);
                    frame.ms() - saved * frame.ms_per_tick <= budget_ms + by
                };
                missed.iter().enumerate().filter(is_met).count() as f64
            };
            let error = row.standard_error(self.main_time) / 2.0;
            is_estimated |= error > 0.0;
            let standard_error = match error > 0.0 {
                true => ((met(error) - met(-error)) / 2.0).max(1.0),
                false => 0.0,
            };
            row.set_value(ColumnId::Rescued, Value::sampled(met(0.0), standard_error));
        }
        MissedFrames {
            count: missed.len(),
            budget_ms,
            is_estimated,
            knows_waits: waits.contains(&true),
        }
    }

    fn set_per_frame(row: &mut Row, columns: &[ColumnId], numbers: &mut [f64], error: f64) {
        let of = TimesPerFrame::of(numbers);
        for &column in columns {
            if let Some(number) = of.and_then(|of| of.value(column)) {
                row.set_value(column, Value::sampled(number, error));
            }
        }
    }

    /// Returns each row's sum in each frame. `number` returns a node and the number to add, for each delta that counts.
    fn sums_by_frame<'f>(
        &self,
        plan: &RowPlan,
        rows: &[u32],
        frames: &[&'f Frame],
        number: impl Fn(usize, &NodeDelta) -> Option<(u32, u64)>,
    ) -> Vec<Vec<u64>> {
        let threads = self.profiler.threads_in_view(self.view.threads());
        let nodes = |thread: &usize| self.profiler.threads()[*thread].tree().nodes();
        let nodes: Vec<&[TreeNode]> = threads.iter().map(nodes).collect();
        let number = &number;
        // Returns the thread's index among those in view, the node, and the number to add.
        let numbers = |frame: &'f Frame| {
            threads.iter().enumerate().flat_map(move |(at, thread)| {
                let deltas = frame.deltas_of(*thread as u32).iter();
                let numbers = deltas.filter_map(move |delta| number(*thread, delta));
                numbers.map(move |(node, number)| (at, node as usize, number))
            })
        };
        let mut sums = vec![Vec::new(); rows.len()];
        for frames in frames.chunks(FRAMES_AT_ONCE) {
            let mut live: Vec<Vec<bool>> = nodes.iter().map(|of| vec![false; of.len()]).collect();
            for frame in frames {
                numbers(frame).for_each(|(thread, node, _)| live[thread][node] = true);
            }
            let mut frame_sums = plan.prepare(&nodes, &live);
            for frame in frames {
                numbers(frame)
                    .for_each(|(thread, node, number)| frame_sums.add(thread, node, number));
                let by_row = frame_sums.sum_up();
                for (row, sums) in rows.iter().zip(&mut sums) {
                    sums.push(by_row[*row as usize]);
                }
            }
        }
        sums
    }

    /// Returns whether each node's self time counts as waiting.
    fn waits(&self, thread: usize) -> Vec<bool> {
        let Some(of) = self.profiler.threads().get(thread) else {
            return Vec::new();
        };
        let nodes = of.tree().nodes().iter();
        let mut waits: Vec<bool> = nodes
            .map(|node| self.profiler.indices().is_idle(node.zone))
            .collect();
        waits[0] |= self.profiler.is_idle_outside_zones(thread);
        waits
    }

    /// Returns how many ticks the frame's thread waited during a frame, or `None` if none of its nodes wait.
    fn waited(&self, frame: &Frame, waits: &[bool]) -> Option<u64> {
        let deltas = frame.deltas_of(self.profiler.frame_thread()).iter();
        let waited = deltas.filter(|delta| waits[delta.node as usize]);
        waits
            .contains(&true)
            .then(|| waited.map(|delta| delta.ticks).sum())
    }
}

/// The number of frames that are summed together. It is small enough for the frames to stay in cache until the second
/// pass.
const FRAMES_AT_ONCE: usize = 32;

/// Returns how many ticks a frame would have saved if a row had taken half its time, see [`ColumnId::Rescued`]. `own`
/// is the row's time on the frame's thread, and `others` its time on all other threads. `waited` is how long the
/// frame's thread waited, if known.
fn saved(own: u64, others: u64, waited: Option<u64>, ticks: u64) -> f64 {
    let most = waited.unwrap_or_else(|| ticks.saturating_sub(own)) as f64;
    own as f64 * 0.5 + (others as f64 * 0.5).min(most)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::saved;

    #[test]
    fn other_threads_save_at_most_the_wait() {
        assert_eq!(saved(10, 0, Some(3), 20), 5.0);
        assert_eq!(saved(10, 4, Some(3), 20), 7.0);
        assert_eq!(saved(10, 40, Some(3), 20), 8.0);
        // The thread may have waited at any time when it wasn't working in the row.
        assert_eq!(saved(10, 16, None, 20), 13.0);
        assert_eq!(saved(10, 40, None, 20), 15.0);
        assert_eq!(saved(0, 40, Some(0), 20), 0.0);
    }
}
