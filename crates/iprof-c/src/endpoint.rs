//! The HTTP endpoint: one in a program.

use crate::border::{Error, IO, VALUE, caught, code_of, text};
use iprof::http::{Address, Server};
use std::ffi::{c_char, c_int};
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

static SERVER: Mutex<Option<Server>> = Mutex::new(None);

fn address(written: &str) -> Result<Address, Error> {
    if let Ok(port) = written.parse::<u16>() {
        return Ok(port.into());
    }
    let address: Result<SocketAddr, _> = written.parse();
    address.map(Address::from).map_err(|_| {
        Error(
            VALUE,
            format!("an address \"{written}\"; expected a port, or as 127.0.0.1:6060"),
        )
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `listen` is NULL or a string; `port` is NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_http_serve(listen: *const c_char, port: *mut u16) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let listen = address(&unsafe { text(listen, "address") }?)?;
        let mut server = SERVER.lock().unwrap_or_else(PoisonError::into_inner);
        // First, so that it can listen at the same port.
        drop(server.take());
        let opened = iprof::http::serve(listen).map_err(|error| Error::new(IO, error))?;
        // SAFETY: the caller's promise.
        if let Some(port) = unsafe { port.as_mut() } {
            *port = opened.address().port();
        }
        *server = Some(opened);
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_http_stop() {
    caught((), || {
        let server = SERVER.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(server);
    });
}
