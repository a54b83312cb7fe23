//! The flame graph as plain data: a call tree with the time of each call path, independent of where it came from.

use crate::graph::{GraphZone, Segment};
use std::sync::Arc;

/// An index that means "no node".
pub const NONE: u32 = u32::MAX;

/// A [flame graph](Flame) call path: its zones from the outermost to the innermost, without the root. A path remains
/// valid when other zones appear or disappear.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallPath(Arc<[u32]>);

impl CallPath {
    /// Returns the zones by number, outermost first.
    #[doc(hidden)]
    pub fn zones(&self) -> &[u32] {
        &self.0
    }

    /// Creates a path from zone numbers.
    #[doc(hidden)]
    pub fn of(zones: impl IntoIterator<Item = u32>) -> CallPath {
        CallPath(zones.into_iter().collect())
    }
}

/// A cursor step in the flame graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FlameStep {
    /// To the caller, one line up.
    Caller,
    /// To the callee that takes the most time, one line down.
    Callee,
    /// To the next call path on the left, on the same line.
    Left,
    /// To the next call path on the right, on the same line.
    Right,
}

/// A flame graph: a call tree drawn with the root on top. The width of a call path is proportional to its time.
///
/// A flame graph can also be built by hand, for the overlay's `draw_flame`:
///
/// ```
/// use iprof::{Flame, GraphZone};
///
/// let mut flame = Flame::default();
/// flame.zones = ["frame", "physics", "solve"].map(GraphZone::new).into();
/// let root = flame.add(0, 0, 1.0, 1.0);
/// let physics = flame.add(root, 1, 2.0, 1.0);
/// flame.add(physics, 2, 5.0, 40.0);
/// assert_eq!(flame.nodes[root].time, 8.0);
/// assert_eq!(flame.nodes[physics].time, 7.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "test-support"), non_exhaustive)]
pub struct Flame {
    /// A short description of the data shown.
    pub title: String,
    /// The name of the root: a thread, or the number of threads. If it is empty, the root is named after its zone.
    pub root_name: String,
    /// The zones that nodes refer to.
    pub zones: Vec<GraphZone>,
    /// The number of milliseconds per unit of time. For a single frame the unit is a clock step, so times are exact
    /// integers.
    pub unit_ms: f64,
    /// The node that fills the width, below its callers; 0 shows the whole tree.
    pub zoomed: usize,
    /// The node under the cursor.
    pub cursor: Option<usize>,
    /// The zone to highlight wherever it occurs.
    pub selected: Option<u32>,
    /// In a comparison, the difference in milliseconds that is drawn in the strongest color; 0 without a baseline.
    pub whole_change_ms: f64,
    /// The call paths in the order in which [`add`](Flame::add) appended them: the root first, each before its callees.
    pub nodes: Vec<FlameNode>,
    /// The self time of each zone, used to choose colors.
    #[doc(hidden)]
    pub totals: Vec<Segment>,
}

/// A call path in a flame graph.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(not(feature = "test-support"), non_exhaustive)]
pub struct FlameNode {
    /// The index in [`Flame::zones`].
    pub zone: u32,
    /// The number of callers.
    pub depth: u32,
    /// The self time of the call path, in [`Flame::unit_ms`].
    pub self_time: f64,
    /// The hierarchical time: self time and the times of all callees.
    pub time: f64,
    /// The number of times the call path was entered.
    pub entries: f64,
    /// The baseline time in a comparison, in milliseconds.
    pub before_ms: f64,
    #[doc(hidden)]
    pub parent: u32,
    /// The first callee, or [`NONE`]. `next` is the next callee of the same caller. Both indices are always greater
    /// than the node's own.
    #[doc(hidden)]
    pub first: u32,
    #[doc(hidden)]
    pub next: u32,
}

impl Default for Flame {
    fn default() -> Flame {
        Flame {
            title: String::new(),
            root_name: String::new(),
            zones: Vec::new(),
            unit_ms: 1.0,
            zoomed: 0,
            cursor: None,
            selected: None,
            whole_change_ms: 0.0,
            nodes: Vec::new(),
            totals: Vec::new(),
        }
    }
}

