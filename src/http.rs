//! An HTTP endpoint that serves profiles of the running program, to Go's pprof and to browsers.
//!
//! ```
//! # fn main() -> std::io::Result<()> {
//! let server = iprof::http::serve(([127, 0, 0, 1], 0))?;
//! println!("go tool pprof http://{}", server.address());
//! # Ok(())
//! # }
//! ```
//!
//! The endpoint stays open until the [`Server`] is dropped. Other machines cannot reach 127.0.0.1; the address 0.0.0.0
//! opens it on all interfaces. Port 0 selects a free port. There is no authentication: any client that can connect can
//! read the program's arguments, zones and source file names.
//!
//! With the `http` feature, any program with zones opens the endpoint on 127.0.0.1 when it enters its first zone, if
//! the environment variable `IPROF_PORT` is set to a port number. If that fails, a line on stderr and a warning in the
//! report give the reason.
//!
//! The endpoint serves the same paths as Go's `net/http/pprof`, and some others:
//!
//! | path | response |
//! |---|---|
//! | `/debug/pprof/` | a page with links to the other paths; also at `/` |
//! | `/debug/pprof/profile?seconds=N` | a profile of the next N seconds, for `go tool pprof`, Pyroscope and Parca: the difference between two [snapshots](crate::snapshot), as [`Format::Pprof`](crate::Format::Pprof) |
//! | `/debug/pprof/cmdline` | the program and its arguments, separated by NUL |
//! | `/report` | the program's default view as [text](crate::write_report), or the [trees](crate::Format::Tree) of everything recorded if the program has never called [`update`](crate::update) |
//! | `/dump.html`, `/dump.folded`, `/dump.json` … | everything recorded, in the format that [`write_file`](crate::write_file) uses for that extension; the page also contains the remembered frames |
//! | `/dump.trace.json`, `/dump.trace.json.gz` | the [remembered frames](crate::frame_snapshots) on a timeline; without frames, everything recorded as one frame |
//! | `/dump.html?seconds=N` … | only the data recorded in the next N seconds, in any of these formats; a timeline contains the frames that end in that time |
//!
//! `seconds` is clamped to 0.1 to 3,600. If the parameter is empty, its value is 30, the default for
//! `/debug/pprof/profile`. A request with an unknown parameter returns status 400 with the parameter's name. In
//! particular, there is no `hz`: the program's own [timing](crate::set_timing) applies. Other paths return 404, and
//! methods other than GET and HEAD return 405.
//!
//! Zones have names, so there is no symbol page. The `pprof` written in Go does not need one. The older `pprof` script
//! from gperftools needs a symbol page, so it cannot read the endpoint.
//!
//! Text and pages are compressed for clients that accept `gzip`.
//!
//! # Costs
//!
//! The endpoint uses three threads, which sleep while there are no requests: one serves connections, two write
//! responses. Taking a profile neither stops nor changes recording. Any number of clients, each with its own N, see the
//! same exact counts. [`update`](crate::update) waits only while a snapshot or the copy of one frame is taken, in a
//! time proportional to the number of call paths. Each writer thread takes one snapshot at a time, however many clients
//! are connected.
//!
//! A client that is waiting for its profile takes 40 bytes of memory per call path. A response takes at most 64 MiB
//! until the client has received it. Writing a response also takes about 200 bytes per call path, or 640 in formats
//! other than HTML and pprof. If a response would be longer, the client receives status 500 and the reason. In that
//! case accept `gzip`, or write a [file](crate::write_file).
//!
//! # Slow, stuck and excess clients
//!
//! At most 32 clients are served at the same time, including clients that are waiting for profiles. Each connection
//! counts toward the program's open files. Further clients receive status 503.
//!
//! A client has 5 seconds to send its request of at most 16 KiB, and then 10 seconds plus one second per 64 KiB to
//! receive the response. A client that exceeds either limit is disconnected. Slow clients do not delay others unless
//! all connections are in use.
//!
//! A disconnecting client does not terminate the program, even if the program does not ignore `SIGPIPE`.
//!
//! # After `fork` and `exec`
//!
//! A child process created by `fork` has none of the endpoint's threads. The child answers no requests and records
//! nothing, but it keeps the port in use for as long as it lives. A program started by `exec`, with or without `fork`,
//! inherits none of the endpoint's file descriptors.
//!
//! # Web pages in the user's browser
//!
//! Web pages cannot read an endpoint on the loopback interface. The endpoint answers only requests whose `Host` header
//! names the loopback interface, as `localhost` or as an IP address. So a page cannot reach the endpoint through a
//! domain name that resolves to 127.0.0.1 (DNS rebinding). An endpoint on any other interface accepts any host name.

use crate::program::RUNNING_PROGRAM;
#[doc(inline)]
pub use iprof_control::http::Server;
use std::io;
use std::net::SocketAddr;

/// Opens the endpoint at `address` until the returned [`Server`] is dropped. See [the module](self) for its pages, and
/// for who can read them.
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
/// Returns the system's error if the port is not available or a thread cannot be started.
pub fn serve(address: impl Into<SocketAddr>) -> io::Result<Server> {
    Server::start(&RUNNING_PROGRAM, address.into())
}
