//! Sampling: a thread that looks at what all the others are in, now and then.
//!
//! | file | noun |
//! |---|---|
//! | `look_cost.rs` | what a look takes, as a rate is chosen by |
//! | `own_time.rs` | what that takes |
//! | `pace.rs` | when to look next |
//! | `sampler.rs` | the thread: when it looks, and at what |
//! | `session.rs` | a sampler of its own, from start to finish |
//! | `tally.rs` | what it found |

mod look_cost;
mod own_time;
mod pace;
mod sampler;
mod session;
mod tally;

/// What the threads are called that look.
const THREAD: &str = "iprof sampler";

pub(crate) use look_cost::LookCost;
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
pub(crate) use sampler::{Held, hold};
pub(crate) use sampler::{set_rate, take, take_unless_busy};
pub(crate) use session::Session;
pub(crate) use tally::Tally;
