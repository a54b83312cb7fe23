//! The overlay's pointer input. Turns moves, clicks, drags and the wheel into actions.

use crate::clock::Instant;
use crate::draw::{BarsArea, FlameArea, HeaderTarget, HelpArea, ReportArea, is_within};
use iprof_process::Frames;
use iprof_report::Action;
use iprof_report::{CallPath, FlameStep};
use iprof_report::{Sort, TitleChoice};
use std::time::Duration;

/// The distance in px that the pointer must move to turn a click on a bar into a range.
const DRAG_PX: f32 = 4.0;
/// The number of bars that one wheel line scrolls.
const WHEEL_BARS: f32 = 10.0;
/// The maximum number of lines in one wheel event. Larger values are invalid and could not be summed exactly.
const MAX_WHEEL_LINES: f32 = 1_000.0;

/// A pointer button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PointerButton {
    /// The button that selects, usually the left one.
    Primary,
    /// The secondary button, usually the right one.
    Secondary,
    /// Any other button.
    Other,
}

/// A pointer event, independent of the window library, for [`Overlay::pointer`](super::Overlay::pointer).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PointerEvent {
    /// The pointer moved. The position is in pixels from the top left corner of the viewport, or in the units of
    /// [`set_screen`](crate::set_screen).
    Moved {
        /// The horizontal position, to the right.
        x: f32,
        /// The vertical position, downward.
        y: f32,
    },
    /// The pointer left the window.
    LeftWindow,
    /// A button was pressed at the current position.
    Pressed(PointerButton),
    /// A button was released.
    Released(PointerButton),
    /// The wheel was turned, or a touchpad scrolled.
    Wheel {
        /// The number of lines turned. Up, away from the user, is positive. Fractions of a line add up.
        lines: f32,
        /// Whether to zoom the graph instead of scrolling it, usually while the shift key is down. Over the graph's
        /// axis labels, the meaning is reversed: `false` zooms vertically, and `true` scrolls.
        zoom: bool,
    },
}

/// The overlay's response to a [`PointerEvent`]: whether it used the event, and the resulting action.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PointerResponse {
    /// Whether the overlay used the event, so that your camera should ignore it.
    ///
    /// The overlay uses events while the pointer is over a part that it drew. After a press there, the overlay uses all
    /// events until the release, wherever the release happens. After a press elsewhere, it uses no events until the
    /// release.
    pub consumed: bool,
    /// The action for the view that is shown. Pass it to [`act`](crate::act) or [`View::act`](crate::View::act).
    pub action: Option<Action>,
}

/// The pointer's position in px, and its buttons.
#[derive(Debug, Default)]
pub(super) struct Pointer {
    at: Option<[f32; 2]>,
    /// The number of times the pointer has moved within the window.
    moves: u64,
    /// Whether each button is down.
    down: [bool; 3],
    /// Whether each button was pressed over the overlay.
    taken: [bool; 3],
    drag: Option<Drag>,
    /// The last press, if it was a click on the flame graph that may become a double click.
    clicked: Option<Click>,
    /// The number of wheel lines that have not become an action yet.
    turned: f32,
}

/// The last drawn layouts, to find the item under the pointer.
#[derive(Clone, Copy)]
pub(super) struct Drawn<'a> {
    pub(super) rows: &'a ReportArea,
    pub(super) bars: &'a BarsArea,
    pub(super) flame: &'a FlameArea,
    pub(super) help: &'a HelpArea,
}

impl Drawn<'_> {
    fn covers(&self, at: [f32; 2]) -> bool {
        let areas = [self.rows.area(), self.bars.area(), self.flame.area()];
        areas.into_iter().any(|area| is_within(area, at)) || self.help.covers(at)
    }
}

/// A drag that selects a range of frames.
#[derive(Clone, Copy, Debug)]
struct Drag {
    from_x: f32,
    /// The frames of the first bar.
    from: (u64, u64),
    /// The last range, or `None` while the drag may still be a click.
    range: Option<(u64, u64)>,
}

impl Pointer {
    /// Returns the hovered position, or `None` while a button pressed outside the overlay is down.
    pub(super) fn hover(&self) -> Option<[f32; 2]> {
        let is_hosts = (0..3).any(|button| self.down[button] && !self.taken[button]);
        self.at.filter(|_| !is_hosts)
    }

    /// Returns the number of pointer moves. The number is zero until the first move, so a parked mouse does not count
    /// as hovering.
    pub(super) fn moves(&self) -> u64 {
        self.moves
    }

