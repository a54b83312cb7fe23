//! Fuzz target: sequences of API calls on several threads, compared with a model that stores entire call stacks.
//!
//! The threads are real, and so is everything that they call: the macros with their call sites, thread-locals,
//! `update`, `reset` and `set_timing`. The clock is a mock, which advances only where the input specifies it. The
//! threads run one at a time unless the input makes them run concurrently, in which case only counts are compared.

use super::bytes::Bytes;
use super::calls_model::Model;
use super::calls_threads::{Batch, Worker};
use super::oracle::Moments;
use crate::Timing;
use crate::clock::mock;
use std::cell::Cell;

/// The number of zones that calls enter: `a` to `d`, numbered from 1.
pub(super) const ZONES: usize = 4;
/// The number of the idle zone, which is the last of the zones `a` to `d`.
pub(super) const IDLE: usize = ZONES;
/// The numbers of the counters: `e` and `f`.
pub(super) const COUNTERS: [usize; 2] = [ZONES + 1, ZONES + 2];
/// The number of the `iprof_update` zone.
pub(super) const UPDATE: usize = ZONES + 3;

/// The value of `place` that enters the zone as a run-time zone.
pub(super) const RUN_TIME: usize = 2;

pub(super) const NAMES: [&str; 3] = ["fuzz 1", "fuzz 2", "fuzz 3"];
/// Limits that keep an input's run time to a few milliseconds.
const MOST_CALLS: usize = 400;
const MOST_CHECKS: usize = 2;

/// A thread's call. Indices are taken modulo the number of items.
#[derive(Clone, Copy, Debug)]
pub(super) enum Call {
    Open {
        zone: usize,
        place: usize,
    },
    Begin {
        zone: usize,
        place: usize,
    },
    Drop(usize),
    Forget(usize),
    EndZone(usize),
    EndName(usize),
    EndRunTime(usize),
    EndInnermost,
    Count(u8),
    Relabel {
        at: usize,
        zone: usize,
    },
    Unwind,
    Record(bool),
    Pass(u64),
    /// Ends the thread. The next call runs on a new thread with the same name.
    End {
        forget: bool,
    },
    Update(bool),
    Reset,
    SetTiming(Timing),
    Inspect,
    Snapshot,
}

fn read_call(code: u8, bytes: &mut Bytes) -> Call {
    let low = usize::from(code & 3);
    match code {
        0..8 => Call::Open {
            zone: low,
            place: usize::from(code >> 2),
        },
        8..16 => Call::Begin {
            zone: low,
            place: usize::from(code >> 2),
        },
        16..20 => Call::Pass((u64::from(bytes.byte()) + 1) << (7 * low)),
        // Drop the newest guard, as the end of a scope would, or an arbitrary guard.
        20 | 21 => Call::Drop(usize::MAX),
        22 => Call::Drop(bytes.byte().into()),
        23 => Call::Forget(bytes.byte().into()),
        24..28 => Call::EndZone(low),
        28..32 => Call::EndName(low),
        32 => Call::EndInnermost,
        33 | 34 => Call::Count(code - 33),
        35 => Call::Relabel {
            at: usize::MAX,
            zone: usize::from(bytes.byte()) % ZONES,
        },
        36 => Call::Relabel {
            at: bytes.byte().into(),
            zone: usize::from(bytes.byte()) % ZONES,
        },
        37 | 38 => Call::Record(code == 38),
        39 | 40 => Call::End { forget: code == 40 },
        41 | 42 => Call::Update(code == 41),
        43 => Call::Reset,
        44 => Call::Snapshot,
        45 => Call::SetTiming(Timing::Exact),
        46 => Call::SetTiming(Timing::Sampled { hz: 5_000.0 }),
        47 => Call::SetTiming(Timing::AUTO),
        48 => Call::SetTiming(Timing::Off),
        49 => Call::Inspect,
        50 => Call::Unwind,
        51..55 => Call::Open {
            zone: low,
            place: RUN_TIME,
        },
        55..59 => Call::Begin {
            zone: low,
            place: RUN_TIME,
        },
        59 => Call::EndRunTime(usize::from(bytes.byte()) % ZONES),
        _ => Call::Pass(u64::from(code)),
    }
}

thread_local! {
    /// The mock clock's time. It keeps advancing from input to input, as a real clock would.
    static NOW: Cell<u64> = const { Cell::new(1_000_000) };
}

/// Runs the calls that the input describes. Must not run on two threads at once, because there is only one profiler.
///
/// # Panics
///
/// Panics if the recorded data differs from the model.
pub fn calls(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let first = bytes.byte();
    let threads = usize::from(first & 3) % NAMES.len() + 1;
    let at_once = first & 4 != 0;
    let mut program = Vec::new();
    while !bytes.is_empty() && program.len() < MOST_CALLS {
        let byte = bytes.byte();
        let call = read_call(byte & 63, &mut bytes);
        program.push((usize::from(byte >> 6) % threads, call));
    }
    let mut run = Run::begin(threads);
    if at_once {
        run.all_at_once(&program);
    } else {
        run.in_turn(&program);
    }
    run.end();
}

pub(super) struct Frame {
    pub(super) ticks: u64,
    pub(super) threads: Vec<Moments>,
}

pub(super) struct Run {
    pub(super) now: u64,
    pub(super) models: Vec<Model>,
    pub(super) workers: Vec<Option<Worker>>,
    /// Each thread's pending calls.
    pub(super) batches: Vec<Batch>,
    pub(super) timing: Timing,
    /// Whether timing has been off at any time since the last frame ended.
    pub(super) was_off: bool,
    pub(super) is_paused: bool,
    /// Whether all times since the last reset are exact, with none of them sampled.
    pub(super) is_exact: bool,
    pub(super) frame_start: u64,
    /// The thread that last ended a frame, if it is a worker. The time that this thread spends outside zones is not
    /// idle.
    pub(super) main: Option<usize>,
    pub(super) frames: Vec<Frame>,
    pub(super) checks: usize,
}

