//! Tests of the tooltip's text and box.

use super::*;
use crate::draw::column_layout::HeaderTarget;
use crate::draw::graph_layout::{BarsHit, ZoneMean};
use crate::draw::list::DrawList;
use iprof_report::{Bar, Graph, GraphBucket, GraphMark, GraphSet, GraphZone, Segment};
use iprof_report::{ColumnId, Report, ReportMode, Row, RowKey, Section, Value};
use std::time::Duration;

fn report() -> Report {
    let mut row = Row {
        heat: 0.42,
        location: Some(("src/physics.rs", 17)),
        ..Row::new(
            "physics",
            [
                (ColumnId::HierarchicalTime, 4.0),
                (ColumnId::Count, 8.0),
                (ColumnId::StandardError, 0.25),
            ],
        )
    };
    row.set_value(ColumnId::SelfTime, Value::sampled(1.5, 0.25));
    Report {
        columns: vec![
            ColumnId::SelfTime,
            ColumnId::HierarchicalTime,
            ColumnId::Count,
            ColumnId::StandardError,
        ],
        rows: vec![Row::new("others (3)", [(ColumnId::SelfTime, 0.0)]), row],
        whole_counts: true,
        frame_ms: 10.0,
        ..Report::default()
    }
}

fn text(tooltip: &Tooltip) -> Vec<(&str, &str)> {
    let lines = tooltip.lines[..tooltip.used].iter();
    lines.map(|line| (&*line.label, &*line.value)).collect()
}

#[test]
fn call_graph_rows_explain_their_values() {
    let row = |name, section| Row {
        key: RowKey::top(section, 1, 0),
        ..Row::new(name, [(ColumnId::HierarchicalTime, 2.0)])
    };
    let report = Report {
        mode: ReportMode::CallGraph,
        columns: vec![ColumnId::HierarchicalTime],
        rows: vec![
            row("shade", Section::Caller),
            row("ray", Section::Selected),
            row("branch", Section::Callee),
        ],
        ..Report::default()
    };
    let mut tooltip = Tooltip::default();
    let values = ("hier ms", "2.0000");
    for (at, wanted) in [
        (
            0,
            &[("shade", ""), ("values: ray when called from shade", "")][..],
        ),
        (1, &[("ray", "")]),
        (2, &[("branch", ""), ("values: when called from ray", "")]),
    ] {
        tooltip.describe_row(&report, at);
        assert_eq!(text(&tooltip), [wanted, &[values]].concat());
    }
    let mut header = |column| {
        tooltip.describe_header(&report, HeaderTarget::Column(column));
        let lines = text(&tooltip);
        lines
            .iter()
            .filter(|(line, _)| line.contains("when called from"))
            .count()
    };
    assert_eq!(
        (header(Some(ColumnId::HierarchicalTime)), header(None)),
        (2, 0)
    );
}

#[test]
fn row_shows_all_its_values() {
    let mut tooltip = Tooltip::default();
    tooltip.describe_row(&report(), 1);
    let wanted = [
        ("physics", ""),
        ("src/physics.rs:17", ""),
        ("self ms", "~1.5000 \u{b1} 0.2500   15.0 % of the frame"),
        ("hier ms", "4.0000   40.0 % of the frame"),
        ("count", "8"),
        ("self per call", "187.500 \u{b5}s"),
        ("hier per call", "500.000 \u{b5}s"),
        ("heat: self time varies by", "42 % of its mean"),
    ];
    assert_eq!(text(&tooltip), wanted);
    tooltip.describe_row(&report(), 0);
    assert_eq!(
        text(&tooltip),
        [
            ("others (3)", ""),
            ("self ms", "0.0000    0.0 % of the frame")
        ]
    );
    // A zone that was not entered in the frame but is always open has no time per call.
    let mut idle = report();
    idle.rows[0] = Row::new(
        "idle",
        [
            (ColumnId::SelfTime, 1.0),
            (ColumnId::HierarchicalTime, 2.0),
            (ColumnId::Count, 0.0),
        ],
    );
    tooltip.describe_row(&idle, 0);
    let labels: Vec<_> = text(&tooltip).iter().map(|(label, _)| *label).collect();
    assert_eq!(labels, ["idle", "self ms", "hier ms", "count"]);
    // With a count shown as 0.0, a call would appear to take 25 s.
    let mut rare = report();
    rare.whole_counts = false;
    rare.rows[1].set_value(ColumnId::Count, Value::exact(0.04));
    tooltip.describe_row(&rare, 1);
    let labels: Vec<_> = text(&tooltip).iter().map(|(label, _)| *label).collect();
    assert_eq!(
        labels.last(),
        Some(&"heat: self time varies by"),
        "{labels:?}"
    );
    assert!(!labels.contains(&"self per call"));
    rare.rows[1].set_value(ColumnId::Count, Value::exact(0.05));
    rare.rows[1].set_value(ColumnId::HierarchicalTime, Value::exact(100.0));
    tooltip.describe_row(&rare, 1);
    assert!(text(&tooltip).contains(&("hier per call", "2.000 s")));
    tooltip.forget(Subject::Frame);
    assert!(!tooltip.is_empty());
    tooltip.forget(Subject::Row);
    assert!(tooltip.is_empty());
}

