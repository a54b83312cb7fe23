//! Tests the HTTP endpoint over real connections: responses, access, and client limits.

mod child;
mod client;
mod clients;
mod environment;
mod pages;
mod pprof;
mod profiles;
mod stalls;
mod stopping;
mod work;

#[path = "../support/own_program.rs"]
mod own_program;

// Go's pprof also reads live profiles.
#[allow(dead_code, reason = "the test `readers` uses the rest")]
#[path = "../readers/go.rs"]
mod go;
#[allow(dead_code, reason = "the test `readers` uses the rest")]
#[path = "../readers/program.rs"]
mod program;
