//! The oracle: a naive profiler that stores the whole stack at every moment and computes sums by definition.

use crate::{Recursion, Section};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// A list of zones from the outermost, 0 (`(outside zones)`), to the innermost.
pub(super) type Stack = Vec<usize>;

/// The time and entries of each stack.
#[derive(Clone, Debug, Default)]
pub(super) struct Moments(pub(super) ByStack<(f64, f64)>);

pub(super) type ByStack<T> = HashMap<Stack, T, BuildHasherDefault<StackHasher>>;

/// A cheap hasher. The standard one is slow when tests are built with few optimizations.
#[derive(Clone, Debug, Default)]
pub(super) struct StackHasher(u64);

impl Hasher for StackHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (zones, _) = bytes.as_chunks();
        for zone in zones {
            self.write_usize(usize::from_ne_bytes(*zone));
        }
    }

    fn write_usize(&mut self, number: usize) {
        // This is Knuth's multiplier, 2^64 divided by the golden ratio.
        self.0 = (self.0 ^ number as u64)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// [`Moments`] with each stack's zones as rows, for comparison with reports.
#[derive(Clone, Debug)]
pub(super) struct MomentsByRow(Vec<(Vec<RowId>, f64, f64)>);

/// A zone and its recursion depth, which is always 0 if recursion is flattened.
pub(super) type RowId = (usize, usize);

/// A pseudo-zone for idle time outside zones. All real zones have smaller numbers.
pub(super) const IDLE_OUTSIDE: usize = 99;

/// Self time, hierarchical time and entries.
pub(super) type Sums = [f64; 3];

/// Returns a stack's value, inserting the default if there is none.
pub(super) fn value_of<'m, T: Default>(values: &'m mut ByStack<T>, stack: &[usize]) -> &'m mut T {
    if !values.contains_key(stack) {
        values.insert(stack.to_vec(), T::default());
    }
    values
        .get_mut(stack)
        .expect("the stack should have just been inserted")
}

impl Moments {
    pub(super) fn pass(&mut self, stack: &Stack, ticks: u64) {
        if ticks > 0 {
            self.add(stack, ticks as f64);
        }
    }

    /// Adds to a named value, which is stored in place of the time.
    pub(super) fn add(&mut self, stack: &Stack, amount: f64) {
        value_of(&mut self.0, stack).0 += amount;
    }

    pub(super) fn enter(&mut self, stack: &Stack) {
        value_of(&mut self.0, stack).1 += 1.0;
    }

    /// Adds the stack and all its parents with no time.
    pub(super) fn touch(&mut self, stack: &Stack) {
        for depth in 1..=stack.len() {
            value_of(&mut self.0, &stack[..depth]);
        }
    }

    pub(super) fn total(&self) -> f64 {
        self.0.values().map(|(time, _)| time).sum()
    }

    /// Replaces each stack's values with `self * old + newer * new`.
    pub(super) fn blend(&mut self, old: f64, newer: &Moments, new: f64) {
        for (time, entries) in self.0.values_mut() {
            *time *= old;
            *entries *= old;
        }
        for (stack, (time, entries)) in &newer.0 {
            let mine = value_of(&mut self.0, stack);
            mine.0 += time * new;
            mine.1 += entries * new;
        }
    }

    pub(super) fn merge(&mut self, other: &Moments) {
        self.blend(1.0, other, 1.0);
    }

    /// Returns the moments as lists of zones show them. In lists, time outside zones is idle on all threads except the
    /// first, which ends the frames.
    pub(super) fn in_lists(&self, thread: usize) -> Moments {
        let mut moments = self.clone();
        if thread > 0 && !moments.0.is_empty() {
            // The row exists even without time, since an estimate may have assigned some time to it.
            let outside = moments.0.remove(&vec![0]).unwrap_or_default();
            moments.0.insert(vec![0, IDLE_OUTSIDE], outside);
        }
        moments
    }

    pub(super) fn by_row(&self, recursion: Recursion) -> MomentsByRow {
        let by_row = |(stack, (time, entries)): (&Stack, &(f64, f64))| {
            (named(stack, recursion), *time, *entries)
        };
        MomentsByRow(self.0.iter().map(by_row).collect())
    }
}

impl MomentsByRow {
    pub(super) fn flat(&self) -> BTreeMap<RowId, Sums> {
        let mut rows = BTreeMap::<RowId, Sums>::new();
        for (stack, time, entries) in &self.0 {
            let top = *stack.last().unwrap();
            let row = rows.entry(top).or_default();
            row[0] += time;
            row[2] += entries;
            for (at, zone) in stack.iter().enumerate() {
                if !stack[..at].contains(zone) {
                    rows.entry(*zone).or_default()[1] += time;
                }
            }
        }
        rows
    }

    /// Returns a zone's call graph: its callers, the zone itself, and its callees.
    pub(super) fn call_graph(&self, zone: RowId) -> BTreeMap<(Section, RowId), Sums> {
        let mut rows = BTreeMap::<(Section, RowId), Sums>::new();
        rows.insert((Section::Selected, zone), Sums::default());
        for (stack, time, entries) in &self.0 {
            let top = *stack.last().unwrap();
            let Some(outermost) = stack.iter().position(|z| *z == zone) else {
                continue;
            };
            let innermost = stack.iter().rposition(|z| *z == zone).unwrap();
            let on_behalf = if top == zone {
                [*time, *time, *entries]
            } else {
                [0.0, *time, 0.0]
            };
            add(&mut rows, (Section::Selected, zone), on_behalf);
            if outermost > 0 {
                add(
                    &mut rows,
                    (Section::Caller, stack[outermost - 1]),
                    on_behalf,
                );
            }
            if let Some(callee) = stack.get(innermost + 1) {
                let sums = if top == *callee {
                    [*time, *time, *entries]
                } else {
                    [0.0, *time, 0.0]
                };
                add(&mut rows, (Section::Callee, *callee), sums);
            }
        }
        rows
    }