#[test]
fn row_shows_its_averages() {
    let mut tooltip = Tooltip::default();
    let report = report();
    let rows = [1.0, 2.0, 3.0].map(|ms| {
        Row::new(
            "physics",
            [
                (ColumnId::SelfTime, ms),
                (ColumnId::HierarchicalTime, 2.0 * ms),
            ],
        )
    });
    tooltip.describe_averages(&report, &rows);
    assert!(
        tooltip.is_empty(),
        "there should be no averages without a row"
    );
    tooltip.describe_row(&report, 1);
    let before = tooltip.used;
    tooltip.describe_averages(&report, &rows[..2]);
    assert_eq!(tooltip.used, before);
    tooltip.describe_averages(&report, &rows);
    let wanted = [
        ("self ms: frame, 0.8 s, 2.5 s", "1.0000  2.0000  3.0000"),
        ("hier ms: frame, 0.8 s, 2.5 s", "2.0000  4.0000  6.0000"),
    ];
    assert_eq!(text(&tooltip)[before..], wanted);
}

#[test]
fn row_names_its_largest_parts() {
    let mut report = report();
    let part = |name: &str, ms, count| {
        let values = [(ColumnId::SelfTime, ms), (ColumnId::Count, count)];
        Row::new(name, values)
    };
    let threads = [part("scanner 0", 12.5, 90.0), part("scanner 1", 0.25, 7.0)];
    let mut tooltip = Tooltip::default();
    tooltip.describe_row(&report, 1);
    let before = tooltip.used;
    tooltip.describe_parts(&report, 1, &[]);
    assert_eq!(tooltip.used, before);
    tooltip.describe_parts(&report, 1, &threads);
    let wanted = [
        ("by thread: self ms, count", ""),
        ("scanner 0", "12.5000     90"),
        ("scanner 1", "0.2500      7"),
    ];
    assert_eq!(text(&tooltip)[before..], wanted);
    // Only the largest of many parts are listed, so the number of lines stays the same.
    let many: Vec<Row> = (0..20).map(|at| part(&at.to_string(), 1.0, 1.0)).collect();
    tooltip.describe_row(&report, 1);
    tooltip.describe_parts(&report, 1, &many[..8]);
    assert_eq!(tooltip.used, before + 9);
    assert_eq!(text(&tooltip).last().unwrap().0, "7");
    tooltip.describe_row(&report, 1);
    tooltip.describe_parts(&report, 1, &many);
    assert_eq!(tooltip.used, before + 9);
    assert_eq!(text(&tooltip).last().unwrap().0, "and 13 more");
    report.rows[1].key = iprof_report::RowKey::idle();
    tooltip.describe_row(&report, 1);
    tooltip.describe_parts(&report, 1, &threads);
    assert_eq!(text(&tooltip)[before].0, "idle zones: self ms, count");
}

