//! The memory that HTTP requests take: no more than documented, and never the last of it. Call paths are never
//! freed, so each test is a process of its own: this program, started again.
#![cfg(all(feature = "enable", feature = "http"))]
#![allow(unsafe_code)] // An allocator has no other form.

#[cfg(target_os = "linux")]
#[path = "support/address_space.rs"]
mod address_space;
#[path = "support/call_stack.rs"]
mod call_stack;
#[path = "support/own_program.rs"]
mod own_program;

use call_stack::bushy;
use own_program::{is_emulated, own_program};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

/// Counts what is allocated, and the most that it ever was. A block that its thread gives back before
/// it allocates anything else was a question whether there is memory, and no part of that: nothing was
/// ever in it.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Where the block is that was allocated last, and its size, if it is not counted yet.
    static LAST: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Counts the block that was allocated last, and keeps another one in mind.
fn count(next: (usize, usize)) {
    let (_, size) = LAST.try_with(|last| last.replace(next)).unwrap_or(next);
    let now = NOW.fetch_add(size, Relaxed) + size;
    // A thread more or less is no part of what is asked here.
    MOST.fetch_max(now, Relaxed);
}

// SAFETY: what comes back is the system's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let at = unsafe { System.alloc(layout) };
        if !at.is_null() {
            count((at.addr(), layout.size()));
        }
        at
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if LAST.try_with(|last| last.get().0) == Ok(at.addr()) {
            LAST.set((0, 0));
        } else {
            count((0, 0));
            NOW.fetch_sub(layout.size(), Relaxed);
        }
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

/// The limit of all requests together, by the documentation of the module `http`.
const PROMISED: usize = 128 << 20;
/// A thread that asks, and what the server keeps of a connection.
const FEW: usize = 4 << 20;

/// The most bytes that `f` had beyond those that there were.
fn most(f: impl FnOnce()) -> usize {
    count((0, 0));
    let before = NOW.load(Relaxed);
    MOST.store(before, Relaxed);
    f();
    MOST.load(Relaxed) - before
}

/// The status and the body, of which only the length is kept: it is read and forgotten.
fn get(address: SocketAddr, path: &str) -> (u16, usize, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n");
    send(address, &request)
}

