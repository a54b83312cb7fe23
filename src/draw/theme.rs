//! The overlay's colors: three themes, and the fields of a theme of the host's own.

/// Straight RGBA, 8 bits each.
pub(crate) type Color = [u8; 4];

/// The number of colors that a theme has for zones.
pub(crate) const ZONES: usize = 8;

/// The colors of the overlay, for [`Overlay::set_theme`](crate::overlay::Overlay::set_theme).
///
/// Each color is red, green, blue and opacity, from 0 to 255; red, green and blue are as in a picture or a
/// web page (sRGB), not multiplied by the opacity.
///
/// A theme of one's own starts from another one:
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
/// In the themes of this crate, each text has a contrast of at least 4.5 : 1 to what is behind it, over any
/// picture of the host's: grounds are nearly opaque. Such a ground should be kept in a theme of one's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Theme {
    /// The title's text, and what is behind it.
    pub title: Color,
    /// The ground of titles.
    pub title_bar: Color,
    /// Column headers, legends, and other text that describes.
    pub header: Color,
    /// The ground of column headers.
    pub header_bar: Color,
    /// The mark before the header of the column that rows are sorted by, and names of marked frames.
    pub sort_mark: Color,
    /// Text of a warning.
    pub warning: Color,
    /// The ground of warnings.
    pub warning_bar: Color,
    /// Rows, and the graph's labels: the text of a time that stays the same.
    pub text: Color,
    /// The text of a time that fluctuates as much as its mean: heat 1. In a comparison that of a row which is the
    /// whole difference.
    pub hot_text: Color,
    /// In a comparison the text and the bar of a row that took less time.
    pub faster: Color,
    /// The ground behind a number of heat 1.
    pub glow: Color,
    /// The bar at the left edge of a row, whose height is the heat, or in a comparison the difference.
    pub heat_bar: Color,
    /// Text that can be passed over: zeros, and idle rows.
    pub dimmed: Color,
    /// The ground of rows, in turn.
    pub rows: [Color; 2],
    /// The ground of the cursor's row.
    pub cursor_row: Color,
    /// The scroll bar.
    pub scroll_bar: Color,
    /// The ground of tooltips.
    pub tooltip: Color,
    /// The edge of tooltips.
    pub tooltip_edge: Color,
    /// The ground of the graph.
    pub graph: Color,
    /// Lines in the graph: at round times, and where frames were forgotten.
    pub guide: Color,
    /// The line at the frame budget.
    pub budget: Color,
    /// The ground of labels that lie over bars.
    pub label_bar: Color,
    /// The top of a bar that is longer than the graph is high.
    pub cut_bar: Color,
    /// The frame that the view shows: a line, and the ends of a range of frames.
    pub cursor: Color,
    /// The edges of that line: the line may have the color of the bars.
    pub cursor_edge: Color,
    /// The columns of the frame, or of the range of frames, that the view shows.
    pub cursor_column: Color,
    /// The shade over the frames outside of the range that the view shows.
    pub outside: Color,
    /// Time outside of all zones.
    pub no_zone: Color,
    /// Zones. The name chooses the color. Zones of the legend have different ones.
    pub zones: [Color; ZONES],
}

/// Opacity of the grounds of rows and of the graph, for a dark and for a light theme: a tenth or less of the
/// host's picture shows through.
const DARK_PANEL: u8 = 226;
const LIGHT_PANEL: u8 = 240;

impl Theme {
    /// Light text on a dark ground: the default.
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

    /// Dark text on a light ground.
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

    /// As [`DARK`](Theme::DARK), with colors for zones that can be told apart without the cones for red,
    /// green or blue light (protanopia, deuteranopia, tritanopia).
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

    /// The themes of this crate, in the order of [`Action::NextTheme`](crate::Action::NextTheme).
    pub(crate) const ALL: [Theme; 3] = [Theme::DARK, Theme::LIGHT, Theme::COLOR_BLIND];
}

