//! Fuzz target: lays out arbitrary reports, graphs, tooltips and help pages on screens of any size.

use super::bytes::Bytes;
use crate::draw::help::HelpText;
use crate::draw::{BarsArea, FlameArea, Font, HelpArea, ReportArea, Subject, Theme, Tooltip};
use crate::input::bindings::Bindings;
use iprof_report::Flame;
use iprof_report::{Bar, Graph, GraphMark, GraphStyle, GraphZone, Segment};
use iprof_report::{ColumnId, Expansion, Report, Row, Sort, Value};
use std::cell::RefCell;

const ODD: [f64; 12] = [
    0.0,
    -0.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    9_999.5,
    99_999.5,
    1e-9,
    -1.0,
];
/// A limit that keeps an input's run time to a few milliseconds.
const MOST: u8 = 40;

thread_local! {
    /// The glyph cache persists from input to input, as it does from frame to frame.
    static FONT: RefCell<Font> = RefCell::new(Font::new(13.0));
}

/// Lays out a report, a graph, a flame graph, tooltips and the help.
///
/// # Panics
///
/// Panics if something is drawn outside of its bounds, or if a hit test finds something outside of them.
pub fn draw(input: &[u8]) {
    FONT.with_borrow_mut(|font| lay_out(&mut Bytes::new(input), font));
}

fn lay_out(bytes: &mut Bytes, font: &mut Font) {
    font.begin(number(bytes) as f32);
    let screen = [length(bytes), length(bytes)];
    let point = [number(bytes) as f32, number(bytes) as f32];
    let (mut report, mut graph) = (report(bytes), graph(bytes));
    let theme = more(bytes, &mut report, &mut graph);
    font.list.clear();

    let mut text = ReportArea::default();
    let [left, top] = [length(bytes) - 100.0, length(bytes) - 100.0];
    let rect = [left, top, left + screen[0], top + screen[1]];
    text.lay_out(font, &theme, &report, rect, bytes.byte().into());
    check_bounds(font, rect, "report");
    let mut headers = Vec::new();
    for point in [point, [left + 1.0, top + 3.0 * font.line]] {
        if let Some(row) = text.hit(point[0], point[1]) {
            assert!(row < report.rows.len());
        }
        if let Some(header) = text.hit_header(point[0], point[1]) {
            headers.push(header);
        }
    }

    font.list.clear();
    let mut bars = BarsArea::default();
    let budget_ms = number(bytes) as f32;
    let at = [length(bytes) - 10.0, length(bytes) - 10.0];
    let spacing = [number(bytes) as f32, number(bytes) as f32];
    graph.budget_ms = budget_ms;
    bars.lay_out(font, &theme, &graph, at, spacing, screen);
    check_bounds(
        font,
        [at[0].min(0.0), at[1].min(0.0), screen[0], screen[1]],
        "graph",
    );
    let mut tooltip = Tooltip::default();
    if let Some(hit) = bars.hit(point[0], point[1]) {
        assert!(graph.bars.iter().any(|bar| bar.frame == hit.frame));
        tooltip.describe_frame(&graph, &hit);
    }
    let _ = bars.nearest(point[0]);
    let _ = bars.is_axis(point[0], point[1]);
    let raised = bars.raised().unwrap_or_default();
    assert!(raised.is_finite() && raised >= 0.0, "{raised}");

    let lay_out_tooltip = |font: &mut Font, tooltip: &mut Tooltip| {
        font.list.clear();
        tooltip.lay_out(font, &theme, point, screen);
        check_bounds(font, [0.0, 0.0, screen[0], screen[1]], "tooltip");
    };
    for header in headers {
        tooltip.describe_header(&report, header);
        lay_out_tooltip(font, &mut tooltip);
    }
    for row in 0..report.rows.len().min(4) {
        tooltip.describe_row(&report, row);
        tooltip.describe_averages(&report, &report.rows);
        lay_out_tooltip(font, &mut tooltip);
    }
    tooltip.forget(Subject::Row);
    assert!(tooltip.is_empty() || report.rows.is_empty());
    lay_out_help(bytes, font, &theme, (rect, text.free()));
    lay_out_flame(bytes, font, &theme, (&bars, rect, point));
}

