//! An independent rasterizer without rounding, which also computes the tolerance for a target that rounds each layer.

use iprof::overlay::{DrawData, Vertex};

/// A triangle's contribution to a pixel.
pub(crate) struct Fragment {
    pub(crate) pixel: usize,
    /// The sRGB color, from 0 to 1.
    color: [f64; 3],
    opacity: f64,
}

/// A pixel, as the numbers that its target blends, and its tolerance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ideal {
    pub(crate) value: [f64; 3],
    pub(crate) off: [f64; 3],
}

/// Returns the fragments of all triangles, in drawing order.
pub(crate) fn fragments(data: DrawData<'_>, [width, height]: [u32; 2]) -> Vec<Fragment> {
    let whole = data
        .atlas_changes(0)
        .expect("the atlas should contain the white pixel");
    assert_eq!(
        [whole.x, whole.y],
        [0, 0],
        "the changes should start at the atlas's corner"
    );
    let texels = Texels {
        coverage: whole.pixels,
        row: whole.width as usize,
        size: DrawData::ATLAS_SIZE.map(f64::from),
    };
    let mut found = Vec::new();
    let indices: Vec<usize> = data.indices().map(|index| index as usize).collect();
    for corners in indices.chunks_exact(3) {
        let corners = [0, 1, 2].map(|at| data.vertices()[corners[at]]);
        triangle(
            corners,
            [width as usize, height as usize],
            &texels,
            &mut found,
        );
    }
    found
}

/// The used portion of the atlas, starting at its corner, and the size of the whole atlas.
struct Texels<'a> {
    coverage: &'a [u8],
    row: usize,
    size: [f64; 2],
}

/// Adds the pixels whose centers are inside a triangle. A center on an edge is inside only if the edge is a left or
/// upper edge.
fn triangle(corners: [Vertex; 3], size: [usize; 2], texels: &Texels<'_>, to: &mut Vec<Fragment>) {
    let mut corners = corners;
    let at = |vertex: &Vertex| vertex.position.map(f64::from);
    // Returns a positive number if the third point is to the right of the line from the first to the second, looking
    // along the line, with y pointing down.
    let side = |[ax, ay]: [f64; 2], [bx, by]: [f64; 2], [px, py]: [f64; 2]| {
        (bx - ax) * (py - ay) - (by - ay) * (px - ax)
    };
    let area = |[a, b, c]: &[Vertex; 3]| side(at(a), at(b), at(c));
    if area(&corners) < 0.0 {
        corners.swap(1, 2);
    }
    let whole = area(&corners);
    if whole <= 0.0 {
        return;
    }
    let range = |axis: usize| {
        let along = corners.map(|corner| at(&corner)[axis]);
        let (low, high) = along.iter().fold((f64::MAX, f64::MIN), |(low, high), at| {
            (low.min(*at), high.max(*at))
        });
        let limit = |px: f64| px.clamp(0.0, size[axis] as f64) as usize;
        limit(low.floor())..limit(high.ceil())
    };
    for y in range(1) {
        for x in range(0) {
            let center = [x as f64 + 0.5, y as f64 + 0.5];
            let mut shares = [0.0; 3];
            let is_inside = (0..3).all(|edge| {
                let [from, to] = [1, 2].map(|step| at(&corners[(edge + step) % 3]));
                let of_corner = side(from, to, center);
                shares[edge] = of_corner / whole;
                let is_top_left = from[1] > to[1] || from[1] == to[1] && from[0] < to[0];
                of_corner > 0.0 || of_corner == 0.0 && is_top_left
            });
            if is_inside {
                to.push(fragment(y * size[0] + x, &corners, shares, texels));
            }
        }
    }
}

fn fragment(
    pixel: usize,
    corners: &[Vertex; 3],
    shares: [f64; 3],
    texels: &Texels<'_>,
) -> Fragment {
    let mix = |of: &dyn Fn(&Vertex) -> f64| -> f64 {
        corners
            .iter()
            .zip(shares)
            .map(|(corner, share)| of(corner) * share)
            .sum()
    };
    let [u, v] = [0, 1].map(|axis| {
        let along = mix(&|corner| f64::from(corner.uv[axis])) / 65_535.0;
        (along * texels.size[axis]).min(texels.size[axis] - 1.0) as usize
    });
    let color = |channel: usize| mix(&|corner| f64::from(corner.color[channel])) / 255.0;
    let coverage = f64::from(texels.coverage[v * texels.row + u]) / 255.0;
    Fragment {
        pixel,
        color: [0, 1, 2].map(color),
        opacity: color(3) * coverage,
    }
}

/// Applies the inverse of the sRGB transfer function (IEC 61966-2-1).
pub(crate) fn linear(encoded: f64) -> f64 {
    match encoded <= 0.040_45 {
        true => encoded / 12.92,
        false => ((encoded + 0.055) / 1.055).powf(2.4),
    }
}

pub(crate) fn encoded(linear: f64) -> f64 {
    match linear <= 0.003_130_8 {
        true => linear * 12.92,
        false => 1.055 * linear.powf(1.0 / 2.4) - 0.055,
    }
}

/// Returns the opacity that makes blending linear light look like blending sRGB colors with `opacity`, both for light
/// text on a dark background and for dark text on a light one.
fn linear_opacity(color: [f64; 3], opacity: f64) -> f64 {
    let [r, g, b] = color;
    let luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let (dark, light) = (1.0 - linear(1.0 - opacity), linear(opacity));
    dark + (light - dark) * luminance
}

/// Blends the fragments over `background`. The target rounds each layer by up to `step` of the value.
pub(crate) fn blend(
    fragments: &[Fragment],
    background: &[[f64; 3]],
    is_linear: bool,
    step: impl Fn(f64) -> f64,
) -> Vec<Ideal> {
    let at_first = |value: &[f64; 3]| Ideal {
        value: *value,
        off: [0.0; 3],
    };
    let mut pixels: Vec<Ideal> = background.iter().map(at_first).collect();
    for fragment in fragments {
        let (color, opacity) = match is_linear {
            true => (
                fragment.color.map(linear),
                linear_opacity(fragment.color, fragment.opacity),
            ),
            false => (fragment.color, fragment.opacity),
        };
        let Ideal { value, off } = &mut pixels[fragment.pixel];
        for channel in 0..3 {
            value[channel] = color[channel] * opacity + value[channel] * (1.0 - opacity);
            off[channel] = off[channel] * (1.0 - opacity) + step(value[channel]);
        }
    }
    pixels
}
