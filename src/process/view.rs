//! The view: what to show. It holds no measurements.

use super::core::Process;
use super::zones::{GLOBAL, Key};
use super::{is_recording_possible, with_process};
use crate::graph::{Graph, GraphStyle};
use crate::report::{Column, Prefix, Record, Recursion, Report, ReportMode, RowKey, Section};
use std::collections::HashSet;

/// Which threads a view shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Threads {
    /// All of them, added up zone by zone.
    #[default]
    All,
    /// One of them. If there is no such thread, the report is empty. If others have its name, too,
    /// titles say which one it is: `worker #2` is the second that was seen.
    One(ThreadId),
    /// All threads that are called what that one is called, itself included, added up zone by zone:
    /// the workers of a pool, say. Who that is, is asked when the report is made, so it follows
    /// [`thread_name`](crate::thread_name). If there is no such thread, the report is empty.
    ///
    /// The graph shows that thread's own frames, as for `One`, so that a bar is a frame.
    SameName(ThreadId),
}

/// A thread that has recorded something. [`threads`](crate::threads) lists them.
///
/// A thread that begins after another of the same name has ended is the same thread here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub(crate) u32);

/// A remembered frame, or now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameChoice {
    Now,
    Number(u64),
}

/// What a view is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Baseline {
    /// Nothing: values are shown as they are.
    #[default]
    None,
    /// The average of the view, the one of 0.8 s if that is none.
    Average,
    /// The remembered frame of that number; the nearest one if it is not remembered.
    Frame(u64),
}

/// Where the cursor is: on a row that it follows, or at a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cursor {
    position: usize,
    row: Option<RowKey>,
}

/// Where a view has been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stop {
    mode: ReportMode,
    selected: Key,
    cursor: Cursor,
}

/// How many stops a view can go back.
const MOST_STOPS: usize = 256;

/// What to show of the measurements: mode, cursor, selected zone, frame, average, threads,
/// recursion. It holds no measurements, and looking through it changes none.
///
/// The free functions of the same names drive the program's default view, the one that the
/// overlay draws. A view of one's own is for a second report beside it.
///
/// ```
/// use iprof::{Recursion, ReportMode, View};
///
/// let mut view = View::new();
/// view.set_report_mode(ReportMode::HierarchicalTime);
/// view.set_recursion(Recursion::Spread);
/// for record in view.report().records {
///     println!("{} {:.2} ms", record.name, record.values[1]);
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    pub(super) mode: ReportMode,
    cursor: Cursor,
    /// The zone of the call graph.
    pub(super) selected: Key,
    /// Rows that were opened; of the root of the call tree, that were closed.
    toggled: HashSet<RowKey>,
    /// What was shown before something was selected, and what after, if it was gone back from.
    past: Vec<Stop>,
    future: Vec<Stop>,
    pub(super) frame: FrameChoice,
    /// 0 instantaneous, from 1 on one more than the slot of the average.
    pub(super) average: usize,
    pub(super) recursion: Recursion,
    pub(super) threads: Threads,
    pub(super) graph_style: GraphStyle,
    /// Bars beyond the right edge of the graph, and by what bars are wider.
    pub(super) graph_scrolled: usize,
    pub(super) graph_zoom: f32,
    pub(super) net_times: bool,
    pub(super) baseline: Baseline,
    pub(super) filter: String,
}

impl Default for View {
    fn default() -> View {
        View::new()
    }
}

impl View {
    /// Self times of all threads, now, by the quick average, cursor at the top.
    pub fn new() -> View {
        View {
            mode: ReportMode::default(),
            cursor: Cursor::default(),
            selected: Key {
                zone: GLOBAL,
                level: 0,
            },
            toggled: HashSet::new(),
            past: Vec::new(),
            future: Vec::new(),
            frame: FrameChoice::Now,
            average: 1,
            recursion: Recursion::default(),
            threads: Threads::default(),
            graph_style: GraphStyle::default(),
            graph_scrolled: 0,
            graph_zoom: 1.0,
            net_times: false,
            baseline: Baseline::None,
            filter: String::new(),
        }
    }

