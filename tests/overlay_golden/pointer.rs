//! Tests the pointer over reports and graphs: tooltips, clicks and drags. This file is long because all of its tests
//! share a report and a graph.

use crate::scenes::{frames, rows};
use crate::stage::{draw_background, overlay, picture, stage};
use crate::support::headless::{Headless, Kind};
use crate::support::image::{Image, Tolerance, assert_golden};
use crate::support::painted::Painted;
use iprof::overlay::{Hit, PointerButton, PointerEvent};
use iprof::{Action, ColumnId, Frames, Graph, GraphMark, GraphStyle, Report, Value};
#[cfg(feature = "enable")]
use std::time::{Duration, Instant};

/// The tolerance for pictures whose edges are all on whole pixels, as in `pictures`.
const EXACT_EDGES: Tolerance = Tolerance {
    per_channel: 2,
    pixels: 8,
};
const SIZE: [i32; 2] = [640, 480];

fn report() -> Report {
    let mut report = rows(14, 3);
    report.frame_ms = 16.7;
    for row in &mut report.rows {
        if let Some(value) = row.value(ColumnId::SelfTime) {
            row.set_value(ColumnId::SelfTime, Value::sampled(value.number, 0.012));
        }
        row.location = Some(("src/render/shadows.rs", 218));
    }
    report
}

fn graph() -> Graph {
    let mut graph = frames(GraphStyle::Bars);
    graph.cursor = None;
    graph.range = Some((2_060, 2_090));
    graph.marks.push(GraphMark {
        frame: 2_110,
        name: "level loaded".into(),
    });
    graph
}

fn draw_all(overlay: &mut Painted) {
    overlay.draw(|frame| frame.draw_report(&report(), 10.0, 10.0, 400.0, 250.0, 2));
    overlay.draw(|frame| frame.draw_graph(&graph(), 10.0, 270.0, 4.0, 4.0));
    overlay.draw(|frame| frame.draw_tooltip());
}

fn move_to(overlay: &mut Painted, x: f32, y: f32) -> bool {
    overlay.pointer(PointerEvent::Moved { x, y }).consumed
}

fn check(name: &str, [x, y]: [f32; 2]) {
    for kind in [Kind::Gl33Core, Kind::Gles30] {
        let picture = picture(kind, SIZE, |overlay| {
            move_to(overlay, x, y);
            draw_all(overlay);
        });
        if let Some(picture) = picture {
            assert_golden(name, &picture, EXACT_EDGES);
        }
    }
}

#[test]
fn hovered_row_has_a_tooltip_next_to_it() {
    check("tooltip_row", [120.0, 100.0]);
}

#[test]
fn tooltip_at_lower_right_opens_up_and_left() {
    // This point is on the bar of the marked frame.
    check("tooltip_frame", [606.0 - 4.0 * 39.0, 455.0]);
}

#[test]
fn pointer_works_in_pixels_and_virtual_units() {
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    for scale in [1.0, 2.0] {
        let mut overlay = overlay(&h);
        overlay.set_screen(SIZE[0] as f32 / scale, SIZE[1] as f32 / scale);
        overlay.draw(|frame| frame.draw_report(&report(), 10.0, 10.0, 200.0, 100.0, 2));
        overlay.draw(|frame| frame.draw_graph(&graph(), 10.0, 120.0, 2.0, 2.0));
        let (mut rows, mut frames) = (0, 0);
        for at in 0..2_000 {
            let [x, y] = [(at * 37 % 640) as f32, (at * 61 % 480) as f32];
            let [x, y] = [(x + 0.5) / scale, (y + 0.5) / scale];
            let taken = move_to(&mut overlay, x, y);
            let pressed = overlay.pointer(PointerEvent::Pressed(PointerButton::Primary));
            overlay.pointer(PointerEvent::Released(PointerButton::Primary));
            assert_eq!(pressed.consumed, taken);
            let wanted = match overlay.hit(x, y) {
                Some(Hit::Row(row)) => {
                    rows += 1;
                    Some(Action::ClickRow(row))
                }
                Some(Hit::Frame { number, .. }) => {
                    frames += 1;
                    Some(Action::SetFrames(Frames::Number(number)))
                }
                // Headers are tested in the `help` module.
                _ => None,
            };
            let is_other =
                |action: &Action| matches!(action, Action::ClickHeader(_) | Action::SelectZone(_));
            let action = pressed.action.filter(|action| !is_other(action));
            assert_eq!(action, wanted, "{x}, {y}");
            assert!(taken || wanted.is_none());
        }
        assert!(rows > 20 && frames > 20, "{rows} rows, {frames} frames");
        overlay.destroy();
    }
}