/// Lays out an arbitrary flame graph, zoomed to an arbitrary call path, and the tooltip of one box.
fn lay_out_flame(
    bytes: &mut Bytes,
    font: &mut Font,
    theme: &Theme,
    (bars, rect, point): (&BarsArea, [f32; 4], [f32; 2]),
) {
    let flags = bytes.byte();
    let mut flame = Flame {
        title: name(bytes),
        root_name: if flags & 8 != 0 {
            name(bytes)
        } else {
            String::new()
        },
        zoomed: bytes.byte().into(),
        cursor: (flags & 1 != 0).then_some(bytes.byte().into()),
        selected: (flags & 2 != 0).then_some(bytes.byte().into()),
        ..Flame::default()
    };
    for _ in 0..flags >> 5 {
        let name = name(bytes).into();
        let is_idle = bytes.byte() & 1 != 0;
        flame.zones.push(GraphZone { name, is_idle });
    }
    for _ in 0..bytes.byte() {
        let (caller, zone) = (bytes.byte(), bytes.byte() & 7);
        let node = flame.add(caller.into(), zone.into(), number(bytes), number(bytes));
        flame.nodes[node].before_ms = number(bytes);
    }
    if flags & 4 != 0 {
        (flame.unit_ms, flame.whole_change_ms) = (number(bytes), number(bytes));
    }
    font.list.clear();
    let mut area = FlameArea::default();
    area.lay_out(font, theme, &flame, rect, bars.colors());
    check_bounds(font, rect, "flame graph");
    let [left, top, right, bottom] = area.area();
    for [x, y] in [
        point,
        [left + 1.0, bottom - 1.0],
        [right - 1.0, top + 1.5 * font.line],
    ] {
        let Some(hovered) = area.box_at(x, y) else {
            continue;
        };
        assert!(hovered.left <= x && x < hovered.right && right > left);
        let hit = area.hit(x, y).expect("no box at this point");
        assert_eq!(flame.path(hovered.node as usize), hit.path);
        let mut tooltip = Tooltip::default();
        tooltip.describe_call_path(&flame, &hovered);
        assert!(!tooltip.is_empty());
    }
}

/// Lays out the help with the host's keys, and the hint that refers to the help, in a rectangle with free areas.
fn lay_out_help(
    bytes: &mut Bytes,
    font: &mut Font,
    theme: &Theme,
    (rect, free): ([f32; 4], &[[f32; 4]]),
) {
    let mut bindings = Bindings::default();
    for _ in 0..bytes.byte() & 7 {
        bindings.describe_own_key(&name(bytes), &name(bytes));
    }
    let (mut text, mut help) = (HelpText::default(), HelpArea::default());
    text.update(&bindings);
    font.list.clear();
    help.lay_out_hint(font, theme, text.hint(), rect, free);
    check_bounds(font, rect, "hint");
    font.list.clear();
    let page = bytes.byte().into();
    let pages = help.lay_out(font, theme, &mut text, page, rect);
    check_bounds(font, rect, "help");
    assert!(pages > 0);
    help.forget();
}

/// Reads fields that were added later. They are read last, so that older inputs keep their meaning.
fn more(bytes: &mut Bytes, report: &mut Report, graph: &mut Graph) -> Theme {
    let flags = bytes.byte();
    report.order_held = flags & 1 != 0;
    let idle = u32::from_le_bytes(std::array::from_fn(|_| bytes.byte()));
    for (at, row) in report.rows.iter_mut().enumerate() {
        row.is_idle = idle >> (at % 32) & 1 != 0;
    }
    if flags & 2 != 0 {
        graph.vertical_zoom = number(bytes) as f32;
        graph.raised = number(bytes) as f32;
    }
    [Theme::DARK, Theme::LIGHT, Theme::COLOR_BLIND][usize::from(flags >> 2) % 3]
}

/// Checks the bounds, with a tolerance for rounding to pixels.
fn check_bounds(font: &Font, [left, top, right, bottom]: [f32; 4], what: &str) {
    for vertex in font.list.quads().iter().flatten() {
        let [x, y] = vertex.position;
        let is_inside = x >= left - 1.0 && x <= right + 1.0 && y >= top - 1.0 && y <= bottom + 1.0;
        assert!(
            is_inside,
            "{what}: {x} {y} is not in {left} {top} {right} {bottom}"
        );
    }
}

/// Reads a length or a position on a screen, up to a few thousand pixels.
fn length(bytes: &mut Bytes) -> f32 {
    f32::from(u16::from_le_bytes([bytes.byte(), bytes.byte() & 31]))
}

