//! Profiles of a running program over HTTP, as gperftools and Go have them.
//!
//! ```
//! # fn main() -> std::io::Result<()> {
//! let server = iprof::http::serve(0)?;
//! println!("go tool pprof http://{}", server.address());
//! # Ok(())
//! # }
//! ```
//!
//! The endpoint is there until the [`Server`] is dropped. A port alone is one of 127.0.0.1, which no
//! other machine reaches, and 0 is any that is free: see [`Address`]. Nobody is asked for a password,
//! and who can connect reads the program's arguments, its zones and its files' names.
//!
//! A program that was built with the feature `http` and never touched opens the endpoint by itself at
//! its first zone if the environment variable `IPROF_PORT` names a port of 127.0.0.1. If that
//! cannot be had, a line on stderr and a warning line of the report say why.
//!
//! | | |
//! |---|---|
//! | `/debug/pprof/` | a page with links to the others; also at `/` |
//! | `/debug/pprof/profile?seconds=N`, `/pprof/profile?seconds=N` | what is recorded in the next N seconds, for `go tool pprof`, Pyroscope and Parca: the difference of two [snapshots](crate::snapshot) as [`write_pprof`](crate::Snapshot::write_pprof) writes it |
//! | `/report` | the program's default view as [text](crate::write_report); the [trees](crate::Snapshot::write_tree) of all it recorded if it has never called [`update`](crate::update) |
//! | `/dump.html` | all that was recorded, as [`write_html`](crate::Snapshot::write_html) writes it |
//! | `/debug/pprof/cmdline` | the program and its arguments, with a NUL between two |
//! | `/pprof/cmdline` | the same, each on a line |
//!
//! `seconds` is any number from 0.1 to 3,600, to which others are clamped; 30 without it. Where a
//! program's functions have names, as zones do, the tools do not ask for `/pprof/symbol`, and it is not
//! there. Anything else is answered with 404, and methods other than GET and HEAD with 405.
//!
//! # What it costs the program
//!
//! A thread that sleeps, and two more while answers are being made. A profile stops nothing and
//! changes nothing: any number of readers, each with its own N, see the same exact counts. Only
//! while one of their snapshots is taken, some 50 ns for each stack of zones, does
//! [`update`](crate::update) wait.
//!
//! # Clients that are slow, stuck or many
//!
//! None keeps another one waiting, whatever it does or leaves undone. A client has 5 seconds for its
//! request, of at most 16 KiB, and then 10 seconds and one more for each 64 KiB to take its answer;
//! who takes longer is disconnected. 128 are served at once, and the next wait for one of these
//! places. A reader that waits for its profile has none of them: for those there are 64 MiB of memory, of
//! which each takes as much as a snapshot, at least half a MiB, so that there are up to 128 of them. More
//! are told to come again, with 503. Answers that wait to be taken have another 64 MiB.
//!
//! Web pages that the user happens to look at are no clients: an endpoint of the loopback interface
//! answers only where the header `Host` names that, as `localhost` or by a number, so that a page
//! cannot reach it by a name of its own that resolves to 127.0.0.1. An endpoint of another
//! interface answers to any name.

mod address;
mod answer;
#[cfg(any(test, fuzzing))]
mod ask;
mod client;
mod host;
mod limits;
mod page;
mod patience;
mod server;

pub use address::Address;
#[cfg(any(test, fuzzing))]
pub(crate) use ask::{Asked, ask};
pub use server::Server;

use std::io;

/// Opens the endpoint at `address`, which may be a port of 127.0.0.1: see [`Address`], and
/// [the module](self) for what is there. It stays until what is returned is dropped.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// let server = iprof::http::serve(0)?;
/// assert!(server.address().ip().is_loopback());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Those of the system, when it does not hand out the port or starts no thread.
pub fn serve(address: impl Into<Address>) -> io::Result<Server> {
    Server::start(address.into())
}
