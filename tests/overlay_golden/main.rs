//! Golden pictures of the overlay, which a person has checked, and properties of all its pictures.
//!
//! `IPROF_BLESS=1 cargo test --test overlay_golden` writes new pictures, to be checked.

#![cfg(feature = "gl")]
#![allow(
    unsafe_code,
    reason = "an overlay is made in a context that is promised to be current"
)]

// SAFETY comments rely on `Headless`, which makes its context current.

#[cfg(feature = "enable")]
#[path = "../../examples/software.rs"]
#[allow(dead_code, unreachable_pub)]
mod canvas;
#[cfg(feature = "enable")] // Without it there is no help.
mod help;
#[cfg(feature = "enable")]
mod help_in_software;
mod hits;
mod legibility;
mod pictures;
mod pointer;
mod rules;
mod scenes;
mod sizes;
mod stage;
#[path = "../support/mod.rs"]
mod support;