impl Flame {
    /// Adds a call path and returns its index.
    ///
    /// The call path consists of the zone at index `zone` of [`zones`](Flame::zones), called by the node `caller`. The
    /// first call adds the root and ignores `caller`. A caller that does not exist is replaced by the root, and a
    /// negative or non-finite self time by 0.
    pub fn add(&mut self, caller: usize, zone: u32, self_time: f64, entries: f64) -> usize {
        let at = self.nodes.len();
        let caller = if caller < at { caller } else { 0 };
        let is_valid = self_time.is_finite() && self_time > 0.0;
        let self_time = if is_valid { self_time } else { 0.0 };
        let depth = self.nodes.get(caller).map_or(0, |node| node.depth + 1);
        self.nodes.push(FlameNode {
            zone,
            depth,
            self_time,
            time: self_time,
            entries,
            before_ms: 0.0,
            parent: caller as u32,
            first: NONE,
            next: NONE,
        });
        let ms = (self_time * self.unit_ms) as f32;
        match self.totals.iter_mut().find(|total| total.zone == zone) {
            Some(total) => total.ms += ms,
            None => self.totals.push(Segment { zone, ms }),
        }
        if at == 0 {
            return at;
        }
        match self.children(caller).last() {
            Some(last) => self.nodes[last].next = at as u32,
            None => self.nodes[caller].first = at as u32,
        }
        let mut above = at;
        while above > 0 {
            above = (self.nodes[above].parent as usize).min(above - 1);
            self.nodes[above].time += self_time;
        }
        at
    }

    /// Returns a node's name, or an empty string if the node does not exist.
    #[doc(hidden)]
    pub fn name(&self, node: usize) -> &str {
        if node == 0 && !self.root_name.is_empty() {
            return &self.root_name;
        }
        let zone = self.nodes.get(node).map(|node| node.zone as usize);
        let zone = zone.and_then(|zone| self.zones.get(zone));
        zone.map_or("", |zone| &zone.name)
    }