#[test]
fn row_shows_times_per_frame_and_histogram() {
    let mut report = report();
    let row = Row::new(
        "physics",
        ColumnId::TIMES_PER_FRAME
            .iter()
            .map(|column| (*column, 2.5)),
    );
    let times = [1.0, 1.0, 1.0, 1.0, 8.0];
    let of = iprof_report::Distribution::new(row, times.into_iter()).unwrap();
    let mut tooltip = Tooltip::default();
    tooltip.describe_distribution(&report, &of);
    assert!(
        tooltip.is_empty(),
        "there should be no times per frame without a row"
    );
    tooltip.describe_row(&report, 1);
    let before = tooltip.used;
    let quads = |tooltip: &Tooltip| {
        let mut font = Font::new(14.0);
        let theme = Theme::default();
        tooltip.lay_out(&mut font, &theme, [0.0; 2], [640.0, 480.0]);
        font.list.quads().len()
    };
    let without = quads(&tooltip);
    tooltip.describe_distribution(&report, &of);
    let wanted = [
        ("per frame: p50, p95, p99 ms", "2.5000  2.5000  2.5000"),
        ("per frame: max, sd ms", "2.5000  2.5000"),
        ("", ""),
        ("0", "5 frames up to 8.000 ms"),
    ];
    assert_eq!(text(&tooltip)[before..], wanted);
    // With four times as many frames, a bar is twice as high.
    let bars: Vec<f32> = tooltip.bars.into_iter().filter(|bar| *bar > 0.0).collect();
    assert_eq!((bars, tooltip.bars[4]), (vec![1.0, 0.5], 1.0));
    let letters = wanted
        .map(|(label, value)| format!("{label}{value}"))
        .concat();
    let letters = letters.chars().filter(|letter| *letter != ' ').count();
    assert_eq!(quads(&tooltip), without + letters + 2);
    // Values that the report already shows are omitted.
    report.columns.extend(ColumnId::TIMES_PER_FRAME);
    tooltip.describe_row(&report, 1);
    let before = tooltip.used;
    tooltip.describe_distribution(&report, &of);
    assert_eq!(text(&tooltip)[before..], wanted[2..]);
    tooltip.describe_row(&report, 1);
    assert_eq!(tooltip.histogram, None);
}

#[test]
fn held_order_is_explained_at_the_zone_header() {
    let mut report = report();
    let mut tooltip = Tooltip::default();
    let mut lines = |report: &Report| {
        tooltip.describe_header(report, HeaderTarget::Column(None));
        tooltip.used
    };
    let usual = lines(&report);
    report.order_held = true;
    assert_eq!(lines(&report), usual + 2);
    report.rows_withheld = 3;
    assert_eq!(lines(&report), usual + 3);
}

#[test]
fn values_have_units_and_paths_begin_at_the_package() {
    let mut report = report();
    report.rows[1].location = Some((
        "/home/me/.cargo/registry/src/index/rapier3d-0.17.2/src/dynamics/solver.rs",
        9,
    ));
    report.rows[1].set_value(ColumnId::SelfTime, Value::sampled(0.0025, 0.0005));
    report.fit_units();
    let mut tooltip = Tooltip::default();
    tooltip.describe_row(&report, 1);
    let wanted = [
        ("physics", ""),
        ("rapier3d-0.17.2/src/dynamics/solver.rs:9", ""),
        (
            "self \u{b5}s",
            "~2.5000 \u{b1} 0.5000    0.0 % of the frame",
        ),
        ("hier ms", "4.0000   40.0 % of the frame"),
    ];
    assert_eq!(text(&tooltip)[..4], wanted);
}

#[test]
fn all_column_kinds_are_shown() {
    let report = Report {
        columns: vec![ColumnId::Difference, ColumnId::GpuTime],
        rows: vec![Row::new(
            "shadows",
            [(ColumnId::Difference, -0.5), (ColumnId::GpuTime, 0.125)],
        )],
        ..Report::default()
    };
    let mut tooltip = Tooltip::default();
    tooltip.describe_row(&report, 0);
    let wanted = [
        ("shadows", ""),
        ("diff ms", "-0.5000"),
        ("gpu self ms", "0.1250"),
    ];
    assert_eq!(text(&tooltip), wanted);
}

