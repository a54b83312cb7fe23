//! Tests of the graph's layout. They share a file because each test covers several parts of a graph.

mod buckets;

use super::*;
use crate::draw::colors;
use crate::draw::list::DrawList;
use iprof_process::ValueInfo;
use iprof_report::{GraphMark, GraphSet, GraphZone};

fn graph(frames: u64) -> Graph {
    let mut graph = Graph {
        title: "frames".into(),
        capacity: 200,
        ..Graph::default()
    };
    for name in ["(outside zones)", "physics", "render"] {
        graph.zones.push(GraphZone::new(name));
    }
    for frame in 1..=frames {
        let ms = |zone: u32| 3.0 * (zone as f32 + 1.0) + (frame % 5) as f32 * 4.0;
        let segments: Vec<Segment> = (0..3).map(|zone| Segment { zone, ms: ms(zone) }).collect();
        let total = segments.iter().map(|segment| f64::from(segment.ms)).sum();
        graph.bars.push_back(Bar {
            frame,
            ms: total,
            segments,
            value: 0.0,
        });
    }
    graph
}

fn lay_out(graph: &Graph, at: [f32; 2], spacing: [f32; 2]) -> (BarsArea, DrawList) {
    let mut area = BarsArea::default();
    let list = lay_out_in(&mut area, &mut Font::new(12.0), graph, at, spacing);
    (area, list)
}

fn lay_out_in(
    area: &mut BarsArea,
    font: &mut Font,
    graph: &Graph,
    at: [f32; 2],
    spacing: [f32; 2],
) -> DrawList {
    font.list.clear();
    area.lay_out(font, &Theme::DARK, graph, at, spacing, [692.0, 472.0]);
    font.list.clone()
}

#[test]
fn nothing_is_drawn_outside_the_graph() {
    let mut graph = graph(300);
    graph.cursor = Some(150);
    for style in [GraphStyle::Bars, GraphStyle::Lines] {
        graph.style = style;
        for spacing in [[0.3, 0.5], [2.0, 8.0], [5.5, 100.0]] {
            for at in [[20.0, 20.0], [600.0, 300.0], [0.0, 470.0]] {
                for vertex in lay_out(&graph, at, spacing).1.vertices() {
                    let [x, y] = vertex.position;
                    assert!(x >= at[0] - 1.0 && x <= 700.0, "{x}");
                    assert!(y >= at[1] - 1.0 && y <= 480.0, "{y}");
                }
            }
        }
    }
}

#[test]
fn longest_frame_represents_frames_sharing_a_pixel() {
    let mut graph = graph(100);
    graph.bars[41].ms = 99.0;
    graph.zoom = 0.25;
    let (area, _) = lay_out(&graph, [20.0, 20.0], [1.0, 4.0]);
    let frames: Vec<u64> = area.frames.iter().map(|(frame, _)| *frame).collect();
    assert_eq!(frames.len(), 26);
    assert!(frames.contains(&42) && frames.is_sorted_by(|a, b| a > b));
    // After scrolling, the same frames share a pixel.
    graph.scrolled = 3;
    let (scrolled, _) = lay_out(&graph, [20.0, 20.0], [1.0, 4.0]);
    let later = scrolled.frames.iter().map(|(frame, _)| *frame).skip(1);
    assert!(
        later.eq(frames
            .iter()
            .copied()
            .skip(frames.len() - scrolled.frames.len() + 1))
    );
}

#[test]
fn graph_scrolls_to_keep_cursor_visible() {
    let mut graph = graph(300);
    let ends = |graph: &Graph| {
        let (area, _) = lay_out(graph, [20.0, 20.0], [10.0, 4.0]);
        let [first, .., last] = &area.frames[..] else {
            return (area.frames[0].0, area.frames[0].0);
        };
        (first.0, last.0)
    };
    assert_eq!(ends(&graph), (300, 240));
    graph.scrolled = 100;
    assert_eq!(ends(&graph), (200, 140));
    graph.cursor = Some(290);
    assert_eq!(ends(&graph).0, 290);
    graph.cursor = Some(50);
    assert_eq!(ends(&graph).1, 50);
    graph.scrolled = 1000;
    graph.cursor = None;
    assert_eq!(ends(&graph), (1, 1));
}

