//! Tests changes of the timing mode at any moment, on any thread, while zones are open. Stacks and counts must stay
//! exact. Sampled times must be marked, and must be within their stated error.
#![cfg(feature = "enable")]

mod auto;
mod change;
mod come_and_go;
mod edges;
#[path = "../support/measured.rs"]
mod measured;
mod off;
#[path = "../support/own_program.rs"]
mod own_program;
mod reset;
mod sampled;
mod sampler;

use iprof::Timing;

const MODES: [Timing; 4] = [Timing::Exact, Timing::SAMPLED, Timing::AUTO, Timing::Off];
/// The timing modes that record.
const ON: [Timing; 3] = [Timing::Exact, Timing::SAMPLED, Timing::AUTO];
