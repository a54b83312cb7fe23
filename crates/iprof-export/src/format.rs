//! The file formats: their names, the extensions of their files, and which module writes each.

use super::{callgrind, folded, tree, with_crates};
use iprof_process::{FrameSnapshot, Snapshot};
use iprof_report::{Report, VariantName, display_and_from_str};
use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// A file format, which writes [snapshots](Snapshot).
///
/// Formats have names, for command lines and settings; [`from_path`](Format::from_path) finds one by the extension of a
/// file.
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
/// Every build has the names and the extensions of all formats, and writes [`Tree`](Format::Tree),
/// [`TreeInCycles`](Format::TreeInCycles), [`Folded`](Format::Folded) and [`Callgrind`](Format::Callgrind). The writers of the
/// others need other crates, which the feature `export` brings. Without it, writing one of them is an error of the kind
/// [`Unsupported`](io::ErrorKind::Unsupported) that names the feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// ASCII text, for consoles and logs: each thread's call tree, children with the most time first, then that of the
    /// GPU, then all zones by self time. The first thread is that of the frames. The GPU works beside the threads, so its
    /// zones have a list of their own.
    ///
    /// A row of a tree has the number of calls; the hierarchical time (with all descendants), in all and per call; its
    /// percentage of the thread's time; the self time; and the name. A row of a list has the self time, in all and per
    /// call; its percentage of the time of all threads; and the hierarchical time. What 100 % is stands above each.
    /// Where any time was sampled, a column has the standard errors of self times, `+-`. A zone that is only counted
    /// has no times. A column has one unit, which its head names, and as many decimal places in all rows: `us`
    /// (microseconds) if its largest time is below 10 ms, `ms` below 10 s, or else `s`; of times per call, one between the
    /// smallest and the largest, which may be `ns`. A `~` marks a
    /// time that was sampled or includes a sampled time. Nodes that were not entered and took no time are
    /// omitted. In names, characters that are not ASCII become `?`, and control characters become spaces. Zones
    /// of the same name have their source file behind it, with the line if it is needed to tell them apart; threads of the
    /// same name have a number.
    ///
    /// `(idle)` stands after the names of [idle zones](iprof_process::SnapshotZone::is_idle). Time outside zones is
    /// `(outside zones, idle)` on a thread where it
    /// [counts as idle](iprof_process::SnapshotThread::is_idle_outside_zones). The 50 zones
    /// with the most self time are listed, and a row sums the others; then those that are idle. Time outside zones
    /// has two rows where some of it is idle; there its hierarchical time is its self time.
    ///
    /// What was added to named values at a node itself stands in brackets after its name: `[bodies 120 body]`.
    ///
    /// For exact times write [JSON](Format::Json) or [CSV](Format::Csv), and for cycles
    /// [`TreeInCycles`](Format::TreeInCycles).
    Tree,
    /// The same text as [`Tree`](Format::Tree) with all times in cycles, which are whole ticks of the machine's
    /// counter, and exact.
    TreeInCycles,
    /// Folded stacks, for flame graphs. Each stack that took any time is a line: the thread's name and the zones from the
    /// outermost, separated by `;`, then a space and the self time in whole nanoseconds.
    ///
    /// The times of a thread sum to the thread's time exactly. Time outside of all zones is in the line
    /// that has only the thread's name. Readers merge threads of the same name, and
    /// draw all threads side by side, the GPU as one of them. A thread that is called like the GPU is `GPU (thread)`. Zones of the same name have
    /// their source file behind it, with the line if it is needed to tell them apart. The format has neither
    /// counts nor standard errors, and no escapes: in names, `;` becomes `:`, control characters become
    /// spaces, blanks at the ends are left out, and the last space of a name like `pass 2` becomes an
    /// underscore, since a reader might take the number for the time.
    ///
    /// Each line has the whole stack, so the output grows with the number of nodes times their depth, up to
    /// 128 MiB. Where it would be larger, all stacks are truncated to the same number of levels, 64 at
    /// least: the outermost levels, then `(levels omitted)`, then the innermost level. Memory use grows
    /// with the number of nodes only.
    Folded,
    /// Callgrind's format, for KCachegrind and `callgrind_annotate`. Each zone is a function: it has its self time in whole
    /// nanoseconds at the line that defines it, and its calls, each with the entered zone, the number of entries and the
    /// time spent on the caller's behalf.
    ///
    /// A time is written as two events: `work_ns`, without idle time, that of
    /// [idle zones](iprof_process::SnapshotZone::is_idle) and outside zones where that
    /// [counts as idle](iprof_process::SnapshotThread::is_idle_outside_zones); and `ns`, all of it. Readers rank by the first
    /// event unless asked for another.
    ///
    /// All threads are summed. The GPU works beside them, so its times are not added to theirs: they are events of their
    /// own, `gpu_work_ns` and `gpu_ns`, and its zones functions of their own, whose names end in ` (GPU)`. Zones of
    /// the same name have their source file behind it, with the line if it is
    /// needed to tell them apart, since readers merge functions of the same name. Self times in `ns` sum to the time
    /// of all threads exactly, and those of the GPU to its time.
    ///
    /// Time counts in at most one of a zone's calls, the one of its outermost occurrence on the stack. So
    /// the calls of a function sum to its inclusive time even if it is recursive, which is what readers
    /// show. Where zones call each other in a cycle, the callees of a function may sum to less. A zone that
    /// enters itself directly has a call without cost. A zone that was open all the time was never entered,
    /// but is written as called once, since readers skip calls with a count of 0. Control characters in
    /// names become spaces.
    ///
    /// KCachegrind detects cycles unless "View, Do Cycle Detection" is off: for zones that call each other it adds a
    /// function `<cycle 1>`, whose inclusive time is that of the cycle. The zones have the mark behind their names; their
    /// inclusive times are then what they and callees outside of the cycle take, and calls within it have none.
    /// With the detection off it shows the times in this file, in which each moment counts once.
    Callgrind,
    /// A flat profile and a call graph in the layout of gprof, with nine decimal places of seconds,
    /// and explanations below each. All threads are summed. The GPU is left out: it works beside them, and the
    /// layout has one time.
    ///
    /// Work ranks first: [idle zones](iprof_process::SnapshotZone::is_idle), with ` (idle)` behind their names, and idle time
    /// outside zones, `(outside zones, idle)`, are the last rows of the flat profile, and the call graph is ordered by
    /// what is not idle. Percentages are those of all time, as the line above the profile says.
    ///
    /// Counts are exact, and so are times that were not sampled: the time of a zone on behalf of a caller
    /// was measured, where gprof divides it by numbers of calls. Self times sum to the time of all threads
    /// exactly. Zones that call each other are a numbered cycle, as in gprof. Time outside of all zones is
    /// in `(outside zones)`, or `(outside zones, idle)`, which have no callers. In names, control characters become spaces, and `<cycle 1>`, which gprof
    /// writes behind the names of a cycle, becomes `(cycle 1)`. Zones of the same name have their source
    /// location behind it.
    Gprof,
    /// A self-contained HTML page: a flame graph; the call tree, of each thread or of all threads
    /// together, from the top down or inverted; the callers and callees of a zone that is clicked; and a
    /// table of zones that sorts by any column. Everything is reached by the keyboard, too, and a search
    /// marks what it finds in all of them. The page's header shows [`about`](Snapshot::about).
    ///
    /// Another such page, or a profile in the [JSON](Format::Json) format, that is dropped on the
    /// page becomes the baseline: columns `Δ` show this profile minus the other, per frame if both have
    /// frames, in times and in calls. Rows that differ most come first; what takes more time is red, what takes less is
    /// blue. Zones are matched by name and file, threads by name, and several of one name in their order.
    ///
    /// The page loads nothing, and its content security policy forbids it to. It follows the reader's
    /// preference for light or dark. It needs JavaScript and a browser of 2023 or later.
    ///
    /// Idle time, of zones that are [idle](iprof_process::SnapshotZone::is_idle) and outside zones where that
    /// [counts as idle](iprof_process::SnapshotThread::is_idle_outside_zones), is in no percentage, no color and no
    /// flame; its rows are dimmed and come last. A column has the work, which percentages are shares of. A switch ranks
    /// idle time with the rest. Time outside zones has two rows where some of it is idle. A row is colored by its share of all work, fully from a quarter on; rows of iprof's
    /// [own](iprof_process::SnapshotZone::is_own) zones are dimmed and have no color. The [GPU](iprof_process::SnapshotThread::is_gpu)
    /// is a choice among the threads; what is shown of all threads is without it.
    ///
    /// Callers sum to what they call: what no zone has called is called by `(outside zones)`, by thread. Of a recursive
    /// zone they count its outermost calls, and a line says how many these are. Zones that share a name have as much of
    /// their source location behind it as tells them apart.
    ///
    /// A named value that was added to has two columns, its sum and the time per unit; tooltips have the sum
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
    /// [With frames](Format::write_with_frames) the page has a graph of them, a bar for each. The page shows what a frame
    /// recorded when its bar is clicked or chosen by the keyboard; the zoom and the selected rows stay.
    /// A bar is as high as its frame is long, up to four times the median; longer ones are cut, have another color,
    /// and their length above them. The page holds the zones of as many frames as have 200,000 call stacks together, some 3 MB, the
    /// longest frames first; of the others it has the length alone.
    Html,
    /// A profile of whole stacks for `go tool pprof`, Pyroscope and Parca, compressed by gzip. Each stack has its entries, its
    /// self time in whole nanoseconds and, if any time was sampled, its number of samples.
    ///
    /// Zones are functions with the file and line that define them. Zones of the same name have their source
    /// file behind it, with the line if it is needed to tell them apart, since readers merge functions of the
    /// same name. Stacks have the label `thread` with the thread's name, in which `"` becomes `'` and `\`
    /// becomes `/`. The outermost function is `(outside zones)`; its self time is the time outside of all zones.
    ///
    /// The sample types are `entries`, `self`, `wall`, `work` and `samples`. `work`, the default, is the self
    /// time that is not idle: without [idle zones](iprof_process::SnapshotZone::is_idle), and without time outside zones
    /// where that [counts as idle](iprof_process::SnapshotThread::is_idle_outside_zones). `self` has idle time, too
    /// (`go tool pprof -sample_index=self`), and sums to the thread's time exactly; `wall` has the same times under
    /// the name that fleets of profiles know. Idle stacks have the label `idle` with the value `true`
    /// (`-tagfocus=idle=true`). The [GPU](iprof_process::SnapshotThread::is_gpu) works beside the
    /// threads, so its times are not added to theirs: its stacks have `gpu`, its work, `gpu_wall`, all of its time,
    /// and `gpu_entries` instead of all others, which are 0 there (`-sample_index=gpu`).
    /// Each named value is a sample type of its name and unit; where a unit has 1,000 steps, it counts
    /// those, as `J/1000`. The format has no standard errors. Stacks that were not entered, took no time and added to no
    /// value are omitted.
    ///
    /// A sample has the whole stack, so the output grows with the number of nodes times their depth, up to
    /// eight million levels. Where there would be more, all stacks are truncated to the same number of
    /// levels, 64 at least: the outermost levels, then `(levels omitted)`, then the innermost level, which
    /// has the sample. The profile is streamed, so memory use grows with the number of nodes and zones
    /// only: about 70 and 200 bytes each, plus 300 KB.
    Pprof,
    /// speedscope's JSON: two profiles per thread, and for the GPU: its time in whole nanoseconds, and its entries. Threads of the
    /// same name have a number, and one that is called like the GPU is `GPU (thread)`.
    ///
    /// The order of events was not recorded. Each stack is open once, for all of its time; the callees with
    /// the most time come first, and the self time comes last. Use the left-heavy and sandwich views. The
    /// outermost frame is `(outside zones)`; its self time is the time outside of all zones. Zones are frames with
    /// file and line; zones of the same name have their source file behind it, with the line if it is needed
    /// to tell them apart. The times of a thread sum to the thread's
    /// time exactly. Readers lose the last digits of numbers beyond 2⁵³. The format has no standard errors.
    /// The output grows with the number of nodes, not with their depth. A stack has at most 2,000 levels, as
    /// many as speedscope can read: the last of them, `(levels omitted)`, has the time of all stacks below it.
    Speedscope,
    /// A timeline of the [frames](Format::write_with_frames), as JSON in Chrome's trace event format, for Perfetto. Without
    /// frames the snapshot is the one frame.
    ///
    /// A frame begins when it [began](FrameSnapshot::begin_ns), but not before the end of the previous frame,
    /// and lasts as long as its [`ticks`](Snapshot::ticks) say. Between frames that are not consecutive there
    /// is a gap.
    ///
    /// In each frame, each thread has its stacks as nested bars. A bar is as long as the hierarchical time of
    /// its stack and has these arguments: `entries`, `self_ns`, the standard error of `self_ns` if it was
    /// sampled, and `samples`. **The order of events within a frame was not recorded**: the bars with the most
    /// time come first. A thread has at most 512 levels, as many as Perfetto draws: the last of them, `(levels
    /// omitted)`, has the time of all stacks below it. The GPU may take longer for a frame than the frame that
    /// submitted it: then the bars of its next frame begin later, and `(outside zones)`, the time outside of all zones,
    /// is shorter. Stacks without time in a frame are omitted.
    ///
    /// The process has the program's name, as the first frame has it, or else `iprof`. Zones have the category
    /// (`cat`) `zone`. Frames are bars of their own, of the category `frame`, with their numbers and marks, on a
    /// track of their own. Threads are identified by position and name. Zones of the same name have their source
    /// file behind it, with the line if it is needed to tell them apart. Times are in microseconds with three
    /// decimal places, so they are exact to the nanosecond.
    TraceEvents,
    /// The same as [`TraceEvents`](Format::TraceEvents), compressed by gzip.
    TraceEventsGzip,
    /// The complete snapshot as one JSON object, for other programs.
    ///
    /// * `zones`: `name`, `file` and `line` of each zone, whether it is [`idle`](iprof_process::SnapshotZone::is_idle) or
    ///   iprof's [`own`](iprof_process::SnapshotZone::is_own), and its totals on all threads but the GPU: `entries`;
    ///   `self_ns`; `hier_ns`, in which recursion counts once; whether any of `self_ns` was `sampled`, and
    ///   whether any of `hier_ns` was: `hier_sampled`. A zone with a budget has the object `budget`: its
    ///   limit, `ns`, of how many `frames` it was missed in how many, `misses`.
    /// * `threads`: the `name` of each thread, whether it has `ended`, whether it is the
    ///   [`gpu`](iprof_process::SnapshotThread::is_gpu), and its call tree as the list
    ///   `nodes`, parents before their children. A node has the position of its `parent` in this list (the
    ///   root, which comes first, has none); the position of its `zone` in `zones`; `entries`; `self_ns`;
    ///   `hier_ns`, the hierarchical time, which includes all descendants; `idle`, which is true if `self_ns` is
    ///   idle time, of an idle zone or outside zones, and is not there otherwise; `ticks`, its self time as it was
    ///   measured; `error_ns`, the standard error of `self_ns`, 0 if it was not sampled; `samples`.
    /// * `values`, if there are named values: their `name`, their `unit` and the number of `steps` that a
    ///   unit has. Then a node that added to any has `steps`: what it added to each of them itself, in steps.
    /// * `ns_per_tick`; `ns`, the recorded time; `frames`; `program`, `arguments`, `machine` and `date`;
    ///   `iprof`, the version of iprof that wrote the file.
    ///
    /// The tree is a list because many JSON parsers reject objects that are nested a hundred levels deep.
    /// Times are whole nanoseconds; those of a thread sum to the thread's time exactly. Names may contain
    /// any text.
    Json,
    /// CSV, for spreadsheets: a header row, then one row per node of all threads:
    ///
    /// * `thread`: the thread's position, from 0; `set_thread_name`
    /// * `node`: the node's position in its thread; `parent`: that of its parent, empty for the root
    /// * `depth`: 0 for the root
    /// * `zone`: the zone's name; `file` and `line` of its definition
    /// * `entries`
    /// * `self_ns`; `hier_ns`, the hierarchical time, which includes all descendants
    /// * `self_ticks`: the self time as it was measured
    /// * `error_ns`: the standard error of `self_ns`, 0 if it was not sampled; `samples`
    /// * `ended`: whether the thread has ended
    /// * `idle`: whether `self_ns` is idle time, of an [idle zone](iprof_process::SnapshotZone::is_idle) or outside zones
    ///   where that [counts as idle](iprof_process::SnapshotThread::is_idle_outside_zones)
    /// * `gpu`: whether the thread is the [GPU](iprof_process::SnapshotThread::is_gpu)
    /// * for each named value a column of its name: what was added at the node itself, in units
    ///
    /// Times are whole nanoseconds; those of a thread sum to the thread's time exactly. Fields that contain
    /// a comma, a quote or a line break are quoted.
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

