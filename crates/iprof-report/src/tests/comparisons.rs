//! Generates comparisons of sets, parts of the session, ranges and single frames, with the frames averaged on each
//! side.

use super::programs::{NaiveFrame, Run};
use super::session;
use super::sums::sets;
use crate::view::{Baseline, View};
use iprof_process::Frames;
use iprof_process::Threads;

/// The shown frames and the baseline. `now` and `before` are the indices of the run's frames averaged on each side.
#[derive(Debug)]
pub(super) struct Comparison {
    pub(super) frame: Frames,
    pub(super) now: Vec<usize>,
    pub(super) baseline: Baseline,
    pub(super) before: Vec<usize>,
}

impl Comparison {
    /// Sets a view's frames, baseline and threads.
    pub(super) fn show(&self, view: &mut View, threads: Threads) {
        view.frame = self.frame.clone();
        view.set_baseline(self.baseline.clone());
        view.set_threads(threads);
    }
}

/// Returns comparisons to test. Each set is compared with the rest and with a different set, and each part with the
/// rest and with a different part. `pick` chooses the different set or part. A range is compared with the rest. A frame
/// is compared with the rest, a different frame, and a set.
pub(super) fn comparisons(run: &Run, pick: usize) -> Vec<Comparison> {
    let count = run.frames.len();
    let others = |of: &[usize]| (0..count).filter(|at| !of.contains(at)).collect();
    let number = |at: usize| (run.forgotten + at) as u64 + 1;
    let sets = sets(&run.frames);
    let parts: Vec<_> = session::parts(run)
        .into_iter()
        .map(|(part, frames)| (part, positions(run, &frames)))
        .collect();
    let mut all = Vec::new();
    let mut add = |frame: &Frames, now: &[usize], baseline, before| {
        all.push(Comparison {
            frame: frame.clone(),
            now: now.to_vec(),
            baseline,
            before,
        });
    };
    for (at, (set, now)) in sets.iter().enumerate() {
        let frame = set.clone();
        let (other, before) = &sets[(at + 1 + pick % 3) % sets.len()];
        add(&frame, now, Baseline::Rest, others(now));
        add(&frame, now, Baseline::Frames(other.clone()), before.clone());
    }
    for (at, (part, now)) in parts.iter().enumerate() {
        let frame = part.clone();
        let (other, before) = &parts[(at + 1 + pick) % parts.len()];
        add(&frame, now, Baseline::Rest, others(now));
        add(&frame, now, Baseline::Frames(other.clone()), before.clone());
    }
    let range: Vec<usize> = (count / 3..=count / 2).collect();
    let last = range.len() - 1;
    let frame = Frames::Range {
        first: number(range[0]),
        last: number(range[last]),
    };
    add(&frame, &range, Baseline::Rest, others(&range));
    let at = pick % count;
    let frame = Frames::Number(number(at));
    add(&frame, &[at], Baseline::Rest, others(&[at]));
    let other = pick / 2 % count;
    add(
        &frame,
        &[at],
        Baseline::Frames(Frames::Number(number(other))),
        vec![other],
    );
    let (set, before) = &sets[pick % sets.len()];
    add(&frame, &[at], Baseline::Frames(set.clone()), before.clone());
    all
}

fn positions(run: &Run, frames: &[&NaiveFrame]) -> Vec<usize> {
    let all = run.frames.iter().enumerate();
    let is_in = |frame: &NaiveFrame| frames.iter().any(|other| std::ptr::eq(*other, frame));
    all.filter(|(_, frame)| is_in(frame))
        .map(|(at, _)| at)
        .collect()
}
