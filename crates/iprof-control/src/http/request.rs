//! Parses a request: the requested page, the host it names, and whether it accepts gzip.

use super::response::Refusal;
use hyper::header::{self, HOST};
use hyper::http::uri::Authority;
use hyper::{Request, StatusCode, Uri};
use iprof_export::Format;
use std::net::IpAddr;
use std::time::Duration;

/// The default duration of a profile in seconds.
const DEFAULT_SECONDS: f64 = 30.0;
const MIN_SECONDS: f64 = 0.1;
const MAX_SECONDS: f64 = 3600.0;

/// A dump's path without the extension.
const DUMP: &str = "/dump";

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Page {
    Index,
    CommandLine,
    Report,
    Stall,
    /// A profile of the given duration, or everything recorded so far.
    Dump {
        format: Format,
        time: Option<Duration>,
    },
}

impl Page {
    pub(super) fn of(uri: &Uri) -> Result<Page, Refusal> {
        let query = uri.query().unwrap_or_default();
        let page = match uri.path() {
            "/debug/pprof/profile" => {
                let time = parse_seconds(query)?;
                return Ok(Page::Dump {
                    format: Format::Pprof,
                    time: Some(time.unwrap_or(Duration::from_secs_f64(DEFAULT_SECONDS))),
                });
            }
            path if path.starts_with(DUMP) => {
                let (format, stem) = iprof_export::find(path).map_err(|_| not_found())?;
                if stem != DUMP.len() {
                    return Err(not_found());
                }
                return Ok(Page::Dump {
                    format,
                    time: parse_seconds(query)?,
                });
            }
            "/" | "/debug/pprof" | "/debug/pprof/" => Page::Index,
            "/debug/pprof/cmdline" => Page::CommandLine,
            "/report" => Page::Report,
            "/stall" => Page::Stall,
            _ => return Err(not_found()),
        };
        match parameters(query).next() {
            None => Ok(page),
            Some((name, _)) => Err(bad_request(format!(
                "unknown parameter \"{name}\"; this page accepts none"
            ))),
        }
    }
}

fn parameters(query: &str) -> impl Iterator<Item = (&str, &str)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

/// Parses the query for a page whose only parameter is `seconds`. Other parameters are errors, rather than being
/// silently ignored.
fn parse_seconds(query: &str) -> Result<Option<Duration>, Refusal> {
    let mut time = None;
    for (name, value) in parameters(query) {
        if name != "seconds" {
            return Err(bad_request(format!(
                "unknown parameter \"{name}\"; this page accepts: seconds"
            )));
        }
        let seconds = match value {
            "" => Some(DEFAULT_SECONDS),
            text => text.parse().ok().filter(|seconds: &f64| !seconds.is_nan()),
        };
        let seconds = seconds.ok_or_else(|| {
            bad_request(format!(
                "invalid value \"{value}\" for seconds; expected a number"
            ))
        })?;
        let clamped = seconds.clamp(MIN_SECONDS, MAX_SECONDS);
        if time.replace(Duration::from_secs_f64(clamped)).is_some() {
            return Err(bad_request("parameter \"seconds\" given more than once"));
        }
    }
    Ok(time)
}

fn bad_request(why: impl ToString) -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, why)
}

fn not_found() -> Refusal {
    let why = "no such page; see /debug/pprof/ for a list";
    Refusal::new(StatusCode::NOT_FOUND, why)
}

/// Whether every host named in the request is the loopback interface. Requests that name no host pass, but browsers
/// always name one.
///
/// This check protects against DNS rebinding: a web page's domain name may first resolve to its own server and then to
/// 127.0.0.1, which would let the page read the responses. The check catches this because the browser sends the domain
/// name in the `Host` header.
pub(super) fn names_loopback<T>(request: &Request<T>) -> bool {
    let named = |authority: &Authority| is_loopback(authority.host());
    let mut hosts = request.headers().get_all(HOST).iter();
    hosts.all(|host| Authority::try_from(host.as_bytes()).is_ok_and(|host| named(&host)))
        && request.uri().authority().is_none_or(named)
}

/// Whether a host name or IP address (without a port) is the loopback interface.
fn is_loopback(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let number = name.trim_start_matches('[').trim_end_matches(']');
    let is_number = number.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    is_number || name == "localhost" || name.ends_with(".localhost")
}

