//! Tests sampling sessions from start to finish.
#![cfg(feature = "enable")]

#[path = "support/measured.rs"]
mod measured;

use iprof::{SampledProfile, SampledRow, SamplingSession, StartSamplingError, Timing};
use measured::*;
use std::sync::mpsc;
use std::time::{Duration, Instant};

const MS: Duration = Duration::from_millis(1);

/// Returns the first row named `name`, and its child rows.
fn row<'a>(
    profile: &'a SampledProfile,
    name: &str,
) -> Option<(&'a SampledRow, Vec<&'a SampledRow>)> {
    let at = profile.rows.iter().position(|row| &*row.name == name)?;
    let of = &profile.rows[at];
    let below = profile.rows[at + 1..].iter();
    let below = below.take_while(|row| row.depth > of.depth);
    Some((of, below.filter(|row| row.depth == of.depth + 1).collect()))
}

fn check(profile: &SampledProfile) {
    let top = profile.rows.iter().filter(|row| row.depth == 0);
    assert_eq!(top.map(|row| row.samples).sum::<u64>(), profile.samples);
    for (at, row) in profile.rows.iter().enumerate() {
        let below = profile.rows[at + 1..].iter();
        let below: Vec<_> = below
            .take_while(|below| below.depth > row.depth)
            .filter(|below| below.depth == row.depth + 1)
            .collect();
        if !below.is_empty() {
            let sum: u64 = below.iter().map(|row| row.samples).sum();
            assert_eq!(sum, row.samples, "{}", row.name);
            assert!(below.is_sorted_by(|a, b| a.samples >= b.samples));
            assert_eq!(below.iter().filter(|row| row.is_self).count(), 1);
        }
    }
}

/// Spends a fifth of the time outside zones, two fifths in `work`, and two fifths in `part`, which `work` calls.
/// Returns the actual fractions.
fn work(time: Duration) -> [f64; 3] {
    let (start, mut took) = (Instant::now(), [0.0; 3]);
    while start.elapsed() < time {
        took[0] += ms(spin(MS / 5));
        iprof::zone!(work);
        took[1] += ms(spin(2 * MS / 5));
        iprof::zone!(part);
        took[2] += ms(spin(2 * MS / 5));
    }
    let all: f64 = took.iter().sum();
    took.map(|took| took / all)
}

/// Whether the fraction of samples is close to `truth`. The tolerance is five standard deviations, plus an allowance
/// for a busy machine.
fn is_share(profile: &SampledProfile, samples: u64, truth: f64) -> bool {
    let n = profile.samples as f64;
    let deviation = (truth * (1.0 - truth) / n).sqrt();
    (samples as f64 / n - truth).abs() < 5.0 * deviation + 0.02
}

/// Waits for the threads of earlier tests to end, because they would be sampled as well.
fn wait_for_ending_threads() {
    let running = || {
        iprof::threads()
            .iter()
            .filter(|thread| thread.running)
            .count()
    };
    iprof::update(false);
    while running() > 1 {
        std::thread::sleep(MS);
        iprof::update(false);
    }
}

#[test]
fn fractions_agree_with_a_loop_timed_externally() {
    // Retry, because the sampler thread must not be delayed either.
    again_if_busy(check_shares);
}

fn check_shares() {
    for timing in [Timing::Exact, Timing::SAMPLED, Timing::AUTO, Timing::Off] {
        let _alone = alone();
        wait_for_ending_threads();
        iprof::set_timing(timing);
        let worker = std::thread::spawn(move || {
            iprof::register_thread();
            iprof::register_thread();
            let session = SamplingSession::start(4000.0).unwrap();
            let truth = work(400 * MS);
            (session.finish(), truth)
        });
        let (mut profile, [outside, work, part]) = worker.join().unwrap();
        check(&profile);
        assert!(profile.samples > 300, "{timing:?}: {}", profile.samples);
        // This thread is waiting, and not inside any zone.
        assert_eq!(profile.threads, 2, "{timing:?}");
        let idle = profile.samples - profile.samples / 2;
        let other = profile
            .rows
            .iter_mut()
            .find(|row| row.depth == 0 && row.is_self);
        let other = other.unwrap();
        assert_eq!(&*other.name, "(outside zones)");
        other.samples = other.samples.saturating_sub(idle);
        let outside_samples = other.samples;
        profile.samples -= idle;
        let (found, below) = row(&profile, "work").unwrap();
        assert!(
            is_share(&profile, found.samples, work + part),
            "{timing:?}: {profile:?}"
        );
        assert!(
            is_share(&profile, outside_samples, outside),
            "{timing:?}: {profile:?}"
        );
        let [own, inner] = [true, false].map(|is_self| {
            let row = below.iter().find(|row| row.is_self == is_self);
            row.unwrap().samples
        });
        assert!(is_share(&profile, own, work), "{timing:?}: {profile:?}");
        assert!(is_share(&profile, inner, part), "{timing:?}: {profile:?}");
    }
    iprof::set_timing(Timing::Exact);
}

