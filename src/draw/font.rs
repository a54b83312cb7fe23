//! Turns strings, lines and rectangles into quads, and breaks text into lines that fit a width.
//!
//! Glyphs are rasterized on first use and cached in the glyph atlas, to which quads refer. A glyph may also be stored
//! blurred, for the glow behind hot text. Advances, baselines and sizes are whole pixels, and text begins on whole
//! pixels: see [`Raster`].
//!
//! All text sizes share one image, so each frame can draw reports of different sizes. When the image is full, further
//! glyphs are drawn as blocks. When at least half of the image belongs to glyphs that were unused for [`KEPT_CALLS`]
//! calls, the image is cleared. So the image is cleared at most once in that many calls, regardless of what is drawn.

use super::atlas::AtlasImage;
use super::face::{Face, FontError, Measure, Raster};
use super::list::{DrawList, whole};
use super::theme::Color;
use std::collections::HashMap;

/// The minimum text size in px.
const SMALLEST_PX: f32 = 6.0;
/// The maximum text size in px.
const LARGEST_PX: f32 = 96.0;
/// The default text size in px.
const USUAL_PX: f32 = 12.0;

/// The number of pixels that blurring adds to each side of a glyph.
const BLUR: usize = 2;
const ELLIPSIS: char = '…';
/// The placeholder for characters that are in neither font. This code point is a noncharacter, so no font contains it.
const MISSING: char = '\u{10ffff}';
/// The number of characters that are looked up by index: ASCII and Latin-1.
const LATIN: usize = 256;

/// The number of calls for which an unused glyph is kept.
const KEPT_CALLS: u64 = 256;
/// While the image is full, unused glyphs are counted once in this many calls.
const COUNTED_EVERY: u64 = 64;

/// A typeface at the current size, its cached glyphs in all sizes, and the quads drawn with it.
#[derive(Debug)]
pub(crate) struct Font {
    /// The host's font, which may lack characters that are in the vendored font.
    own: Option<Face>,
    vendored: Face,
    /// The width of a digit in whole px.
    pub(crate) advance: f32,
    /// The height of a line in whole px.
    pub(crate) line: f32,
    current: Size,
    others: Vec<Size>,
    pub(crate) image: AtlasImage,
    /// The quads added since `begin`. Their texture coordinates refer to the image.
    pub(crate) list: DrawList,
    /// The number of calls to `begin`, which the cache uses as its clock.
    calls: u64,
    is_full: bool,
}

/// The glyphs of one size.
#[derive(Debug)]
struct Size {
    px: f32,
    measure: Measure,
    latin: Box<[Glyph; LATIN]>,
    rare: HashMap<char, Rare>,
    /// The number of the last call that used this size.
    used: u64,
}

#[derive(Debug)]
struct Rare {
    glyph: Glyph,
    /// The number of the last call that drew this glyph.
    used: u64,
}

/// A glyph's positions in the image and on the line, in px.
#[derive(Clone, Copy, Debug, Default)]
struct Glyph {
    is_known: bool,
    /// Whether storing the blurred glyph has been tried.
    is_blurred: bool,
    advance: f32,
    /// The left edge relative to the pen, and the top edge relative to the top of the line.
    offset: [f32; 2],
    /// The glyph's size; 0 for spaces.
    size: [f32; 2],
    sharp: [u16; 4],
    /// The blurred glyph's texture coordinates; all 0 if there is none.
    blurred: [u16; 4],
}

const NOWHERE: [u16; 4] = [0; 4];

impl Font {
    /// Creates a font with the vendored face at `px` pixels: see [`begin`](Font::begin).
    pub(crate) fn new(px: f32) -> Font {
        let vendored = Face::vendored();
        let current = Size::new(&vendored, whole_px(px));
        Font {
            own: None,
            vendored,
            advance: current.measure.advance,
            line: current.measure.line,
            current,
            others: Vec::new(),
            image: AtlasImage::new(),
            list: DrawList::default(),
            calls: 0,
            is_full: false,
        }
    }

