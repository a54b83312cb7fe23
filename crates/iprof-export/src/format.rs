//! The file formats: their names, file extensions and writers.

use super::{callgrind, folded, tree, with_crates};
use iprof_process::{FrameSnapshot, Snapshot};
use iprof_report::{Report, VariantName, display_and_from_str};
use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// A file format for [snapshots](Snapshot).
///
/// A format can be selected by name, as on a command line, or by file extension: see [`from_path`](Format::from_path).
///
/// ```
/// use iprof::Format;
///
/// {
///     iprof::zone!(load);
/// }
/// Format::Tree.write(&iprof::snapshot(), std::io::stdout())?;
/// assert_eq!("folded".parse(), Ok(Format::Folded));
/// assert_eq!(Format::from_path("profile.folded"), Some(Format::Folded));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// Every build recognizes the names and extensions of all formats, and can write [`Tree`](Format::Tree),
/// [`TreeInCycles`](Format::TreeInCycles), [`Folded`](Format::Folded) and [`Callgrind`](Format::Callgrind). The other
/// formats require the feature `export`. Without it, writing one fails with an
/// [`Unsupported`](io::ErrorKind::Unsupported) error that names the feature.
///
/// # Common to all formats
///
/// * **Times** are rounded to nanoseconds such that a thread's self times still add up to the thread's total.
/// * **Time outside zones** is the self time of a thread's root, `(outside zones)`.
/// * **Idle time** is the self time of [idle zones](iprof_process::SnapshotZone::is_idle), plus time outside zones on
///   threads where it [counts as idle](iprof_process::SnapshotThread::is_idle_outside_zones). All other time is *work*.
/// * **The [GPU](iprof_process::SnapshotThread::is_gpu)** runs in parallel with the threads, so GPU times are never
///   added to thread times.
/// * **Zone names** shared by several zones are followed by enough of the source location to distinguish the zones,
///   since many readers merge equal names: `update (physics.rs)`. Line breaks and other control characters in names
///   become spaces. HTML, JSON and CSV keep them, and JSON and CSV store the location in separate fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// ASCII text for consoles and logs: a call tree for each thread and for the GPU, then all zones by self time.
    ///
    /// The frame's thread comes first, the GPU last. Children are sorted by time. The GPU's zones are in a separate
    /// list. A line above each tree and list states what 100 % is.
    ///
    /// A tree row shows the number of calls, the hierarchical time (total and per call), its percentage of the thread's
    /// time, the self time, and the name. A list row shows the number of calls, the self time (total and per call), its
    /// percentage of all threads' time, and the hierarchical time. `~` marks a time that was sampled or includes a
    /// sampled time. If any time was sampled, the column `+-` shows the standard errors of self times. Zones that are
    /// only counted have no times. Nodes that were not entered and took no time are omitted.
    ///
    /// All times in a column have the same unit, shown in the column header, and the same number of decimal places. The
    /// unit is `us` if the longest thread took less than 10 ms, `ms` below 10 s, and `s` otherwise. The unit for times
    /// per call is a compromise between the smallest and the largest time, and may be `ns`.
    ///
    /// Idle zones are marked `(idle)`, and idle time outside zones is shown as `(outside zones, idle)`. A list contains
    /// the 50 zones with the most work, then the 50 with the most idle time. If there are more zones, each part ends
    /// with a row for the sum of the others. If only some of the time outside zones is idle, the list has two rows for
    /// it.
    ///
    /// Amounts that a node itself added to named values follow its name in brackets: `[bodies 120 body]`. Threads with
    /// the same name are numbered. Non-ASCII characters in names become `?`.
    ///
    /// For exact times, write [JSON](Format::Json) or [CSV](Format::Csv). For cycles, write
    /// [`TreeInCycles`](Format::TreeInCycles).
    Tree,
    /// The same text as [`Tree`](Format::Tree), with all times in ticks of the machine's counter, which are exact.
    TreeInCycles,
    /// Folded stacks, for flame graphs. Each stack that took any time is one line: the thread's name and the zones,
    /// outermost first, separated by `;`, then a space and the self time in nanoseconds.
    ///
    /// Time outside zones is written as a line with only the thread's name. Readers merge threads with the same name
    /// and draw all threads side by side, including the GPU. A thread with the same name as the GPU is written as
    /// `GPU (thread)`.
    ///
    /// The format has no counts, standard errors or escapes. In names, `;` becomes `:`. The last space in a name like
    /// `pass 2` becomes an underscore, since readers might mistake the number for the time.
    ///
    /// Each line contains the full stack, so the size grows with the number of nodes times their depth. If it would
    /// exceed about 128 MiB, all stacks are truncated to the same number of levels, at least 64: the outermost levels,
    /// `(levels omitted)`, and the innermost level. Memory use only grows with the number of nodes.
    Folded,
    /// Callgrind's format, for KCachegrind and `callgrind_annotate`. Each zone is a function, located at the line that
    /// defines it, with its self time in nanoseconds and its calls. A call consists of the zone entered, the number of
    /// entries, and the time spent on the caller's behalf.
    ///
    /// Times are written as two events: `work_ns` excludes idle time, and `ns` includes it. By default, readers sort by
    /// the first event. All threads are summed. The GPU has separate events, `gpu_work_ns` and `gpu_ns`, and separate
    /// functions, whose names end in ` (GPU)`.
    ///
    /// Time in recursive calls counts once: it belongs to the call that entered the zone's outermost occurrence on the
    /// stack. So the calls to a function sum to its inclusive time, which is the time that readers show. If zones call
    /// each other in a cycle, a function's callees may sum to less. A zone that enters itself directly has a call with
    /// no cost. A zone that was open the whole time was never entered, but is written with one call, since readers skip
    /// calls with a count of 0.
    ///
    /// KCachegrind detects cycles unless "View, Do Cycle Detection" is off. It adds a function `<cycle 1>` with the
    /// cycle's inclusive time, and marks the names of the cycle's zones. A zone's inclusive time then only covers the
    /// zone and its callees outside the cycle, and calls within the cycle have no time. With cycle detection off,
    /// KCachegrind shows the times in the file.
    Callgrind,
    /// A flat profile and a call graph in gprof's layout, each followed by an explanation. Seconds have nine decimal
    /// places. All threads are summed. The GPU is omitted, because the layout only has room for one kind of time.
    ///
    /// Work comes first. Idle zones, marked ` (idle)`, and `(outside zones, idle)` are the last rows in the flat
    /// profile, and the call graph is sorted by work. Percentages refer to all time, as stated above the profile.
    ///
    /// Counts are exact, and so are times that were not sampled. gprof divides a zone's time among its callers by
    /// number of calls, whereas here the time for each caller was measured. As in gprof, zones that call each other
    /// form a numbered cycle. Time outside zones has no callers. In names, `<cycle 1>` becomes `(cycle 1)`, because
    /// gprof uses the first form to mark a cycle's members.
    Gprof,
    /// A self-contained HTML page. It contains a flame graph, a call tree (top-down or inverted, for one thread or
    /// all), the callers and callees of the clicked zone, and a table of zones that can be sorted by any column.
    ///
    /// Everything is accessible with the keyboard. A search highlights its matches everywhere. The header shows
    /// [`about`](Snapshot::about). The page follows the reader's preference for light or dark colors. It loads no
    /// resources, and its content security policy forbids loading any. It requires JavaScript and a browser from 2023
    /// or later.
    ///
    /// **Baseline.** Drop a second page, or a profile in [JSON](Format::Json) format, on the page to use it as the
    /// baseline. `Δ` columns then show this profile's times and calls minus the baseline's, per frame if both have
    /// frames. The rows that differ most come first. Red rows take more time than before, blue rows less. Zones are
    /// matched by name and file, and threads by name. Threads that share a name are matched by position.
    ///
    /// **Idle time** has no color. It is excluded from percentages and the flame graph, and its rows are dimmed and
    /// come last. Percentages refer to work, which has its own column. A switch ranks idle time together with work. If
    /// only some of the time outside zones is idle, it has two rows. Rows are colored by their percentage of all work,
    /// with full color at 25 % and above. Rows for iprof's [own](iprof_process::SnapshotZone::is_own) zones are dimmed
    /// and have no color. The GPU can be selected like a thread, but isn't included in "all threads".
    ///
    /// **Callers** sum to their callees: zones not called by any other zone are called by their thread's
    /// `(outside zones)`. Recursive zones only count outermost calls, and a line states how many there are.
    ///
    /// **Tables.** Each column has one unit, and tooltips show exact nanoseconds. `~` marks a time that was sampled or
    /// includes a sampled time, and a column shows the standard errors. A thread's total is always exact. A named value
    /// has one column for its sum and one for the time per unit. Its tooltips show the sum per frame. Nodes of the same
    /// zone under the same parent share one row. Nodes that were not entered and took no time are omitted. Columns that
    /// don't fit are hidden, least important first, and source locations are shortened. The line below a table shows
    /// all values in the current row.
    ///
    /// **Limits.** The flame graph draws up to 1,200 boxes, up to 1,000 levels below the zoomed box, and up to 100
    /// callers of that box. Boxes narrower than a pixel are grouped. Click a group to see its members. Initially, about
    /// 2,000 tree rows are expanded.
    ///
    /// **[Frames](Format::write_with_frames)** are shown as a bar graph. Selecting a bar, by click or keyboard, shows
    /// that frame's data. The zoom and the selected rows are kept. A bar's height is its frame's length, up to four
    /// times the median. Longer bars are cut off, have a different color, and show their length on top. The page
    /// contains the call stacks of the longest frames, up to 200,000 in total, which is about 3 MB. For other frames,
    /// it only contains the length.
    Html,
    /// A profile with full stacks for `go tool pprof`, Pyroscope and Parca, compressed with gzip.
    ///
    /// Zones are functions with the file and line that define them. The outermost function is `(outside zones)`. Stacks
    /// have the label `thread` with the thread's name, in which `"` becomes `'` and `\` becomes `/`. Idle stacks also
    /// have the label `idle` with the value `true` (`-tagfocus=idle=true`).
    ///
    /// The sample types are:
    ///
    /// * `entries`
    /// * `self`: self time in nanoseconds (`go tool pprof -sample_index=self`)
    /// * `wall`: the same times, under the name that continuous profilers expect
    /// * `work`, the default: self time without idle time
    /// * `samples`, if any time was sampled
    /// * `gpu`, `gpu_wall` and `gpu_entries`, if there is a GPU: its work, all of its time, and its entries
    ///   (`-sample_index=gpu`). The types above are 0 for GPU stacks.
    /// * one for each named value, with the value's name and unit. If a unit has 1,000 steps, the type counts steps, as
    ///   in `J/1000`.
    ///
    /// The format has no standard errors. Stacks that were not entered, took no time and added to no value are omitted.
    ///
    /// A sample contains the full stack, so the output grows with the number of nodes times their depth. If there would
    /// be more than eight million levels, all stacks are truncated to the same number of levels, at least 64: the
    /// outermost levels, `(levels omitted)`, and the innermost level, which the sample belongs to. The profile is
    /// streamed, so memory use only grows with the number of nodes (about 70 bytes each) and zones (about 200 bytes
    /// each), plus 300 KB.
    Pprof,
    /// speedscope's JSON, with two profiles for each thread and for the GPU: self time in nanoseconds, and entries.
    ///
    /// The order of events was not recorded. Each stack is open once, for all of its time. Callees with the most time
    /// come first, and self time comes last. Use the left-heavy and sandwich views.
    ///
    /// Zones are frames with file and line. The outermost frame is `(outside zones)`. Threads with the same name are
    /// numbered. A thread with the same name as the GPU is written as `GPU (thread)`. The format has no standard
    /// errors, and readers lose the last digits of numbers above 2⁵³.
    ///
    /// The output grows with the number of nodes, not with their depth. A stack has at most 2,000 levels, the maximum
    /// that speedscope can read. The last level, `(levels omitted)`, has the time of all deeper levels.
    Speedscope,
    /// A timeline of the [frames](Format::write_with_frames) for Perfetto, as JSON in Chrome's trace event format.
    /// Without frames, the entire snapshot is written as one frame.
    ///
    /// A frame starts when it [began](FrameSnapshot::begin_ns), but not before the previous frame's end. Its length is
    /// its snapshot's [`ticks`](Snapshot::ticks). There is a gap between frames that are not consecutive.
    ///
    /// Each thread's stacks in a frame are shown as nested bars. **The order of events within a frame was not
    /// recorded**: bars with the most time come first. A bar is as long as its stack's hierarchical time. Its arguments
    /// are `entries`, `self_ns`, `samples` and, if it was sampled, `error_ns`, the standard error of `self_ns`. Stacks
    /// without time in a frame are omitted. A thread has at most 512 levels, the maximum that Perfetto draws. The last
    /// level, `(levels omitted)`, has the time of all deeper levels.
    ///
    /// The GPU may still be busy with one frame when the next one begins. The bars for the GPU's next frame then start
    /// late, and the delay is subtracted from `(outside zones)`.
    ///
    /// The process is named after the program in the first frame, or `iprof` if that is unknown. Frames are bars on a
    /// separate track, with their numbers and marks. The category (`cat`) is `zone` for zones and `frame` for frames.
    /// Threads are identified by position and name. Times are in microseconds with three decimal places, which is exact
    /// to the nanosecond.
    TraceEvents,
    /// The same as [`TraceEvents`](Format::TraceEvents), compressed with gzip.
    TraceEventsGzip,
    /// The complete snapshot as one JSON object, for other programs.
    ///
    /// * `zones`: each zone's `name`, `file` and `line`, whether it is [`idle`](iprof_process::SnapshotZone::is_idle)
    ///   or iprof's [`own`](iprof_process::SnapshotZone::is_own), and its totals on all threads except the GPU. The
    ///   totals are `entries`, `self_ns`, and `hier_ns`, in which recursion counts once. The flags `sampled` and
    ///   `hier_sampled` indicate whether any part of these times was sampled. A zone with a budget has an object
    ///   `budget`: the limit `ns`, the number of `frames`, and the number of `misses` among them.
    /// * `threads`: each thread's `name`, whether it has `ended`, whether it is the
    ///   [`gpu`](iprof_process::SnapshotThread::is_gpu), and its call tree as the list `nodes`, parents before
    ///   children. A node has:
    ///   * `parent`, an index into `nodes`. The root, which comes first, has no parent.
    ///   * `zone`, an index into `zones`
    ///   * `entries` and `samples`
    ///   * `self_ns`, and `error_ns`, its standard error, which is 0 if it was not sampled
    ///   * `hier_ns`, the hierarchical time, which includes all descendants
    ///   * `idle`, present and true if `self_ns` is idle time
    ///   * `ticks`, the self time as measured
    /// * `values`, if there are named values: each value's `name`, `unit` and the number of `steps` in a unit. A node
    ///   that added to any of them has `steps`: the amount that it added itself to each value, in steps.
    /// * `ns_per_tick`; `ns`, the recorded time; `frames`; `program`, `arguments`, `machine` and `date`; `iprof`, the
    ///   version of iprof that wrote the file.
    ///
    /// The tree is a list because many JSON parsers reject objects nested a hundred levels deep. Names may contain any
    /// text.
    Json,
    /// CSV, for spreadsheets: a header row, then one row for each node of each thread.
    ///
    /// * `thread`: the thread's index, from 0
    /// * `thread_name`
    /// * `node`: the node's index in its thread
    /// * `parent`: the parent's index, empty for the root
    /// * `depth`: 0 for the root
    /// * `zone`, `file`, `line`: the zone's name and where it is defined
    /// * `entries`
    /// * `self_ns`
    /// * `hier_ns`: hierarchical time, which includes all descendants
    /// * `self_ticks`: self time as measured
    /// * `error_ns`: standard error of `self_ns`, 0 if it was not sampled
    /// * `samples`
    /// * `ended`: whether the thread has ended
    /// * `idle`: whether `self_ns` is idle time
    /// * `gpu`: whether the thread is the GPU
    /// * a column for each named value: the amount that the node itself added, in units
    ///
    /// Times are in nanoseconds. Fields that contain a comma, a quote or a line break are quoted.
    Csv,
}

