//! Random programs on scripted threads, run by the real recorder and by the oracle.

use super::oracle::{Moments, Stack};
use crate::Zone;
use crate::clock::Pair;
use crate::gather::scripted::ScriptedThread;
use crate::process::core::Process;
use proptest::prelude::*;

/// How many zones there are beside `_global`: few, so that programs recurse.
pub(super) const ZONES: usize = 4;

static NAMES: [Zone; ZONES] = [
    Zone::new("a", "a.rs", 1, "programs"),
    Zone::new("b", "b.rs", 2, "programs"),
    Zone::new("c", "c.rs", 3, "programs"),
    Zone::new("d", "d.rs", 4, "programs"),
];

/// What the threads are called: the last two alike.
const NAMES_OF_THREADS: [&str; 3] = ["main", "worker", "worker"];

/// What a thread does, or all at once.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Enter(usize),
    Leave,
    Count(usize),
    Pass(u64),
    /// The thread ends, or another one begins in its place.
    EndOrBegin,
    /// `update` with the flag.
    Frame(bool),
    Reset,
}

pub(super) type Program = Vec<(usize, Step)>;

/// How many programs are tried: 400, or as many as the variable `IPROF_PROGRAMS` says.
pub(super) fn config() -> ProptestConfig {
    let asked = std::env::var("IPROF_PROGRAMS").ok();
    ProptestConfig {
        cases: asked.and_then(|n| n.parse().ok()).unwrap_or(400),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Programs for a number of threads; the first one never ends.
pub(super) fn program(threads: usize) -> impl Strategy<Value = Program> {
    let step = prop_oneof![
        12 => (0..ZONES).prop_map(Step::Enter),
        8 => Just(Step::Leave),
        2 => (0..ZONES).prop_map(Step::Count),
        10 => (1u64..2_000_000).prop_map(Step::Pass),
        1 => Just(Step::EndOrBegin),
        2 => Just(Step::Frame(true)),
        1 => Just(Step::Frame(false)),
        1 => Just(Step::Reset),
    ];
    prop::collection::vec((0..threads, step), 1..120)
}

/// A recorded frame as the oracle saw it, by thread.
#[derive(Clone, Debug)]
pub(super) struct NaiveFrame {
    pub(super) threads: Vec<Moments>,
    pub(super) ticks: u64,
}

/// What is left after a program.
pub(super) struct Run {
    pub(super) process: Process,
    /// Recorded frames since the last reset, and how many there were before.
    pub(super) frames: Vec<NaiveFrame>,
    pub(super) forgotten: usize,
    /// Everything, recorded or not, up to the last frame.
    pub(super) all: Vec<Moments>,
}

struct Naive {
    /// The zones on the stack; empty when the thread has ended.
    stack: Stack,
    frame: Moments,
}

/// A tick is a nanosecond here.
pub(super) const MS_PER_TICK: f64 = 1e-6;

/// Whether two threads have the same name.
pub(super) fn are_named_alike(a: usize, b: usize) -> bool {
    NAMES_OF_THREADS[a] == NAMES_OF_THREADS[b]
}

/// Runs `program` on `threads` threads, at most three. A last frame is recorded at its end.
pub(super) fn run(threads: usize, program: &[(usize, Step)]) -> Run {
    let mut now = 1_000;
    let scripted: Vec<ScriptedThread> = (0..threads)
        .map(|at| ScriptedThread::begin(NAMES_OF_THREADS[at], now))
        .collect();
    let records: Vec<_> = scripted.iter().map(ScriptedThread::record).collect();
    let mut naive: Vec<Naive> = (0..threads)
        .map(|_| Naive {
            stack: vec![0],
            frame: Moments::default(),
        })
        .collect();
    let mut process = Process::new(Pair {
        ticks: now,
        ns: now,
    });
    let (mut frames, mut frame_start) = (Vec::new(), now);
    let mut all = vec![Moments::default(); threads];
    let mut forgotten = 0;

    for &(at, step) in program
        .iter()
        .chain(&[(0, Step::Pass(1)), (0, Step::Frame(true))])
    {
        let (thread, twin) = (&scripted[at], &mut naive[at]);
        let alive = !twin.stack.is_empty();
        match step {
            Step::Enter(zone) if alive => {
                thread.enter(&NAMES[zone], now);
                twin.stack.push(zone + 1);
                twin.frame.enter(&twin.stack);
            }
            Step::Leave if twin.stack.len() > 1 => {
                thread.leave(now);
                twin.stack.pop();
            }
            Step::Count(zone) if alive => {
                thread.count(&NAMES[zone]);
                let mut counted = twin.stack.clone();
                counted.push(zone + 1);
                twin.frame.enter(&counted);
            }
            Step::Pass(ticks) => {
                now += ticks;
                for twin in naive.iter_mut().filter(|twin| !twin.stack.is_empty()) {
                    twin.frame.pass(&twin.stack, ticks);
                }
            }
            Step::EndOrBegin if at > 0 => {
                if alive {
                    thread.end(now);
                    twin.stack.clear();
                } else {
                    thread.begin_again(now);
                    twin.stack.push(0);
                }
            }
            Step::Frame(keep) => {
                process.update(
                    &records,
                    records[0],
                    Pair {
                        ticks: now,
                        ns: now,
                    },
                    keep,
                );
                let threads: Vec<Moments> = naive
                    .iter_mut()
                    .map(|twin| std::mem::take(&mut twin.frame))
                    .collect();
                for (all, frame) in all.iter_mut().zip(&threads) {
                    all.merge(frame);
                }
                if keep {
                    frames.push(NaiveFrame {
                        threads,
                        ticks: now - frame_start,
                    });
                }
                frame_start = now;
            }
            Step::Reset => {
                process.reset(
                    &records,
                    records[0],
                    Pair {
                        ticks: now,
                        ns: now,
                    },
                );
                for (twin, all) in naive.iter_mut().zip(&mut all) {
                    all.merge(&std::mem::take(&mut twin.frame));
                }
                forgotten += frames.len();
                frames.clear();
                frame_start = now;
            }
            _ => {}
        }
    }
    Run {
        process,
        forgotten,
        frames,
        all,
    }
}

/// The oracle's average of `frames` by the rule of the design, by thread.
pub(super) fn average(frames: &[NaiveFrame], t90: f64) -> Vec<Moments> {
    let mut average = vec![Moments::default(); frames[0].threads.len()];
    for (number, frame) in frames.iter().enumerate() {
        let seconds = frame.ticks as f64 * MS_PER_TICK * 1e-3;
        let old = if number < 3 {
            0.0
        } else {
            0.1f64.powf(seconds / t90)
        };
        for (average, new) in average.iter_mut().zip(&frame.threads) {
            average.blend(old, new, 1.0 - old);
        }
    }
    average
}
