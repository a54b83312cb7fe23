//! Colors that are computed: from a zone's heat or its name, in a theme.

use super::theme::{Theme, ZONES};

/// Straight RGBA, 8 bits each.
pub(crate) type Color = [u8; 4];

/// Minimum weight for a color of its own, and for a glow.
const COLOR_FROM: f32 = 0.2;
const GLOW_FROM: f32 = 0.5;
/// The part of its own color that a zone outside of the legend has; the rest is that of no zone.
const MUTED: f32 = 0.45;
/// Opacity of the color of waiting.
const IDLE: u8 = 112;
/// The part of its opacity that a color has beside that of the zone under the pointer.
const ASIDE: f32 = 0.25;

/// Text color by how much a row stands out: from 0 for a steady one to 1; negative if it took less time than in the
/// baseline.
pub(super) fn text(theme: &Theme, weight: f32) -> Color {
    let weight = if weight.is_nan() { 0.0 } else { weight };
    let part = (weight.abs().min(1.0) - COLOR_FROM) / (1.0 - COLOR_FROM);
    if part <= 0.0 {
        return theme.text;
    }
    let color = match weight < 0.0 {
        true => theme.faster,
        false => theme.hot_text,
    };
    mix(theme.text, color, part)
}

/// The glow behind text; `None` where little stands out.
pub(super) fn glow(theme: &Theme, weight: f32) -> Option<Color> {
    let strength = (weight.clamp(0.0, 1.0) - GLOW_FROM) / (1.0 - GLOW_FROM);
    let [r, g, b, a] = theme.glow;
    (strength > 0.0).then(|| [r, g, b, (strength * f32::from(a)) as u8])
}

/// The place of a zone's color among those of a theme: a hash of its name, so it is the same in every run.
/// `None` for the time outside of all zones.
pub(super) fn slot(name: &str) -> Option<u8> {
    if name == crate::zone::OUTSIDE_ZONES {
        return None;
    }
    // FNV-1a: tiny, and fixed by its definition; the standard hasher may change.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    Some(((hash ^ (hash >> 29)) % ZONES as u64) as u8)
}

/// The color of a zone that is not in the legend, and shares its place with one that may be.
pub(super) fn muted(theme: &Theme, color: Color) -> Color {
    mix(theme.no_zone, color, MUTED)
}

/// The color of waiting, which can be passed over.
pub(super) fn idle(theme: &Theme) -> Color {
    let [r, g, b, _] = theme.no_zone;
    [r, g, b, IDLE]
}

/// The color of what took that part more of a whole difference than in the baseline, or less if it is negative.
pub(super) fn difference(theme: &Theme, part: f32) -> Color {
    let part = if part.is_nan() {
        0.0
    } else {
        part.clamp(-1.0, 1.0)
    };
    let color = match part < 0.0 {
        true => theme.faster,
        false => theme.heat_bar,
    };
    mix(theme.no_zone, color, part.abs().sqrt())
}

/// The color of text on a color: black or white, whichever stands out.
pub(super) fn ink([r, g, b, _]: Color) -> Color {
    // Luminance, in thousandths of the brightest channel, without the curve of sRGB.
    let luminance = 299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b);
    match luminance > 118_000 {
        true => [0, 0, 0, 255],
        false => [255; 4],
    }
}

/// A color beside that of the zone under the pointer.
pub(super) fn aside(color: Color) -> Color {
    let [r, g, b, a] = color;
    [r, g, b, (f32::from(a) * ASIDE) as u8]
}

/// The same where nothing shines through, so that it looks alike on every target: on the ground of the graph.
pub(super) fn faint(theme: &Theme, color: Color) -> Color {
    let [r, g, b, _] = theme.graph;
    mix([r, g, b, 255], color, ASIDE)
}

fn mix(from: Color, to: Color, part: f32) -> Color {
    std::array::from_fn(|at| {
        let [from, to] = [from[at], to[at]].map(f32::from);
        (from + (to - from) * part).round() as u8
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn text_goes_from_steady_to_hot_and_hot_text_glows() {
        for theme in Theme::ALL {
            assert_eq!(text(&theme, 0.0), theme.text);
            assert_eq!(text(&theme, 7.0), theme.hot_text);
            assert_eq!(text(&theme, 0.1), theme.text);
            assert_eq!(text(&theme, -7.0), theme.faster);
            assert_eq!(glow(&theme, -1.0), None);
            assert_eq!(text(&theme, f32::NAN), theme.text);
            assert_eq!(glow(&theme, f32::NAN), None);
            assert_eq!(glow(&theme, 0.4), None);
            assert!(glow(&theme, 1.0).unwrap()[3] > glow(&theme, 0.7).unwrap()[3]);
        }
    }

    #[test]
    fn a_name_has_the_same_place_in_every_run() {
        assert_eq!(slot(crate::zone::OUTSIDE_ZONES), None);
        assert_eq!(["physics", "render", "ai"].map(slot), [6, 6, 2].map(Some));
    }
}