#[test]
fn starting_twice_is_an_error() {
    let _alone = alone();
    let session = SamplingSession::start(f64::NAN).unwrap();
    let twice = SamplingSession::start(100.0).unwrap_err();
    assert!(matches!(twice, StartSamplingError::AlreadyStarted));
    assert!(twice.to_string().contains("already in progress"), "{twice}");
    // The failed attempt must not end the session.
    assert!(SamplingSession::start(100.0).is_err());
    let _ = session.finish();
    // After that, a new session can be started.
    let _ = SamplingSession::start(1e9).unwrap().finish();
}

#[test]
fn sampling_profile_ends_on_drop_from_any_thread() {
    let _alone = alone();
    iprof::set_timing(Timing::Off);
    drop(SamplingSession::start(1000.0).unwrap());
    {
        // Zones are disabled between sessions, so the next session must not contain this zone.
        iprof::zone!(between_sessions);
        let session = SamplingSession::start(5000.0).unwrap();
        spin(100 * MS);
        let other_thread = std::thread::spawn(move || session.finish());
        let profile = other_thread.join().unwrap();
        assert!(profile.samples > 0);
        assert!(row(&profile, "between_sessions").is_none(), "{profile:?}");
    }
    let panics = std::thread::spawn(|| {
        let _session = SamplingSession::start(1000.0).unwrap();
        panic!("a test panic");
    });
    assert!(panics.join().is_err());
    drop(SamplingSession::start(1000.0).unwrap());
    iprof::set_timing(Timing::Exact);
}

#[test]
fn threads_may_start_and_end_while_profiling() {
    let _alone = alone();
    let session = SamplingSession::start(5000.0).unwrap();
    let start = Instant::now();
    while start.elapsed() < 200 * MS {
        let threads: Vec<_> = (0..2)
            .map(|at| {
                let name = format!("passer {at}");
                let thread = std::thread::Builder::new().name(name);
                let run = || {
                    iprof::zone!(passing);
                    spin(5 * MS);
                };
                thread.spawn(run).unwrap()
            })
            .collect();
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    }
    let profile = session.finish();
    check(&profile);
    let (passing, _) = row(&profile, "passing").expect("the zone should be sampled");
    assert!(passing.samples > 50, "{profile:?}");
    // Two of the threads run at a time, and the test program has other threads.
    assert!(
        profile.threads >= 2 && profile.threads < 20,
        "{}",
        profile.threads
    );
    let mut text = Vec::new();
    profile.write(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let head = format!(
        "({} threads, {} samples)\n",
        profile.threads, profile.samples
    );
    assert!(
        text.lines().next().unwrap().len() + 1 > head.len() && text.contains(&head),
        "{text}"
    );
    assert!(text.contains("% passing\n"), "{text}");
}

#[test]
fn profiling_and_sampled_timing_are_independent() {
    let _alone = alone();
    iprof::set_timing(Timing::Sampled { hz: 2000.0 });
    iprof::update(true);
    let (stop, stopped) = mpsc::channel::<()>();
    let worker = std::thread::Builder::new().name("sampled twice".into());
    let run = move || {
        iprof::zone!(all);
        while stopped.try_recv().is_err() {
            iprof::zone!(one);
            spin(MS / 10);
        }
    };
    let worker = worker.spawn(run).unwrap();
    // Returns the number of samples that the timing sampler takes per millisecond. The measurement is long enough that
    // delays don't matter. A snapshot doesn't wait for pending samples, which are included in the next snapshot.
    let hits = || {
        let (before, start) = (iprof::snapshot(), Instant::now());
        loop {
            spin(300 * MS);
            let since = iprof::snapshot().since(&before);
            let nodes = since.threads.iter().flat_map(|thread| &thread.nodes);
            let samples: u64 = nodes.map(|node| node.samples).sum();
            if samples > 200 || start.elapsed() > Duration::from_secs(20) {
                return samples as f64 / (since.ns(since.ticks) * 1e-6);
            }
        }
    };
    let alone = hits();
    let session = SamplingSession::start(500.0).unwrap();
    let during_profile = hits();
    let profile = session.finish();
    assert!(
        during_profile > 0.6 * alone,
        "{during_profile} during a profile, {alone} alone"
    );
    assert!(profile.samples > 50, "{profile:?}");
    stop.send(()).unwrap();
    worker.join().unwrap();
    iprof::set_timing(Timing::Exact);
}

#[test]
fn profiling_while_timing_is_off_keeps_the_report() {
    let _alone = alone();
    {
        iprof::zone!(shown);
        spin(MS);
    }
    iprof::update(true);
    let before = iprof::snapshot();
    iprof::set_timing(Timing::Off);
    let session = SamplingSession::start(3000.0).unwrap();
    for _ in 0..10 {
        work(5 * MS);
        iprof::update(true);
    }
    let profile = session.finish();
    assert!(row(&profile, "work").is_some(), "{profile:?}");
    work(MS);
    iprof::update(true);
    let after = iprof::snapshot();
    assert_eq!(after.frames, before.frames);
    let sum = |snapshot: &iprof::Snapshot| -> u64 {
        let nodes = snapshot.threads.iter().flat_map(|thread| &thread.nodes);
        nodes.map(|node| node.entries).sum()
    };
    assert!(sum(&after) <= sum(&before));
    assert!(!iprof::report().rows.iter().any(|row| &*row.name == "work"));
    iprof::set_timing(Timing::Exact);
}
