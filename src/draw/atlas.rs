//! The glyph atlas: packs the coverage of all glyphs into one image, 8 bits per texel, and tracks changed rows.
//!
//! The texture has its final size of 1 MiB from the start, which is small for a graphics card. Therefore, glyphs never
//! move, existing layouts stay valid while the image grows, and a renderer only uploads new rows. In main memory the
//! image only has the rows that are in use.
//!
//! Each change increments the image's version. A renderer remembers the version that it uploaded, so the image doesn't
//! have to track renderers.
//!
//! Glyphs are packed on shelves that are only slightly taller than their glyphs, so that alternating text sizes waste
//! no more space than a single size.

/// The texture's size in texels, which every GL supports. Texture coordinates are in units of 1/65,535, in which half a
/// texel is an integer to within 1/32.
pub(crate) const WIDTH: u16 = 512;
pub(crate) const HEIGHT: u16 = 2048;
pub(crate) const SIZE: [u32; 2] = [WIDTH as u32, HEIGHT as u32];

/// Shelf heights are rounded up to a multiple of this, so that glyphs of similar heights fit.
const ROUNDED_TO: usize = 4;

/// The image, from the top of the texture to the last row in use.
#[derive(Debug)]
pub(crate) struct AtlasImage {
    /// The coverage values, [`WIDTH`] per row, rows from the top.
    pixels: Vec<u8>,
    shelves: Vec<Shelf>,
    /// The version in which each row last changed.
    changed: Vec<u64>,
    /// The number of changes; never 0.
    version: u64,
}

#[derive(Debug)]
struct Shelf {
    top: usize,
    height: usize,
    /// The left edge of the free space.
    free: usize,
}

impl AtlasImage {
    /// Creates an image that only contains a square of full coverage, for [`white`](AtlasImage::white).
    pub(crate) fn new() -> AtlasImage {
        let mut image = AtlasImage {
            pixels: Vec::new(),
            shelves: Vec::new(),
            changed: Vec::new(),
            version: 0,
        };
        image.store(&[255; 9], 3, 3);
        image
    }

    /// Returns texture coordinates of a point with full coverage.
    pub(crate) fn white() -> [u16; 4] {
        // The square is stored first. The point is one texel from the square's left and top edges.
        let [u, v] = [part_of(1, WIDTH), part_of(1, HEIGHT)];
        [u, v, u, v]
    }

    pub(crate) fn start_over(&mut self) {
        self.pixels.clear();
        self.shelves.clear();
        self.changed.clear();
        self.store(&[255; 9], 3, 3);
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Returns the smallest rectangle that contains all changes since `version`, or `None` if nothing has changed.
    pub(crate) fn changed_since(&self, version: u64) -> Option<AtlasRect<'_>> {
        let is_new = |row: &u64| *row > version;
        let first = self.changed.iter().position(is_new)?;
        let last = self.changed.iter().rposition(is_new)?;
        let width = usize::from(WIDTH);
        Some(AtlasRect {
            x: 0,
            y: first as u32,
            width: u32::from(WIDTH),
            height: (last + 1 - first) as u32,
            pixels: &self.pixels[first * width..(last + 1) * width],
        })
    }

    pub(crate) fn rows(&self) -> usize {
        self.pixels.len() / usize::from(WIDTH)
    }

    #[cfg(test)]
    pub(crate) fn all_rows(&self) -> Vec<&[u8]> {
        self.pixels.chunks_exact(usize::from(WIDTH)).collect()
    }

    /// Stores `width` × `height` coverage values, or returns `None` if there is no room.
    ///
    /// Returns the left, top, right and bottom edges of the stored rectangle, from 0 at the texture's left or top to
    /// 65,535 at its right or bottom.
    pub(crate) fn store(&mut self, pixels: &[u8], width: usize, height: usize) -> Option<[u16; 4]> {
        let (x, y) = self.place(width, height)?;
        for (row, line) in pixels.chunks_exact(width).enumerate() {
            let at = (y + row) * usize::from(WIDTH) + x;
            self.pixels[at..at + width].copy_from_slice(line);
        }
        let end = y + height;
        self.version += 1;
        self.changed.resize(self.rows(), self.version);
        self.changed[y..end].fill(self.version);
        let across = |x| part_of(x, WIDTH);
        let down = |y| part_of(y, HEIGHT);
        Some([across(x), down(y), across(x + width), down(end)])
    }

    /// Reserves a rectangle of this size, with a free texel to the right and below. Returns its left and top edges.
    fn place(&mut self, width: usize, height: usize) -> Option<(usize, usize)> {
        let end = usize::from(WIDTH);
        let tall = height.next_multiple_of(ROUNDED_TO);
        let top = self.rows();
        let has_room = width <= end && top + tall < usize::from(HEIGHT);
        let fits = |shelf: &&mut Shelf| {
            // While there is room, a new shelf is better than a shelf that is too tall.
            let is_low = shelf.height <= tall || !has_room;
            is_low && shelf.height >= height && shelf.free + width <= end
        };
        let shelves = self.shelves.iter_mut();
        let shelf = match shelves.filter(fits).min_by_key(|shelf| shelf.height) {
            Some(shelf) => shelf,
            None if has_room => {
                self.pixels.resize((top + tall + 1) * end, 0);
                self.shelves.push(Shelf {
                    top,
                    height: tall,
                    free: 0,
                });
                self.shelves.last_mut()?
            }
            None => return None,
        };
        let at = (shelf.free, shelf.top);
        shelf.free += width + 1;
        Some(at)
    }
}