    /// Chooses what the report lists. The cursor goes to the top, in the call graph to the
    /// selected zone, which is `_global` until one was [selected](View::select).
    pub fn set_report_mode(&mut self, mode: ReportMode) {
        if self.mode != mode {
            self.mode = mode;
            self.cursor = Cursor::default();
            if is_call_graph(mode) {
                self.cursor.row = Some(self.selected_row());
            }
        }
    }

    /// What the report lists.
    pub fn report_mode(&self) -> ReportMode {
        self.mode
    }

    /// Moves the cursor by `delta` rows, down if positive; it stops at both ends. From then on it
    /// follows its row when rows change places.
    pub fn move_cursor(&mut self, delta: i32) {
        self.move_cursor_in(&self.report(), delta);
    }

    pub(super) fn move_cursor_in(&mut self, shown: &Report, delta: i32) {
        let at = shown.cursor().unwrap_or(0) as i64 + i64::from(delta);
        self.set_cursor_in(shown, at.max(0) as usize);
    }

    /// Puts the cursor on the row at `position`, 0 the first; on the last one if there are fewer.
    /// From then on it follows its row when rows change places.
    pub fn set_cursor(&mut self, position: usize) {
        self.set_cursor_in(&self.report(), position);
    }

    pub(super) fn set_cursor_in(&mut self, shown: &Report, position: usize) {
        let position = position.min(shown.records.len().saturating_sub(1));
        let row = shown.records.get(position).map(|record| record.key);
        self.cursor = Cursor { position, row };
    }

    /// Goes to the call graph of the zone under the cursor.
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::new();
    /// view.move_cursor(1);
    /// view.select();
    /// view.select_parent();
    /// view.move_frame(-1);
    /// view.write_report(std::io::stdout())?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// On the zone that is selected already,
    /// or on an empty report, nothing happens.
    pub fn select(&mut self) {
        self.select_in(&self.report());
    }

    pub(super) fn select_in(&mut self, shown: &Report) {
        if let Some(record) = shown.cursor().map(|at| &shown.records[at])
            && record.key.section != Section::Selected
        {
            self.open(record.key);
        }
    }

    /// Goes to the caller for which the selected zone worked longest, as if up a directory. From
    /// a list of all zones: to that caller of the zone under the cursor. `_global` has no caller:
    /// nothing happens.
    pub fn select_parent(&mut self) {
        self.select_parent_in(&self.report());
    }

    pub(super) fn select_parent_in(&mut self, shown: &Report) {
        let mut of = self.clone();
        if !is_call_graph(self.mode) {
            of.select_in(shown);
        }
        // Without the callers' callers.
        of.toggled.clear();
        let report = of.report();
        let callers = report
            .records
            .iter()
            .filter(|r| r.key.section == Section::Caller);
        let hier = report
            .columns
            .iter()
            .position(|column| *column == Column::HIER);
        let hier = |record: &Record| record.values[hier.unwrap_or(0)];
        if let Some(caller) = callers.max_by(|a, b| hier(a).total_cmp(&hier(b))) {
            self.open(caller.key);
        }
    }

    /// Goes back to what was shown before the last [`select`](View::select) or
    /// [`select_parent`](View::select_parent), with the cursor where it was: as often as something
    /// was selected, up to 256 times. Before the first nothing happens.
    pub fn go_back(&mut self) {
        if let Some(stop) = self.past.pop() {
            let here = self.stop();
            self.future.push(here);
            self.go_to(stop);
        }
    }

    /// Undoes [`go_back`](View::go_back), until something else is selected.
    pub fn go_forward(&mut self) {
        if let Some(stop) = self.future.pop() {
            let here = self.stop();
            self.past.push(here);
            self.go_to(stop);
        }
    }

    fn stop(&self) -> Stop {
        Stop {
            mode: self.mode,
            selected: self.selected,
            cursor: self.cursor,
        }
    }

    fn go_to(&mut self, stop: Stop) {
        self.mode = stop.mode;
        self.selected = stop.selected;
        self.cursor = stop.cursor;
    }

