//! Tests that a profile covers exactly the time of its request.

use crate::client::{LIMIT, Reply, get};
use crate::work::{Ending, alone, spin};
use flate2::read::GzDecoder;
use prost::Message;
use std::collections::BTreeMap;
use std::io::Read;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The parts of a profile that these tests use. The fields are named as in `profile.proto`.
#[derive(Clone, PartialEq, Message)]
struct Profile {
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, tag = "10")]
    duration_nanos: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    /// Location IDs, which equal their functions' IDs, innermost first.
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    /// The number of entries, and the nanoseconds.
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
}

impl Profile {
    fn read(reply: &Reply) -> Profile {
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(reply.headers["content-type"], "application/octet-stream");
        let mut plain = Vec::new();
        let mut gzip = GzDecoder::new(&reply.body[..]);
        gzip.read_to_end(&mut plain).unwrap();
        Profile::decode(&plain[..]).unwrap()
    }

    /// Returns the entries and self nanoseconds of each zone.
    fn zones(&self) -> BTreeMap<&str, (i64, i64)> {
        let name = |function: &Function| (function.id, &*self.string_table[function.name as usize]);
        let names: BTreeMap<u64, &str> = self.function.iter().map(name).collect();
        let mut zones = BTreeMap::<&str, (i64, i64)>::new();
        for sample in &self.sample {
            let zone = zones.entry(names[&sample.location_id[0]]).or_default();
            zone.0 += sample.value[0];
            zone.1 += sample.value[1];
        }
        zones
    }
}

fn profile(address: SocketAddr, seconds: f64) -> Profile {
    let path = format!("/debug/pprof/profile?seconds={seconds}");
    Profile::read(&get(address, &path))
}

fn own(zone: &str) -> (i64, f64) {
    let snapshot = iprof::snapshot();
    let mut sums = (0, 0.0);
    for node in snapshot.threads.iter().flat_map(|thread| &thread.nodes) {
        if &*snapshot.zones[node.zone as usize].name == zone {
            sums.0 += node.entries as i64;
            sums.1 += snapshot.ns(node.ticks);
        }
    }
    sums
}

#[test]
fn profile_covers_only_its_seconds() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let work = |times| {
        for _ in 0..times {
            iprof::zone!(asked_for);
            spin(Duration::from_millis(3));
        }
    };
    work(5);
    // On a slow machine, the profile may miss the work, so each attempt lasts longer than the attempt before. But no
    // profile may contain the work partially or twice.
    for attempt in 1..=5 {
        let seconds = f64::from(attempt);
        let address = server.address();
        let reader = thread::spawn(move || profile(address, seconds));
        thread::sleep(Duration::from_secs_f64(0.4 * seconds));
        let before = own("asked_for");
        work(7);
        let after = own("asked_for");
        let profile = reader.join().unwrap();
        let zone = profile.zones().get("asked_for").copied();
        let (entries, ns) = zone.unwrap_or_default();
        assert!((0..=7).contains(&entries), "{entries}");
        if entries == 7 {
            let expected = after.1 - before.1;
            // The clock rate is known more precisely at the end of the profile, so the times may differ slightly.
            let off = (ns as f64 - expected).abs() / expected;
            assert!(off < 0.01, "{ns} ns instead of {expected}");
            return;
        }
    }
    panic!("no profile covered the work");
}

#[test]
fn concurrent_profiles_cover_their_own_intervals() {
    let _alone = alone();
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    let address = server.address();
    let (count, goes_on) = (AtomicU64::new(0), AtomicBool::new(true));
    thread::scope(|scope| {
        scope.spawn(|| {
            while goes_on.load(Ordering::Relaxed) {
                iprof::zone!(counted);
                count.fetch_add(1, Ordering::SeqCst);
                spin(Duration::from_micros(200));
            }
        });
        let _ending = Ending(&goes_on);
        while count.load(Ordering::SeqCst) < 10 {
            thread::yield_now();
        }
        let readers: Vec<_> = (1..=10)
            .map(|reader| {
                let count = &count;
                scope.spawn(move || {
                    let seconds = f64::from(reader) * 0.3;
                    let (start, before) = (Instant::now(), count.load(Ordering::SeqCst));
                    let profile = profile(address, seconds);
                    let done = count.load(Ordering::SeqCst) - before;
                    (seconds, start.elapsed(), done, profile)
                })
            })
            .collect();
        let results: Vec<_> = readers
            .into_iter()
            .map(|reader| reader.join().unwrap())
            .collect();
        for (seconds, elapsed, done, profile) in results {
            let time = Duration::from_secs_f64(seconds);
            let recorded = Duration::from_nanos(profile.duration_nanos as u64);
            assert!(recorded >= time.mul_f64(0.99), "{time:?} {recorded:?}");
            assert!(
                recorded <= elapsed.mul_f64(1.01),
                "{elapsed:?} {recorded:?}"
            );
            assert!(elapsed < time + LIMIT, "{time:?} {elapsed:?}");
            let zones = profile.zones();
            let (entries, ns) = zones["counted"];
            // The newest entry may not have been counted yet.
            assert!(
                (1..=done as i64 + 1).contains(&entries),
                "{entries} of {done}"
            );
            // The thread did nothing else during this time.
            let part = ns as f64 / profile.duration_nanos as f64;
            assert!((0.5..1.01).contains(&part), "{part}: {zones:?}");
        }
    });
}
