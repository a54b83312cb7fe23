//! Compares the overlay with golden pictures that a person has checked, and checks properties that hold for all of its
//! pictures.
//!
//! `IPROF_BLESS=1 cargo test --test overlay_golden` writes new pictures, which must then be checked.

#![cfg(feature = "gl")]
#![allow(
    unsafe_code,
    reason = "overlays require the promise that their context is current"
)]

// SAFETY comments rely on the fact that `Headless` makes its context current.

#[cfg(feature = "enable")]
#[path = "../../examples/software.rs"]
#[allow(dead_code, unreachable_pub)]
mod canvas;
#[cfg(feature = "enable")] // The help requires this feature.
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