    /// Handles an event at the time `now`, with positions in px. If there is no clock, double clicks are not detected.
    pub(super) fn take(
        &mut self,
        event: PointerEvent,
        now: Instant,
        drawn: Drawn<'_>,
    ) -> PointerResponse {
        let is_over = |at: [f32; 2]| drawn.covers(at);
        match event {
            PointerEvent::Moved { x, y } => {
                let before = self.at.replace([x, y]);
                self.moves += u64::from(before.is_some_and(|before| before != [x, y]));
                PointerResponse {
                    consumed: self.holds() || self.hover().is_some_and(is_over),
                    action: self.drag_to(x, drawn.bars),
                }
            }
            PointerEvent::LeftWindow => {
                self.at = None;
                PointerResponse {
                    consumed: self.holds(),
                    action: None,
                }
            }
            PointerEvent::Pressed(button) => {
                let over = self.hover().filter(|at| is_over(*at));
                self.down[button as usize] = true;
                self.taken[button as usize] = over.is_some();
                PointerResponse {
                    consumed: over.is_some(),
                    action: over.and_then(|at| self.press(button, at, now, drawn)),
                }
            }
            PointerEvent::Released(button) => {
                let taken = std::mem::take(&mut self.taken[button as usize]);
                self.down[button as usize] = false;
                if button == PointerButton::Primary {
                    self.drag = None;
                }
                PointerResponse {
                    consumed: taken,
                    action: None,
                }
            }
            PointerEvent::Wheel { lines, zoom } => {
                let over = self.hover().filter(|at| is_over(*at));
                PointerResponse {
                    consumed: over.is_some(),
                    action: over
                        .filter(|at| !drawn.help.covers(*at))
                        .and_then(|at| self.turn(lines, zoom, at, drawn)),
                }
            }
        }
    }

    /// Returns whether a button pressed over the overlay is down.
    fn holds(&self) -> bool {
        self.taken.contains(&true)
    }

    fn press(
        &mut self,
        button: PointerButton,
        [x, y]: [f32; 2],
        now: Instant,
        drawn: Drawn<'_>,
    ) -> Option<Action> {
        let Drawn {
            rows,
            bars,
            flame,
            help,
        } = drawn;
        let clicked = self.clicked.take();
        if help.covers([x, y]) {
            let is_primary = button == PointerButton::Primary;
            return is_primary.then_some(Action::NextHelpPage);
        }
        if let Some(header) = rows.hit_header(x, y) {
            let is_primary = button == PointerButton::Primary;
            return is_primary.then(|| click_header(header));
        }
        if let Some(row) = rows.hit(x, y) {
            return match button {
                PointerButton::Primary => Some(Action::ClickRow(row)),
                PointerButton::Secondary => Some(Action::ToggleRow(row)),
                PointerButton::Other => None,
            };
        }
        if let Some(hit) = flame.hit(x, y).filter(|_| !rows.covers([x, y])) {
            return match button {
                PointerButton::Primary => Some(self.click_flame([x, y], hit.path, now, clicked)),
                PointerButton::Secondary => Some(Action::UnzoomFlame),
                PointerButton::Other => None,
            };
        }
        if let Some(zone) = bars.hit_legend(x, y).filter(|_| !rows.covers([x, y])) {
            let is_primary = button == PointerButton::Primary;
            return is_primary.then_some(Action::SelectZone(zone));
        }
        let hit = bars.hit(x, y)?;
        match button {
            PointerButton::Primary => {
                self.drag = Some(Drag {
                    from_x: x,
                    from: hit.group,
                    range: None,
                });
                Some(Action::SetFrames(match hit.bucket {
                    Some(bucket) => Frames::SessionTime(bucket.begin, bucket.begin),
                    None => Frames::Number(hit.frame),
                }))
            }
            PointerButton::Secondary => Some(Action::SetFrames(Frames::Live)),
            PointerButton::Other => None,
        }
    }

    /// Returns the action for a click on the flame graph, given the previous click `clicked`. A double click zooms to
    /// the call path selected by its first click.
    fn click_flame(
        &mut self,
        at: [f32; 2],
        path: CallPath,
        now: Instant,
        clicked: Option<Click>,
    ) -> Action {
        let click = Click {
            at,
            path: path.clone(),
            time: now,
        };
        if clicked.is_some_and(|first| click.doubles(&first)) {
            return Action::ZoomFlame;
        }
        self.clicked = Some(click);
        Action::ClickFlame(path)
    }

