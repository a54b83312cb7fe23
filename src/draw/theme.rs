//! The overlay's colors: three built-in themes, and fields for a host's own theme.

#[cfg(all(test, not(loom)))]
mod tests;

/// Straight RGBA, 8 bits each.
pub(crate) type Color = [u8; 4];

pub(crate) const ZONES: usize = 8;

/// The colors of the overlay, for [`Overlay::set_theme`](crate::overlay::Overlay::set_theme).
///
/// Each color is red, green, blue and opacity, from 0 to 255. Red, green and blue are sRGB, as in image files and web
/// pages, and not multiplied by the opacity.
///
/// Base your own theme on an existing one:
///
/// ```
/// use iprof::overlay::Theme;
///
/// let mut theme = Theme::DARK;
/// theme.title_bar = [90, 20, 90, 235];
/// theme.zones[0] = [255, 128, 0, 255];
/// assert_ne!(theme, Theme::DARK);
/// ```
///
/// In this crate's themes, all text has a contrast ratio of at least 4.5:1 over any background image, because text
/// backgrounds are nearly opaque. Your own theme should keep backgrounds nearly opaque as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Theme {
    /// The title's text.
    pub title: Color,
    /// The background of titles.
    pub title_bar: Color,
    /// Column headers, legends, and other descriptive text.
    pub header: Color,
    /// The background of column headers.
    pub header_bar: Color,
    /// The mark before the header of the sorted column, and the names of marks in tooltips.
    pub sort_mark: Color,
    /// Text of a warning.
    pub warning: Color,
    /// The background of warnings.
    pub warning_bar: Color,
    /// The text of rows whose time is steady, and of the graph's labels.
    pub text: Color,
    /// The text of a time that fluctuates by as much as its mean: heat 1. In a comparison, the text of a row that
    /// accounts for the total difference.
    pub hot_text: Color,
    /// In a comparison, the text and the bar of a row that took less time.
    pub faster: Color,
    /// The glow behind a number with heat 1.
    pub glow: Color,
    /// The bar at the left edge of a row, whose height shows the heat or, in a comparison, the difference.
    pub heat_bar: Color,
    /// Less important text: zeros, and idle rows.
    pub dimmed: Color,
    /// The alternating backgrounds of rows.
    pub rows: [Color; 2],
    /// The background of the cursor's row.
    pub cursor_row: Color,
    /// The scroll bar.
    pub scroll_bar: Color,
    /// The background of tooltips.
    pub tooltip: Color,
    /// The edge of tooltips.
    pub tooltip_edge: Color,
    /// The background of the graph.
    pub graph: Color,
    /// Lines in the graph at round times, and where frames were forgotten.
    pub guide: Color,
    /// The line at the frame budget.
    pub budget: Color,
    /// The background of labels over bars.
    pub label_bar: Color,
    /// The top of a cut bar, whose time is beyond the top of the graph.
    pub cut_bar: Color,
    /// The lines at the shown frame, and at the ends of the shown range of frames.
    pub cursor: Color,
    /// The edges of the cursor lines, since bars may have the same color as the lines.
    pub cursor_edge: Color,
    /// The light above the shown frame's bar, and behind the header or legend entry under the pointer.
    pub cursor_column: Color,
    /// The shade over frames outside the shown range.
    pub outside: Color,
    /// Time outside zones.
    pub no_zone: Color,
    /// The zone colors, selected by zone name. Zones in the legend have distinct colors.
    pub zones: [Color; ZONES],
}

/// The opacity of row and graph backgrounds in dark themes. About 10% of the image behind them shows through.
const DARK_PANEL: u8 = 226;
/// The opacity of row and graph backgrounds in light themes.
const LIGHT_PANEL: u8 = 240;