    /// Opens the row under the cursor in place, if it has a `+`: its callers come above it or its
    /// callees below it, see [`ReportMode`]. In a list of all zones, as [`select`](View::select).
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::new();
    /// view.set_report_mode(iprof::ReportMode::CallTree);
    /// view.expand();
    /// view.collapse();
    /// ```
    ///
    /// What was opened stays open, under each selected zone by itself.
    pub fn expand(&mut self) {
        self.expand_in(&self.report());
    }

    pub(super) fn expand_in(&mut self, shown: &Report) {
        let Some(record) = shown.cursor().map(|at| &shown.records[at]) else {
            return;
        };
        match record.key.section {
            Section::Flat => self.select_in(shown),
            Section::Selected => {}
            _ if record.prefix == Prefix::Plus => self.toggle(record.key),
            _ => {}
        }
    }

    /// Closes the row under the cursor, if it is open. If it is not, goes to the row that it was
    /// opened from.
    pub fn collapse(&mut self) {
        self.collapse_in(&self.report());
    }

    pub(super) fn collapse_in(&mut self, shown: &Report) {
        let Some(at) = shown.cursor() else {
            return;
        };
        let record = &shown.records[at];
        match record.key.section {
            Section::Flat | Section::Selected => {}
            _ if record.prefix == Prefix::Minus => self.toggle(record.key),
            _ => {
                if let Some(opener) = opener(&shown.records, at) {
                    self.set_cursor_in(shown, opener);
                }
            }
        }
    }

    pub(super) fn toggle(&mut self, row: RowKey) {
        if !self.toggled.remove(&row) {
            self.toggled.insert(row);
        }
        self.cursor.row = Some(row);
    }

    /// Whether what stands under a row is shown.
    pub(super) fn is_open(&self, row: RowKey) -> bool {
        let is_root = row == RowKey::top(Section::Tree, row.zone, row.level);
        self.toggled.contains(&row) != is_root
    }

    /// Selects the zone of a row.
    fn open(&mut self, row: RowKey) {
        self.past.push(self.stop());
        if self.past.len() > MOST_STOPS {
            self.past.remove(0);
        }
        self.future.clear();
        if !is_call_graph(self.mode) {
            self.mode = ReportMode::CallGraph;
        }
        self.selected = Key {
            zone: row.zone,
            level: row.level,
        };
        self.cursor = Cursor {
            position: 0,
            row: Some(self.selected_row()),
        };
    }

    pub(super) fn selected_row(&self) -> RowKey {
        RowKey::top(Section::Selected, self.selected.zone, self.selected.level)
    }

    /// Steps through the remembered frames: by `delta` frames, into the past if negative. Stops
    /// at the oldest; a step past the newest leads back to now.
    pub fn move_frame(&mut self, delta: i32) {
        if is_recording_possible() {
            with_process(|process| self.move_frame_in(process, delta));
        }
    }

    fn move_frame_in(&mut self, process: &Process, delta: i32) {
        let to = |from| process.history.step(from, i64::from(delta));
        if let Some(frame) = self.frame_in(process).and_then(to) {
            self.look_at(process, frame.number);
        }
    }

    /// The number of the frame that the view looks at, now included.
    fn frame_in(&self, process: &Process) -> Option<u64> {
        match self.frame {
            FrameChoice::Now => process.history.newest(),
            FrameChoice::Number(number) => process.history.nearest(number),
        }
        .map(|frame| frame.number)
    }

    /// Looks at the last spike before the frame that the view looks at, or at the next one after
    /// it: a frame that took more than half as long again as the median of the remembered frames,
    /// and longer than its neighbours. If there is none, nothing happens.
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::new();
    /// view.previous_spike();
    /// if let Some(frame) = view.frame_number() {
    ///     println!("frame {frame} was slow");
    /// }
    /// ```
    pub fn previous_spike(&mut self) {
        self.step_to(-1, |process| process.history.spikes());
    }

