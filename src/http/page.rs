//! Parses the path and the query parameters of a request into a page of the endpoint, or an error.

use crate::export::format::{Format, NoFormat};
use hyper::Uri;
use std::fmt;
use std::time::Duration;

/// Default duration of a profile in seconds.
const SECONDS: f64 = 30.0;
const MIN_SECONDS: f64 = 0.1;
const MAX_SECONDS: f64 = 3600.0;

/// What precedes the extension of a dump.
const DUMP: &str = "/dump";

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Page {
    /// Links to the other pages.
    Index,
    /// A profile of that duration, for pprof.
    Profile {
        time: Duration,
    },
    /// A profile of that duration, or everything recorded, in the format of that extension.
    Dump {
        extension: &'static str,
        time: Option<Duration>,
    },
    /// The program and its arguments.
    CommandLine,
    Report,
    /// The last stall.
    Stall,
}

/// Why a URI names no page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NoPage {
    /// No page has this path.
    NotFound,
    /// No exporter of this build writes that format.
    NoFormat(NoFormat),
    /// The value of `seconds` is not a number.
    NoNumber(String),
    /// Unknown parameter; the known ones.
    NoParameter(String, &'static [&'static str]),
    /// The parameter is given more than once.
    Twice(&'static str),
}

impl fmt::Display for NoPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoPage::NotFound => f.write_str("no such page; see /debug/pprof/ for a list"),
            NoPage::NoFormat(why) => why.fmt(f),
            NoPage::NoNumber(text) => {
                write!(f, "invalid value \"{text}\" for seconds; expected a number")
            }
            NoPage::NoParameter(name, []) => {
                write!(f, "unknown parameter \"{name}\"; this page accepts none")
            }
            NoPage::NoParameter(name, known) => {
                let known = known.join(", ");
                write!(
                    f,
                    "unknown parameter \"{name}\"; this page accepts: {known}"
                )
            }
            NoPage::Twice(name) => write!(f, "parameter \"{name}\" given more than once"),
        }
    }
}

impl Page {
    /// The page that `uri` names by its path and query.
    pub(super) fn of(uri: &Uri) -> Result<Page, NoPage> {
        let query = uri.query().unwrap_or_default();
        let page = match uri.path() {
            "/debug/pprof/profile" => {
                let [seconds] = parameters(query, &["seconds"])?;
                return Ok(Page::Profile {
                    time: time(seconds)?,
                });
            }
            path if path.starts_with(DUMP) => {
                let format = Format::of(path).map_err(|why| match why.feature {
                    None => NoPage::NotFound,
                    Some(_) => NoPage::NoFormat(why),
                });
                let (format, stem) = format?;
                if stem != DUMP.len() {
                    return Err(NoPage::NotFound);
                }
                let [seconds] = parameters(query, &["seconds"])?;
                return Ok(Page::Dump {
                    extension: format.extension(),
                    time: seconds.map(|_| time(seconds)).transpose()?,
                });
            }
            "/" | "/debug/pprof" | "/debug/pprof/" => Page::Index,
            "/debug/pprof/cmdline" => Page::CommandLine,
            "/report" => Page::Report,
            "/stall" => Page::Stall,
            _ => return Err(NoPage::NotFound),
        };
        let [] = parameters(query, &[])?;
        Ok(page)
    }
}

/// The values of the known parameters. Unknown parameters are errors, so that a client learns that its
/// parameter has no effect.
fn parameters<'a, const N: usize>(
    query: &'a str,
    names: &'static [&'static str; N],
) -> Result<[Option<&'a str>; N], NoPage> {
    let mut values = [None; N];
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let Some(at) = names.iter().position(|known| *known == name) else {
            return Err(NoPage::NoParameter(name.to_owned(), names));
        };
        if values[at].replace(value).is_some() {
            return Err(NoPage::Twice(names[at]));
        }
    }
    Ok(values)
}

