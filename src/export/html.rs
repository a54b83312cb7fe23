//! Writes a snapshot as a self-contained HTML page with call trees, a table of zones and a flame
//! graph, for archives and mail. (As floodyberry's dump, and beyond.)

use super::html_frames::write_frames;
use super::names::one_line;
use super::names::places_of_shared_names;
use super::text_table::recorded;
use super::value::Value;
use crate::snapshot::{FrameSnapshot, Snapshot, SnapshotThread, SnapshotZone};
use html_escape::encode_text;
use serde::Serialize;
use std::io::{self, Write};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
/// In the order in which they use one another.
const SCRIPTS: [&str; 15] = [
    include_str!("page/element.js"),
    include_str!("page/number.js"),
    include_str!("page/profile.js"),
    include_str!("page/tree.js"),
    include_str!("page/search.js"),
    include_str!("page/column.js"),
    include_str!("page/row.js"),
    include_str!("page/grid.js"),
    include_str!("page/flame.js"),
    include_str!("page/zones.js"),
    include_str!("page/calls.js"),
    include_str!("page/baseline.js"),
    include_str!("page/frames.js"),
    include_str!("page/theme.js"),
    include_str!("page/page.js"),
];

impl Snapshot {
    /// Writes a self-contained HTML page: a flame graph; the call tree, of each thread or of all threads
    /// together, from the top down or inverted; the callers and callees of a zone that is clicked; and a
    /// table of zones that sorts by any column. Everything is reached by the keyboard, too, and a search
    /// marks what it finds in all of them. The page's header shows [`about`](Snapshot::about).
    ///
    /// Another such page, or a profile in the [JSON](Snapshot::write_json) format, that is dropped on the
    /// page becomes the baseline: columns `Δ` show this profile minus the other, per frame if both have
    /// frames, in times and in calls. Rows that differ most come first; what takes more time is red, what takes less is
    /// blue. Zones are matched by name and file, threads by name, and several of one name in their order.
    ///
    /// The page loads nothing, and its content security policy forbids it to. It follows the reader's
    /// preference for light or dark. It needs JavaScript and a browser of 2023 or later.
    ///
    /// Idle time, of zones that are [idle](crate::SnapshotZone::is_idle) and outside zones where that
    /// [counts as idle](crate::SnapshotThread::is_idle_outside_zones), is in no percentage, no color and no
    /// flame; its rows are dimmed and come last. A column has the work, which percentages are shares of. A switch ranks
    /// idle time with the rest. Time outside zones has two rows where some of it is idle. A row is colored by its share of all work, fully from a quarter on; rows of iprof's
    /// [own](crate::SnapshotZone::is_own) zones are dimmed and have no color. The [GPU](crate::SnapshotThread::is_gpu)
    /// is a choice among the threads; what is shown of all threads is without it.
    ///
    /// Callers sum to what they call: what no zone has called is called by `(outside zones)`, by thread. Of a recursive
    /// zone they count its outermost calls, and a line says how many these are. Zones that share a name have as much of
    /// their source location behind it as tells them apart.
    ///
    /// A [named value](crate::value!) that was added to has two columns, its sum and the time per unit; tooltips have the sum
    /// per frame. Each column has one unit; tooltips show the exact nanoseconds. Times of a thread sum to the thread's
    /// time exactly. A `~` marks a time that was sampled or includes a sampled time, and a column has the
    /// standard errors; a thread's total is always exact. Nodes that were not entered and took no time are
    /// omitted; nodes of one zone under one parent are one row. Columns that do not fit are omitted, the least
    /// important first, and source locations are shortened; the line below a table says everything about its current
    /// row. The flame graph groups
    /// frames narrower than a pixel, and shows those of a group that is clicked; it draws up to 1,200 frames,
    /// and shows up to 1,000 levels below the zoomed frame and up to 100 of its callers. Initially about 2,000
    /// rows of the tree are expanded.
    ///
    /// # Errors
    ///
    /// Errors of `out`; [`InvalidInput`](io::ErrorKind::InvalidInput), before anything is written, if the
    /// snapshot is not [valid](Snapshot::validate).
    pub fn write_html(&self, out: impl Write) -> io::Result<()> {
        self.write_html_with_frames(None, out)
    }

