use super::*;
use crate::draw::colors;

type Matrix = [[f64; 3]; 3];

/// Matrices that simulate, in linear light, how colors look to people who lack one kind of cone, at full severity, from
/// Machado, Oliveira and Fernandes (2009). The first is normal vision.
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

/// Returns the relative luminance, from 0 for black to 1 for white.
fn luminance(color: Color) -> f64 {
    let [r, g, b] = linear(color);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// Returns the contrast ratio defined by the Web Content Accessibility Guidelines, from 1 to 21.
fn contrast(a: Color, b: Color) -> f64 {
    let [a, b] = [a, b].map(luminance);
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn over(top: Color, below: Color) -> Color {
    let part = f64::from(top[3]) / 255.0;
    let mix =
        |at: usize| (f64::from(top[at]) * part + f64::from(below[at]) * (1.0 - part)).round() as u8;
    [mix(0), mix(1), mix(2), 255]
}

const BLACK: Color = [0, 0, 0, 255];
const WHITE: Color = [255; 4];

/// Returns the perceived color in the CIE L*a*b* color space.
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

/// Returns the CIEDE2000 difference between two colors. A difference of 1 is just visible side by side.
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
fn color_difference_matches_published_examples() {
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
        assert!(
            (found - wanted).abs() < 1e-4,
            "difference is {found} instead of {wanted}"
        );
    }
}

/// Returns each of a theme's text colors on each of its backgrounds: a description, the color, and the backgrounds from
/// back to front.
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
fn text_is_readable_over_any_picture() {
    let mut pale = Vec::new();
    for theme in Theme::ALL {
        for (what, color, grounds) in texts(&theme) {
            for picture in [BLACK, [128, 128, 128, 255], WHITE] {
                let background = grounds.iter().fold(picture, |below, top| over(*top, below));
                let found = contrast(color, background);
                if found < 4.5 {
                    pale.push(format!("{what}: {color:?} on {background:?} is {found:.2}"));
                }
            }
        }
    }
    assert!(pale.is_empty(), "{pale:#?}");
}

#[test]
fn dimmed_text_has_less_contrast() {
    for theme in Theme::ALL {
        for row in theme.rows.map(|row| over(row, BLACK)) {
            assert!(contrast(theme.dimmed, row) < 0.7 * contrast(theme.text, row));
        }
    }
}

#[test]
fn bars_and_marks_contrast_with_their_background() {
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

/// Returns the smallest difference between any two of the given colors.
fn least(colors: &[Color], vision: &Matrix) -> f64 {
    let pairs = colors.iter().enumerate().flat_map(|(at, a)| {
        let others = colors[at + 1..].iter();
        others.map(move |b| difference(lab(*a, vision), lab(*b, vision)))
    });
    pairs.fold(f64::MAX, f64::min)
}

#[test]
fn colors_are_distinguishable() {
    for (at, theme) in Theme::ALL.iter().enumerate() {
        let zones = [&theme.zones[..], &[theme.no_zone]].concat();
        let texts = [theme.text, theme.hot_text, theme.faster, theme.dimmed];
        let rows = [theme.rows[0], theme.cursor_row];
        for (vision, matrix) in &VISIONS {
            // The color-blind theme distinguishes everything by color. In the other themes, zone colors are
            // distinguishable only for people with normal vision. Bars can also be distinguished by their order, names
            // and tooltips.
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
fn check_detects_a_red_green_palette() {
    let [_, (_, protanopia), (_, deuteranopia), _] = VISIONS;
    let zones = [[200, 90, 40, 255], [130, 120, 30, 255]];
    assert!(least(&zones, &VISIONS[0].1) > 13.0);
    assert!(least(&zones, &protanopia).min(least(&zones, &deuteranopia)) < 13.0);
}
