//! Runs the benchmarks for docs/benchmarks.md and writes that page. Run `./dev bench --write` on an otherwise idle
//! machine.
//!
//! With `--quick`, each benchmark runs once, and the page is written to the target folder instead.

#[path = "shared/markdown.rs"]
mod markdown;
#[path = "shared/this_machine.rs"]
mod this_machine;

use markdown::{Results, Table};
use std::error::Error;
use std::fs;
use std::process::Command;
use this_machine::{cores, processor, today};

const NO_ZONES: [&str; 2] = [
    "=sphereflake|plain, coarse|ms",
    "=sphereflake|plain, fine|ms",
];
const READS: &str = "two counter reads";

const TABLES: [Table; 5] = [
    Table {
        title: "Other profilers",
        about: "Each row is a profiler. The ray tracer enters ten million zones, long ones around rays or short ones around branches\n\
            of a search, and its time is relative to its time without zones. Memory is the peak of a program that runs for 20\n\
            seconds at 60 frames per second and enters 20,000 zones per frame.",
        benches: &[
            ("sphereflake --coarse", 3),
            ("sphereflake --fine", 5),
            ("peers", 30),
            ("memory", 20),
        ],
        columns: &[
            ("ray tracer, long zones", "sphereflake|*, coarse|ratio"),
            ("short zones", "sphereflake|*, fine|ratio"),
            ("one zone in a loop", "peers|*, site hit|ns"),
            ("memory", "memory|*|MiB"),
        ],
        rows: &[
            ("no zones", &[NO_ZONES[0], NO_ZONES[1], "plain", ""]),
            (
                "two reads of the timestamp counter, nothing recorded",
                &[READS, READS, READS, ""],
            ),
            ("**iprof, exact**", &["iprof"]),
            ("**iprof, auto**", &["iprof, auto"]),
            ("**iprof, sampled**", &["iprof, sampled"]),
            ("**iprof, off**", &["iprof, off"]),
            ("{fastrace}", &["fastrace"]),
            ("{coarse-prof}", &["coarse-prof"]),
            ("{perfetto-recorder}", &["perfetto-recorder"]),
            ("{tracy-client}", &["tracy-client"]),
            ("{puffin}", &["puffin"]),
            ("{tracing-subscriber}, one layer", &["tracing + Registry"]),
            ("{tracing-calltree}", &["tracing-calltree"]),
            (
                "**iprof-tracing, subscriber**",
                &["", "", "iprof-tracing Subscriber", ""],
            ),
            (
                "**iprof-tracing, layer**",
                &["", "", "iprof-tracing Layer", ""],
            ),
            ("{tracing-tracy}", &["", "", "tracing-tracy", ""]),
            ("{tracing-chrome}", &["", "", "tracing-chrome", ""]),
            ("{tracing-flame}", &["", "", "tracing-flame", ""]),
        ],
    },
    Table {
        title: "Recording",
        about: "Each row is one call of a function that does nothing but what the row says, in each timing mode.",
        benches: &[("record", 300)],
        columns: &[
            ("exact", "record|exact: *, one thread|ns"),
            ("auto", "record|auto: *, one thread|ns"),
            ("sampled", "record|sampled: *, one thread|ns"),
            ("off", "record|off: *, one thread|ns"),
            (
                "exact, two threads at once",
                "record|exact: *, two at once|ns",
            ),
        ],
        rows: &[
            (
                "nothing",
                &[
                    "=record|empty function, one thread|ns",
                    "",
                    "",
                    "",
                    "=record|empty function, two at once|ns",
                ],
            ),
            (
                "two reads of the timestamp counter",
                &[
                    "=record|two counter reads, one thread|ns",
                    "",
                    "",
                    "",
                    "=record|two counter reads, two at once|ns",
                ],
            ),
            ("`zone!`", &["site hit"]),
            (
                "`zone!` below two callers in turn",
                &["alternating parents"],
            ),
            (
                "`zone!` in a recursion of 64 levels",
                &["recursion to 64 and back"],
            ),
            ("100 different `zone!` in turn", &["100 children in turn"]),
            ("`RunTimeZone::enter`", &["run-time zone"]),
            (
                "100 different `RunTimeZone::enter` in turn",
                &["100 run-time zones in turn"],
            ),
            ("`counter!`", &["counter"]),
            ("`value!` of an integer", &["value"]),
            ("`value!` of a float", &["value of floats"]),
            ("`RunTimeValue::add` of an integer", &["run-time value"]),
        ],
    },
    Table {
        title: "Update and report",
        about: "Each row is a call of `update`, its time per call stack entered in the frame, or building one report. Cold\n\
            means that the program has touched 64 MiB of other memory since the last `update`.",
        benches: &[("update", 2), ("report", 1)],
        columns: &[("minimum", "*, minimum"), ("median", "*, median")],
        rows: &[
            ("`update`, no call stacks", &["update|no nodes|ns"]),
            (
                "`update`, no call stacks, `on_slow_frame` and stall detection on",
                &["update|no nodes, armed|ns"],
            ),
            (
                "`update` per call stack, 1,000 entered",
                &["update|1,000 nodes, all live|ns per live node"],
            ),
            (
                "`update` per call stack, 10,000 entered",
                &["update|10,000 nodes, all live|ns per live node"],
            ),
            (
                "`update` per call stack, 100,000 entered",
                &["update|100,000 nodes, all live|ns per live node"],
            ),
            (
                "`update` per call stack, 1,000 entered, cold",
                &["update|1,000, cold|ns per live node"],
            ),
            (
                "`update` per call stack, 10,000 entered, cold",
                &["update|10,000, cold|ns per live node"],
            ),
            (
                "`update` per zone that adds to a named value",
                &["update|1,000 zones, each with a value|ns per live node"],
            ),
            (
                "report of 30 zones on 1,000 call stacks",
                &["report|self, 1,000 nodes|us"],
            ),
            (
                "the same on each of 64 threads",
                &["report|self, 64 threads of 1,000|us"],
            ),
            ("report of 10,000 zones", &["report|self, 10,000 zones|us"]),
            (
                "call graph of a zone, 10,000 call stacks",
                &["report|graph, 10,000 nodes|us"],
            ),
            (
                "report of 40 zones with percentiles over 1,024 frames",
                &["report|per frame, 40 rows, 1,024 frames|us"],
            ),
        ],
    },
    Table {
        title: "Drawing",
        about: "Each row is drawn at 1280 × 720. The times are those of the program's thread, from data to vertices and for the calls\n\
            of OpenGL or wgpu, on a software renderer if the machine has one.",
        benches: &[("draw", 300), ("flame", 500)],
        columns: &[
            ("vertices", "draw|*, = text to vertices|us, minimum"),
            ("OpenGL calls", "draw|*, = GL calls|us, minimum"),
            (
                "vertices, wgpu",
                "draw|* wgpu, = text to vertices|us, minimum",
            ),
            ("wgpu calls", "draw|* wgpu, = wgpu calls|us, minimum"),
        ],
        rows: &[
            ("**iprof**, report of 10 rows", &["10 rows, iprof"]),
            ("{dear-imgui-rs}, the same", &["10 rows, imgui"]),
            ("{egui}, the same", &["10 rows, egui"]),
            ("**iprof**, report of 40 rows", &["40 rows, iprof"]),
            ("{dear-imgui-rs}, the same", &["40 rows, imgui"]),
            ("{egui}, the same", &["40 rows, egui"]),
            (
                "**iprof**, graph of 590 frames with 10 zones",
                &["40 rows, iprof graph", "40 rows, iprof graph", "", ""],
            ),
            (
                "**iprof**, flame graph of 10,000 call paths",
                &["=flame|drawn as shown|us, minimum", "", "", ""],
            ),
            (
                "the same, built from scratch",
                &["=flame|drawn anew|us, minimum", "", "", ""],
            ),
        ],
    },
    Table {
        title: "Formats",
        about: "Each row is writing one file into memory: the profile of a program with 30 zones on 210 call stacks. HTML and\n\
            trace events contain all 1,024 frames of the default history.",
        benches: &[("formats", 5)],
        columns: &[("time", "formats|*|ms"), ("size", "formats|*|bytes")],
        rows: &[
            ("text: `Tree`", &["tree"]),
            ("`Folded`", &["folded"]),
            ("`Callgrind`", &["callgrind"]),
            ("`Gprof`", &["gprof"]),
            ("`Pprof`", &["pprof"]),
            ("`Speedscope`", &["speedscope"]),
            ("`Json`", &["json"]),
            ("`Csv`", &["csv"]),
            ("`Html`", &["html"]),
            ("`TraceEvents`", &["trace-events"]),
            ("`TraceEventsGzip`", &["trace-events-gzip"]),
        ],
    },
];

