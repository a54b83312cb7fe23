//! Fixed reports and graphs, and the scenes in the golden pictures. All renderers must draw the scenes identically.

#![allow(dead_code, reason = "not every test uses all of them")]

use iprof::overlay::{Frame, Overlay, PointerEvent, Theme};
use iprof::{
    Bar, Bindings, ColumnId, Expansion, Flame, Graph, GraphBucket, GraphSet, GraphStyle, GraphZone,
    Report, Row, Segment,
};
use std::time::Duration;

/// A golden picture, `tests/golden/NAME.png`, of size [`SIZE`].
#[derive(Clone, Copy)]
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    /// Whether the scene contains edges that don't lie on whole pixels.
    pub(crate) is_slanted: bool,
    pub(crate) theme: Theme,
    pub(crate) pointer: PointerEvent,
    pub(crate) draw: fn(&mut Frame<'_>),
}

impl Scene {
    /// Prepares the overlay, regardless of what was drawn before. Must be called before `draw`.
    pub(crate) fn begin(self, overlay: &mut Overlay) {
        overlay.set_text_size(12.0);
        overlay.set_theme(self.theme);
        overlay.pointer(self.pointer);
    }
}

pub(crate) const SIZE: [i32; 2] = [640, 360];

/// The background, which stands in for a host's picture. It ranges from dark to bright, because text must be legible on
/// any picture.
pub(crate) const STRIPES: [[f32; 3]; 4] = [
    [0.04, 0.05, 0.08],
    [0.30, 0.42, 0.30],
    [0.85, 0.55, 0.25],
    [0.94, 0.95, 0.97],
];

/// Returns the stripes as RGBA pixels, in rows from the top.
#[allow(dead_code, reason = "OpenGL tests draw the stripes by clearing")]
pub(crate) fn stripes() -> Vec<u8> {
    let [width, height] = SIZE.map(|px| px as usize);
    let pixel = |at: usize| {
        let [r, g, b] = STRIPES[at % width * STRIPES.len() / width];
        [r, g, b, 1.0].map(|value| (value * 255.0_f32).round() as u8)
    };
    (0..width * height).flat_map(pixel).collect()
}

/// The scenes in the golden pictures. The session scene comes last, because its graph's time axis reaches higher, and
/// an overlay keeps that scale for a while.
pub(crate) const SCENES: [Scene; 11] = [
    REPORT,
    UNITS,
    TEXT_SIZES,
    SMALL_RECTANGLES,
    GRAPH_BARS,
    GRAPH_LINES,
    FLAME,
    SCREEN,
    LIGHT,
    TOOLTIP,
    SESSION,
];

const fn scene(name: &'static str, draw: fn(&mut Frame<'_>)) -> Scene {
    Scene {
        name,
        is_slanted: false,
        theme: Theme::DARK,
        pointer: PointerEvent::LeftWindow,
        draw,
    }
}

pub(crate) const REPORT: Scene = scene("report", |frame| {
    frame.draw_report(&everything(), 10.0, 10.0, 620.0, 340.0, 2);
});

pub(crate) const UNITS: Scene = scene("units", |frame| {
    frame.draw_report(&units(), 10.0, 10.0, 620.0, 160.0, 2);
    frame.draw_report(&comparison(), 10.0, 180.0, 620.0, 160.0, 3);
});

pub(crate) const TEXT_SIZES: Scene = scene("text_sizes", |frame| {
    frame.set_text_size(9.0);
    frame.draw_report(&rows(12, 3), 8.0, 8.0, 244.0, 150.0, 2);
    frame.set_text_size(12.0);
    frame.draw_report(&rows(8, 3), 260.0, 8.0, 372.0, 150.0, 3);
    frame.set_text_size(24.0);
    frame.draw_report(&rows(12, 3), 8.0, 166.0, 624.0, 186.0, 1);
});

pub(crate) const SMALL_RECTANGLES: Scene = scene("small_rectangles", |frame| {
    let report = everything();
    let mut x = 8.0;
    for width in [12.0, 40.0, 90.0, 150.0, 260.0] {
        let mut y = 8.0;
        for height in [10.0, 22.0, 40.0, 76.0, 130.0] {
            frame.draw_report(&report, x, y, width, height, 2);
            y += height + 12.0;
        }
        x += width + 14.0;
    }
});

