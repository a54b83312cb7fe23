//! Measures the cost of `update` per node, for trees of various sizes and shapes, with all or only a few nodes live.
//!
//! Recorded trees are never freed, and `update` visits all of them. Each case therefore runs in separate processes,
//! which take turns. Each frame enters its zones, which leaves the caches in a similar state as in a real program.
//! Afterward, the recorded counts are checked.
//!
//! In a real program, other work leaves the caches cold before `update`. The cold cases therefore walk 64 MiB of other
//! memory, which is about as much as a frame of 10 to 20 ms reads and writes. A larger last-level cache would still
//! hold the data that `update` needs, so some cases walk twice the cache's size. The output begins with the cache's
//! size, and indicates whether [`MOST_MEMORY`] was too small for it. There are cases with few zones, in which nodes
//! dominate the cost, and cases with as many zones as nodes.
//!
//! The number of nodes excludes the root and `update`'s own zone, but the cost includes them. The history is limited to
//! [`HISTORY`] frames to save memory, and frames are measured once it is full.
//!
//! `--tsv FILE` adds the results to a table, a small `--runs N` gives quicker results, and `--only TEXT` selects cases
//! by name.

#[path = "shared/options.rs"]
mod options;
#[path = "shared/tree.rs"]
mod tree;
#[path = "shared/tsv.rs"]
mod tsv;

use options::value_of;
use std::hint::black_box;
use std::process::{Command, Stdio};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};
use tree::{Frame, Level, STACK, call, chain, count, levels};
use tsv::Tsv;

/// The number of remembered frames, which is also the number of frames before the first measurement.
const HISTORY: usize = 16;
/// The number of processes per case.
const RUNS: usize = 5;
/// The number of bytes that a program accesses between its zones and `update`: the number for a typical frame, and the
/// maximum, for flushing all caches.
const FRAME_MEMORY: usize = 64 << 20;
const MOST_MEMORY: usize = 1 << 30;
/// The time per node of a long frame, and the time per node that separates the band of long frames from the band of
/// other frames.
const LONG: Duration = Duration::from_nanos(150);
const SHORT: Duration = Duration::from_nanos(100);
/// The size of a cache line in bytes.
const LINE: usize = 64;
/// The time for which a process measures, and the minimum number of frames. Cases in which each frame walks a lot of
/// memory use a lower minimum.
const TIME: Duration = Duration::from_millis(250);
const FRAMES: usize = 50;
const COLDEST_FRAMES: usize = 20;

/// Returns the size of the last-level cache in bytes, or `None` if the system doesn't report it.
fn last_level_cache() -> Option<usize> {
    let kib = |index: u32| {
        let file = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
        let size = std::fs::read_to_string(file).ok()?;
        size.trim().strip_suffix('K')?.parse::<usize>().ok()
    };
    let kib = (0..8).filter_map(kib).max()?;
    Some(kib << 10)
}

/// The work that a program does between its zones and `update`.
#[derive(Clone, Copy)]
enum OtherWork {
    Nothing,
    Frame,
    /// Walks more memory than all caches can hold.
    AllCaches,
}

impl OtherWork {
    fn bytes(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Frame => FRAME_MEMORY,
            Self::AllCaches => {
                let twice = 2 * last_level_cache().unwrap_or_default();
                twice.clamp(FRAME_MEMORY, MOST_MEMORY)
            }
        }
    }
}

fn describe_cache() -> String {
    let walked = OtherWork::AllCaches.bytes();
    let known = match last_level_cache() {
        None => "a last cache of unknown size".into(),
        Some(cache) if cache >= walked => {
            format!("NOT COLD: the last cache holds {} MiB", cache >> 20)
        }
        Some(cache) => format!("the last cache holds {} MiB", cache >> 20),
    };
    let frame = FRAME_MEMORY >> 20;
    let walked = walked >> 20;
    format!("walked before `update`: cold {frame} MiB, out of all caches {walked} MiB; {known}")
}

/// Creates the nodes of the last level in an order that differs from the order in which calls visit them.
fn create_out_of_order(levels: &[Level]) {
    let mut levels = levels.to_vec();
    let last = levels.pop().expect("there should be at least one level");
    for caller in 0..last.callers {
        levels.push(Level {
            first: last.first + caller,
            callers: 1,
            every: 1,
        });
        call(&levels, Frame::All);
        levels.pop();
    }
    iprof::update(true);
}

