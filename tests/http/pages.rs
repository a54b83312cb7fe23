//! Tests the contents of each page, and which requests are accepted.

use crate::child::Program;
use crate::client::{Reply, get, get_with, request, request_reply, send};
use crate::work::{Frames, alone, spin};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn index_links_to_existing_pages() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    for path in ["/debug/pprof/", "/debug/pprof", "/"] {
        let index = get(server.address(), path);
        assert_eq!(index.status, 200);
        assert_eq!(index.headers["content-type"], "text/html; charset=utf-8");
        let links = index.text().split("href=\"").skip(1);
        let links: Vec<&str> = links.map(|link| link.split('"').next().unwrap()).collect();
        // The pages that the index's forms submit to must also exist.
        for action in index.text().split("action=\"").skip(1) {
            let path = action.split('"').next().unwrap();
            let page = get(server.address(), &format!("{path}?seconds=0.1"));
            assert_eq!(page.status, 200, "{path}");
        }
        assert_eq!(links.len(), 9);
        for link in links {
            let quick = link.replace("seconds=5", "seconds=0.1");
            let page = get(server.address(), &quick);
            assert_eq!(page.status, 200, "{link}");
            assert!(!page.body.is_empty(), "{link}");
        }
    }
}

#[test]
fn command_line_is_served() {
    let _alone = alone();
    let (program, address) = Program::with_port();
    let go = get(address, "/debug/pprof/cmdline");
    let words: Vec<&str> = go.text().split('\0').collect();
    assert_eq!(words[1..], Program::ARGUMENTS);
    assert!(words[0].contains("http"), "{words:?}");
    assert_eq!(go.headers["content-type"], "text/plain; charset=utf-8");
    program.end();
}

#[test]
fn report_page_shows_the_default_view() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    {
        iprof::zone!(before_any_frame);
        spin(Duration::from_millis(2));
    }
    // Without frames, the default report is a tree.
    let tree = get(server.address(), "/report");
    assert!(tree.text().contains("before_any_frame"), "{}", tree.text());
    for _ in 0..5 {
        iprof::zone!(in_the_frame);
        iprof::update(true);
    }
    let mut own = Vec::new();
    iprof::write_report(&mut own).unwrap();
    let report = get(server.address(), "/report");
    assert!(report.text().contains("in_the_frame"), "{}", report.text());
    assert_eq!(report.text(), String::from_utf8(own).unwrap());
    assert_eq!(report.headers["content-type"], "text/plain; charset=utf-8");
}

#[test]
fn dump_contains_all_recorded_data() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    for _ in 0..17 {
        iprof::zone!(seventeen_times);
    }
    let dump = get(server.address(), "/dump.html");
    assert_eq!(dump.headers["content-type"], "text/html; charset=utf-8");
    assert!(dump.text().starts_with("<!DOCTYPE html>"));
    let (_, data) = dump.text().split_once("id=\"data\">").unwrap();
    let data = data.split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let zones = data["zones"].as_array().unwrap();
    let is_it = |zone: &serde_json::Value| zone["name"] == "seventeen_times";
    let zone = zones.iter().position(is_it).unwrap();
    let mut entries = 0;
    for thread in data["threads"].as_array().unwrap() {
        let zones = thread["zone"].as_array().unwrap().iter();
        let nodes = zones.zip(thread["entries"].as_array().unwrap());
        let nodes = nodes.filter(|(of, _)| **of == zone);
        entries += nodes.map(|(_, count)| count.as_u64().unwrap()).sum::<u64>();
    }
    assert_eq!(entries, 17);
}

fn lines_of<'a>(folded: &'a str, zone: &str) -> Vec<&'a str> {
    let is_it = |line: &&str| {
        line.rsplit_once(' ')
            .is_some_and(|(stack, _)| stack.ends_with(zone))
    };
    folded.lines().filter(is_it).collect()
}