/// The formats by extension. An extension comes before those that it ends in.
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

/// Callgrind's own file names, followed by the process id: KCachegrind's file dialog offers these.
const CALLGRIND_PREFIX: &str = "callgrind.out";

impl Format {
    /// Returns the format that the extension of a file name selects, in upper or lower case; `None` if no format has the
    /// extension. The feature is the one that [writes](Format) the format.
    ///
    /// | extension | format | feature |
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

    /// The extension of the format's files, with the dot: the first one in the table of
    /// [`from_path`](Format::from_path).
    #[must_use]
    pub fn extension(self) -> &'static str {
        let found = EXTENSIONS.iter().find(|(_, format)| *format == self);
        found.map_or("", |(extension, _)| extension)
    }

    /// Whether this build has the format's writer.
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
    /// Errors of `out`; [`Unsupported`](io::ErrorKind::Unsupported) if the format [needs](Format) a disabled feature;
    /// [`InvalidInput`](io::ErrorKind::InvalidInput), before anything is written, if the
    /// snapshot is not [valid](Snapshot::validate).
    #[inline]
    pub fn write(self, snapshot: &Snapshot, out: impl Write) -> io::Result<()> {
        self.write_with_frames(snapshot, None, out)
    }

    /// Writes a snapshot with frames: `Html` adds a graph of them, and `TraceEvents` is their timeline. The other formats
    /// have the snapshot alone. `frames` is iterated up to twice.
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
    /// As of [`write`](Format::write); a frame's snapshot that is not valid is an error after the frames before.
    // Inlined, so that a program links only the formats that it names.
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

    /// Writes the rows of a report, as CSV or JSON; [`Report::write`] writes it as text.
    ///
    /// [CSV](Format::Csv) has a header row, then one row per row of the report: `zone`, the row's name; its `indent`, in steps;
    /// `idle`; `file` and `line` of the zone's definition, empty if the row has none; then a field for each column of
    /// the report, as `self_ms`, `p99_ms` and `count`, empty where the row shows none. Numbers are in
    /// their column's [unit](iprof_report::ColumnId::unit), with all their digits. If a row has a [budget](iprof_report::Row::budget), four fields more, empty
    /// for rows without: `budget_ms`, its limit; of how many `budget_frames` it was missed in how many,
    /// `budget_misses`; and whether the row is `over_budget`.
    ///
    /// [JSON](Format::Json) is one object: the lines of its `title` and its `warnings`, its `mode`, the `frame_ms`,
    /// and `rows`, each with its `zone`, `indent`, `idle`, `file` and `line` if it has them, `values` by field as in
    /// CSV, and `errors`, the standard errors of those that were sampled. Numbers are in the same units. A row with a
    /// [budget](iprof_report::Row::budget) has the object `budget`: its limit, `ms`, of how many `frames` it was missed in how
    /// many, `misses`, and whether the row is `over` it. If the report has columns of a
    /// [named value](Report::value), the object `value` has its `name` and its `unit`.
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
    /// Errors of `out`; [`Unsupported`](io::ErrorKind::Unsupported) if the format is not CSV or JSON, or if the feature
    /// `export`, which writes these, is disabled.
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