pub(crate) const GRAPH_BARS: Scene = scene("graph_bars", |frame| {
    frame.draw_graph(&frames(GraphStyle::Bars), 10.0, 10.0, 4.0, 7.0);
});

pub(crate) const GRAPH_LINES: Scene = Scene {
    is_slanted: true,
    ..scene("graph_lines", |frame| {
        frame.draw_graph(&frames(GraphStyle::Lines), 10.0, 10.0, 4.0, 17.0);
    })
};

/// Flame graphs: one shown in full, one zoomed in, and one compared with a different frame.
pub(crate) const FLAME: Scene = scene("flame", |frame| {
    let mut all = flame();
    all.selected = Some(3);
    all.cursor = Some(3);
    frame.draw_flame(&all, 10.0, 10.0, 620.0, 110.0);
    all.zoomed = 2;
    frame.draw_flame(&all, 10.0, 130.0, 300.0, 110.0);
    (all.zoomed, all.cursor, all.selected) = (0, None, None);
    frame.draw_flame(&compared(all), 320.0, 130.0, 310.0, 110.0);
    frame.draw_flame(&Flame::default(), 10.0, 250.0, 300.0, 50.0);
});

/// Part of a session, compared with the rest. The graph's buckets show where the part's frames are.
pub(crate) const SESSION: Scene = scene("session", |frame| {
    frame.draw_report(&session_part(), 10.0, 10.0, 620.0, 130.0, 2);
    let mut graph = session();
    frame.draw_graph(&graph, 10.0, 150.0, 1.7, 4.0);
    (graph.set, graph.cursor) = (None, Some(600));
    frame.draw_graph(&graph, 330.0, 150.0, 1.7, 4.0);
});

/// Returns a report that compares a session's slowest frames with all other frames.
fn session_part() -> Report {
    let mut report = comparison();
    report.title = [
        "37.00 ms/frame  self time  1 thread  session: frames over 33.33 ms (31.6 % of time), mean of 7",
        "+20.00 ms vs. session: all but frames over 33.33 ms (68.4 % of time), mean of 33  37.00 - 17.00",
    ]
    .map(String::from)
    .into();
    report
}

/// Returns a session graph. The older buckets are twice as long as the newer ones, and two buckets contain a hitch.
pub(crate) fn session() -> Graph {
    let mut graph = frames(GraphStyle::Bars);
    graph.title = "session  24 buckets, 0:00.0 to 0:40.0".into();
    graph.capacity = 150;
    graph.bars.truncate(24);
    let mut last = 0;
    for (at, bar) in graph.bars.iter_mut().enumerate() {
        let first = last + 1;
        last += if at < 16 { 60 } else { 30 };
        let [begin, end] = [first, last].map(|frame| Duration::from_millis(frame * 50 / 3));
        let longer = [0.0, 18.0, 400.0][usize::from(at % 9 == 3) + usize::from(at == 12)];
        bar.frame = last;
        graph.buckets.push(GraphBucket {
            begin,
            end,
            first,
            last,
            count: last - first + 1,
            longest_ms: bar.ms * 1.2 + longer,
            shown: 0,
        });
    }
    graph.set = Some(GraphSet {
        name: "frames over 33.33 ms".into(),
        frames: vec![240, 780],
    });
    graph.cursor = None;
    graph
}

/// Returns a frame with callees of many widths.
pub(crate) fn flame() -> Flame {
    const NAMES: [&str; 9] = [
        "(outside zones)",
        "frame",
        "physics",
        "solve",
        "render",
        "shadows",
        "draw::batch",
        "sound",
        "script",
    ];
    let mut flame = Flame::default();
    flame.title = "all 2 threads  frame 5812".into();
    flame.zones = NAMES.map(GraphZone::new).into();
    let root = flame.add(0, 0, 0.4, 1.0);
    let frame = flame.add(root, 1, 0.3, 1.0);
    let physics = flame.add(frame, 2, 0.8, 2.0);
    let solve = flame.add(physics, 3, 2.5, 40.0);
    let again = flame.add(solve, 3, 0.6, 12.0);
    flame.add(again, 8, 0.2, 1.0);
    let render = flame.add(frame, 4, 1.1, 1.0);
    flame.add(render, 5, 2.2, 3.0);
    let batches = flame.add(render, 6, 0.2, 9.0);
    for at in 0..60 {
        flame.add(batches, 2 + at % 7, 0.001 * f64::from(at), 1.0);
    }
    flame.add(root, 7, 0.7, 1.0);
    flame
}

