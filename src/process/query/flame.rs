//! Builds the flame graph: the call tree of what a view shows, call path by call path, with the threads in view added up.
//!
//! Stacks are shown as they are, recursion and all. Idle time has no width unless the view ranks it: of a program
//! with many workers that wait, little else would be seen. So a node's time is that of the work in it and below it,
//! and the sums hold: it is the self time and the callees' times.

use crate::flame::{CallPath, Flame, FlameNode, NONE};
use crate::graph::{GraphZone, Segment};
use crate::process::frame::profiler::Profiler;
use crate::process::query::baseline_values::{BaselineValues, median, most_sets};
use crate::process::query::report_builder::{LEAST_CHANGE, write_what_is_shown};
use crate::process::query::row_values::FADED_MS;
use crate::process::query::values::NodeValues;
use crate::process::view::View;
use crate::process::zone_key::GLOBAL;
use crate::subtree;
use std::collections::HashMap;

/// Memory for reuse.
#[derive(Debug, Default)]
pub(crate) struct FlameWork {
    /// Call paths, each after its caller, without links.
    paths: Vec<FlameNode>,
    /// By thread in view and node: its call path.
    path_of: Vec<Vec<u32>>,
    /// The call paths by caller and zone, where several threads are added up.
    known: HashMap<(u32, u32), u32>,
    /// By call path: its place in the flame graph. First the links of a list of children: the first, the next.
    links: Vec<[u32; 2]>,
    /// By call path: its time in each of the baseline's sets.
    before: Vec<f64>,
    /// [`Indices::renamed`](crate::process::frame::indices::Indices::renamed) when zones got their names.
    renamed: u64,
}

impl FlameWork {
    /// Makes `flame` what `view` shows.
    pub(crate) fn update(&mut self, profiler: &Profiler, view: &View, flame: &mut Flame) {
        if !profiler.has_room_for_report(most_sets(view), false) {
            *flame = Flame::default();
            return;
        }
        let values = NodeValues::of_view(profiler, view);
        let baseline = BaselineValues::of_view(profiler, view);
        self.fill_zones(profiler, flame);
        self.add_paths(profiler, view, &values);
        if let Some(baseline) = &baseline {
            self.compare(profiler, view, baseline);
        }
        let least = if values.fades {
            FADED_MS / values.ms
        } else {
            0.0
        };
        self.link(least);
        self.write(flame);
        flame.unit_ms = values.ms;
        flame.whole_change_ms = baseline.as_ref().map_or(0.0, |baseline| {
            let root = flame.nodes[0];
            let change = (root.time * values.ms - root.before_ms).abs();
            change
                .max(LEAST_CHANGE * root.before_ms)
                .max(baseline.frame_ms() * FADED_MS)
        });
        flame.title.clear();
        flame.root_name.clear();
        let (title, name) = (&mut flame.title, &mut flame.root_name);
        write_what_is_shown(profiler, view, &values, baseline.as_ref(), title, name);
        point(view, flame);
    }

    fn fill_zones(&mut self, profiler: &Profiler, flame: &mut Flame) {
        let indices = profiler.indices();
        if std::mem::replace(&mut self.renamed, indices.renamed()) != indices.renamed() {
            flame.zones.clear();
        }
        for zone in 0..indices.zone_count() as u32 {
            let is_idle = zone != GLOBAL && indices.is_idle(zone);
            match flame.zones.get_mut(zone as usize) {
                Some(known) => known.is_idle = is_idle,
                None => flame.zones.push(GraphZone {
                    name: indices.distinct_name(zone).clone(),
                    is_idle,
                }),
            }
        }
    }

    /// Finds the call paths, and sums self times and entries.
    fn add_paths(&mut self, profiler: &Profiler, view: &View, values: &NodeValues<'_>) {
        let FlameWork {
            paths,
            path_of,
            known,
            ..
        } = self;
        paths.clear();
        known.clear();
        paths.push(new_path(0, GLOBAL, 0));
        path_of.resize_with(values.threads.len(), Vec::new);
        let is_merged = values.threads.len() > 1;
        for (thread, path_of) in values.threads.iter().zip(path_of) {
            path_of.clear();
            for (at, node) in thread.nodes.iter().enumerate() {
                let path = match at {
                    0 => 0,
                    _ => {
                        let parent = path_of[node.parent as usize];
                        let depth = paths[parent as usize].depth + 1;
                        let mut new = || {
                            paths.push(new_path(parent, node.zone, depth));
                            paths.len() as u32 - 1
                        };
                        // A thread has one node for each of its stacks.
                        match is_merged {
                            true => *known.entry((parent, node.zone)).or_insert_with(new),
                            false => new(),
                        }
                    }
                };
                path_of.push(path);
                let sums = &mut paths[path as usize];
                sums.entries += thread.entries[at];
                if is_work(profiler, view, thread.is_idle_outside, at, node.zone) {
                    sums.self_time += thread.self_time[at];
                }
            }
        }
        for path in paths.iter_mut() {
            path.time = path.self_time;
        }
        for at in (1..paths.len()).rev() {
            let FlameNode { parent, time, .. } = paths[at];
            paths[parent as usize].time += time;
        }
    }

