//! The columns that need each frame by itself: plans which nodes' times are those of a row while rows are made, then sums
//! these in each frame of the view, as far as no report before has done so.

use super::{Builder, FramesInView, MissedFrames};
use crate::process::frame::ended_frame::Frame;
use crate::process::frame::profiler::Profiler;
use crate::process::frame::row_time_cache::{RowTimeCache, Signature, weight};
use crate::process::frame::thread_tree::ThreadTree;
use crate::process::frame_budget::frame_budget;
use crate::process::query::call_paths::CallPaths;
use crate::process::query::columns;
use crate::process::query::outline::Outline;
use crate::process::query::row_plan::{LANES, RowPlan, Summing};
use crate::process::query::sums::{self, RowSums};
use crate::process::query::times_per_frame::TimesPerFrame;
use crate::process::query::values::NodeValues;
use crate::process::query::zone_sets::{self, ZoneSets};
use crate::process::view::FrameChoice;
use crate::report::{ColumnId, Row, RowKey, Value};

/// Plans.
impl Builder<'_> {
    /// Plans the rows of zones, or of those on behalf of one. `name` gets the number of the first row.
    pub(super) fn plan_flat(
        &self,
        on_behalf_of: Option<u32>,
        name: impl FnOnce(u32, &mut RowPlan),
    ) {
        let Some(plan) = &self.plan else {
            return;
        };
        let count = self.flat.totals.len() - 1;
        let mut rows = RowSums::with_terms(count + 1, self.main_time);
        let recursion = self.view.recursion;
        sums::add_flat(&mut rows, &self.values, recursion, count, on_behalf_of);
        let mut plan = plan.borrow_mut();
        let first = plan.add(rows);
        name(first, &mut plan);
    }

    /// Plans the rows of sets of zones.
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
        (0..sets.above.len() as u32).for_each(|set| plan.name(key(set), first + set));
    }

    /// Plans the rows of call paths: of all nodes, since those without a value now may have one in another frame.
    pub(super) fn plan_paths<'p>(
        &self,
        new: impl FnOnce() -> CallPaths<'p>,
        add: &dyn Fn(&mut CallPaths<'_>, usize, &NodeValues<'_>),
    ) {
        let Some(plan) = &self.plan else {
            return;
        };
        let mut paths = new().of_all_nodes();
        paths.add_sides(self.sides().take(1), add);
        let mut sums = paths.finish();
        let mut plan = plan.borrow_mut();
        let first = sums.sides.pop().map_or(0, |rows| plan.add(rows));
        // A path comes after its parent.
        let last = first + sums.paths.len() as u32;
        for (path, at) in sums.paths.iter().rev().zip((first..last).rev()) {
            plan.name(path.key, at);
            if (path.above as usize) < sums.paths.len() {
                plan.link(at, first + path.above);
            }
        }
    }

    /// Plans that a row is a part of the folded row `others`.
    pub(super) fn plan_part(&self, part: RowKey, others: RowKey) {
        let Some(plan) = &self.plan else {
            return;
        };
        let mut plan = plan.borrow_mut();
        let row = plan.row_of(others).unwrap_or_else(|| {
            let row = plan.add_row();
            plan.name(others, row);
            row
        });
        if let Some(part) = plan.row_of(part) {
            plan.link(part, row);
        }
    }
}

