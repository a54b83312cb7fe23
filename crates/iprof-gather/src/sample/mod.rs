//! Sampling: a thread that reads the current node of all other threads at random intervals.
//!
//! | file | noun |
//! |---|---|
//! | `sample_cost.rs` | the measured cost of a sample, for choosing a rate |
//! | `thread_cpu_time.rs` | the calling thread's processor time |
//! | `schedule.rs` | when the next sample is due |
//! | `sampler.rs` | the sampler thread of the program |
//! | `session.rs` | a separate sampler for one profiling session |
//! | `sample_counts.rs` | samples per node |

mod sample_cost;
mod sample_counts;
mod sampler;
mod schedule;
mod session;
mod thread_cpu_time;

/// The name of sampler threads.
const THREAD: &str = "iprof sampler";

pub use sample_cost::SampleCost;
pub use sample_counts::SampleCounts;
pub use sampler::{set_rate, take, try_take};
pub use session::Session;