impl VariantName for Format {
    const KIND: &'static str = "format";
    const NAMES: &'static [(Format, &'static str)] = &[
        (Format::Tree, "tree"),
        (Format::TreeInCycles, "tree-in-cycles"),
        (Format::Folded, "folded"),
        (Format::Callgrind, "callgrind"),
        (Format::Gprof, "gprof"),
        (Format::Html, "html"),
        (Format::Pprof, "pprof"),
        (Format::Speedscope, "speedscope"),
        (Format::TraceEvents, "trace-events"),
        (Format::TraceEventsGzip, "trace-events-gzip"),
        (Format::Json, "json"),
        (Format::Csv, "csv"),
    ];
}

display_and_from_str!(Format);

/// The formats by file extension. Longer extensions come before shorter ones that are their suffixes.
const EXTENSIONS: [(&str, Format); 13] = [
    (".cycles.txt", Format::TreeInCycles),
    (".txt", Format::Tree),
    (".folded", Format::Folded),
    (".callgrind", Format::Callgrind),
    (".gprof", Format::Gprof),
    (".html", Format::Html),
    (".pb.gz", Format::Pprof),
    (".pprof", Format::Pprof),
    (".speedscope.json", Format::Speedscope),
    (".trace.json", Format::TraceEvents),
    (".trace.json.gz", Format::TraceEventsGzip),
    (".json", Format::Json),
    (".csv", Format::Csv),
];

