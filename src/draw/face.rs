//! Parses a TrueType or OpenType font, either the host's or the vendored one, measures it, and rasterizes single
//! glyphs.

use std::fmt;

const TTF: &[u8] = include_bytes!("../../fonts/JetBrainsMono-Medium-subset.ttf");

/// The line height as a multiple of the font size. The font's own line height is rather tight.
const LEADING: f32 = 1.28;
/// Glyphs, advances and line heights larger than the font size times this factor are invalid.
const LARGEST: f32 = 4.0;

/// The reason why a font was rejected. The overlay keeps its previous font.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FontError {
    /// The parser's description of the problem.
    pub reason: &'static str,
}

impl fmt::Display for FontError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = self.reason.trim_end_matches('.');
        write!(f, "not a valid TrueType or OpenType font: {reason}")
    }
}

impl std::error::Error for FontError {}

#[derive(Debug)]
pub(crate) struct Face {
    outlines: fontdue::Font,
}

/// A font's measures at one size, in whole px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measure {
    /// The width of a digit.
    pub(crate) advance: f32,
    /// The height of a line.
    pub(crate) line: f32,
    /// The distance from the top of a line to its baseline.
    pub(crate) baseline: f32,
}

/// A rasterized glyph.
///
/// Advances are rounded to whole pixels. There is no hinting, so text is crisp only if every glyph is drawn on the
/// pixel grid that it was rasterized for.
#[derive(Debug)]
pub(crate) struct Raster {
    pub(crate) advance: f32,
    /// The left edge, relative to the pen.
    pub(crate) left: f32,
    /// The top edge, relative to the top of the line.
    pub(crate) top: f32,
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// The coverage values, in rows from the top without padding.
    pub(crate) coverage: Vec<u8>,
}

impl Face {
    /// Returns the vendored font, which is in `fonts/`.
    pub(crate) fn vendored() -> Face {
        Face::parse(TTF).expect("the vendored font should be valid")
    }

    pub(crate) fn parse(ttf: &[u8]) -> Result<Face, FontError> {
        let settings = fontdue::FontSettings {
            // Ligatures and other substitutions are not used.
            load_substitutions: false,
            ..fontdue::FontSettings::default()
        };
        let outlines = fontdue::Font::from_bytes(ttf, settings);
        let outlines = outlines.map_err(|reason| FontError { reason })?;
        let units = outlines.units_per_em();
        if !(units.is_finite() && units > 0.0) {
            let reason = "its unitsPerEm is not a positive number";
            return Err(FontError { reason });
        }
        if outlines.chars().is_empty() {
            let reason = "it maps no characters to glyphs";
            return Err(FontError { reason });
        }
        Ok(Face { outlines })
    }

    pub(crate) fn has(&self, c: char) -> bool {
        self.outlines.has_glyph(c)
    }

    /// Measures the font at a size of `px` pixels, from 6 to 96.
    pub(crate) fn measure(&self, px: f32) -> Measure {
        let widths = ('0'..='9').map(|digit| self.outlines.metrics(digit, px).advance_width);
        let metrics = self.outlines.horizontal_line_metrics(px);
        let sound = metrics.filter(|m| {
            let height = m.ascent - m.descent;
            m.ascent > 0.0 && height >= 0.5 * px && height <= LARGEST * px
        });
        let ascent = sound.map_or(px, |m| m.ascent);
        let height = sound.map_or(1.25 * px, |m| m.ascent - m.descent);
        let line = (px * LEADING).max(height * 0.95).round();
        Measure {
            advance: whole_advance(widths.fold(0.0, f32::max), px).max(1.0),
            line,
            baseline: ((line - height) * 0.5 + ascent).round(),
        }
    }

