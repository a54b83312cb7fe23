//! Builds the flame graph: the call tree of a view, summed over the threads in view.
//!
//! Stacks are shown unchanged, including recursion. Idle time has no width unless the view ranks it, because otherwise
//! a program with many waiting workers would show little else. A node's time is then the work in it and below it, which
//! is still the sum of its self time and its callees' times.
//!
//! Call paths are ordered line by line, as a flame graph draws them, with the callees of one caller next to each other.
//! The paths are kept until new stacks appear or the threads in view change, so most of the ten updates per second only
//! change times.

use crate::flame::{CallPath, Flame, FlameNode, NONE};
use crate::graph::{GraphZone, Segment};
use crate::query::baseline_values::{BaselineValues, median};
use crate::query::report_builder::{LEAST_CHANGE, write_subject};
use crate::query::sums::FADED_MS;
use crate::query::values::{Detail, NodeValues, ThreadValues};
use crate::view::View;
use iprof_process::Profiler;
use iprof_process::indices::GLOBAL;
use std::collections::HashMap;

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

/// Buffers that are reused between updates.
#[derive(Debug, Default)]
pub struct FlameWork {
    paths: FlamePaths,
    /// The self time of each call path.
    own: Vec<f64>,
    /// The entry count of each call path.
    entries: Vec<f64>,
    /// The time of each call path including callees.
    times: Vec<f64>,
    /// The time of each call path in each baseline set.
    baseline_times: Vec<f64>,
    /// The index of each call path in the flame graph, or [`NONE`].
    places: Vec<u32>,
    /// The [`Indices::renamed`](iprof_process::indices::Indices::renamed) counter when the zone names were last copied.
    renamed: u64,
}