/// The prefix of Callgrind's own file names, which continue with the process id. KCachegrind's file dialog looks for
/// it.
const CALLGRIND_PREFIX: &str = "callgrind.out";

impl Format {
    /// Returns the format selected by a file name's extension, ignoring case, or `None` if there is none.
    ///
    /// | extension | format | [feature](Format) |
    /// |---|---|---|
    /// | `.txt` | [`Tree`](Format::Tree) | |
    /// | `.cycles.txt` | [`TreeInCycles`](Format::TreeInCycles) | |
    /// | `.folded` | [`Folded`](Format::Folded) | |
    /// | `.callgrind`, or a name `callgrind.out.*` | [`Callgrind`](Format::Callgrind) | |
    /// | `.gprof` | [`Gprof`](Format::Gprof) | `export` |
    /// | `.html` | [`Html`](Format::Html) | `export` |
    /// | `.pb.gz`, `.pprof` | [`Pprof`](Format::Pprof) | `export` |
    /// | `.speedscope.json` | [`Speedscope`](Format::Speedscope) | `export` |
    /// | `.trace.json` | [`TraceEvents`](Format::TraceEvents) | `export` |
    /// | `.trace.json.gz` | [`TraceEventsGzip`](Format::TraceEventsGzip) | `export` |
    /// | `.json` | [`Json`](Format::Json) | `export` |
    /// | `.csv` | [`Csv`](Format::Csv) | `export` |
    #[must_use]
    pub fn from_path(path: impl AsRef<Path>) -> Option<Format> {
        let (format, _) = by_name(&name_of(path.as_ref()))?;
        Some(format)
    }

