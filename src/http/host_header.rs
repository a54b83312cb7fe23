//! Host header check, which protects against DNS rebinding.
//!
//! A web page can have a domain name that resolves first to its own server and then to 127.0.0.1, which
//! makes the browser send requests to the loopback interface and lets the page read the responses. But the
//! browser sends the domain name in the `Host` header.

use hyper::Request;
use hyper::header::HOST;
use hyper::http::uri::Authority;
use std::net::IpAddr;

/// Whether every host that the request names is the loopback interface. Requests that name none pass;
/// browsers always name one.
pub(super) fn is_loopback<T>(request: &Request<T>) -> bool {
    let named = |authority: &Authority| is_loopback_name(authority.host());
    let hosts = request.headers().get_all(HOST).iter();
    let parsed = |host: &[u8]| Authority::try_from(host).is_ok_and(|host| named(&host));
    let in_line = request.uri().authority();
    hosts.into_iter().all(|host| parsed(host.as_bytes())) && in_line.is_none_or(named)
}

/// Whether a host name or IP address, without a port, is the loopback interface.
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
        fn arbitrary_hosts_are_not_the_loopback_interface(host in "[ -~]{0,30}") {
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
    fn only_loopback_hosts_are_accepted() {
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
    fn every_host_of_a_request_is_checked() {
        assert!(is_loopback(&Request::new(())));
        let two = Request::builder()
            .header(HOST, "localhost")
            .header(HOST, "example.com");
        assert!(!is_loopback(&two.body(()).unwrap()));
        let in_line = Request::builder().uri("http://example.com/report");
        assert!(!is_loopback(&in_line.body(()).unwrap()));
    }
}