struct Case {
    name: &'static str,
    levels: Vec<Level>,
    threads: usize,
    /// Whether different callers are live in each frame.
    rotates: bool,
    /// Whether the first callees of all callers are created before any second callee. This order puts neighbors in the
    /// tree far apart in memory.
    out_of_order: bool,
    other_work: OtherWork,
    /// The number of additional zones. Each has its own name, and every second one is nested in the previous one.
    zones: usize,
    has_values: bool,
    /// Whether a slow-frame callback is set and stall detection is on.
    is_watched: bool,
    has_budget: bool,
    /// Whether only every third frame is measured. Measured frames are then much longer than the others, and so belong
    /// to a different band of the session.
    is_long: bool,
}

impl Case {
    /// Returns which callers to call in the frame with the given number. The first frame calls all callers, to create
    /// the nodes.
    fn frame(&self, number: usize) -> Frame {
        match (number, self.rotates) {
            (0, _) => Frame::All,
            (_, true) => Frame::Live(number),
            (_, false) => Frame::Live(0),
        }
    }

    fn nodes(&self, live: bool) -> usize {
        self.threads * count(&self.levels, live) + self.zones
    }
}

fn zone(at: usize) -> &'static iprof::Zone {
    let name: &'static str = format!("measured::zone {at}").leak();
    Box::leak(Box::new(iprof::Zone::new(name, "update.rs", 1, "update")))
}

iprof::define_value!(BODIES, "bodies", "body");

/// The case that ratios are relative to.
const BASELINE: &str = "1,000 nodes, all live";

fn cases() -> Vec<Case> {
    let case = |name, levels, threads| Case {
        name,
        levels,
        threads,
        rotates: false,
        out_of_order: false,
        other_work: OtherWork::Nothing,
        zones: 0,
        has_values: false,
        is_watched: false,
        has_budget: false,
        is_long: false,
    };
    let rotates = |name, levels| Case {
        rotates: true,
        ..case(name, levels, 1)
    };
    let out_of_order = |name, levels| Case {
        out_of_order: true,
        ..case(name, levels, 1)
    };
    let cold = |name, levels| Case {
        other_work: OtherWork::Frame,
        ..case(name, levels, 1)
    };
    let coldest = |name, levels| Case {
        other_work: OtherWork::AllCaches,
        ..case(name, levels, 1)
    };
    let watched = |name, levels| Case {
        is_watched: true,
        ..case(name, levels, 1)
    };
    let budget = |name, levels| Case {
        has_budget: true,
        ..case(name, levels, 1)
    };
    let long = |name, levels| Case {
        is_long: true,
        ..case(name, levels, 1)
    };
    let (all, first) = ((10, 1), (10, 10));
    vec![
        case("no nodes", levels(&[]), 1),
        watched("no nodes, armed", levels(&[])),
        watched("1,000 nodes, armed", levels(&[all; 3])),
        budget("no nodes, zone budget", levels(&[])),
        budget("1,000 nodes, zone budget", levels(&[all; 3])),
        Case {
            zones: 1_000,
            ..case("1,000 zones, without values", levels(&[]), 1)
        },
        Case {
            zones: 1_000,
            has_values: true,
            ..case("1,000 zones, each with a value", levels(&[]), 1)
        },
        long("1,000 nodes, in another band", levels(&[all; 3])),
        long("10,000 nodes, in another band", levels(&[all; 4])),
        long("100,000 nodes, in another band", levels(&[all; 5])),
        case("10 nodes, all live", levels(&[all]), 1),
        case("100 nodes, all live", levels(&[all; 2]), 1),
        case(BASELINE, levels(&[all; 3]), 1),
        case("10,000 nodes, all live", levels(&[all; 4]), 1),
        case("100,000 nodes, all live", levels(&[all; 5]), 1),
        case("10,000 pairs of zones", levels(&[(100, 1), (100, 1)]), 1),
        case("chain of 100", chain(100), 1),
        case("chain of 1,000", chain(1_000), 1),
        case("chain of 10,000", chain(10_000), 1),
        case("two threads of 1,000", levels(&[all; 3]), 2),
        case("two threads of 10,000", levels(&[all; 4]), 2),
        case("1,000, a subtree live", levels(&[first, first, all]), 1),
        case(
            "10,000, a subtree live",
            levels(&[first, first, all, all]),
            1,
        ),
        case(
            "100,000, a subtree live",
            levels(&[first, first, all, all, all]),
            1,
        ),
        case("1,000, scattered live", levels(&[(10, 1), (100, 100)]), 1),
        case("10,000, scattered live", levels(&[(100, 1), (100, 100)]), 1),
        case(
            "100,000, scattered live",
            levels(&[(10, 1), (100, 1), (100, 100)]),
            1,
        ),
        out_of_order("10,000, out of order", levels(&[all; 4])),
        out_of_order("100,000, out of order", levels(&[all; 5])),
        rotates(
            "10,000, rotating subtree live",
            levels(&[first, all, all, all]),
        ),
        rotates(
            "10,000, rotating scattered live",
            levels(&[(100, 1), (100, 100)]),
        ),
        cold("no nodes, cold", levels(&[])),
        cold("1,000, cold", levels(&[all; 3])),
        cold("3,000, cold", levels(&[(3, 1), all, all, all])),
        cold("10,000, cold", levels(&[all; 4])),
        cold("1,000 zones, cold", levels(&[(1_000, 1)])),
        cold("3,000 zones, cold", levels(&[(3_000, 1)])),
        Case {
            zones: 10_000,
            ..cold("10,000 zones, cold", levels(&[]))
        },
        cold("10,000, idle, cold", levels(&[first, first, all, all])),
        coldest("no nodes, out of all caches", levels(&[])),
        coldest("1,000, out of all caches", levels(&[all; 3])),
        coldest("10,000, out of all caches", levels(&[all; 4])),
        coldest("3,000 zones, out of all caches", levels(&[(3_000, 1)])),
    ]
}