/// The times of the planned rows.
impl Builder<'_> {
    /// The frames whose times count, from old to new.
    fn frames_in_view(&self) -> Vec<&Frame> {
        let history = self.profiler.history();
        let mut frames: Vec<&Frame> = match &self.view.frame {
            FrameChoice::Set(set) => history.members(set),
            FrameChoice::Range(from, to) => history.between(*from.min(to), *from.max(to)).collect(),
            FrameChoice::Session(_) => Vec::new(),
            FrameChoice::Live | FrameChoice::Number(_) => {
                let oldest = history.oldest_in_ring().unwrap_or_default();
                history
                    .iter()
                    .filter(|frame| frame.number >= oldest)
                    .collect()
            }
        };
        if self.profiler.shows_gpu(self.view.threads) {
            frames.retain(|frame| self.profiler.has_gpu(frame));
        }
        frames
    }

    /// Sets the values of rows in the columns that need each frame by itself.
    pub(super) fn add_columns_of_frames(&self, outline: &mut Outline) {
        let Some(plan) = &self.plan else {
            return;
        };
        // The session has sums alone.
        if self.view.shown_part().is_some() {
            return;
        }
        let plan = plan.borrow();
        let frames = self.frames_in_view();
        let wanted = outline.rows_mut().filter(|row| self.wants(row.key));
        let planned = |row| {
            let row: &mut Row = row;
            Some((plan.row_of(row.key)?, row))
        };
        let mut rows: Vec<(u32, &mut Row)> = wanted.filter_map(planned).collect();
        let numbers: Vec<u32> = rows.iter().map(|(at, _)| *at).collect();
        let mut in_view = FramesInView {
            count: frames.len(),
            ..FramesInView::default()
        };
        let mut summing = self.summing(&plan);
        if columns::has_any(self.view, columns::TIMES) {
            let mut times: Vec<f64> = frames.iter().map(|frame| frame.ms()).collect();
            in_view.times = TimesPerFrame::of(&mut times);
            let known = self.know(&mut summing, What::Time, &numbers, &frames);
            for (at, row) in &mut rows {
                known.get(self.profiler, *at, &mut times);
                self.set_times_per_frame(row, &mut times);
            }
            self.times.set(times);
        }
        if let Some(zone) = self.value
            && columns::has_any(self.view, columns::VALUES)
        {
            let known = self.know(&mut summing, What::Value(zone), &numbers, &frames);
            let mut values = Vec::new();
            for (at, row) in &mut rows {
                known.get(self.profiler, *at, &mut values);
                self.set_values_per_frame(row, &mut values);
            }
        }
        if columns::has_any(self.view, columns::RESCUED) {
            let budget_ms = frame_budget().as_secs_f64() * 1e3;
            let is_missed = |frame: &&&Frame| frame.ms() > budget_ms;
            let missed: Vec<&Frame> = frames.iter().filter(is_missed).copied().collect();
            let known = self.know(&mut summing, What::Saved, &numbers, &missed);
            let (mut saved, mut is_estimated) = (Vec::new(), false);
            for (at, row) in rows.iter_mut().filter(|(_, row)| !row.is_idle) {
                known.get(self.profiler, *at, &mut saved);
                let met = |by: f64| {
                    let frames = missed.iter().zip(&saved);
                    let met =
                        frames.filter(|(frame, saved)| frame.ms() - **saved <= budget_ms + by);
                    met.count() as f64
                };
                let error = row.standard_error(self.main_time) / 2.0;
                is_estimated |= error > 0.0;
                let standard_error = match error > 0.0 {
                    true => ((met(error) - met(-error)) / 2.0).max(1.0),
                    false => 0.0,
                };
                row.set_value(ColumnId::Rescued, Value::sampled(met(0.0), standard_error));
            }
            in_view.missed = Some(MissedFrames {
                count: missed.len(),
                budget_ms,
                is_estimated,
                knows_waits: self.knows_waits(),
            });
        }
        self.frames.set(in_view);
        let mut row_times = self.profiler.row_time_cache();
        // Of all threads: nodes of one that comes into view later are not new by that.
        for (at, thread) in self.profiler.threads().iter().enumerate() {
            row_times.set_nodes(at, thread.tree().nodes().len());
        }
    }

    /// Sets the values of a row in the columns of times per frame.
    fn set_times_per_frame(&self, row: &mut Row, times: &mut [f64]) {
        let Some(of) = TimesPerFrame::of(times) else {
            return;
        };
        let error = row.standard_error(self.main_time);
        for &column in ColumnId::TIMES_PER_FRAME {
            if let Some(ms) = of.value(column) {
                row.set_value(column, Value::sampled(ms, error));
            }
        }
    }

    /// Sets the values of a row in the columns of values per frame, given in steps.
    fn set_values_per_frame(&self, row: &mut Row, steps: &mut [f64]) {
        if steps.iter().all(|steps| *steps == 0.0) {
            return;
        }
        steps.iter_mut().for_each(|steps| *steps /= self.steps);
        let Some(of) = TimesPerFrame::of(steps) else {
            return;
        };
        for &column in ColumnId::VALUES_PER_FRAME {
            if let Some(value) = of.value(column) {
                row.set_value(column, Value::exact(value));
            }
        }
    }

    /// The plan, ready to sum the threads in view.
    fn summing(&self, plan: &RowPlan) -> Summing<'_> {
        let threads = self.profiler.threads_in_view(self.view.threads);
        let nodes = threads.iter().map(|at| self.profiler.threads()[*at].tree());
        plan.finish(&nodes.map(ThreadTree::nodes).collect::<Vec<_>>())
    }

    /// Sums `what` of `rows` in `frames` where it is not known.
    fn know(
        &self,
        summing: &mut Summing<'_>,
        what: What,
        rows: &[u32],
        frames: &[&Frame],
    ) -> Known {
        let threads = self.profiler.threads_in_view(self.view.threads);
        let mut row_times = self.profiler.row_time_cache();
        row_times.follow(self.profiler.history());
        let signatures = self.sign(summing, what, &mut row_times, rows);
        let places = row_times.places(frames.iter().copied());
        let mut is_missing = vec![false; places.len()];
        for row in rows {
            let times = row_times.times(signatures[*row as usize]);
            for (is_missing, place) in is_missing.iter_mut().zip(&places) {
                *is_missing |= times[*place as usize].is_nan();
            }
        }
        let frames = frames.iter().zip(&places).zip(is_missing);
        let missing: Vec<(&Frame, u32)> = frames
            .filter(|(_, is_missing)| *is_missing)
            .map(|((frame, place), _)| (*frame, *place))
            .collect();
        // What frames would have saved needs two numbers of each: that of other threads apart.
        let is_other = |thread: usize| thread as u32 != self.profiler.frame_thread();
        let beside = match what {
            What::Saved if threads.iter().any(|at| is_other(*at)) => OTHERS,
            _ => LANES,
        };
        // By thread and node; and by node of the frame's thread.
        let (waits, of_frame): (Vec<Vec<bool>>, Vec<bool>) = match what {
            What::Saved if !missing.is_empty() => (
                threads.iter().map(|at| self.waits(*at)).collect(),
                self.waits(self.profiler.frame_thread() as usize),
            ),
            _ => Default::default(),
        };
        for batch in missing.chunks(beside) {
            for (lane, (frame, _)) in batch.iter().enumerate() {
                for (at, thread) in threads.iter().enumerate() {
                    let lane = match what {
                        What::Saved if is_other(*thread) => lane + OTHERS,
                        _ => lane,
                    };
                    let nodes = self.profiler.threads()[*thread].tree().nodes();
                    for delta in frame.deltas_of(*thread as u32) {
                        let node = delta.node as usize;
                        let [at_node, number] = match what {
                            What::Value(zone) if nodes[node].zone != zone => continue,
                            // What was added at a node is its child.
                            What::Value(_) => [u64::from(nodes[node].parent), delta.entries],
                            What::Saved if waits[at][node] => continue,
                            What::Time | What::Saved => [u64::from(delta.node), delta.ticks],
                        };
                        summing.put(at, at_node as usize, lane, number);
                    }
                }
            }
            let sums = summing.sum_up();
            let waited: Vec<Option<u64>> = match what {
                What::Time | What::Value(_) => Vec::new(),
                What::Saved => {
                    let frames = batch.iter();
                    frames
                        .map(|(frame, _)| self.waited(frame, &of_frame))
                        .collect()
                }
            };
            for row in rows {
                let Some(times) = row_times.times_mut(signatures[*row as usize]) else {
                    continue;
                };
                let sums = &sums[*row as usize];
                for (lane, (frame, place)) in batch.iter().enumerate() {
                    times[*place as usize] = match what {
                        What::Time => sums[lane] as f64 * frame.ms_per_tick,
                        What::Value(_) => sums[lane] as i64 as f64,
                        What::Saved => {
                            let others = if beside == OTHERS {
                                sums[lane + OTHERS]
                            } else {
                                0
                            };
                            saved(sums[lane], others, waited[lane], frame.ticks) * frame.ms_per_tick
                        }
                    };
                }
            }
        }
        Known { signatures, places }
    }

    /// By node: whether its self time is time in which its thread waits.
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

    /// Whether the frame's thread has zones in which it waits.
    fn knows_waits(&self) -> bool {
        let thread = self.profiler.frame_thread() as usize;
        self.waits(thread).contains(&true)
    }

    /// How long the frame's thread waited in a frame, in ticks, given which of its nodes do; none if no node does.
    fn waited(&self, frame: &Frame, waits: &[bool]) -> Option<u64> {
        let deltas = frame.deltas_of(self.profiler.frame_thread()).iter();
        let waited = deltas.filter(|delta| waits[delta.node as usize]);
        waits
            .contains(&true)
            .then(|| waited.map(|delta| delta.ticks).sum())
    }

    /// The signatures of all rows of a plan. Asks for `what` of `rows` by them.
    fn sign(
        &self,
        summing: &mut Summing<'_>,
        what: What,
        row_times: &mut RowTimeCache,
        rows: &[u32],
    ) -> Vec<Signature> {
        for (at, thread) in self
            .profiler
            .threads_in_view(self.view.threads)
            .into_iter()
            .enumerate()
        {
            let before = row_times.nodes(thread);
            for node in 0..self.profiler.threads()[thread].tree().nodes().len() {
                let weight = weight(thread, node);
                summing.put(at, node, 0, weight);
                if node < before {
                    summing.put(at, node, 1, weight);
                }
            }
        }
        let kind = match what {
            What::Time => 0,
            What::Value(zone) => weight(usize::MAX - 2, zone as usize),
            // What waits depends on which thread ends frames; and once any of its zones waits, it is known how long it
            // waited in all frames, also in those before.
            What::Saved => {
                let thread = self.profiler.frame_thread() as usize;
                weight(usize::MAX - usize::from(self.knows_waits()), thread)
            }
        };
        let sums = summing.sum_up();
        for row in rows {
            let [now, before] = [0, 1].map(|lane| sums[*row as usize][lane].wrapping_add(kind));
            row_times.ask(now, before);
        }
        sums.iter().map(|sums| sums[0].wrapping_add(kind)).collect()
    }
}

