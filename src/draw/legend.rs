//! The legend: a report's last line, which says what the colors and marks of its rows mean.

use super::font::Font;
use super::list::DrawList;
use super::palette;
use super::theme::Theme;

/// Minimum number of lines of a report for a legend: in a smaller one rows matter more.
pub(super) const FROM_LINES: f32 = 12.0;
/// Between two entries, in characters.
const GAP: f32 = 2.0;
/// Width of the heat bar, in characters.
const HEAT_BAR: f32 = 0.35;

/// A mark or color, and its meaning.
#[derive(Clone, Copy, Debug)]
struct LegendEntry {
    sign: Sign,
    /// A few words, as in the line of a report.
    meaning: &'static str,
}

/// What is explained.
#[derive(Clone, Copy, Debug)]
enum Sign {
    /// The bar and the color of a row whose time fluctuates that much.
    Heat(f32),
    /// Text as in a cell.
    Text(&'static str),
    /// The same, dimmed.
    Dimmed(&'static str),
}

/// The marks and colors of a report's rows, the ones that need it most first.
const LEGEND: [LegendEntry; 5] = [
    LegendEntry {
        sign: Sign::Heat(0.0),
        meaning: "steady",
    },
    LegendEntry {
        sign: Sign::Heat(0.5),
        meaning: "varies",
    },
    LegendEntry {
        sign: Sign::Heat(1.0),
        meaning: "varies most",
    },
    LegendEntry {
        sign: Sign::Text("~"),
        meaning: "sampled",
    },
    LegendEntry {
        sign: Sign::Dimmed("0.00"),
        meaning: "none",
    },
];

/// Adds an entry with its left edge at `x` and the top of its line at `y`. Returns its right edge; beyond
/// `right` nothing is added.
fn lay_out_entry(
    font: &mut Font,
    list: &mut DrawList,
    theme: &Theme,
    entry: LegendEntry,
    [x, right]: [f32; 2],
    y: f32,
) -> Option<f32> {
    let advance = font.advance;
    let sign = match entry.sign {
        Sign::Heat(_) => "",
        Sign::Text(text) | Sign::Dimmed(text) => text,
    };
    let meaning_x = x + font.width(sign) + advance;
    let end = meaning_x + font.width(entry.meaning);
    if end > right {
        return None;
    }
    let color = match entry.sign {
        Sign::Heat(heat) => {
            heat_bar(font, list, theme, heat, [x, right], y);
            palette::text(theme, heat)
        }
        Sign::Text(_) => theme.text,
        Sign::Dimmed(_) => theme.dimmed,
    };
    font.text(list, x, y, sign, color);
    if let Sign::Heat(heat) = entry.sign
        && let Some(glow) = palette::glow(theme, heat)
    {
        font.glow(list, meaning_x, y, entry.meaning, glow);
    }
    let color = match entry.sign {
        Sign::Heat(_) => color,
        _ => theme.header,
    };
    font.text(list, meaning_x, y, entry.meaning, color);
    Some(end)
}

/// Adds all entries that fit in a line.
pub(super) fn lay_out(
    font: &mut Font,
    list: &mut DrawList,
    theme: &Theme,
    [left, right]: [f32; 2],
    y: f32,
) {
    let mut x = left;
    for entry in LEGEND {
        match lay_out_entry(font, list, theme, entry, [x, right], y) {
            Some(end) => x = end + GAP * font.advance,
            None => return,
        }
    }
}

/// Adds the bar whose height is the heat, so that it can be read without colors: none for a steady time, and
/// as high as its line for heat 1. Its left edge is at `x`, in a line whose top is `y`; it ends at `right` at
/// the latest.
pub(super) fn heat_bar(
    font: &Font,
    list: &mut DrawList,
    theme: &Theme,
    heat: f32,
    [x, right]: [f32; 2],
    y: f32,
) {
    let heat = if heat.is_nan() { 0.0 } else { heat };
    let (x, line) = (x.round(), font.line);
    let height = (heat.clamp(0.0, 1.0) * (line - 2.0)).round();
    let width = (font.advance * HEAT_BAR).round().max(2.0);
    let bottom = y + line - 1.0;
    font.fill(
        list,
        [x, bottom - height, (x + width).min(right), bottom],
        theme.heat_bar,
    );
}