#[test]
fn no_tooltip_without_pointer_or_for_removed_items() {
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    let mut overlay = overlay(&h);
    let draw = |overlay: &mut Painted| -> Image {
        draw_background(&h);
        draw_all(overlay);
        h.read()
    };
    let plain = draw(&mut overlay);
    move_to(&mut overlay, 120.0, 100.0);
    let with_tooltip = draw(&mut overlay);
    assert!(with_tooltip.differing(&plain, 2) > 5_000);
    assert_eq!(
        draw(&mut overlay).differing(&with_tooltip, 0),
        0,
        "the tooltip should not change"
    );
    overlay.pointer(PointerEvent::LeftWindow);
    assert_eq!(
        draw(&mut overlay).differing(&plain, 0),
        0,
        "the tooltip should disappear"
    );
    // Move the pointer between the report and the graph, and then to an empty area.
    for (x, y) in [(120.0, 265.0), (600.0, 100.0)] {
        move_to(&mut overlay, x, y);
        assert_eq!(draw(&mut overlay).differing(&plain, 0), 0);
    }
    // Hold a mouse button that belongs to the host.
    overlay.pointer(PointerEvent::Pressed(PointerButton::Secondary));
    move_to(&mut overlay, 120.0, 100.0);
    assert_eq!(draw(&mut overlay).differing(&plain, 0), 0);
    overlay.pointer(PointerEvent::Released(PointerButton::Secondary));
    assert_eq!(draw(&mut overlay).differing(&with_tooltip, 0), 0);
    // Stop drawing the report.
    draw_background(&h);
    let ground = h.read();
    overlay.draw(|frame| frame.draw_report(&report(), f32::NAN, 10.0, 400.0, 250.0, 2));
    overlay.draw(|frame| frame.draw_tooltip());
    assert_eq!(h.read().differing(&ground, 0), 0);
    overlay.destroy();
}

/// Returns the height of a tooltip drawn after `draw`, or 0 without one.
fn tooltip_height(h: &Headless, overlay: &mut Painted, draw: &dyn Fn(&mut Painted)) -> usize {
    draw_background(h);
    draw(overlay);
    let before = h.read();
    overlay.draw(|frame| frame.draw_tooltip());
    let after = h.read();
    let differs = |y: &u32| (0..after.width).any(|x| after.pixel(x, *y) != before.pixel(x, *y));
    (0..after.height).filter(differs).count()
}

#[test]
fn tooltip_is_for_the_topmost_item() {
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    let mut overlay = overlay(&h);
    let mut tooltip_at = |[x, y]: [f32; 2], draw: &dyn Fn(&mut Painted)| -> usize {
        move_to(&mut overlay, x, y);
        tooltip_height(&h, &mut overlay, draw)
    };
    let report_at = |overlay: &mut Painted, y| {
        overlay.draw(|frame| frame.draw_report(&report(), 10.0, y, 400.0, 200.0, 2))
    };
    let bars_at = |overlay: &mut Painted, y| {
        overlay.draw(|frame| frame.draw_graph(&graph(), 10.0, y, 4.0, 4.0))
    };
    let (row, bar) = ([300.0, 100.0], [600.0, 195.0]);
    let of_row = tooltip_at(row, &|overlay| report_at(overlay, 10.0));
    let of_bar = tooltip_at(bar, &|overlay| bars_at(overlay, 10.0));
    assert!(
        of_row > 100 && (30..70).contains(&of_bar),
        "{of_row}, {of_bar}"
    );
    let nothing = tooltip_at(row, &|_| ());
    assert_eq!(
        nothing, 0,
        "there should be no tooltip when nothing was drawn"
    );
    let moved_away = tooltip_at(row, &|overlay| {
        report_at(overlay, 10.0);
        report_at(overlay, 240.0);
    });
    assert_eq!(moved_away, 0);
    let moved_away = tooltip_at(bar, &|overlay| {
        bars_at(overlay, 10.0);
        bars_at(overlay, 260.0);
    });
    assert_eq!(moved_away, 0);
    // The graph is drawn after the report and covers the row.
    let over_bars = tooltip_at([300.0, 195.0], &|overlay| {
        report_at(overlay, 10.0);
        bars_at(overlay, 10.0);
    });
    assert_eq!(over_bars, of_row);
    overlay.destroy();
}

