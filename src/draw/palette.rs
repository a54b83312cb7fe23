//! Colors that are computed: from a zone's heat or its name, in a theme.

use super::theme::{Theme, ZONES};

/// Straight RGBA, 8 bits each.
pub(crate) type Color = [u8; 4];

/// Minimum heat for a glow.
const GLOW_FROM: f32 = 0.25;
/// The part of its own color that a zone outside of the legend has; the rest is that of no zone.
const MUTED: f32 = 0.45;

/// Text color by heat: steady to fluctuating.
pub(super) fn text(theme: &Theme, heat: f32) -> Color {
    let heat = if heat.is_nan() { 0.0 } else { heat };
    mix(theme.text, theme.hot_text, heat.clamp(0.0, 1.0))
}

/// The glow behind text; `None` for little heat.
pub(super) fn glow(theme: &Theme, heat: f32) -> Option<Color> {
    let strength = (heat.clamp(0.0, 1.0) - GLOW_FROM) / (1.0 - GLOW_FROM);
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

fn mix(from: Color, to: Color, part: f32) -> Color {
    std::array::from_fn(|at| {
        let [from, to] = [from[at], to[at]].map(f32::from);
        (from + (to - from) * part).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_from_steady_to_hot_and_hot_text_glows() {
        for theme in Theme::ALL {
            assert_eq!(text(&theme, 0.0), theme.text);
            assert_eq!(text(&theme, 7.0), theme.hot_text);
            assert_eq!(text(&theme, f32::NAN), theme.text);
            assert_eq!(glow(&theme, f32::NAN), None);
            assert_eq!(glow(&theme, 0.1), None);
            assert!(glow(&theme, 1.0).unwrap()[3] > glow(&theme, 0.5).unwrap()[3]);
        }
    }

    #[test]
    fn a_name_has_the_same_place_in_every_run() {
        assert_eq!(slot(crate::zone::OUTSIDE_ZONES), None);
        assert_eq!(["physics", "render", "ai"].map(slot), [6, 6, 2].map(Some));
    }
}
