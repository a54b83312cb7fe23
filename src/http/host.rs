//! Whether a request means this machine.
//!
//! A web page may have a name that resolves to its own server first and then to 127.0.0.1, and so make
//! the browser ask the loopback interface and let the page read what it says. But the browser says
//! whom it means to talk to.

use hyper::Request;
use hyper::header::HOST;
use hyper::http::uri::Authority;
use std::net::IpAddr;

/// Whether the host that a request names, if any, is the loopback interface. Browsers always name one.
pub(super) fn is_loopback<T>(request: &Request<T>) -> bool {
    let named = |authority: &Authority| is_loopback_name(authority.host());
    let hosts = request.headers().get_all(HOST).iter();
    let parsed = |host: &[u8]| Authority::try_from(host).is_ok_and(|host| named(&host));
    let in_line = request.uri().authority();
    hosts.into_iter().all(|host| parsed(host.as_bytes())) && in_line.is_none_or(named)
}

/// Of a name without a port.
fn is_loopback_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let number = name.trim_start_matches('[').trim_end_matches(']');
    let is_number = number.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    is_number || name == "localhost" || name.ends_with(".localhost")
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn only_what_ends_like_the_loopback_interface_is_it(host in "[ -~]{0,30}") {
            let Ok(request) = Request::builder().header(HOST, &host).body(()) else {
                return Ok(());
            };
            if is_loopback(&request) {
                let name = host.to_ascii_lowercase();
                let is_one = name.contains("localhost") || name.contains("127.") || name.contains(':');
                prop_assert!(is_one, "{host}");
            }
        }
    }

    #[test]
    fn only_names_of_the_loopback_interface_are_answered() {
        let with_host = |host| Request::builder().header(HOST, host).body(()).unwrap();
        for host in [
            "127.0.0.1:6060",
            "127.1.2.3",
            "localhost:80",
            "LocalHost",
            "game.localhost:6060",
            "[::1]:6060",
        ] {
            assert!(is_loopback(&with_host(host)), "{host}");
        }
        for host in [
            "example.com",
            "example.com:6060",
            "localhost.example.com",
            "notlocalhost",
            "127.0.0.1.example.com",
            "127.0.0.1@example.com",
            "192.168.0.1",
            "0.0.0.0:6060",
            "[::2]",
            "",
            "a b",
        ] {
            assert!(!is_loopback(&with_host(host)), "{host}");
        }
    }

    #[test]
    fn each_name_counts_wherever_it_stands() {
        assert!(is_loopback(&Request::new(())));
        let two = Request::builder()
            .header(HOST, "localhost")
            .header(HOST, "example.com");
        assert!(!is_loopback(&two.body(()).unwrap()));
        let in_line = Request::builder().uri("http://example.com/report");
        assert!(!is_loopback(&in_line.body(()).unwrap()));
    }
}