    /// Returns the format's file extension, including the dot. It is the first one in the table at
    /// [`from_path`](Format::from_path).
    #[must_use]
    pub fn extension(self) -> &'static str {
        let found = EXTENSIONS.iter().find(|(_, format)| *format == self);
        found.map_or("", |(extension, _)| extension)
    }

    /// Returns whether this build can write the format.
    fn is_in_this_build(self) -> bool {
        let needs_none = matches!(
            self,
            Format::Tree | Format::TreeInCycles | Format::Folded | Format::Callgrind
        );
        needs_none || with_crates::MISSING_FEATURE.is_none()
    }

    /// Writes a snapshot in this format.
    ///
    /// # Errors
    ///
    /// Returns errors from `out`. Returns [`Unsupported`](io::ErrorKind::Unsupported) if the format [requires](Format)
    /// a disabled feature. If the snapshot is not [valid](Snapshot::validate), returns
    /// [`InvalidInput`](io::ErrorKind::InvalidInput) before writing anything.
    #[inline]
    pub fn write(self, snapshot: &Snapshot, out: impl Write) -> io::Result<()> {
        self.write_with_frames(snapshot, None, out)
    }

    /// Writes a snapshot with frames. `Html` shows the frames in a graph, and the trace event formats show them on a
    /// timeline. Other formats ignore frames. `frames` is iterated up to twice.
    ///
    /// ```
    /// iprof::update(true);
    /// let frames = iprof::frame_snapshots(..);
    /// iprof::Format::Html.write_with_frames(&iprof::snapshot(), frames, std::io::sink())?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`write`](Format::write). If a frame's snapshot is not valid, the frames before it
    /// may already have been written.
    // This function is inlined so that programs only link the formats that they use.
    #[inline]
    pub fn write_with_frames(
        self,
        snapshot: &Snapshot,
        frames: impl IntoIterator<Item = FrameSnapshot> + Clone,
        mut out: impl Write,
    ) -> io::Result<()> {
        let out: &mut dyn Write = &mut out;
        match self {
            Format::Tree => tree::write(snapshot, out),
            Format::TreeInCycles => tree::write_in_cycles(snapshot, out),
            Format::Folded => folded::write(snapshot, out),
            Format::Callgrind => callgrind::write(snapshot, out),
            Format::Gprof => with_crates::write_gprof(snapshot, out),
            Format::Html => with_crates::write_html(snapshot, frames, out),
            Format::Pprof => with_crates::write_pprof(snapshot, out),
            Format::Speedscope => with_crates::write_speedscope(snapshot, out),
            Format::TraceEvents => with_crates::write_trace(snapshot, frames, out),
            Format::TraceEventsGzip => with_crates::write_compressed_trace(snapshot, frames, out),
            Format::Json => with_crates::write_json(snapshot, out),
            Format::Csv => with_crates::write_csv(snapshot, out),
        }
    }

    /// Writes the rows of a report as CSV or JSON. [`Report::write`] writes them as text.
    ///
    /// [CSV](Format::Csv) has a header row, then one row for each row of the report. The fields are:
    ///
    /// * `zone`: the row's name
    /// * `indent`: the indentation, in steps
    /// * `idle`
    /// * `file`, `line`: the zone's definition, if it has one
    /// * one field for each of the report's columns, such as `self_ms`, `p99_ms` and `count`
    /// * if any row has a [budget](iprof_report::Row::budget): `budget_ms`, the limit; `budget_frames`, the number of
    ///   frames; `budget_misses`, the number of misses among them; and `over_budget`, whether the row is over its
    ///   budget
    ///
    /// Fields without a value are empty. Numbers are written with all their digits, in the column's
    /// [unit](iprof_report::ColumnId::unit).
    ///
    /// [JSON](Format::Json) is one object with the lines of the report's `title` and `warnings`, and with `mode`,
    /// `frame_ms` and `rows`. A row has the same `zone`, `indent`, `idle`, `file` and `line`. `values` contains its
    /// values by field name, and `errors` contains the standard errors of sampled values. A row with a
    /// [budget](iprof_report::Row::budget) has an object `budget`: the limit `ms`, `frames`, `misses`, and whether the
    /// row is `over` budget. If the report has columns for a [named value](Report::value), the object `value` contains
    /// the value's `name` and `unit`.
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::default();
    /// view.set_column(iprof::ColumnId::P99, true);
    /// let mut csv = Vec::new();
    /// let report = view.report(&iprof::profiler());
    /// iprof::Format::Csv.write_report(&report, &mut csv)?;
    /// # if !iprof::is_recording() { return Ok(()) }
    /// assert!(csv.starts_with(b"zone,indent,idle,file,line,self_ms,hier_ms,count,p99_ms"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns errors from `out`. Returns [`Unsupported`](io::ErrorKind::Unsupported) if the format is not CSV or JSON,
    /// or if the feature `export` is disabled.
    #[inline]
    pub fn write_report(self, report: &Report, mut out: impl Write) -> io::Result<()> {
        let out: &mut dyn Write = &mut out;
        match self {
            Format::Csv => with_crates::write_csv_report(report, out),
            Format::Json => with_crates::write_json_report(report, out),
            _ => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!("a report cannot be written as {self}; choose csv or json"),
            )),
        }
    }
}

