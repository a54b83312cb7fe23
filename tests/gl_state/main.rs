//! The overlay is a guest. Whatever the host has set: the picture is the same to the bit, the state
//! is afterward what it was before, the error queue is the host's own, and the driver has nothing
//! to complain about.
//!
//! A row of [`hosts`] is a host that has set something. Each is run on each kind of context.

#![cfg(feature = "gl")]
#![allow(unsafe_code, reason = "every GL call is unsafe")]

// The invariant behind the SAFETY lines: "current": `Headless`'s own.

mod contexts;
mod cost;
mod draw_buffers;
mod host;
mod hosts;
mod left;
mod matrix;
mod objects;
mod odd_places;
mod picture;
mod scene;
#[path = "../support/mod.rs"]
mod support;
