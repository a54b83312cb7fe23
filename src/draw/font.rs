//! Glyphs: rasterised when first used, at one size, into one image.
//!
//! The font has one advance for all glyphs. It is rounded to whole pixels, and so are baselines:
//! there is no hinting, so text is crisp only if every glyph lies on the pixels it was rasterised
//! for. Each glyph is there twice, once as it is and once blurred, for the glow behind hot text.

use super::list::DrawList;
use super::{AtlasImage, palette::Color};
use std::collections::HashMap;

const TTF: &[u8] = include_bytes!("../../fonts/JetBrainsMono-Medium-subset.ttf");

/// Pixels by which a blurred glyph is larger on each side.
const BLUR: usize = 2;
/// A line is this much higher than the font's own measure, which leaves little room.
const LEADING: f32 = 1.28;
const ELLIPSIS: &str = "…";
/// Height of the image at first; it doubles when it is full.
const FIRST_HEIGHT: u16 = 128;
const WIDTH: u16 = 512;
/// What a GL of any kind can hold.
const MAX_HEIGHT: u16 = 2048;

/// A font at one size.
#[derive(Debug)]
pub(crate) struct Font {
    font: fontdue::Font,
    px: f32,
    /// Width of a character in px, whole.
    pub(crate) advance: f32,
    /// Height of a line in px, whole.
    pub(crate) line: f32,
    /// From the top of a line to its baseline, in px, whole.
    baseline: f32,
    glyphs: HashMap<char, Glyph>,
    ascii: [Glyph; 128],
    pub(crate) image: AtlasImage,
    /// Where the next glyph goes: left and top edge of the free part of the current shelf.
    pen: (usize, usize),
    /// Height of the current shelf.
    shelf: usize,
    white: [u16; 4],
}

/// Where a glyph is in the image, and where it goes on the line; in px.
#[derive(Clone, Copy, Debug, Default)]
struct Glyph {
    known: bool,
    /// Left edge from the pen, top edge from the top of the line.
    offset: [f32; 2],
    size: [f32; 2],
    /// Empty for blanks.
    sharp: [u16; 4],
    blurred: [u16; 4],
}

impl Font {
    /// The vendored font at `px` pixels, clamped to 6 to 96.
    pub(crate) fn new(px: f32) -> Font {
        let px = if px.is_finite() {
            px.clamp(6.0, 96.0)
        } else {
            12.0
        };
        let font = fontdue::Font::from_bytes(TTF, fontdue::FontSettings::default())
            .expect("the vendored font is a font: a test parses it");
        let metrics = font.horizontal_line_metrics(px);
        let ascent = metrics.map_or(px, |m| m.ascent);
        let height = metrics.map_or(px, |m| m.ascent - m.descent);
        let line = (px * LEADING).max(height * 0.95).round();
        let mut font = Font {
            advance: font.metrics('M', px).advance_width.round().max(1.0),
            line,
            baseline: ((line - height) * 0.5 + ascent).round(),
            font,
            px,
            glyphs: HashMap::new(),
            ascii: [Glyph::default(); 128],
            image: AtlasImage::default(),
            pen: (0, 0),
            shelf: 0,
            white: [0; 4],
        };
        font.start_image(FIRST_HEIGHT);
        font
    }

    /// The same font at another size, for the texture that `before` was uploaded to.
    pub(crate) fn following(before: &Font, px: f32) -> Font {
        let mut font = Font::new(px);
        font.image.revision = before.image.revision + 1;
        font
    }

    pub(crate) fn px(&self) -> f32 {
        self.px
    }

    /// Empties the image; everything is rasterised anew when it is used.
    fn start_image(&mut self, height: u16) {
        let pixels = vec![0; usize::from(WIDTH) * usize::from(height)];
        let revision = self.image.revision + 1;
        self.image = AtlasImage {
            width: WIDTH,
            height,
            pixels,
            revision,
        };
        self.glyphs.clear();
        self.ascii = [Glyph::default(); 128];
        (self.pen, self.shelf) = ((0, 0), 0);
        // A square of full coverage for rectangles, read at its centre.
        let (x, y) = self.place(3, 3).unwrap_or((0, 0));
        for row in y..y + 3 {
            self.image.pixels[row * usize::from(WIDTH)..][x..x + 3].fill(255);
        }
        let [u, v] = [
            u16_of(x as f32 + 1.5, WIDTH),
            u16_of(y as f32 + 1.5, height),
        ];
        self.white = [u, v, u, v];
    }

    /// Room for an image of that size, with a free pixel around it.
    fn place(&mut self, width: usize, height: usize) -> Option<(usize, usize)> {
        if self.pen.0 + width + 1 > usize::from(WIDTH) {
            self.pen = (0, self.pen.1 + self.shelf + 1);
            self.shelf = 0;
        }
        let fits = self.pen.0 + width < usize::from(WIDTH)
            && self.pen.1 + height < usize::from(self.image.height);
        fits.then(|| {
            let at = self.pen;
            self.pen.0 += width + 1;
            self.shelf = self.shelf.max(height);
            at
        })
    }

