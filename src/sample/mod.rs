//! Sampling: a thread that looks at what all the others are in, now and then.
//!
//! | file | noun |
//! |---|---|
//! | `sampler.rs` | the thread: when it looks, and at what |
//! | `tally.rs` | what it found |

mod sampler;
mod tally;

pub(crate) use sampler::{set_rate, take, take_unless_busy};
pub(crate) use tally::Tally;