    /// See [`previous_spike`](View::previous_spike).
    pub fn next_spike(&mut self) {
        self.step_to(1, |process| process.history.spikes());
    }

    /// Looks at the last [marked](crate::mark) frame before the frame that the view looks at, or at
    /// the next one after it. If there is none, nothing happens.
    pub fn previous_mark(&mut self) {
        self.step_to(-1, marked);
    }

    /// See [`previous_mark`](View::previous_mark).
    pub fn next_mark(&mut self) {
        self.step_to(1, marked);
    }

    /// Looks at the last remembered frame that was [marked](crate::mark) with that name; if there
    /// is none, nothing happens.
    pub fn set_frame_marked(&mut self, name: &str) {
        if !is_recording_possible() {
            return;
        }
        with_process(|process| {
            let marks = process.history.marks().iter().rev();
            if let Some(mark) = marks.clone().find(|mark| &*mark.name == name) {
                self.frame = FrameChoice::Number(mark.frame);
            }
        });
    }

    /// Looks at the longest remembered frame.
    pub fn set_frame_worst(&mut self) {
        if !is_recording_possible() {
            return;
        }
        with_process(|process| {
            if let Some(frame) = process.history.worst() {
                self.frame = FrameChoice::Number(frame.number);
            }
        });
    }

    /// Looks at the next of some frames in a direction.
    fn step_to(&mut self, direction: i32, frames: impl FnOnce(&Process) -> Vec<u64>) {
        if !is_recording_possible() {
            return;
        }
        with_process(|process| {
            let Some(from) = self.frame_in(process) else {
                return;
            };
            let frames = frames(process);
            let mut frames = frames.iter().copied();
            // From now, which is an average, the newest frame is a step into the past.
            let is_now = self.frame == FrameChoice::Now;
            let to = if direction < 0 {
                frames.rfind(|number| *number < from || is_now && *number == from)
            } else {
                frames.find(|number| *number > from)
            };
            if let Some(number) = to {
                self.frame = FrameChoice::Number(number);
            }
        });
    }

    /// Looks at the frame `back` frames before the newest one, 1 the one before it, and stays
    /// with it while new ones are recorded. 0 is now, with the averages. Farther back than the
    /// oldest remembered frame is the oldest one.
    pub fn set_frame(&mut self, back: usize) {
        if !is_recording_possible() {
            return;
        }
        with_process(|process| {
            let newest = process.history.newest().map_or(0, |frame| frame.number);
            self.look_at(process, newest.saturating_sub(back as u64));
        });
    }

    /// Looks at the frame of that number, counted from 1 over all recorded frames; at the nearest
    /// one that is remembered if it is not. The newest frame's number means that frame, not now.
    pub fn set_frame_number(&mut self, number: u64) {
        if !is_recording_possible() {
            return;
        }
        with_process(|process| {
            if let Some(frame) = process.history.nearest(number) {
                self.frame = FrameChoice::Number(frame.number);
            }
        });
    }

    /// The number of the remembered frame that the view looks at; `None` for now.
    pub fn frame_number(&self) -> Option<u64> {
        match self.frame {
            FrameChoice::Now => None,
            FrameChoice::Number(number) => Some(number),
        }
    }

    fn look_at(&mut self, process: &Process, number: u64) {
        let newest = process.history.newest().map_or(0, |frame| frame.number);
        self.frame = match process.history.nearest(number) {
            Some(frame) if number < newest => FrameChoice::Number(frame.number),
            _ => FrameChoice::Now,
        };
    }

    /// Chooses the average: 0 the newest frame's values, 1 an average that follows a step by 90 %
    /// in 0.8 s (the default), 2 in 2.5 s, and so does anything above. Remembered frames show
    /// their own values in any case.
    pub fn set_average(&mut self, average: usize) {
        self.average = average.min(super::average::FOLLOW_90.len());
    }

    /// The average chosen: 0, 1 or 2.
    pub fn average(&self) -> usize {
        self.average
    }

