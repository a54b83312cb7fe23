//! Tests of the running program, with real threads.

mod coarse_clock;
mod local;
mod local_threads;
mod with_view;
