//! Tests that hit testing agrees with what is drawn.

use crate::scenes::rows;
use crate::stage::{draw_background, overlay, stage};
use crate::support::headless::{Headless, Kind};
use crate::support::image::Image;
use crate::support::painted::Painted;
use iprof::overlay::Hit;
use iprof::{Bar, Graph, GraphZone, Segment};
use std::sync::Arc;

const SIZE: [i32; 2] = [640, 360];

/// Runs a test twice: in pixels, and on a virtual screen with half as many units. `test`'s last argument is the number
/// of pixels per unit.
fn in_pixels_and_in_units(test: fn(&Headless, &mut Painted, f32)) {
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    test(&h, &mut overlay(&h), 1.0);
    let mut halved = overlay(&h);
    halved.set_screen(SIZE[0] as f32 / 2.0, SIZE[1] as f32 / 2.0);
    test(&h, &mut halved, 2.0);
}

fn frame(hit: Option<Hit>) -> Option<(u64, Option<Arc<str>>)> {
    match hit {
        Some(Hit::Frame { number, zone, .. }) => Some((number, zone)),
        _ => None,
    }
}

#[test]
fn row_is_hit_on_its_background() {
    in_pixels_and_in_units(|h, overlay, scale| {
        let mut with_cursor_on = |row| -> Image {
            draw_background(h);
            overlay.draw(|frame| frame.draw_report(&rows(40, row), 10.0, 8.0, 260.0, 150.0, 2));
            h.read()
        };
        // Scroll to row 20. The report doesn't scroll back while the cursor is in view, or while no row has the cursor.
        with_cursor_on(20);
        let plain = with_cursor_on(usize::MAX);
        let pictures = [18, 19, 20].map(|row| (row, with_cursor_on(row)));
        // At this x coordinate, rows show only their background.
        let x = (13.0 * scale) as u32;
        let mut px_of_rows = 0;
        for y in 0..SIZE[1] as u32 {
            let differs = |picture: &Image| picture.pixel(x, y) != plain.pixel(x, y);
            let seen = pictures.iter().find(|(_, picture)| differs(picture));
            let seen = seen.map(|(row, _)| *row);
            let hit = overlay.hit((x as f32 + 0.5) / scale, (y as f32 + 0.5) / scale);
            let hit = match hit {
                Some(Hit::Row(row)) => Some(row),
                None => None,
                other => panic!("unexpected hit: {other:?}"),
            };
            px_of_rows += u32::from(seen.is_some());
            let marked = hit.filter(|row| (18..=20).contains(row));
            assert_eq!(marked, seen, "wrong row hit at y = {y}");
        }
        assert!(px_of_rows > 36, "only {px_of_rows} px belong to rows");
        for [x, y] in [
            [9.5, 80.0],
            [270.5, 80.0],
            [100.0, 8.5],
            [100.0, 158.5],
            [f32::NAN, 80.0],
        ] {
            assert_eq!(overlay.hit(x, y), None, "{x}, {y}");
        }
    });
}

/// A graph with a gap in its frame numbers, as after a pause.
fn graph() -> Graph {
    let names = ["one", "two", "three", "four"];
    let bar = |at: u16| {
        let more = f32::from(at % 4);
        let ms = [6.0, 6.0, 6.0, 6.0 + more];
        let segments = (0..4).zip(ms).map(|(zone, ms)| Segment { zone, ms });
        let frame = u64::from(if at < 10 { at } else { at + 1000 });
        Bar::new(frame, segments.collect())
    };
    let mut graph = Graph::default();
    graph.zones = names.map(GraphZone::new).into();
    graph.bars = (0..20).map(bar).collect();
    // Leave room for twenty more bars on the left, where the labels are.
    graph.capacity = 40;
    graph
}

#[test]
fn bar_is_hit_on_each_zone_color() {
    in_pixels_and_in_units(|h, overlay, scale| {
        let (graph, [x, y, per_frame, per_ms]) = (graph(), [10.0, 10.0, 6.0, 2.0]);
        draw_background(h);
        let ground = h.read();
        overlay.draw(|frame| frame.draw_graph(&graph, x, y, per_frame, per_ms));
        let picture = h.read();
        let column = ((x + 1.0) * scale) as u32;
        let is_drawn = |y: &u32| picture.pixel(column, *y) != ground.pixel(column, *y);
        let foot = (0..picture.height)
            .rfind(is_drawn)
            .expect("the graph should be drawn")
            + 1;
        let is_drawn = |x: &u32| picture.pixel(*x, foot - 1) != ground.pixel(*x, foot - 1);
        let right = (0..picture.width)
            .rfind(is_drawn)
            .expect("the graph should be drawn") as f32
            + 1.0;

        let mut colors = [None; 4];
        for (back, bar) in graph.bars.iter().rev().enumerate() {
            let at_x = right - (back as f32 + 0.5) * per_frame * scale;
            let look = |ms: f32| {
                let at_y = foot as f32 - ms * per_ms * scale;
                let hit = overlay.hit(at_x / scale, at_y / scale);
                (picture.pixel(at_x as u32, at_y as u32), hit)
            };
            let number = bar.frame;
            let mut sum = 0.0;
            for segment in &bar.segments {
                let at = segment.zone as usize;
                let (color, hit) = look(sum + 0.5 * segment.ms);
                let zone = Some(graph.zones[at].name.clone());
                assert_eq!(frame(hit), Some((number, zone)));
                assert_eq!(
                    color,
                    *colors[at].get_or_insert(color),
                    "wrong color in frame {number}"
                );
                sum += segment.ms;
            }
            let (color, hit) = look(sum + 1.0);
            assert_eq!(frame(hit), Some((number, None)));
            assert!(
                !colors.contains(&Some(color)),
                "the area above frame {number} has a zone's color"
            );
        }
        assert!((0..4).all(|a| (0..a).all(|b| colors[a] != colors[b])));

        let no_bar_yet = [x + 100.0, y + 70.0];
        for [x, y] in [
            no_bar_yet,
            [right / scale + 0.5, 60.0],
            [9.5, 60.0],
            [200.0, 9.5],
            [f32::NAN, 60.0],
        ] {
            assert_eq!(overlay.hit(x, y), None, "{x}, {y}");
        }
    });
}

#[test]
fn removed_items_are_not_hit() {
    in_pixels_and_in_units(|_, overlay, _| {
        overlay.draw(|frame| frame.draw_report(&rows(9, 1), 10.0, 10.0, 260.0, 100.0, 2));
        overlay.draw(|frame| frame.draw_graph(&graph(), 10.0, 10.0, 6.0, 2.0));
        assert!(matches!(overlay.hit(100.0, 80.0), Some(Hit::Row(_))));
        overlay.draw(|frame| frame.draw_report(&rows(9, 1), 10.0, 10.0, 0.0, 100.0, 2));
        assert!(matches!(overlay.hit(200.0, 80.0), Some(Hit::Frame { .. })));
        overlay.draw(|frame| frame.draw_graph(&graph(), f32::NAN, 10.0, 6.0, 2.0));
        assert_eq!(overlay.hit(200.0, 80.0), None);
    });
}
