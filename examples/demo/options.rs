//! The demo's command line.

use super::faults::Faults;
use super::scene::SceneOptions;
use iprof::{ReportMode, Timing};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) const HELP: &str = "\
Worker threads trace a sphereflake, and iprof shows where the time goes. F1 shows the keys.

  --frames N                exit after N frames
  --size WxH                size of the window or picture; default 1280x720
  --shot FILE.png           write the last frame's picture
  --report FILE.txt         write the report of the last frame
  --mode MODE               the initial report: self-time, hierarchical-time, call-graph,
                            call-graph-descendants or call-tree
  --threads N               worker threads, 1 to 64
  --timing TIMING           the initial timing mode: exact, sampled[:HZ], auto[:PERCENT] or off
  --net                     also show net times, which are self times minus the cost of recording
  --fine                    add a zone of about 30 ns for each branch of the flake that a ray visits,
                            for trying --timing auto
  --start SECONDS           start at this point of the camera's flight: the camera rests for
                            4 seconds, then flies for 11
  --rest                    keep the camera where it starts
  --fps N                   draw at most N frames per second, 10 to 1000, and move the scene by
                            1/N second per frame; frames that take over 1.5/N seconds exceed the
                            frame budget
  --rays N                  trace at most N thousand primary rays per frame, then let the threads rest
  --particles N             number of particles, up to 100000; default 4000, which take a third of
                            the frame without a GPU
  --fault FAULT             add a problem to find: storms (a rare hitch), growth (a list that is never
                            trimmed), allocations (bursts of them) or, with IPROF_STALL=2 set,
                            deadlock (the program hangs); may be given more than once
  --budget ZONE=MS          the longest that a zone should take in a frame: its rows are red while it
                            takes longer; may be given more than once
  --headless                draw off screen
  --help                    print this help
";

const HEADLESS_FRAMES: u64 = 120;
/// The largest framebuffer size that most GL implementations support.
const MAX_SIZE: u32 = 8192;
const MAX_THREADS: usize = 64;
const MAX_START: f32 = 3600.0;
const MAX_PARTICLES: usize = 100_000;
/// The minimum is 10, because a step of the scene is at most a tenth of a second.
const FPS: RangeInclusive<u32> = 10..=1000;

#[derive(Debug)]
pub(crate) enum Request {
    Run(Options),
    Help,
}

#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) frames: Option<u64>,
    pub(crate) size: (u32, u32),
    pub(crate) shot: Option<PathBuf>,
    pub(crate) report: Option<PathBuf>,
    pub(crate) mode: ReportMode,
    pub(crate) threads: usize,
    pub(crate) timing: Option<Timing>,
    pub(crate) net: bool,
    pub(crate) fine: bool,
    /// The camera's start time in seconds, at least 0.
    pub(crate) start: f32,
    pub(crate) rest: bool,
    /// The length of every frame, if the pace is fixed.
    pub(crate) frame: Option<Duration>,
    /// The maximum number of rays from the eye per frame.
    pub(crate) rays: u32,
    pub(crate) particles: usize,
    pub(crate) faults: Faults,
    pub(crate) budgets: Vec<(String, Duration)>,
    pub(crate) headless: bool,
}

impl Options {
    /// Parses the command line. The error message is a single line.
    pub(crate) fn parse() -> Result<Request, String> {
        Options::parse_from(lexopt::Parser::from_env()).map_err(|error| error.to_string())
    }

    fn parse_from(mut parser: lexopt::Parser) -> Result<Request, lexopt::Error> {
        use lexopt::prelude::*;
        let mut options = Options {
            frames: None,
            size: (1280, 720),
            shot: None,
            report: None,
            mode: ReportMode::SelfTime,
            threads: default_threads(),
            timing: None,
            net: false,
            fine: false,
            start: 0.0,
            rest: false,
            frame: None,
            rays: u32::MAX,
            particles: SceneOptions::default().particles,
            faults: Faults::default(),
            budgets: Vec::new(),
            headless: false,
        };
        while let Some(argument) = parser.next()? {
            match argument {
                Long("frames") => options.frames = Some(parser.value()?.parse_with(frames)?),
                Long("size") => options.size = parser.value()?.parse_with(size)?,
                Long("shot") => options.shot = Some(parser.value()?.into()),
                Long("report") => options.report = Some(parser.value()?.into()),
                Long("mode") => options.mode = parser.value()?.parse()?,
                Long("threads") => options.threads = parser.value()?.parse_with(threads)?,
                Long("timing") => options.timing = Some(parser.value()?.parse()?),
                Long("net") => options.net = true,
                Long("fine") => options.fine = true,
                Long("start") => options.start = parser.value()?.parse_with(seconds)?,
                Long("rest") => options.rest = true,
                Long("fps") => options.frame = Some(parser.value()?.parse_with(frame)?),
                Long("rays") => options.rays = parser.value()?.parse_with(rays)?,
                Long("particles") => options.particles = parser.value()?.parse_with(particles)?,
                Long("fault") => {
                    let faults = &mut options.faults;
                    parser.value()?.parse_with(|name| faults.turn_on(name))?;
                }
                Long("budget") => options.budgets.push(parser.value()?.parse_with(budget)?),
                Long("headless") => options.headless = true,
                Long("help") | Short('h') => return Ok(Request::Help),
                _ => return Err(argument.unexpected()),
            }
        }
        Ok(Request::Run(options))
    }

