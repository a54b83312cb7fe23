//! Tests that text is legible over any background and at any scale.

use crate::pictures::EXACT_EDGES;
use crate::scenes::{everything, frames, rows};
use crate::stage::{overlay, picture};
use crate::support::headless::{Headless, Kind, Target};
use crate::support::image::{Image, Tolerance, assert_golden, assert_same};
use crate::support::painted::Painted;
use glow::HasContext;
use iprof::{ColumnId, GraphMark, GraphStyle, Report, Row};

const SIZE: [i32; 2] = [640, 360];

/// The backgrounds on which text is hardest to read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ground {
    Black,
    White,
    /// Noise: each pixel, or each square of this size, is black, white, or a random color.
    Noise(u32),
}

const GROUNDS: [Ground; 5] = [
    Ground::Black,
    Ground::White,
    Ground::Noise(1),
    Ground::Noise(3),
    Ground::Noise(16),
];

impl Ground {
    fn pixel(self, x: u32, y: u32) -> [u8; 4] {
        let (x, y) = match self {
            Ground::Black => return [0, 0, 0, 255],
            Ground::White => return [255; 4],
            Ground::Noise(side) => (x / side, y / side),
        };
        let mut hash = (u64::from(x) << 32 | u64::from(y)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let [r, g, b, kind, ..] = (hash ^ hash >> 32).to_le_bytes();
        match kind % 3 {
            0 => [0, 0, 0, 255],
            1 => [255; 4],
            _ => [r, g, b, 255],
        }
    }

    pub(crate) fn lay(self, h: &Headless) {
        let Target { width, height, .. } = h.target;
        let mut rgba = Vec::with_capacity((width * height * 4) as usize);
        for y in 0..height as u32 {
            for x in 0..width as u32 {
                rgba.extend_from_slice(&self.pixel(x, y));
            }
        }
        // SAFETY: the context is current.
        unsafe {
            let texture = h.gl.create_texture().expect("failed to create a texture");
            let framebuffer =
                h.gl.create_framebuffer()
                    .expect("failed to create a framebuffer");
            h.gl.bind_texture(glow::TEXTURE_2D, Some(texture));
            h.gl.tex_image_2d(
                glow::TEXTURE_2D,
                0,
                glow::RGBA8 as i32,
                width,
                height,
                0,
                glow::RGBA,
                glow::UNSIGNED_BYTE,
                glow::PixelUnpackData::Slice(Some(&rgba)),
            );
            let read = glow::READ_FRAMEBUFFER;
            h.gl.bind_framebuffer(read, Some(framebuffer));
            h.gl.framebuffer_texture_2d(
                read,
                glow::COLOR_ATTACHMENT0,
                glow::TEXTURE_2D,
                Some(texture),
                0,
            );
            let bit = glow::COLOR_BUFFER_BIT;
            h.gl.blit_framebuffer(0, 0, width, height, 0, 0, width, height, bit, glow::NEAREST);
            h.gl.bind_framebuffer(read, Some(h.framebuffer));
            h.gl.bind_texture(glow::TEXTURE_2D, None);
            h.gl.delete_framebuffer(framebuffer);
            h.gl.delete_texture(texture);
        }
    }
}

/// Returns the relative luminance as defined by the Web Content Accessibility Guidelines, from 0 (black) to 1 (white).
fn luminance([r, g, b, _]: [u8; 4]) -> f64 {
    let linear = |channel: u8| match f64::from(channel) / 255.0 {
        low if low <= 0.040_45 => low / 12.92,
        high => ((high + 0.055) / 1.055).powf(2.4),
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// Returns the contrast ratio as defined by those guidelines, from 1 (none) to 21 (black on white). They require 4.5
/// for text, and 3 for large text.
fn contrast(a: f64, b: f64) -> f64 {
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Returns the report without visible text. Its lines wrap at the same positions.
fn blank(report: &Report) -> Report {
    const NO_BREAK_SPACE: char = '\u{a0}';
    let without_ink = |c| if c == ' ' { c } else { NO_BREAK_SPACE };
    let mut report = report.clone();
    for line in report.title.iter_mut().chain(&mut report.warnings) {
        *line = line.chars().map(without_ink).collect();
    }
    for row in &mut report.rows {
        let (heat, cursor) = (row.heat, row.cursor);
        *row = Row::new("", []);
        (row.heat, row.cursor) = (heat, cursor);
    }
    report
}

/// Returns the minimum contrast between text and the brightest pixel behind it over all cells of `cell` px, and the
/// number of cells that contain text.
fn minimum_contrast(text: &Image, blank: &Image, cell: [u32; 2]) -> (f64, usize) {
    let (mut least, mut cells) = (f64::MAX, 0);
    for top in (0..text.height - cell[1]).step_by(cell[1] as usize) {
        for left in (0..text.width - cell[0]).step_by(cell[0] as usize) {
            let inside =
                (top..top + cell[1]).flat_map(|y| (left..left + cell[0]).map(move |x| (x, y)));
            let behind = inside.clone().map(|(x, y)| luminance(blank.pixel(x, y)));
            let brightest = behind.fold(0.0, f64::max);
            let mut strokes: Vec<f64> = inside
                .filter(|&(x, y)| {
                    let (a, b) = (text.pixel(x, y), blank.pixel(x, y));
                    a.iter().zip(b).any(|(a, b)| a.abs_diff(b) > 24)
                })
                .map(|(x, y)| contrast(luminance(text.pixel(x, y)), brightest))
                .collect();
            // Skip cells that contain only the edge of a letter.
            if strokes.len() < 8 {
                continue;
            }
            // Thin strokes don't cover any pixel completely, so only the most strongly colored pixels are used.
            strokes.sort_unstable_by(f64::total_cmp);
            let strongest = &strokes[strokes.len() - 4..];
            let letter = strongest.iter().sum::<f64>() / 4.0;
            cells += 1;
            least = least.min(letter);
        }
    }
    (least, cells)
}

#[test]
fn text_stands_out_over_black_white_and_noise() {
    let Some(h) = Headless::new(Kind::Gl33Core, Target::new(SIZE[0], SIZE[1])) else {
        return;
    };
    let mut overlay = overlay(&h);
    // Strokes thinner than a pixel are paler than the text color.
    for (size, cell, enough) in [
        (9.0, [5, 12], 2.5),
        (12.0, [7, 15], 3.2),
        (24.0, [14, 31], 4.5),
    ] {
        overlay.set_text_size(size);
        let mut report = everything();
        // Shorten each title and warning so that it fits on a line at any text size.
        for line in report.title.iter_mut().chain(&mut report.warnings) {
            *line = line.chars().take(40).collect();
        }
        // Zeros are dimmed on purpose, and are checked by the next test.
        for row in &mut report.rows {
            let mut shown = Row::new(&row.name, []);
            let all = ColumnId::ALL.iter();
            let values = all.filter_map(|column| Some((*column, row.value(*column)?)));
            for (column, value) in values.filter(|(_, value)| value.number > 0.0) {
                shown.set_value(column, value);
            }
            (shown.expansion, shown.indent) = (row.expansion, row.indent);
            // Leave out the glow behind fluctuating times, which the theme tests check.
            shown.cursor = row.cursor;
            *row = shown;
        }
        for ground in GROUNDS {
            let mut draw = |report: &Report| {
                ground.lay(&h);
                overlay.draw(|frame| frame.draw_report(report, 0.0, 0.0, 640.0, 360.0, 2));
                h.read()
            };
            let (text, blank) = (draw(&report), draw(&blank(&report)));
            let (least, cells) = minimum_contrast(&text, &blank, cell);
            println!("{size} px over {ground:?}: {least:.2} in {cells} cells");
            assert!(cells > 150, "{cells} cells");
            assert!(least > enough, "{size} px over {ground:?}: {least:.2}");
        }
    }
    overlay.destroy();
}

/// Zeros should be easy to skip over, but still legible.
#[test]
fn zeros_are_dimmed_and_legible() {
    let Some(h) = Headless::new(Kind::Gl33Core, Target::new(SIZE[0], SIZE[1])) else {
        return;
    };
    let mut overlay = overlay(&h);
    let mut zeros = rows(20, 50);
    for row in &mut zeros.rows {
        let (indent, cursor) = (row.indent, row.cursor);
        *row = Row::new("", zeros.columns.iter().map(|column| (*column, 0.0)));
        (row.indent, row.cursor) = (indent, cursor);
    }
    zeros.title.clear();
    for ground in GROUNDS {
        let mut draw = |report: &Report| {
            ground.lay(&h);
            overlay.draw(|frame| frame.draw_report(report, 0.0, 0.0, 640.0, 360.0, 2));
            h.read()
        };
        let (text, blank) = (draw(&zeros), draw(&blank(&zeros)));
        let (least, cells) = minimum_contrast(&text, &blank, [7, 15]);
        println!("zeros over {ground:?}: {least:.2} in {cells} cells");
        assert!(cells > 100, "{cells} cells");
        assert!(least > 3.2, "over {ground:?}: {least:.2}");
    }
    overlay.destroy();
}

#[test]
fn scaled_display_has_pixel_aligned_text_and_edges() {
    for (scale, size, px) in [
        (1.25, 12.0, 15.0),
        (1.5, 12.0, 18.0),
        (1.75, 11.0, 19.0),
        (2.0, 9.0, 18.0),
        (0.5, 24.0, 12.0),
    ] {
        let draw = |overlay: &mut Painted, unit: f32| {
            overlay.draw(|frame| {
                frame.draw_report(
                    &rows(9, 4),
                    8.0 * unit,
                    8.0 * unit,
                    300.0 * unit,
                    120.0 * unit,
                    2,
                )
            });
            let graph = frames(GraphStyle::Bars);
            overlay.draw(|frame| {
                frame.draw_graph(&graph, 8.0 * unit, 136.0 * unit, 2.0 * unit, 1.5 * unit)
            });
        };
        let scaled = picture(Kind::Gl33Core, SIZE, |overlay| {
            overlay.set_scale(scale);
            overlay.set_text_size(size);
            draw(overlay, 1.0);
            assert!(
                overlay.hit(30.0, 70.0).is_some(),
                "units should be the host's"
            );
        });
        let pixels = picture(Kind::Gl33Core, SIZE, |overlay| {
            overlay.set_text_size(px);
            draw(overlay, scale);
        });
        let (Some(scaled), Some(pixels)) = (scaled, pixels) else {
            return;
        };
        assert_same("scaled_display", &scaled, &pixels, Tolerance::EXACT);
    }
}

#[test]
fn last_set_scale_or_screen_wins() {
    let draws: [fn(&mut Painted); 3] = [
        |overlay| {
            overlay.set_screen(100.0, 100.0);
            overlay.set_scale(2.0);
        },
        |overlay| {
            overlay.set_scale(7.0);
            overlay.set_screen(320.0, 180.0);
        },
        |overlay| {
            overlay.set_scale(2.0);
        },
    ];
    let pictures = draws.map(|set| {
        picture(Kind::Gl33Core, SIZE, |overlay| {
            set(overlay);
            overlay.draw(|frame| frame.draw_report(&rows(9, 4), 10.0, 10.0, 250.0, 120.0, 2));
        })
    });
    let [Some(a), Some(b), Some(c)] = pictures else {
        return;
    };
    assert!(a == b && b == c);
    let nonsense = [0.0, -1.0, f32::NAN, f32::INFINITY].map(|scale| {
        picture(Kind::Gl33Core, SIZE, |overlay| {
            overlay.set_scale(3.0);
            overlay.set_scale(scale);
            overlay.draw(|frame| frame.draw_report(&rows(9, 4), 10.0, 10.0, 250.0, 120.0, 2));
        })
    });
    let plain = picture(Kind::Gl33Core, SIZE, |overlay| {
        overlay.draw(|frame| frame.draw_report(&rows(9, 4), 10.0, 10.0, 250.0, 120.0, 2));
    });
    assert!(nonsense.iter().all(|picture| *picture == plain));
}

/// Checks that positions are rounded to the nearest pixel.
#[test]
fn text_is_crisp_at_any_position() {
    let at = |x: f32, y: f32| {
        picture(Kind::Gl33Core, SIZE, |overlay| {
            overlay.draw(|frame| frame.draw_report(&rows(9, 4), x, y, 400.0, 200.0, 2));
        })
    };
    let whole = at(10.0, 20.0);
    for (x, y) in [(10.3, 20.0), (9.6, 20.4), (10.49, 19.51)] {
        assert!(at(x, y) == whole, "{x}, {y}");
    }
}

#[test]
fn text_sizes_9_to_48_px_work_at_any_scale() {
    let draw = |overlay: &mut Painted| {
        let mut y = 4.0;
        for (size, scale) in [
            (9.0, 1.0),
            (12.0, 1.25),
            (12.0, 1.5),
            (13.0, 1.75),
            (24.0, 2.0),
        ] {
            overlay.set_text_size(size);
            overlay.set_scale(scale);
            let high = size * scale * 1.28 * 3.0 + 3.0;
            let mut report = rows(3, 1);
            report.title = vec!["Größe ± 3 µs × 2 … → ▲ ≤ Δσ 漢 ÀÇÉÑ".into()];
            report.columns.truncate(2);
            overlay.draw(|frame| {
                frame.draw_report(
                    &report,
                    4.0 / scale,
                    y / scale,
                    632.0 / scale,
                    high / scale,
                    3,
                )
            });
            y += high + 4.0;
        }
    };
    for kind in [Kind::Gl33Core, Kind::Gles30] {
        let Some(picture) = picture(kind, SIZE, draw) else {
            return;
        };
        assert_golden("text_scales", &picture, EXACT_EDGES);
    }
}

#[test]
fn mark_names_are_legible_over_bars() {
    let Some(h) = Headless::new(Kind::Gl33Core, Target::new(SIZE[0], SIZE[1])) else {
        return;
    };
    let mut overlay = overlay(&h);
    let mut graph = frames(GraphStyle::Bars);
    graph.cursor = None;
    // Names are aligned to whole cells.
    graph.capacity = 135;
    // All bars are cut off at the top, so the names have only bars behind them.
    for bar in &mut graph.bars {
        bar.segments
            .iter_mut()
            .for_each(|segment| segment.ms *= 9.0);
    }
    graph.marks = vec![
        GraphMark {
            frame: 2_017,
            name: "level loaded".into(),
        },
        GraphMark {
            frame: 2_090,
            name: "boss appears".into(),
        },
    ];
    let mut draw = |graph: &iprof::Graph| {
        Ground::White.lay(&h);
        overlay.draw(|frame| frame.draw_graph(graph, 10.0, 10.0, 4.0, 7.0));
        h.read()
    };
    let text = draw(&graph);
    for mark in &mut graph.marks {
        mark.name = " ".repeat(mark.name.len()).into();
    }
    let (least, cells) = minimum_contrast(&text, &draw(&graph), [7, 15]);
    assert!(cells >= 15, "{cells} cells");
    assert!(least > 3.2, "{least:.2}");
    overlay.destroy();
}

/// Uses a proportional font, if such a font is installed.
#[test]
fn host_font_is_laid_out_by_glyph_widths() {
    let path = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
    let Ok(ttf) = std::fs::read(path) else {
        println!("skipped: there is no {path}");
        return;
    };
    let draw = |ttf: Option<&[u8]>| {
        picture(Kind::Gl33Core, SIZE, |overlay| {
            if let Some(ttf) = ttf {
                overlay.set_font(ttf).expect("the font should be valid");
                // An invalid font changes nothing.
                let error = overlay
                    .set_font(&ttf[..ttf.len() / 100])
                    .expect_err("a part of it");
                assert!(
                    error
                        .to_string()
                        .contains("not a valid TrueType or OpenType font")
                );
            }
            overlay.draw(|frame| frame.draw_report(&everything(), 10.0, 10.0, 620.0, 340.0, 2));
        })
    };
    let (Some(own), Some(vendored)) = (draw(Some(&ttf)), draw(None)) else {
        return;
    };
    assert!(own.differing(&vendored, 2) > 5_000);
    // The letter `i` is narrow, so this text is narrower than in a monospaced font.
    let width = |name: &str, ttf: Option<&[u8]>| {
        let drawn = picture(Kind::Gl33Core, SIZE, |overlay| {
            if let Some(ttf) = ttf {
                overlay.set_font(ttf).expect("the font should be valid");
            }
            let mut report = Report::default();
            report.title = vec![name.into()];
            overlay.draw(|frame| frame.draw_report(&report, 0.0, 0.0, 640.0, 40.0, 2));
        });
        let drawn = drawn.expect("this kind of context was available before");
        // Find the last column with white pixels, which don't occur in the dark half of the background.
        let is_white = |x: &u32| (0..15).any(|y| drawn.pixel(*x, y)[..3].iter().all(|c| *c > 200));
        (0..160).filter(is_white).max().unwrap_or(0)
    };
    let name = "iiiiiiiiiiiiiiii";
    assert!(width(name, Some(&ttf)) * 3 < width(name, None) * 2);
}