#[test]
fn axis_labels_are_drawn_if_there_is_room() {
    for (width, has_labels) in [(692.0, true), (142.0, false)] {
        let (mut area, mut font) = (BarsArea::default(), Font::new(12.0));
        let (at, spacing) = ([20.0; 2], [3.0, 4.0]);
        let graph = graph(200);
        let limits = [width, 472.0];
        area.lay_out(&mut font, &Theme::DARK, &graph, at, spacing, limits);
        let (left, foot) = (area.bars[0], area.bars[3]);
        assert_eq!(left > 20.0, has_labels);
        assert_eq!(area.is_axis(left - 1.0, foot - 1.0), has_labels);
        assert!(!area.is_axis(left, foot - 1.0));
        let is_bar = |quad: &&crate::draw::Quad| {
            let colors = [0, 1, 2].map(|zone| area.colors.color(&Theme::DARK, zone));
            let is_high = quad[0].position[1] > area.bars[1];
            is_high && colors.contains(&quad[0].color)
        };
        let lefts = font
            .list
            .quads()
            .iter()
            .filter(is_bar)
            .map(|quad| quad[0].position[0]);
        let away = lefts.fold(f32::MAX, f32::min) - left;
        assert!((0.0..3.0).contains(&away), "{away}");
        let is_label = |quad: &&crate::draw::Quad| {
            quad[0].color == Theme::DARK.text && quad[1].position[0] < left
        };
        let labels = font.list.quads().iter().filter(is_label).count();
        assert_eq!(labels >= "16.7ms".len(), has_labels, "{labels}");
    }
}

#[test]
fn shown_bar_keeps_its_colors() {
    let mut graph = graph(200);
    for spacing in [[1.0, 4.0], [3.0, 4.0], [9.0, 4.0]] {
        let bars = |graph: &Graph| {
            let (area, list) = lay_out(graph, [20.0, 20.0], spacing);
            let x = area.bars[2] - 49.5 * spacing[0];
            // Returns the visible color of the bar at `y`, which is the color of the last quad that covers it.
            let seen = |y: f32| {
                let covers = |quad: &&crate::draw::Quad| {
                    let [[left, top], [right, foot]] = [quad[0].position, quad[2].position];
                    x >= left && x < right && y >= top && y < foot
                };
                list.quads().iter().rfind(covers).map(|quad| quad[0].color)
            };
            let foot = area.bars[3];
            (1..60)
                .map(|up| seen(foot - up as f32 + 0.5))
                .collect::<Vec<_>>()
        };
        graph.cursor = None;
        let before = bars(&graph);
        graph.cursor = Some(graph.bars[150].frame);
        assert_eq!(bars(&graph), before);
    }
}

#[test]
fn point_hits_the_frame_drawn_there() {
    let graph = graph(100);
    let (area, _) = lay_out(&graph, [20.0, 20.0], [3.0, 4.0]);
    let [_, _, right, foot] = area.bars;
    let frame = |x: f32| area.hit(x, foot - 4.0).map(|hit| hit.frame);
    assert_eq!(frame(right - 0.5), Some(100));
    assert_eq!(frame(right - 3.5), Some(99));
    assert_eq!(frame(right - 299.5), Some(1));
    assert_eq!(frame(right - 301.0), None);
    assert_eq!(frame(right + 1.0), None);
}