    /// Returns the selection from the first bar to the bar at `x`, if it differs from the previous selection.
    fn drag_to(&mut self, x: f32, bars: &BarsArea) -> Option<Action> {
        let drag = self.drag.as_mut()?;
        if drag.range.is_none() && (x - drag.from_x).abs() < DRAG_PX {
            return None;
        }
        let to = bars.nearest(x)?;
        // The range covers all frames of both bars. Each bar may represent many frames.
        let range = match to.1 >= drag.from.1 {
            true => (drag.from.0, to.1),
            false => (drag.from.1, to.0),
        };
        let is_new = drag.range.replace(range) != Some(range);
        let (first, last) = range;
        let selection = match (bars.began(first), bars.began(last)) {
            (Some(one), Some(other)) => Frames::SessionTime(one, other),
            _ => Frames::Range { first, last },
        };
        is_new.then_some(Action::SetFrames(selection))
    }

    fn turn(
        &mut self,
        lines: f32,
        zoom: bool,
        [x, y]: [f32; 2],
        drawn: Drawn<'_>,
    ) -> Option<Action> {
        let Drawn { bars, flame, .. } = drawn;
        if !lines.is_finite() || lines == 0.0 {
            return None;
        }
        let lines = lines.clamp(-MAX_WHEEL_LINES, MAX_WHEEL_LINES);
        if bars.is_axis(x, y) {
            // A fraction of a line counts as the same fraction of a step.
            return Some(match zoom {
                false => Action::ZoomGraphVertically((0.5 * lines).exp2()),
                true => Action::ScrollGraphVertically(0.125 * lines),
            });
        }
        let is_graph = bars.hit(x, y).is_some();
        if is_graph && zoom {
            return Some(Action::ZoomGraph(lines.exp2()));
        }
        // Turning the wheel in the opposite direction drops the remainder.
        if self.turned * lines < 0.0 {
            self.turned = 0.0;
        }
        self.turned += lines;
        let each = if is_graph { WHEEL_BARS } else { 1.0 };
        let whole = (self.turned * each).trunc();
        self.turned -= whole / each;
        let up = whole as i32;
        match (up, is_graph) {
            (0, _) => None,
            _ if flame.box_at(x, y).is_some() => Some(Action::WalkFlame(match up > 0 {
                true => FlameStep::Caller,
                false => FlameStep::Callee,
            })),
            (_, true) => Some(Action::ScrollGraph(-up)),
            (_, false) => Some(Action::MoveCursor(-up)),
        }
    }
}

fn click_header(header: HeaderTarget) -> Action {
    match header {
        HeaderTarget::Column(column) => {
            Action::ClickHeader(column.map_or(Sort::Name, Sort::Column))
        }
        HeaderTarget::Title(choice) => match choice {
            TitleChoice::Mode => Action::NextReportMode,
            TitleChoice::Threads => Action::NextThreads,
            TitleChoice::Live => Action::TogglePause,
            TitleChoice::Frames => Action::SetFrames(Frames::Live),
            TitleChoice::Average => Action::NextAverage,
            TitleChoice::Timing => Action::NextTiming,
            TitleChoice::Filter => Action::EditFilter,
        },
    }
}

/// The maximum time between the two clicks of a double click. Half a second is a common default on desktops.
const LONGEST_DOUBLE_CLICK: Duration = Duration::from_millis(500);
/// The distance in px that the pointer may move between the two clicks.
const DOUBLE_CLICK_PX: f32 = 4.0;

/// A click on the flame graph.
#[derive(Debug)]
struct Click {
    at: [f32; 2],
    path: CallPath,
    time: Instant,
}

