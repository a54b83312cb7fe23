//! Processing against a naive twin that stores whole stacks.

mod accounts;
mod budget;
mod budget_phases;
mod chains;
mod clock;
mod compare;
mod coverage;
mod ended;
mod finding;
mod first_frame;
mod folding;
#[cfg(feature = "_overlay")]
mod gpu;
mod heat;
mod layout;
mod local;
mod looking;
mod moves;
mod net;
mod oracle;
mod programs;
mod range;
mod same_name;
mod sampled;
mod snapshots;
mod sums;
mod week;
