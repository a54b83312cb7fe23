//! Changes of the timing mode at any moment, on any thread, with zones open. Stacks and counts stay exact. Sampled
//! times are marked, and within their standard errors.
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
/// The modes that record.
const ON: [Timing; 3] = [Timing::Exact, Timing::SAMPLED, Timing::AUTO];