#[cfg(feature = "enable")]
fn first_row(hit: impl Fn(f32, f32) -> Option<Hit>) -> f32 {
    let mut heights = (0..250).map(|y| y as f32 + 0.5);
    let row = heights.find(|y| hit(100.0, *y) == Some(Hit::Row(0)));
    row.expect("a row should be hit")
}

/// Returns a view that shows a test's zones in the newest frame, sorted by count.
#[cfg(feature = "enable")]
fn by_count(zones: &str) -> iprof::View {
    let mut view = iprof::View::default();
    view.filter = zones.to_owned();
    view.average = iprof::Average::Newest;
    view.set_sort(iprof::Sort::Column(ColumnId::Count), false);
    view
}

#[cfg(feature = "enable")]
fn selected(report: &Report) -> String {
    let is_selected = |row: &&iprof::Row| row.expansion == iprof::Expansion::Expanded;
    let selected = report.rows.iter().find(is_selected);
    selected
        .expect("a zone should be selected")
        .name
        .to_string()
}

/// The time after which a report is settled. Once a report has been on screen for two seconds, its rows keep their
/// order while the pointer is over one of them. After a click, rows keep their order for two seconds, wherever the
/// pointer is.
#[cfg(feature = "enable")]
const SETTLED: Duration = Duration::from_millis(2_100);
/// The longest allowed pause between draws. A report that hasn't been drawn for two seconds is no longer considered on
/// screen.
#[cfg(feature = "enable")]
const NEXT_DRAWING: Duration = Duration::from_millis(1_500);