const HEAD: &str = "# Benchmarks

`./dev bench --write` runs these benchmarks and writes this page. Times are the minimum of many
runs, unless a column says otherwise.
";

/// The lock files of the other profilers and toolkits.
const LOCKS: &str = concat!(
    include_str!("peers/Cargo.lock"),
    include_str!("toolkits/Cargo.lock")
);

fn main() -> Result<(), Box<dyn Error>> {
    let has = |flag| std::env::args().any(|argument| argument == flag);
    if !has("--write") {
        println!("--write runs all benchmarks and writes docs/benchmarks.md; see `./dev help`");
        return Ok(());
    }
    let folder = env!("CARGO_TARGET_TMPDIR");
    let tsv = format!("{folder}/benchmarks.tsv");
    fs::write(&tsv, "")?;
    for (bench, runs) in TABLES.iter().flat_map(|table| table.benches) {
        let runs = if has("--quick") { 1 } else { *runs };
        let mut dev = Command::new("./dev");
        dev.arg("bench").args(bench.split(' '));
        dev.args(["--runs", &runs.to_string(), "--tsv", &tsv]);
        let status = dev.status()?;
        if !status.success() {
            return Err(format!("the benchmark {bench} ended with {status}").into());
        }
    }
    let results = Results::new(&fs::read_to_string(&tsv)?);
    let mut missing = Vec::new();
    let mut page = HEAD.to_owned();
    let machine = format!(
        "iprof {}, {}, {}, {} cores, {}",
        env!("CARGO_PKG_VERSION"),
        today(),
        processor(),
        cores(),
        system()
    );
    for table in &TABLES {
        let markdown = table.markdown(&machine, &results, &mut missing);
        page += &format!("\n{}", with_versions(&markdown));
    }
    let path = match has("--quick") {
        true => format!("{folder}/benchmarks.md"),
        false => "docs/benchmarks.md".to_owned(),
    };
    fs::write(&path, page)?;
    println!("wrote {path}");
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!("no benchmark has the results {missing:?}").into()),
    }
}

/// Replaces each `{package}` with the name and version of that package.
fn with_versions(text: &str) -> String {
    let mut parts = text.split(['{', '}']);
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let (Some(package), Some(rest)) = (parts.next(), parts.next()) {
        text += &format!("{package} {}{rest}", version(package));
    }
    text
}

/// Returns the version of a package. If a lock file contains several versions, the newest is listed last.
fn version(package: &str) -> &'static str {
    let found = LOCKS.rsplit_once(&format!("name = \"{package}\"\nversion = \""));
    let (_, rest) = found.expect(package);
    rest.split('"')
        .next()
        .expect("split returns at least one part")
}

/// Returns the name of the operating system.
fn system() -> String {
    let text = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="));
    name.unwrap_or(std::env::consts::OS)
        .trim_matches('"')
        .to_owned()
}
