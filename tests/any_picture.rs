//! Draws random reports and graphs. Everything drawn for a report must stay within its rectangle, and everything drawn
//! for a graph must stay within the screen.

#![cfg(feature = "gl")]
#![allow(
    unsafe_code,
    reason = "overlays require the promise that their context is current"
)]

#[path = "support/fake_gl.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with other tests")]
mod fake_gl;
#[path = "support/painted.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with other tests")]
mod painted;

use fake_gl::{address, take_calls, take_places};
use iprof::overlay::{PointerButton, PointerEvent};
use iprof::{
    Bar, ColumnId, Expansion, Graph, GraphBucket, GraphMark, GraphStyle, GraphZone, Report, Row,
    Segment,
};
use painted::Painted;
use proptest::prelude::*;
use std::time::Duration;

const SCREEN: [f32; 2] = [640.0, 480.0];
/// The maximum number of vertices in a picture.
const MOST_VERTICES: usize = 4_000_000;

fn overlay() -> Painted {
    // SAFETY: the functions of `fake_gl` need no context.
    unsafe { Painted::from_loader(address) }.expect("failed to create an overlay")
}

fn any_float() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -100.0..1_000.0_f32,
        1 => prop::num::f32::ANY,
        1 => prop::sample::select(vec![
            f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1e38, -1e38, f32::MAX, f32::MIN,
            f32::MIN_POSITIVE, 1e-40, 16_777_216.0, 1e9, 0.5, 1.0,
        ]),
    ]
}

fn any_double() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => 0.0..100_000.0_f64,
        1 => prop::num::f64::ANY,
        1 => prop::sample::select(vec![
            f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 1e15, -1.0, 9_999.0,
        ]),
    ]
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => ".{0,40}",
        1 => Just(String::new()),
        1 => "[\u{0}-\u{1f}\u{7f}-\u{9f}]{0,20}",
        1 => "[\u{590}-\u{6ff}\u{200e}\u{200f}\u{202a}-\u{202e}\u{300}-\u{36f}]{0,30}",
        1 => (any::<char>(), 0..20_000_usize).prop_map(|(c, count)| c.to_string().repeat(count)),
    ]
}

fn any_column() -> impl Strategy<Value = ColumnId> {
    prop::sample::select(ColumnId::ALL)
}

fn any_record() -> impl Strategy<Value = Row> {
    let prefixes = prop::sample::select(vec![
        Expansion::Leaf,
        Expansion::Collapsed,
        Expansion::Expanded,
    ]);
    let indent = prop_oneof![3 => 0..20_u32, 1 => any::<u32>(), 1 => Just(u32::MAX)];
    let value = (any_column(), any_double(), any_double());
    let values = prop::collection::vec(value, 0..8);
    let rest = (prefixes, indent, any_float(), any::<bool>());
    (any_text(), values, rest).prop_map(|(name, values, (expansion, indent, heat, cursor))| {
        let mut row = Row::new(&name, []);
        for (column, number, error) in values {
            row.set_value(column, iprof::Value::sampled(number, error));
        }
        (row.expansion, row.indent) = (expansion, indent);
        (row.heat, row.cursor) = (heat, cursor);
        row
    })
}

fn any_report() -> impl Strategy<Value = Report> {
    let texts = || prop::collection::vec(any_text(), 0..4);
    let columns = prop::collection::vec(any_column(), 0..9);
    let rows = prop::collection::vec(any_record(), 0..30);
    // Large reports repeat a few rows.
    let times = prop_oneof![8 => Just(1_usize), 1 => Just(100_000)];
    (texts(), texts(), columns, rows, times, any_double()).prop_map(
        |(title, warnings, columns, mut rows, times, frame_ms)| {
            let count = rows.len();
            if count > 0 {
                let more = times.saturating_sub(count);
                let cycle: Vec<_> = rows.iter().take(3).cloned().collect();
                rows.extend(cycle.into_iter().cycle().take(more));
            }
            let mut report = Report::default();
            (report.title, report.warnings) = (title, warnings);
            (report.columns, report.rows) = (columns, rows);
            report.frame_ms = frame_ms;
            report
        },
    )
}

fn any_graph() -> impl Strategy<Value = Graph> {
    let styles = prop::sample::select(vec![GraphStyle::Bars, GraphStyle::Lines]);
    let zones = prop::collection::vec(any_text(), 0..12);
    let segment = (0..16_u32, any_float()).prop_map(|(zone, ms)| Segment { zone, ms });
    let bar = (any_double(), prop::collection::vec(segment, 0..6));
    let bars = prop::collection::vec(bar, 0..60);
    let capacity = prop_oneof![3 => 0..2_000_usize, 1 => any::<usize>(), 1 => Just(usize::MAX)];
    let frame = || prop::option::of(prop_oneof![0..80_u64, any::<u64>()]);
    let places = (
        capacity,
        frame(),
        frame().prop_flat_map(move |a| (Just(a), frame())),
        prop_oneof![0..100_usize, any::<usize>()],
        any_float(),
    );
    let first = prop_oneof![Just(0), Just(1_000), Just(u64::MAX - 100)];
    let marks = prop::collection::vec((0..80_u64, any_text()), 0..4);
    (styles, any_text(), zones, bars, places, first, marks).prop_map(
        |(style, title, zones, bars, (capacity, cursor, range, scrolled, zoom), first, marks)| {
            let bar = |(frame, (ms, segments))| {
                let mut bar = Bar::new(frame, segments);
                bar.ms = ms;
                bar
            };
            let mark = |(at, name): &(u64, String)| GraphMark {
                frame: first + at,
                name: name.as_str().into(),
            };
            let mut graph = Graph::default();
            graph.style = style;
            graph.title = title;
            graph.zones = zones.iter().map(|name| GraphZone::new(name)).collect();
            graph.bars = (first..).zip(bars).map(bar).collect();
            for bar in graph.bars.iter().take(capacity % 3 * 20) {
                graph.buckets.push(GraphBucket {
                    begin: Duration::MAX,
                    end: Duration::MAX,
                    first: bar.frame,
                    last: bar.frame,
                    count: bar.frame,
                    longest_ms: 2.0 * bar.ms,
                    shown: 0,
                });
            }
            graph.capacity = capacity;
            graph.cursor = cursor;
            graph.range = range.0.zip(range.1);
            graph.marks = marks.iter().map(mark).collect();
            graph.scrolled = scrolled;
            graph.zoom = zoom;
            graph
        },
    )
}

