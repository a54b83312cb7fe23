//! Tests reports and files for very deep call stacks, on threads with small stacks and with limits on memory and time.

#![cfg(all(feature = "enable", feature = "export"))]

mod files;
mod heap;
#[path = "../support/own_program.rs"]
mod own_program;
mod reports;

#[global_allocator]
static COUNTING: heap::Counting = heap::Counting;
