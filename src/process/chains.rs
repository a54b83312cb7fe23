//! Rows that stand for chains of zones: callers of callers, callees of callees, the call tree.
//!
//! # A stack without its detours
//!
//! A row of the call graph stands for a chain: *the selected zone, when called by B, when that was
//! called by A*. Each moment has one stack, and belongs to one chain in each direction. Where a
//! stack holds a zone more than once, what lies between two of them is a detour, which is left out:
//!
//! * **Towards the callers**, the step goes from a zone's *outermost* node to the one that called
//!   it: from the outermost node of the selected zone to its caller, from the outermost node of
//!   that to its, and so on to the root.
//! * **Towards the callees**, the step goes from a zone's *innermost* node to what that called. So,
//!   as a stack grows, a zone that is in the chain already cuts the chain off behind it, and the
//!   selected zone begins it anew.
//!
//! A chain so made holds no zone twice and is as long as there are zones, however deep the
//! recursion. And it adds up: below an open caller stand its callers, of which one called it
//! whenever it was called, so they sum to it (but for what the root called); below an open callee
//! stand its callees, whose hierarchical times sum to its own, less its self time. With recursion
//! spread a row is a zone at one depth of itself, no stack holds it twice, and chains are whole
//! stacks.
//!
//! The call tree is the second kind of chain, from the root.
//!
//! Only what is open is followed, and what leads to a row that is asked for. A moment whose chain goes on behind a row that is closed belongs
//! to that row; whether the chain comes back to an open one is seen without knowing what is
//! between.

use super::detours;
use super::sums::Rows;
use super::tree::{NONE, TreeNode};
use super::values::{ThreadValues, Values};
use crate::report::{Recursion, RowKey};
use std::collections::HashMap;

/// So many rows there are at most that nobody opened, but a filter: the callers of a zone that is
/// called at each level of a deep stack are the square of its depth.
const MOST_FOUND: usize = 1 << 20;

/// A row: a zone behind another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The zone's row in a flat report.
    pub(crate) row: u32,
    /// The link that it stands under; [`NONE`] of the first one.
    pub(crate) above: u32,
    pub(crate) key: RowKey,
    pub(crate) is_open: bool,
    /// Whether there is something behind it that is not a link; of a caller, whether it was called.
    pub(crate) has_more: bool,
}

/// Which rows there are in one direction, and what they sum up to, in one or two sets of values.
pub(crate) struct Chains<'a> {
    recursion: Recursion,
    /// Makes a row's key by what it stands under, and tells whether that row is open.
    open: &'a dyn Fn(Option<RowKey>, u32) -> (RowKey, bool),
    /// By row: whether somebody asks for it, so that chains are open as far as it; nothing if
    /// nobody asks for any.
    asked_for: &'a [bool],
    links: Vec<Link>,
    by_place: HashMap<(u32, u32), u32>,
    sides: [Rows; 2],
}

/// Links, and the sums of each.
pub(crate) struct Linked {
    pub(crate) links: Vec<Link>,
    pub(crate) sides: [Rows; 2],
}

/// Which of the two sets of values.
pub(crate) type Side = usize;

