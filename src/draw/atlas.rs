/// Coverage of all glyphs in one image, 8 bits a texel, as the painter uploads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AtlasImage {
    /// Width in texels.
    pub(crate) width: u16,
    /// Height in texels.
    pub(crate) height: u16,
    /// `width * height` coverages, rows from the top, no padding.
    pub(crate) pixels: Vec<u8>,
    /// Goes up whenever the other fields change; the painter uploads only then.
    pub(crate) revision: u32,
}
