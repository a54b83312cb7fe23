//! An HTTP endpoint that serves profiles of the running program. The module `http` of iprof describes it.

mod request;
mod response;
mod server;

pub use server::Server;

use std::net::{Ipv4Addr, SocketAddr};

/// The address at which [`serve`](fn.serve.html) opens the endpoint. A port alone means 127.0.0.1; a
/// [`SocketAddr`] can also be reachable from other machines. Port 0 means any free port.
///
/// ```
/// use iprof::http::Address;
/// use std::net::SocketAddr;
///
/// let here = Address::from(6060);
/// assert_eq!(SocketAddr::from(here), SocketAddr::from(([127, 0, 0, 1], 6060)));
/// // All interfaces of the machine: every client that can reach it can read.
/// let everywhere = Address::from(SocketAddr::from(([0, 0, 0, 0], 6060)));
/// # let _ = everywhere;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address(SocketAddr);

impl From<u16> for Address {
    fn from(port: u16) -> Address {
        Address((Ipv4Addr::LOCALHOST, port).into())
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Address {
        Address(address)
    }
}

impl From<Address> for SocketAddr {
    fn from(address: Address) -> SocketAddr {
        address.0
    }
}