impl Run {
    fn begin(threads: usize) -> Run {
        let now = NOW.get();
        mock::set_both(now);
        crate::set_timing(Timing::Exact);
        crate::update(false);
        crate::reset();
        Run {
            now,
            models: (0..threads).map(|_| Model::default()).collect(),
            workers: (0..threads).map(|_| None).collect(),
            batches: vec![Batch::new(); threads],
            timing: Timing::Exact,
            was_off: false,
            is_paused: true,
            is_exact: true,
            frame_start: now,
            main: None,
            frames: Vec::new(),
            checks: 0,
        }
    }

    fn worker(&mut self, at: usize) -> &Worker {
        self.workers[at].get_or_insert_with(|| Worker::start(NAMES[at]))
    }

    fn flush(&mut self, at: usize) {
        let batch = std::mem::take(&mut self.batches[at]);
        if !batch.is_empty() {
            let worker = self.worker(at);
            worker.send(batch);
            worker.wait();
        }
    }

    fn flush_all(&mut self) {
        (0..self.batches.len()).for_each(|at| self.flush(at));
        mock::set_both(self.now);
    }

    fn in_turn(&mut self, program: &[(usize, Call)]) {
        for &(at, call) in program {
            match call {
                Call::Pass(ticks) => {
                    // Each call carries the time, so threads see the new time at their next call.
                    self.now += ticks;
                    self.models.iter_mut().for_each(|model| model.pass(ticks));
                    continue;
                }
                // These calls affect all threads.
                Call::Update(_) | Call::Reset | Call::SetTiming(_) | Call::Snapshot => {
                    self.flush_all();
                }
                _ => {}
            }
            self.models[at].perform(call, self.timing == Timing::Off);
            self.batches[at].push((self.now, call));
            match call {
                Call::End { .. } => {
                    self.flush(at);
                    self.workers[at].take().into_iter().for_each(Worker::join);
                }
                Call::Update(is_recorded) => {
                    self.flush(at);
                    self.main = Some(at);
                    self.end_frame(is_recorded);
                }
                Call::Reset => {
                    self.flush(at);
                    self.reset();
                }
                Call::SetTiming(timing) => {
                    self.flush(at);
                    self.was_off |= timing == Timing::Off || self.timing == Timing::Off;
                    self.is_exact &= matches!(timing, Timing::Exact | Timing::Off);
                    self.timing = timing;
                }
                Call::Snapshot => self.check_snapshot(),
                _ => {}
            }
        }
        self.flush_all();
        self.check_snapshot();
        self.check_frames();
    }

    fn end_frame(&mut self, is_recorded: bool) {
        let is_recorded = is_recorded && !self.was_off;
        self.was_off = self.timing == Timing::Off;
        self.is_paused = !is_recorded;
        let ticks = self.now - self.frame_start;
        self.frame_start = self.now;
        let frame = |model: &mut Model| std::mem::take(&mut model.frame);
        let threads: Vec<Moments> = self.models.iter_mut().map(frame).collect();
        if is_recorded {
            for (model, frame) in self.models.iter_mut().zip(&threads) {
                model.recorded.merge(frame);
            }
            self.frames.push(Frame { ticks, threads });
            if self.checks < MOST_CHECKS {
                self.checks += 1;
                self.check_reports();
            }
        }
    }

    fn reset(&mut self) {
        for model in &mut self.models {
            model.frame = Moments::default();
            model.recorded = Moments::default();
            model.faults = [0; 2];
        }
        self.frames.clear();
        self.frame_start = self.now;
    }

    /// Runs the calls of all threads concurrently. Only one thread ends frames.
    fn all_at_once(&mut self, program: &[(usize, Call)]) {
        // End and record the current frame first, so that no frame is discarded.
        crate::update(true);
        for &(at, call) in program {
            let is_allowed = match call {
                Call::Pass(_) | Call::Reset | Call::End { .. } => false,
                Call::Update(is_recorded) => is_recorded,
                Call::SetTiming(timing) => timing != Timing::Off,
                _ => true,
            };
            if is_allowed {
                self.models[at].perform(call, false);
                self.batches[at].push((self.now, call));
            }
        }
        self.is_exact = true; // The clock does not advance.
        for at in 0..self.batches.len() {
            let batch = std::mem::take(&mut self.batches[at]);
            self.worker(at).send(batch);
        }
        for at in 0..self.batches.len() {
            self.worker(at).wait();
        }
        mock::set_both(self.now);
        let snapshot = crate::snapshot();
        for (name, model) in NAMES.iter().zip(&self.models) {
            self.check_thread(&snapshot, name, &model.frame);
        }
    }

    /// Ends all threads, and clears all state before the next input.
    fn end(mut self) {
        crate::set_timing(Timing::Exact);
        for at in 0..self.models.len() {
            self.perform_last(at, Call::End { forget: false });
            self.flush(at);
            self.workers[at].take().into_iter().for_each(Worker::join);
        }
        NOW.set(self.now + 1);
    }

    fn perform_last(&mut self, at: usize, call: Call) {
        self.models[at].perform(call, false);
        self.batches[at].push((self.now, call));
        if matches!(call, Call::End { .. }) {
            self.flush(at);
            self.workers[at].take().into_iter().for_each(Worker::join);
        }
    }
}