fn main() -> std::io::Result<()> {
    if let Some(name) = value_of("--measure") {
        let case = cases().into_iter().find(|case| case.name == name);
        let case = case.expect("unknown case name");
        // Use a thread whose stack is large enough for the deepest chain.
        let measuring = std::thread::Builder::new().stack_size(STACK);
        let times = measuring
            .spawn(move || measure(&Arc::new(case)))?
            .join()
            .unwrap();
        let times: Vec<String> = times.iter().map(u64::to_string).collect();
        println!("{}", times.join(" "));
        return Ok(());
    }
    let tsv = Tsv::new("update", value_of("--tsv").as_deref())?;
    let only = value_of("--only").unwrap_or_default();
    let cases: Vec<Case> = cases()
        .into_iter()
        .filter(|case| case.name == BASELINE || case.name.contains(&only))
        .collect();
    let mut times = vec![Vec::new(); cases.len()];
    for _ in 0..options::runs(RUNS) {
        for (case, times) in cases.iter().zip(&mut times) {
            let output = Command::new(std::env::current_exe()?)
                .args(["--measure", case.name])
                .stderr(Stdio::inherit())
                .output()?;
            assert!(output.status.success(), "{} failed", case.name);
            let output = String::from_utf8(output.stdout).expect("the output should be UTF-8");
            let ns = |word: &str| {
                word.parse::<u64>()
                    .expect("the output should consist of numbers")
            };
            times.extend(output.split_whitespace().map(ns));
        }
    }
    report(&cases, &mut times, tsv)
}

