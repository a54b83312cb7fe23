//! Chains of zones as rows: callers, callees, the call tree.
//!
//! What stands under the same row has no moment in common. So the small ones among it sum up to one
//! row, and with that one all of it sums up as before.

use super::Builder;
use crate::process::chains::{Link, Linked};
use crate::process::fold::{FEWEST, Fold};
use crate::process::outline::Rows;
use crate::process::sums::Totals;
use crate::process::tree::NONE;
use crate::report::{Prefix, Record, RowKey, Section};
use std::collections::HashMap;

/// What of a section is folded. A level is what stands under a link; its number is that of the link
/// and one more, and 0 is the first.
struct Folded {
    /// By link: the level that it is folded in, or [`NONE`].
    in_level: Vec<u32>,
    /// By level: how many are folded, what they have together, and what more calls of them cost;
    /// their times sum up.
    counts: Vec<u32>,
    totals: Vec<[Totals; 2]>,
    more: Vec<f64>,
}

impl Builder<'_> {
    /// Links as rows; the first ones stand next to `zone`.
    pub(super) fn link_rows(&self, linked: &Linked, zone: u32, section: Section) -> Rows {
        let links = &linked.links;
        let [now, before] = linked.sides.each_ref().map(|side| side.totals());
        let totals: Vec<[Totals; 2]> = now.into_iter().zip(before).map(<[_; 2]>::from).collect();
        let (mut shown, mut leads_on) = (vec![false; links.len()], vec![false; links.len()]);
        // What stands under a link was made after it.
        for (at, link) in links.iter().enumerate().rev() {
            // What is behind it may have counts alone, which are not its own.
            let is_behind = leads_on[at] || link.has_more && section != Section::Caller;
            shown[at] = is_behind || self.shows(&totals[at]);
            if let Some(above) = leads_on.get_mut(link.above as usize) {
                *above |= shown[at];
            }
        }
        let folded = self.fold.as_ref();
        let folded =
            folded.and_then(|fold| self.fold_links(fold, linked, section, &totals, &shown));
        let mut rows = Rows::default();
        // By link its row, if it is listed; by level the row of what is folded in it.
        let mut row_of = vec![None; links.len()];
        let mut others = HashMap::new();
        for (at, link) in links.iter().enumerate().filter(|(at, _)| shown[*at]) {
            let mut under = match row_of.get(link.above as usize) {
                None => NONE,
                Some(Some(row)) => *row,
                // It stands under what is folded.
                Some(None) => continue,
            };
            let level_of =
                |folded: &Folded| Some(folded.in_level[at]).filter(|level| *level != NONE);
            if let Some(folded) = &folded
                && let Some(level) = level_of(folded)
            {
                under = *others.entry(level).or_insert_with(|| {
                    let key = self.key_of_others(links, link.above, section);
                    let level = level as usize;
                    let (count, more) = (folded.counts[level], folded.more[level]);
                    let record = self.others(key, count, folded.totals[level], Some(more));
                    rows.push(record, under)
                });
                if !rows.is_open(under) {
                    continue;
                }
            }
            if !self.wants(link.key) {
                // What is looked for may stand under it.
                let empty = Record {
                    key: link.key,
                    ..Record::default()
                };
                row_of[at] = Some(rows.push(empty, under));
                continue;
            }
            let next = match links.get(link.above as usize) {
                Some(above) => self.key(above.row).zone,
                None => zone,
            };
            let own = self.key(link.row).zone;
            let heat = match section {
                Section::Caller => self.edge_heat(own, next),
                _ => self.edge_heat(next, own),
            };
            let prefix = match (link.is_open, link.has_more || leads_on[at]) {
                (_, false) => Prefix::None,
                (true, true) => Prefix::Minus,
                (false, true) => Prefix::Plus,
            };
            let record = self.record(link.key, self.name(link.row), totals[at], heat, prefix);
            row_of[at] = Some(rows.push(record, under));
        }
        rows
    }

    /// None if nothing is folded.
    fn fold_links(
        &self,
        fold: &Fold,
        linked: &Linked,
        section: Section,
        totals: &[[Totals; 2]],
        shown: &[bool],
    ) -> Option<Folded> {
        let links = &linked.links;
        let number = |link: u32| link.wrapping_add(1);
        let mut small = vec![false; links.len()];
        let mut counts = vec![0; links.len() + 1];
        for (at, link) in links.iter().enumerate().filter(|(at, _)| shown[*at]) {
            let others = self.key_of_others(links, link.above, section);
            small[at] = fold.is_small(self.share(&totals[at]), link.key, others);
            counts[number(link.above) as usize] += u32::from(small[at]);
        }
        // What stands under a folded row is not folded again.
        let mut in_level = vec![NONE; links.len()];
        let mut is_under_folded = vec![false; links.len() + 1];
        let mut more = vec![0.0; counts.len()];
        for (at, link) in links.iter().enumerate() {
            let level = number(link.above) as usize;
            if small[at] && counts[level] >= FEWEST && !is_under_folded[level] {
                in_level[at] = level as u32;
                more[level] += self.more(&totals[at]);
            }
            is_under_folded[at + 1] = is_under_folded[level] || in_level[at] != NONE;
        }
        if in_level.iter().all(|level| *level == NONE) {
            return None;
        }
        let merged = linked.sides.each_ref();
        let [now, before] = merged.map(|side| side.merged(&in_level, counts.len()));
        Some(Folded {
            totals: now.into_iter().zip(before).map(<[_; 2]>::from).collect(),
            in_level,
            counts,
            more,
        })
    }

    /// The key of the row of what is folded under a link.
    fn key_of_others(&self, links: &[Link], link: u32, section: Section) -> RowKey {
        match (links.get(link as usize), section) {
            (Some(link), _) => link.key.others(section),
            (None, Section::Tree) => RowKey::top_others(section),
            (None, _) => self.view.selected_row().others(section),
        }
    }
}
