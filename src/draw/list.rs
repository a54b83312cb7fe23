//! The draw list: textured rectangles and thick lines as quads.

use bytemuck::{Pod, Zeroable};

/// A vertex of the overlay: 16 bytes without padding, in the layout that vertex shaders expect.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Vertex {
    /// The position in pixels from the target's top left corner. y points down.
    pub position: [f32; 2],
    /// The texture coordinate in the atlas: 0 is the left or top edge, 65,535 the right or bottom edge.
    pub uv: [u16; 2],
    /// Red, green, blue and opacity, 0 to 255. The colors are sRGB, as in image files, and not multiplied by the
    /// opacity.
    pub color: [u8; 4],
}

/// A rectangle or a thick line, as its four corners in order around the outline.
pub(crate) type Quad = [Vertex; 4];

/// The corners of a quad's two triangles.
pub(crate) const CORNERS: [u32; 6] = [0, 1, 2, 0, 2, 3];

/// The quads of one drawing, in drawing order.
#[derive(Clone, Debug, Default)]
pub(crate) struct DrawList {
    quads: Vec<Quad>,
}

impl DrawList {
    pub(crate) fn clear(&mut self) {
        self.quads.clear();
    }

    pub(crate) fn truncate(&mut self, count: usize) {
        self.quads.truncate(count);
    }

    /// Adds the rectangle `[x0, y0, x1, y1]` in px, textured with the atlas rectangle `uv` in the same order.
    #[inline]
    pub(crate) fn push_quad(&mut self, rect: [f32; 4], uv: [u16; 4], color: [u8; 4]) {
        let [x0, y0, x1, y1] = rect;
        let [u0, v0, u1, v1] = uv;
        self.push_corners(
            [[x0, y0], [x1, y0], [x1, y1], [x0, y1]],
            [[u0, v0], [u1, v0], [u1, v1], [u0, v1]],
            color,
        );
    }

    /// Clips all rectangles starting at index `first` to `[left, top, right, bottom]`, in px.
    pub(crate) fn cut_to(&mut self, first: usize, [left, top, right, bottom]: [f32; 4]) {
        for quad in &mut self.quads[first..] {
            // Corners 0 and 3 are on the left, 1 and 2 on the right, and 0 and 1 at the top.
            cut_axis(quad, 0, [[0, 3], [1, 2]], [left, right]);
            cut_axis(quad, 1, [[0, 1], [3, 2]], [top, bottom]);
        }
    }

    /// Adds a line from `a` to `b`, `width` px across, centered on the two points and ending at them.
    ///
    /// `white_uv` is the texture coordinate of a point with full coverage in the atlas. A line of length 0, or with an
    /// end that is not finite, adds nothing.
    pub(crate) fn push_line(
        &mut self,
        a: [f32; 2],
        b: [f32; 2],
        width: f32,
        color: [u8; 4],
        white_uv: [u16; 2],
    ) {
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let length = dx.hypot(dy);
        if !(length > 0.0 && length.is_finite()) {
            return;
        }
        let half = 0.5 * width / length;
        let (nx, ny) = (-dy * half, dx * half);
        self.push_corners(
            [
                [a[0] + nx, a[1] + ny],
                [b[0] + nx, b[1] + ny],
                [b[0] - nx, b[1] - ny],
                [a[0] - nx, a[1] - ny],
            ],
            [white_uv; 4],
            color,
        );
    }

    #[must_use]
    pub(crate) fn quads(&self) -> &[Quad] {
        &self.quads
    }

    #[cfg(test)]
    pub(crate) fn vertices(&self) -> &[Vertex] {
        self.quads.as_flattened()
    }

    #[inline]
    fn push_corners(&mut self, at: [[f32; 2]; 4], uv: [[u16; 2]; 4], color: [u8; 4]) {
        let corner = |i: usize| Vertex {
            position: at[i],
            uv: uv[i],
            color,
        };
        self.quads
            .push([corner(0), corner(1), corner(2), corner(3)]);
    }
}

/// Rounds to whole px, with halves away from 0, like `f32::round`. A layout rounds thousands of values, and
/// `f32::round` is a function call on targets that may lack the instruction.
#[inline]
pub(crate) fn whole(px: f32) -> f32 {
    ((px.abs() + 0.5) as i32 as f32).copysign(px)
}

