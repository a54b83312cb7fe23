//! The colours of the overlay: constants for its parts, and colours computed from a zone's heat or
//! name. All are straight RGBA, 8 bits each.

pub(crate) type Color = [u8; 4];

/// 85 % of 255.
const PANEL: u8 = 217;

pub(super) const TITLE_BAR: Color = [38, 58, 122, 235];
pub(super) const HEADER: Color = [24, 36, 82, 230];
pub(super) const ROWS: [Color; 2] = [[10, 14, 36, PANEL], [17, 23, 54, PANEL]];
pub(super) const CURSOR_ROW: Color = [70, 70, 14, 240];
pub(super) const WARNING_BAR: Color = [84, 8, 12, 240];

pub(super) const TITLE: Color = [255, 255, 255, 255];
pub(super) const HEADER_TEXT: Color = [178, 196, 255, 255];
/// The mark before the head of the sort column.
pub(super) const SORT_MARK: Color = [255, 240, 120, 255];
pub(super) const WARNING: Color = [255, 150, 140, 255];
pub(super) const SCROLL_BAR: Color = [150, 170, 250, 230];
/// Opacity factor of text that shows zero.
pub(super) const FAINT: f32 = 0.55;

const COLD: [f32; 3] = [96.0, 232.0, 128.0];
const HOT: [f32; 3] = [255.0, 255.0, 255.0];
const GLOW: [u8; 3] = [255, 214, 40];
/// Minimum heat for a glow.
const GLOW_FROM: f32 = 0.25;

pub(super) const GRAPH: Color = [10, 14, 36, PANEL];
pub(super) const GUIDE: Color = [255, 255, 255, 70];
pub(super) const GUIDE_TEXT: Color = [255, 255, 255, 200];
/// Background of the text of a guide or a mark, which lies over the bars.
pub(super) const GUIDE_GROUND: Color = [10, 14, 36, 230];
/// The red top of a clipped bar, and the gap between it and the bar.
pub(super) const OVER_HIGH: Color = [255, 40, 60, 255];
pub(super) const GAP: Color = [10, 14, 36, 255];
pub(super) const GRAPH_CURSOR: Color = [255, 240, 120, 255];
/// The cursor's edges, since the cursor may have the colour of the bars.
pub(super) const GRAPH_CURSOR_EDGE: Color = [0, 0, 0, 200];
/// The column of the cursor, over its whole height.
pub(super) const GRAPH_CURSOR_COLUMN: Color = [255, 240, 120, 60];
/// The columns of a range of frames, over their whole height, and the shade over bars outside of it.
pub(super) const GRAPH_RANGE: Color = [255, 240, 120, 40];
pub(super) const GRAPH_OUTSIDE: Color = [4, 6, 16, 130];
/// The tooltip and its edge. The tooltip is nearly opaque, so that it can be read.
pub(super) const TOOLTIP: Color = [10, 14, 36, 250];
pub(super) const TOOLTIP_EDGE: Color = [150, 170, 250, 255];
/// Zones too small to see, and time outside of all zones.
pub(super) const NO_ZONE: Color = [88, 94, 116, 255];

/// Text colour by heat: from green, cold, to white, hot.
pub(super) fn text(heat: f32) -> Color {
    let heat = if heat.is_nan() {
        0.0
    } else {
        heat.clamp(0.0, 1.0)
    };
    let mix = |at: usize| (COLD[at] + (HOT[at] - COLD[at]) * heat) as u8;
    [mix(0), mix(1), mix(2), 255]
}

/// The glow behind text; `None` for little heat.
pub(super) fn glow(heat: f32) -> Option<Color> {
    let strength = (heat.clamp(0.0, 1.0) - GLOW_FROM) / (1.0 - GLOW_FROM);
    (strength > 0.0).then(|| [GLOW[0], GLOW[1], GLOW[2], (strength * 190.0) as u8])
}

/// The same colour with less opacity.
pub(super) fn faint(color: Color) -> Color {
    [
        color[0],
        color[1],
        color[2],
        (f32::from(color[3]) * FAINT) as u8,
    ]
}

/// A zone's colour: a hash of its name, so it is the same in every run.
pub(super) fn zone(name: &str) -> Color {
    if name == crate::zone::OUTSIDE_ZONES {
        return NO_ZONE;
    }
    // FNV-1a: tiny, and fixed by its definition; the standard hasher may change.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let hash = hash ^ (hash >> 29);
    let hue = (hash % 360) as f32;
    let saturation = 0.5 + (hash / 360 % 4) as f32 * 0.12;
    let value = 0.72 + (hash / 1440 % 3) as f32 * 0.12;
    hsv(hue, saturation, value)
}

/// Hue in degrees, saturation and value from 0 to 1.
fn hsv(hue: f32, saturation: f32, value: f32) -> Color {
    let channel = |offset: f32| {
        let k = (offset + hue / 60.0) % 6.0;
        let level = value - value * saturation * k.min(4.0 - k).clamp(0.0, 1.0);
        (level * 255.0 + 0.5) as u8
    };
    [channel(5.0), channel(3.0), channel(1.0), 255]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hsv_gives_the_corners_of_the_colour_circle() {
        assert_eq!(hsv(0.0, 1.0, 1.0), [255, 0, 0, 255]);
        assert_eq!(hsv(120.0, 1.0, 1.0), [0, 255, 0, 255]);
        assert_eq!(hsv(240.0, 1.0, 1.0), [0, 0, 255, 255]);
        assert_eq!(hsv(77.0, 0.0, 1.0), [255, 255, 255, 255]);
    }

    #[test]
    fn cold_text_is_green_and_hot_text_is_white_and_glows() {
        assert_eq!(text(0.0), [96, 232, 128, 255]);
        assert_eq!(text(7.0), [255, 255, 255, 255]);
        assert_eq!(text(f32::NAN), text(0.0));
        assert_eq!(glow(f32::NAN), None);
        assert_eq!(glow(0.1), None);
        assert!(glow(1.0).unwrap()[3] > glow(0.5).unwrap()[3]);
    }
}
