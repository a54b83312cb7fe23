//! Tests of processing against the oracle, a naive profiler that stores whole stacks.

mod baselines;
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
mod folded_rows;
mod folding;
#[cfg(feature = "_overlay")]
mod gpu;
#[cfg(feature = "_overlay")]
mod gpu_odd_times;
#[cfg(feature = "_overlay")]
mod gpu_twin;
mod heat;
mod idle;
mod layout;
mod local;
mod local_threads;
mod moves;
mod net;
mod oracle;
mod order;
mod programs;
mod range;
mod same_name;
mod sampled;
mod sampled_changes;
mod sampled_stage;
mod scene;
mod snapshots;
mod sorting;
mod sums;
mod timed_ancestors;
mod week;
mod with_view;
