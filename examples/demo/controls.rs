//! What a person can do: keys and mouse, and what they mean to the profiler.

use iprof::gl::Hit;
use iprof::{
    Baseline, GraphStyle, Prefix, Recursion, Report, ReportMode, Sort, ThreadInfo, Threads, Timing,
};

/// A key's meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Action {
    CursorUp,
    CursorDown,
    PageUp,
    PageDown,
    FrameBack,
    FrameForth,
    Now,
    Select,
    Parent,
    Expand,
    Collapse,
    Back,
    Forward,
    PreviousSpike,
    NextSpike,
    Worst,
    Mark,
    PreviousMark,
    NextMark,
    ScrollGraph(i32),
    ZoomGraph(f32),
    Compare,
    NextSort,
    ReverseSort,
    NextShare,
    Grouping,
    /// What is typed from here on is what names are to contain...
    Find,
    /// ... a character more, one less, that is all, or nothing at all.
    Type(char),
    Untype,
    EndFind,
    FindAll,
    NextMode,
    Pause,
    Average(usize),
    Recursion,
    NextThread,
    GraphStyle,
    NextTiming,
    NetTimes,
    LessPrecision,
    MorePrecision,
    HideOverlay,
    Help,
    Storm,
    Write,
    Quit,
}

/// The keys as F1 shows them.
const KEYS: [(&str, &str); 27] = [
    ("Up, Down, PgUp, PgDn, wheel", "move the cursor"),
    (
        "Left, Right, Home, click a bar",
        "step through the frames, back to now",
    ),
    (
        "Enter, click the cursor's row",
        "open the zone under the cursor",
    ),
    ("Backspace", "go to the most expensive caller"),
    ("+, -, right click", "open the row in place, close it"),
    ("comma, period", "back and forth through what was opened"),
    ("Tab", "self, hier, graph, descendants, tree"),
    ("S, D", "the spike before this frame, after it"),
    ("X", "the longest frame"),
    ("B", "compare with the average, or not"),
    ("O, Q", "sort by the next column; turn round"),
    ("H; U", "fold what is small; zones in groups"),
    ("/ text Enter; / Esc", "list only such names; all again"),
    ("K; J, L", "mark the frame; marks before, after"),
    ("C, V; A, E; (shift) wheel", "graph: zoom; scroll"),
    ("Space", "pause the profiler"),
    ("1, 2, 3", "average: none, 0.8 s, 2.5 s"),
    ("R", "spread or flatten recursion"),
    ("T", "all threads, those of a name, one"),
    ("G", "graph as bars or as lines"),
    ("M", "exact, automatic, sampled, or off"),
    ("N", "net times, without recording's cost"),
    ("[, ]", "decimal places of times"),
    ("P", "hide or show the profiler"),
    ("I", "a storm: one slow frame"),
    ("W", "write report and picture to files"),
    ("F1, Esc", "this page; leave it, or the program"),
];

/// What a step of the wheel scrolls.
const WHEEL_BARS: i32 = 10;
/// Below which parts of the frame rows are folded, one after the other.
const SHARES: [f64; 3] = [0.0, 0.01, 0.05];

/// The demo's state that the keys change and the profiler does not hold.
#[derive(Debug)]
pub(crate) struct Controls {
    pub(crate) paused: bool,
    pub(crate) hidden: bool,
    pub(crate) help: bool,
    pub(crate) precision: u32,
    /// Whether keys are typed text.
    pub(crate) typing: bool,
    marks: u32,
    /// The next frame is to be a slow one.
    pub(crate) storm: bool,
    /// Report and picture are to be written after this frame.
    pub(crate) write: bool,
    pub(crate) quit: bool,
}

impl Controls {
    pub(crate) fn new() -> Controls {
        Controls {
            paused: false,
            hidden: false,
            help: false,
            precision: 2,
            typing: false,
            marks: 0,
            storm: false,
            write: false,
            quit: false,
        }
    }