/// Returns the format selected by a file name, and the length of the name without the extension. Fails if this build
/// can't write the format.
pub fn find(name: &str) -> Result<(Format, usize), NoFormat> {
    match by_name(name) {
        Some((format, _)) if !format.is_in_this_build() => Err(NoFormat {
            feature: with_crates::MISSING_FEATURE,
        }),
        found => found.ok_or(NoFormat { feature: None }),
    }
}

/// Does the same as [`find`], but also finds formats that this build can't write.
fn by_name(name: &str) -> Option<(Format, usize)> {
    let lower = name.to_ascii_lowercase();
    let mut extensions = EXTENSIONS.iter();
    match extensions.find(|(extension, _)| lower.ends_with(extension)) {
        Some((extension, format)) => Some((*format, name.len() - extension.len())),
        None => is_callgrind_name(&lower).then_some((Format::Callgrind, name.len())),
    }
}

fn is_callgrind_name(lower: &str) -> bool {
    let rest = lower.strip_prefix(CALLGRIND_PREFIX);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Returns the last component of a path. Invalid Unicode is replaced, which doesn't matter because extensions are
/// ASCII.
#[must_use]
pub fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The reason why no format was found: an unknown file extension or a disabled feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoFormat {
    /// The disabled feature. `None` if the extension is unknown.
    pub feature: Option<&'static str>,
}

impl fmt::Display for NoFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.feature {
            Some(feature) => write!(f, "this format needs the iprof feature `{feature}`")?,
            None => f.write_str("unrecognized file extension")?,
        }
        f.write_str("; this build writes ")?;
        for (extension, format) in EXTENSIONS {
            if format.is_in_this_build() {
                write!(f, "{extension}, ")?;
            }
        }
        write!(f, "{CALLGRIND_PREFIX}.*")
    }
}