impl Default for Theme {
    fn default() -> Theme {
        Theme::DARK
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::draw::colors;

    type Matrix = [[f64; 3]; 3];

    /// What people with each kind of cones missing see, as matrices of linear light, by Machado, Oliveira and
    /// Fernandes (2009), at full severity. The first is normal vision.
    const VISIONS: [(&str, Matrix); 4] = [
        (
            "normal",
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        ),
        (
            "protanopia",
            [
                [0.152_286, 1.052_583, -0.204_868],
                [0.114_503, 0.786_281, 0.099_216],
                [-0.003_882, -0.048_116, 1.051_998],
            ],
        ),
        (
            "deuteranopia",
            [
                [0.367_322, 0.860_646, -0.227_968],
                [0.280_085, 0.672_501, 0.047_413],
                [-0.011_820, 0.042_940, 0.968_881],
            ],
        ),
        (
            "tritanopia",
            [
                [1.255_528, -0.076_749, -0.178_779],
                [-0.078_411, 0.930_809, 0.147_602],
                [0.004_733, 0.691_367, 0.303_900],
            ],
        ),
    ];

    fn linear(color: Color) -> [f64; 3] {
        [0, 1, 2].map(|at| match f64::from(color[at]) / 255.0 {
            low if low <= 0.040_45 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        })
    }

    /// Relative luminance: 0 black to 1 white.
    fn luminance(color: Color) -> f64 {
        let [r, g, b] = linear(color);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// The ratio of the Web Content Accessibility Guidelines, from 1 to 21.
    fn contrast(a: Color, b: Color) -> f64 {
        let [a, b] = [a, b].map(luminance);
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn over(top: Color, below: Color) -> Color {
        let part = f64::from(top[3]) / 255.0;
        let mix = |at: usize| {
            (f64::from(top[at]) * part + f64::from(below[at]) * (1.0 - part)).round() as u8
        };
        [mix(0), mix(1), mix(2), 255]
    }

    const BLACK: Color = [0, 0, 0, 255];
    const WHITE: Color = [255; 4];

    /// The color as seen: in the space CIE L*a*b*.
    fn lab(color: Color, vision: &Matrix) -> [f64; 3] {
        let rgb = linear(color);
        let [r, g, b] = vision.map(|row| {
            let sum: f64 = row.iter().zip(rgb).map(|(part, light)| part * light).sum();
            sum.clamp(0.0, 1.0)
        });
        let f = |t: f64| match t {
            high if high > 216.0 / 24_389.0 => high.cbrt(),
            low => (24_389.0 / 27.0 * low + 16.0) / 116.0,
        };
        let x = f((0.412_456_4 * r + 0.357_576_1 * g + 0.180_437_5 * b) / 0.950_47);
        let y = f(0.212_672_9 * r + 0.715_152_2 * g + 0.072_175 * b);
        let z = f((0.019_333_9 * r + 0.119_192 * g + 0.950_304_1 * b) / 1.088_83);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// The difference of two colors, CIEDE2000: 1 can just be seen side by side.
    fn difference([l1, a1, b1]: [f64; 3], [l2, a2, b2]: [f64; 3]) -> f64 {
        let seventh = |c: f64| (c.powi(7) / (c.powi(7) + 25f64.powi(7))).sqrt();
        let stretch = 1.0 + 0.5 * (1.0 - seventh(0.5 * (a1.hypot(b1) + a2.hypot(b2))));
        let (a1, a2) = (a1 * stretch, a2 * stretch);
        let (c1, c2) = (a1.hypot(b1), a2.hypot(b2));
        let hue = |a: f64, b: f64| b.atan2(a).to_degrees().rem_euclid(360.0);
        let (h1, h2) = (hue(a1, b1), hue(a2, b2));
        let has_hues = c1 * c2 > 0.0;
        let turn = match h2 - h1 {
            _ if !has_hues => 0.0,
            far if far > 180.0 => far - 360.0,
            far if far < -180.0 => far + 360.0,
            near => near,
        };
        let mean_hue = match h1 + h2 {
            sum if !has_hues => sum,
            sum if (h1 - h2).abs() <= 180.0 => 0.5 * sum,
            sum if sum < 360.0 => 0.5 * (sum + 360.0),
            sum => 0.5 * (sum - 360.0),
        };
        let (l, c) = (0.5 * (l1 + l2) - 50.0, 0.5 * (c1 + c2));
        let cos = |degrees: f64| degrees.to_radians().cos();
        let t = 1.0 - 0.17 * cos(mean_hue - 30.0)
            + 0.24 * cos(2.0 * mean_hue)
            + 0.32 * cos(3.0 * mean_hue + 6.0)
            - 0.20 * cos(4.0 * mean_hue - 63.0);
        let turned = 30.0 * (-((mean_hue - 275.0) / 25.0).powi(2)).exp();
        let dl = (l2 - l1) / (1.0 + 0.015 * l * l / (20.0 + l * l).sqrt());
        let dc = (c2 - c1) / (1.0 + 0.045 * c);
        let dh = 2.0 * (c1 * c2).sqrt() * (0.5 * turn).to_radians().sin() / (1.0 + 0.015 * c * t);
        let mixed = -(2.0 * turned).to_radians().sin() * 2.0 * seventh(c);
        (dl * dl + dc * dc + dh * dh + mixed * dc * dh).sqrt()
    }

    #[test]
    fn the_difference_of_colors_is_that_of_its_authors_examples() {
        // Sharma, Wu and Dalal (2005), table 1: pairs 1, 7, 17 and 25.
        for (a, b, wanted) in [
            ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
            ([50.0, 0.0, 0.0], [50.0, -1.0, 2.0], 2.3669),
            ([50.0, 2.5, 0.0], [73.0, 25.0, -18.0], 27.1492),
            (
                [60.2574, -34.0099, 36.2677],
                [60.4626, -34.1751, 39.4387],
                1.2644,
            ),
        ] {
            let found = difference(a, b);
            assert!((found - wanted).abs() < 1e-4, "{found} is not {wanted}");
        }
    }

    /// Each text of a theme with each ground it stands on: what it is, its color, and the grounds from the
    /// lowest.
    fn texts(theme: &Theme) -> Vec<(String, Color, Vec<Color>)> {
        let mut texts = Vec::new();
        let mut add = |what: &str, color: Color, grounds: &[Color]| {
            texts.push((what.to_owned(), color, grounds.to_vec()));
        };
        add("title", theme.title, &[theme.title_bar]);
        add("header", theme.header, &[theme.header_bar]);
        add("sort mark", theme.sort_mark, &[theme.header_bar]);
        add("warning", theme.warning, &[theme.warning_bar]);
        add("legend of the graph", theme.header, &[theme.graph]);
        add(
            "text in the report's legend",
            theme.text,
            &[theme.header_bar],
        );
        add(
            "none in the report's legend",
            theme.dimmed,
            &[theme.header_bar],
        );
        for (what, color) in [
            ("title", theme.title),
            ("header", theme.header),
            ("mark", theme.sort_mark),
        ] {
            add(&format!("{what} in a tooltip"), color, &[theme.tooltip]);
        }
        for bar in theme.zones.iter().chain([&theme.no_zone, &BLACK, &WHITE]) {
            add("label", theme.text, &[*bar, theme.label_bar]);
            add("name of a mark", theme.title, &[*bar, theme.label_bar]);
        }
        for row in [
            theme.rows[0],
            theme.rows[1],
            theme.cursor_row,
            theme.tooltip,
            theme.header_bar,
        ] {
            for step in -20..=20 {
                let heat = step as f32 / 20.0;
                let glow = colors::glow(theme, heat).unwrap_or([0; 4]);
                let what = format!("heat {heat} on {row:?}");
                add(&what, colors::text(theme, heat), &[row]);
                add(&what, colors::text(theme, heat), &[row, glow]);
            }
            add("zero", theme.dimmed, &[row]);
            add("plus and minus", theme.header, &[row]);
        }
        texts
    }

    #[test]
    fn every_text_can_be_read_over_any_picture() {
        let mut pale = Vec::new();
        for theme in Theme::ALL {
            for (what, color, grounds) in texts(&theme) {
                for picture in [BLACK, [128, 128, 128, 255], WHITE] {
                    let ground = grounds.iter().fold(picture, |below, top| over(*top, below));
                    let found = contrast(color, ground);
                    if found < 4.5 {
                        pale.push(format!("{what}: {color:?} on {ground:?} is {found:.2}"));
                    }
                }
            }
        }
        assert!(pale.is_empty(), "{pale:#?}");
    }

    #[test]
    fn dimmed_text_is_passed_over() {
        for theme in Theme::ALL {
            for row in theme.rows.map(|row| over(row, BLACK)) {
                assert!(contrast(theme.dimmed, row) < 0.7 * contrast(theme.text, row));
            }
        }
    }

    #[test]
    fn bars_and_marks_stand_out_from_their_ground() {
        for theme in Theme::ALL {
            for picture in [BLACK, WHITE] {
                let graph = over(theme.graph, picture);
                for color in theme.zones {
                    let found = contrast(color, graph);
                    assert!(found >= 3.0, "{color:?} on {graph:?} is {found:.2}");
                }
                for row in theme.rows {
                    assert!(contrast(theme.heat_bar, over(row, picture)) >= 3.0);
                    assert!(contrast(theme.scroll_bar, over(row, picture)) >= 3.0);
                }
            }
        }
    }

    /// The smallest difference of any two of these colors.
    fn least(colors: &[Color], vision: &Matrix) -> f64 {
        let pairs = colors.iter().enumerate().flat_map(|(at, a)| {
            let others = colors[at + 1..].iter();
            others.map(move |b| difference(lab(*a, vision), lab(*b, vision)))
        });
        pairs.fold(f64::MAX, f64::min)
    }

    #[test]
    fn colors_can_be_told_apart() {
        for (at, theme) in Theme::ALL.iter().enumerate() {
            let zones = [&theme.zones[..], &[theme.no_zone]].concat();
            let texts = [theme.text, theme.hot_text, theme.faster, theme.dimmed];
            let rows = [theme.rows[0], theme.cursor_row];
            for (vision, matrix) in &VISIONS {
                // For the color-blind all is told apart by color. In the other themes zones are so only by
                // people with normal vision: bars have an order, names and tooltips, too.
                let is_for_all = *theme == Theme::COLOR_BLIND || *vision == "normal";
                let found = least(&zones, matrix);
                assert!(
                    !is_for_all || found >= 13.0,
                    "zones of {at}, {vision}: {found:.1}"
                );
                let found = least(&texts, matrix);
                assert!(found >= 10.0, "texts of {at}, {vision}: {found:.1}");
                let found = least(&rows, matrix);
                assert!(found >= 8.0, "rows of {at}, {vision}: {found:.1}");
            }
        }
    }

    #[test]
    fn a_palette_of_red_and_green_would_be_noticed() {
        let [_, (_, protanopia), (_, deuteranopia), _] = VISIONS;
        let zones = [[200, 90, 40, 255], [130, 120, 30, 255]];
        assert!(least(&zones, &VISIONS[0].1) > 13.0);
        assert!(least(&zones, &protanopia).min(least(&zones, &deuteranopia)) < 13.0);
    }
}