#[test]
fn point_hits_the_zone_drawn_there() {
    let mut graph = graph(100);
    let zone = |area: &BarsArea, ms: f32| {
        let [_, _, right, foot] = area.bars;
        area.hit(right - 1.0, foot - ms * area.axis.per_ms)
            .unwrap()
            .zone
    };
    // The newest frame has segments of 3, 6 and 9 ms.
    let (area, _) = lay_out(&graph, [20.0, 20.0], [3.0, 4.0]);
    assert_eq!(zone(&area, 2.9).as_deref(), Some("(outside zones)"));
    assert_eq!(zone(&area, 3.1).as_deref(), Some("physics"));
    assert_eq!(zone(&area, 17.9).as_deref(), Some("render"));
    assert_eq!(zone(&area, 18.1), None);
    graph.style = GraphStyle::Lines;
    let (area, _) = lay_out(&graph, [20.0, 20.0], [3.0, 4.0]);
    assert_eq!(zone(&area, 6.2).as_deref(), Some("physics"));
    assert_eq!(zone(&area, 8.8).as_deref(), Some("render"));
    assert_eq!(zone(&area, 18.0), None);
}

#[test]
fn zone_colors_are_updated_for_renamed_zones() {
    let mut graph = graph(20);
    let (mut area, mut font) = (BarsArea::default(), Font::new(12.0));
    for name in ["physics", "something else"] {
        graph.zones[1].name = name.into();
        font.list.clear();
        let limits = [692.0, 472.0];
        area.lay_out(
            &mut font,
            &Theme::DARK,
            &graph,
            [20.0; 2],
            [3.0, 4.0],
            limits,
        );
        let color = area.colors.color(&Theme::DARK, 1);
        assert_eq!(area.colors.name(1).map(|name| &**name), Some(name));
        assert!(
            font.list.vertices().iter().any(|v| v.color == color),
            "{name}"
        );
    }
}

#[test]
fn bar_height_is_frame_time() {
    let graph = graph(1);
    let (area, list) = lay_out(&graph, [20.0, 20.0], [6.0, 4.0]);
    let x = area.bars[2] - 3.0;
    let colors = [0, 1, 2].map(|zone| area.colors.color(&Theme::DARK, zone));
    let mut top = f32::MAX;
    for quad in list.quads() {
        let covers =
            quad.iter().any(|v| v.position[0] < x) && quad.iter().any(|v| v.position[0] > x);
        if covers && colors.contains(&quad[0].color) {
            top = quad.iter().fold(top, |top, v| top.min(v.position[1]));
        }
    }
    assert_eq!(top, area.bars[3] - (graph.bars[0].ms as f32 * 4.0).round());
}
/// Returns the bar labels from left to right: horizontal center, top, and number of glyphs.
fn labels(area: &BarsArea, list: &DrawList) -> Vec<(f32, f32, usize)> {
    let is_label = |quad: &&crate::draw::Quad| {
        let [[left, top], [_, foot]] = [quad[0].position, quad[2].position];
        let is_ground = quad[0].color == Theme::DARK.label_bar && foot - top > 8.0;
        is_ground && left >= area.bars[0]
    };
    let label = |background: &crate::draw::Quad| {
        let [[left, top], [right, foot]] = [background[0].position, background[2].position];
        let is_inside = |quad: &&crate::draw::Quad| {
            let [x, y] = quad[0].position;
            let is_text = quad[0].color == Theme::DARK.title;
            is_text && x >= left && x < right && y >= top && y < foot
        };
        let glyphs = list.quads().iter().filter(is_inside).count();
        (0.5 * (left + right), top, glyphs)
    };
    let mut labels: Vec<_> = list.quads().iter().filter(is_label).map(label).collect();
    labels.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    labels
}

/// Returns a graph of 200 frames of 12 ms in one zone. The frames in `spikes` are longer.
fn with_spikes(spikes: &[(usize, f32)]) -> Graph {
    let mut graph = graph(200);
    let mut set = |at: usize, ms: f32| {
        graph.bars[at].segments = vec![Segment { zone: 1, ms }];
        graph.bars[at].ms = f64::from(ms);
    };
    (0..200).for_each(|at| set(at, 12.0));
    spikes.iter().for_each(|(at, ms)| set(*at, *ms));
    graph
}