impl Click {
    /// Returns whether this click completes a double click that began with `first`. It does if it comes soon enough and
    /// hits the same place or the same call path. One of the two is enough, because a live flame graph's boxes change
    /// under a resting pointer, and a finger does not hit the same place twice.
    fn doubles(&self, first: &Click) -> bool {
        let [x, y] = [0, 1].map(|axis| (self.at[axis] - first.at[axis]).abs() < DOUBLE_CLICK_PX);
        let is_soon = self.time.saturating_duration_since(first.time) <= LONGEST_DOUBLE_CLICK;
        is_soon && (x && y || self.path == first.path)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::draw::help::HelpText;
    use crate::draw::{Font, Theme};
    use iprof_report::Flame;
    use iprof_report::{Bar, Graph, GraphBucket, GraphZone, Segment};
    use iprof_report::{ColumnId, Report, Row, TitlePart};
    use std::time::Duration;

    const PRIMARY: PointerButton = PointerButton::Primary;

    /// Returns a time at least a minute after all earlier returned times, so that a click at that time completes no
    /// double click.
    fn much_later() -> Instant {
        use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
        static CALLS: AtomicU64 = AtomicU64::new(0);
        Instant::now() + Duration::from_secs(60) * CALLS.fetch_add(1, Relaxed) as u32
    }

    /// A screen with a report at the top left, and below it a graph of the 100 frames 1001 to 1100, 2 px each.
    struct Screen {
        rows: ReportArea,
        bars: BarsArea,
        flame: FlameArea,
        help: HelpArea,
        pointer: Pointer,
    }

    /// The graph's right edge.
    const RIGHT: f32 = 263.0;
    /// A y coordinate inside every bar.
    const FOOT: f32 = 285.0;

    impl Screen {
        fn new(zoom: f32) -> Screen {
            Screen::with(zoom, |_| {})
        }

        fn with(zoom: f32, change: impl Fn(&mut Graph)) -> Screen {
            let mut report = Report {
                title: vec!["title".into()],
                columns: vec![ColumnId::SelfTime],
                ..Report::default()
            };
            for name in ["one", "two", "three"] {
                report
                    .rows
                    .push(Row::new(name, [(ColumnId::SelfTime, 1.0)]));
            }
            let zones = vec![GraphZone::new("one")];
            let mut graph = Graph {
                zones,
                zoom,
                capacity: 100,
                ..Graph::default()
            };
            for frame in 1001..=1100 {
                graph.bars.push_back(Bar {
                    frame,
                    ms: 10.0,
                    segments: vec![Segment { zone: 0, ms: 10.0 }],
                    value: 0.0,
                });
            }
            change(&mut graph);
            let mut font = Font::new(12.0);
            let (mut rows, mut bars) = (ReportArea::default(), BarsArea::default());
            rows.lay_out(
                &mut font,
                &Theme::DARK,
                &report,
                [10.0, 10.0, 210.0, 110.0],
                2,
            );
            let (at, limits) = ([10.0, 180.0], [392.0, 292.0]);
            bars.lay_out(&mut font, &Theme::DARK, &graph, at, [2.0, 2.0], limits);
            Screen {
                rows,
                bars,
                flame: FlameArea::default(),
                help: HelpArea::default(),
                pointer: Pointer::default(),
            }
        }

        fn event(&mut self, event: PointerEvent) -> (bool, Option<Action>) {
            self.event_at(event, much_later())
        }

        fn event_at(&mut self, event: PointerEvent, now: Instant) -> (bool, Option<Action>) {
            let drawn = Drawn {
                rows: &self.rows,
                bars: &self.bars,
                flame: &self.flame,
                help: &self.help,
            };
            let response = self.pointer.take(event, now, drawn);
            (response.consumed, response.action)
        }

        fn move_to(&mut self, [x, y]: [f32; 2]) -> (bool, Option<Action>) {
            self.event(PointerEvent::Moved { x, y })
        }

        fn press(&mut self) -> (bool, Option<Action>) {
            self.event(PointerEvent::Pressed(PRIMARY))
        }

        fn release(&mut self) -> (bool, Option<Action>) {
            self.event(PointerEvent::Released(PRIMARY))
        }

        /// Returns the center of a row.
        fn row(&self, row: usize) -> [f32; 2] {
            let [left, _, _, bottom] = self.rows.area();
            let up = 3 - row;
            [left + 20.0, bottom - up as f32 * 15.0 + 7.0]
        }

        fn frame(&self, back: u64) -> [f32; 2] {
            [RIGHT - 2.0 * back as f32 - 1.0, FOOT]
        }
    }

    #[test]
    fn first_pointer_event_is_not_a_move() {
        let mut pointer = Pointer::default();
        let areas = (
            ReportArea::default(),
            BarsArea::default(),
            FlameArea::default(),
            HelpArea::default(),
        );
        let mut take = |event| {
            let (rows, bars, flame, help) = (&areas.0, &areas.1, &areas.2, &areas.3);
            let drawn = Drawn {
                rows,
                bars,
                flame,
                help,
            };
            pointer.take(event, Instant::now(), drawn);
            pointer.moves()
        };
        let at = |x| PointerEvent::Moved { x, y: 9.0 };
        assert_eq!([3.0, 3.0, 4.0, 4.0].map(|x| take(at(x))), [0, 0, 1, 1]);
        assert_eq!([PointerEvent::LeftWindow, at(5.0)].map(take), [1, 1]);
    }

    #[test]
    fn clicks_select_rows_and_frames() {
        let mut screen = Screen::new(1.0);
        for row in 0..3 {
            let at = screen.row(row);
            assert_eq!(screen.move_to(at), (true, None));
            assert_eq!(screen.press(), (true, Some(Action::ClickRow(row))));
            assert_eq!(screen.release(), (true, None));
            let press = PointerEvent::Pressed(PointerButton::Secondary);
            assert_eq!(screen.event(press), (true, Some(Action::ToggleRow(row))));
            screen.event(PointerEvent::Released(PointerButton::Secondary));
            let press = PointerEvent::Pressed(PointerButton::Other);
            assert_eq!(screen.event(press), (true, None));
            screen.event(PointerEvent::Released(PointerButton::Other));
        }
        screen.move_to(screen.frame(7));
        assert_eq!(
            screen.press(),
            (true, Some(Action::SetFrames(Frames::Number(1093))))
        );
        screen.release();
        let press = PointerEvent::Pressed(PointerButton::Secondary);
        assert_eq!(
            screen.event(press),
            (true, Some(Action::SetFrames(Frames::Live)))
        );
    }

    #[test]
    fn clicks_and_drags_select_buckets() {
        let mut screen = Screen::with(1.0, |graph| {
            graph.bars.retain(|bar| bar.frame % 10 == 0);
            for at in 0..10 {
                graph.buckets.push(GraphBucket {
                    begin: Duration::from_secs(at),
                    end: Duration::from_secs(at + 1),
                    first: 1001 + 10 * at,
                    last: 1010 + 10 * at,
                    count: 10,
                    ..GraphBucket::default()
                });
            }
        });
        // There is room for 32 buckets in 200 px.
        let at = |bucket: u32| [RIGHT - (9.5 - bucket as f32) * 6.0, FOOT];
        let part = |from, to| {
            let [from, to] = [from, to].map(Duration::from_secs);
            let part = Frames::SessionTime(from, to);
            Some(Action::SetFrames(part))
        };
        screen.move_to(at(7));
        assert_eq!(screen.press(), (true, part(7, 7)));
        assert_eq!(screen.move_to(at(4)), (true, part(7, 4)));
        assert_eq!(screen.move_to(at(9)), (true, part(7, 9)));
        screen.release();
        let press = PointerEvent::Pressed(PointerButton::Secondary);
        let live = Some(Action::SetFrames(Frames::Live));
        assert_eq!(screen.event(press), (true, live));
    }

    /// Returns the actions triggered by clicks along a horizontal line.
    fn clicks(screen: &mut Screen, y: f32) -> Vec<Action> {
        let mut actions = Vec::new();
        for x in 10..210 {
            screen.move_to([x as f32 + 0.5, y]);
            let (used, action) = screen.press();
            assert!(used);
            screen.release();
            let is_new = |action: &Action| actions.last() != Some(action);
            actions.extend(action.filter(is_new));
        }
        actions
    }

    #[test]
    fn clicking_a_column_header_sorts_by_it() {
        let mut screen = Screen::new(1.0);
        let by_time = Action::ClickHeader(Sort::Column(ColumnId::SelfTime));
        let actions = clicks(&mut screen, 30.0);
        assert_eq!(actions, [Action::ClickHeader(Sort::Name), by_time.clone()]);
        screen.move_to([200.0, 30.0]);
        let press = PointerEvent::Pressed(PointerButton::Secondary);
        assert_eq!(screen.event(press), (true, None));
        let mut view = crate::View::default();
        let mut click = |wanted| {
            view.act(&crate::profiler(), by_time.clone());
            assert_eq!(view.sort(), wanted);
        };
        click((Sort::Column(ColumnId::SelfTime), false));
        click((Sort::Column(ColumnId::SelfTime), true));
        click((Sort::Mode, false));
    }

    #[test]
    fn clicking_a_title_part_changes_its_setting() {
        let choices = [
            (TitleChoice::Mode, Action::NextReportMode),
            (TitleChoice::Threads, Action::NextThreads),
            (TitleChoice::Live, Action::TogglePause),
            (TitleChoice::Average, Action::NextAverage),
            (TitleChoice::Timing, Action::NextTiming),
            (TitleChoice::Filter, Action::EditFilter),
            (TitleChoice::Frames, Action::SetFrames(Frames::Live)),
        ];
        let mut report = Report {
            title: vec!["ab cd ef gh ij kl mn".into()],
            ..Report::default()
        };
        for (at, (choice, _)) in choices.iter().enumerate() {
            report.title_parts.push(TitlePart {
                line: 0,
                start: 3 * at,
                end: 3 * at + 2,
                choice: *choice,
            });
        }
        let mut screen = Screen::new(1.0);
        let mut font = Font::new(12.0);
        let rect = [10.0, 10.0, 210.0, 110.0];
        screen
            .rows
            .lay_out(&mut font, &Theme::DARK, &report, rect, 2);
        let wanted: Vec<Action> = choices.into_iter().map(|(_, action)| action).collect();
        assert_eq!(clicks(&mut screen, 12.0), wanted);
        let mut quads = |screen: &mut Screen, hover| {
            font.list.clear();
            screen.rows.hover = hover;
            screen
                .rows
                .lay_out(&mut font, &Theme::DARK, &report, rect, 2);
            font.list.quads().len()
        };
        let plain = quads(&mut screen, None);
        assert_eq!(
            quads(&mut screen, Some([20.0, 12.0])),
            plain + 2,
            "the hovered title part should be highlighted"
        );
        assert_eq!(quads(&mut screen, Some([200.0, 12.0])), plain);
    }

    #[test]
    fn clicking_the_help_only_turns_the_page() {
        let mut screen = Screen::new(1.0);
        let mut font = Font::new(12.0);
        let rect = [0.0, 0.0, 150.0, 300.0];
        screen
            .help
            .lay_out(&mut font, &Theme::DARK, &mut HelpText::default(), 1, rect);
        let row = screen.row(1);
        for at in [row, [1.0, 1.0]] {
            screen.move_to(at);
            assert_eq!(screen.press(), (true, Some(Action::NextHelpPage)));
            screen.release();
            let wheel = PointerEvent::Wheel {
                lines: 1.0,
                zoom: false,
            };
            assert_eq!(screen.event(wheel), (true, None));
        }
        screen.help.forget();
        screen.help.forget();
        screen.move_to(row);
        assert_eq!(screen.press(), (true, Some(Action::ClickRow(1))));
    }

    /// Draws a flame graph next to the report, with two callees of the root that take the given times.
    fn draw_flame(screen: &mut Screen, times: [f64; 2]) -> [CallPath; 2] {
        let mut flame = Flame {
            zones: ["root", "left", "right"].map(GraphZone::new).into(),
            ..Flame::default()
        };
        flame.add(0, 0, 0.0, 1.0);
        let callees = [1, 2].map(|zone| flame.add(0, zone, times[zone as usize - 1], 1.0));
        let mut font = Font::new(12.0);
        let rect = [220.0, 10.0, 320.0, 100.0];
        let Screen {
            flame: area, bars, ..
        } = screen;
        let colors = bars.colors();
        area.lay_out(&mut font, &Theme::DARK, &flame, rect, colors);
        callees.map(|callee| flame.path(callee))
    }

    /// The centers of the left and the right callee's boxes.
    const BOXES: [[f32; 2]; 2] = [[245.0, 48.0], [295.0, 48.0]];

    #[test]
    fn double_click_zooms_and_late_click_selects() {
        let mut screen = Screen::new(1.0);
        let [left, right] = draw_flame(&mut screen, [1.0, 1.0]);
        let start = Instant::now();
        let click = |screen: &mut Screen, at, ms| {
            screen.move_to(at);
            let now = start + Duration::from_millis(ms);
            let (used, action) = screen.event_at(PointerEvent::Pressed(PRIMARY), now);
            assert_eq!((used, screen.release().0), (true, true));
            action.expect("the click should have an action")
        };
        let select = |path: &CallPath| Action::ClickFlame(path.clone());
        assert_eq!(click(&mut screen, BOXES[0], 0), select(&left));
        assert_eq!(click(&mut screen, BOXES[0], 501), select(&left), "too late");
        assert_eq!(click(&mut screen, BOXES[0], 1001), Action::ZoomFlame);
        // A third click after a double click can begin a new double click.
        assert_eq!(click(&mut screen, BOXES[0], 1100), select(&left));
        let [x, y] = BOXES[0];
        let elsewhere = [x + 20.0, y];
        assert_eq!(click(&mut screen, elsewhere, 1200), Action::ZoomFlame);
        assert_eq!(click(&mut screen, BOXES[0], 2000), select(&left));
        assert_eq!(click(&mut screen, BOXES[1], 2100), select(&right));
        assert_eq!(click(&mut screen, BOXES[0], 2200), select(&left));
        // A click on a row comes between two clicks on a box.
        let row = screen.row(1);
        assert_eq!(click(&mut screen, row, 2300), Action::ClickRow(1));
        assert_eq!(click(&mut screen, BOXES[0], 2400), select(&left));
        // The live flame graph changes under the pointer.
        draw_flame(&mut screen, [1.0, 9.0]);
        assert_eq!(click(&mut screen, BOXES[0], 2500), Action::ZoomFlame);
    }

    #[test]
    fn double_clicks_need_a_clock() {
        let mut screen = Screen::new(1.0);
        let [left, _] = draw_flame(&mut screen, [1.0, 1.0]);
        screen.move_to(BOXES[0]);
        for _ in 0..2 {
            let select = Action::ClickFlame(left.clone());
            assert_eq!(screen.press(), (true, Some(select)));
            screen.release();
        }
    }

    #[test]
    fn clicks_on_plain_titles_do_nothing() {
        let mut screen = Screen::new(1.0);
        for at in [[15.0, 12.0], [15.0, 185.0]] {
            assert_eq!(screen.move_to(at), (true, None), "{at:?}");
            assert_eq!(screen.press(), (true, None));
            assert_eq!(screen.release(), (true, None));
        }
    }

    #[test]
    fn press_outside_belongs_to_the_host_until_release() {
        let mut screen = Screen::new(1.0);
        // The report has three rows, with nothing below them.
        let below = [screen.row(2)[0], screen.row(2)[1] + 15.0];
        for at in [[5.0, 50.0], below, [300.0, 200.0], [f32::NAN, 50.0]] {
            assert_eq!(screen.move_to(at), (false, None), "{at:?}");
            let wheel = PointerEvent::Wheel {
                lines: 1.0,
                zoom: false,
            };
            assert_eq!(screen.event(wheel), (false, None));
            assert_eq!(screen.press(), (false, None));
            // The pointer is dragged over a row. The events still belong to the host, and no tooltip appears.
            assert_eq!(screen.move_to(screen.row(1)), (false, None));
            assert_eq!(screen.pointer.hover(), None);
            let press = PointerEvent::Pressed(PointerButton::Secondary);
            assert_eq!(screen.event(press), (false, None));
            screen.event(PointerEvent::Released(PointerButton::Secondary));
            assert_eq!(screen.release(), (false, None));
            assert!(screen.pointer.hover().is_some());
        }
        // The reverse: the button is pressed over the overlay.
        screen.move_to(screen.row(1));
        screen.press();
        assert_eq!(screen.move_to([300.0, 200.0]), (true, None));
        assert_eq!(screen.event(PointerEvent::LeftWindow), (true, None));
        assert_eq!(screen.release(), (true, None));
        assert_eq!(screen.move_to([300.0, 200.0]), (false, None));
    }

    #[test]
    fn dragging_updates_range_once_per_bar() {
        let mut screen = Screen::new(1.0);
        screen.move_to(screen.frame(20));
        screen.press();
        let [x, y] = screen.frame(20);
        assert_eq!(
            screen.move_to([x + 1.0, y]),
            (true, None),
            "a tiny move should not start a drag"
        );
        let range = |first, last| {
            let range = Frames::Range { first, last };
            (true, Some(Action::SetFrames(range)))
        };
        assert_eq!(screen.move_to(screen.frame(15)), range(1080, 1085));
        // A different button does not end the drag.
        for event in [PointerEvent::Pressed, PointerEvent::Released] {
            assert_eq!(screen.event(event(PointerButton::Other)), (true, None));
        }
        assert_eq!(screen.move_to([screen.frame(15)[0], -50.0]), (true, None));
        assert_eq!(screen.move_to(screen.frame(30)), range(1080, 1070));
        assert_eq!(screen.move_to(screen.frame(20)), range(1080, 1080));
        // The pointer is dragged beyond the ends of the graph.
        assert_eq!(screen.move_to([900.0, y]), range(1080, 1100));
        assert_eq!(screen.move_to([-900.0, y]), range(1080, 1001));
        assert_eq!(screen.release(), (true, None));
        assert_eq!(screen.move_to(screen.frame(3)), (true, None));
    }

    #[test]
    fn range_includes_all_frames_in_its_bars() {
        // There are eight frames per px.
        let mut screen = Screen::new(1.0 / 16.0);
        screen.move_to([RIGHT - 8.5, FOOT]);
        screen.press();
        let (_, action) = screen.move_to([RIGHT - 0.5, FOOT]);
        let Some(Action::SetFrames(Frames::Range {
            first: from,
            last: to,
        })) = action
        else {
            panic!("{action:?}")
        };
        assert_eq!((from % 8, to), (0, 1100));
        assert_eq!(
            to.div_ceil(8) - from / 8,
            9,
            "range should cover nine bars: {from} to {to}"
        );
        let (_, action) = screen.move_to([RIGHT - 11.5, FOOT]);
        let Some(Action::SetFrames(Frames::Range {
            first: from,
            last: to,
        })) = action
        else {
            panic!("{action:?}")
        };
        assert_eq!((from % 8, to % 8, from - to), (7, 0, 31));
    }

    #[test]
    fn wheel_moves_cursor_scrolls_and_zooms() {
        let mut screen = Screen::new(1.0);
        let wheel = |lines, zoom| PointerEvent::Wheel { lines, zoom };
        screen.move_to(screen.row(1));
        assert_eq!(
            screen.event(wheel(1.0, false)),
            (true, Some(Action::MoveCursor(-1)))
        );
        assert_eq!(
            screen.event(wheel(-2.0, true)),
            (true, Some(Action::MoveCursor(2)))
        );
        // A touchpad scrolls fractions of lines.
        let steps: Vec<_> = (0..5).map(|_| screen.event(wheel(-0.4, false)).1).collect();
        let down = Some(Action::MoveCursor(1));
        assert_eq!(steps, [None, None, down.clone(), None, down]);
        screen.event(wheel(-0.9, false));
        assert_eq!(screen.event(wheel(0.4, false)), (true, None));
        screen.event(wheel(-0.4, false));
        assert_eq!(screen.event(wheel(f32::NAN, false)), (true, None));
        // A fraction of a line scrolls by the same fraction of ten bars.
        screen.move_to(screen.frame(5));
        let bars = |screen: &mut Screen| match screen.event(wheel(0.15, false)).1 {
            Some(Action::ScrollGraph(bars)) => bars,
            other => panic!("{other:?}"),
        };
        let steps: Vec<_> = (0..8).map(|_| bars(&mut screen)).collect();
        assert!(
            steps.iter().all(|bars| [-1, -2].contains(bars)),
            "{steps:?}"
        );
        assert!([-11, -12].contains(&steps.iter().sum()), "{steps:?}");
        // The wheel still works after invalid values from the host.
        for (at, each) in [(screen.row(1), 1), (screen.frame(5), -10)] {
            screen.move_to(at);
            for lines in [-f32::MAX, f32::MAX, 1e30, -1e30] {
                let (_, action) = screen.event(wheel(lines, false));
                let far = match action {
                    Some(Action::MoveCursor(down) | Action::ScrollGraph(down)) => down,
                    other => panic!("{other:?}"),
                };
                assert_eq!(far.abs(), 1_000 * i32::abs(each), "{lines}");
            }
            let (_, action) = screen.event(wheel(-1.0, false));
            assert!(
                [Action::MoveCursor(1), Action::ScrollGraph(10)]
                    .map(Some)
                    .contains(&action),
                "{action:?}"
            );
        }
        screen.move_to([12.0, FOOT - 20.0]);
        assert_eq!(
            screen.event(wheel(2.0, false)),
            (true, Some(Action::ZoomGraphVertically(2.0)))
        );
        assert_eq!(
            screen.event(wheel(-2.0, true)),
            (true, Some(Action::ScrollGraphVertically(-0.25)))
        );
        screen.move_to(screen.frame(5));
        assert_eq!(
            screen.event(wheel(1.0, false)),
            (true, Some(Action::ScrollGraph(-10)))
        );
        assert_eq!(
            screen.event(wheel(1.0, true)),
            (true, Some(Action::ZoomGraph(2.0)))
        );
        assert_eq!(
            screen.event(wheel(-2.0, true)),
            (true, Some(Action::ZoomGraph(0.25)))
        );
    }
}