    /// Lays out with `layout` until the image holds all that it uses. What was laid out before the
    /// image grew refers to places that are no longer the same.
    pub(crate) fn settle(
        &mut self,
        list: &mut DrawList,
        mut layout: impl FnMut(&mut Font, &mut DrawList),
    ) {
        loop {
            let height = self.image.height;
            list.clear();
            layout(self, list);
            if self.image.height == height {
                return;
            }
        }
    }

    fn glyph(&mut self, c: char) -> Glyph {
        let known = match self.ascii.get(c as usize) {
            Some(glyph) => *glyph,
            None => self.glyphs.get(&c).copied().unwrap_or_default(),
        };
        if known.known {
            known
        } else {
            self.rasterise(c)
        }
    }

    #[cold]
    fn rasterise(&mut self, c: char) -> Glyph {
        let (metrics, coverage) = self.font.rasterize(c, self.px);
        let (width, height) = (metrics.width, metrics.height);
        let mut glyph = Glyph {
            known: true,
            offset: [
                metrics.xmin as f32,
                self.baseline - (metrics.height as f32 + metrics.ymin as f32),
            ],
            size: [width as f32, height as f32],
            ..Glyph::default()
        };
        if width > 0 && height > 0 {
            let (blurred, wide, high) = blur(&coverage, width, height);
            let places = self.store(&coverage, width, height);
            let Some((sharp, blurred)) =
                places.and_then(|sharp| Some((sharp, self.store(&blurred, wide, high)?)))
            else {
                return self.grow(c);
            };
            (glyph.sharp, glyph.blurred) = (sharp, blurred);
            self.image.revision += 1;
        }
        self.remember(c, glyph);
        glyph
    }

    fn remember(&mut self, c: char, glyph: Glyph) {
        match self.ascii.get_mut(c as usize) {
            Some(slot) => *slot = glyph,
            None => drop(self.glyphs.insert(c, glyph)),
        }
    }

    /// A larger image, or, if it is as large as it may be, the character is left out.
    fn grow(&mut self, c: char) -> Glyph {
        if self.image.height >= MAX_HEIGHT {
            let blank = Glyph {
                known: true,
                ..Glyph::default()
            };
            self.remember(c, blank);
            return blank;
        }
        self.start_image(self.image.height * 2);
        self.rasterise(c)
    }

    fn store(&mut self, pixels: &[u8], width: usize, height: usize) -> Option<[u16; 4]> {
        let (x, y) = self.place(width, height)?;
        for (row, line) in pixels.chunks_exact(width).enumerate() {
            self.image.pixels[(y + row) * usize::from(WIDTH)..][x..x + width].copy_from_slice(line);
        }
        let across = |x: usize| u16_of(x as f32, WIDTH);
        let down = |y: usize| u16_of(y as f32, self.image.height);
        Some([across(x), down(y), across(x + width), down(y + height)])
    }

    /// Adds a rectangle of one colour.
    pub(crate) fn fill(&self, list: &mut DrawList, rect: [f32; 4], color: Color) {
        if rect[2] > rect[0] && rect[3] > rect[1] {
            list.push_quad(rect, self.white, color);
        }
    }

    /// Adds a line of one colour, `width` px across.
    pub(crate) fn line(
        &self,
        list: &mut DrawList,
        a: [f32; 2],
        b: [f32; 2],
        width: f32,
        color: Color,
    ) {
        list.push_line(a, b, width, color, [self.white[0], self.white[1]]);
    }

    /// Adds text with its left edge at `x` and the top of its line at `y`, both in px and rounded
    /// to whole ones. Control characters are blanks.
    pub(crate) fn text(&mut self, list: &mut DrawList, x: f32, y: f32, text: &str, color: Color) {
        self.run(list, x, y, text, color, false);
    }

    /// Text between two edges: what would reach over the right one is cut, with an ellipsis.
    pub(crate) fn cut(
        &mut self,
        list: &mut DrawList,
        [left, right]: [f32; 2],
        y: f32,
        text: &str,
        color: Color,
    ) {
        let room = ((right - left) / self.advance).floor().max(0.0) as usize;
        let fits = text.chars().nth(room).is_none();
        if fits {
            self.text(list, left, y, text, color);
        } else if room > 0 {
            let end = text.char_indices().nth(room - 1).map_or(0, |(at, _)| at);
            self.text(list, left, y, &text[..end], color);
            let x = left + (room - 1) as f32 * self.advance;
            self.text(list, x, y, ELLIPSIS, color);
        }
    }