/// The duration that a query asks for.
fn time(seconds: Option<&str>) -> Result<Duration, NoPage> {
    let seconds = match seconds {
        None | Some("") => SECONDS,
        Some(text) => match text.parse::<f64>() {
            Ok(seconds) if !seconds.is_nan() => seconds,
            _ => return Err(NoPage::NoNumber(text.to_owned())),
        },
    };
    Ok(Duration::from_secs_f64(
        seconds.clamp(MIN_SECONDS, MAX_SECONDS),
    ))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seconds(query: &str) -> Result<f64, NoPage> {
        let uri = format!("/debug/pprof/profile{query}").parse().unwrap();
        Page::of(&uri).map(|page| match page {
            Page::Profile { time } => time.as_secs_f64(),
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn seconds_default_to_thirty_and_are_clamped() {
        for (query, expected) in [
            ("", 30.0),
            ("?", 30.0),
            ("?seconds=", 30.0),
            ("?seconds=5", 5.0),
            ("?seconds=2.5&", 2.5),
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
    fn unknown_parameters_are_refused_by_name() {
        for (query, expected) in [
            (
                "?hz=100",
                "unknown parameter \"hz\"; this page accepts: seconds",
            ),
            (
                "?seconds=1&debug",
                "unknown parameter \"debug\"; this page accepts: seconds",
            ),
            (
                "?Seconds=1",
                "unknown parameter \"Seconds\"; this page accepts: seconds",
            ),
            (
                "?seconds=1&seconds=2",
                "parameter \"seconds\" given more than once",
            ),
        ] {
            let why = seconds(query).unwrap_err();
            assert_eq!(why.to_string(), expected, "{query}");
        }
        for path in ["/", "/report", "/debug/pprof/cmdline"] {
            let uri = format!("{path}?seconds=1").parse().unwrap();
            let expected = "unknown parameter \"seconds\"; this page accepts none";
            assert_eq!(Page::of(&uri).unwrap_err().to_string(), expected, "{path}");
        }
    }

    #[test]
    fn a_dump_is_in_the_format_of_its_extension_and_of_the_time_that_is_asked_for() {
        for (path, extension, time) in [
            ("/dump.html", ".html", None),
            ("/dump.folded?", ".folded", None),
            ("/dump.trace.json.gz", ".trace.json.gz", None),
            ("/dump.json?seconds=2", ".json", Some(2.0)),
            ("/dump.txt?seconds=", ".txt", Some(30.0)),
        ] {
            let time = time.map(Duration::from_secs_f64);
            let page = Page::of(&path.parse().unwrap());
            assert_eq!(page, Ok(Page::Dump { extension, time }), "{path}");
        }
        let page = Page::of(&"/dump.html?hz=100".parse().unwrap());
        assert_eq!(
            page.unwrap_err().to_string(),
            "unknown parameter \"hz\"; this page accepts: seconds"
        );
    }

    proptest! {
        #[test]
        fn every_query_is_parsed_or_refused(
            path in "/debug/pprof/profile|/dump.(html|json)|/report|/\\PC{0,8}",
            query in "(seconds=)?[-+0-9.einfNaN]{0,8}(&[a-z]{0,7}=?[0-9]{0,3}){0,3}|\\PC{0,20}",
        ) {
            let Ok(uri) = format!("{path}?{query}").parse() else {
                return Ok(());
            };
            match Page::of(&uri) {
                Ok(Page::Profile { time }) => {
                    prop_assert!((MIN_SECONDS..=MAX_SECONDS).contains(&time.as_secs_f64()));
                }
                Ok(_) => {}
                Err(why) => prop_assert!(!why.to_string().is_empty()),
            }
        }
    }

    #[test]
    fn unknown_paths_are_not_found() {
        for path in [
            "/debug",
            "/debug/pprof/heap",
            "/pprof/profile",
            "/pprof/symbol",
            "/report/",
            "/a/../report",
            "/dump",
            "/dump.png",
            "/dumps.html",
            "/dump/a.html",
        ] {
            assert_eq!(Page::of(&path.parse().unwrap()), Err(NoPage::NotFound));
        }
    }
}
