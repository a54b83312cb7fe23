//! Lists of zones as rows: all of them, or all below a selected one. Their families are groups.
//!
//! Rows that stand under the same one, a level, may have moments in common. So what small ones have
//! together is not the sum of what each has: see [`unions`](crate::process::unions).

use super::Builder;
use super::level::Level;
use crate::process::columns::BY_SELF;
use crate::process::fold::{FEWEST, Fold};
use crate::process::heat::RowHeat;
use crate::process::outline::Rows;
use crate::process::sums::{self, Flat, Totals};
use crate::process::tree::NONE;
use crate::process::unions::{Sets, unions};
use crate::process::values::Values;
use crate::process::zones::Key;
use crate::report::{Prefix, Record, RowKey, Section};

/// What a list is of.
struct List<'a> {
    section: Section,
    /// Whose callees are listed, and theirs; none if all zones are.
    on_behalf_of: Option<u32>,
    /// The rows that have something to show, and what.
    rows: Vec<(u32, [Totals; 2])>,
    /// By row its innermost family, by family the one that it is part of: [`NONE`] if there is
    /// none. No families if zones are not grouped.
    family: Vec<u32>,
    above: &'a [u32],
    /// By family: what it has, whether it has something to show, and whether its rows are listed.
    totals: Vec<[Totals; 2]>,
    /// What more calls of its rows cost, if their times sum to its own.
    more: Vec<Option<f64>>,
    shown: Vec<bool>,
    open: Vec<bool>,
}

/// What of a list is folded. A level's number is that of its family and one more; 0 is the first.
struct Folded {
    rows: Vec<bool>,
    families: Vec<bool>,
    /// By level: the row of what is folded.
    others: Vec<Option<Record>>,
}

/// The level in which something of a family stands.
fn level_in(family: u32) -> usize {
    family.wrapping_add(1) as usize
}

