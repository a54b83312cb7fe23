//! Fuzz target: loads fonts and draws text with them.

use super::bytes::Bytes;
use crate::draw::Font;

const VENDORED: &[u8] = include_bytes!("../../../fonts/JetBrainsMono-Medium-subset.ttf");
const TEXT: &str = "Ag0(…) Çüß±×漢\u{0}\u{10ffff}";
const SIZES: [f32; 4] = [6.0, 12.0, 23.0, 96.0];

/// Loads a font and draws with it. If the first byte is odd, the remaining bytes are the font. If it is even, they
/// describe changes to the vendored font.
///
/// # Panics
///
/// Panics if something is drawn outside of its text line.
pub fn font(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let first = bytes.byte();
    let ttf = match first & 1 {
        1 => bytes.rest().to_vec(),
        _ => changed(&mut bytes),
    };
    let mut font = Font::new(SIZES[usize::from(first >> 1) % SIZES.len()]);
    let own = font.line;
    if font.set_ttf(&ttf).is_err() {
        assert_eq!(
            font.line, own,
            "a rejected font should leave the current font unchanged"
        );
    }
    for px in SIZES {
        font.begin(px);
        let width = font.width(TEXT);
        assert!(width.is_finite() && width >= 0.0);
        assert!(font.line >= 1.0 && font.line <= 4.0 * px);
        assert!(font.advance >= 1.0 && font.advance <= 4.0 * px);
        font.list.clear();
        font.text(10.0, 20.0, TEXT, [255; 4]);
        let bottom = 20.0 + font.line;
        for vertex in font.list.quads().iter().flatten() {
            let [x, y] = vertex.position;
            assert!(x.is_finite() && (20.0..=bottom).contains(&y), "{x} {y}");
        }
        font.cut([0.0, width / 2.0], 20.0, TEXT, [255; 4]);
    }
}

/// Overwrites bytes of the vendored font as the input specifies. Half of the changes are near the front, in the table
/// headers.
fn changed(bytes: &mut Bytes) -> Vec<u8> {
    let mut ttf = VENDORED.to_vec();
    while !bytes.is_empty() {
        let [high, low, value] = [bytes.byte(), bytes.byte(), bytes.byte()];
        let place = usize::from(u16::from_be_bytes([high, low]));
        let end = match place & 1 {
            0 => 2_000,
            _ => ttf.len(),
        };
        let at = (place >> 1) % end;
        ttf[at] = value;
    }
    ttf
}