/// Finds the format of a file name by its extension, and the length of the name without the extension. It is one that this
/// build writes.
pub fn find(name: &str) -> Result<(Format, usize), NoFormat> {
    match by_name(name) {
        Some((format, _)) if !format.is_in_this_build() => Err(NoFormat {
            feature: with_crates::MISSING_FEATURE,
        }),
        found => found.ok_or(NoFormat { feature: None }),
    }
}

/// Finds the format as [`find`] does, even if this build does not write it.
fn by_name(name: &str) -> Option<(Format, usize)> {
    let lower = name.to_ascii_lowercase();
    let mut extensions = EXTENSIONS.iter();
    match extensions.find(|(extension, _)| lower.ends_with(extension)) {
        Some((extension, format)) => Some((*format, name.len() - extension.len())),
        None => is_callgrinds(&lower).then_some((Format::Callgrind, name.len())),
    }
}

fn is_callgrinds(lower: &str) -> bool {
    let rest = lower.strip_prefix(CALLGRIND_PREFIX);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The last component of a path. Parts that are not Unicode are replaced; no extension contains any.
#[must_use]
pub fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Why nothing is written: the extension of the file's name is unknown, or the format needs a disabled feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoFormat {
    /// The disabled feature.
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
    fn the_longest_extension_selects_the_format() {
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
    fn the_error_for_an_unknown_extension_lists_the_available_formats() {
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