fn number(bytes: &mut Bytes) -> f64 {
    match bytes.byte() {
        odd @ 0..=63 => ODD[usize::from(odd) % ODD.len()],
        small @ 64..=127 => f64::from(small - 64) / 4.0,
        large @ 128..=191 => f64::from(large - 127) * 333.3,
        _ => f64::from_bits(u64::from_le_bytes(std::array::from_fn(|_| bytes.byte()))),
    }
}

fn name(bytes: &mut Bytes) -> String {
    let length = bytes.byte();
    match length {
        0..=15 => "physics::solve".into(),
        16..=31 => "Ä漢\u{202e}\u{0}\n\t\u{10ffff}".into(),
        255 => "long ".repeat(2_000),
        _ => {
            let text: Vec<u8> = (0..length & 31).map(|_| bytes.byte()).collect();
            String::from_utf8_lossy(&text).into_owned()
        }
    }
}

fn names(bytes: &mut Bytes) -> Vec<String> {
    (0..bytes.byte() & 3).map(|_| name(bytes)).collect()
}

fn report(bytes: &mut Bytes) -> Report {
    let columns = usize::from(bytes.byte()) % (ColumnId::ALL.len() + 2);
    let mut report = Report {
        title: names(bytes),
        warnings: names(bytes),
        columns: (0..columns).map(|_| column(bytes.byte())).collect(),
        frame_ms: number(bytes),
        ..Report::default()
    };
    let flags = bytes.byte();
    report.whole_counts = flags & 1 != 0;
    report.baseline_whole_counts = flags & 2 != 0;
    report.sorted = (flags & 4 != 0).then_some((
        if flags & 8 != 0 {
            Sort::Column(column(flags >> 5))
        } else {
            Sort::Name
        },
        flags & 16 != 0,
    ));
    for _ in 0..bytes.byte().min(MOST) {
        report.rows.push(row(bytes));
    }
    report
}

fn column(number: u8) -> ColumnId {
    ColumnId::ALL[usize::from(number) % ColumnId::ALL.len()]
}

fn row(bytes: &mut Bytes) -> Row {
    let mut row = Row::new(&name(bytes), []);
    let numbers: [f64; 6] = std::array::from_fn(|_| number(bytes));
    let flags = bytes.byte();
    for (at, number) in numbers.into_iter().enumerate() {
        if flags >> at & 1 != 0 {
            row.set_value(column(bytes.byte()), Value::exact(number));
        }
    }
    row.cursor = flags & 64 != 0;
    row.expansion =
        [Expansion::Leaf, Expansion::Collapsed, Expansion::Expanded][usize::from(flags >> 6) % 3];
    if flags & 128 != 0 {
        let value = Value::sampled(number(bytes), number(bytes));
        row.set_value(column(bytes.byte()), value);
        row.heat = number(bytes) as f32;
        row.indent = u32::from(bytes.byte()) << (bytes.byte() & 15);
        row.location = Some(("src/main.rs", u32::MAX));
    }
    row
}

fn graph(bytes: &mut Bytes) -> Graph {
    let flags = bytes.byte();
    let frame = |bytes: &mut Bytes| u64::from(bytes.byte()) & 63;
    let mut graph = Graph {
        title: name(bytes),
        capacity: usize::from(bytes.byte()) << (flags & 15),
        scrolled: usize::from(bytes.byte()) << (flags >> 6),
        zoom: number(bytes) as f32,
        ..Graph::default()
    };
    if flags & 16 != 0 {
        graph.style = GraphStyle::Lines;
    }
    if flags & 32 != 0 {
        graph.cursor = Some(frame(bytes));
        graph.range = Some((frame(bytes), frame(bytes)));
        graph.marks.push(GraphMark {
            frame: frame(bytes),
            name: name(bytes).into(),
        });
    }
    for _ in 0..bytes.byte() & 7 {
        let name = name(bytes).into();
        let is_idle = bytes.byte() & 1 != 0;
        graph.zones.push(GraphZone { name, is_idle });
    }
    for at in 0..u64::from(bytes.byte().min(MOST)) {
        let segments = (0..bytes.byte() & 7).map(|_| Segment {
            zone: u32::from(bytes.byte()) & 7,
            ms: number(bytes) as f32,
        });
        let segments = segments.collect();
        graph.bars.push_back(Bar {
            frame: at + 1,
            ms: number(bytes),
            segments,
            value: 0.0,
        });
    }
    graph
}