#[test]
fn frame_shows_time_marks_and_pointed_zone() {
    let mut graph = Graph::default();
    graph.zones.push(GraphZone::new("render"));
    graph.bars.push_back(Bar {
        frame: 7,
        ms: 20.0,
        segments: vec![Segment { zone: 0, ms: 5.0 }],
        value: 0.0,
    });
    for (frame, name) in [(6, "of another frame"), (7, "level loaded"), (8, "too")] {
        let name = name.into();
        graph.marks.push(GraphMark { frame, name });
    }
    let mut hit = BarsHit {
        bucket: None,
        frame: 7,
        group: (7, 7),
        zone: Some("render".into()),
        zone_ms: Some(5.0),
    };
    let mut tooltip = Tooltip::default();
    tooltip.describe_frame(&graph, &hit);
    let wanted = [
        ("frame 7", "20.0000 ms"),
        ("\"level loaded\"", ""),
        ("render", ""),
        ("self ms", "5.0000   25.0 % of the frame"),
    ];
    assert_eq!(text(&tooltip), wanted);
    // Above the bar, the largest zones and the idle time are listed.
    (hit.zone, hit.zone_ms) = (None, None);
    for (name, ms) in [
        ("wait a", 9.0),
        ("d", 0.25),
        ("a", 0.5),
        ("b", 1.5),
        ("wait b", 0.5),
        ("c", 3.0),
    ] {
        let zone = graph.zones.len() as u32;
        graph.zones.push(GraphZone::new(name));
        graph.zones[zone as usize].is_idle = name.starts_with("wait");
        graph.bars[0].segments.push(Segment { zone, ms });
    }
    let largest = [
        ("render", "5.0000 ms"),
        ("c", "3.0000 ms"),
        ("b", "1.5000 ms"),
        ("a", "0.5000 ms"),
        ("(idle)", "9.5000 ms"),
    ];
    tooltip.describe_frame(&graph, &hit);
    assert_eq!(text(&tooltip), [&wanted[..2], &largest].concat());
}

#[test]
fn bucket_shows_its_time_and_frame_counts() {
    let mut graph = Graph::default();
    graph.zones.push(GraphZone::new("render"));
    let segments = vec![Segment { zone: 0, ms: 5.0 }];
    graph.bars.push_back(Bar::new(1_300, segments));
    graph.set = Some(GraphSet {
        name: "frames over 20 ms".into(),
        frames: vec![1_300],
    });
    for frame in [1_200, 1_301] {
        let name = format!("{frame}").into();
        graph.marks.push(GraphMark { frame, name });
    }
    let bucket = GraphBucket {
        begin: Duration::from_millis(83_400),
        end: Duration::from_millis(85_400),
        first: 1_181,
        last: 1_300,
        count: 120,
        longest_ms: 54.321,
        shown: 1,
    };
    let hit = BarsHit {
        bucket: Some(bucket),
        frame: 1_300,
        group: (1_181, 1_300),
        zone: None,
        zone_ms: None,
    };
    let mut tooltip = Tooltip::default();
    tooltip.describe_frame(&graph, &hit);
    let wanted = [
        ("1:23.4 to 1:25.4", "120 frames"),
        ("mean frame", "5.0000 ms"),
        ("longest frame", "54.3210 ms"),
        ("frames over 20 ms", "1 frame"),
        ("\"1200\"", ""),
        ("render", "5.0000 ms"),
    ];
    assert_eq!(text(&tooltip), wanted);
}

#[test]
fn legend_zone_shows_its_mean_and_click_action() {
    let mut tooltip = Tooltip::default();
    let mean = ZoneMean {
        frames: 40,
        ms: 0.5,
        frame_ms: 20.0,
    };
    tooltip.describe_zone("physics", false, mean);
    let wanted = [
        ("physics", ""),
        ("mean of 40 frames", "500.000 \u{b5}s    2.5 % of the frame"),
        ("click: show callers and callees", ""),
    ];
    assert_eq!(text(&tooltip), wanted);
    tooltip.describe_zone("wait", true, mean);
    assert_eq!(text(&tooltip)[1].0, "idle: waiting, not work");
}

#[test]
fn durations_use_a_suitable_unit() {
    for (ms, wanted) in [
        (12.5, "12.500 ms"),
        (0.25, "250.000 \u{b5}s"),
        (0.00002, "20.0 ns"),
        (0.0, "0.0 ns"),
    ] {
        let mut text = String::new();
        write_duration(ms, &mut text);
        assert_eq!(text, wanted);
    }
}

