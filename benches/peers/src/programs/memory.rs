//! Measures how much memory a profiler uses for one minute of a program that runs at 60 frames per second. Each frame
//! enters 20,130 zones on 259 call stacks.
//!
//! Each contender runs in a separate process. Frames run as fast as possible, and the work that a contender's own
//! thread would do once per second is done every 60 frames. With `--real`, frames actually run at 60 per second. For
//! iprof, the table also shows the memory usage given in iprof's documentation.

use super::Program;
use crate::contender::{CONTENDERS, Contender};
use crate::heap::heap;
use crate::machine::{available, introduce, resident};
use crate::options::Options;
use crate::tsv::Tsv;
use crate::worker::Worker;
use std::io::Result;
use std::time::{Duration, Instant};

pub(super) const PROGRAM: Program = Program {
    name: "memory",
    own: &[(
        "--real",
        "60 frames a second instead of as many as go; --runs: seconds",
    )],
    work,
    only,
    all,
};

pub fn main() -> Result<()> {
    PROGRAM.main()
}

const FRAMES_PER_SECOND: u32 = 60;
const SECONDS: usize = 60;
const BATCHES: usize = 6;
/// The number of call stacks in a frame. See `work/stacks.rs`.
const STACKS: f64 = 259.0;

fn only(contender: &Contender, options: &Options) {
    work(contender, "", options);
}

/// Runs the benchmark with a contender, and prints each result as a line with a word and a number.
fn work(contender: &Contender, _: &str, options: &Options) {
    let frames = options.runs.unwrap_or(SECONDS) as u32 * FRAMES_PER_SECOND;
    (contender.start)();
    let (before, _) = resident().unwrap_or_default();
    let (heap_before, _) = heap();
    let enough = before + available().unwrap_or(f64::INFINITY) * 0.75;
    let (mut zones, mut done) = (0, 0);
    let (mut half, mut zones_at_half) = (before, 0);
    let start = Instant::now();
    for frame in 1..=frames {
        for _ in 0..BATCHES {
            (contender.open)();
            zones += (contender.work.stacks)();
            (contender.close)();
        }
        (contender.frame)();
        done = frame;
        if options.has("--real") {
            let next = start + Duration::from_secs(1) * frame / FRAMES_PER_SECOND;
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
        } else if frame % FRAMES_PER_SECOND == 0 {
            (contender.second)();
        }
        if frame == frames / 2 {
            (half, zones_at_half) = (resident().unwrap_or_default().0, zones);
        }
        if frame % FRAMES_PER_SECOND == 0 && resident().unwrap_or_default().0 > enough {
            break;
        }
    }
    let (end, most) = resident().unwrap_or_default();
    let (heap_end, heap_most) = heap();
    println!("frames {done}");
    println!("zones {zones}");
    println!("peak {}", most - before);
    println!(
        "grew {}",
        (end - half) / (zones - zones_at_half).max(1) as f64
    );
    println!("heap {}", heap_end - heap_before);
    println!("most {}", heap_most - heap_before);
    println!("history {}", iprof::history_bytes());
    if let Some(counts) = contender.counts {
        // Run one more frame, and compare the counts before and after it to find the number of zones per frame.
        let sum = || counts().values().sum::<u64>() as f64;
        (contender.second)();
        (contender.mark)();
        let before = sum();
        let mut zones = 0;
        for _ in 0..BATCHES {
            (contender.open)();
            zones += (contender.work.stacks)();
            (contender.close)();
        }
        (contender.frame)();
        (contender.second)();
        println!("counted {}", (sum() - before) / zones as f64);
    }
}

fn value(text: &str, word: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(word));
    let number = line.and_then(|line| line.trim().parse().ok());
    number.unwrap_or(f64::NAN)
}

fn all(options: &Options) -> Result<()> {
    introduce(
        "memory: 3,600 frames of 20,130 zones on 259 stacks",
        &CONTENDERS.iter().collect::<Vec<_>>(),
    );
    let mut tsv = Tsv::new("memory", options.tsv.as_deref())?;
    let mut flags = options.flags.clone();
    if let Some(seconds) = options.runs {
        flags.extend(["--runs".to_owned(), seconds.to_string()]);
    }
    println!(
        "{:<22} {:>8} {:>14} {:>16} {:>18}  counts",
        "MiB", "peak", "Rust heap peak", "frames", "growing, B/zone"
    );
    const MIB: f64 = 1024.0 * 1024.0;
    let mut formula = None;
    let mut baseline = f64::NAN;
    for contender in CONTENDERS {
        let text = Worker::start(contender.name, "", &flags)?.finish()?;
        let (peak, most, frames) = (
            value(&text, "peak"),
            value(&text, "most"),
            value(&text, "frames"),
        );
        let grew = value(&text, "grew");
        let counted = value(&text, "counted");
        let counts = match contender.counts {
            None => "-",
            Some(_) => {
                // Some contenders also count the batch or zones of their own, so allow a small difference.
                assert!(
                    (counted - 1.0).abs() <= contender.tolerance + 1e-3,
                    "{}: {counted} of the zones were recorded",
                    contender.name
                );
                "right"
            }
        };
        println!(
            "{:<22} {:>8.2} {:>14.2} {frames:>16} {grew:>18.3}  {counts}",
            contender.name,
            peak / MIB,
            most / MIB
        );
        if contender.name == "iprof" {
            baseline = peak;
            formula = Some((text.clone(), documented(frames)));
        }
        tsv.line(contender.name, peak / MIB, "MiB", "iprof", peak / baseline)?;
    }
    if let Some((text, (threads, history))) = formula {
        let (heap, counted) = (value(&text, "heap"), value(&text, "history"));
        println!();
        println!("iprof, bytes:        documented     measured");
        println!("history          {history:>14} {counted:>12}  by history_bytes()");
        println!(
            "all              {:>14} {heap:>12}  allocated and not freed",
            threads + history
        );
        let ratio = heap / (threads + history);
        tsv.line("iprof, heap", heap, "bytes", "documented", ratio)?;
    }
    Ok(())
}

/// Returns how much memory a thread's call stacks and the history use, according to iprof's documentation.
fn documented(frames: f64) -> (f64, f64) {
    // Add the stacks of `(outside zones)` and of `iprof_update`.
    let stacks = STACKS + 2.0;
    let mut chunks = 0.0;
    let mut size = 64.0;
    while chunks < stacks {
        chunks += size;
        size *= 2.0;
    }
    let thread = chunks * 64.0 + stacks * 124.0;
    let frame = 96.0 + 12.0 + 24.0 * stacks;
    // The history contains the newest frames, and the longest of the earlier frames.
    (thread, frames.min(1024.0 + 16.0) * frame)
}