/// Returns whether a point is inside a rectangle. The left and top edges are inside, the right and bottom edges
/// outside.
pub(crate) fn is_within([left, top, right, bottom]: [f32; 4], [x, y]: [f32; 2]) -> bool {
    x >= left && x < right && y >= top && y < bottom
}

/// Clips a rectangle along one axis by moving the corners of its `low` and `high` edges, with their texture
/// coordinates, to `limits`.
#[inline]
fn cut_axis(quad: &mut Quad, axis: usize, [low, high]: [[usize; 2]; 2], limits: [f32; 2]) {
    let [from, to] = [low, high].map(|corners| quad[corners[0]].position[axis]);
    if from >= limits[0] && to <= limits[1] {
        return;
    }
    let [u0, u1] = [low, high].map(|corners| f32::from(quad[corners[0]].uv[axis]));
    for (corners, at) in [(low, from), (high, to)] {
        let cut = at.clamp(limits[0], limits[1]);
        let share = if to > from {
            (cut - from) / (to - from)
        } else {
            0.0
        };
        for corner in corners {
            quad[corner].position[axis] = cut;
            quad[corner].uv[axis] = (u0 + (u1 - u0) * share).round() as u16;
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const WHITE: [u8; 4] = [255; 4];

    fn bounds(list: &DrawList) -> [f32; 4] {
        list.vertices()
            .iter()
            .fold([f32::MAX, f32::MAX, f32::MIN, f32::MIN], |b, v| {
                let [x, y] = v.position;
                [b[0].min(x), b[1].min(y), b[2].max(x), b[3].max(y)]
            })
    }

    #[test]
    fn quad_corners_match_their_texture_coordinates() {
        let mut list = DrawList::default();
        list.push_quad([1.0, 2.0, 3.0, 4.0], [10, 20, 30, 40], WHITE);
        assert_eq!(list.quads().len(), 1);
        let corners = list.quads()[0];
        for corner in corners {
            assert_eq!(corner.uv, corner.position.map(|p| (p * 10.0) as u16));
        }
        // The sum is twice the signed area, whose sign gives the orientation.
        let next = corners.iter().cycle().skip(1);
        let double: f32 = corners
            .iter()
            .zip(next)
            .map(|(a, b)| {
                let ([ax, ay], [bx, by]) = (a.position, b.position);
                ax * by - bx * ay
            })
            .sum();
        assert_eq!(double, 2.0 * 4.0);
    }

    #[test]
    fn clipping_keeps_the_texture_in_place() {
        let mut list = DrawList::default();
        list.push_quad([0.0, 0.0, 1.0, 1.0], [7; 4], WHITE);
        list.push_quad([10.0, 20.0, 30.0, 40.0], [10, 20, 30, 40], WHITE);
        list.cut_to(1, [12.0, 25.0, 22.0, 37.0]);
        assert_eq!(
            list.quads()[0][2].position,
            [1.0, 1.0],
            "quads before the first index should not be clipped"
        );
        let corners = list.quads()[1];
        assert_eq!(corners[0].position, [12.0, 25.0]);
        assert_eq!(corners[2].position, [22.0, 37.0]);
        for corner in corners {
            assert_eq!(corner.uv.map(f32::from), corner.position);
        }
    }

    #[test]
    fn line_is_centered_on_its_end_points() {
        let mut list = DrawList::default();
        list.push_line([10.0, 5.0], [20.0, 5.0], 2.0, WHITE, [7, 9]);
        assert_eq!(bounds(&list), [10.0, 4.0, 20.0, 6.0]);
        assert!(list.vertices().iter().all(|v| v.uv == [7, 9]));
    }

    #[test]
    fn zero_length_line_adds_nothing() {
        let mut list = DrawList::default();
        list.push_line([3.0, 3.0], [3.0, 3.0], 1.0, WHITE, [0, 0]);
        list.push_line([3.0, f32::NAN], [4.0, 3.0], 1.0, WHITE, [0, 0]);
        assert!(list.vertices().is_empty());
    }

    #[test]
    fn clear_keeps_allocated_memory() {
        let mut list = DrawList::default();
        for _ in 0..100 {
            list.push_quad([0.0; 4], [0; 4], WHITE);
        }
        let (memory, capacity) = (list.quads.as_ptr(), list.quads.capacity());
        list.clear();
        for _ in 0..100 {
            list.push_quad([0.0; 4], [0; 4], WHITE);
        }
        assert_eq!(
            (list.quads.as_ptr(), list.quads.capacity()),
            (memory, capacity)
        );
    }
}
