//! HTTP endpoint that serves profiles of the running program, with the paths of Go's `net/http/pprof` and
//! pages for people.
//!
//! ```
//! # fn main() -> std::io::Result<()> {
//! let server = iprof::http::serve(([127, 0, 0, 1], 0))?;
//! println!("go tool pprof http://{}", server.address());
//! # Ok(())
//! # }
//! ```
//!
//! The endpoint stays open until the [`Server`] is dropped. Other machines cannot reach 127.0.0.1; 0.0.0.0 is all interfaces
//! of the machine. Port 0 means any free port. There is no authentication: every client that can connect can read the program's
//! arguments, its zones and its source file names.
//!
//! With the feature `http`, an unmodified program opens the endpoint at its first zone if the environment
//! variable `IPROF_PORT` names a port of 127.0.0.1. If the port is not available, a line on stderr and a
//! warning line of the report say why.
//!
//! | | |
//! |---|---|
//! | `/debug/pprof/` | a page with links to the others; also at `/` |
//! | `/debug/pprof/profile?seconds=N` | the profile of the next N seconds, for `go tool pprof`, Pyroscope and Parca: the difference of two [snapshots](crate::snapshot) as [`Format::Pprof`](crate::Format::Pprof) writes it |
//! | `/debug/pprof/cmdline` | the program and its arguments, separated by NUL |
//! | `/report` | the program's default view as [text](crate::write_report); the [trees](crate::Format::Tree) of everything recorded if it has never called [`update`](crate::update) |
//! | `/dump.html`, `/dump.folded`, `/dump.json` … | everything recorded, in the format that [`write_file`](crate::write_file) chooses for that extension; the page has the remembered frames, too |
//! | `/dump.trace.json`, `/dump.trace.json.gz` | the [remembered frames](crate::frame_snapshots) on a timeline; without frames, everything as one |
//! | `/dump.html?seconds=N` … | what the next N seconds add, in any of these formats; of a timeline, the frames that end in them |
//!
//! `seconds` is a number, clamped to 0.1 to 3,600; an empty one is 30, the default of
//! `/debug/pprof/profile`. Unknown parameters are refused by name with status 400. In particular there is no
//! `hz`: the program's own [timing](crate::set_timing) applies. There is no symbol page, since zones have
//! names; so the script `pprof` of gperftools, which looks its addresses up there, cannot read the endpoint.
//! The `pprof` that is written in Go can. Other paths get 404, and methods other than GET and HEAD get 405.
//!
//! Clients that accept `gzip` get text and pages compressed.
//!
//! # Costs
//!
//! The endpoint has three threads, which sleep while there is no request: one serves connections, two write
//! responses. A profile neither stops nor changes the recording, and any number of readers, each with its
//! own N, see the same exact counts. [`update`](crate::update) waits while a snapshot or a copy of one frame is
//! taken, about 50 ns per call path, for one of each writer thread at most, however many clients ask.
//!
//! A reader that waits for its profile takes 40 bytes of memory for each call path. A response takes at most
//! 64 MiB until the client has received it, and about 200 bytes per call path, or 640 for formats other than
//! HTML and pprof's, while it is written. A response that would be longer gets status 500 and the reason:
//! accept `gzip`, or write a [file](crate::write_file).
//!
//! # Clients that are slow, stuck or many
//!
//! At most 32 clients are served at the same time, including those that wait for their profiles; each
//! connection is one of the program's open files. Another client gets status 503.
//!
//! A client has 5 seconds to send its request of at most 16 KiB, and then 10 seconds plus one second per
//! 64 KiB to receive the response. A client that exceeds a limit is disconnected. Below the limit of
//! connections, slow clients do not delay others.
//!
//! A client that disconnects does not end the program, even if the program does not ignore `SIGPIPE`.
//!
//! # After `fork` and `exec`
//!
//! A child process made by `fork` has none of the endpoint's threads and answers nothing, but the port
//! stays in use as long as it lives. Nothing is recorded in the child. A program started by `exec`, with or
//! without `fork`, inherits no file descriptor of the endpoint.
//!
//! # Web pages in the user's browser
//!
//! Web pages cannot read an endpoint of the loopback interface. It answers only requests whose header
//! `Host` names the loopback interface, as `localhost` or as an IP address, so a page cannot reach it
//! through a domain name that resolves to 127.0.0.1 (DNS rebinding). An endpoint of another interface
//! answers to any host name.

use crate::program::RUNNING_PROGRAM;
#[doc(inline)]
pub use iprof_control::http::Server;
use std::io;
use std::net::SocketAddr;

/// Opens the endpoint at `address`: see [the module](self) for its pages, and for who can read them. It stays open until the
/// returned [`Server`] is dropped.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// let server = iprof::http::serve(([127, 0, 0, 1], 0))?;
/// assert!(server.address().ip().is_loopback());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The system's error if the port is not available or a thread cannot be started.
pub fn serve(address: impl Into<SocketAddr>) -> io::Result<Server> {
    Server::start(&RUNNING_PROGRAM, address.into())
}
