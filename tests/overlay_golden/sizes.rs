//! Draws a report, a graph and a tooltip together, on small to large screens, at three scales, over black, white and
//! noise, in each theme. With `IPROF_PICTURES=folder`, all of these pictures are written to that folder.

use crate::legibility::Ground;
use crate::pictures::EXACT_EDGES;
use crate::scenes::{frames, rows};
use crate::stage::overlay;
use crate::support::headless::{Headless, Kind, Target};
use crate::support::image::{Image, assert_golden};
use crate::support::painted::Painted;
use iprof::overlay::{Hit, PointerEvent, Theme};
use iprof::{Graph, GraphStyle, Report, Segment};
use std::path::Path;

const THEMES: [(&str, Theme); 3] = [
    ("dark", Theme::DARK),
    ("light", Theme::LIGHT),
    ("color_blind", Theme::COLOR_BLIND),
];
/// The margin between the overlay's parts, and at the edges of the screen, in units.
const MARGIN: f32 = 8.0;

fn report() -> Report {
    let mut report = rows(24, 2);
    report.title = vec![
        "SELF TIME   16.71 ms   59.8 fps   all threads   average of 0.8 s".into(),
        "auto 1 %: 12 of 40 zones by the clock".into(),
    ];
    report.frame_ms = 16.71;
    report
}

/// Returns [`frames`], with two frames that are too long to fit in the graph.
fn graph() -> Graph {
    let mut graph = frames(GraphStyle::Bars);
    graph.cursor = None;
    for (at, ms) in [(50, 163.0), (51, 120.0)] {
        graph.bars[at].segments.push(Segment { zone: 9, ms });
        graph.bars[at].ms += f64::from(ms);
    }
    graph
}

fn report_width(width: f32) -> f32 {
    (width - 2.0 * MARGIN).min(560.0)
}

/// Draws everything, with the report at the top. The size is in units.
fn draw(overlay: &mut Painted, [width, height]: [f32; 2]) {
    let graph_y = (height * 0.55).floor();
    let per_ms = (height - graph_y - MARGIN - 32.0) / 40.0;
    let report_width = report_width(width);
    let at = [0.5 * report_width, (0.3 * height).min(120.0)];
    overlay.pointer(PointerEvent::Moved { x: at[0], y: at[1] });
    overlay.draw(|frame| {
        frame.draw_report(
            &report(),
            MARGIN,
            MARGIN,
            report_width,
            graph_y - 2.0 * MARGIN,
            2,
        )
    });
    overlay.draw(|frame| frame.draw_graph(&graph(), MARGIN, graph_y, 4.0, per_ms.max(1.0)));
    overlay.draw(|frame| frame.draw_tooltip());
    // On a smaller screen, only the title fits.
    if height >= 200.0 {
        assert!(matches!(overlay.hit(at[0], at[1]), Some(Hit::Row(_))));
    }
    assert_space_is_used(overlay, [width, height], graph_y);
}

/// Checks that rows fill the report's rectangle, unless there are too few of them, and that bars are drawn below.
fn assert_space_is_used(overlay: &Painted, [width, height]: [f32; 2], graph_y: f32) {
    let hits = |x: f32, from: f32, to: f32| {
        (from as u32..to as u32).filter_map(move |y| overlay.hit(x, y as f32 + 0.5))
    };
    let mut rows: Vec<usize> = hits(2.0 * MARGIN, MARGIN, graph_y - MARGIN)
        .filter_map(|hit| match hit {
            Hit::Row(row) => Some(row),
            _ => None,
        })
        .collect();
    rows.dedup();
    // A line is 16 units high. Title, headers, legend and edges need four lines.
    let lines = ((graph_y - 2.0 * MARGIN) / 16.0).floor() as usize;
    let expected = lines.saturating_sub(4).clamp(1, report().rows.len());
    assert!(rows.len() >= expected, "{width}x{height}: {rows:?}");
    assert!(rows.is_sorted_by(|a, b| a + 1 == *b), "{rows:?}");
    let right = (width - MARGIN).min(MARGIN + 240.0);
    let is_frame = |hit| matches!(hit, Hit::Frame { .. });
    assert!(
        hits(right - 1.0, graph_y, height).any(is_frame),
        "{width}x{height}"
    );
}

fn picture(size: [i32; 2], scale: f32, ground: Ground, theme: Theme) -> Option<Image> {
    let h = Headless::new(Kind::Gl33Core, Target::new(size[0], size[1]))?;
    ground.lay(&h);
    let mut overlay = overlay(&h);
    overlay.set_theme(theme);
    overlay.set_scale(scale);
    let units = size.map(|px| px as f32 / scale);
    // The overlay learns the screen size during the first draw.
    draw(&mut overlay, units);
    ground.lay(&h);
    draw(&mut overlay, units);
    overlay.destroy();
    Some(h.read())
}

#[test]
fn everything_is_drawn_on_any_screen_and_background() {
    let folder = std::env::var_os("IPROF_PICTURES");
    // The large screen looks like the medium one but is slow to draw, so normally only one picture of it is drawn.
    let is_wanted = |size: [i32; 2], scale: f32, ground: &str, theme: &str| {
        size[0] < 2000 || folder.is_some() || (scale, ground, theme) == (1.0, "noise", "light")
    };
    for size in &[[320, 240], [1280, 720], [3840, 2160]] {
        for scale in [1.0, 1.5, 2.0] {
            for (ground_name, ground) in [
                ("black", Ground::Black),
                ("white", Ground::White),
                ("noise", Ground::Noise(3)),
            ] {
                for (theme_name, theme) in THEMES {
                    if !is_wanted(*size, scale, ground_name, theme_name) {
                        continue;
                    }
                    let Some(picture) = picture(*size, scale, ground, theme) else {
                        return;
                    };
                    let [width, height] = *size;
                    let name = format!("{width}x{height}_{scale}_{ground_name}_{theme_name}");
                    if let Some(folder) = &folder {
                        let path = Path::new(folder).join(format!("{name}.png"));
                        picture.write(&path, png::Compression::Fastest);
                    }
                    // Rows and the graph hide the host's picture, so only a few neighboring pixels differ as much as in
                    // noise.
                    let rough = |y: u32| {
                        let luma = |x: u32| {
                            let [r, g, b, _] = picture.pixel(x, y).map(i32::from);
                            r + g + b
                        };
                        let from = (MARGIN * scale) as u32 + 1;
                        let report = report_width(width as f32 / scale) * scale;
                        let until = from + (report as u32 - 4).min(width as u32 / 4);
                        (from..until)
                            .filter(|x| (luma(*x) - luma(x + 1)).abs() > 360)
                            .count()
                    };
                    // This row of pixels is above the report's first line of text.
                    let y = (MARGIN * scale).round() as u32;
                    // Only the tooltip's left and right edges may differ.
                    assert!(rough(y) <= 2, "{name}: {}", rough(y));
                }
            }
        }
    }
}

#[test]
fn small_and_medium_screens_match_golden_pictures() {
    for (name, size, scale, ground, theme) in [
        ("screen_320", [320, 240], 1.0, Ground::Noise(3), Theme::DARK),
        ("screen_light", [640, 480], 1.0, Ground::Black, Theme::LIGHT),
        (
            "screen_color_blind",
            [960, 720],
            1.5,
            Ground::White,
            Theme::COLOR_BLIND,
        ),
    ] {
        let Some(picture) = picture(size, scale, ground, theme) else {
            return;
        };
        assert_golden(name, &picture, EXACT_EDGES);
    }
}
