//! Writes a snapshot as a self-contained HTML page with call trees, a table of zones and a flame
//! graph, for archives and mail. (As floodyberry's dump, and beyond.)

use super::json::{Zone, zones};
use super::name::one_line;
use super::summary_line::recorded;
use crate::snapshot::{Snapshot, SnapshotThread};
use html_escape::encode_text;
use serde::Serialize;
use std::io::{self, Write};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

impl Snapshot {
    /// Writes a self-contained HTML page. It shows the call tree of each thread, which can be expanded and
    /// collapsed, with hot spots coloured by their share of the thread's time; a table of all zones,
    /// sortable by any column; and a flame graph that zooms to the clicked frame. The page's header shows
    /// [`about`](Snapshot::about).
    ///
    /// The page loads nothing, and its content security policy forbids it to. It follows the reader's
    /// preference for light or dark. It needs JavaScript and a browser of 2023 or later.
    ///
    /// Times are whole nanoseconds; those of a thread sum to the thread's time exactly. Tooltips show the
    /// exact nanoseconds, and a column shows cycles. A `~` marks a time that was sampled or includes a
    /// sampled time; a thread's total is always exact. Nodes that were not entered and took no time are
    /// omitted. The flame graph omits frames narrower than 1.5 pixels, and shows up to 1,000 levels below
    /// the zoomed frame and up to 100 of its callers. Initially about 2,000 rows of the trees are expanded.
    ///
    /// # Errors
    ///
    /// Errors of `out`; [`InvalidInput`](io::ErrorKind::InvalidInput), before anything is written, if the
    /// snapshot is not [valid](Snapshot::validate).
    pub fn write_html(&self, mut out: impl Write) -> io::Result<()> {
        let whole = self.in_nanoseconds()?;
        let mut rest = PAGE;
        while let Some((before, after)) = rest.split_once("{{") {
            out.write_all(before.as_bytes())?;
            let (name, after) = after.split_once("}}").unwrap_or((after, ""));
            match name {
                "title" => write!(out, "{}", encode_text(&title(&whole)))?,
                "about" => write_about(&whole, &mut out)?,
                "style" => out.write_all(STYLE.as_bytes())?,
                "script" => out.write_all(SCRIPT.as_bytes())?,
                _ => serde_json::to_writer(NoTags(&mut out), &Data::of(self, &whole))?,
            }
            rest = after;
        }
        out.write_all(rest.as_bytes())?;
        out.flush()
    }
}

/// The program's name without its folder.
fn title(whole: &Snapshot) -> String {
    let program = &whole.about.program;
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    match name {
        "" => "iprof".to_owned(),
        name => format!("{} - iprof", one_line(name)),
    }
}

fn write_about(whole: &Snapshot, out: &mut impl Write) -> io::Result<()> {
    let about = &whole.about;
    let entries = [
        ("program", about.program.clone()),
        ("arguments", about.arguments.join(" ")),
        ("date", about.date()),
        ("machine", about.machine.clone()),
        ("recorded", recorded(whole)),
    ];
    for (name, value) in entries {
        if !value.is_empty() {
            writeln!(out, "<dt>{name}</dt><dd>{}</dd>", encode_text(&value))?;
        }
    }
    Ok(())
}

/// Passes JSON on with every `<` escaped: a `<` could end the script element that contains the JSON, or
/// begin a comment. In JSON a `<` can only be in a string, where the escape means the same.
struct NoTags<W>(W);

impl<W: Write> Write for NoTags<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for (at, part) in bytes.split(|byte| *byte == b'<').enumerate() {
            if at > 0 {
                self.0.write_all(b"\\u003c")?;
            }
            self.0.write_all(part)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The data for the page's script.
#[derive(Serialize)]
struct Data<'a> {
    zones: Vec<Zone<'a>>,
    threads: Vec<Thread<'a>>,
}

/// One list per field instead of one object per node, which takes a fifth of the space.
#[derive(Serialize)]
struct Thread<'a> {
    name: &'a str,
    ended: bool,
    parent: Vec<u32>,
    zone: Vec<u32>,
    entries: Vec<u64>,
    ns: Vec<u64>,
    ticks: Vec<u64>,
    /// `None` if all times are exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Vec<f64>>,
}

impl<'a> Data<'a> {
    fn of(ticks: &Snapshot, whole: &'a Snapshot) -> Data<'a> {
        let threads = ticks.threads.iter().zip(&whole.threads);
        Data {
            zones: zones(whole),
            threads: threads.map(|(ticks, ns)| Thread::of(ticks, ns)).collect(),
        }
    }
}

impl<'a> Thread<'a> {
    fn of(ticks: &SnapshotThread, ns: &'a SnapshotThread) -> Thread<'a> {
        let nodes = || ns.nodes.iter();
        let is_sampled = nodes().any(|node| node.error > 0.0);
        Thread {
            name: &ns.name,
            ended: ns.has_ended,
            parent: nodes().map(|node| node.parent).collect(),
            zone: nodes().map(|node| node.zone).collect(),
            entries: nodes().map(|node| node.entries).collect(),
            ns: nodes().map(|node| node.ticks).collect(),
            ticks: ticks.nodes.iter().map(|node| node.ticks).collect(),
            error: is_sampled.then(|| nodes().map(|node| node.error.ceil()).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{About, Snapshot, SnapshotThread, SnapshotZone};

    #[test]
    fn names_never_become_markup() {
        let evil = "</script><script>alert(1)</script><!--";
        let mut snapshot = Snapshot {
            about: About {
                program: format!("/bin/{evil}"),
                arguments: vec![evil.into(), "{{data}}".into()],
                machine: evil.into(),
                taken: None,
            },
            ..Snapshot::default()
        };
        snapshot.intern_zone(SnapshotZone::new(evil, evil, 1));
        snapshot.threads.push(SnapshotThread::new(evil));
        let mut out = Vec::new();
        snapshot.write_html(&mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script").count(), 2);
        assert!(!page.contains("<!--"));
        assert_eq!(page.matches("{{data}}").count(), 1);
        let (_, data) = page.split_once("id=\"data\">").unwrap();
        let (data, _) = data.split_once("</script>").unwrap();
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["zones"][1]["name"], evil);
        assert_eq!(data["threads"][0]["name"], evil);
    }

    #[test]
    fn the_page_loads_nothing() {
        let mut out = Vec::new();
        Snapshot::default().write_html(&mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        for word in ["http://", "https://", "//cdn", "src=", "@import", "url("] {
            assert!(!page.contains(word), "{word}");
        }
    }
}