#[test]
fn dump_format_follows_the_file_name() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    for _ in 0..3 {
        iprof::zone!(in_every_format);
        spin(Duration::from_millis(1));
    }
    iprof::update(true);
    for (path, kind, begin) in [
        ("/dump.html", "text/html; charset=utf-8", "<!DOCTYPE html>"),
        ("/dump.txt", "text/plain; charset=utf-8", ""),
        ("/dump.cycles.txt", "text/plain; charset=utf-8", ""),
        ("/dump.folded", "text/plain; charset=utf-8", ""),
        (
            "/dump.callgrind",
            "text/plain; charset=utf-8",
            "# callgrind",
        ),
        ("/dump.json", "application/json", "{"),
        ("/dump.speedscope.json", "application/json", "{"),
        ("/dump.trace.json", "application/json", "["),
    ] {
        let dump = get(server.address(), path);
        assert_eq!(dump.status, 200, "{path}");
        assert_eq!(dump.headers["content-type"], kind, "{path}");
        assert!(dump.text().starts_with(begin), "{path}");
        assert!(dump.text().contains("in_every_format"), "{path}");
    }
    for path in ["/dump.pb.gz", "/dump.trace.json.gz"] {
        let dump = get_with(server.address(), path, "Accept-Encoding: gzip");
        assert_eq!(dump.headers["content-type"], "application/octet-stream");
        // The body is already compressed, so it is not compressed again.
        assert_eq!(dump.headers.get("content-encoding"), None, "{path}");
        assert_eq!(dump.body[..2], [0x1f, 0x8b], "{path}");
    }
}

#[test]
fn timed_dump_covers_only_its_seconds() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    for _ in 0..3 {
        iprof::zone!(before_the_dump);
        iprof::update(true);
    }
    let frames = Frames::begin();
    let folded = get(server.address(), "/dump.folded?seconds=0.5");
    let page = get(server.address(), "/dump.html?seconds=0.5");
    let timeline = get(server.address(), "/dump.trace.json?seconds=0.5");
    let all = get(server.address(), "/dump.trace.json");
    frames.end();
    assert_eq!(lines_of(folded.text(), "before_the_dump"), [""; 0]);
    assert!(!folded.text().is_empty());
    assert!(
        page.text().contains(" 0.5"),
        "the page should state the recorded time"
    );
    assert!(
        page.text().contains("{\"frames\":[{\"number\":"),
        "its frames"
    );
    let frames = |reply: &Reply| {
        let events: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
        let events = events.as_array().unwrap().iter();
        let begins = events.filter(|event| event["cat"] == "frame" && event["ph"] == "B");
        begins.count()
    };
    let (some, all) = (frames(&timeline), frames(&all));
    assert!(some > 1 && some + 3 <= all, "{some} of {all} frames");
    assert!(!timeline.text().contains("before_the_dump"));
}

#[test]
fn bodies_are_compressed_for_clients_that_accept_it() {
    use std::io::Read;
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    {
        iprof::zone!(packed);
        spin(Duration::from_millis(1));
    }
    iprof::update(true);
    for path in ["/dump.html", "/report", "/dump.json", "/dump.trace.json"] {
        let plain = get(server.address(), path);
        assert_eq!(plain.headers.get("content-encoding"), None, "{path}");
        assert_eq!(plain.headers["vary"], "accept-encoding");
        let packed = get_with(server.address(), path, "Accept-Encoding: br, gzip");
        assert_eq!(packed.headers["content-encoding"], "gzip", "{path}");
        assert_eq!(
            packed.headers["content-type"],
            plain.headers["content-type"]
        );
        assert!(packed.body.len() < plain.body.len(), "{path}");
        let mut text = String::new();
        let mut gzip = flate2::read::GzDecoder::new(&packed.body[..]);
        gzip.read_to_string(&mut text).unwrap();
        assert!(text.contains("packed"), "{path}");
    }
    let page = get(server.address(), "/dump.html").body.len();
    let packed = get_with(server.address(), "/dump.html", "Accept-Encoding: gzip");
    assert!(
        2 * packed.body.len() < page,
        "{} of {page}",
        packed.body.len()
    );
}

#[test]
fn unknown_paths_are_not_found() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    for path in [
        "/favicon.ico",
        "/debug/pprof/heap",
        "/dump.png",
        "/pprof/symbol",
        "/report/..",
        "/%2e%2e/etc/passwd",
    ] {
        let reply = get(server.address(), path);
        assert_eq!(reply.status, 404, "{path}");
        assert!(reply.text().contains("/debug/pprof/"));
    }
}

#[test]
fn only_get_and_head_are_allowed() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"] {
        let reply = request_reply(server.address(), method, "/report");
        assert_eq!(reply.status, 405, "{method}");
        assert_eq!(reply.headers["allow"], "GET, HEAD");
    }
}

