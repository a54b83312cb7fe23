//! Processing against a naive twin that stores whole stacks.

mod heat;
mod layout;
mod local;
mod oracle;
mod programs;
mod sums;
