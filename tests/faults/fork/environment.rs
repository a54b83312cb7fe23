//! Tests how the endpoint, file and signal that are configured by environment variables behave in a forked child.

use super::{can_start_threads, describe, run_in_fork, task, work};
use crate::children::run_with;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(20);

fn signal_self() {
    let kill = Command::new("sh").args(["-c", "kill -USR2 $PPID"]).status();
    assert!(kill.unwrap().success());
}

fn send_request(address: SocketAddr, page: &str) -> TcpStream {
    let mut client = TcpStream::connect(address).unwrap();
    client.set_read_timeout(Some(LIMIT)).unwrap();
    write!(client, "GET {page} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    client
}

fn answer(mut client: TcpStream) -> Vec<u8> {
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200 OK"), "{answer:?}");
    answer
}

fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap();
    let name = |file: std::io::Result<fs::DirEntry>| file.unwrap().file_name();
    let mut names: Vec<String> = files.map(|f| name(f).into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs a test with all environment variables set. Returns the folder that contains its files.
fn run_in_a_folder(test: &str, what: &str) -> PathBuf {
    let folder = format!("iprof-child-{}-{what}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    fs::create_dir_all(&folder).unwrap();
    let profile = folder.join("profile.txt");
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port().to_string();
    drop(free);
    let variables = [
        ("IPROF_PROFILE", profile.to_str().unwrap()),
        ("IPROF_SIGNAL", "USR2"),
        ("IPROF_PORT", &port),
    ];
    let output = run_with(test, what, &variables);
    assert!(output.status.success(), "{}", describe(&output));
    folder
}

#[test]
fn fork_child_has_no_endpoint_signal_or_file() {
    const TEST: &str = "fork::environment::fork_child_has_no_endpoint_signal_or_file";
    if task().is_none() {
        if !can_start_threads() {
            return;
        }
        let folder = run_in_a_folder(TEST, "all");
        let found = names(&folder);
        assert_eq!(found, ["profile.0.txt"]);
        let text = fs::read_to_string(folder.join("profile.0.txt")).unwrap();
        assert!(text.contains("after") && text.contains("busy"), "{text}");
        assert!(
            !text.contains("before") && !text.contains("in_the_child"),
            "{text}"
        );
        fs::remove_dir_all(&folder).unwrap();
        return;
    }
    {
        iprof::zone!(before);
    }
    let port = std::env::var("IPROF_PORT").unwrap().parse().unwrap();
    let here = SocketAddr::from(([127, 0, 0, 1], port));
    answer(send_request(here, "/report"));
    // The signal starts a profile.
    signal_self();
    std::thread::sleep(Duration::from_millis(200));
    work(3);
    let waiting = send_request(here, "/debug/pprof/profile?seconds=0.4");
    let child = || {
        // The signal does nothing in the child, because the thread that waits for signals doesn't exist there.
        signal_self();
        iprof::zone!(in_the_child);
        let own = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
        let text = answer(send_request(own.address(), "/dump.html"));
        let text = String::from_utf8(text).unwrap();
        assert!(!text.contains("in_the_child"));
        assert!(
            iprof::http::serve(([127, 0, 0, 1], port)).is_err(),
            "the port should still belong to the parent"
        );
        // The parent must still answer its clients, although the child has inherited the parent's connections.
        answer(waiting);
        answer(send_request(here, "/report"));
        drop(own);
        std::process::exit(0);
    };
    run_in_fork(30, child).unwrap();
    answer(send_request(here, "/debug/pprof/profile?seconds=0.1"));
    {
        iprof::zone!(after);
    }
    // The next signal ends the profile. Two signals at the same time count as one.
    let folder = PathBuf::from(std::env::var("IPROF_PROFILE").unwrap());
    let written = folder.with_file_name("profile.0.txt");
    let start = Instant::now();
    signal_self();
    while !written.exists() {
        assert!(start.elapsed() < LIMIT, "no profile was written in time");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The thread that waits for signals doesn't exist in the child, so locks that it held stay locked there.
#[test]
fn fork_child_during_write_exits_at_once() {
    const TEST: &str = "fork::environment::fork_child_during_write_exits_at_once";
    if task().is_none() {
        let folder = run_in_a_folder(TEST, "written");
        let found = names(&folder);
        assert_eq!(found, ["profile.0.txt"]);
        fs::remove_dir_all(&folder).unwrap();
        return;
    }
    fn stacks(height: u32) {
        if height > 0 {
            {
                iprof::zone!(left);
                stacks(height - 1);
            }
            iprof::zone!(right);
            stacks(height - 1);
        }
    }
    work(1);
    signal_self();
    std::thread::sleep(Duration::from_millis(200));
    stacks(15);
    signal_self();
    std::thread::sleep(Duration::from_millis(50));
    let start = Instant::now();
    run_in_fork(30, || std::process::exit(0)).unwrap();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(4), "{took:?}");
}