    /// Returns the totals of all rows selected by `is_in`, on behalf of a zone if one is given. Self time and entries
    /// cover moments with such a row on top of the stack. Hierarchical time covers moments with such a row anywhere on
    /// the stack.
    pub(super) fn union(&self, on_behalf_of: Option<RowId>, is_in: impl Fn(RowId) -> bool) -> Sums {
        let mut sums = Sums::default();
        for (stack, time, entries) in &self.0 {
            let first = match on_behalf_of {
                None => 0,
                Some(zone) => match stack.iter().position(|z| *z == zone) {
                    Some(outermost) => outermost + 1,
                    None => continue,
                },
            };
            let is_in = |row: &RowId| Some(*row) != on_behalf_of && is_in(*row);
            let stack = &stack[first..];
            if stack.iter().any(is_in) {
                sums[1] += time;
            }
            if stack.last().is_some_and(is_in) {
                sums[0] += time;
                sums[2] += entries;
            }
        }
        sums
    }

    /// Returns a zone's cost on behalf of complete caller paths. The zone's own caller comes first.
    pub(super) fn caller_paths(&self, zone: RowId) -> BTreeMap<Vec<RowId>, Sums> {
        self.chains(|stack| {
            let mut end = stack.iter().position(|z| *z == zone)?;
            let mut chain = Vec::new();
            while end > 0 {
                let caller = stack[end - 1];
                chain.push(caller);
                end = stack.iter().position(|z| *z == caller).unwrap();
            }
            // Each path also counts toward all of its prefixes.
            Some((chain, Some(*stack.last().unwrap()) == Some(zone), true))
        })
    }

    /// Returns the cost of complete callee paths on behalf of a zone, or of the program. The zone's own callee comes
    /// first.
    pub(super) fn callee_paths(&self, zone: Option<RowId>) -> BTreeMap<Vec<RowId>, Sums> {
        self.chains(|stack| {
            let mut rest = match zone {
                Some(zone) => &stack[stack.iter().rposition(|z| *z == zone)? + 1..],
                None => stack,
            };
            let mut chain = Vec::new();
            while let [first, ..] = rest {
                chain.push(*first);
                rest = &rest[rest.iter().rposition(|z| z == first).unwrap() + 1..];
            }
            Some((chain, true, false))
        })
    }

    /// Sums by call path. `chain` returns a stack's path, whether the moment is self time of the path's last row, and
    /// whether the moment also counts toward the path's prefixes.
    fn chains(
        &self,
        chain: impl Fn(&[RowId]) -> Option<(Vec<RowId>, bool, bool)>,
    ) -> BTreeMap<Vec<RowId>, Sums> {
        let mut rows = BTreeMap::<Vec<RowId>, Sums>::new();
        for (stack, time, entries) in &self.0 {
            let Some((chain, last, all)) = chain(stack) else {
                continue;
            };
            for length in 1..=chain.len() {
                let path = &chain[..length];
                if !rows.contains_key(path) {
                    rows.insert(path.to_vec(), Sums::default());
                }
                let row = rows
                    .get_mut(path)
                    .expect("the row should have just been inserted");
                row[1] += time;
                if last && (all || length == chain.len()) {
                    row[0] += time;
                    row[2] += entries;
                }
            }
        }
        rows
    }

    /// Returns the cost of all of a zone's descendants on its behalf.
    pub(super) fn descendants(&self, zone: RowId) -> BTreeMap<RowId, Sums> {
        let mut rows = BTreeMap::<RowId, Sums>::new();
        for (stack, time, entries) in &self.0 {
            let Some(outermost) = stack.iter().position(|z| *z == zone) else {
                continue;
            };
            let above: std::collections::BTreeSet<RowId> = stack[outermost + 1..]
                .iter()
                .copied()
                .filter(|z| *z != zone)
                .collect();
            for row in above {
                let sums = rows.entry(row).or_default();
                sums[1] += time;
                if stack.last() == Some(&row) {
                    sums[0] += time;
                    sums[2] += entries;
                }
            }
        }
        rows
    }
}

fn add(rows: &mut BTreeMap<(Section, RowId), Sums>, key: (Section, RowId), sums: Sums) {
    let row = rows.entry(key).or_default();
    for (mine, more) in row.iter_mut().zip(sums) {
        *mine += more;
    }
}

fn named(stack: &Stack, recursion: Recursion) -> Vec<RowId> {
    let mut above = [0; IDLE_OUTSIDE + 1];
    let mut level = |zone: usize| {
        above[zone] += 1;
        above[zone] - 1
    };
    match recursion {
        Recursion::Flatten => stack.iter().map(|zone| (*zone, 0)).collect(),
        Recursion::Spread => stack.iter().map(|zone| (*zone, level(*zone))).collect(),
    }
}