    /// Gets the times in the baseline: of a median, that of each call path's times in its frames.
    fn compare(&mut self, profiler: &Profiler, view: &View, baseline: &BaselineValues<'_>) {
        let FlameWork {
            paths,
            path_of,
            before,
            ..
        } = self;
        let (sets, count) = (baseline.sets(), paths.len());
        before.clear();
        before.resize(count * sets.len(), 0.0);
        for (values, before) in sets.iter().zip(before.chunks_mut(count)) {
            for (thread, path_of) in values.threads.iter().zip(path_of.iter()) {
                for (at, node) in thread.nodes.iter().enumerate() {
                    if is_work(profiler, view, thread.is_idle_outside, at, node.zone) {
                        before[path_of[at] as usize] += thread.self_time[at] * values.ms;
                    }
                }
            }
            let parent = |at: usize| paths[at].parent as usize;
            subtree::sum(before, parent, |sum, time| *sum += time);
        }
        for (at, path) in paths.iter_mut().enumerate() {
            let times = before[at..].iter().step_by(count).copied();
            path.before_ms = match sets.len() {
                1 => before[at],
                // Most call paths of most frames have no time.
                _ if times.clone().filter(|ms| *ms != 0.0).count() * 2 < sets.len() => 0.0,
                _ => median(times),
            };
        }
    }

    /// Lists the children of each call path, in the order of paths, as far as they have more time than `least`.
    fn link(&mut self, least: f64) {
        self.links.clear();
        self.links.resize(self.paths.len(), [NONE; 2]);
        for at in (1..self.paths.len()).rev() {
            let FlameNode { parent, time, .. } = self.paths[at];
            if time > least {
                let first = std::mem::replace(&mut self.links[parent as usize][0], at as u32);
                self.links[at][1] = first;
            }
        }
    }

    /// Writes the flame graph's nodes, line by line, so that what is drawn together lies together.
    fn write(&mut self, flame: &mut Flame) {
        let Flame { nodes, totals, .. } = flame;
        nodes.clear();
        totals.clear();
        totals.extend((0..flame.zones.len() as u32).map(|zone| Segment::new(zone, 0.0)));
        nodes.push(FlameNode {
            // The call path, until its children are written.
            first: 0,
            ..self.paths[0]
        });
        let mut at = 0;
        while let Some(node) = nodes.get(at).copied() {
            let mut child = self.links[node.first as usize][0];
            nodes[at].first = if child == NONE {
                NONE
            } else {
                nodes.len() as u32
            };
            while child != NONE {
                let next = self.links[child as usize][1];
                nodes.push(FlameNode {
                    parent: at as u32,
                    first: child,
                    next: if next == NONE {
                        NONE
                    } else {
                        nodes.len() as u32 + 1
                    },
                    ..self.paths[child as usize]
                });
                child = next;
            }
            totals[node.zone as usize].ms += node.self_time as f32;
            at += 1;
        }
    }
}

/// Finds what the view has chosen in the flame graph.
pub(crate) fn point(view: &View, flame: &mut Flame) {
    let node_of = |path: &CallPath| {
        let (node, found) = flame.follow(path);
        (found == path.zones().len()).then_some(node)
    };
    let zoomed = flame.follow(&view.flame.zoomed).0;
    let cursor = view.flame.cursor.as_ref().and_then(node_of);
    (flame.zoomed, flame.cursor) = (zoomed, cursor);
    flame.selected = view.selected_in_flame();
}

fn new_path(parent: u32, zone: u32, depth: u32) -> FlameNode {
    FlameNode {
        zone,
        depth,
        self_time: 0.0,
        time: 0.0,
        entries: 0.0,
        before_ms: 0.0,
        parent,
        first: NONE,
        next: NONE,
    }
}

/// Whether the self time of a node is drawn.
fn is_work(profiler: &Profiler, view: &View, is_idle_outside: bool, at: usize, zone: u32) -> bool {
    view.idle_ranked
        || match at {
            0 => !is_idle_outside,
            _ => !profiler.indices().is_idle(zone),
        }
}