    /// Switches to the host's font. The vendored font still provides missing characters. Discards all quads.
    pub(crate) fn set_ttf(&mut self, ttf: &[u8]) -> Result<(), FontError> {
        let face = Face::parse(ttf)?;
        let size = Size::new(&face, self.current.px);
        self.own = Some(face);
        self.others.clear();
        self.image.start_over();
        self.list.clear();
        self.is_full = false;
        self.take(size);
        Ok(())
    }

    /// Begins a call that draws text in size `px`. The call's layouts stay valid until the next call begins.
    pub(crate) fn begin(&mut self, px: f32) {
        self.calls += 1;
        self.set_px(px);
        if self.is_full && self.calls.is_multiple_of(COUNTED_EVERY) {
            self.make_room();
        }
    }

    /// Sets the size of subsequent text to `px`, rounded and clamped to 6 to 96.
    pub(crate) fn set_px(&mut self, px: f32) {
        let px = whole_px(px);
        if px != self.current.px {
            let known = self.others.iter().position(|size| size.px == px);
            let size = match known {
                Some(at) => self.others.swap_remove(at),
                None => Size::new(self.own.as_ref().unwrap_or(&self.vendored), px),
            };
            let before = self.take(size);
            self.others.push(before);
        }
        self.current.used = self.calls;
    }

    /// Makes `size` the current size, and returns the previous size.
    fn take(&mut self, size: Size) -> Size {
        (self.advance, self.line) = (size.measure.advance, size.measure.line);
        std::mem::replace(&mut self.current, size)
    }

    #[cfg(test)]
    pub(crate) fn px(&self) -> f32 {
        self.current.px
    }

    /// Clears the image if at least half of it belongs to glyphs that are no longer used.
    #[cold]
    fn make_room(&mut self) {
        let since = self.calls.saturating_sub(KEPT_CALLS);
        let sizes = || self.others.iter().chain([&self.current]);
        let all: usize = sizes().map(|size| size.texels(0)).sum();
        let live: usize = sizes().map(|size| size.texels(since)).sum();
        if live <= all / 2 {
            self.others.retain(|size| size.used >= since);
            self.others.iter_mut().for_each(Size::forget);
            self.current.forget();
            self.image.start_over();
            self.is_full = false;
        }
    }

    #[inline]
    fn glyph(&mut self, c: char) -> Glyph {
        match self.current.latin.get(c as usize) {
            Some(glyph) if glyph.is_known => *glyph,
            Some(_) => self.rasterize(c),
            None => self.rare_glyph(c),
        }
    }

    fn rare_glyph(&mut self, c: char) -> Glyph {
        match self.current.rare.get_mut(&c) {
            Some(rare) => {
                rare.used = self.calls;
                rare.glyph
            }
            None => self.rasterize(c),
        }
    }

    #[inline]
    fn blurred_glyph(&mut self, c: char) -> Glyph {
        let glyph = self.glyph(c);
        match glyph.is_blurred {
            true => glyph,
            false => self.rasterize_blurred(c, glyph),
        }
    }

    /// Returns the font that contains `c`. The host's font takes precedence.
    fn face_of(&self, c: char) -> Option<&Face> {
        let mut faces = self.own.iter().chain([&self.vendored]);
        faces.find(|face| face.has(c))
    }

    /// Returns the glyph's pixels, or an empty box if neither font contains `c`.
    fn raster(&self, c: char) -> Option<Raster> {
        let Size { px, measure, .. } = self.current;
        match self.face_of(c) {
            Some(face) => face.rasterize(Some(c), px, measure),
            None => self.vendored.rasterize(None, px, measure),
        }
    }

