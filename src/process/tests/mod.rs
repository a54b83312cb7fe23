//! Tests of processing against the oracle, a naive profiler that stores whole stacks.

mod baselines;
mod bucket_graph;
mod budget;
mod budget_phases;
mod budgets;
mod call_paths;
mod choosing_frames;
mod clock;
mod coarse_clock;
mod comparisons;
mod coverage;
mod diff;
#[cfg(feature = "overlay")]
mod diff_of_threads;
mod ended;
mod flame;
mod flame_renewed;
mod folded_rows;
mod folding;
mod frame_sets;
#[cfg(feature = "overlay")]
mod gpu;
#[cfg(feature = "overlay")]
mod gpu_frames;
#[cfg(feature = "overlay")]
mod gpu_odd_times;
#[cfg(feature = "overlay")]
mod gpu_twin;
mod groups_and_filters;
mod heat;
mod held_order;
mod idle;
mod layout;
mod local;
mod local_threads;
mod navigation;
mod net;
mod oracle;
#[cfg(feature = "overlay")]
mod parts;
mod programs;
mod range;
mod rescued;
mod same_name;
mod sampled;
mod sampled_changes;
mod sampled_stage;
mod scene;
mod session;
mod session_sums;
mod snapshots;
mod sorting;
mod sums;
mod timed_ancestors;
mod times_per_frame;
mod values;
mod values_per_frame;
mod week;
mod with_view;
mod zone_spikes;

/// What a profiler has unless another is set.
const FRAME_BUDGET: std::time::Duration = std::time::Duration::from_micros(16_667);