    /// Returns a node's callees, from left to right. Ignores links to earlier nodes, which only a host can have added.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let node_of = |at: u32| self.nodes.get(at as usize).map(|node| (at as usize, node));
        let later = |at: usize, link: u32| if link as usize > at { link } else { NONE };
        let first = self.nodes.get(node).map(|of| later(node, of.first));
        let mut next = first.unwrap_or(NONE);
        std::iter::from_fn(move || {
            let (at, node) = node_of(next)?;
            next = later(at, node.next);
            Some(at)
        })
    }

    /// Returns a node's call path.
    #[must_use]
    pub fn path(&self, node: usize) -> CallPath {
        let mut zones = Vec::new();
        let mut at = node.min(self.nodes.len());
        while let Some(node) = self.nodes.get(at).filter(|_| at > 0) {
            zones.push(node.zone);
            at = at.min(node.parent as usize + 1) - 1;
        }
        CallPath::of(zones.into_iter().rev())
    }

    /// Follows a call path as far as it exists. Returns the last node reached and how many zones led to it.
    #[doc(hidden)]
    pub fn follow(&self, path: &CallPath) -> (usize, usize) {
        let mut at = 0;
        for (length, zone) in path.zones().iter().enumerate() {
            let is_next = |node: &usize| self.nodes[*node].zone == *zone;
            match self.children(at).find(is_next) {
                Some(next) => at = next,
                None => return (at, length),
            }
        }
        (at, path.zones().len())
    }

    /// Returns the node that a step from `node` leads to, or `node` itself if there is none. Left and right steps stay
    /// within the zoomed node and skip nodes that take less than the fraction `least` of its time.
    #[doc(hidden)]
    pub fn step(&self, node: usize, step: FlameStep, least: f64) -> usize {
        let Some(here) = self.nodes.get(node) else {
            return 0;
        };
        let to = match step {
            FlameStep::Caller => Some(here.parent as usize),
            FlameStep::Callee => {
                let time = |at: &usize| self.nodes[*at].time;
                // If several callees take equally long, choose the first.
                let largest = |a: usize, b: usize| if time(&b) > time(&a) { b } else { a };
                self.children(node).reduce(largest)
            }
            FlameStep::Left | FlameStep::Right => {
                let whole = self.nodes.get(self.zoomed).map_or(0.0, |node| node.time);
                let is_seen = |at: &usize| self.nodes[*at].time >= least * whole;
                let is_below = |at: &usize| {
                    let mut at = *at;
                    while self.nodes[at].depth > 0 && at != self.zoomed {
                        at = self.nodes[at].parent as usize;
                    }
                    at == self.zoomed
                };
                let mut level = self.level(here.depth);
                if step == FlameStep::Left {
                    level.reverse();
                }
                let mut beyond = level.into_iter().skip_while(|at| *at != node).skip(1);
                beyond.find(|at| is_seen(at) && is_below(at))
            }
        };
        to.unwrap_or(node)
    }

    fn level(&self, depth: u32) -> Vec<usize> {
        let mut level = vec![0];
        for _ in 0..depth {
            level = level.into_iter().flat_map(|at| self.children(at)).collect();
        }
        level
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Returns a root with two children. The first child has one child, the second has two.
    fn flame() -> Flame {
        let mut flame = Flame::default();
        for (caller, zone, time) in [
            (0, 0, 1.0),
            (0, 1, 2.0),
            (0, 2, 3.0),
            (1, 2, 4.0),
            (2, 3, 5.0),
            (2, 1, 9.0),
        ] {
            flame.add(caller, zone, time, 1.0);
        }
        flame
    }

    #[test]
    fn times_are_sums_and_paths_lead_back() {
        let flame = flame();
        let times: Vec<f64> = flame.nodes.iter().map(|node| node.time).collect();
        assert_eq!(times, [24.0, 6.0, 17.0, 4.0, 5.0, 9.0]);
        for node in 0..flame.nodes.len() {
            let path = flame.path(node);
            assert_eq!(flame.follow(&path), (node, path.zones().len()));
            let children = flame.children(node);
            let sum: f64 = children.map(|child| flame.nodes[child].time).sum();
            assert_eq!(flame.nodes[node].self_time + sum, flame.nodes[node].time);
        }
        let absent = CallPath::of([2, 1, 7]);
        assert_eq!(flame.follow(&absent), (5, 2));
    }

    #[test]
    fn root_is_named_explicitly_or_after_its_zone() {
        let mut flame = flame();
        flame.zones = ["(outside zones)", "a", "b"].map(GraphZone::new).into();
        let names = |flame: &Flame| [0, 1, 4, 9].map(|node| flame.name(node).to_owned());
        // Node 4's zone and node 9 do not exist.
        assert_eq!(names(&flame), ["(outside zones)", "a", "", ""]);
        flame.root_name.push_str("main");
        assert_eq!(names(&flame), ["main", "a", "", ""]);
    }

    #[test]
    fn steps_lead_to_neighboring_nodes() {
        use FlameStep::{Callee, Caller, Left, Right};
        let mut flame = flame();
        let step = |flame: &Flame, node, step| flame.step(node, step, 0.0);
        assert_eq!(step(&flame, 0, Caller), 0);
        assert_eq!([0, 2, 5].map(|node| step(&flame, node, Callee)), [2, 5, 5]);
        // A step past the last callee of one caller continues to the next node on the same line.
        assert_eq!([3, 4, 5].map(|node| step(&flame, node, Right)), [4, 5, 5]);
        assert_eq!([3, 4, 5].map(|node| step(&flame, node, Left)), [3, 3, 4]);
        assert_eq!(
            flame.step(3, Right, 0.3),
            5,
            "node 4 should be skipped as too narrow"
        );
        flame.zoomed = 2;
        assert_eq!(
            step(&flame, 4, Left),
            4,
            "node 3 should be unreachable outside the zoomed node"
        );
        assert_eq!(flame.step(99, Right, 0.0), 0);
        assert_eq!(Flame::default().step(0, Callee, 0.0), 0);
    }

    #[test]
    fn invalid_nodes_are_harmless() {
        let mut flame = Flame::default();
        assert_eq!(flame.add(7, 9, f64::NAN, 0.0), 0);
        assert_eq!(flame.add(7, 9, -1.0, 0.0), 1);
        assert_eq!(flame.nodes[0].time, 0.0);
        assert_eq!(flame.children(0).collect::<Vec<_>>(), [1]);
        assert_eq!(flame.children(9).count(), 0);
        assert_eq!(flame.path(9).zones(), [0u32; 0]);
    }

    #[test]
    fn cyclic_links_are_ignored() {
        let mut flame = Flame::default();
        let root = flame.add(0, 0, 1.0, 1.0);
        let first = flame.add(root, 1, 1.0, 1.0);
        flame.add(root, 2, 1.0, 1.0);
        flame.add(first, 3, 1.0, 1.0);
        flame.nodes.swap(1, 2);
        flame.nodes[3].parent = 3;
        assert!(flame.children(root).count() < 4);
        assert!(flame.path(3).zones().len() < 4);
        assert_eq!(flame.add(3, 3, 1.0, 1.0), 4);
    }
}
