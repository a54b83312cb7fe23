//! Chains of zones as rows: callers, callees, the call tree.
//!
//! What stands under the same row has no moment in common. So the small ones among it sum up to one
//! row, and with that one all of it sums up as before.

use super::Builder;
use super::level::Level;
use crate::process::chains::{Link, Linked};
use crate::process::fold::{FEWEST, Fold};
use crate::process::outline::Branch;
use crate::process::sums::Totals;
use crate::process::tree::NONE;
use crate::report::{Prefix, RowKey, Section};
use std::collections::HashMap;

/// What stands under each link, which [`NONE`] has the first ones.
type Levels = HashMap<u32, Level>;

impl Builder<'_> {
    /// Links as rows; the first ones stand next to `zone`.
    pub(super) fn branches(&self, linked: &Linked, zone: u32, section: Section) -> Vec<Branch> {
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
        let (mut levels, folded) = match &self.fold {
            Some(fold) => self.fold_links(fold, linked, section, &totals, &shown),
            None => (Levels::new(), vec![NONE; links.len()]),
        };
        for (at, link) in links.iter().enumerate().rev().filter(|(at, _)| shown[*at]) {
            let under = levels.remove(&(at as u32)).unwrap_or_default();
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
            let branch = Branch {
                record: self.record(link.key, self.name(link.row), totals[at], heat, prefix),
                under: under.into_branches(),
            };
            let level = levels.entry(link.above).or_default();
            level.put(branch, folded[at] != NONE);
        }
        levels.remove(&NONE).unwrap_or_default().into_branches()
    }

    /// Levels with the rows of what is folded in them; and by link, where it is if it is: the
    /// number of that level, which is one more than the link that it is under.
    fn fold_links(
        &self,
        fold: &Fold,
        linked: &Linked,
        section: Section,
        totals: &[[Totals; 2]],
        shown: &[bool],
    ) -> (Levels, Vec<u32>) {
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
        let mut folded = vec![NONE; links.len()];
        let mut is_under_folded = vec![false; links.len() + 1];
        for (at, link) in links.iter().enumerate() {
            let level = number(link.above) as usize;
            if small[at] && counts[level] >= FEWEST && !is_under_folded[level] {
                folded[at] = level as u32;
            }
            is_under_folded[at + 1] = is_under_folded[level] || folded[at] != NONE;
        }
        // By level: what more calls of the folded rows cost. Their times sum up.
        let mut more = vec![0.0; counts.len()];
        for (at, level) in folded
            .iter()
            .enumerate()
            .filter(|(_, level)| **level != NONE)
        {
            more[*level as usize] += self.more(&totals[at]);
        }
        let mut levels = Levels::new();
        if folded.iter().all(|level| *level == NONE) {
            return (levels, folded);
        }
        let merged = linked.sides.each_ref();
        let [now, before] = merged.map(|side| side.merged(&folded, counts.len()));
        for (at, link) in links
            .iter()
            .enumerate()
            .filter(|(at, _)| folded[*at] != NONE)
        {
            let number = folded[at] as usize;
            let others = &mut levels.entry(link.above).or_default().others;
            others.get_or_insert_with(|| {
                let key = self.key_of_others(links, link.above, section);
                let totals = [now[number], before[number]];
                self.others(key, counts[number], totals, Some(more[number]))
            });
        }
        (levels, folded)
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