#[test]
fn longest_and_cut_bars_are_labeled() {
    // The first three bars are close together: the second label fits below the first, but there is no room for the
    // third. The 30 ms bar is not cut.
    let spikes = [
        (60, 400.0),
        (62, 390.0),
        (64, 380.0),
        (120, 163.0),
        (170, 30.0),
    ];
    let (area, list) = lay_out(&with_spikes(&spikes), [20.0, 20.0], [3.0, 4.0]);
    let is_cap = |quad: &&crate::draw::Quad| {
        let high = quad[2].position[1] - quad[0].position[1];
        quad[0].color == Theme::DARK.cut_bar && high == CUT_MARK_HEIGHT
    };
    assert_eq!(list.quads().iter().filter(is_cap).count(), 4);
    assert_eq!(
        area.axis.top_ms, 40.0,
        "the other bars should stay readable"
    );
    let x = |area: &BarsArea, at: usize| area.bars[2] - (199.5 - at as f32) * 3.0;
    let found = labels(&area, &list);
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(found[1].1 - found[0].1, Font::new(12.0).line);
    for ((middle, _, glyphs), at) in found.iter().zip([60, 62, 120]) {
        assert!((middle - x(&area, at)).abs() <= 1.0, "{found:?}");
        assert_eq!(*glyphs, "163ms".len());
    }
    // If no bar is cut, the longest bar's time is above it.
    let (area, list) = lay_out(&with_spikes(&[(170, 30.0)]), [20.0, 20.0], [3.0, 4.0]);
    let found = labels(&area, &list);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].0 - x(&area, 170)).abs() <= 1.0);
    let top = area.bars[3] - 30.0 * 4.0;
    assert_eq!(found[0].1, top - Font::new(12.0).line);
}

/// Start-up frames are longer than any later frame, but the user wants to see the longest frame after start-up.
#[test]
fn label_is_above_the_longest_bar() {
    let mut graph = with_spikes(&[(60, 39.0), (170, 30.0)]);
    let x = |area: &BarsArea, at: usize| area.bars[2] - (199.5 - at as f32) * 3.0;
    let middles = |graph: &Graph| {
        let (area, list) = lay_out(graph, [20.0, 20.0], [3.0, 4.0]);
        let found = labels(&area, &list);
        let at = |middle: f32| (0..200).find(|at| (x(&area, *at) - middle).abs() <= 1.0);
        let ats: Vec<_> = found.iter().map(|(middle, ..)| at(*middle)).collect();
        let dimmed = Theme::DARK.dimmed;
        let is_dimmed = |quad: &&crate::draw::Quad| quad[0].color == dimmed;
        (ats, list.quads().iter().filter(is_dimmed).count())
    };
    assert_eq!(middles(&graph).0, [Some(60)]);
    graph.last_of_start_up = graph.bars[70].frame;
    let both = (vec![Some(60), Some(170)], "39ms".len());
    assert_eq!(
        middles(&graph),
        both,
        "both the start-up frame and the longest later frame should have labels"
    );
    graph.longest = graph.bars[160].frame;
    let ats = [Some(60), Some(160)];
    assert_eq!(
        middles(&graph).0,
        ats,
        "the label should be at the graph's longest frame"
    );
    // If several start-up bars are taller, only one of them is labeled.
    graph.bars[30] = graph.bars[60].clone();
    graph.bars[30].frame = 31;
    assert_eq!(middles(&graph).0, ats);
    // A cut start-up bar is labeled with its time, dimmed.
    let mut graph = with_spikes(&[(60, 400.0), (170, 300.0)]);
    assert_eq!(middles(&graph), (vec![Some(60), Some(170)], 0));
    graph.last_of_start_up = graph.bars[70].frame;
    let (ats, dimmed) = middles(&graph);
    assert_eq!(ats, [Some(60), Some(170)]);
    assert_eq!(dimmed, "400ms".len());
}

