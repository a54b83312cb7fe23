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
//! `seconds` is any number from 0.1 to 3,600, to which others are clamped; 30 without it. A parameter
//! that a page does not have is refused with 400, by name: there is no `hz`, since what is recorded
//! goes by the program's own [timing](crate::set_timing). Where a
//! program's functions have names, as zones do, the tools do not ask for `/pprof/symbol`, and it is not
//! there. Anything else is answered with 404, and methods other than GET and HEAD with 405.
//!
//! # What it costs the program
//!
//! Three threads that sleep, two of which make answers. A profile stops nothing and
//! changes nothing: any number of readers, each with its own N, see the same exact counts. Only
//! while one of their snapshots is taken, some 50 ns for each stack of zones, does
//! [`update`](crate::update) wait.
//!
//! All requests together take at most 128 MiB of memory, and a little for each connection. Half of it
//! is for readers that wait for a profile, with 40 bytes for each call path that there was when
//! they came. Making an answer takes some 200 bytes for each call path, or 640 for `/report`, and the
//! answer itself until it is taken. So some 500,000 call paths are the most that is answered about;
//! a program that has more can write [files](crate::Snapshot::write_file). A request for which
//! there is no memory is answered with 503 and a sentence that says why, and so is one that takes more
//! than 30 seconds to make. Before it is made, the allocator is asked whether there is as much: under a
//! limit of the system's (`ulimit -v`) a request is refused instead of ending the program.
//!
//! A connection is one of the program's open files. There are up to 16 clients and 16 more readers that
//! wait, but no more of each than an eighth of the files that the program may have open when it
//! opens the endpoint.
//!
//! # Clients that are slow, stuck or many
//!
//! Clients cannot block one another. A client has 5 seconds for its
//! request, of at most 16 KiB, and then 10 seconds and one more for each 64 KiB to take its answer.
//! While another client waits for a place, these are half a second and 2 seconds.
//! Whoever takes longer is disconnected. A reader that waits for its profile takes no client's place.
//!
//! A client that hangs up ends no program, not even one that does not ignore `SIGPIPE`.
//!
//! # After `fork` and `exec`
//!
//! A copy of the process made by `fork` has none of the endpoint's threads and answers nothing, though the
//! port is taken as long as it lives; it can open an endpoint of its own, at another port. A program
//! started by `exec`, with or without a `fork` before it, inherits no descriptor.
//!
//! Web pages that the user happens to look at are no clients: an endpoint of the loopback interface
//! answers only where the header `Host` names that, as `localhost` or by a number, so that a page
//! cannot reach it by a name of its own that resolves to 127.0.0.1. An endpoint of another
//! interface answers to any name.

mod address;
mod answer;
#[cfg(any(test, fuzzing))]
mod ask;
mod body;
mod client;
mod host;
mod limits;
mod page;
mod patience;
mod refusal;
mod server;
mod size;
mod writers;

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
