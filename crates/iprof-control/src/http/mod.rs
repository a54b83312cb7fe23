//! An HTTP endpoint that serves profiles of the running program. The module `http` of iprof describes it.

mod request;
mod response;
mod server;

pub use server::Server;
