//! Tests of processing against the oracle, a naive profiler that stores whole stacks.

mod budget;
mod budget_phases;
mod call_paths;
mod choosing_frames;
mod clock;
mod compare;
mod coverage;
#[cfg(feature = "_overlay")]
mod culprit;
mod ended;
mod finding;
mod first_frame;
mod folding;
#[cfg(feature = "_overlay")]
mod gpu;
mod heat;
mod idle;
mod layout;
mod local;
mod moves;
mod net;
mod oracle;
mod order;
mod programs;
mod range;
mod same_name;
mod sampled;
mod snapshots;
mod sums;
mod timed_ancestors;
mod week;
mod with_view;