pub(super) fn accepts_gzip<T>(request: &Request<T>) -> bool {
    let values = request.headers().get_all(header::ACCEPT_ENCODING).iter();
    let texts = values.filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| text.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=");
        let is_refused = weight.is_some_and(|weight| weight.trim().parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seconds(query: &str) -> Result<f64, String> {
        let uri = format!("/debug/pprof/profile{query}").parse().unwrap();
        match Page::of(&uri) {
            Ok(Page::Dump {
                format: Format::Pprof,
                time: Some(time),
            }) => Ok(time.as_secs_f64()),
            Ok(other) => panic!("{other:?}"),
            Err(refusal) => {
                assert_eq!(refusal.status, StatusCode::BAD_REQUEST, "{query}");
                Err(refusal.why)
            }
        }
    }

    #[test]
    fn seconds_default_to_thirty_and_are_clamped() {
        for (query, expected) in [
            ("", 30.0),
            ("?", 30.0),
            ("?seconds=", 30.0),
            ("?seconds=5", 5.0),
            ("?seconds=2.5&", 2.5),
            ("?seconds=0", 0.1),
            ("?seconds=-7", 0.1),
            ("?seconds=1e99", 3600.0),
            ("?seconds=inf", 3600.0),
        ] {
            assert_eq!(seconds(query), Ok(expected), "{query}");
        }
        for text in ["soon", "nan", "5s", "%31"] {
            let why = format!("invalid value \"{text}\" for seconds; expected a number");
            assert_eq!(seconds(&format!("?seconds={text}")), Err(why));
        }
    }

    #[test]
    fn unknown_parameters_are_refused_by_name() {
        for (query, expected) in [
            (
                "?hz=100",
                "unknown parameter \"hz\"; this page accepts: seconds",
            ),
            (
                "?seconds=1&debug",
                "unknown parameter \"debug\"; this page accepts: seconds",
            ),
            (
                "?Seconds=1",
                "unknown parameter \"Seconds\"; this page accepts: seconds",
            ),
            (
                "?seconds=1&seconds=2",
                "parameter \"seconds\" given more than once",
            ),
        ] {
            assert_eq!(seconds(query), Err(expected.to_owned()), "{query}");
        }
        for path in ["/", "/report", "/debug/pprof/cmdline"] {
            let uri = format!("{path}?seconds=1").parse().unwrap();
            let expected = "unknown parameter \"seconds\"; this page accepts none";
            assert_eq!(Page::of(&uri).unwrap_err().why, expected, "{path}");
        }
    }

    #[test]
    fn dump_has_the_requested_format_and_seconds() {
        for (path, format, time) in [
            ("/dump.html", Format::Html, None),
            ("/dump.folded?", Format::Folded, None),
            ("/dump.trace.json.gz", Format::TraceEventsGzip, None),
            ("/dump.json?seconds=2", Format::Json, Some(2.0)),
            ("/dump.txt?seconds=", Format::Tree, Some(30.0)),
        ] {
            let time = time.map(Duration::from_secs_f64);
            let page = Page::of(&path.parse().unwrap());
            assert_eq!(page, Ok(Page::Dump { format, time }), "{path}");
        }
        let page = Page::of(&"/dump.html?hz=100".parse().unwrap());
        assert_eq!(
            page.unwrap_err().why,
            "unknown parameter \"hz\"; this page accepts: seconds"
        );
    }

    proptest! {
        #[test]
        fn arbitrary_hosts_are_not_loopback_hosts(host in "[ -~]{0,30}") {
            let Ok(request) = Request::builder().header(HOST, &host).body(()) else {
                return Ok(());
            };
            if names_loopback(&request) {
                let name = host.to_ascii_lowercase();
                let is_one = name.contains("localhost") || name.contains("127.") || name.contains(':');
                prop_assert!(is_one, "{host}");
            }
        }

        #[test]
        fn gzip_is_only_sent_to_clients_that_accept_it(codings in "(gzip|GZIP|br|\\*)?[ ;,=q0-9.]{0,8}|[ -~]{0,20}") {
            let request = Request::builder().header(header::ACCEPT_ENCODING, &codings).body(());
            if request.is_ok_and(|request| accepts_gzip(&request)) {
                prop_assert!(codings.to_ascii_lowercase().contains("gzip"), "{codings}");
            }
        }

        #[test]
        fn every_query_is_parsed_or_refused(
            path in "/debug/pprof/profile|/dump.(html|json)|/report|/\\PC{0,8}",
            query in "(seconds=)?[-+0-9.einfNaN]{0,8}(&[a-z]{0,7}=?[0-9]{0,3}){0,3}|\\PC{0,20}",
        ) {
            let Ok(uri) = format!("{path}?{query}").parse() else {
                return Ok(());
            };
            match Page::of(&uri) {
                Ok(Page::Dump {
                    time: Some(time), ..
                }) => {
                    prop_assert!((MIN_SECONDS..=MAX_SECONDS).contains(&time.as_secs_f64()));
                }
                Ok(_) => {}
                Err(why) => prop_assert!(!why.why.is_empty()),
            }
        }
    }

    #[test]
    fn unknown_paths_are_not_found() {
        for path in [
            "/debug",
            "/debug/pprof/heap",
            "/pprof/profile",
            "/pprof/symbol",
            "/report/",
            "/a/../report",
            "/dump",
            "/dump.png",
            "/dumps.html",
            "/dump/a.html",
        ] {
            assert_eq!(Page::of(&path.parse().unwrap()), Err(not_found()));
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
            assert!(names_loopback(&with_host(host)), "{host}");
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
            assert!(!names_loopback(&with_host(host)), "{host}");
        }
    }

    #[test]
    fn every_host_in_a_request_is_checked() {
        assert!(names_loopback(&Request::new(())));
        let two = Request::builder()
            .header(HOST, "localhost")
            .header(HOST, "example.com");
        assert!(!names_loopback(&two.body(()).unwrap()));
        let in_line = Request::builder().uri("http://example.com/report");
        assert!(!names_loopback(&in_line.body(()).unwrap()));
    }

    #[test]
    fn bodies_are_compressed_for_clients_that_accept_it() {
        for (codings, expected) in [
            (&["gzip"][..], true),
            (&["deflate, GZIP;q=0.5, br"], true),
            (&["br", "gzip"], true),
            (&["gzip; q=0"], false),
            (&["gzip;q=0.000"], false),
            (&["identity", "xgzip"], false),
            (&[""], false),
            (&[], false),
        ] {
            let mut request = Request::builder();
            for coding in codings {
                request = request.header("accept-encoding", *coding);
            }
            assert_eq!(
                accepts_gzip(&request.body(()).unwrap()),
                expected,
                "{codings:?}"
            );
        }
    }
}