    #[cold]
    fn rasterize(&mut self, c: char) -> Glyph {
        if c != MISSING && !c.is_control() && self.face_of(c).is_none() {
            return self.glyph(MISSING);
        }
        let mut glyph = Glyph {
            is_known: true,
            is_blurred: true,
            advance: self.advance,
            ..Glyph::default()
        };
        if let Some(raster) = self.raster(c).filter(|_| !c.is_control()) {
            glyph.advance = raster.advance;
            if raster.width > 0 && raster.height > 0 {
                glyph.is_blurred = false;
                glyph.offset = [raster.left, raster.top];
                glyph.size = [raster.width as f32, raster.height as f32];
                let place = self
                    .image
                    .store(&raster.coverage, raster.width, raster.height);
                self.is_full |= place.is_none();
                // If there is no room, the glyph is drawn as a block.
                glyph.sharp = place.unwrap_or(AtlasImage::white());
            }
        }
        self.remember(c, glyph);
        glyph
    }

    #[cold]
    fn rasterize_blurred(&mut self, c: char, mut glyph: Glyph) -> Glyph {
        if c != MISSING && self.face_of(c).is_none() {
            return self.blurred_glyph(MISSING);
        }
        glyph.is_blurred = true;
        if let Some(raster) = self.raster(c) {
            let (coverage, width, height) = blur(&raster.coverage, raster.width, raster.height);
            let place = self.image.store(&coverage, width, height);
            self.is_full |= place.is_none();
            glyph.blurred = place.unwrap_or(NOWHERE);
        }
        self.remember(c, glyph);
        glyph
    }

    fn remember(&mut self, c: char, glyph: Glyph) {
        match self.current.latin.get_mut(c as usize) {
            Some(slot) => *slot = glyph,
            None => {
                let used = self.calls;
                self.current.rare.insert(c, Rare { glyph, used });
            }
        }
    }

    /// Returns whether glyphs may be wider than their advance. The vendored font's glyphs never are.
    pub(crate) fn may_overhang(&self) -> bool {
        self.own.is_some()
    }

    #[inline]
    pub(crate) fn fill(&mut self, rect: [f32; 4], color: Color) {
        if rect[2] > rect[0] && rect[3] > rect[1] {
            self.list.push_quad(rect, AtlasImage::white(), color);
        }
    }

    pub(crate) fn line(&mut self, a: [f32; 2], b: [f32; 2], width: f32, color: Color) {
        let [u, v, ..] = AtlasImage::white();
        self.list.push_line(a, b, width, color, [u, v]);
    }

    /// Returns the width of `text` in whole px.
    pub(crate) fn width(&mut self, text: &str) -> f32 {
        text.chars().map(|c| self.glyph(c).advance).sum()
    }

    /// Adds text with its left edge at `x` and the top of its line at `y`, both rounded to whole px.
    ///
    /// Control characters are drawn as spaces.
    pub(crate) fn text(&mut self, x: f32, y: f32, text: &str, color: Color) {
        let (mut x, y) = (whole(x), whole(y));
        for c in text.chars() {
            let glyph = self.glyph(c);
            glyph.push(&mut self.list, [x, y], color);
            x += glyph.advance;
        }
    }

    /// Adds text between two edges. Text that does not fit is truncated on the right with an ellipsis.
    pub(crate) fn cut(&mut self, [left, right]: [f32; 2], y: f32, text: &str, color: Color) {
        let (x, y, room) = (whole(left), whole(y), right - left);
        let ellipsis = self.glyph(ELLIPSIS);
        let mut used = 0.0;
        // The number of quads and the width of the characters that leave room for the ellipsis.
        let (mut kept, mut kept_used) = (self.list.quads().len(), 0.0);
        for c in text.chars() {
            let glyph = self.glyph(c);
            if used + glyph.advance > room {
                self.list.truncate(kept);
                if kept_used + ellipsis.advance <= room {
                    ellipsis.push(&mut self.list, [x + kept_used, y], color);
                }
                return;
            }
            glyph.push(&mut self.list, [x + used, y], color);
            used += glyph.advance;
            if used + ellipsis.advance <= room {
                (kept, kept_used) = (self.list.quads().len(), used);
            }
        }
    }