/// Returns the nanoseconds that `update` takes in each frame.
fn measure(case: &Arc<Case>) -> Vec<u64> {
    iprof::configure(|config| config.history = HISTORY);
    if case.is_watched {
        iprof::on_slow_frame(Duration::from_secs(1), |slow| {
            black_box(slow);
        });
        let set = iprof::set_stall_timeout(Some(Duration::from_secs(5)), None);
        set.expect("failed to start a thread");
    }
    if case.has_budget {
        let budget = Some(Duration::from_secs(1));
        iprof::set_zone_budget("measured::caller", budget);
    }
    let nodes = case.nodes(true) as u32;
    if case.is_long {
        iprof::configure(|config| config.session_bands = Some([SHORT * nodes; 7]));
    }
    let barrier = Arc::new(Barrier::new(case.threads));
    for worker in 1..case.threads {
        let (barrier, case) = (barrier.clone(), case.clone());
        let work = move || {
            iprof::set_thread_name(format!("worker {worker}"));
            for number in 0.. {
                barrier.wait();
                call(&case.levels, case.frame(number));
                barrier.wait();
            }
        };
        // The spawned thread ends with the process, so it is never joined.
        let builder = std::thread::Builder::new().stack_size(STACK);
        builder.spawn(work).expect("failed to start a thread");
    }
    if case.out_of_order {
        create_out_of_order(&case.levels);
    }
    let zones: Vec<&'static iprof::Zone> = (0..case.zones).map(zone).collect();
    let mut other_memory = vec![1u8; case.other_work.bytes()];
    let least = match case.other_work {
        OtherWork::AllCaches => COLDEST_FRAMES,
        _ => FRAMES,
    };
    let mut number = 0;
    let mut frame = || {
        let start = Instant::now();
        barrier.wait();
        call(&case.levels, case.frame(number));
        // A single site enters all of these zones. It caches the last zone for each parent, but the parent is different
        // each time.
        for pair in zones.chunks(2) {
            for zone in pair {
                iprof::__site!(begin, *zone);
                if case.has_values {
                    iprof::value!(BODIES, 1u32);
                }
            }
            pair.iter().for_each(|_| iprof::end!());
        }
        barrier.wait();
        number += 1;
        while case.is_long && number.is_multiple_of(3) && start.elapsed() < LONG * nodes {}
        for byte in other_memory.iter_mut().step_by(LINE) {
            *byte = black_box(*byte).wrapping_add(1);
        }
        let start = Instant::now();
        iprof::update(true);
        start.elapsed().as_nanos() as u64
    };
    frame();
    check(case, false);
    // Only the last of every three frames is measured.
    for _ in 1..HISTORY.next_multiple_of(3) {
        frame();
    }
    let (mut times, start) = (Vec::new(), Instant::now());
    while times.len() < least || start.elapsed() < TIME {
        if case.is_long {
            frame();
            frame();
        }
        times.push(frame());
    }
    check(case, true);
    times
}

fn check(case: &Case, live: bool) {
    let mut view = iprof::View::default();
    view.average = iprof::Average::Newest;
    let rows = view.report(&iprof::profiler()).rows;
    assert!(rows.len() > case.zones);
    let measured = rows.iter().filter(|row| row.name.starts_with("measured"));
    let counted: f64 = measured
        .map(|row| row.value(iprof::ColumnId::Count).unwrap().number)
        .sum();
    assert_eq!(
        counted,
        case.nodes(live) as f64,
        "{} has a wrong number of recorded entries",
        case.name
    );
}

fn report(cases: &[Case], times: &mut [Vec<u64>], mut tsv: Tsv) -> std::io::Result<()> {
    times.iter_mut().for_each(|times| times.sort_unstable());
    let live = |case: &Case| case.nodes(true) as f64;
    let baseline = cases.iter().position(|case| case.name == BASELINE);
    let baseline = baseline.expect("the baseline is always measured");
    let whole = times[baseline][0] as f64;
    let baseline = whole / live(&cases[baseline]);
    println!("{}", describe_cache());
    println!("ns of `update`; ratio: minimum per live node to that of {BASELINE}");
    println!(
        "{:<32} {:>7} {:>7} {:>9} {:>9} {:>10} {:>10} {:>6} {:>10}",
        "case", "nodes", "live", "minimum", "median", "per live", "median", "ratio", "per node"
    );
    for (case, times) in cases.iter().zip(times) {
        let (minimum, median) = (times[0] as f64, times[times.len() / 2] as f64);
        let (nodes, live) = (case.nodes(false), live(case));
        let name = case.name;
        print!("{name:<32} {nodes:>7} {live:>7} {minimum:>9} {median:>9}");
        let mut lines = vec![
            (minimum, "ns, minimum", whole),
            (median, "ns, median", whole),
        ];
        if nodes > 0 {
            let (per_live, per_node) = (minimum / live, minimum / nodes as f64);
            let (median, ratio) = (median / live, per_live / baseline);
            print!(" {per_live:>10.2} {median:>10.2} {ratio:>6.2} {per_node:>10.2}");
            lines.push((per_live, "ns per live node, minimum", baseline));
            lines.push((median, "ns per live node, median", baseline));
            lines.push((per_node, "ns per node, minimum", baseline));
        }
        println!();
        for (value, unit, base) in lines {
            tsv.line(name, value, unit, BASELINE, value / base)?;
        }
    }
    Ok(())
}
