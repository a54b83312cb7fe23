//! Timing may change at any moment, from any thread, with zones open: stacks stay what they are,
//! counts stay exact, and times that were sampled are marked and as right as they say.
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