/// A label that moves away from a taller bar must not move onto another label.
#[test]
fn labels_do_not_overlap() {
    for (cut, uncut) in [
        (100, 103),
        (103, 100),
        (100, 110),
        (110, 100),
        (1, 6),
        (196, 199),
    ] {
        for ms in [20.0, 30.0, 38.0, 39.9] {
            let mut graph = with_spikes(&[(cut, 400.0), (uncut, ms)]);
            graph.longest = graph.bars[uncut].frame;
            let (area, list) = lay_out(&graph, [20.0, 20.0], [3.0, 4.0]);
            let found = labels(&area, &list);
            assert!(!found.is_empty());
            let (line, advance) = (Font::new(12.0).line, Font::new(12.0).advance);
            for pair in found.windows(2) {
                let [(a, top, _), (b, other, _)] = pair else {
                    unreachable!()
                };
                let is_apart = b - a >= 6.0 * advance || (top - other).abs() >= line;
                assert!(is_apart, "{cut} {uncut} {ms}: {found:?}");
            }
        }
    }
}

/// A label over a taller bar would seem to be that bar's label. Start-up frames may be taller than the longest bar,
/// since they do not count as the longest frame.
#[test]
fn labels_do_not_cover_higher_bars() {
    for (start, longest) in [(100, 101), (100, 104), (100, 99), (100, 95), (199, 198)] {
        let mut graph = with_spikes(&[(start, 39.0), (longest, 30.0)]);
        graph.longest = graph.bars[longest].frame;
        let (area, list) = lay_out(&graph, [20.0, 20.0], [3.0, 4.0]);
        let found = labels(&area, &list);
        let [(middle, top, glyphs)] = found[..] else {
            panic!("{found:?}");
        };
        let half = 0.5 * (Font::new(12.0).advance * glyphs as f32 + 4.0);
        let bar = |at: usize| area.bars[2] - (199.5 - at as f32) * 3.0;
        let away = (middle - bar(start)).abs();
        assert!(away >= half + 1.5 - 0.5, "{start} {longest}: {found:?}");
        assert!(
            (middle - bar(longest)).abs() <= 2.0 * half + 3.0,
            "{start} {longest}: {found:?}"
        );
        assert_eq!(top, area.bars[3] - 30.0 * 4.0 - Font::new(12.0).line);
    }
    // With a taller bar on each side, the label is above both bars.
    let mut graph = with_spikes(&[(99, 34.0), (100, 30.0), (101, 32.0)]);
    graph.longest = graph.bars[100].frame;
    let (area, list) = lay_out(&graph, [20.0, 20.0], [3.0, 4.0]);
    let top = area.bars[3] - 34.0 * 4.0 - Font::new(12.0).line;
    assert_eq!(labels(&area, &list)[0].1, top);
}