    pub(crate) fn act(&mut self, action: Action) {
        match action {
            Action::CursorUp => iprof::move_cursor(-1),
            Action::CursorDown => iprof::move_cursor(1),
            Action::PageUp => iprof::move_cursor(-10),
            Action::PageDown => iprof::move_cursor(10),
            Action::FrameBack => iprof::move_frame(-1),
            Action::FrameForth => iprof::move_frame(1),
            Action::Now => iprof::set_frame(0),
            Action::Select => iprof::select(),
            Action::Parent => iprof::select_parent(),
            Action::Expand => iprof::expand(),
            Action::Collapse => iprof::collapse(),
            Action::Back => iprof::go_back(),
            Action::Forward => iprof::go_forward(),
            Action::PreviousSpike => iprof::previous_spike(),
            Action::NextSpike => iprof::next_spike(),
            Action::Worst => iprof::set_frame_worst(),
            Action::Mark => {
                self.marks += 1;
                iprof::mark(&format!("mark {}", self.marks));
            }
            Action::PreviousMark => iprof::previous_mark(),
            Action::NextMark => iprof::next_mark(),
            Action::Compare => iprof::change_view(|view| {
                view.set_baseline(match view.baseline() {
                    Baseline::None => Baseline::Average,
                    _ => Baseline::None,
                });
            }),
            Action::NextSort => iprof::set_sort(next_sort(iprof::view().sort())),
            Action::ReverseSort => iprof::set_sort_reversed(!iprof::view().sort_reversed()),
            Action::NextShare => {
                let now = iprof::view().min_share();
                let larger = SHARES.into_iter().find(|share| *share > now);
                iprof::set_min_share(larger.unwrap_or(SHARES[0]));
            }
            Action::Grouping => iprof::set_grouping(!iprof::view().grouping()),
            Action::Find => self.typing = true,
            Action::Type(character) => {
                iprof::set_filter(&format!("{}{character}", iprof::view().filter()));
            }
            Action::Untype => {
                let mut text = iprof::view().filter().to_owned();
                text.pop();
                iprof::set_filter(&text);
            }
            Action::EndFind => self.typing = false,
            Action::FindAll => {
                self.typing = false;
                iprof::set_filter("");
            }
            Action::ScrollGraph(bars) => iprof::change_view(|view| view.scroll_graph(bars)),
            Action::ZoomGraph(factor) => iprof::change_view(|view| view.zoom_graph(factor)),
            Action::NextMode => iprof::set_report_mode(match iprof::view().report_mode() {
                ReportMode::SelfTime => ReportMode::HierarchicalTime,
                ReportMode::HierarchicalTime => ReportMode::CallGraph,
                ReportMode::CallGraph => ReportMode::CallGraphDescendants,
                ReportMode::CallGraphDescendants => ReportMode::CallTree,
                _ => ReportMode::SelfTime,
            }),
            Action::Pause => self.paused = !self.paused,
            Action::Average(average) => iprof::set_average(average),
            Action::Recursion => iprof::set_recursion(match iprof::view().recursion() {
                Recursion::Flatten => Recursion::Spread,
                Recursion::Spread => Recursion::Flatten,
            }),
            Action::NextThread => {
                let next = next_thread(iprof::view().threads());
                iprof::change_view(|view| view.set_threads(next));
            }
            Action::GraphStyle => iprof::change_view(|view| {
                view.set_graph_style(match view.graph_style() {
                    GraphStyle::Bars => GraphStyle::Lines,
                    GraphStyle::Lines => GraphStyle::Bars,
                });
            }),
            Action::NextTiming => iprof::set_timing(match iprof::timing() {
                Timing::Exact => Timing::AUTO,
                Timing::Auto { .. } => Timing::SAMPLED,
                Timing::Sampled { .. } => Timing::Off,
                _ => Timing::Exact,
            }),
            Action::NetTimes => {
                iprof::change_view(|view| view.set_net_times(!view.net_times()));
            }
            Action::LessPrecision => self.precision = (self.precision - 1).max(1),
            Action::MorePrecision => self.precision = (self.precision + 1).min(4),
            Action::HideOverlay => self.hidden = !self.hidden,
            Action::Help => {
                self.help = self.hidden || !self.help;
                self.hidden = false;
            }
            Action::Storm => self.storm = true,
            Action::Write => self.write = true,
            Action::Quit if self.help && !self.hidden => self.help = false,
            Action::Quit => self.quit = true,
        }
    }

