//! The command line.

use iprof::{ReportMode, Timing};
use std::path::PathBuf;

/// What `--help` prints.
pub(crate) const HELP: &str = "\
A sphereflake is traced by worker threads and watched by iprof. F1 shows the keys.

  --frames N                end after N frames
  --size WxH                size of the picture; default 1280x720
  --shot FILE.png           write the last frame's picture
  --report FILE.txt         write the report of the last frame
  --mode self|hier|graph|descendants|tree
                            what the report lists at first
  --threads N               worker threads, 1 to 64
  --timing exact|sampled|auto|off
                            how zones get their times at first; with a number of samples a second, as in
                            sampled:250, or with what recording may cost, as in auto:0.5%
  --net                     show net times, too: without what recording added to them
  --fine                    a zone around each branch of the flake that a ray is searched in: some
                            thirty nanoseconds of work in each, which is what auto is for
  --start SECONDS           where the camera begins: it rests for 4 seconds, then flies for 11
  --headless                draw off screen
  --help                    this page
";

/// Frames of a run without anybody to watch.
const HEADLESS_FRAMES: u64 = 120;
/// What GL promises at least; more is refused by most.
const MAX_SIZE: u32 = 8192;
const MAX_THREADS: usize = 64;
/// An hour.
const MAX_START: f32 = 3600.0;

/// What was asked for.
#[derive(Debug)]
pub(crate) enum Request {
    Run(Options),
    Help,
}

/// How to run.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) frames: Option<u64>,
    pub(crate) size: (u32, u32),
    pub(crate) shot: Option<PathBuf>,
    pub(crate) report: Option<PathBuf>,
    pub(crate) mode: ReportMode,
    pub(crate) threads: usize,
    pub(crate) timing: Timing,
    pub(crate) net: bool,
    pub(crate) fine: bool,
    /// In seconds, at least 0.
    pub(crate) start: f32,
    pub(crate) headless: bool,
}

impl Options {
    /// Reads the command line; the error is one line.
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
            timing: Timing::Exact,
            net: false,
            fine: false,
            start: 0.0,
            headless: false,
        };
        while let Some(argument) = parser.next()? {
            match argument {
                Long("frames") => options.frames = Some(parser.value()?.parse_with(frames)?),
                Long("size") => options.size = parser.value()?.parse_with(size)?,
                Long("shot") => options.shot = Some(parser.value()?.into()),
                Long("report") => options.report = Some(parser.value()?.into()),
                Long("mode") => options.mode = parser.value()?.parse_with(mode)?,
                Long("threads") => options.threads = parser.value()?.parse_with(threads)?,
                Long("timing") => options.timing = parser.value()?.parse_with(timing)?,
                Long("net") => options.net = true,
                Long("fine") => options.fine = true,
                Long("start") => options.start = parser.value()?.parse_with(seconds)?,
                Long("headless") => options.headless = true,
                Long("help") | Short('h') => return Ok(Request::Help),
                _ => return Err(argument.unexpected()),
            }
        }
        Ok(Request::Run(options))
    }

    /// The number of frames of a run that nobody watches.
    pub(crate) fn headless_frames(&self) -> u64 {
        self.frames.unwrap_or(HEADLESS_FRAMES)
    }
}

/// One thread is left for the main thread's work.
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

fn mode(text: &str) -> Result<ReportMode, String> {
    match text {
        "self" => Ok(ReportMode::SelfTime),
        "hier" => Ok(ReportMode::HierarchicalTime),
        "graph" => Ok(ReportMode::CallGraph),
        "descendants" => Ok(ReportMode::CallGraphDescendants),
        "tree" => Ok(ReportMode::CallTree),
        _ => Err("--mode takes self, hier, graph, descendants or tree".into()),
    }
}

fn timing(text: &str) -> Result<Timing, String> {
    let (name, number) = match text.split_once(':') {
        Some((name, number)) => (name, Some(number)),
        None => (text, None),
    };
    let within = |number: &str, least: f64, most: f64| {
        let number: f64 = number.parse().ok()?;
        (least..=most).contains(&number).then_some(number)
    };
    let timing = match (name, number) {
        ("exact", None) => Some(Timing::Exact),
        ("off", None) => Some(Timing::Off),
        ("sampled", None) => Some(Timing::SAMPLED),
        ("auto", None) => Some(Timing::AUTO),
        ("sampled", Some(hz)) => within(hz, 1.0, 10_000.0).map(|hz| Timing::Sampled { hz }),
        ("auto", Some(budget)) => budget
            .strip_suffix('%')
            .and_then(|percent| within(percent, 0.01, 100.0))
            .map(|percent| Timing::Auto {
                budget: percent / 100.0,
            }),
        _ => None,
    };
    timing.ok_or_else(|| {
        "--timing takes exact, sampled, auto or off, or numbers as in sampled:250 and auto:0.5%"
            .into()
    })
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
    fn every_option_is_understood() {
        let line = "--frames 7 --size 640x480 --shot a.png --report=b.txt --mode graph --threads 3 \
                    --timing auto:0.5% --net --fine --start 5.5 --headless";
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
        assert_eq!(options.timing, Timing::Auto { budget: 0.005 });
        assert!(options.net && options.fine && options.headless);
        assert_eq!(options.start, 5.5);
    }

    #[test]
    fn timings_have_names_and_may_have_numbers() {
        for (word, wanted) in [
            ("exact", Timing::Exact),
            ("sampled", Timing::SAMPLED),
            ("sampled:250", Timing::Sampled { hz: 250.0 }),
            ("auto", Timing::AUTO),
            ("auto:2%", Timing::Auto { budget: 0.02 }),
            ("off", Timing::Off),
        ] {
            assert_eq!(timing(word), Ok(wanted));
        }
    }

    #[test]
    fn modes_have_names() {
        for (word, wanted) in [
            ("self", ReportMode::SelfTime),
            ("hier", ReportMode::HierarchicalTime),
            ("graph", ReportMode::CallGraph),
            ("descendants", ReportMode::CallGraphDescendants),
            ("tree", ReportMode::CallTree),
        ] {
            assert_eq!(mode(word), Ok(wanted));
        }
    }

    #[test]
    fn bad_options_get_one_clear_line() {
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
            &["--timing", "sampled:0"],
            &["--timing", "sampled:nan"],
            &["--timing", "auto:1"],
            &["--timing", "auto:101%"],
            &["--start", "-1"],
            &["--start", "nan"],
            &["--color"],
            &["picture.png"],
        ] {
            let message = parse(words).expect_err("a bad option");
            assert!(!message.is_empty() && !message.contains('\n'), "{message}");
        }
    }
}