/// Labels move down to make room, whether their bars are cut or not, and otherwise keep their places.
#[test]
fn labels_do_not_cover_the_value_name() {
    let mut moved = 0;
    for high in [39.0, 39.9, 400.0] {
        for at in [1, 5, 12, 20, 100, 190] {
            for is_marked in [false, true] {
                let mut graph = with_spikes(&[(at, high)]);
                if is_marked {
                    let frame = graph.bars[150].frame;
                    graph.marks.push(GraphMark {
                        frame,
                        name: "new level".into(),
                    });
                }
                let found = |graph: &Graph| {
                    let (area, list) = lay_out(graph, [20.0, 20.0], [3.0, 4.0]);
                    let times = labels(&area, &list).into_iter();
                    (times.filter(|time| time.2 < 7).collect::<Vec<_>>(), area)
                };
                let (before, _) = found(&graph);
                graph.value = Some(ValueInfo {
                    name: "bodies".into(),
                    unit: "body".into(),
                    steps: 1,
                });
                graph.bars.iter_mut().for_each(|bar| bar.value = 10.0);
                let (after, area) = found(&graph);
                let name = area
                    .value_label
                    .expect("there should be room for the label");
                let (line, advance) = (Font::new(12.0).line, Font::new(12.0).advance);
                assert_eq!((before.len(), after.len()), (1, 1), "{before:?} {after:?}");
                let (middle, top, glyphs) = after[0];
                assert_eq!((before[0].0, before[0].2), (middle, glyphs));
                // The space before the unit has no glyph.
                let half = 0.5 * advance * (glyphs + 1) as f32 + 2.0;
                let is_beside = middle - half >= name[2] || middle + half <= name[0];
                let is_below = top >= name[3] || top + line <= name[1];
                assert!(is_beside || is_below, "{high} {at}: {after:?} {name:?}");
                assert_eq!(
                    !is_beside,
                    top != before[0].1,
                    "labels should move only if needed"
                );
                moved += usize::from(top != before[0].1);
            }
        }
    }
    assert!(moved > 0);
}

#[test]
fn cut_bars_are_labeled_if_there_is_room() {
    let spikes: Vec<_> = (0..10).map(|at| (5 + 20 * at, 400.0 + at as f32)).collect();
    let (area, list) = lay_out(&with_spikes(&spikes), [20.0, 20.0], [3.0, 4.0]);
    assert_eq!(area.axis.top_ms, 40.0);
    assert_eq!(labels(&area, &list).len(), 10);
}

#[test]
fn cut_bar_labels_show_their_times() {
    let (mut area, font) = (BarsArea::default(), &mut Font::new(12.0));
    let graph = with_spikes(&[(30, 1_234.0), (90, 163.4), (150, 41.26)]);
    let list = lay_out_in(&mut area, font, &graph, [20.0, 20.0], [3.0, 4.0]);
    let glyphs = |list: &DrawList, within: Option<(f32, f32)>| {
        let is_text = |quad: &&crate::draw::Quad| {
            let [x, y] = quad[0].position;
            let is_there = |(middle, top): (f32, f32)| {
                let line = Font::new(12.0).line;
                (x - middle).abs() < 30.0 && y >= top && y < top + line
            };
            quad[0].color == Theme::DARK.title && within.is_none_or(is_there)
        };
        let quads = list.quads().iter().filter(is_text);
        quads.map(|quad| quad[0].uv).collect::<Vec<_>>()
    };
    let found = labels(&area, &list);
    assert_eq!(found.len(), 3, "{found:?}");
    for ((middle, top, _), says) in found.into_iter().zip(["1.2 s", "163 ms", "41.3 ms"]) {
        font.list.clear();
        font.text(0.0, 0.0, says, Theme::DARK.title);
        let expected = glyphs(&font.list, None);
        assert_eq!(glyphs(&list, Some((middle, top))), expected, "{says}");
    }
}

#[test]
fn idle_zones_are_pale_on_top_and_last_in_legend() {
    let mut graph = with_spikes(&[]);
    graph.zones[1].is_idle = true;
    for bar in &mut graph.bars {
        // The query returns segments in this order.
        bar.segments.insert(0, Segment { zone: 2, ms: 3.0 });
        bar.ms += 3.0;
    }
    let (area, list) = lay_out(&graph, [20.0, 20.0], [3.0, 4.0]);
    assert_eq!(area.legend, [2, 1]);
    let [_, _, right, foot] = area.bars;
    let zone = |up: f32| area.hit(right - 1.0, foot - up).unwrap().zone;
    assert_eq!(zone(6.0).as_deref(), Some("render"));
    assert_eq!(zone(40.0).as_deref(), Some("physics"));
    let pale = colors::idle(&Theme::DARK);
    assert!(
        list.quads()
            .iter()
            .filter(|quad| quad[0].color == pale)
            .count()
            > 200
    );
    // In the line style, all zones have lines.
    graph.style = GraphStyle::Lines;
    let (area, _) = lay_out(&graph, [20.0, 20.0], [3.0, 4.0]);
    let hit = area.hit(right - 1.0, foot - 12.0 * 4.0).unwrap();
    assert_eq!(hit.zone.as_deref(), Some("physics"));
}

