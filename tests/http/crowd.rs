//! Many clients at once, idle, slow or waiting: what they cost the host in descriptors, processor time and memory, as
//! Linux reports them.
#![cfg(target_os = "linux")]

use crate::client::{LIMIT, connect, get, request};
use crate::own_program::own_program;
use crate::work::alone;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// How many files the child may have open.
const CHILD: &str = "IPROF_TEST_CROWD";

/// Opens the endpoint, and as many files as it is told to.
#[test]
fn a_program() {
    let Ok(files) = env::var(CHILD) else { return };
    let limit = Rlimit {
        current: files.parse().ok(),
        maximum: files.parse().ok(),
    };
    setrlimit(Resource::Nofile, limit).unwrap();
    let server = iprof::http::serve(0).unwrap();
    println!("\n{}", server.address());
    let mut open = Vec::new();
    for line in std::io::stdin().lines() {
        let count = line.unwrap().parse().unwrap();
        open.extend((0..count).map_while(|_| fs::File::open("/dev/null").ok()));
        println!("{}", open.len());
    }
}

struct Program {
    child: Child,
    out: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl Program {
    fn start(files: u32) -> Program {
        let mut program = own_program();
        program.args(["--exact", "crowd::a_program", "--nocapture"]);
        program.env(CHILD, files.to_string());
        program.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = program.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let lines = out.by_ref().lines().map(|line| line.unwrap());
        let address = lines.filter_map(|line| line.parse().ok()).next();
        Program {
            address: address.expect("it says so"),
            child,
            out,
        }
    }

    /// How many files it has open after it was to open so many more.
    fn open(&mut self, files: u32) -> u32 {
        let mut input = self.child.stdin.as_ref().unwrap();
        writeln!(input, "{files}").unwrap();
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim().parse().unwrap()
    }

    fn descriptors(&self) -> usize {
        let list = format!("/proc/{}/fd", self.child.id());
        fs::read_dir(list).unwrap().count()
    }

    /// Seconds of a processor that it has used.
    fn processor(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let (_, fields) = stat.rsplit_once(')').unwrap();
        let fields: Vec<&str> = fields.split_whitespace().collect();
        // In hundredths.
        let ticks = |at: usize| fields[at].parse::<f64>().unwrap();
        (ticks(11) + ticks(12)) / 100.0
    }

    fn kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.unwrap()
            .split_whitespace()
            .next()
            .unwrap()
            .parse()
            .unwrap()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Clients that come again as soon as they are disconnected, and send `then` every tenth of a second.
struct Crowd {
    address: SocketAddr,
    then: &'static [u8],
    clients: Vec<TcpStream>,
}

impl Crowd {
    fn new(address: SocketAddr, count: usize, then: &'static [u8]) -> Crowd {
        let clients = (0..count).map(|_| Crowd::client(address)).collect();
        Crowd {
            address,
            then,
            clients,
        }
    }

    fn client(address: SocketAddr) -> TcpStream {
        let client = connect(address);
        client.set_nonblocking(true).unwrap();
        client
    }

    fn turn(&mut self) {
        for client in &mut self.clients {
            let sent = client.write_all(self.then);
            let is_over = match client.read(&mut [0; 64]) {
                Ok(count) => count == 0,
                Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
            };
            if is_over || sent.is_err() {
                *client = Crowd::client(self.address);
            }
        }
    }
}

#[test]
fn idle_and_slow_clients_take_few_descriptors_little_time_and_no_memory() {
    let _alone = alone();
    for (kind, then) in [("idle", &b""[..]), ("slow", b"G")] {
        let program = Program::start(1024);
        assert_eq!(get(program.address, "/report").status, 200);
        let (before, kib) = (program.processor(), program.kib());
        let begun = program.descriptors();
        let mut crowd = Crowd::new(program.address, 128, then);
        let start = Instant::now();
        let (mut descriptors, mut most) = (0, 0);
        while start.elapsed() < Duration::from_secs(8) {
            crowd.turn();
            thread::sleep(Duration::from_millis(100));
            descriptors = descriptors.max(program.descriptors());
            most = most.max(program.kib());
        }
        let part = (program.processor() - before) / start.elapsed().as_secs_f64();
        println!(
            "{kind}: {begun} to {descriptors} descriptors, {:.2} % of a processor, {kib} to {most} KiB",
            100.0 * part
        );
        assert!(descriptors <= begun + 17, "{kind}: {descriptors}");
        assert!(part < 0.03, "{kind}: {part}");
        assert!(most < kib + (6 << 10), "{kind}: {kib} to {most} KiB");
        // A good one is served meanwhile.
        let asked = Instant::now();
        let good = thread::spawn(move || get(program.address, "/report").status);
        while !good.is_finished() {
            crowd.turn();
            thread::sleep(Duration::from_millis(100));
        }
        assert_eq!(good.join().unwrap(), 200);
        assert!(asked.elapsed() < LIMIT, "{:?}", asked.elapsed());
        println!("{kind}: a good one took {:?}", asked.elapsed());
    }
}

#[test]
fn a_program_of_few_descriptors_can_open_its_own_files_whoever_comes() {
    let _alone = alone();
    let mut program = Program::start(64);
    let address = program.address;
    let waits = request("GET", "/debug/pprof/profile?seconds=60", "localhost");
    let mut readers: Vec<_> = (0..20).map(|_| connect(address)).collect();
    for reader in &mut readers {
        reader.write_all(&waits).unwrap();
    }
    let crowd = Crowd::new(address, 60, b"");
    thread::sleep(Duration::from_secs(1));
    let own = program.open(64);
    println!("{own} files of its own");
    assert!(own >= 32, "{own}");
    drop((readers, crowd));
    // With none left there is no place for clients; nor does it look for one all the time.
    let before = program.processor();
    let more: Vec<_> = (0..20).map(|_| connect(address)).collect();
    program.open(64);
    thread::sleep(Duration::from_secs(4));
    let part = (program.processor() - before) / 4.0;
    println!("{:.2} % of a processor", 100.0 * part);
    assert!(part < 0.05, "{part}");
    drop(more);
}