/// Returns the left, top, right and bottom edges of everything drawn.
fn bounds(list: &DrawList) -> [f32; 4] {
    let nothing = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];
    list.vertices().iter().fold(nothing, |b, vertex| {
        let [x, y] = vertex.position;
        [b[0].min(x), b[1].min(y), b[2].max(x), b[3].max(y)]
    })
}

#[test]
fn narrow_box_wraps_and_keeps_all_text() {
    let mut tooltip = Tooltip::default();
    let mut font = Font::new(12.0);
    let line = tooltip.line(Ink::Title, "the label");
    line.value.push_str("12345");
    let mut glyphs = |characters: f32| {
        font.list.clear();
        let width = ((characters + 2.0 * EDGE) * font.advance).ceil() + 1.0;
        let screen = [width, 100.0];
        tooltip.lay_out(&mut font, &Theme::DARK, [0.0, 0.0], screen);
        let lines = (bounds(&font.list)[3] - bounds(&font.list)[1]) / font.line;
        // The box and its edge are not glyphs, so they are subtracted.
        (font.list.quads().len().saturating_sub(2), lines as usize)
    };
    assert_eq!(glyphs(16.0), (13, 1));
    assert_eq!(glyphs(9.0), (13, 2), "the value should be below the label");
    assert_eq!(glyphs(5.0), (13, 3), "each word should have its own line");
    assert_eq!(glyphs(4.0), (12, 4), "the value should be cut");
}

#[test]
fn percentages_are_relative_to_all_threads() {
    let mut report = report();
    report.threads = 3;
    report.rows[1].set_value(ColumnId::HierarchicalTime, Value::exact(20.0));
    let mut tooltip = Tooltip::default();
    tooltip.describe_row(&report, 1);
    let shares = text(&tooltip)[3];
    assert_eq!(shares, ("hier ms", "20.0000   66.7 % of 3 threads' time"));
}

#[test]
fn counter_shows_no_times() {
    let mut report = report();
    report.rows[1].is_counter = true;
    let mut tooltip = Tooltip::default();
    tooltip.describe_row(&report, 1);
    let labels: Vec<_> = text(&tooltip).iter().map(|(label, _)| *label).collect();
    assert_eq!(labels[2], "counter: counted, not timed");
    assert_eq!(labels[3..], ["count", "heat: self time varies by"]);
}

#[test]
fn timing_line_is_explained() {
    let mut tooltip = Tooltip::default();
    let timing = HeaderTarget::Title(iprof_report::TitleChoice::Timing);
    tooltip.describe_header(&report(), timing);
    let lines = text(&tooltip);
    assert!(lines.len() > 3, "{lines:?}");
    assert_eq!(lines.last(), Some(&("click: next timing mode", "")));
}

#[test]
fn box_stays_on_screen_clear_of_the_pointer() {
    let mut tooltip = Tooltip::default();
    tooltip.describe_row(&report(), 1);
    let mut font = Font::new(12.0);
    let mut drawn = 0;
    for screen in [
        [1280.0, 720.0],
        [640.0, 480.0],
        [200.0, 90.0],
        [37.5, 40.5],
        [5.0, 900.0],
    ] {
        for at in 0..400 {
            let along = |axis: usize, step: usize| screen[axis] * ((at / step) % 20) as f32 / 19.0;
            let point = [along(0, 1), along(1, 20)];
            font.list.clear();
            tooltip.lay_out(&mut font, &Theme::DARK, point, screen);
            if font.list.vertices().is_empty() {
                continue;
            }
            drawn += 1;
            let [left, top, right, bottom] = bounds(&font.list);
            assert!(
                left >= 0.0 && top >= 0.0 && right <= screen[0] && bottom <= screen[1],
                "{screen:?} {point:?}: {left} {top} {right} {bottom}"
            );
            let [x, y] = point;
            let is_large = screen[0] >= 640.0;
            let covers = x >= left && x < right && y >= top && y < bottom;
            assert!(!(is_large && covers), "the box covers {point:?}");
        }
    }
    assert!(drawn > 1200, "{drawn}");
}