#[test]
fn hovering_a_legend_zone_highlights_it() {
    let graph = with_spikes(&[]);
    let (mut area, list) = lay_out(&graph, [20.0, 20.0], [3.0, 4.0]);
    let colors = |area: &BarsArea| [1, 2].map(|zone| area.colors.color(&Theme::DARK, zone));
    let count = |list: &DrawList, colors: [Color; 2]| {
        let of = |color| {
            list.quads()
                .iter()
                .filter(move |quad| quad[0].color == color)
        };
        colors.map(|color| of(color).count())
    };
    let [before, _] = count(&list, colors(&area));
    let [left, top, right, bottom] = area.entries[0];
    let at = [0.5 * (left + right), 0.5 * (top + bottom)];
    let name = area.legend_at(at[0], at[1]);
    let (name, is_idle, mean) = name.expect("the legend entry should be hit");
    assert_eq!((&*name, is_idle), ("physics", false));
    assert_eq!((mean.frames, mean.ms, mean.frame_ms), (200, 12.0, 12.0));
    assert_eq!(area.hit_legend(at[0], at[1]).as_deref(), Some("physics"));
    assert_eq!(area.hit_legend(at[0], bottom + 1.0), None);
    assert_eq!(area.hit(at[0], at[1]), None);
    // The other zones become paler.
    let mut graph = graph;
    for bar in &mut graph.bars {
        bar.segments.push(Segment { zone: 2, ms: 3.0 });
    }
    let lay_out = |area: &mut BarsArea, hover: Option<[f32; 2]>| {
        area.hover = hover;
        let font = &mut Font::new(12.0);
        lay_out_in(area, font, &graph, [20.0, 20.0], [3.0, 4.0])
    };
    let list = lay_out(&mut area, None);
    let colors = colors(&area);
    assert_eq!(count(&list, colors), [before, 201]);
    let list = lay_out(&mut area, Some(at));
    assert_eq!(
        count(&list, colors),
        [before, 1],
        "only the legend square should keep its color"
    );
    area.forget();
    assert_eq!(area.hit_legend(at[0], at[1]), None);
}

#[test]
fn many_long_frames_are_not_cut() {
    // With an axis of 40 ms, all of these bars would be cut.
    let spikes: Vec<_> = (0..200).map(|at| (at, 90.0 + (at % 7) as f32)).collect();
    let (area, list) = lay_out(&with_spikes(&spikes), [20.0, 20.0], [3.0, 4.0]);
    assert_eq!(area.axis.top_ms, 150.0);
    let is_cap = |quad: &crate::draw::Quad| {
        let high = quad[2].position[1] - quad[0].position[1];
        quad[0].color == Theme::DARK.cut_bar && high == CUT_MARK_HEIGHT
    };
    assert!(!list.quads().iter().any(is_cap));
    let hit = area.hit(area.bars[2] - 1.0, area.bars[3] - 80.0 * area.axis.per_ms);
    assert_eq!(hit.unwrap().zone.as_deref(), Some("physics"));
}

