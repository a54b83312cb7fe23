//! What a program starts by itself when it first uses iprof, because the environment asks for it: the
//! one way from the rooms below to those on top of them, which nothing else there knows of.

use std::env;

/// A port of 127.0.0.1.
const PORT: &str = "IPROF_PORT";

/// Opens the endpoint if the environment names a port, for as long as the program runs. Returns what
/// there is to warn of.
pub(crate) fn endpoint() -> Option<String> {
    let port = env::var_os(PORT)?;
    let port = port.to_string_lossy();
    match port.trim() {
        "" => None,
        port => open(port).err().map(|why| format!("{PORT}: {why}")),
    }
}

#[cfg(feature = "http")]
fn open(port: &str) -> Result<(), String> {
    let number = port.parse::<u16>().ok().filter(|port| *port > 0);
    let number = number.ok_or_else(|| format!("\"{port}\" is no port: 1 to 65535"))?;
    let server = crate::http::serve(number);
    let server = server.map_err(|error| format!("port {number} of 127.0.0.1: {error}"))?;
    std::mem::forget(server);
    Ok(())
}

#[cfg(not(feature = "http"))]
fn open(_port: &str) -> Result<(), String> {
    Err("this program has iprof without its feature `http`".to_owned())
}
