//! What a renderer draws: vertices, indices and the glyph atlas.

use super::Overlay;
use crate::draw::{ATLAS_SIZE, AtlasImage, AtlasRect, CORNERS, Quad, Vertex};

/// A frame as plain data: textured triangles, to be drawn in order with one draw call and one texture.
///
/// | | |
/// |---|---|
/// | vertices | [`vertices`](DrawData::vertices): 16 bytes each |
/// | triangles | [`indices`](DrawData::indices): three indices each; of either orientation |
/// | draw ranges | one: all of it |
/// | scissor | none: everything is clipped already |
/// | texture | [`atlas_changes`](DrawData::atlas_changes): one channel, nearest texel, edges clamped |
/// | color | the vertex color, its opacity multiplied by the texel |
/// | blending | `source * opacity + target * (1 - opacity)` |
///
/// Colors are meant to be blended as they are, as pictures and web pages do: on a target that converts from linear
/// light (sRGB formats) opaque parts look the same if the renderer first converts red, green and blue to linear light,
/// and translucent parts become somewhat lighter.
#[derive(Clone, Copy, Debug)]
pub struct DrawData<'a> {
    size: [f32; 2],
    quads: &'a [Quad],
    image: &'a AtlasImage,
}

impl Overlay {
    /// What the current frame has so far, for a renderer.
    #[must_use]
    pub fn draw_data(&self) -> DrawData<'_> {
        DrawData {
            size: self.size,
            quads: self.font.list.quads(),
            image: &self.font.image,
        }
    }
}

impl<'a> DrawData<'a> {
    /// Width and height of the glyph atlas in texels.
    pub const ATLAS_SIZE: [u32; 2] = ATLAS_SIZE;

    /// Width and height of the target in pixels, as given to [`Overlay::begin`](super::Overlay::begin). A position
    /// `x`, `y` has the clip coordinates `2 * x / width - 1` and `1 - 2 * y / height`, where y points up.
    #[must_use]
    pub fn size(self) -> [f32; 2] {
        self.size
    }

    /// The vertices: four for each rectangle or line.
    #[must_use]
    pub fn vertices(self) -> &'a [Vertex] {
        self.quads.as_flattened()
    }

    /// Whether there is nothing to draw.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.quads.is_empty()
    }

    /// The number of indices: six for each four vertices.
    #[must_use]
    pub fn index_count(self) -> usize {
        self.quads.len() * CORNERS.len()
    }

    /// The indices of the vertices of all triangles. The first indices of any two drawings are equal: a renderer need
    /// upload them only when a frame has more than all before.
    ///
    /// ```
    /// let overlay = iprof::overlay::Overlay::new();
    /// let data = overlay.draw_data();
    /// assert_eq!(data.indices().count(), data.index_count());
    /// ```
    pub fn indices(self) -> impl Iterator<Item = u32> + use<> {
        quad_indices(self.quads.len())
    }

    /// The version of the glyph atlas: it grows with each change, and is never 0.
    #[must_use]
    pub fn atlas_version(self) -> u64 {
        self.image.version()
    }

    /// The smallest rectangle of the glyph atlas that contains all changes since `version`; all that is in use for 0; `None` if
    /// nothing has changed. Draw data refer to no texel outside of what is in use.
    ///
    /// A renderer has a texture of this [size](DrawData::ATLAS_SIZE) with one channel of 8 bits, the coverage, samples its
    /// nearest texel, and remembers the [version](DrawData::atlas_version) that it has uploaded. Before it draws, it uploads what
    /// has changed since then.
    #[must_use]
    pub fn atlas_changes(self, version: u64) -> Option<AtlasRect<'a>> {
        self.image.changed_since(version)
    }

    #[cfg(feature = "gl")]
    pub(crate) fn quads(self) -> &'a [Quad] {
        self.quads
    }
}

/// The indices of that many rectangles, for a renderer that uploads them once: see [`DrawData::indices`].
///
/// ```
/// let indices: Vec<u32> = iprof::overlay::quad_indices(2).collect();
/// assert_eq!(indices, [0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7]);
/// ```
pub fn quad_indices(quads: usize) -> impl Iterator<Item = u32> + use<> {
    (0..quads as u32).flat_map(|quad| CORNERS.map(|corner| 4 * quad + corner))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::draw::Font;

    #[test]
    fn indices_refer_to_all_vertices_in_order() {
        let mut font = Font::new(12.0);
        for _ in 0..3 {
            font.fill([0.0, 0.0, 1.0, 1.0], [0; 4]);
        }
        let data = DrawData {
            size: [1.0; 2],
            quads: font.list.quads(),
            image: &font.image,
        };
        assert_eq!((data.vertices().len(), data.index_count()), (12, 18));
        let indices: Vec<u32> = data.indices().collect();
        assert_eq!(indices[6..12], [4, 5, 6, 4, 6, 7]);
        assert_eq!(indices.iter().max(), Some(&11));
    }
}