    /// Adds a text's glow. Call this method before adding the text itself.
    pub(crate) fn glow(&mut self, x: f32, y: f32, text: &str, color: Color) {
        let (mut x, y) = (whole(x), whole(y));
        for c in text.chars() {
            let glyph = self.blurred_glyph(c);
            glyph.push_blurred(&mut self.list, [x, y], color);
            x += glyph.advance;
        }
    }
}

impl Size {
    fn new(face: &Face, px: f32) -> Size {
        Size {
            px,
            measure: face.measure(px),
            latin: Box::new([Glyph::default(); LATIN]),
            rare: HashMap::new(),
            used: 0,
        }
    }

    fn forget(&mut self) {
        self.latin.fill(Glyph::default());
        self.rare.clear();
    }

    /// Returns the number of texels in glyphs that were used in or after the call `since`.
    fn texels(&self, since: u64) -> usize {
        let latin = self.latin.iter().filter(|_| self.used >= since);
        let rare = self.rare.values().filter(|rare| rare.used >= since);
        let glyphs = latin.chain(rare.map(|rare| &rare.glyph));
        glyphs.map(Glyph::texels).sum()
    }
}

impl Glyph {
    #[inline]
    fn push(&self, list: &mut DrawList, [x, y]: [f32; 2], color: Color) {
        if self.size[0] > 0.0 {
            let (left, top) = (x + self.offset[0], y + self.offset[1]);
            let rect = [left, top, left + self.size[0], top + self.size[1]];
            list.push_quad(rect, self.sharp, color);
        }
    }

    fn push_blurred(&self, list: &mut DrawList, [x, y]: [f32; 2], color: Color) {
        if self.blurred != NOWHERE {
            const MORE: f32 = BLUR as f32;
            let (left, top) = (x + self.offset[0], y + self.offset[1]);
            let (right, bottom) = (left + self.size[0], top + self.size[1]);
            let rect = [left - MORE, top - MORE, right + MORE, bottom + MORE];
            list.push_quad(rect, self.blurred, color);
        }
    }

    fn texels(&self) -> usize {
        let [width, height] = self.size.map(|px| px as usize);
        let more = 2 * BLUR;
        let sharp = match self.sharp == AtlasImage::white() {
            true => 0,
            false => width * height,
        };
        let blurred = match self.blurred {
            NOWHERE => 0,
            _ => (width + more) * (height + more),
        };
        sharp + blurred
    }
}

fn whole_px(px: f32) -> f32 {
    match px.is_finite() {
        true => px.round().clamp(SMALLEST_PX, LARGEST_PX),
        false => USUAL_PX,
    }
}

/// Returns the glyph in a bold and soft form, [`BLUR`] pixels larger on each side, with its size.
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
    // A 5 × 5 tent filter. Half of its sum counts as full coverage, since strokes are thin.
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

/// Separates two parts of a title. Lines preferably break here rather than between words.
const PARTS: &str = "  ";
/// Comes after a difference and its comma. Lines don't break here, because the idle time belongs to the difference.
const IDLE_PART: &str = " idle ";

/// Returns the byte index at which the first line of `text` ends. The line is at most `width` px wide, but has at least
/// one character.
///
/// With `keeps_parts`, the line ends between two parts if possible, or else after a comma within a part. Without it, or
/// if neither place fits, the line ends at a space, or else anywhere.
pub(super) fn first_line(font: &mut Font, text: &str, width: f32, keeps_parts: bool) -> usize {
    let mut used = 0.0;
    let (mut at_part, mut at_comma, mut at_blank, mut at_character) = (0, 0, 0, 0);
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        used += font.width(&text[at..end]);
        if used > width && at_character > 0 {
            let ends = [at_part, at_comma, at_blank];
            return ends
                .into_iter()
                .find(|end| *end > 0)
                .unwrap_or(at_character);
        }
        at_character = end;
        let rest = &text[end..];
        if rest.starts_with(' ') && c != ' ' {
            at_blank = end;
            if keeps_parts && rest.starts_with(PARTS) {
                at_part = end;
            }
            if keeps_parts && c == ',' && !rest.starts_with(IDLE_PART) {
                at_comma = end;
            }
        }
    }
    text.len()
}

