//! The HTTP endpoint over real connections: responses, access, and clients that cannot harm one another or the
//! program.

mod child;
mod client;
mod crowd;
mod environment;
mod hostile;
mod odd;
mod pages;
mod pprof;
mod profiles;
mod stalls;
mod stopping;
mod work;

#[path = "../support/allocated.rs"]
mod allocated;
#[path = "../support/own_program.rs"]
mod own_program;

// Go's pprof is a reader of live profiles, too.
#[allow(
    dead_code,
    reason = "shared with the test `readers`, which uses all of it"
)]
#[path = "../readers/go.rs"]
mod go;
#[allow(
    dead_code,
    reason = "shared with the test `readers`, which uses all of it"
)]
#[path = "../readers/program.rs"]
mod program;