/// Calls `draw(false)` until the report has settled, and then `draw(true)`, which also clicks. Returns whether the
/// calls followed each other quickly enough, which may fail on a busy machine.
#[cfg(feature = "enable")]
fn settled(mut draw: impl FnMut(bool)) -> bool {
    draw(false);
    let begun = Instant::now();
    let mut last = begun;
    loop {
        let clicks = begun.elapsed() >= SETTLED;
        draw(clicks);
        if clicks || last.elapsed() >= NEXT_DRAWING {
            return last.elapsed() < NEXT_DRAWING;
        }
        last = Instant::now();
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(feature = "enable")]
fn fast_enough<R>(attempt: impl FnMut() -> Option<R>) -> R {
    let mut attempts = std::iter::repeat_with(attempt).take(20);
    let done = attempts.find_map(|done| done);
    done.expect("too slow in all 20 attempts")
}

/// The free function `iprof::pointer` acts on the default view.
#[test]
#[cfg(feature = "enable")]
fn free_click_function_changes_the_default_view() {
    let _alone = crate::stage::default_view();
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    assert!(iprof::gl::make_current(Some(overlay(&h).pair())).is_none());
    {
        iprof::zone!(clicked_zone);
    }
    iprof::update(true);
    iprof::with_view(|view| view.filter = "clicked_zone".to_owned());
    iprof::configure(|config| config.refresh_rate = None);
    iprof::draw_gl(10.0, 10.0, 400.0, 250.0, 2);
    let y = first_row(iprof::hit);
    assert!(iprof::pointer(PointerEvent::Moved { x: 100.0, y }));
    for _ in 0..2 {
        assert!(iprof::pointer(PointerEvent::Pressed(
            PointerButton::Primary
        )));
        assert!(iprof::pointer(PointerEvent::Released(
            PointerButton::Primary
        )));
    }
    // The first click moved the cursor to the row, unless the cursor was already there. The next click opened the row.
    let mode = iprof::with_view(|view| view.report_mode);
    assert_eq!(mode, iprof::ReportMode::CallGraph);
    iprof::gl::make_current(None)
        .expect("an overlay should be current")
        .1
        .destroy();
    assert!(!iprof::pointer(PointerEvent::Moved { x: 100.0, y }));
}

/// A click hits the row that the user aimed at, even if its numbers have changed.
#[test]
#[cfg(feature = "enable")]
fn hovered_rows_keep_their_order() {
    let _alone = crate::stage::default_view();
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    assert!(iprof::gl::make_current(Some(overlay(&h).pair())).is_none());
    iprof::configure(|config| config.refresh_rate = None);
    let frame = |first: u32, second: u32| {
        for _ in 0..first {
            iprof::zone!(aimed_at);
        }
        for _ in 0..second {
            iprof::zone!(aimed_past);
        }
        iprof::update(true);
        iprof::draw_gl(10.0, 10.0, 400.0, 250.0, 2);
    };
    let selected_after = |hovers: bool| {
        iprof::with_view(|view| *view = by_count("aimed_"));
        iprof::pointer(PointerEvent::LeftWindow);
        let is_soon = settled(|clicks| {
            if !clicks {
                frame(9, 5);
                return;
            }
            let y = first_row(iprof::hit);
            let over = PointerEvent::Moved { x: 100.0, y };
            if hovers {
                // Hovering starts only when the pointer moves after its first appearance.
                iprof::pointer(PointerEvent::Moved { x: 99.0, y });
                iprof::pointer(over);
            }
            frame(5, 9);
            iprof::pointer(over);
            // The cursor is already on the row, so this click selects the row's zone.
            iprof::pointer(PointerEvent::Pressed(PointerButton::Primary));
            iprof::pointer(PointerEvent::Released(PointerButton::Primary));
        });
        iprof::with_view(|view| view.filter = String::new());
        is_soon.then(|| selected(&iprof::report()))
    };
    let free = fast_enough(|| selected_after(false));
    assert_eq!(free, "aimed_past", "rows should move when not hovered");
    assert_eq!(fast_enough(|| selected_after(true)), "aimed_at");
    iprof::gl::make_current(None)
        .expect("an overlay should be current")
        .1
        .destroy();
}

/// Like the test above, but with the host's own view and overlay.
#[test]
#[cfg(feature = "enable")]
fn hovered_rows_of_host_view_keep_their_order() {
    let _alone = crate::stage::default_view();
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    let (mut overlay, mut controls) = (overlay(&h), iprof::Controls::new());
    iprof::configure(|config| config.refresh_rate = None);
    let record = |first: u32, second: u32| {
        for _ in 0..first {
            iprof::zone!(held_aimed);
        }
        for _ in 0..second {
            iprof::zone!(held_past);
        }
        iprof::update(true);
    };
    // Returns the name of the row that a click selects.
    let mut selected_after = |hovers: bool| {
        let mut view = by_count("held_");
        let mut send = |view: &mut iprof::View, overlay: &mut Painted, event| {
            controls.on(view, overlay).pointer(event);
        };
        send(&mut view, &mut overlay, PointerEvent::LeftWindow);
        let draw = |view: &mut iprof::View, overlay: &mut Painted| {
            let mut controls = iprof::Controls::new();
            overlay.draw(|frame| controls.draw_view(frame, view, 10.0, 10.0, 620.0, 460.0));
        };
        let is_soon = settled(|clicks| {
            if !clicks {
                record(9, 5);
                draw(&mut view, &mut overlay);
                return;
            }
            let (x, y) = (100.0, first_row(|x, y| overlay.hit(x, y)));
            if hovers {
                for x in [x - 1.0, x] {
                    send(&mut view, &mut overlay, PointerEvent::Moved { x, y });
                }
            }
            record(5, 9);
            draw(&mut view, &mut overlay);
            send(&mut view, &mut overlay, PointerEvent::Moved { x, y });
            // The click applies to the report as drawn, so later frames don't matter.
            record(if hovers { 5 } else { 9 }, if hovers { 9 } else { 5 });
            let button = PointerButton::Primary;
            send(&mut view, &mut overlay, PointerEvent::Pressed(button));
            send(&mut view, &mut overlay, PointerEvent::Released(button));
        });
        view.filter = String::new();
        is_soon.then(|| selected(&view.report(&iprof::profiler())))
    };
    let free = fast_enough(|| selected_after(false));
    assert_eq!(free, "held_past", "rows should move when not hovered");
    assert_eq!(fast_enough(|| selected_after(true)), "held_aimed");
    overlay.destroy();
}

/// Numbers on the screen stay unchanged for the refresh time, but changes to the view are visible immediately.
#[test]
#[cfg(feature = "enable")]
fn host_view_numbers_stay_for_the_refresh_time() {
    let _alone = crate::stage::default_view();
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    let (mut overlay, mut view) = (overlay(&h), iprof::View::default());
    view.filter = "numbered".to_owned();
    view.average = iprof::Average::Newest;
    iprof::configure(|config| config.refresh_rate = Some(1e-3));
    let mut picture = |view: &iprof::View, entries: u32| {
        for _ in 0..entries {
            iprof::counter!(numbered);
        }
        iprof::update(true);
        crate::stage::draw_background(&h);
        overlay.draw(|frame| frame.draw_report(view, 10.0, 10.0, 620.0, 460.0, 2));
        h.read()
    };
    let first = picture(&view, 3);
    assert!(
        first == picture(&view, 5),
        "numbers should not change before the refresh time"
    );
    view.act(&iprof::profiler(), iprof::Action::SetCursor(0));
    view.grouping = true;
    let grouped = picture(&view, 7);
    assert!(first != grouped);
    assert!(grouped == picture(&view, 9));
    iprof::configure(|config| config.refresh_rate = None);
    assert!(grouped != picture(&view, 9));
    iprof::configure(|config| config.refresh_rate = Some(10.0));
    overlay.destroy();
}

/// The default view's rows keep their order only while the pointer is over one of them.
#[test]
#[cfg(feature = "enable")]
fn hovering_another_report_does_not_hold_rows() {
    let _alone = crate::stage::default_view();
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    let mut overlay = overlay(&h);
    iprof::configure(|config| config.refresh_rate = None);
    let mut frame = |first: u32, second: u32| {
        for _ in 0..first {
            iprof::zone!(drawn_first);
        }
        for _ in 0..second {
            iprof::zone!(drawn_second);
        }
        iprof::update(true);
        overlay.draw(|frame| frame.draw_default(10.0, 10.0, 400.0, 250.0, 2));
        // From here on, a different report is drawn in place of the default view's, and the pointer is over that
        // report.
        overlay.draw(|frame| frame.draw_report(&report(), 10.0, 10.0, 400.0, 250.0, 2));
        move_to(&mut overlay, 100.0, 100.0);
        assert!(matches!(overlay.hit(100.0, 100.0), Some(Hit::Row(_))));
    };
    iprof::with_view(|view| {
        view.filter = "drawn_".to_owned();
        view.average = iprof::Average::Newest;
        view.set_sort(iprof::Sort::Column(iprof::ColumnId::Count), false);
    });
    // A click in an earlier test may have happened less than two seconds ago.
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    frame(9, 5);
    frame(5, 9);
    // The cursor is set to a row as it was last drawn.
    iprof::set_cursor(0);
    let rows = iprof::report().rows;
    let under_cursor = rows.iter().find(|row| row.cursor);
    assert_eq!(
        &*under_cursor.expect("the cursor should be on a row").name,
        "drawn_second"
    );
    overlay.destroy();
}

/// A standalone report contains only one average. The default view's report also shows the other averages.
#[test]
#[cfg(feature = "enable")]
fn default_view_tooltip_shows_all_averages() {
    let _alone = crate::stage::default_view();
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    iprof::update(true);
    let report = iprof::report();
    assert!(report.rows.len() > 1, "{report:?}");
    let mut overlay = overlay(&h);
    move_to(&mut overlay, 100.0, 62.0);
    let mut high =
        |draw: &dyn Fn(&mut Painted)| -> usize { tooltip_height(&h, &mut overlay, draw) };
    let by_itself = high(&|overlay| {
        overlay.draw(|frame| frame.draw_report(&report, 10.0, 10.0, 620.0, 250.0, 2))
    });
    let of_view =
        high(&|overlay| overlay.draw(|frame| frame.draw_default(10.0, 10.0, 620.0, 250.0, 2)));
    assert!(by_itself > 30, "{by_itself}");
    // The default view adds two lines of 15 px, and one more for each thread.
    let more = of_view - by_itself;
    assert!(more >= 30 && more.is_multiple_of(15), "{more}");
    overlay.destroy();
}

/// A live view of the host also shows all averages.
#[test]
#[cfg(feature = "enable")]
fn host_view_tooltip_shows_all_averages() {
    let _alone = crate::stage::default_view();
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    for _ in 0..3 {
        iprof::zone!(told_with_averages);
        iprof::update(true);
    }
    let mut view = iprof::View::default();
    view.filter = "told_with_averages".to_owned();
    let mut overlay = overlay(&h);
    let mut more = |view: &iprof::View| {
        let report = view.report(&iprof::profiler());
        assert_eq!(report.rows.len(), 1, "{report:?}");
        overlay.draw(|frame| frame.draw_report(view, 10.0, 10.0, 620.0, 250.0, 2));
        let y = first_row(|x, y| overlay.hit(x, y));
        move_to(&mut overlay, 100.0, y);
        let mut high =
            |draw: &dyn Fn(&mut Painted)| -> usize { tooltip_height(&h, &mut overlay, draw) };
        let by_itself = high(&|overlay| {
            overlay.draw(|frame| frame.draw_report(&report, 10.0, 10.0, 620.0, 250.0, 2))
        });
        assert!(by_itself > 30, "{by_itself}");
        high(&|overlay| overlay.draw(|frame| frame.draw_report(view, 10.0, 10.0, 620.0, 250.0, 2)))
            - by_itself
    };
    let live = more(&view);
    // A report for a single frame has no averages.
    assert!(view.act(&iprof::profiler(), Action::SetFrames(Frames::Back(1))));
    let of_frame = more(&view);
    // The additional lines, each 15 px high, show self and hierarchical time, and GPU time if another test has recorded
    // any.
    let lines = live - of_frame;
    assert!(lines >= 30 && lines.is_multiple_of(15), "{lines}");
    overlay.destroy();
}

/// Clicking a zone in the graph's legend selects the zone.
#[test]
#[cfg(feature = "enable")]
fn legend_click_shows_the_zones_call_graph() {
    let _alone = crate::stage::default_view();
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    assert!(iprof::gl::make_current(Some(overlay(&h).pair())).is_none());
    iprof::configure(|config| config.refresh_rate = None);
    {
        iprof::zone!(zone_of_the_legend);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    iprof::update(true);
    let selected = (10..630).step_by(8).find_map(|x| {
        iprof::with_view(|view| *view = iprof::View::default());
        iprof::draw_graph_gl(10.0, 270.0, 2.0, 4.0);
        // The legend is on the second line.
        let at = PointerEvent::Moved {
            x: x as f32,
            y: 292.0,
        };
        assert!(iprof::pointer(at));
        iprof::pointer(PointerEvent::Pressed(PointerButton::Primary));
        iprof::pointer(PointerEvent::Released(PointerButton::Primary));
        let mode = iprof::with_view(|view| view.report_mode);
        let rows = iprof::report().rows;
        let is_selected = |row: &&iprof::Row| row.expansion == iprof::Expansion::Expanded;
        let name = rows.iter().find(is_selected)?.name.to_string();
        (mode == iprof::ReportMode::CallGraph && name == "zone_of_the_legend").then_some(name)
    });
    assert!(selected.is_some());
    iprof::gl::make_current(None)
        .expect("an overlay should be current")
        .1
        .destroy();
}

/// Scrolling and zooming stay within the recorded frames.
#[test]
#[cfg(feature = "enable")]
fn actions_change_colors_and_scale_of_default_view() {
    let _alone = crate::stage::default_view();
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    let mut overlay = overlay(&h);
    // On a busy machine, repeat until the newest frame is short.
    let is_short = || {
        let start = std::time::Instant::now();
        iprof::update(true);
        std::thread::sleep(std::time::Duration::from_millis(30));
        iprof::update(true);
        let longer = start.elapsed();
        std::thread::sleep(std::time::Duration::from_millis(2));
        iprof::update(true);
        start.elapsed() < longer * 5 / 4
    };
    while !is_short() {}
    let mut draw = || {
        draw_background(&h);
        overlay.draw(|frame| frame.draw_default(10.0, 10.0, 400.0, 250.0, 2));
        overlay.draw(|frame| frame.draw_default_graph(10.0, 270.0, 2.0, 4.0));
        let picture = h.read();
        let ground = (12..400).map(|x| picture.pixel(x, 11)[1]);
        let is_light = ground.filter(|green| *green > 150).count() > 200;
        // This point is at the bottom of the newest bar, at the right edge.
        match overlay.hit(631.0, 459.5) {
            Some(Hit::Frame { zone, .. }) => (is_light, zone.is_some()),
            other => panic!("unexpected hit: {other:?}"),
        }
    };
    assert_eq!(draw(), (false, true));
    iprof::act(Action::NextTheme);
    assert!(draw().0);
    iprof::act(Action::NextTheme);
    iprof::act(Action::NextTheme);
    assert!(!draw().0);

    // Scroll to the top of the longest frame, where scrolling stops, and back to the bottom.
    iprof::act(Action::ZoomGraphVertically(16.0));
    iprof::act(Action::ScrollGraphVertically(1e5));
    assert!(!draw().1);
    iprof::act(Action::ScrollGraphVertically(-100.0));
    assert!(draw().1);
    overlay.destroy();
}