/// Breaks `text` into lines of at most `width` px, at spaces or, in wider words, anywhere. Calls `put` with each line
/// and its number. Returns the number of lines, at least 1.
pub(super) fn wrap<'a>(
    font: &mut Font,
    text: &'a str,
    width: f32,
    mut put: impl FnMut(&mut Font, usize, &'a str),
) -> usize {
    let (mut rest, mut lines) = (text, 0);
    while !rest.is_empty() {
        let end = first_line(font, rest, width, false);
        put(font, lines, &rest[..end]);
        rest = rest[end..].trim_start_matches(' ');
        lines += 1;
    }
    lines.max(1)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::draw::atlas;

    const WHITE: Color = [255; 4];

    fn quads(font: &mut Font, text: &str) -> DrawList {
        font.list.clear();
        font.text(0.0, 0.0, text, WHITE);
        font.list.clone()
    }

    #[test]
    fn glyphs_are_on_whole_pixels_within_their_line() {
        for px in 9..=48 {
            let mut font = Font::new(px as f32);
            font.text(10.4, 20.6, "Agjpqy|({[_ Üß…µ", WHITE);
            assert!(!font.list.quads().is_empty());
            for vertex in font.list.vertices() {
                let [x, y] = vertex.position;
                assert_eq!([x.fract(), y.fract()], [0.0, 0.0]);
                assert!((21.0..=21.0 + font.line).contains(&y), "{px}: {y}");
                assert!((9.0..=10.0 + 16.0 * font.advance).contains(&x));
            }
        }
    }

    #[test]
    fn missing_glyphs_are_visible_but_blanks_are_not() {
        let mut font = Font::new(13.0);
        let mut count = |text: &str| quads(&mut font, text).quads().len();
        assert_eq!(count("漢"), 1);
        assert_eq!(count(" \t\n "), 0);
        assert_eq!(count("a b"), 2);
    }

    #[test]
    fn sizes_are_rounded_and_clamped() {
        assert_eq!(Font::new(0.0).px(), 6.0);
        assert_eq!(Font::new(1e9).px(), 96.0);
        assert_eq!(Font::new(f32::NAN).px(), 12.0);
        assert_eq!(Font::new(11.0 * 1.25).px(), 14.0);
    }

    #[test]
    fn cut_text_ends_in_an_ellipsis() {
        let mut font = Font::new(12.0);
        let advance = font.advance;
        let whole = quads(&mut font, "abcdef");
        for (room, expected) in [(6, "abcdef"), (5, "abcd…"), (2, "a…"), (1, "…"), (0, "")] {
            font.list.clear();
            // Extra room of less than one character makes no difference.
            let right = (room as f32 + 0.9) * advance;
            font.cut([0.0, right], 0.0, "abcdef", WHITE);
            let list = font.list.clone();
            assert_eq!(list.quads(), quads(&mut font, expected).quads());
            font.cut([0.0, 1e9], 0.0, "abcdef", WHITE);
            assert!(
                font.list.quads().ends_with(whole.quads()),
                "text after a cut should be drawn normally"
            );
        }
    }

    /// Returns the texels that each quad shows, so that tests can compare the result.
    fn seen(font: &Font, list: &DrawList) -> Vec<Vec<u8>> {
        let texel =
            |part: u16, size: u16| (f64::from(part) * f64::from(size) / 65_535.0).round() as usize;
        let rows = font.image.all_rows();
        let shown = list.quads().iter().map(|quad| {
            let ([left, top], [right, bottom]) = (quad[0].uv, quad[2].uv);
            let [left, right] = [left, right].map(|x| texel(x, atlas::WIDTH));
            let [top, bottom] = [top, bottom].map(|y| texel(y, atlas::HEIGHT));
            let rows = rows[top..bottom].iter();
            rows.flat_map(|row| &row[left..right]).copied().collect()
        });
        shown.collect()
    }

    #[test]
    fn alternating_sizes_are_not_rasterized_again() {
        let mut font = Font::new(12.0);
        let text: String = (' '..='~')
            .chain('¡'..='ÿ')
            .chain("漢…µ▲".chars())
            .collect();
        let mut first = Vec::new();
        let mut filled = 0;
        for round in 0..1_000 {
            for (at, px) in [9.0, 12.0, 24.0, 33.0, 48.0].into_iter().enumerate() {
                font.begin(px);
                let list = quads(&mut font, &text);
                if round == 0 {
                    let glyphs = seen(&font, &list);
                    first.push((list, glyphs));
                } else {
                    assert_eq!(font.image.version(), filled, "{px} in {round}");
                    let (before, glyphs) = &first[at];
                    assert_eq!(list.quads(), before.quads());
                    // Layouts stay valid while the image grows.
                    assert!(round > 1 || seen(&font, &list) == *glyphs);
                }
            }
            filled = font.image.version();
        }
        assert!(!font.is_full && font.image.rows() < usize::from(atlas::HEIGHT) * 3 / 4);
    }

    /// Calls `draw` `calls` times. Returns the calls that cleared the image.
    fn emptied(font: &mut Font, calls: u64, mut draw: impl FnMut(&mut Font, u64)) -> Vec<u64> {
        let mut emptied = Vec::new();
        for call in 0..calls {
            let rows = font.image.rows();
            draw(font, call);
            if font.image.rows() < rows {
                emptied.push(call);
            }
        }
        emptied
    }

    #[test]
    fn image_full_of_used_glyphs_is_not_cleared() {
        let mut font = Font::new(96.0);
        let text: String = ('!'..='~').chain('¡'..='ÿ').collect();
        let sizes = [96.0, 95.0, 94.0, 93.0, 92.0, 91.0, 90.0];
        let mut filled = 0;
        let times = emptied(&mut font, 3_000, |font, call| {
            font.begin(sizes[call as usize % sizes.len()]);
            let count = quads(font, &text).quads().len();
            assert_eq!(
                count,
                text.chars().count(),
                "each character should be drawn, possibly as a block"
            );
            if call > 100 {
                assert_eq!(font.image.version(), filled);
            }
            filled = font.image.version();
        });
        assert!(times.is_empty(), "{times:?}");
        assert!(font.is_full);
    }

    #[test]
    fn unused_glyphs_are_evicted_but_not_too_often() {
        let mut font = Font::new(96.0);
        let text: String = ('!'..='~').chain('¡'..='ÿ').collect();
        // The size changes occasionally, as if a window were being resized.
        let times = emptied(&mut font, 40_000, |font, call| {
            font.begin(60.0 + (call / 10 % 37) as f32);
            quads(font, &text);
        });
        let apart = times.windows(2).map(|pair| pair[1] - pair[0]);
        let least = apart.clone().min().unwrap_or(u64::MAX);
        assert!(least >= KEPT_CALLS, "{times:?}");
        // After at most a few hundred calls, all glyphs are sharp again.
        for _ in 0..2 * KEPT_CALLS {
            font.begin(20.0);
            quads(&mut font, &text);
        }
        assert!(!font.is_full);
        let glyphs = quads(&mut font, &text);
        assert!(
            glyphs
                .vertices()
                .iter()
                .all(|v| v.uv != [AtlasImage::white()[0]; 2])
        );
        assert!(glyphs.quads().iter().all(|quad| quad[0].uv != quad[2].uv));
    }

    #[test]
    fn rare_characters_are_evicted_one_by_one() {
        let mut font = Font::new(48.0);
        let texels = |font: &Font| font.current.texels(font.calls.saturating_sub(KEPT_CALLS));
        font.begin(48.0);
        quads(&mut font, "abc▲");
        let kept = texels(&font);
        let boxes: String = ('─'..='╬').collect();
        quads(&mut font, &boxes);
        assert!(texels(&font) > kept);
        for _ in 0..KEPT_CALLS {
            font.begin(48.0);
            quads(&mut font, "▲");
        }
        assert!(texels(&font) > kept);
        font.begin(48.0);
        assert_eq!(texels(&font), kept);
    }

    #[test]
    fn all_missing_characters_share_one_box() {
        let mut font = Font::new(16.0);
        quads(&mut font, "漢");
        let filled = font.image.version();
        let boxes = quads(&mut font, "字ひらがな\u{1f600}\u{10ffff}");
        assert_eq!(boxes.quads().len(), 7);
        assert!(
            boxes
                .quads()
                .iter()
                .all(|quad| quad[0].uv == boxes.quads()[0][0].uv)
        );
        assert_eq!(font.image.version(), filled);
        assert_eq!(font.current.rare.len(), 1);
    }

    #[test]
    fn valid_fonts_are_accepted_and_garbage_rejected() {
        let mut font = Font::new(12.0);
        let before = quads(&mut font, "abc");
        assert!(font.set_ttf(b"no font").is_err());
        assert_eq!(quads(&mut font, "abc").quads(), before.quads());
        // The vendored font, used as if it were the host's.
        let ttf = include_bytes!("../../fonts/JetBrainsMono-Medium-subset.ttf");
        font.set_ttf(ttf).unwrap();
        assert!(font.own.is_some());
        assert_eq!(quads(&mut font, "abc").quads(), before.quads());
    }
    const VENDORED: &[u8] = include_bytes!("../../fonts/JetBrainsMono-Medium-subset.ttf");

    /// Asserts that text looks the same as with a new font, so no stale glyphs are shown.
    fn assert_as_new(font: &mut Font, px: f32, text: &str) {
        let mut new = Font::new(px);
        let wanted = quads(&mut new, text);
        let wanted = seen(&new, &wanted);
        let list = quads(font, text);
        assert_eq!(seen(font, &list), wanted, "{px} px");
    }

    #[test]
    fn new_font_applies_to_all_sizes() {
        let mut font = Font::new(96.0);
        let text: String = ('!'..='~').chain('¡'..='ÿ').collect();
        for px in [96.0, 95.0, 94.0, 93.0, 92.0, 91.0, 12.0] {
            font.begin(px);
            quads(&mut font, &text);
        }
        assert!(font.is_full);
        font.set_ttf(VENDORED).unwrap();
        assert!(!font.is_full);
        for px in [12.0, 20.0, 95.0] {
            font.begin(px);
            // Other glyphs come first, so that stale positions would show wrong glyphs.
            quads(&mut font, "filling");
            assert_as_new(&mut font, px, "abc Größe");
        }
    }

    #[test]
    fn vendored_font_provides_missing_characters() {
        // The vendored font, with a `cmap` that lacks the capital delta.
        let mut ttf = VENDORED.to_vec();
        let delta = 'Δ' as u16;
        let is_it = |at: &usize| ttf[*at..*at + 2] == delta.to_be_bytes();
        let cmap = (12..)
            .step_by(16)
            .find(|at| &ttf[*at..*at + 4] == b"cmap")
            .unwrap();
        let number = |at: usize| u32::from_be_bytes(ttf[at..at + 4].try_into().unwrap()) as usize;
        let (start, length) = (number(cmap + 8), number(cmap + 12));
        let places: Vec<usize> = (start..start + length - 1).filter(is_it).collect();
        assert!(
            places.len() >= 2,
            "start and end of the segment not found: {places:?}"
        );
        for at in places {
            ttf[at..at + 2].copy_from_slice(&(delta + 1).to_be_bytes());
        }
        let mut font = Font::new(16.0);
        font.set_ttf(&ttf).unwrap();
        assert!(!font.own.as_ref().unwrap().has('Δ'));
        assert_as_new(&mut font, 16.0, "aΔb");
    }

    #[test]
    fn sizes_in_use_survive_clearing_the_image() {
        let mut font = Font::new(96.0);
        let all: String = ('!'..='~').chain('¡'..='ÿ').collect();
        for px in 60..=96 {
            font.begin(px as f32);
            quads(&mut font, &all);
        }
        assert!(font.is_full);
        let live = [9.0, 12.0, 13.0];
        for call in 0..3 * KEPT_CALLS as usize {
            font.begin(live[call % 3]);
            quads(&mut font, "abc");
        }
        assert!(!font.is_full);
        for px in live {
            font.begin(px);
            quads(&mut font, "filling");
            assert_as_new(&mut font, px, "abc");
        }
    }

    #[test]
    fn control_characters_are_as_wide_as_a_blank() {
        let mut font = Font::new(12.0);
        assert_eq!(font.width("a\t\n\u{7f}b"), 5.0 * font.advance);
    }
}