impl Builder<'_> {
    /// All zones.
    pub(super) fn all_zones(&self) -> Rows {
        self.list(Section::Flat, &self.flat, self.flat_before.as_ref(), None)
    }

    /// All that lies below a zone, which is that row.
    pub(super) fn descendants(&self, of: u32) -> Rows {
        let rows = self.flat.totals.len();
        let below = |values: &Values<'_>| sums::flat(values, self.view.recursion, rows, Some(of));
        let (now, before) = (below(&self.values), self.baseline.as_ref().map(below));
        self.list(Section::Descendant, &now, before.as_ref(), Some(of))
    }

    fn list(
        &self,
        section: Section,
        now: &Flat,
        before: Option<&Flat>,
        on_behalf_of: Option<u32>,
    ) -> Rows {
        let mut list = List {
            section,
            on_behalf_of,
            rows: self.shown_rows(now, before).collect(),
            family: vec![NONE; now.totals.len()],
            above: &[],
            totals: Vec::new(),
            more: Vec::new(),
            shown: Vec::new(),
            open: Vec::new(),
        };
        if self.view.grouping && section == Section::Flat {
            self.group(&mut list);
        }
        let folded = match &self.fold {
            Some(fold) => self.fold_rows(fold, &list),
            None => self.nothing_folded(&list),
        };
        self.list_levels(&list, folded)
    }

    /// Finds the families of a list.
    fn group<'s>(&'s self, list: &mut List<'s>) {
        let names = &self.process.names;
        let families = names.families();
        let zone = |row: usize| self.key(row as u32).zone;
        list.family = (0..list.family.len())
            .map(|row| names.family(zone(row)))
            .collect();
        list.above = families.above();
        list.totals = self.totals_of(list, &list.family, list.above);
        list.more = self.more_of(list, &list.family, list.above);
        list.shown = vec![false; families.count()];
        // By family: whether the filter asks for one of its zones.
        let mut asked_for = vec![false; families.count()];
        for (row, _) in &list.rows {
            let is_asked_for =
                !self.filter.is_empty() && self.name(*row).to_lowercase().contains(&self.filter);
            let mut family = list.family[*row as usize];
            while family != NONE {
                list.shown[family as usize] = true;
                asked_for[family as usize] |= is_asked_for;
                family = list.above[family as usize];
            }
        }
        list.open = (0..families.count() as u32)
            .map(|family| {
                let name = || families.name(family).to_lowercase();
                self.view.is_open(RowKey::family(family))
                    || asked_for[family as usize] && !name().contains(&self.filter)
            })
            .collect();
    }

    /// What sets of rows have together.
    fn totals_of(&self, list: &List<'_>, by_row: &[u32], above: &[u32]) -> Vec<[Totals; 2]> {
        let mut totals = vec![[Totals::default(); 2]; above.len()];
        let sets = Sets { by_row, above };
        for (side, values) in self.sides() {
            let unions = unions(values, self.view.recursion, sets, list.on_behalf_of);
            for (totals, union) in totals.iter_mut().zip(unions) {
                totals[side] = union;
            }
        }
        totals
    }

    /// What more calls of the rows of sets cost, if their times sum up: self times do.
    fn more_of(&self, list: &List<'_>, by_row: &[u32], above: &[u32]) -> Vec<Option<f64>> {
        let mut more = vec![(self.about == BY_SELF).then_some(0.0); above.len()];
        for (row, totals) in &list.rows {
            let cost = self.more(totals);
            let mut set = by_row[*row as usize];
            while set != NONE {
                more[set as usize] = more[set as usize].map(|sum| sum + cost);
                set = above[set as usize];
            }
        }
        more
    }

    fn nothing_folded(&self, list: &List<'_>) -> Folded {
        Folded {
            rows: vec![false; list.family.len()],
            families: vec![false; list.above.len()],
            others: vec![None; list.above.len() + 1],
        }
    }

    fn fold_rows(&self, fold: &Fold, list: &List<'_>) -> Folded {
        let mut folded = self.nothing_folded(list);
        let mut counts = vec![0; folded.others.len()];
        for (row, totals) in &list.rows {
            let family = list.family[*row as usize];
            let others = self.key_of_level(list, family);
            let key = self.key_of_row(list, *row);
            let is_small = fold.is_small(self.share(totals), key, others);
            folded.rows[*row as usize] = is_small;
            counts[level_in(family)] += u32::from(is_small);
        }
        for (at, totals) in list.totals.iter().enumerate() {
            let others = self.key_of_level(list, list.above[at]);
            let key = RowKey::family(at as u32);
            let is_small = list.shown[at] && fold.is_small(self.share(totals), key, others);
            folded.families[at] = is_small;
            counts[level_in(list.above[at])] += u32::from(is_small);
        }
        // By level: the level in which all of it is folded. What is folded is not folded again.
        let mut whole = vec![NONE; folded.others.len()];
        let mut folds: Vec<bool> = counts.iter().map(|count| *count >= FEWEST).collect();
        for at in 0..list.above.len() {
            let level = level_in(list.above[at]);
            folded.families[at] &= folds[level];
            whole[at + 1] = if folded.families[at] {
                level as u32
            } else {
                whole[level]
            };
            folds[at + 1] &= whole[at + 1] == NONE && list.open[at];
        }
        let mut sets = vec![NONE; list.family.len()];
        for (row, _) in &list.rows {
            let row = *row as usize;
            let level = level_in(list.family[row]);
            folded.rows[row] &= folds[level];
            sets[row] = if folded.rows[row] {
                level as u32
            } else {
                whole[level]
            };
        }
        if sets.iter().any(|set| *set != NONE) {
            let above = vec![NONE; counts.len()];
            let totals = self.totals_of(list, &sets, &above);
            let more = self.more_of(list, &sets, &above);
            for (at, others) in folded.others.iter_mut().enumerate() {
                let family = (at as u32).wrapping_sub(1);
                *others = folds[at].then(|| {
                    let key = self.key_of_level(list, family);
                    self.others(key, counts[at], totals[at], more[at])
                });
            }
        }
        folded
    }

    fn list_levels(&self, list: &List<'_>, mut folded: Folded) -> Rows {
        let mut rows = Rows::default();
        let mut others = |level: usize| folded.others[level].take();
        // Those that are listed.
        let mut levels = vec![None; list.above.len() + 1];
        levels[0] = Some(Level::new(&mut rows, NONE, others(0)));
        // What a family is part of comes before it.
        for at in 0..list.above.len() {
            let level: Option<Level> = levels[level_in(list.above[at])];
            let place = level.and_then(|level| level.place(&rows, folded.families[at]));
            let Some(place) = place.filter(|_| list.shown[at]) else {
                continue;
            };
            let record = self.record(
                RowKey::family(at as u32),
                self.process.names.families().name(at as u32).clone(),
                list.totals[at],
                RowHeat::default(),
                match list.open[at] {
                    true => Prefix::Minus,
                    false => Prefix::Plus,
                },
            );
            let row = rows.push(self.with_more(record, list.more[at]), place);
            if list.open[at] {
                levels[at + 1] = Some(Level::new(&mut rows, row, others(at + 1)));
            }
        }
        for (row, totals) in &list.rows {
            let level = levels[level_in(list.family[*row as usize])];
            let is_folded = folded.rows[*row as usize];
            if !self.wants(self.key_of_row(list, *row)) {
                continue;
            }
            if let Some(place) = level.and_then(|level| level.place(&rows, is_folded)) {
                rows.push(self.zone_record(list, *row, *totals), place);
            }
        }
        rows
    }

    fn zone_record(&self, list: &List<'_>, row: u32, totals: [Totals; 2]) -> Record {
        let heat = self.heat(|heat| heat.zone(self.key(row).zone, &self.process.names));
        let key = self.key_of_row(list, row);
        let prefix = self.prefix(row);
        self.record(key, self.name(row), totals, heat, prefix)
    }

    fn key_of_row(&self, list: &List<'_>, row: u32) -> RowKey {
        let Key { zone, level } = self.key(row);
        match list.on_behalf_of {
            Some(_) => self.view.selected_row().under(list.section, zone, level),
            None => RowKey::top(list.section, zone, level),
        }
    }

    /// The key of the row of what is folded in a family, or in the first level.
    fn key_of_level(&self, list: &List<'_>, family: u32) -> RowKey {
        match list.on_behalf_of {
            Some(_) => self.view.selected_row().others(list.section),
            None if family != NONE => RowKey::family(family).others(list.section),
            None => RowKey::top_others(list.section),
        }
    }
}