/// Adds a comparison with a frame in which most zones took a different time.
fn compared(mut flame: Flame) -> Flame {
    flame.whole_change_ms = 1.0;
    flame.title.push_str("  vs. frame 5790");
    let times: Vec<f64> = flame.nodes.iter().map(|node| node.time).collect();
    for (at, time) in times.into_iter().enumerate() {
        flame.nodes[at].before_ms = time * [0.9, 1.0, 0.7, 1.2][at % 4];
    }
    flame
}

pub(crate) const SCREEN: Scene = scene("screen", |frame| {
    frame.draw_report(&rows(9, 4), 10.0, 10.0, 460.0, 170.0, 2);
    frame.draw_graph(&frames(GraphStyle::Bars), 10.0, 190.0, 2.0, 3.0);
});

pub(crate) const LIGHT: Scene = Scene {
    theme: Theme::LIGHT,
    ..scene("light", |frame| {
        frame.draw_report(&everything(), 10.0, 10.0, 460.0, 170.0, 2);
        frame.draw_graph(&frames(GraphStyle::Bars), 10.0, 190.0, 2.0, 3.0);
    })
};

/// A tooltip. The report has only a few rows, so it doesn't scroll to the hovered row.
pub(crate) const TOOLTIP: Scene = Scene {
    pointer: PointerEvent::Moved { x: 60.0, y: 90.0 },
    ..scene("tooltip", |frame| {
        let mut report = rows(12, 3);
        report.frame_ms = 16.7;
        for row in &mut report.rows {
            row.location = Some(("src/render/shadows.rs", 218));
        }
        frame.draw_report(&report, 10.0, 10.0, 400.0, 250.0, 2);
        frame.draw_tooltip();
    })
};

/// The help. It is not one of [`SCENES`], because it changes whenever a key is added. Tests compare its renderers with
/// each other instead.
pub(crate) const HELP: Scene = scene("help", |frame| {
    frame.draw_report(&rows(12, 3), 10.0, 10.0, 620.0, 340.0, 2);
    frame.draw_help(&Bindings::default(), 1, 10.0, 10.0, 620.0, 340.0);
});

/// Returns a report that shows everything that reports can show, with more rows than fit.
pub(crate) fn everything() -> Report {
    let mut report = rows(34, 27);
    report.title = vec![
        "SELF TIME   16.71 ms   59.8 fps   all threads   average of 0.8 s".into(),
        "frame 12345   ±0.42 ms   Überblick über alles, was in einem Frame geschieht".into(),
    ];
    report.warnings = vec![
        "37 events were dropped: the buffer of thread \"loader\" was full".into(),
        "a warning that is far too long for the width of a report and so must be cut, \
         whatever it was going to say"
            .into(),
    ];
    report
}

/// Returns a report with all prefixes, indents and heat levels.
pub(crate) fn rows(count: usize, cursor: usize) -> Report {
    const NAMES: [&str; 10] = [
        "update_world",
        "physics::broad_phase",
        "physics::solve (12)",
        "Überprüfung_der_Größe µs",
        "ai::path[finder] {g|j}",
        "漢字 missing glyphs",
        "render_scene::shadow_cascade_with_a_name_that_goes_on_and_on_for_ever",
        "audio_mix",
        "(outside zones)",
        "x",
    ];
    let mut report = Report::default();
    report.title = vec![format!("{count} rows")];
    report.columns = vec![
        ColumnId::SelfTime,
        ColumnId::HierarchicalTime,
        ColumnId::Count,
    ];
    for at in 0..count {
        let value = 9.876 / (1.0 + at as f64 * 0.4);
        let values = match at {
            0 => [12_345.678, 98_765.432, 1_234_567.0],
            _ if at % 10 == 8 => [0.0, 0.0, 0.0],
            _ if at % 10 == 9 => [0.0, value, 0.4],
            _ => [value, 2.0 * value, (at * at) as f64],
        };
        let values = report.columns.iter().copied().zip(values);
        // Some rows have no self time.
        let values = values.skip(usize::from(at % 7 == 5));
        let mut row = Row::new(NAMES[at % NAMES.len()], values);
        row.expansion = [Expansion::Collapsed, Expansion::Expanded, Expansion::Leaf][at % 3];
        row.indent = (at % 5) as u32;
        row.heat = (at % 12) as f32 / 11.0;
        row.cursor = at == cursor;
        report.rows.push(row);
    }
    report
}

