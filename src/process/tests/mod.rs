//! Processing against a naive twin that stores whole stacks.

mod clock;
mod layout;
mod local;
mod oracle;
mod programs;
mod same_name;
mod sums;