impl FlameWork {
    pub fn update(&mut self, profiler: &Profiler, view: &View, flame: &mut Flame) {
        let values = NodeValues::of_view(profiler, view, Detail::Times);
        let baseline = BaselineValues::of_view(profiler, view, Detail::Times);
        self.fill_zones(profiler, flame);
        let is_idle = |zone: u32| flame.zones[zone as usize].is_idle;
        self.paths.update(&values, is_idle);
        self.sum(view, &values);
        let least = if values.fades {
            FADED_MS / values.ms
        } else {
            0.0
        };
        self.write(least, flame);
        if let Some(baseline) = &baseline {
            self.sum_baseline(view, baseline);
            self.write_baseline(baseline.sets().len(), flame);
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
        write_subject(profiler, view, &values, baseline.as_ref(), title, name);
        resolve_nodes(view, flame);
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

    fn sum(&mut self, view: &View, values: &NodeValues<'_>) {
        self.sum_times(view, values);
        let (threads, entries) = (&values.threads, &mut self.entries);
        self.paths.sum(threads, |thread| &thread.entries, entries);
        self.times.clone_from(&self.own);
        add_callees(&self.paths, &mut self.times);
    }

    /// Sums the self times to draw by call path.
    fn sum_times(&mut self, view: &View, values: &NodeValues<'_>) {
        let FlameWork { paths, own, .. } = self;
        paths.sum(&values.threads, |thread| &thread.self_time, own);
        if view.idle_ranked {
            return;
        }
        for path in &paths.idle {
            own[*path as usize] = 0.0;
        }
        let threads = values.threads.iter();
        let threads = threads.filter(|thread| !thread.is_idle_outside);
        let outside = threads.filter_map(|thread| thread.self_time.first());
        // `sum` would return -0 for no threads.
        own[0] = outside.fold(0.0, |sum, time| sum + time);
    }

    /// Sums each baseline set's times by call path, in milliseconds.
    fn sum_baseline(&mut self, view: &View, baseline: &BaselineValues<'_>) {
        self.baseline_times.clear();
        for values in baseline.sets() {
            self.sum_times(view, values);
            let from = self.baseline_times.len();
            let times = self.own.iter().map(|time| time * values.ms);
            self.baseline_times.extend(times);
            add_callees(&self.paths, &mut self.baseline_times[from..]);
        }
    }

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
        // The list is resized once, because growing it node by node takes as long as the rest of the update.
        nodes.resize(times.len(), NO_NODE);
        places.clear();
        places.resize(times.len(), NONE);
        totals.clear();
        totals.extend((0..flame.zones.len() as u32).map(|zone| Segment { zone, ms: 0.0 }));
        let paths_of = &paths.paths;
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
        for Callees { caller, first, end } in &paths.callees {
            let caller = places[*caller as usize];
            // Nothing below this caller takes any time either.
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

    /// Writes the baseline times. For a median, a call path's time is the median of its times in all sets.
    fn write_baseline(&self, sets: usize, flame: &mut Flame) {
        let count = self.places.len();
        for (at, place) in self.places.iter().enumerate() {
            if let Some(node) = flame.nodes.get_mut(*place as usize) {
                let times = self.baseline_times[at..].iter().step_by(count).copied();
                node.before_ms = match sets {
                    1 => self.baseline_times[at],
                    // Most call paths take no time in most frames.
                    _ if times.clone().filter(|ms| *ms != 0.0).count() * 2 < sets => 0.0,
                    _ => median(times),
                };
            }
        }
    }
}

fn add_callees(paths: &FlamePaths, times: &mut [f64]) {
    for Callees { caller, first, end } in paths.callees.iter().rev() {
        let of_callees: f64 = times[*first as usize..*end as usize].iter().sum();
        times[*caller as usize] += of_callees;
    }
}

/// Resolves the view's flame graph settings to nodes.
pub fn resolve_nodes(view: &View, flame: &mut Flame) {
    let node_of = |path: &CallPath| {
        let (node, found) = flame.follow(path);
        (found == path.zones().len()).then_some(node)
    };
    let zoomed = flame.follow(&view.flame.zoomed).0;
    let cursor = view.flame.cursor.as_ref().and_then(node_of);
    (flame.zoomed, flame.cursor) = (zoomed, cursor);
    flame.selected = view.selected_in_flame();
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct FlamePath {
    zone: u32,
    depth: u32,
}

#[derive(Clone, Debug, PartialEq)]
struct Callees {
    caller: u32,
    /// The range of the callees in the list of all call paths, where they follow their caller.
    first: u32,
    end: u32,
}

/// The call paths of the threads in view.
#[derive(Debug, Default)]
struct FlamePaths {
    /// The threads in view, and the number of nodes each had when the paths were found. Existing nodes never change.
    found_in: Vec<(usize, usize)>,
    /// All call paths, starting with the root.
    paths: Vec<FlamePath>,
    /// The callees of each call path that has any, in the order of `paths`.
    callees: Vec<Callees>,
    idle: Vec<u32>,
    /// The call path of each node on each thread in view.
    path_of_node: Vec<Vec<u32>>,
    /// The paths in node order, each after its caller. `by_caller_and_zone` is used to find paths if several threads
    /// are summed.
    found: Vec<FoundPath>,
    by_caller_and_zone: HashMap<(u32, u32), u32>,
    /// The index of each call path in `found`, in line order.
    order: Vec<u32>,
}

/// A call path, listed in the order in which it was found.
#[derive(Clone, Copy, Debug)]
struct FoundPath {
    path: FlamePath,
    parent: u32,
    /// The first callee or [`NONE`]. `next` is the next callee of the same caller.
    first: u32,
    next: u32,
    /// The index in line order.
    place: u32,
}

impl FoundPath {
    fn new(zone: u32, parent: u32, depth: u32) -> FoundPath {
        FoundPath {
            path: FlamePath { zone, depth },
            parent,
            first: NONE,
            next: NONE,
            place: 0,
        }
    }
}

impl FlamePaths {
    /// Finds the call paths of the threads in `values`, unless they are the same as before.
    fn update(&mut self, values: &NodeValues<'_>, is_idle: impl Fn(u32) -> bool) {
        let threads = values.threads.iter();
        let threads = threads.map(|thread| (thread.at, thread.nodes.len()));
        if !self.paths.is_empty() && threads.clone().eq(self.found_in.iter().copied()) {
            return;
        }
        self.found_in.clear();
        self.found_in.extend(threads);
        self.find(values);
        self.order_by_line(is_idle);
    }

    fn sum<'a>(
        &self,
        threads: &'a [ThreadValues<'a>],
        list: impl Fn(&'a ThreadValues<'a>) -> &'a [f64],
        sums: &mut Vec<f64>,
    ) {
        sums.clear();
        if let [thread] = threads {
            // A single thread has exactly one node per call path.
            let numbers = list(thread);
            let number = |node: &u32| numbers.get(*node as usize).copied().unwrap_or_default();
            sums.extend(self.order.iter().map(number));
            return;
        }
        sums.resize(self.paths.len(), 0.0);
        for (thread, path_of_node) in threads.iter().zip(&self.path_of_node) {
            for (path, number) in path_of_node.iter().zip(list(thread)) {
                sums[*path as usize] += number;
            }
        }
    }

    fn find(&mut self, values: &NodeValues<'_>) {
        let (found, by_caller_and_zone) = (&mut self.found, &mut self.by_caller_and_zone);
        found.clear();
        by_caller_and_zone.clear();
        found.push(FoundPath::new(GLOBAL, 0, 0));
        self.path_of_node
            .resize_with(values.threads.len(), Vec::new);
        let is_merged = values.threads.len() > 1;
        for (thread, path_of_node) in values.threads.iter().zip(&mut self.path_of_node) {
            path_of_node.clear();
            for (at, node) in thread.nodes.iter().enumerate() {
                if at == 0 {
                    path_of_node.push(0);
                    continue;
                }
                let parent = path_of_node[node.parent as usize];
                let mut new = || {
                    let depth = found[parent as usize].path.depth + 1;
                    found.push(FoundPath::new(node.zone, parent, depth));
                    found.len() as u32 - 1
                };
                // A thread has exactly one node per stack.
                path_of_node.push(match is_merged {
                    true => *by_caller_and_zone
                        .entry((parent, node.zone))
                        .or_insert_with(new),
                    false => new(),
                });
            }
        }
    }

    /// Sorts the paths by line, with callees in the order in which they were found.
    fn order_by_line(&mut self, is_idle: impl Fn(u32) -> bool) {
        let found = &mut self.found;
        for at in (1..found.len()).rev() {
            let parent = found[at].parent as usize;
            found[at].next = std::mem::replace(&mut found[parent].first, at as u32);
        }
        self.paths.clear();
        self.callees.clear();
        self.idle.clear();
        self.order.clear();
        self.order.push(0);
        let mut place = 0;
        while let Some(at) = self.order.get(place) {
            let of = &mut found[*at as usize];
            of.place = place as u32;
            self.paths.push(of.path);
            if is_idle(of.path.zone) {
                self.idle.push(place as u32);
            }
            let first = self.order.len() as u32;
            let mut callee = of.first;
            while callee != NONE {
                self.order.push(callee);
                callee = found[callee as usize].next;
            }
            let end = self.order.len() as u32;
            if end > first {
                self.callees.push(Callees {
                    caller: place as u32,
                    first,
                    end,
                });
            }
            place += 1;
        }
        for path in self.path_of_node.iter_mut().flatten() {
            *path = found[*path as usize].place;
        }
    }
}