/// A rectangle of the glyph atlas with its coverage values, row by row from the top, without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AtlasRect<'a> {
    /// The left edge in texels.
    pub x: u32,
    /// The top edge in texels.
    pub y: u32,
    /// The width in texels, at least 1.
    pub width: u32,
    /// The height in texels, at least 1.
    pub height: u32,
    /// The `width * height` coverage values: 0 is transparent, 255 opaque.
    pub pixels: &'a [u8],
}

/// Returns a texture coordinate in units of 1/65,535.
fn part_of(at: usize, size: u16) -> u16 {
    let size = usize::from(size);
    ((at * 65_535 + size / 2) / size) as u16
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Returns the rectangle in texels, and asserts that its edges lie on texels.
    fn texels([left, top, right, bottom]: [u16; 4]) -> [usize; 4] {
        let texel = |part: u16, size: u16| {
            let at = f64::from(part) * f64::from(size) / 65_535.0;
            assert!(
                (at - at.round()).abs() < 0.02,
                "edge is between texels: {at}"
            );
            at.round() as usize
        };
        let [left, right] = [left, right].map(|x| texel(x, WIDTH));
        let [top, bottom] = [top, bottom].map(|y| texel(y, HEIGHT));
        [left, top, right, bottom]
    }

    #[test]
    fn glyphs_stay_in_place_while_the_image_fills() {
        let mut image = AtlasImage::new();
        let mut stored = Vec::new();
        let mut area = 0;
        for at in 0.. {
            let (width, height) = (3 + at * 7 % 29, 4 + at * 5 % 41);
            let value = (at % 250) as u8 + 1;
            let Some(place) = image.store(&vec![value; width * height], width, height) else {
                break;
            };
            area += width * height;
            stored.push((place, value, width, height));
        }
        let all = usize::from(WIDTH) * usize::from(HEIGHT);
        assert!(area > all * 3 / 4, "{area} of {all} texels are used");
        let mut covered = 0;
        for (place, value, width, height) in stored {
            let [left, top, right, bottom] = texels(place);
            assert_eq!((right - left, bottom - top), (width, height));
            for row in top..bottom {
                let row = &image.pixels[row * usize::from(WIDTH)..][..usize::from(WIDTH)];
                // Drivers may round differently, so the texels to the right and below must be empty.
                assert!(row.get(right).is_none_or(|texel| *texel == 0));
                let row = &row[left..right];
                assert!(row.iter().all(|texel| *texel == value));
                covered += row.len();
            }
            let below = &image.pixels[bottom * usize::from(WIDTH)..][left..right];
            assert!(below.iter().all(|texel| *texel == 0));
        }
        let used = image.pixels.iter().filter(|texel| **texel > 0).count();
        assert_eq!(covered + 9, used);
    }

    /// Returns the rows that have changed since `version`.
    fn changed(image: &AtlasImage, version: u64) -> Option<std::ops::Range<usize>> {
        let rect = image.changed_since(version)?;
        let (top, height) = (rect.y as usize, rect.height as usize);
        assert_eq!((rect.x, rect.width), (0, u32::from(WIDTH)));
        let width = usize::from(WIDTH);
        assert_eq!(rect.pixels, &image.pixels[top * width..][..height * width]);
        Some(top..top + height)
    }

    #[test]
    fn changed_since_returns_only_changed_rows() {
        let mut image = AtlasImage::new();
        assert_eq!(changed(&image, 0), Some(0..5));
        let first = image.version;
        assert_eq!(changed(&image, first), None);
        let [_, top, ..] = texels(image.store(&[1; 100], 10, 10).unwrap());
        let [_, low, _, end] = texels(image.store(&[1; 400], 20, 20).unwrap());
        assert_eq!(image.rows(), end + 1);
        assert_eq!(changed(&image, first), Some(top..end + 1));
        let second = image.version;
        let [_, again, ..] = texels(image.store(&[1; 90], 10, 9).unwrap());
        assert_eq!(again, top, "the glyph should share the first glyph's shelf");
        assert_eq!(changed(&image, second), Some(top..top + 9));
        // A renderer with an older version needs more rows.
        assert_eq!(changed(&image, first), Some(top..end + 1));
        assert!(low > top);
    }

    #[test]
    fn cleared_image_is_uploaded_from_its_first_row() {
        let mut image = AtlasImage::new();
        image.store(&[1; 400], 20, 20);
        let before = image.version;
        image.start_over();
        assert_eq!((changed(&image, before), image.rows()), (Some(0..5), 5));
    }

    #[test]
    fn white_has_full_coverage() {
        let image = AtlasImage::new();
        let [left, top, ..] = texels(AtlasImage::white());
        // Drivers round differently, so the texels on both sides of the point must have full coverage.
        for (x, y) in [(left - 1, top - 1), (left, top), (left + 1, top + 1)] {
            assert_eq!(image.pixels[y * usize::from(WIDTH) + x], 255);
        }
    }
}
