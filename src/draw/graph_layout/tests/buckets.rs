//! Tests of bars that show session buckets.

use super::super::buckets::LONGEST_MARK_HEIGHT;
use super::super::{BarsArea, CUT_MARK_HEIGHT};
use crate::draw::font::Font;
use crate::draw::list::DrawList;
use crate::draw::theme::Theme;
use iprof_report::{Bar, Graph, GraphBucket};
use iprof_report::{GraphSet, GraphStyle, GraphZone, Segment};
use std::time::Duration;

/// Returns a graph of one-second buckets, each with 100 frames of 10 ms. The buckets in `longest` have longer frames.
fn graph(count: u64, longest: &[(usize, f64)]) -> Graph {
    let mut graph = Graph {
        title: "session".into(),
        capacity: 200,
        zones: vec![GraphZone::new("physics"), GraphZone::new("render")],
        ..Graph::default()
    };
    for at in 0..count {
        let segments = vec![Segment { zone: 0, ms: 4.0 }, Segment { zone: 1, ms: 6.0 }];
        graph.bars.push_back(Bar::new(at * 100 + 100, segments));
        graph.buckets.push(GraphBucket {
            begin: Duration::from_secs(at),
            end: Duration::from_secs(at + 1),
            first: at * 100 + 1,
            last: at * 100 + 100,
            count: 100,
            longest_ms: 11.0,
            shown: 0,
        });
    }
    for (at, ms) in longest {
        graph.buckets[*at].longest_ms = *ms;
    }
    graph
}

fn lay_out(graph: &Graph, spacing: [f32; 2]) -> (BarsArea, DrawList) {
    let (mut area, mut font) = (BarsArea::default(), Font::new(12.0));
    let limits = [692.0, 472.0];
    area.lay_out(&mut font, &Theme::DARK, graph, [20.0; 2], spacing, limits);
    (area, font.list)
}

fn quads(list: &DrawList, color: crate::draw::theme::Color) -> Vec<[f32; 4]> {
    let of_color = list.quads().iter().filter(|quad| quad[0].color == color);
    let edges = of_color.map(|quad| {
        let ([x0, y0], [x1, y1]) = (quad[0].position, quad[2].position);
        [x0, y0, x1, y1]
    });
    edges.collect()
}

#[test]
fn maximum_bucket_count_fits_and_is_hit() {
    for count in [1, 7, 32, 50] {
        let graph = graph(count, &[]);
        let (area, _) = lay_out(&graph, [2.0, 4.0]);
        assert_eq!(area.visible.len() as u64, count);
        let [left, _, right, foot] = area.bars;
        assert!(area.step >= (right - left) / 52.0);
        for back in 0..count {
            let x = right - (back as f32 + 0.5) * area.step;
            let hit = area.hit(x, foot - 20.0).unwrap();
            let at = (count - 1 - back) as usize;
            assert_eq!(hit.bucket, Some(graph.buckets[at]));
            assert_eq!(hit.group, (graph.buckets[at].first, graph.buckets[at].last));
            assert_eq!(area.began(hit.group.0), Some(graph.buckets[at].begin));
        }
        assert_eq!(area.min_zoom(), None);
    }
    // Zoom and scrolling only apply to frames.
    let mut graph = graph(7, &[]);
    let before = lay_out(&graph, [2.0, 4.0]).0.step;
    graph.zoom = 16.0;
    assert_eq!(lay_out(&graph, [2.0, 4.0]).0.step, before);
}

#[test]
fn longest_frame_of_a_bucket_is_marked() {
    let (area, list) = lay_out(&graph(10, &[(3, 400.0), (6, 20.0)]), [2.0, 4.0]);
    let x = |at: usize| area.bars[2] - (10 - at) as f32 * area.step;
    let marks = quads(&list, Theme::DARK.title);
    let is_mark = |[x0, y0, x1, y1]: &[f32; 4]| x1 - x0 > 10.0 && y1 - y0 == LONGEST_MARK_HEIGHT;
    let marks: Vec<_> = marks.into_iter().filter(is_mark).collect();
    assert_eq!(marks.len(), 9);
    let of_six = marks
        .iter()
        .find(|mark| (mark[0] - x(6)).abs() < 1.0)
        .unwrap();
    assert_eq!(of_six[1], area.bars[3] - (20.0 * area.axis.per_ms).round());
    let is_cap = |[x0, y0, x1, y1]: &[f32; 4]| x1 - x0 > 10.0 && y1 - y0 == CUT_MARK_HEIGHT;
    let cut = |list: &DrawList| -> Vec<[f32; 4]> {
        let quads = quads(list, Theme::DARK.cut_bar).into_iter();
        quads.filter(is_cap).collect()
    };
    let caps = cut(&list);
    assert_eq!(caps.len(), 1);
    assert!((caps[0][0] - x(3)).abs() < 1.0 && caps[0][1] == area.bars[1]);
    let mut lines = graph(10, &[(3, 400.0)]);
    lines.style = GraphStyle::Lines;
    assert!(cut(&lay_out(&lines, [2.0, 4.0]).1).is_empty());
}

#[test]
fn title_describes_the_shown_buckets() {
    let mut graph = graph(10, &[]);
    let title = |graph: &Graph| lay_out(graph, [2.0, 4.0]).0.label;
    assert_eq!(title(&graph), "0:09.0 to 0:10.0  100 frames, mean 10.00 ms");
    graph.cursor = Some(400);
    assert_eq!(title(&graph), "0:03.0 to 0:04.0  100 frames, mean 10.00 ms");
    graph.cursor = None;
    graph.range = Some((150, 310));
    graph.bars[1].ms = 16.0;
    assert_eq!(title(&graph), "0:01.0 to 0:04.0  300 frames, mean 12.00 ms");
    graph.range = None;
    graph.set = Some(GraphSet {
        name: "frames over 20 ms".into(),
        frames: vec![205, 210, 1_000],
    });
    assert_eq!(title(&graph), "frames over 20 ms: in 2 of 10 buckets");
}

#[test]
fn legend_zone_shows_mean_over_all_frames() {
    let mut graph = graph(2, &[]);
    graph.buckets[0].count = 300;
    graph.bars[0].segments[0].ms = 8.0;
    let (area, _) = lay_out(&graph, [2.0, 4.0]);
    let [x0, y0, x1, y1] = area.entries[0];
    let (name, _, mean) = area.legend_at(0.5 * (x0 + x1), 0.5 * (y0 + y1)).unwrap();
    assert_eq!((&*name, mean.frames, mean.ms), ("physics", 400, 7.0));
}

#[test]
fn min_zoom_fits_all_frames() {
    let mut graph = Graph {
        capacity: 1_000,
        ..Graph::default()
    };
    let least = |graph: &Graph, across: f32| lay_out(graph, [across, 4.0]).0.min_zoom();
    // There are 600 px for 1,000 frames.
    assert_eq!(least(&graph, 2.0), Some(0.25));
    assert_eq!(least(&graph, 1.0), Some(0.5));
    graph.capacity = 100;
    assert_eq!(least(&graph, 2.0), Some(1.0));
    graph.capacity = 0;
    assert_eq!(least(&graph, 2.0), None);
}