impl<'a> Chains<'a> {
    pub(crate) fn new(
        recursion: Recursion,
        open: &'a dyn Fn(Option<RowKey>, u32) -> (RowKey, bool),
        asked_for: &'a [bool],
    ) -> Chains<'a> {
        Chains {
            recursion,
            open,
            asked_for,
            links: Vec::new(),
            by_place: HashMap::new(),
            sides: [Rows::new(0), Rows::new(0)],
        }
    }

    /// Adds what `add` adds of each of two sets of values. What is asked for opens rows on its way,
    /// wherever it is first: so it is looked for before anything is summed up.
    pub(crate) fn add_sides<'v>(
        &mut self,
        sides: impl Iterator<Item = (Side, &'v Values<'v>)> + Clone,
        add: impl Fn(&mut Chains<'a>, Side, &Values<'_>),
    ) {
        if !self.asked_for.is_empty() {
            sides
                .clone()
                .for_each(|(side, values)| add(self, side, values));
            self.sides = [0, 1].map(|_| Rows::new(self.links.len()));
        }
        sides.for_each(|(side, values)| add(self, side, values));
    }

    /// Adds the callers of a row and their callers.
    pub(crate) fn add_callers(&mut self, side: Side, values: &Values<'_>, selected: u32) {
        for (at, thread) in values.threads.iter().enumerate() {
            let outermost = outermost_nodes(thread.nodes, self.recursion, selected);
            let leads = self.lead_down(thread.nodes);
            // The last link of the chain that begins at an outermost node of the selected row; and of
            // one that goes on behind a first link from that node.
            let mut ends: HashMap<u32, u32> = HashMap::new();
            let mut known = HashMap::new();
            for (index, node) in thread.nodes.iter().enumerate() {
                // The root has no caller.
                if outermost[index] == NONE || outermost[index] == 0 || thread.is_idle(index) {
                    continue;
                }
                let end = *ends.entry(outermost[index]).or_insert_with(|| {
                    self.climb(thread.nodes, &leads, outermost[index], &mut known)
                });
                let is_own = node.row(self.recursion) == selected;
                self.add(side, end, at, thread, index, is_own);
            }
        }
        let above = self.above();
        self.sides[side].pass_up(&above);
    }

    /// Adds a node's time to the last link of its chain, and what the node has itself if it is the
    /// link's own.
    fn add(
        &mut self,
        side: Side,
        link: u32,
        at: usize,
        thread: &ThreadValues<'_>,
        node: usize,
        is_own: bool,
    ) {
        let rows = &mut self.sides[side];
        rows.add_time(link, at, thread, node);
        if is_own {
            rows.add_self(link, at, thread, node);
        }
    }

    /// By link: the one that it stands under.
    fn above(&self) -> Vec<u32> {
        self.links.iter().map(|link| link.above).collect()
    }

    /// By node: whether it or one below it on its stack is of a row that is asked for; nothing if
    /// none is.
    fn lead_down(&self, nodes: &[TreeNode]) -> Vec<bool> {
        let mut leads = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let Some(asked_for) = self.asked_for.get(node.row(self.recursion) as usize) else {
                break;
            };
            leads.push(*asked_for || index > 0 && leads[node.parent as usize]);
        }
        leads
    }

    /// By node: whether it or one that it called is of a row that is asked for; nothing if none is.
    fn lead_up(&self, nodes: &[TreeNode]) -> Vec<bool> {
        if self.asked_for.is_empty() {
            return Vec::new();
        }
        let rows = nodes.iter().map(|node| node.row(self.recursion) as usize);
        let mut leads: Vec<bool> = rows.map(|row| self.asked_for[row]).collect();
        for (index, node) in nodes.iter().enumerate().skip(1).rev() {
            if leads[index] {
                leads[node.parent as usize] = true;
            }
        }
        leads
    }

    /// Follows the callers of `node` as far as they are open, or lead to what is asked for; returns
    /// the last link. `known` has the last link behind a first one and the node where that led.
    fn climb(
        &mut self,
        nodes: &[TreeNode],
        leads: &[bool],
        mut node: u32,
        known: &mut HashMap<(u32, u32), u32>,
    ) -> u32 {
        let mut end = NONE;
        let mut first = None;
        while node != 0 {
            let caller = nodes[node as usize].parent;
            let row = nodes[caller as usize].row(self.recursion);
            end = self.under(end, row);
            node = match self.recursion {
                Recursion::Flatten => nodes[caller as usize].outermost,
                Recursion::Spread => caller,
            };
            let next = nodes[node as usize].parent as usize;
            let leads = node != 0 && leads.get(next).is_some_and(|leads| *leads);
            let is_room = self.links.len() < MOST_FOUND;
            let link = &mut self.links[end as usize];
            link.has_more |= node != 0;
            link.is_open |= leads && is_room;
            if !link.is_open {
                break;
            }
            if first.is_none() {
                if let Some(last) = known.get(&(end, node)) {
                    return *last;
                }
                first = Some((end, node));
            }
        }
        if let Some(first) = first {
            known.insert(first, end);
        }
        end
    }

    /// Adds the callees of a row and their callees; without a row those of all, which is the call
    /// tree.
    pub(crate) fn add_callees(&mut self, side: Side, values: &Values<'_>, of: Option<u32>) {
        // Where a node's chain ends, as far as it is open, and whether it ends there.
        #[derive(Clone, Copy)]
        enum Place {
            Elsewhere,
            At(u32),
            Behind(u32),
        }
        for (at, thread) in values.threads.iter().enumerate() {
            let leads = self.lead_up(thread.nodes);
            let again = detours::again(thread.nodes, self.recursion, of);
            let mut places: Vec<Place> = Vec::with_capacity(thread.nodes.len());
            for (index, node) in thread.nodes.iter().enumerate() {
                let row = node.row(self.recursion);
                let parent = match index {
                    0 if of.is_none() => Place::At(NONE),
                    0 => Place::Elsewhere,
                    _ => places[node.parent as usize],
                };
                let place = match parent {
                    _ if of == Some(row) => Place::At(NONE),
                    // It may lie behind what is closed, as this one then does.
                    _ if again[index] != NONE => places[again[index] as usize],
                    Place::Elsewhere | Place::Behind(_) => parent,
                    Place::At(link) => {
                        let leads = leads.get(index).is_some_and(|leads| *leads);
                        let is_open = self.links.get_mut(link as usize).is_none_or(|link| {
                            link.is_open |= leads;
                            link.is_open
                        });
                        match is_open {
                            true => Place::At(self.under(link, row)),
                            false => Place::Behind(link),
                        }
                    }
                };
                places.push(place);
                let (link, is_own) = match place {
                    Place::Elsewhere => continue,
                    Place::At(link) => (link, true),
                    Place::Behind(link) => (link, false),
                };
                if thread.is_idle(index) {
                    continue;
                }
                if let (Some(link), false) = (self.links.get_mut(link as usize), is_own) {
                    link.has_more = true;
                }
                if link != NONE {
                    self.add(side, link, at, thread, index, is_own);
                }
            }
        }
        let above = self.above();
        self.sides[side].pass_up_time(&above);
    }

    /// The link of `row` under `above`, found or made.
    fn under(&mut self, above: u32, row: u32) -> u32 {
        if let Some(link) = self.by_place.get(&(above, row)) {
            return *link;
        }
        let parent = self.links.get(above as usize).map(|parent| parent.key);
        let (key, is_open) = (self.open)(parent, row);
        let link = self.links.len() as u32;
        self.links.push(Link {
            row,
            above,
            key,
            is_open,
            has_more: false,
        });
        self.by_place.insert((above, row), link);
        let count = self.links.len();
        self.sides.iter_mut().for_each(|side| side.grow(count));
        link
    }

    pub(crate) fn finish(self) -> Linked {
        Linked {
            links: self.links,
            sides: self.sides,
        }
    }
}

/// By node: the outermost node of the row on its stack.
pub(crate) fn outermost_nodes(nodes: &[TreeNode], recursion: Recursion, row: u32) -> Vec<u32> {
    let mut outermost = vec![NONE; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        let below = match index {
            0 => NONE,
            _ => outermost[node.parent as usize],
        };
        outermost[index] = match below {
            NONE if node.row(recursion) == row => index as u32,
            below => below,
        };
    }
    outermost
}

impl ThreadValues<'_> {
    /// Whether a node has nothing itself, for sure.
    fn is_idle(&self, node: usize) -> bool {
        let sampled = self.sampled.as_ref();
        self.self_time[node] == 0.0
            && self.entries[node] == 0.0
            && self.gpu.get(node).is_none_or(|gpu| *gpu == 0.0)
            && sampled.is_none_or(|sampled| sampled.variance[node] == 0.0)
    }
}