#[test]
fn hits_match_zoomed_and_scrolled_graph() {
    let mut graph = with_spikes(&[(150, 400.0)]);
    (graph.vertical_zoom, graph.raised) = (4.0, 1.0);
    let (area, _) = lay_out(&graph, [20.0, 20.0], [3.0, 4.0]);
    let [_, top, right, foot] = area.bars;
    assert_eq!((area.axis.foot_ms, area.axis.top_ms), (10.0, 20.0));
    let zone = |back: f32, up: f32| {
        let hit = area.hit(right - 3.0 * back - 1.0, foot - up * (foot - top));
        hit.unwrap().zone
    };
    // The axis starts at 10 ms, so 12 ms is at a fifth of the height.
    assert!(zone(0.0, 0.15).is_some());
    assert!(zone(0.0, 0.25).is_none());
    assert!(zone(49.0, 0.95).is_some());
    graph.raised = 1e9;
    let (area, _) = lay_out(&graph, [20.0, 20.0], [3.0, 4.0]);
    assert!(
        area.axis.top_ms > 400.0,
        "the longest bar's top should be reachable"
    );
    assert!(
        area.raised().unwrap() < 42.0,
        "scrolling should stop at the longest bar's top"
    );
}

#[test]
fn title_counts_only_frames_with_known_times() {
    let mut graph = graph(10);
    for at in [3, 8, 9] {
        graph.bars[at].ms = 0.0;
        graph.bars[at].segments.clear();
    }
    let title = |graph: &Graph| {
        let (mut area, mut font) = (BarsArea::default(), Font::new(12.0));
        area.lay_out(
            &mut font,
            &Theme::DARK,
            graph,
            [10.0, 10.0],
            [2.0, 2.0],
            [600.0, 300.0],
        );
        area.label
    };
    assert_eq!(title(&graph), "frame 8  54.00 ms");
    graph.cursor = Some(9);
    assert_eq!(title(&graph), "frame 9");
    graph.cursor = None;
    // Frame 4's time is not known yet.
    graph.range = Some((3, 5));
    assert_eq!(title(&graph), "frames 3 to 5  mean 36.00 ms");
    graph.range = None;
    graph.set = Some(GraphSet {
        name: "frames over 3 ms".into(),
        frames: vec![3, 4, 5],
    });
    assert_eq!(title(&graph), "frames over 3 ms: 3  mean 36.00 ms");
}

#[test]
fn columns_outside_the_set_are_shaded() {
    let mut graph = graph(10);
    // Returns the start and end of each shaded run of columns, from the right, in bars.
    let shaded = |graph: &Graph| -> Vec<[u32; 2]> {
        let (area, list) = lay_out(graph, [20.0, 20.0], [10.0, 4.0]);
        let runs = list.vertices().chunks(4);
        let runs = runs.filter(|quad| quad[0].color == Theme::DARK.outside);
        let bars = |x: f32| ((area.bars[2] - x) / area.step).round() as u32;
        let ends = runs.map(|quad| {
            let xs = quad.iter().map(|vertex| vertex.position[0]);
            let (left, right) = xs.fold((f32::MAX, f32::MIN), |(left, right), x| {
                (left.min(x), right.max(x))
            });
            [bars(right), bars(left)]
        });
        ends.collect()
    };
    assert!(shaded(&graph).is_empty());
    graph.set = Some(GraphSet {
        name: "some".into(),
        frames: vec![4, 5, 10],
    });
    assert_eq!(shaded(&graph), [[1, 5], [7, 10]]);
    graph.set = Some(GraphSet {
        name: "others".into(),
        frames: vec![1, 9],
    });
    assert_eq!(shaded(&graph), [[0, 1], [2, 9]]);
    graph.set = Some(GraphSet {
        name: "none".into(),
        frames: Vec::new(),
    });
    assert_eq!(shaded(&graph), [[0, 10]]);
    // If several frames share a column, the column is shaded only if none of the frames is in the set.
    graph.zoom = 0.05;
    let (area, _) = lay_out(&graph, [20.0, 20.0], [10.0, 4.0]);
    assert!(area.groups.len() < 10);
    for frame in 1..=10 {
        graph.set = Some(GraphSet {
            name: "one".into(),
            frames: vec![frame],
        });
        let columns: u32 = shaded(&graph).iter().map(|[from, to]| to - from).sum();
        assert_eq!(columns as usize, area.groups.len() - 1);
    }
}