/// Returns a report with columns of different units, zones with the same name, and a held order.
pub(crate) fn units() -> Report {
    let mut report = Report::default();
    report.title = vec!["0.89 ms/frame  1123.6 fps  self time  1 thread  live, frame 7".into()];
    report.columns = vec![
        ColumnId::SelfTime,
        ColumnId::HierarchicalTime,
        ColumnId::GpuTime,
        ColumnId::Count,
    ];
    for (name, values) in [
        ("update (render.rs)", [0.412_34, 0.891_2, 0.000_312, 4.0]),
        ("update (sound/mod.rs)", [0.512_34, 0.612_3, 0.000_012, 1.0]),
        ("mix", [0.003_21, 0.003_21, 0.0, 12.0]),
        ("gone", [0.0, 0.0, 0.0, 0.0]),
    ] {
        let values = report.columns.iter().copied().zip(values);
        report.rows.push(Row::new(name, values));
    }
    report.rows[1].cursor = true;
    report.order_held = true;
    report.fit_units();
    report
}

/// Returns a comparison in seconds. Both parts of a difference use its unit.
pub(crate) fn comparison() -> Report {
    let mut report = Report::default();
    report.title = vec!["+2.00 ms vs. median of 60 surrounding frames".into()];
    report.columns = vec![
        ColumnId::SelfTime,
        ColumnId::Difference,
        ColumnId::ByCount,
        ColumnId::ByCost,
        ColumnId::Count,
        ColumnId::BaselineCount,
    ];
    for (name, values) in [
        (
            "load_level",
            [25_218.905, 24_000.0, -0.004, 24_000.004, 1.0, 1.0],
        ),
        ("decode", [931.4, 931.4, 931.4, 0.0, 64.0, 0.0]),
    ] {
        let values = report.columns.iter().copied().zip(values);
        report.rows.push(Row::new(name, values));
    }
    report.fit_units();
    report
}

/// Returns a graph with a game's zones, a hitch, and a cursor.
pub(crate) fn frames(style: GraphStyle) -> Graph {
    const ZONES: [(&str, f32); 10] = [
        ("(outside zones)", 0.8),
        ("update_world", 2.4),
        ("physics", 3.1),
        ("ai", 1.3),
        ("render_scene", 5.0),
        ("shadows", 1.9),
        ("particles", 0.7),
        ("audio", 0.4),
        ("network", 0.2),
        ("present", 0.9),
    ];
    let zones = ZONES.map(|(name, _)| GraphZone::new(name));
    let bars = (0..150_u32).map(|at| {
        let segments: Vec<Segment> = (0..)
            .zip(ZONES)
            .filter(|(zone, _)| zone % 5 != 3 || at % 11 > 2)
            .map(|(zone, (_, ms))| {
                let swing = ((at * (zone + 3)) % 17) as f32 / 16.0;
                let hitch = if at == 96 && zone == 4 { 40.0 } else { 0.0 };
                let slow = if at % 40 > 33 { 1.8 } else { 1.0 };
                Segment {
                    zone,
                    ms: ms * (0.8 + 0.4 * swing) * slow + hitch,
                }
            })
            .collect();
        Bar::new(2_000 + u64::from(at), segments)
    });
    let mut graph = Graph::default();
    graph.style = style;
    graph.title = "self ms by frame, main".into();
    graph.zones = zones.into();
    graph.bars = bars.collect();
    graph.capacity = 150;
    graph.cursor = Some(2_110);
    graph
}
