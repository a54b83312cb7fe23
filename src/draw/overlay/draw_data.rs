//! The data for a renderer: vertices, indices and the glyph atlas.

use super::Overlay;
use crate::draw::{ATLAS_SIZE, AtlasImage, AtlasRect, CORNERS, Quad, Vertex};

/// A frame as plain data: textured triangles, drawn in order with one draw call and one texture.
///
/// | | |
/// |---|---|
/// | vertices | [`vertices`](DrawData::vertices): 16 bytes per vertex |
/// | triangles | [`indices`](DrawData::indices): three per triangle, in either orientation |
/// | draw ranges | a single one |
/// | scissor | none: the triangles are already clipped |
/// | texture | [`atlas_changes`](DrawData::atlas_changes): one channel, nearest texel, edges clamped |
/// | color | the vertex color, with its opacity multiplied by the texel |
/// | blending | `source * opacity + target * (1 - opacity)` |
///
/// Colors are meant to be blended without conversion, as in image editors and on web pages. A target with an sRGB
/// format expects linear light. For such a target, convert red, green and blue to linear light first. Opaque areas then
/// look the same, and translucent areas become slightly lighter.
#[derive(Clone, Copy, Debug)]
pub struct DrawData<'a> {
    size: [f32; 2],
    quads: &'a [Quad],
    image: &'a AtlasImage,
}

impl Overlay {
    /// Returns the current frame's contents so far, for a renderer.
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
    /// The width and height of the glyph atlas in texels.
    pub const ATLAS_SIZE: [u32; 2] = ATLAS_SIZE;

    /// Returns the width and height of the target in pixels, as given to [`Overlay::begin`](super::Overlay::begin).
    ///
    /// A position `x`, `y` has the clip coordinates `2 * x / width - 1` and `1 - 2 * y / height`, where y points up.
    #[must_use]
    pub fn size(self) -> [f32; 2] {
        self.size
    }

    /// Returns the vertices: four for each rectangle or line.
    #[must_use]
    pub fn vertices(self) -> &'a [Vertex] {
        self.quads.as_flattened()
    }

    /// Returns whether there is nothing to draw.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.quads.is_empty()
    }

    /// Returns the number of indices: six for every four vertices.
    #[must_use]
    pub fn index_count(self) -> usize {
        self.quads.len() * CORNERS.len()
    }

    /// Returns the vertex indices of all triangles.
    ///
    /// A shorter index list is always a prefix of a longer one, so a renderer has to upload indices only when a frame
    /// needs more than any previous frame.
    ///
    /// ```
    /// let overlay = iprof::overlay::Overlay::new();
    /// let data = overlay.draw_data();
    /// assert_eq!(data.indices().count(), data.index_count());
    /// ```
    pub fn indices(self) -> impl Iterator<Item = u32> + use<> {
        quad_indices(self.quads.len())
    }

    /// Returns the version of the glyph atlas. It increases with every change and is never 0.
    #[must_use]
    pub fn atlas_version(self) -> u64 {
        self.image.version()
    }

    /// Returns the smallest rectangle of the glyph atlas that contains all changes since `version`.
    ///
    /// For version 0, the rectangle covers everything in use. Returns `None` if nothing has changed. Draw data refers
    /// only to texels in use.
    ///
    /// A renderer keeps a texture of [this size](DrawData::ATLAS_SIZE) with a single 8-bit channel for coverage, and
    /// samples the nearest texel. The renderer remembers the last uploaded [version](DrawData::atlas_version), and
    /// uploads newer changes before drawing.
    #[must_use]
    pub fn atlas_changes(self, version: u64) -> Option<AtlasRect<'a>> {
        self.image.changed_since(version)
    }

    #[cfg(feature = "gl")]
    pub(crate) fn quads(self) -> &'a [Quad] {
        self.quads
    }
}

/// Returns the indices of `quads` rectangles, for a renderer that uploads them once: see [`DrawData::indices`].
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
