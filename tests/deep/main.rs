//! Reports and files of the deepest call stacks and the largest trees: memory, time, and a thread with a small
//! stack.

#![cfg(all(feature = "enable", feature = "export"))]

mod files;
mod heap;
#[path = "../support/own_program.rs"]
mod own_program;
mod reports;

#[global_allocator]
static COUNTING: heap::Counting = heap::Counting;