    /// A click: a row gets the cursor, the cursor's own row is opened, a bar is looked at.
    pub(crate) fn click(&mut self, at: (f32, f32)) {
        match self.hit(at) {
            Some(Hit::Row(row)) => {
                let before = iprof::view();
                iprof::set_cursor(row);
                // Nothing moved: the cursor was there already.
                if iprof::view() == before {
                    iprof::select();
                }
            }
            Some(Hit::Frame { number, .. }) => {
                iprof::change_view(|view| view.set_frame_number(number));
            }
            _ => {}
        }
    }

    /// A click with the other button: a row opens in place, or closes.
    pub(crate) fn right_click(&mut self, at: (f32, f32)) {
        if let Some(Hit::Row(row)) = self.hit(at) {
            iprof::set_cursor(row);
            let shown = iprof::report();
            match shown.records.get(row).map(|record| record.prefix) {
                Some(Prefix::Plus) => iprof::expand(),
                Some(Prefix::Minus) => iprof::collapse(),
                _ => {}
            }
        }
    }

    /// The wheel: moves the cursor; on the graph scrolls it, or zooms it with the shift key.
    pub(crate) fn wheel(&mut self, at: (f32, f32), up: f32, shift: bool) {
        let is_graph = matches!(self.hit(at), Some(Hit::Frame { .. }));
        match (is_graph, up > 0.0) {
            _ if up == 0.0 => {}
            (false, true) => self.act(Action::CursorUp),
            (false, false) => self.act(Action::CursorDown),
            (true, true) if shift => self.act(Action::ZoomGraph(2.0)),
            (true, false) if shift => self.act(Action::ZoomGraph(0.5)),
            (true, true) => self.act(Action::ScrollGraph(-WHEEL_BARS)),
            (true, false) => self.act(Action::ScrollGraph(WHEEL_BARS)),
        }
    }

    fn hit(&self, (x, y): (f32, f32)) -> Option<Hit> {
        match self.hidden || self.help {
            true => None,
            false => iprof::hit(x, y),
        }
    }
}

/// As the mode has it, by each column that there is, by name.
fn next_sort(now: Sort) -> Sort {
    let columns = iprof::report().columns.into_iter();
    let mut choices = vec![Sort::Mode];
    choices.extend(columns.map(Sort::Column));
    choices.push(Sort::Name);
    let at = choices.iter().position(|choice| *choice == now);
    let next = at.and_then(|at| choices.get(at + 1));
    next.copied().unwrap_or_default()
}

/// All threads first, then each; before the first of several that have the same name, those
/// together.
fn next_thread(now: Threads) -> Threads {
    let threads = iprof::threads();
    let mut choices = Vec::new();
    for (at, thread) in threads.iter().enumerate() {
        let is_alike = |other: &ThreadInfo| other.name == thread.name;
        if !threads[..at].iter().any(is_alike) && threads[at + 1..].iter().any(is_alike) {
            choices.push(Threads::SameName(thread.id));
        }
        choices.push(Threads::One(thread.id));
    }
    // After the last one, and if the threads that were chosen are gone: all.
    let next = match now {
        Threads::All => 0,
        _ => choices
            .iter()
            .position(|choice| *choice == now)
            .map_or(choices.len(), |at| at + 1),
    };
    choices.get(next).copied().unwrap_or(Threads::All)
}

/// The page of keys, as a report of the demo's own.
pub(crate) fn help() -> Report {
    let mut report = Report::default();
    report.title.push("keys and mouse".into());
    for (key, meaning) in KEYS {
        report.title.push(format!("{key:<30} {meaning}"));
    }
    report
}