/// As [`get`], with a request of its own.
fn send(address: SocketAddr, request: &str) -> (u16, usize, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("{request}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let (mut all, mut begin, mut part) = (0, Vec::new(), [0; 1 << 14]);
    loop {
        let count = stream.read(&mut part).unwrap();
        if count == 0 {
            break;
        }
        if begin.len() < 1 << 12 {
            begin.extend(&part[..count]);
        }
        all += count;
    }
    let text = String::from_utf8_lossy(&begin).into_owned();
    let status = text["HTTP/1.1 ".len()..][..3].parse().unwrap();
    (status, all, text)
}

/// Calls itself so often, and works a little on the way.
fn recurse(levels: u32) {
    iprof::zone!(deep);
    if levels > 0 {
        recurse(levels - 1);
    }
    std::hint::black_box(levels);
}

/// How long a thread works that has little to do.
const LITTLE: Duration = Duration::from_millis(5);

/// A thread that does the same over and over, and has done it once. Three quarters of the time it leaves to the server,
/// or more if there is little to do: a profile of half a second has it some 25 times.
struct Work {
    goes_on: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Work {
    fn begin(work: impl Fn() + Send + 'static) -> Work {
        let goes_on = Arc::new(AtomicBool::new(true));
        let (asked, done) = (Arc::clone(&goes_on), Arc::new(AtomicBool::new(false)));
        let is_done = Arc::clone(&done);
        // Its stack is large enough for any test here.
        let thread = thread::Builder::new().name("recorded".into());
        let thread = thread.stack_size(64 << 20).spawn(move || {
            while asked.load(Relaxed) {
                let start = Instant::now();
                work();
                done.store(true, Relaxed);
                thread::sleep(3 * start.elapsed().max(LITTLE));
            }
        });
        while !is_done.load(Relaxed) {
            thread::yield_now();
        }
        Work {
            goes_on,
            thread: Some(thread.unwrap()),
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.goes_on.store(false, Relaxed);
        let _ = self.thread.take().map(thread::JoinHandle::join);
    }
}

const CHILD: &str = "IPROF_TEST_CHILD";

/// Of every kind.
const PAGES: [&str; 10] = [
    "/report",
    "/dump.html",
    "/debug/pprof/profile?seconds=0.5",
    "/dump.txt",
    "/dump.folded",
    "/dump.callgrind",
    "/dump.gprof",
    "/dump.json",
    "/dump.speedscope.json",
    "/dump.trace.json.gz",
];

/// The programs.
#[test]
fn a_program() {
    let Ok(what) = std::env::var(CHILD) else {
        return;
    };
    let server = iprof::http::serve(0).unwrap();
    let address = server.address();
    match what.rsplit_once(' ').unwrap() {
        ("deep", levels) => {
            let levels = levels.parse().unwrap();
            let _work = Work::begin(move || recurse(levels));
            let most = most(|| {
                let ask = move || get(address, "/debug/pprof/profile?seconds=0.5");
                let readers: Vec<_> = (0..3).map(|_| thread::spawn(ask)).collect();
                for reader in readers {
                    let (status, _, text) = reader.join().unwrap();
                    assert!([200, 503].contains(&status), "{text}");
                    println!("status: {status}");
                }
            });
            println!("most: {most}");
            // Longer than all responses together may be, whoever else asks.
            let (status, _, text) = get(address, "/dump.folded");
            assert_eq!(status, 503, "{text}");
            assert!(!text.to_lowercase().contains("retry-after"), "{text}");
            assert!(text.contains("accept gzip"), "{text}");
            let request =
                "GET /dump.folded HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n";
            assert_eq!(send(address, request).0, 200);
        }
        ("bushy", levels) => {
            let levels: u32 = levels.parse().unwrap();
            let _work = Work::begin(move || bushy(levels));
            for way in ["tree", "frames"] {
                for path in PAGES {
                    let (mut length, mut status) = (0, 0);
                    let most = most(|| {
                        let (is, bytes, text) = get(address, path);
                        assert!([200, 503].contains(&is), "{text}");
                        if is == 503 {
                            assert!(text.contains("call stacks"), "{text}");
                            assert!(!text.to_lowercase().contains("retry-after"), "{text}");
                            assert!(bytes < 1000);
                        }
                        (length, status) = (bytes, is);
                    });
                    let nodes = 2 << levels;
                    println!(
                        "{path} {way} {nodes} nodes: {status}, {} KiB, {} bytes a node; answer {} KiB",
                        most >> 10,
                        most / nodes,
                        length >> 10
                    );
                    println!("status: {status}");
                    println!("most: {most}");
                }
                iprof::update(true);
            }
        }
        ("deep crowd", levels) => {
            let levels = levels.parse().unwrap();
            let _work = Work::begin(move || recurse(levels));
            crowd(address);
        }
        ("bushy crowd", levels) => {
            let levels = levels.parse().unwrap();
            let _work = Work::begin(move || bushy(levels));
            crowd(address);
        }
        #[cfg(target_os = "linux")]
        ("limited deep", more) => limited(address, "deep", more.parse().unwrap()),
        #[cfg(target_os = "linux")]
        ("limited bushy", more) => limited(address, "bushy", more.parse().unwrap()),
        other => panic!("{other:?}"),
    }
    println!("lives");
}

/// As many clients at once as have a place, with every kind of request that takes memory: first before any
/// frame has ended, and then after it.
fn crowd(address: SocketAddr) {
    const PATHS: [&str; 3] = ["/report", "/dump.html", "/debug/pprof/profile?seconds=0.5"];
    const CLIENTS: usize = 16;
    for _ in 0..2 {
        let most = most(|| {
            let gate = Arc::new(Barrier::new(CLIENTS));
            let ask = |at: usize| {
                let (path, gate) = (PATHS[at % PATHS.len()], Arc::clone(&gate));
                thread::spawn(move || {
                    gate.wait();
                    (path, get(address, path))
                })
            };
            let clients: Vec<_> = (0..CLIENTS).map(ask).collect();
            for client in clients {
                let (path, (status, bytes, text)) = client.join().unwrap();
                assert!([200, 503].contains(&status), "{path}: {text}");
                println!("{path}: {status}, {} KiB", bytes >> 10);
                println!("status: {status}");
            }
        });
        println!("most: {most}");
        iprof::update(true);
    }
}

fn program(what: &str) -> Command {
    let mut program = own_program();
    program.args(["--exact", "a_program", "--nocapture"]);
    // Memory that was given back would stay with the program otherwise, and could be had again.
    program.env("MALLOC_TRIM_THRESHOLD_", "0");
    // And threads would have address space of their own in store.
    program.env("MALLOC_ARENA_MAX", "1");
    program.env(CHILD, what);
    program
}

/// The output of such a program, which must succeed: the numbers after these words.
fn printed(what: &str) -> [Vec<usize>; 2] {
    let output = program(what).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}: {said}{errors}");
    assert!(said.contains("lives"), "{what}: {said}");
    println!("{said}");
    ["status: ", "most: "].map(|word| {
        let numbers = said.lines().filter_map(|line| line.strip_prefix(word));
        numbers.map(|number| number.parse().unwrap()).collect()
    })
}

#[test]
fn three_profiles_of_a_deep_program_stay_within_what_is_promised() {
    let [status, most] = printed("deep 10000");
    assert_eq!(status, [200; 3]);
    assert!(most[0] < PROMISED + FEW, "{} MiB", most[0] >> 20);
}

#[test]
fn sixteen_clients_at_once_stay_within_what_is_promised() {
    let programs = if is_emulated() {
        &["deep crowd 10000", "bushy crowd 14"][..]
    } else {
        &["deep crowd 10000", "bushy crowd 14", "bushy crowd 17"]
    };
    for what in programs {
        let [status, most] = printed(what);
        assert_eq!(status.len(), 32);
        let answered = status.iter().filter(|status| **status == 200).count();
        assert!(answered > 0, "{what}: {status:?}");
        for most in most {
            assert!(most < PROMISED + FEW, "{what}: {} MiB", most >> 20);
        }
    }
}

#[test]
fn answers_about_many_call_paths_stay_within_what_is_promised() {
    // The largest takes an emulator longer than an answer may take.
    let levels = if is_emulated() {
        &[10, 14][..]
    } else {
        &[10, 14, 16]
    };
    for levels in levels {
        let [status, most] = printed(&format!("bushy {levels}"));
        assert_eq!(status, [200; 2 * PAGES.len()]);
        for most in most {
            assert!(most < PROMISED + FEW, "{} MiB", most >> 20);
        }
    }
}

#[test]
fn a_program_that_has_recorded_too_much_is_told_so() {
    let [status, most] = printed("bushy 19");
    assert_eq!(status, [503; 2 * PAGES.len()]);
    for most in most {
        assert!(most < FEW, "{} KiB", most >> 10);
    }
}

/// A program with call stacks of a shape that may have some MiB more than it has. It says where it is, ends a
/// frame for each line of its input, and runs until that ends.
#[cfg(target_os = "linux")]
fn limited(address: SocketAddr, shape: &str, more: u64) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let work = match shape {
        "deep" => Work::begin(|| recurse(10_000)),
        "bushy" => Work::begin(|| bushy(14)),
        other => panic!("{other:?}"),
    };
    assert_eq!(get(address, "/debug/pprof/cmdline").0, 200);
    println!("\naddress: {address}");
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let size = size.unwrap().split_whitespace().next().unwrap();
    let kib: u64 = size.parse().unwrap();
    let limit = Rlimit {
        current: Some((kib << 10) + (more << 20)),
        maximum: None,
    };
    setrlimit(Resource::As, limit).unwrap();
    println!("limited");
    let mut line = [0];
    while matches!(std::io::stdin().read(&mut line), Ok(1)) {
        iprof::update(true);
        println!("frame");
    }
    drop(work);
}

/// Asks such a program for every page, before and after its first frame: all are answered or refused. Returns how
/// many are refused.
#[cfg(target_os = "linux")]
fn refused(shape: &str, more: u64) -> usize {
    use std::io::BufRead;
    let mut program = program(&format!("limited {shape} {more}"));
    program.stdin(std::process::Stdio::piped());
    program.stdout(std::process::Stdio::piped());
    let mut child = program.spawn().unwrap();
    let out = child.stdout.take().unwrap();
    let mut lines = std::io::BufReader::new(out).lines().map(Result::unwrap);
    let address = lines.find_map(|line| line.strip_prefix("address: ")?.parse().ok());
    let address = address.unwrap();
    assert!(lines.any(|line| line == "limited"));
    let mut count = 0;
    for way in ["tree", "frames"] {
        for path in PAGES {
            println!("{shape}, {more} MiB more, {way}: {path}");
            let (status, _, text) = get(address, path);
            assert!([200, 503].contains(&status), "{text}");
            // Longer than all responses together may be.
            let is_long = (shape, path) == ("deep", "/dump.folded");
            assert!(status == 200 || more < 512 || is_long, "{text}");
            count += usize::from(status == 503);
        }
        child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        assert!(lines.any(|line| line == "frame"));
    }
    println!("{count} of {} refused", 2 * PAGES.len());
    drop(child.stdin.take());
    assert!(lines.any(|line| line == "lives"));
    assert!(child.wait().unwrap().success());
    count
}

#[cfg(target_os = "linux")]
#[test]
fn requests_about_deep_stacks_that_there_is_no_memory_for_are_refused_and_the_program_lives() {
    if address_space::can_be_limited() {
        let count = [0, 4, 20, 40, 80, 512].map(|more| refused("deep", more));
        assert_eq!(count[0], 2 * PAGES.len());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn requests_about_many_stacks_that_there_is_no_memory_for_are_refused_and_the_program_lives() {
    if address_space::can_be_limited() {
        let count = [0, 8, 16, 40, 80, 512].map(|more| refused("bushy", more));
        assert_eq!((count[0], count[5]), (2 * PAGES.len(), 0));
    }
}