    /// The glow of the same text; comes before it.
    pub(crate) fn glow(&mut self, list: &mut DrawList, x: f32, y: f32, text: &str, color: Color) {
        self.run(list, x, y, text, color, true);
    }

    fn run(
        &mut self,
        list: &mut DrawList,
        x: f32,
        y: f32,
        text: &str,
        color: Color,
        blurred: bool,
    ) {
        let (mut x, y) = (x.round(), y.round());
        for c in text.chars() {
            if !(c == ' ' || c.is_control()) {
                let glyph = self.glyph(c);
                let (uv, more) = if blurred {
                    (glyph.blurred, BLUR as f32)
                } else {
                    (glyph.sharp, 0.0)
                };
                if glyph.size[0] > 0.0 {
                    let left = x + glyph.offset[0] - more;
                    let top = y + glyph.offset[1] - more;
                    let right = left + glyph.size[0] + 2.0 * more;
                    let bottom = top + glyph.size[1] + 2.0 * more;
                    list.push_quad([left, top, right, bottom], uv, color);
                }
            }
            x += self.advance;
        }
    }
}

/// A coordinate of the image as the painter wants it.
fn u16_of(at: f32, size: u16) -> u16 {
    (at * 65535.0 / f32::from(size) + 0.5) as u16
}

/// The glyph made bold and soft, [`BLUR`] pixels larger on each side; with its size.
fn blur(coverage: &[u8], width: usize, height: usize) -> (Vec<u8>, usize, usize) {
    let (wide, high) = (width + 2 * BLUR, height + 2 * BLUR);
    let at = |x: isize, y: isize| {
        let inside = (0..width as isize).contains(&x) && (0..height as isize).contains(&y);
        if inside {
            u32::from(coverage[y as usize * width + x as usize])
        } else {
            0
        }
    };
    // A tent of 5 x 5; half its sum is enough for full coverage, since strokes are thin.
    const TENT: [u32; 5] = [1, 2, 3, 2, 1];
    let mut out = Vec::with_capacity(wide * high);
    for y in 0..high as isize {
        for x in 0..wide as isize {
            let mut sum = 0;
            for (dy, wy) in TENT.iter().enumerate() {
                for (dx, wx) in TENT.iter().enumerate() {
                    let (sx, sy) = (x + dx as isize - 4, y + dy as isize - 4);
                    sum += at(sx, sy) * wx * wy;
                }
            }
            out.push((sum * 2 / 81).min(255) as u8);
        }
    }
    (out, wide, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE: Color = [255; 4];

    #[test]
    fn glyphs_lie_on_whole_pixels_and_inside_their_line() {
        for px in [9.0, 11.0, 12.0, 13.0, 16.0, 24.0, 48.0] {
            let mut font = Font::new(px);
            let mut list = DrawList::default();
            font.settle(&mut list, |font, list| {
                font.text(list, 10.4, 20.6, "Agjpqy|({[_ Üß…µ", WHITE);
            });
            assert!(!list.vertices().is_empty());
            for vertex in list.vertices() {
                let [x, y] = vertex.position;
                assert_eq!([x.fract(), y.fract()], [0.0, 0.0]);
                assert!(
                    (20.0..=21.0 + font.line + 1.0).contains(&y),
                    "{px}: {y} of {}",
                    font.line
                );
                assert!((9.0..=10.0 + 16.0 * font.advance).contains(&x));
            }
        }
    }

    #[test]
    fn the_image_grows_and_holds_every_glyph_of_the_list() {
        let mut font = Font::new(48.0);
        let all: String = (' '..='~').chain('¡'..='ÿ').collect();
        let mut list = DrawList::default();
        font.settle(&mut list, |font, list| {
            font.text(list, 0.0, 0.0, &all, WHITE)
        });
        assert!(font.image.height > FIRST_HEIGHT);
        let revision = font.image.revision;
        let mut again = DrawList::default();
        font.settle(&mut again, |font, list| {
            font.text(list, 0.0, 0.0, &all, WHITE)
        });
        assert_eq!(font.image.revision, revision, "nothing is rasterised twice");
        assert_eq!(list.vertices(), again.vertices());
    }

    #[test]
    fn a_missing_glyph_is_visible_and_blanks_are_not() {
        let mut font = Font::new(13.0);
        let mut count = |text: &str| {
            let mut list = DrawList::default();
            font.settle(&mut list, |font, list| {
                font.text(list, 0.0, 0.0, text, WHITE)
            });
            list.vertices().len() / 6
        };
        assert_eq!(count("漢"), 1);
        assert_eq!(count(" \t\n "), 0);
        assert_eq!(count("a b"), 2);
    }

    #[test]
    fn any_size_is_clamped_to_one_that_can_be_read() {
        assert_eq!(Font::new(0.0).px(), 6.0);
        assert_eq!(Font::new(1e9).px(), 96.0);
        assert_eq!(Font::new(f32::NAN).px(), 12.0);
    }
}
