//! What can be asked for.

use hyper::Uri;
use std::time::Duration;

/// Seconds of a profile, unless the query says.
const SECONDS: f64 = 30.0;
const MIN_SECONDS: f64 = 0.1;
const MAX_SECONDS: f64 = 3600.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Page {
    /// Links to the others.
    Index,
    /// What is recorded in that time.
    Profile {
        time: Duration,
    },
    /// The program and its arguments.
    CommandLine {
        of: CommandLine,
    },
    Report,
    Dump,
}

/// Whose way of writing a command line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CommandLine {
    Go,
    Gperftools,
}

/// Why there is no page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NoPage {
    /// There is none of that path.
    NotFound,
    /// These seconds are no number.
    NoNumber(String),
}

impl Page {
    /// The page that `uri` names by its path and query.
    pub(super) fn of(uri: &Uri) -> Result<Page, NoPage> {
        let go = CommandLine::Go;
        let gperftools = CommandLine::Gperftools;
        Ok(match uri.path() {
            "/" | "/debug/pprof" | "/debug/pprof/" => Page::Index,
            "/debug/pprof/profile" | "/pprof/profile" => Page::Profile {
                time: time(uri.query().unwrap_or_default())?,
            },
            "/debug/pprof/cmdline" => Page::CommandLine { of: go },
            "/pprof/cmdline" => Page::CommandLine { of: gperftools },
            "/report" => Page::Report,
            "/dump.html" => Page::Dump,
            _ => return Err(NoPage::NotFound),
        })
    }
}

/// The time that a query asks for; what else is in it is for other servers.
fn time(query: &str) -> Result<Duration, NoPage> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let seconds = match pairs.find(|(name, _)| *name == "seconds") {
        None | Some((_, "")) => SECONDS,
        Some((_, text)) => match text.parse::<f64>() {
            Ok(seconds) if !seconds.is_nan() => seconds,
            _ => return Err(NoPage::NoNumber(text.to_owned())),
        },
    };
    Ok(Duration::from_secs_f64(
        seconds.clamp(MIN_SECONDS, MAX_SECONDS),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(query: &str) -> Result<f64, NoPage> {
        let uri = format!("/pprof/profile{query}").parse().unwrap();
        Page::of(&uri).map(|page| match page {
            Page::Profile { time } => time.as_secs_f64(),
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn seconds_are_clamped_and_thirty_unless_the_query_says() {
        for (query, expected) in [
            ("", 30.0),
            ("?", 30.0),
            ("?seconds=", 30.0),
            ("?seconds=5", 5.0),
            ("?debug=1&seconds=2.5&gc=1", 2.5),
            ("?seconds=0", 0.1),
            ("?seconds=-7", 0.1),
            ("?seconds=1e99", 3600.0),
            ("?seconds=inf", 3600.0),
        ] {
            assert_eq!(seconds(query), Ok(expected), "{query}");
        }
        for text in ["soon", "nan", "5s", "%31"] {
            let error = Err(NoPage::NoNumber(text.to_owned()));
            assert_eq!(seconds(&format!("?seconds={text}")), error);
        }
    }

    #[test]
    fn other_paths_are_no_pages() {
        for path in [
            "/debug",
            "/debug/pprof/heap",
            "/pprof/symbol",
            "/report/",
            "/a/../report",
        ] {
            assert_eq!(Page::of(&path.parse().unwrap()), Err(NoPage::NotFound));
        }
    }
}