    /// Chooses how recursive zones are shown.
    pub fn set_recursion(&mut self, recursion: Recursion) {
        if self.recursion == recursion {
            return;
        }
        self.recursion = recursion;
        // Rows that stand under others are other rows now.
        self.toggled.clear();
        let levels = |stop: &mut Stop| {
            stop.selected.level = 0;
            if let Some(row) = &mut stop.cursor.row {
                row.level = 0;
            }
        };
        self.past
            .iter_mut()
            .chain(&mut self.future)
            .for_each(levels);
        let mut here = self.stop();
        levels(&mut here);
        self.go_to(here);
    }

    /// How recursive zones are shown.
    pub fn recursion(&self) -> Recursion {
        self.recursion
    }

    /// Chooses the threads.
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
    }

    /// The threads chosen.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// Chooses how the graph shows the remembered frames.
    pub fn set_graph_style(&mut self, style: GraphStyle) {
        self.graph_style = style;
    }

    /// How the graph shows the remembered frames.
    pub fn graph_style(&self) -> GraphStyle {
        self.graph_style
    }

    /// Scrolls the graph by `bars`, into the past if negative; it stops at both ends. The frame
    /// that the view looks at stays in sight in any case.
    pub fn scroll_graph(&mut self, bars: i32) {
        let most = match is_recording_possible() {
            true => with_process(|process| process.history.len().saturating_sub(1)),
            false => 0,
        };
        let scrolled = self.graph_scrolled as i64 - i64::from(bars);
        self.graph_scrolled = scrolled.clamp(0, most as i64) as usize;
    }

    /// Makes the graph's bars wider by `factor`, or narrower if it is below 1: by 1/64 to 16 in
    /// all, clamped. Where bars are narrower than a pixel, the longest of several stands for all of
    /// them. What is not a number, or not above zero, changes nothing.
    ///
    /// ```
    /// iprof::change_view(|view| {
    ///     view.zoom_graph(0.25);
    ///     view.scroll_graph(-100);
    /// });
    /// ```
    pub fn zoom_graph(&mut self, factor: f32) {
        if factor > 0.0 {
            self.graph_zoom = (self.graph_zoom * factor).clamp(1.0 / 64.0, 16.0);
        }
    }

    /// Chooses whether a column beside the self times shows them without what recording has added
    /// to them: [`Column::NET`](crate::Column::NET). Not unless this is called.
    ///
    /// What a zone costs is measured while the program runs, in a loop of zones. A zone that reads
    /// the clock adds a part of its cost to its own time and the rest to its caller's; one that
    /// only counts adds to its caller's. Where more would be taken out than there is, nothing is
    /// left: in a program a zone may cost less than in a loop. Counters are taken to cost nothing.
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::new();
    /// view.set_net_times(true);
    /// # #[cfg(feature = "enable")]
    /// assert!(view.report().columns.contains(&iprof::Column::NET));
    /// ```
    pub fn set_net_times(&mut self, shown: bool) {
        self.net_times = shown;
    }

    /// Compares what the view shows, most usefully a slow frame, with something else. Rows are then
    /// ranked by their part of the difference in the time that the report is about: self time, or
    /// hierarchical time. It is split into more calls and dearer calls, which sum to it: see
    /// [`Column::MORE_CALLS`]. All modes can be compared, so the reason can be followed down
    /// through callers and callees. If the frame was faster, those rows come first that made it so.
    ///
    /// ```
    /// # iprof::update(true);
    /// # iprof::update(true);
    /// let mut view = iprof::View::new();
    /// view.set_frame_worst();
    /// view.set_baseline(iprof::Baseline::Average);
    /// for record in view.report().records {
    ///     let [_, difference, more, dearer, ..] = record.values;
    ///     println!("{}: {difference:+.2} ms = {more:+.2} + {dearer:+.2}", record.name);
    /// }
    /// ```
    ///
    /// Net times and standard errors have no column then; what was sampled is marked all the same.
    pub fn set_baseline(&mut self, baseline: Baseline) {
        self.baseline = baseline;
    }

    /// What the view is compared with.
    pub fn baseline(&self) -> Baseline {
        self.baseline
    }

    /// Lists only rows whose names contain `text`, in capital or small letters, and what they stand
    /// under. The selected zone stays. Sums are then those of what is not listed, too. An empty
    /// text lists all.
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::new();
    /// view.set_filter("Update");
    /// let names = view.report().records.into_iter().map(|record| record.name);
    /// assert!(names.into_iter().all(|name| name.contains("update")));
    /// ```
    pub fn set_filter(&mut self, text: &str) {
        self.filter = text.to_owned();
    }

    /// What the names of rows are to contain.
    pub fn filter(&self) -> &str {
        &self.filter
    }

    /// The view of the baseline.
    pub(super) fn of_baseline(&self) -> Option<View> {
        let mut view = self.clone();
        view.net_times = false;
        match self.baseline {
            Baseline::None => return None,
            Baseline::Average => {
                view.frame = FrameChoice::Now;
                view.average = view.average.max(1);
            }
            Baseline::Frame(number) => view.frame = FrameChoice::Number(number),
        }
        Some(view)
    }

    /// Whether net times are shown.
    pub fn net_times(&self) -> bool {
        self.net_times
    }

    /// What the view shows, as plain data, as of now.
    pub fn report(&self) -> Report {
        if !is_recording_possible() {
            return without_recording();
        }
        with_process(|process| process.report(self, None))
    }

    /// The remembered frames, as plain data, as of now.
    ///
    /// A frame's zones are those of the chosen thread, and of that one alone with
    /// [`Threads::SameName`]; with all threads in view, of the thread that calls
    /// [`update`](crate::update), so that a bar is a frame.
    pub fn graph(&self) -> Graph {
        let mut graph = Graph::default();
        if is_recording_possible() {
            with_process(|process| process.update_graph(self, &mut graph, &mut None));
        }
        graph
    }

    /// Writes [`report`](View::report) as text with aligned columns and two decimal places.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_report(&self, out: impl std::io::Write) -> std::io::Result<()> {
        self.report().write(out, 2)
    }

    /// Whether both list the same rows by the same values, wherever cursor and frame are.
    pub(super) fn lists_the_same_as(&self, other: &View) -> bool {
        let list = |view: &View| {
            (
                view.mode,
                view.selected,
                view.average,
                view.recursion,
                view.threads,
                view.baseline,
                view.filter.clone(),
            )
        };
        list(self) == list(other)
    }

    /// Marks the row that the cursor is on.
    pub(super) fn mark_cursor(&self, records: &mut [Record]) {
        let followed = self.cursor.row.and_then(|row| {
            // The section is part of the row: a zone can be its own caller's callee.
            records.iter().position(|record| record.key == row)
        });
        let at = followed
            .unwrap_or(self.cursor.position)
            .min(records.len().saturating_sub(1));
        if let Some(record) = records.get_mut(at) {
            record.cursor = true;
        }
    }
}

/// Whether a mode shows what is around a selected zone.
fn is_call_graph(mode: ReportMode) -> bool {
    matches!(
        mode,
        ReportMode::CallGraph | ReportMode::CallGraphDescendants
    )
}

/// The row that the row at `at` was opened from: of a caller the next one below that is moved in
/// farther, of others the next one above that is moved in less.
fn opener(records: &[Record], at: usize) -> Option<usize> {
    let row = &records[at];
    let is_alike = |other: &usize| records[*other].key.section == row.key.section;
    if row.key.section == Section::Caller {
        (at + 1..records.len())
            .take_while(is_alike)
            .find(|other| records[*other].indent > row.indent)
    } else {
        (0..at)
            .rev()
            .take_while(is_alike)
            .find(|other| records[*other].indent < row.indent)
    }
}

/// The numbers of the frames that were marked.
fn marked(process: &Process) -> Vec<u64> {
    let marks = process.history.marks().iter();
    marks.map(|mark| mark.frame).collect()
}

/// The report of a crate that was built without the feature `enable`.
fn without_recording() -> Report {
    let title = "iprof was built without the feature `enable`: nothing is recorded";
    Report {
        title: vec![title.into()],
        ..Report::default()
    }
}