#[test]
fn head_request_returns_headers_without_waiting() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    for path in [
        "/debug/pprof/",
        "/debug/pprof/cmdline",
        "/dump.folded",
        "/nothing",
    ] {
        let head = request_reply(server.address(), "HEAD", path);
        let full = get(server.address(), path);
        assert_eq!(head.status, full.status, "{path}");
        assert!(head.body.is_empty(), "{path}");
        for name in ["content-type", "cache-control"] {
            assert_eq!(head.headers[name], full.headers[name], "{path}");
        }
        let length = full.body.len().to_string();
        assert_eq!(full.headers["content-length"], length, "{path}");
    }
    // If a page has a fixed length, the headers include that length.
    let head = request_reply(server.address(), "HEAD", "/debug/pprof/cmdline");
    let full = get(server.address(), "/debug/pprof/cmdline");
    assert_eq!(
        head.headers["content-length"],
        full.headers["content-length"]
    );
    // No test waits as long as an hour.
    let head = request_reply(
        server.address(),
        "HEAD",
        "/debug/pprof/profile?seconds=3600",
    );
    assert_eq!(head.status, 200);
    assert_eq!(head.headers["content-type"], "application/octet-stream");
    assert_eq!(head.headers.get("content-length"), None);
}

#[test]
fn invalid_seconds_are_rejected_with_a_message() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let reply = get(server.address(), "/debug/pprof/profile?seconds=soon");
    assert_eq!(reply.status, 400);
    assert_eq!(
        reply.text(),
        "invalid value \"soon\" for seconds; expected a number\n"
    );
    assert_eq!(reply.headers["x-go-pprof"], "1");
}

#[test]
fn other_host_names_are_rejected_on_loopback() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let port = server.address().port();
    let status = |host: &str| {
        let request = request("GET", "/debug/pprof/cmdline", host);
        send(server.address(), &request).unwrap().status
    };
    assert_eq!(status(&format!("localhost:{port}")), 200);
    assert_eq!(status(&format!("evil.example:{port}")), 403);
    assert_eq!(status("evil.example"), 403);
    let without = send(
        server.address(),
        b"GET /debug/pprof/cmdline HTTP/1.0\r\n\r\n",
    )
    .unwrap();
    assert_eq!(without.status, 200);
    // On other interfaces, the machine may have names that the server does not know.
    let everywhere = SocketAddr::from(([0, 0, 0, 0], 0));
    let server = iprof::http::serve(everywhere).unwrap();
    let here = SocketAddr::from(([127, 0, 0, 1], server.address().port()));
    let named = request("GET", "/debug/pprof/cmdline", "build-server.example");
    assert_eq!(send(here, &named).unwrap().status, 200);
}

#[test]
fn loopback_port_is_unreachable_from_outside() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let address = server.address();
    assert_eq!(address.ip().to_string(), "127.0.0.1");
    // Connecting a UDP socket sends nothing, but selects a route and thereby a local address.
    let way = UdpSocket::bind("0.0.0.0:0").unwrap();
    if way.connect("192.0.2.1:9").is_err() {
        println!("skipped: no other address than the loopback interface's");
        return;
    }
    let own = way.local_addr().unwrap().ip();
    assert!(!own.is_loopback());
    let reached = |port| {
        let limit = Duration::from_secs(5);
        TcpStream::connect_timeout(&(own, port).into(), limit).is_ok()
    };
    assert!(!reached(address.port()));
    // Other ports on this address are reachable.
    let open = TcpListener::bind((own, 0)).unwrap();
    assert!(reached(open.local_addr().unwrap().port()));
}

/// A frame's end may have to wait while part of a response is copied, but never for the whole response.
#[test]
fn requests_do_not_block_frames() {
    fn recurse(levels: u32) {
        iprof::zone!(deep);
        if levels > 0 {
            recurse(levels - 1);
        }
    }
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    for _ in 0..100 {
        recurse(500);
        iprof::update(true);
    }
    let frames = Frames::begin();
    let fetch_all = || {
        let start = Instant::now();
        for path in ["/report", "/debug/pprof/profile?seconds=0.1"] {
            assert_eq!(get(server.address(), path).status, 200);
        }
        let trace = Instant::now();
        let reply = get(server.address(), "/dump.trace.json.gz");
        assert_eq!(reply.status, 200);
        (start.elapsed(), trace.elapsed())
    };
    let times: Vec<_> = thread::scope(|scope| {
        let clients = [(); 2].map(|()| scope.spawn(|| [fetch_all(), fetch_all()]));
        clients
            .into_iter()
            .flat_map(|client| client.join().unwrap())
            .collect()
    });
    let (count, longest) = frames.end();
    let all: Duration = times.iter().map(|(all, _)| *all).sum();
    let trace = times.iter().map(|(_, trace)| *trace).min().unwrap();
    assert!(longest < trace / 2, "{longest:?} of {trace:?}");
    assert!(
        count as u128 > all.as_millis() / 100,
        "{count} frames in {all:?}"
    );
}