impl Theme {
    /// Light text on a dark background (the default).
    pub const DARK: Theme = Theme {
        title: [255, 255, 255, 255],
        title_bar: [38, 58, 122, 235],
        header: [178, 196, 255, 255],
        header_bar: [24, 36, 82, 238],
        sort_mark: [255, 240, 120, 255],
        warning: [255, 170, 160, 255],
        warning_bar: [84, 8, 12, 240],
        text: [214, 222, 240, 255],
        hot_text: [255, 222, 120, 255],
        faster: [108, 208, 170, 255],
        glow: [140, 84, 0, 200],
        heat_bar: [255, 190, 60, 255],
        dimmed: [164, 172, 198, 255],
        rows: [[10, 14, 36, DARK_PANEL], [17, 23, 54, DARK_PANEL]],
        cursor_row: [46, 50, 98, 246],
        scroll_bar: [150, 170, 250, 230],
        tooltip: [10, 14, 36, 250],
        tooltip_edge: [150, 170, 250, 255],
        graph: [10, 14, 36, DARK_PANEL],
        guide: [255, 255, 255, 60],
        budget: [255, 255, 255, 190],
        label_bar: [10, 14, 36, 235],
        cut_bar: [255, 255, 255, 255],
        cursor: [255, 240, 120, 255],
        cursor_edge: [0, 0, 0, 200],
        cursor_column: [255, 240, 120, 50],
        outside: [4, 6, 16, 130],
        no_zone: [104, 110, 132, 255],
        zones: [
            [86, 156, 240, 255],
            [242, 142, 56, 255],
            [96, 200, 104, 255],
            [240, 100, 128, 255],
            [172, 128, 244, 255],
            [232, 212, 88, 255],
            [64, 204, 208, 255],
            [236, 184, 200, 255],
        ],
    };

    /// Dark text on a light background.
    pub const LIGHT: Theme = Theme {
        title: [16, 22, 44, 255],
        title_bar: [196, 208, 244, 245],
        header: [40, 56, 120, 255],
        header_bar: [222, 228, 246, 245],
        sort_mark: [120, 60, 0, 255],
        warning: [130, 0, 12, 255],
        warning_bar: [255, 214, 208, 245],
        text: [28, 34, 52, 255],
        hot_text: [136, 44, 0, 255],
        faster: [0, 60, 224, 255],
        glow: [255, 212, 120, 200],
        heat_bar: [206, 96, 0, 255],
        dimmed: [82, 88, 106, 255],
        rows: [[252, 252, 254, LIGHT_PANEL], [240, 243, 251, LIGHT_PANEL]],
        cursor_row: [206, 216, 250, 250],
        scroll_bar: [84, 104, 190, 230],
        tooltip: [254, 254, 255, 252],
        tooltip_edge: [84, 104, 190, 255],
        graph: [250, 251, 254, LIGHT_PANEL],
        guide: [0, 0, 0, 60],
        budget: [0, 0, 0, 190],
        label_bar: [252, 252, 254, 240],
        cut_bar: [0, 0, 0, 255],
        cursor: [150, 0, 110, 255],
        cursor_edge: [255, 255, 255, 220],
        cursor_column: [150, 0, 110, 40],
        outside: [236, 238, 246, 150],
        no_zone: [132, 136, 150, 255],
        zones: [
            [24, 98, 196, 255],
            [196, 88, 0, 255],
            [16, 124, 60, 255],
            [200, 24, 80, 255],
            [116, 60, 196, 255],
            [128, 104, 0, 255],
            [0, 118, 132, 255],
            [132, 70, 40, 255],
        ],
    };

    /// Like [`DARK`](Theme::DARK), with zone colors that are distinguishable without the cones for red, green or blue
    /// light (protanopia, deuteranopia, tritanopia).
    pub const COLOR_BLIND: Theme = Theme {
        no_zone: [110, 114, 124, 255],
        zones: [
            [235, 235, 20, 255],
            [130, 235, 235, 255],
            [165, 165, 235, 255],
            [200, 95, 60, 255],
            [95, 165, 130, 255],
            [200, 235, 165, 255],
            [165, 95, 235, 255],
            [200, 165, 20, 255],
        ],
        ..Theme::DARK
    };

    /// This crate's themes, in the order in which [`Action::NextTheme`](crate::Action::NextTheme) cycles through them.
    pub(crate) const ALL: [Theme; 3] = [Theme::DARK, Theme::LIGHT, Theme::COLOR_BLIND];
}

impl Default for Theme {
    fn default() -> Theme {
        Theme::DARK
    }
}
