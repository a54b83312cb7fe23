//! Tests the page about the last stall, in a program whose frames stop ending.

use crate::child::Program;
use crate::client::get;
use crate::work::alone;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn stall_is_served_while_it_lasts() {
    let _alone = alone();
    let (program, address) = Program::with_port_and(&[("IPROF_STALL", "1")]);
    let page = || get(address, "/stall");
    let start = Instant::now();
    let mut text = String::new();
    while !text.contains("waits_for_its_end") && start.elapsed() < Duration::from_secs(20) {
        thread::sleep(Duration::from_millis(10));
        let page = page();
        assert!([200, 404].contains(&page.status), "{}", page.status);
        text = page.text().to_owned();
    }
    assert!(text.starts_with("no frame ended for "), "{text}");
    assert!(text.contains("3 ended before"), "{text}");
    assert!(
        text.contains("waits_for_its_end  tests/http/child.rs:"),
        "{text}"
    );
    // The stall is still the last one, and is reported only once.
    assert_eq!(page().text(), text);
    program.end();
}

#[test]
fn stall_page_reports_when_nothing_stalls() {
    let _alone = alone();
    let (program, address) = Program::with_port();
    let page = get(address, "/stall");
    assert!(
        !page.text().contains("no frame ended for"),
        "{}",
        page.text()
    );
    program.end();
}