/// What is kept of a row in each frame.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Time,
    /// What was added to the value of that zone, in steps.
    Value(u32),
    /// How much shorter the frame would have been if the row had taken half of its time.
    Saved,
}

/// The first lane of the times on other threads than the frame's, where there are any.
const OTHERS: usize = LANES / 2;

/// How much shorter a frame of so many ticks would have been, in ticks, if a row had taken half of its time on the frame's
/// thread and on others; see [`ColumnId::Rescued`]. `waited`: how long the frame's thread waited, if that is known.
fn saved(own: u64, others: u64, waited: Option<u64>, ticks: u64) -> f64 {
    let most = waited.unwrap_or_else(|| ticks.saturating_sub(own)) as f64;
    own as f64 * 0.5 + (others as f64 * 0.5).min(most)
}

/// Where what was asked for stands.
#[derive(Debug)]
struct Known {
    /// By row of the plan.
    signatures: Vec<Signature>,
    /// By frame.
    places: Vec<u32>,
}

impl Known {
    /// The numbers of a row, by frame.
    fn get(&self, profiler: &Profiler, row: u32, out: &mut Vec<f64>) {
        let row_times = profiler.row_time_cache();
        let by_place = row_times.times(self.signatures[row as usize]);
        out.clear();
        out.extend(self.places.iter().map(|place| by_place[*place as usize]));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::saved;

    #[test]
    fn what_other_threads_take_shortens_a_frame_by_no_more_than_it_waited() {
        assert_eq!(saved(10, 0, Some(3), 20), 5.0);
        assert_eq!(saved(10, 4, Some(3), 20), 7.0);
        assert_eq!(saved(10, 40, Some(3), 20), 8.0);
        // Where it may have waited any time that it did not work in the row.
        assert_eq!(saved(10, 16, None, 20), 13.0);
        assert_eq!(saved(10, 40, None, 20), 15.0);
        assert_eq!(saved(0, 40, Some(0), 20), 0.0);
    }
}
