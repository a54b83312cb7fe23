//! The legend: a report's last line, which explains the colors and marks of its rows.

use super::colors;
use super::font::Font;
use super::theme::Theme;

/// The minimum number of lines in a report with a legend. In a smaller report, rows are more important.
pub(super) const FROM_LINES: f32 = 12.0;
/// The space between two entries, in characters.
const GAP: f32 = 2.0;
/// The width of the bar at the left edge of a row, in characters.
const BAR: f32 = 0.35;

/// A mark or color, and its meaning.
#[derive(Clone, Copy, Debug)]
struct LegendEntry {
    sign: Sign,
    meaning: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum Sign {
    /// The bar and text color of a row with this emphasis.
    Weight(f32),
    /// Text in the style of a cell.
    Text(&'static str),
    Dimmed(&'static str),
}

const SAMPLED: LegendEntry = LegendEntry {
    sign: Sign::Text("~"),
    meaning: "sampled",
};
const NONE: LegendEntry = LegendEntry {
    sign: Sign::Dimmed("0.00"),
    meaning: "none",
};

const fn weight(weight: f32, meaning: &'static str) -> LegendEntry {
    LegendEntry {
        sign: Sign::Weight(weight),
        meaning,
    }
}

/// The legend for a report, with the least obvious entries first.
const LEGEND: [LegendEntry; 5] = [
    weight(0.0, "steady"),
    weight(0.5, "varies"),
    weight(1.0, "varies most"),
    SAMPLED,
    NONE,
];

/// The legend for a comparison.
const COMPARED: [LegendEntry; 5] = [
    weight(1.0, "slower than the baseline"),
    weight(0.0, "as usual"),
    weight(-1.0, "faster"),
    SAMPLED,
    NONE,
];

/// Adds an entry with its left edge at `x` and the top of its line at `y`. Returns the entry's right edge, or adds
/// nothing and returns `None` if the entry would extend beyond `right`.
fn lay_out_entry(
    font: &mut Font,
    theme: &Theme,
    entry: LegendEntry,
    [x, right]: [f32; 2],
    y: f32,
) -> Option<f32> {
    let advance = font.advance;
    let sign = match entry.sign {
        Sign::Weight(_) => "",
        Sign::Text(text) | Sign::Dimmed(text) => text,
    };
    let meaning_x = x + font.width(sign) + advance;
    let end = meaning_x + font.width(entry.meaning);
    if end > right {
        return None;
    }
    let color = match entry.sign {
        Sign::Weight(weight) => {
            weight_bar(font, theme, weight, [x, right], y);
            colors::text(theme, weight)
        }
        Sign::Text(_) => theme.text,
        Sign::Dimmed(_) => theme.dimmed,
    };
    font.text(x, y, sign, color);
    if let Sign::Weight(weight) = entry.sign
        && let Some(glow) = colors::glow(theme, weight)
    {
        font.glow(meaning_x, y, entry.meaning, glow);
    }
    let color = match entry.sign {
        Sign::Weight(_) => color,
        _ => theme.header,
    };
    font.text(meaning_x, y, entry.meaning, color);
    Some(end)
}

pub(super) fn lay_out(
    font: &mut Font,
    theme: &Theme,
    is_compared: bool,
    [left, right]: [f32; 2],
    y: f32,
) {
    let mut x = left;
    for entry in if is_compared { COMPARED } else { LEGEND } {
        match lay_out_entry(font, theme, entry, [x, right], y) {
            Some(end) => x = end + GAP * font.advance,
            None => return,
        }
    }
}

/// Adds the bar that shows a row's emphasis without relying on color, with its left edge at `x` in the line with top
/// `y`.
///
/// There is no bar for weight 0. For weight 1, the bar is as tall as the line, and for negative weights it hangs from
/// the top. The bar never extends beyond `right`.
pub(super) fn weight_bar(
    font: &mut Font,
    theme: &Theme,
    weight: f32,
    [x, right]: [f32; 2],
    y: f32,
) {
    if weight == 0.0 || weight.is_nan() {
        return;
    }
    let (x, line) = (x.round(), font.line);
    let height = (weight.abs().min(1.0) * (line - 2.0)).round();
    let width = (font.advance * BAR).round().max(2.0);
    let (top, color) = match weight < 0.0 {
        true => (y + 1.0, theme.faster),
        false => (y + line - 1.0 - height, theme.heat_bar),
    };
    font.fill([x, top, (x + width).min(right), top + height], color);
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn weight_bars_are_readable_without_color() {
        let mut font = Font::new(12.0);
        let line = font.line;
        // Returns the top and bottom edges of the bar in a line whose top is at 100.
        let mut edges = |weight: f32| {
            font.list.clear();
            weight_bar(&mut font, &Theme::DARK, weight, [10.0, 90.0], 100.0);
            let ys = font.list.vertices().iter().map(|vertex| vertex.position[1]);
            let ys = ys.collect::<Vec<_>>();
            let top = ys.iter().copied().fold(f32::MAX, f32::min);
            (top, ys.iter().copied().fold(f32::MIN, f32::max))
        };
        let (line_top, line_foot) = (101.0, 100.0 + line - 1.0);
        let heights = [0.25, 0.5, 0.75, 1.0].map(|weight| {
            let (top, foot) = edges(weight);
            assert_eq!(
                foot, line_foot,
                "the bar should start at the bottom of the line"
            );
            let (top_of_faster, foot_of_faster) = edges(-weight);
            assert_eq!(
                top_of_faster, line_top,
                "a faster row's bar should hang from the top"
            );
            assert_eq!(foot_of_faster - top_of_faster, foot - top);
            foot - top
        });
        assert!(heights.is_sorted_by(|less, more| less < more));
        assert_eq!(heights[3], line - 2.0);
        assert_eq!(edges(9.0), edges(1.0));
        assert_eq!(edges(f32::NAN), edges(0.0));
    }
}