    pub(crate) fn headless_frames(&self) -> u64 {
        self.frames.unwrap_or(HEADLESS_FRAMES)
    }
}

/// Returns a number of threads that leaves one core for the main thread.
fn default_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    cores.saturating_sub(1).clamp(2, 8)
}

fn frames(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(frames) if frames > 0 => Ok(frames),
        _ => Err("--frames takes a whole number above 0".into()),
    }
}

fn seconds(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=MAX_START).contains(&seconds) => Ok(seconds),
        _ => Err(format!("--start takes seconds from 0 to {MAX_START}")),
    }
}

fn frame(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(fps) if FPS.contains(&fps) => Ok(Duration::from_secs(1) / fps),
        _ => {
            let (least, most) = FPS.into_inner();
            Err(format!("--fps takes a whole number from {least} to {most}"))
        }
    }
}

fn budget(text: &str) -> Result<(String, Duration), String> {
    let parsed = text.rsplit_once('=').and_then(|(zone, ms)| {
        let seconds = ms.parse::<f64>().ok()? / 1e3;
        let budget = Duration::try_from_secs_f64(seconds).ok()?;
        (!zone.is_empty() && budget > Duration::ZERO).then(|| (zone.to_owned(), budget))
    });
    parsed.ok_or_else(|| "--budget takes a zone and milliseconds, as in frame=12.5".into())
}

fn rays(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(thousands) if (1..=1_000_000).contains(&thousands) => Ok(1000 * thousands),
        _ => Err("--rays takes a number from 1 to 1000000, in thousands".into()),
    }
}

fn particles(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(particles) if particles <= MAX_PARTICLES => Ok(particles),
        _ => Err(format!("--particles takes a number up to {MAX_PARTICLES}")),
    }
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let parsed = text
        .split_once('x')
        .and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match parsed {
        Some((w, h)) if (1..=MAX_SIZE).contains(&w) && (1..=MAX_SIZE).contains(&h) => Ok((w, h)),
        _ => Err(format!(
            "--size takes a width and a height up to {MAX_SIZE}, as in 1280x720"
        )),
    }
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if (1..=MAX_THREADS).contains(&threads) => Ok(threads),
        _ => Err(format!("--threads takes a number from 1 to {MAX_THREADS}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Request, String> {
        let all = std::iter::once("demo").chain(arguments.iter().copied());
        Options::parse_from(lexopt::Parser::from_iter(all)).map_err(|error| error.to_string())
    }

    #[test]
    fn every_option_is_parsed() {
        let line = "--frames 7 --size 640x480 --shot a.png --report=b.txt --mode call-graph --threads 3 \
                    --timing auto:0.5% --net --fine --start 5.5 --rest --fps 50 --rays 2 --particles 0 \
                    --fault growth --fault storms --budget a=b=2.5 --headless";
        let words: Vec<&str> = line.split_whitespace().collect();
        let Ok(Request::Run(options)) = parse(&words) else {
            panic!()
        };
        assert_eq!(
            (options.frames, options.size, options.threads),
            (Some(7), (640, 480), 3)
        );
        assert_eq!(options.shot, Some("a.png".into()));
        assert_eq!(options.report, Some("b.txt".into()));
        assert_eq!(options.mode, ReportMode::CallGraph);
        assert_eq!(options.timing, Some(Timing::Auto { budget: 0.005 }));
        assert!(options.net && options.fine && options.headless);
        assert_eq!(options.start, 5.5);
        assert!(options.rest);
        assert_eq!(options.frame, Some(Duration::from_millis(20)));
        assert_eq!((options.rays, options.particles), (2000, 0));
        let budget = Duration::from_micros(2_500);
        assert_eq!(options.budgets, [("a=b".to_owned(), budget)]);
        let faults = options.faults;
        assert!(faults.growth && faults.storms && !faults.allocations);
    }

    #[test]
    fn invalid_options_give_one_line_errors() {
        for words in [
            &["--frames", "0"][..],
            &["--frames", "many"],
            &["--frames"],
            &["--size", "640"],
            &["--size", "0x480"],
            &["--size", "99999x1"],
            &["--mode", "upside-down"],
            &["--threads", "65"],
            &["--timing", "guessed"],
            &["--timing", "exact:1"],
            &["--timing", "auto:much"],
            &["--start", "-1"],
            &["--start", "nan"],
            &["--fps", "0"],
            &["--fps", "9"],
            &["--fps", "1001"],
            &["--rays", "0"],
            &["--rays", "1000001"],
            &["--particles", "100001"],
            &["--fault", "all"],
            &["--budget", "frame"],
            &["--budget", "frame=0"],
            &["--budget", "frame=-1"],
            &["--budget", "=1"],
            &["--color"],
            &["picture.png"],
        ] {
            let message = parse(words).expect_err("a bad option");
            assert!(!message.is_empty() && !message.contains('\n'), "{message}");
        }
    }
}