    /// Writes the same page as [`write_html`](Snapshot::write_html) with a graph of
    /// [remembered](crate::frame_snapshots) frames: a bar for each. The page shows what a frame recorded when
    /// its bar is clicked or chosen by the keyboard; the zoom and the selected rows stay. [`write_file`](Snapshot::write_file) writes no frames;
    /// `IPROF_PROFILE` and the endpoint of the feature `http` do.
    ///
    /// A bar is as high as its frame is long, up to four times the median; longer ones are cut, have another color,
    /// and their length above them. The page holds the zones of as many frames as have 200,000 call stacks together, some 3 MB, the
    /// longest frames first; of the others it has the length alone. `frames` is iterated twice.
    ///
    /// ```
    /// iprof::update(true);
    /// let frames = iprof::frame_snapshots(..);
    /// iprof::snapshot().write_html_with_frames(frames, std::io::sink())?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As of [`write_html`](Snapshot::write_html); a frame's snapshot that is not valid is an error after the
    /// frames before.
    pub fn write_html_with_frames(
        &self,
        frames: impl IntoIterator<Item = FrameSnapshot> + Clone,
        mut out: impl Write,
    ) -> io::Result<()> {
        let whole = self.in_nanoseconds()?;
        let mut rest = PAGE;
        while let Some((before, after)) = rest.split_once("{{") {
            out.write_all(before.as_bytes())?;
            let (name, after) = after.split_once("}}").unwrap_or((after, ""));
            match name {
                "title" => write!(out, "{}", encode_text(&title(&whole)))?,
                "about" => write_about(&whole, &mut out)?,
                "style" => out.write_all(STYLE.as_bytes())?,
                "frames" => write_frames(&whole, frames.clone(), &mut out)?,
                "script" => out.write_all(SCRIPTS.concat().as_bytes())?,
                _ => serde_json::to_writer(NoTags(&mut out), &Data::of(&whole))?,
            }
            rest = after;
        }
        out.write_all(rest.as_bytes())?;
        out.flush()
    }
}

fn title(whole: &Snapshot) -> String {
    match whole.about.name() {
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
pub(super) struct NoTags<W>(pub(super) W);

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
    frames: u64,
    ns: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<Value<'a>>,
    zones: Vec<Zone<'a>>,
    threads: Vec<Thread<'a>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[derive(Serialize)]
pub(super) struct Zone<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'a str,
    line: u32,
    #[serde(skip_serializing_if = "is_false")]
    own: bool,
    /// Where several zones have the name: what of the location tells this one apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    suffix: Option<String>,
}

/// One list per field instead of one object per node, which takes a fifth of the space.
#[derive(Serialize)]
pub(super) struct Thread<'a> {
    name: &'a str,
    ended: bool,
    #[serde(skip_serializing_if = "is_false")]
    gpu: bool,
    parent: Vec<u32>,
    pub(super) zone: Vec<u32>,
    entries: Vec<u64>,
    ns: Vec<u64>,
    /// The nodes whose self time is idle; `None` if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    idle: Option<Vec<u32>>,
    /// `None` if all times are exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Vec<f64>>,
    /// What was added to named values: a node, the value's number, and the sum in steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) values: Vec<(u32, u32, i64)>,
}

impl<'a> Data<'a> {
    fn of(whole: &'a Snapshot) -> Data<'a> {
        Data {
            frames: whole.frames,
            ns: whole.ticks,
            values: Value::all(whole),
            zones: Zone::all(whole.zones.iter()),
            threads: whole
                .threads
                .iter()
                .map(|thread| Thread::of(whole, thread))
                .collect(),
        }
    }
}

impl<'a> Zone<'a> {
    pub(super) fn all(zones: impl Iterator<Item = &'a SnapshotZone> + Clone) -> Vec<Zone<'a>> {
        let suffixes = places_of_shared_names(zones.clone());
        let named = zones.zip(suffixes).map(|(zone, suffix)| Zone {
            name: &zone.name,
            file: &zone.file,
            line: zone.line,
            own: zone.is_own,
            suffix,
        });
        named.collect()
    }
}

impl<'a> Thread<'a> {
    pub(super) fn of(whole: &Snapshot, thread: &'a SnapshotThread) -> Thread<'a> {
        let nodes = || thread.nodes.iter();
        let idle = (0..thread.nodes.len()).filter(|node| whole.is_idle(thread, *node));
        let idle: Vec<u32> = idle.map(|node| node as u32).collect();
        let is_sampled = nodes().any(|node| node.error > 0.0);
        Thread {
            name: &thread.name,
            ended: thread.has_ended,
            gpu: thread.is_gpu,
            parent: nodes().map(|node| node.parent).collect(),
            zone: nodes().map(|node| node.zone).collect(),
            entries: nodes().map(|node| node.entries).collect(),
            ns: nodes().map(|node| node.ticks).collect(),
            idle: (!idle.is_empty()).then_some(idle),
            error: is_sampled.then(|| nodes().map(|node| node.error.ceil()).collect()),
            values: thread
                .values
                .iter()
                .map(|sum| (sum.node, sum.value, sum.steps))
                .collect(),
        }
    }
}

#[cfg(all(test, not(loom)))]
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
        assert_eq!(page.matches("<script").count(), 3);
        assert_eq!(page.matches("</script").count(), 3);
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
