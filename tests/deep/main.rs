//! What a program's deepest stacks and largest trees cost: every format and every report, on a
//! thread with a small stack.

#![cfg(all(feature = "enable", feature = "export"))]

mod files;
mod heap;
#[path = "../support/own_program.rs"]
mod own_program;
mod reports;

#[global_allocator]
static COUNTING: heap::Counting = heap::Counting;
