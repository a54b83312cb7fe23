//! Builds the flame graph: the call tree of what a view shows, call path by call path, with the threads in view added up.
//!
//! Stacks are shown as they are, recursion and all. Idle time has no width unless the view ranks it: of a program
//! with many workers that wait, little else would be seen. So a node's time is that of the work in it and below it,
//! and the sums hold: it is the self time and the callees' times.

use crate::flame::{CallPath, Flame, FlameNode, NONE};
use crate::graph::{GraphZone, Segment};
use crate::process::frame::indices::GLOBAL;
use crate::process::frame::profiler::Profiler;
use crate::process::query::baseline_values::{BaselineValues, median};
use crate::process::query::columns::FADED_MS;
use crate::process::query::flame_paths::{Callees, FlamePaths};
use crate::process::query::report_builder::{LEAST_CHANGE, write_what_is_shown};
use crate::process::query::values::{Detail, NodeValues};
use crate::process::view::View;

const NO_NODE: FlameNode = FlameNode {
    zone: GLOBAL,
    depth: 0,
    self_time: 0.0,
    time: 0.0,
    entries: 0.0,
    before_ms: 0.0,
    parent: 0,
    first: NONE,
    next: NONE,
};

/// Memory for reuse.
#[derive(Debug, Default)]
pub(crate) struct FlameWork {
    paths: FlamePaths,
    /// By call path: its time and its entries, without what it called; its time with that; and, in each of the
    /// baseline's sets, the same time there.
    own: Vec<f64>,
    entries: Vec<f64>,
    times: Vec<f64>,
    before: Vec<f64>,
    /// By call path: its place in the flame graph, or [`NONE`].
    places: Vec<u32>,
    /// [`Indices::renamed`](crate::process::frame::indices::Indices::renamed) when zones got their names.
    renamed: u64,
}

impl FlameWork {
    /// Makes `flame` what `view` shows.
    pub(crate) fn update(&mut self, profiler: &Profiler, view: &View, flame: &mut Flame) {
        let values = NodeValues::of_view(profiler, view, Detail::Times);
        let baseline = BaselineValues::of_view(profiler, view, Detail::Times);
        self.fill_zones(profiler, flame);
        let is_idle = |zone: u32| flame.zones[zone as usize].is_idle;
        self.paths.follow(&values, is_idle);
        self.sum(view, &values);
        let least = if values.fades {
            FADED_MS / values.ms
        } else {
            0.0
        };
        self.write(least, flame);
        if let Some(baseline) = &baseline {
            self.compare(view, baseline);
            self.write_before(baseline.sets().len(), flame);
        }
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

    /// Sums times and entries by call path.
    fn sum(&mut self, view: &View, values: &NodeValues<'_>) {
        self.sum_times(view, values);
        let FlameWork {
            paths,
            own,
            times,
            entries,
            ..
        } = self;
        paths.sum(&values.threads, |thread| &thread.entries, entries);
        times.clone_from(own);
        add_callees(paths, times);
    }

    /// Sums the times that are drawn by call path, each without what it called.
    fn sum_times(&mut self, view: &View, values: &NodeValues<'_>) {
        let FlameWork { paths, own, .. } = self;
        paths.sum(&values.threads, |thread| &thread.self_time, own);
        if view.idle_ranked {
            return;
        }
        for path in paths.idle() {
            own[*path as usize] = 0.0;
        }
        let threads = values.threads.iter();
        let threads = threads.filter(|thread| !thread.is_idle_outside);
        let outside = threads.filter_map(|thread| thread.self_time.first());
        // Of no thread it is 0, where `sum` would be -0.
        own[0] = outside.fold(0.0, |sum, time| sum + time);
    }

    /// Sums the times in each of the baseline's sets by call path, in milliseconds.
    fn compare(&mut self, view: &View, baseline: &BaselineValues<'_>) {
        self.before.clear();
        for values in baseline.sets() {
            self.sum_times(view, values);
            let from = self.before.len();
            let times = self.own.iter().map(|time| time * values.ms);
            self.before.extend(times);
            add_callees(&self.paths, &mut self.before[from..]);
        }
    }

    /// Writes the call paths that have more time than `least`.
    fn write(&mut self, least: f64, flame: &mut Flame) {
        let Flame { nodes, totals, .. } = flame;
        let FlameWork {
            paths,
            own,
            times,
            entries,
            places,
            ..
        } = self;
        // All at once: to ask for memory between two nodes costs as much as the rest.
        nodes.resize(times.len(), NO_NODE);
        places.clear();
        places.resize(times.len(), NONE);
        totals.clear();
        totals.extend((0..flame.zones.len() as u32).map(|zone| Segment::new(zone, 0.0)));
        let paths_of = paths.paths();
        nodes[0] = FlameNode {
            zone: paths_of[0].zone,
            self_time: own[0],
            time: times[0],
            entries: entries[0],
            ..NO_NODE
        };
        places[0] = 0;
        totals[paths_of[0].zone as usize].ms += own[0] as f32;
        let mut count = 1;
        for Callees { caller, first, end } in paths.callees() {
            let caller = places[*caller as usize];
            // What is below it has no time either.
            if caller == NONE {
                continue;
            }
            let start = count;
            let all = *first as usize..*end as usize;
            let of = paths_of[all.clone()].iter().zip(&own[all.clone()]);
            let of = of.zip(&times[all.clone()]).zip(&entries[all.clone()]);
            for ((((path, own), time), entries), place) in of.zip(&mut places[all]) {
                if *time > least {
                    *place = count as u32;
                    totals[path.zone as usize].ms += *own as f32;
                    nodes[count] = FlameNode {
                        zone: path.zone,
                        depth: path.depth,
                        self_time: *own,
                        time: *time,
                        entries: *entries,
                        before_ms: 0.0,
                        parent: caller,
                        first: NONE,
                        next: count as u32 + 1,
                    };
                    count += 1;
                }
            }
            if count > start {
                nodes[caller as usize].first = start as u32;
                nodes[count - 1].next = NONE;
            }
        }
        nodes.truncate(count);
    }

    /// Writes the times in the baseline: of a median, that of each call path's times in its sets.
    fn write_before(&self, sets: usize, flame: &mut Flame) {
        let count = self.places.len();
        for (at, place) in self.places.iter().enumerate() {
            if let Some(node) = flame.nodes.get_mut(*place as usize) {
                let times = self.before[at..].iter().step_by(count).copied();
                node.before_ms = match sets {
                    1 => self.before[at],
                    // Most call paths of most frames have no time.
                    _ if times.clone().filter(|ms| *ms != 0.0).count() * 2 < sets => 0.0,
                    _ => median(times),
                };
            }
        }
    }
}

/// Adds to the time of each call path those of its callees.
fn add_callees(paths: &FlamePaths, times: &mut [f64]) {
    for Callees { caller, first, end } in paths.callees().iter().rev() {
        let of_callees: f64 = times[*first as usize..*end as usize].iter().sum();
        times[*caller as usize] += of_callees;
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