impl Error for NoFormat {}

impl From<NoFormat> for io::Error {
    fn from(why: NoFormat) -> io::Error {
        io::Error::new(io::ErrorKind::Unsupported, why)
    }
}

#[cfg(test)]
mod tests {
    use super::{EXTENSIONS, Format, NoFormat, find};
    use iprof_report::VariantName;

    #[test]
    fn longest_matching_extension_selects_the_format() {
        for (name, extension, stem) in [
            ("a.txt", ".txt", 1),
            ("A.TXT", ".txt", 1),
            ("a.cycles.txt", ".cycles.txt", 1),
            (".folded", ".folded", 0),
            ("a.html.callgrind", ".callgrind", 6),
            ("callgrind.out", ".callgrind", 13),
            ("callgrind.out.123", ".callgrind", 17),
            ("callgrind.out.txt", ".txt", 13),
            ("a.pb.gz", ".pb.gz", 1),
            ("a.json", ".json", 1),
            ("a.speedscope.json", ".speedscope.json", 1),
            ("a.trace.json", ".trace.json", 1),
            ("a.trace.json.gz", ".trace.json.gz", 1),
        ] {
            let known = EXTENSIONS.iter().find(|(known, _)| *known == extension);
            let format = known.unwrap().1;
            assert_eq!(Format::from_path(name), Some(format), "{name}");
            match format.is_in_this_build() {
                true => assert_eq!(find(name), Ok((format, stem)), "{name}"),
                false => assert_eq!(find(name).unwrap_err().feature, Some("export"), "{name}"),
            }
        }
        for name in ["", "a", "txt", "a.gz", "callgrind.output", "a.txt.bak"] {
            assert_eq!(find(name).unwrap_err().feature, None, "{name}");
        }
    }

    #[test]
    fn every_format_has_an_extension() {
        for (format, _) in Format::NAMES {
            let name = format!("folder.html/a{}", format.extension());
            assert_eq!(Format::from_path(name), Some(*format));
        }
    }

    #[test]
    fn unknown_extension_error_lists_the_formats() {
        let text = NoFormat { feature: None }.to_string();
        for (extension, format) in EXTENSIONS {
            let is_listed = text.contains(&format!("{extension},"));
            assert_eq!(is_listed, format.is_in_this_build(), "{text}");
        }
        let text = NoFormat {
            feature: Some("export"),
        };
        assert!(text.to_string().contains("feature `export`"), "{text}");
    }
}