/// Checks that all vertices drawn since the last call are inside a rectangle.
fn assert_inside([left, top, right, bottom]: [f32; 4]) {
    take_calls();
    let places = take_places();
    assert!(places.len() <= MOST_VERTICES, "{} vertices", places.len());
    for [x, y] in places {
        let is_inside = (left..=right).contains(&x) && (top..=bottom).contains(&y);
        assert!(
            is_inside,
            "{x}, {y} is outside {left}, {top}, {right}, {bottom}"
        );
    }
}

const ON_THE_SCREEN: [f32; 4] = [0.0, 0.0, SCREEN[0], SCREEN[1]];

fn any_rectangle() -> impl Strategy<Value = [f32; 4]> {
    [any_float(), any_float(), any_float(), any_float()]
}

/// At the large coordinates used here, floats can't distinguish adjacent pixels.
#[test]
fn graph_with_distant_origin_ends_on_screen() {
    let mut overlay = overlay();
    let mut graph = Graph::default();
    graph.capacity = 57_857;
    take_places();
    overlay.draw(|frame| frame.draw_graph(&graph, -1.46e10, 0.0, 250_000.0, 22_000.0));
    let places = take_places();
    assert!(!places.is_empty());
    assert!(places.iter().all(|[x, _]| *x <= SCREEN[0]), "{places:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn any_report_is_drawn_inside_its_rectangle(
        report in any_report(),
        [x, y, w, h] in any_rectangle(),
        precision in prop_oneof![0..6_u32, any::<u32>()],
        size in any_float(),
        at in [any_float(), any_float()],
    ) {
        let mut overlay = overlay();
        overlay.set_text_size(size);
        overlay.pointer(PointerEvent::Moved { x: at[0], y: at[1] });
        take_places();
        for _ in 0..2 {
            overlay.draw(|frame| frame.draw_report(&report, x, y, w, h, precision));
            assert_inside([x, y, x + w, y + h].map(f32::round));
            overlay.draw(|frame| frame.draw_tooltip());
            assert_inside(ON_THE_SCREEN);
        }
        let _ = overlay.hit(at[0], at[1]);
        overlay.pointer(PointerEvent::Pressed(PointerButton::Primary));
        overlay.pointer(PointerEvent::Wheel { lines: size, zoom: false });
    }

    #[test]
    fn any_graph_is_drawn_inside_the_screen(
        graph in any_graph(),
        [x, y, x_spacing, y_spacing] in any_rectangle(),
        scale in any_float(),
        at in [0.0..640.0_f32, 0.0..480.0_f32],
    ) {
        let mut overlay = overlay();
        overlay.set_scale(scale);
        overlay.pointer(PointerEvent::Moved { x: at[0], y: at[1] });
        take_places();
        for _ in 0..2 {
            overlay.draw(|frame| frame.draw_graph(&graph, x, y, x_spacing, y_spacing));
            // A graph may extend past the left and top edges of the screen, where it is invisible. The host decides how
            // far.
            let unit = if scale.is_finite() && scale > 0.0 { scale } else { 1.0 };
            let [left, top] = [x * unit, y * unit].map(|at| at.round().min(0.0));
            assert_inside([left, top, SCREEN[0], SCREEN[1]]);
            overlay.draw(|frame| frame.draw_tooltip());
            assert_inside(ON_THE_SCREEN);
        }
        let _ = overlay.hit(at[0], at[1]);
        overlay.pointer(PointerEvent::Pressed(PointerButton::Primary));
        overlay.pointer(PointerEvent::Wheel { lines: scale, zoom: true });
    }

    #[test]
    fn any_bytes_load_as_font_or_error(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40),
        length in prop::option::of(any::<prop::sample::Index>()),
        text in any_text(),
        size in 1.0..96.0_f32,
    ) {
        const FONT: &[u8] = include_bytes!("../fonts/JetBrainsMono-Medium-subset.ttf");
        let mut bytes = FONT.to_vec();
        // Half of the changes are in the table directory, and the rest are anywhere.
        for (at, (place, value)) in changes.into_iter().enumerate() {
            let among = if at % 2 == 0 { 600 } else { bytes.len() };
            bytes[place.index(among)] = value;
        }
        if let Some(length) = length {
            bytes.truncate(length.index(FONT.len()));
        }
        let mut overlay = overlay();
        let _ = overlay.set_font(&bytes);
        overlay.set_text_size(size);
        let mut report = Report::default();
        report.title = vec!["0123456789 abc".into(), text];
        report.columns = vec![ColumnId::SelfTime];
        let row = |name, ms| Row::new(name, [(ColumnId::SelfTime, ms)]);
        report.rows = vec![row("zone", 1.5), row("hot", 2.5)];
        report.rows[1].heat = 1.0;
        take_places();
        overlay.draw(|frame| frame.draw_report(&report, 10.0, 10.0, 500.0, 300.0, 2));
        assert_inside([10.0, 10.0, 510.0, 310.0]);
    }
}