#[cfg(all(test, not(loom)))]
mod wrap_tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_and_long_words_anywhere() {
        let mut font = Font::new(12.0);
        let mut lines = |text: &'static str, characters: usize| {
            let width = characters as f32 * font.advance;
            let mut lines = Vec::new();
            let count = wrap(&mut font, text, width, |_, at, line| {
                assert_eq!(at, lines.len());
                lines.push(line);
            });
            assert_eq!(count, lines.len().max(1));
            lines
        };
        assert_eq!(lines("one two three", 8), ["one two", "three"]);
        assert_eq!(lines("one two", 7), ["one two"]);
        assert_eq!(
            lines("hierarchical time", 5),
            ["hiera", "rchic", "al", "time"]
        );
        assert_eq!(lines("\u{fc}\u{fc}\u{fc}", 2), ["\u{fc}\u{fc}", "\u{fc}"]);
        assert_eq!(
            lines("ab", 0),
            ["a", "b"],
            "a line should have at least one character"
        );
        assert!(lines("", 5).is_empty());
    }

    #[test]
    fn titles_break_between_their_parts() {
        let mut font = Font::new(12.0);
        let mut first = |text: &'static str, characters: f32| {
            let end = first_line(&mut font, text, (characters + 0.5) * 7.0, true);
            &text[..end]
        };
        assert_eq!(font_advance(), 7.0);
        let title = "16.7 ms/frame  self time  all 3 threads";
        assert_eq!(first(title, 40.0), title);
        assert_eq!(first(title, 30.0), "16.7 ms/frame  self time");
        assert_eq!(first(title, 20.0), "16.7 ms/frame");
        assert_eq!(first(title, 9.0), "16.7");
        let frame = "frame 5812, 20 frames ago";
        assert_eq!(first(frame, 22.0), "frame 5812,");
        assert_eq!(first(frame, 9.0), "frame");
        assert_eq!(first(title, 3.0), "16.");
        let compared = "+9.66 ms, idle +7.33 vs. frames over 20 ms, mean of 3  30.1 - 20.4";
        let pair = "+9.66 ms, idle +7.33";
        assert_eq!(
            first(compared, 50.0),
            "+9.66 ms, idle +7.33 vs. frames over 20 ms,"
        );
        for width in [20.0, 25.0, 35.0, 42.0] {
            let first = first(compared, width);
            assert!(first.starts_with(pair), "{first} of {width}");
        }
    }

    fn font_advance() -> f32 {
        Font::new(12.0).advance
    }
}