    /// Rasterizes `c`, or the glyph for missing characters. Parts that extend beyond the line are cut off, so that
    /// nothing is drawn outside a report. Returns `None` if the glyph is too large to be valid.
    pub(crate) fn rasterize(&self, c: Option<char>, px: f32, measure: Measure) -> Option<Raster> {
        let index = c.map_or(0, |c| self.outlines.lookup_glyph_index(c));
        let metrics = self.outlines.metrics_indexed(index, px);
        let most = (LARGEST * px) as usize;
        if metrics.width > most || metrics.height > most {
            return None;
        }
        let (metrics, mut coverage) = self.outlines.rasterize_indexed(index, px);
        let (width, height) = (metrics.width, metrics.height);
        let top = measure.baseline - (height as f32 + metrics.ymin as f32);
        let over = ((-top).max(0.0) as usize).min(height);
        let end = ((measure.line - top).max(0.0) as usize).clamp(over, height);
        coverage.truncate(end * width);
        coverage.drain(..over * width);
        Some(Raster {
            advance: whole_advance(metrics.advance_width, px),
            left: metrics.xmin as f32,
            top: top + over as f32,
            width,
            height: end - over,
            coverage,
        })
    }
}

fn whole_advance(width: f32, px: f32) -> f32 {
    // NaN becomes 0.
    width.max(0.0).min(LARGEST * px).round()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn invalid_fonts_are_rejected_with_a_reason() {
        let mut cut = TTF.to_vec();
        cut.truncate(200);
        for bytes in [&b""[..], b"garbage", &[0; 4096], &cut] {
            let error = Face::parse(bytes).unwrap_err();
            assert!(!error.reason.is_empty());
            assert!(
                error
                    .to_string()
                    .contains("not a valid TrueType or OpenType font: ")
            );
        }
    }

    #[test]
    fn damaged_font_never_panics() {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random as usize
        };
        let mut taken = 0;
        for round in 0..300 {
            let mut bytes = TTF.to_vec();
            for _ in 0..=round % 20 {
                // Half of the changes affect the table directory and headers.
                let end = if next() % 2 == 0 { 2_000 } else { bytes.len() };
                let at = next() % end;
                bytes[at] = next() as u8;
            }
            let Ok(face) = Face::parse(&bytes) else {
                continue;
            };
            taken += 1;
            for px in [6.0, 12.0, 96.0] {
                let measure = face.measure(px);
                assert!(measure.advance >= 1.0 && measure.advance <= LARGEST * px);
                assert!(measure.line >= px && measure.line <= LARGEST * px);
                for c in "Ag0…".chars().map(Some).chain([None]) {
                    let Some(raster) = face.rasterize(c, px, measure) else {
                        continue;
                    };
                    assert_eq!(raster.coverage.len(), raster.width * raster.height);
                    assert!(raster.height as f32 <= measure.line);
                }
            }
        }
        assert!(taken > 50, "only {taken} damaged fonts were accepted");
    }

    /// Some fonts have letters that are taller than the line height that the font declares.
    #[test]
    fn glyphs_are_clipped_to_their_line() {
        let face = Face::vendored();
        let usual = face.measure(24.0);
        let whole = face.rasterize(Some('Ç'), 24.0, usual).unwrap();
        // The top of a `Ç` is a few pixels below the top of its line, and its cedilla is below the baseline.
        let low = Measure {
            line: usual.baseline - 6.0,
            baseline: usual.baseline - 8.0,
            ..usual
        };
        let cut = face.rasterize(Some('Ç'), 24.0, low).unwrap();
        let over = (8.0 - whole.top) as usize;
        assert!(over > 0 && cut.top == 0.0, "{over}, {cut:?}");
        assert_eq!(cut.height as f32, low.line);
        let rows = over * whole.width..(over + cut.height) * whole.width;
        assert_eq!(cut.coverage, whole.coverage[rows]);
    }

    #[test]
    fn vendored_font_has_all_overlay_characters() {
        let face = Face::vendored();
        let all = (' '..='~').chain('\u{a0}'..='ÿ');
        for c in all.chain("µμσΔ±×·…–—≤≥←↑→↓▲▸▼▾".chars()) {
            assert!(face.has(c), "{c}");
        }
        assert!(!face.has('漢'));
    }
}
