//! Texels in the tested formats: their conversion to and from the numbers that the target blends, and each format's
//! step size.

use super::ideal::{encoded, linear};
use wgpu::TextureFormat;

/// Returns whether a target with this format blends linear light.
pub(crate) fn is_linear(format: TextureFormat) -> bool {
    format.is_srgb() || format == TextureFormat::Rgba16Float
}

fn is_bgra(format: TextureFormat) -> bool {
    format.remove_srgb_suffix() == TextureFormat::Bgra8Unorm
}

/// Returns the bytes of an opaque texel for an sRGB color with channels from 0 to 1.
pub(crate) fn write(format: TextureFormat, color: [f64; 3]) -> Vec<u8> {
    match format {
        TextureFormat::Rgb10a2Unorm => {
            let [r, g, b] = color.map(|channel| (channel * 1_023.0).round() as u32);
            (r | g << 10 | b << 20 | 3 << 30).to_le_bytes().to_vec()
        }
        TextureFormat::Rgba16Float => {
            let [r, g, b] = color.map(|channel| to_half(linear(channel)));
            [r, g, b, to_half(1.0)].map(u16::to_le_bytes).concat()
        }
        _ => {
            let [r, g, b] = color.map(|channel| (channel * 255.0).round() as u8);
            match is_bgra(format) {
                true => vec![b, g, r, 255],
                false => vec![r, g, b, 255],
            }
        }
    }
}

/// Converts a texel's bytes to the numbers that the target blends and the texel's opacity.
pub(crate) fn read(format: TextureFormat, texel: &[u8]) -> ([f64; 3], f64) {
    match format {
        TextureFormat::Rgb10a2Unorm => {
            let bits =
                u32::from_le_bytes(texel.try_into().expect("a chunk should have four bytes"));
            let color = [0, 10, 20].map(|shift| f64::from(bits >> shift & 1_023) / 1_023.0);
            (color, f64::from(bits >> 30) / 3.0)
        }
        TextureFormat::Rgba16Float => {
            let channel =
                |at: usize| from_half(u16::from_le_bytes([texel[2 * at], texel[2 * at + 1]]));
            ([0, 1, 2].map(channel), channel(3))
        }
        _ => {
            let order = if is_bgra(format) {
                [2, 1, 0]
            } else {
                [0, 1, 2]
            };
            let color = order.map(|at| f64::from(texel[at]) / 255.0);
            let color = if format.is_srgb() {
                color.map(linear)
            } else {
                color
            };
            (color, f64::from(texel[3]) / 255.0)
        }
    }
}

/// Returns the distance to the format's next larger value, in the numbers that the target blends.
pub(crate) fn step(format: TextureFormat, value: f64) -> f64 {
    match format {
        TextureFormat::Rgb10a2Unorm => 1.0 / 1_023.0,
        // The significand has 11 bits, including the implicit one.
        TextureFormat::Rgba16Float => value.max(2_f64.powi(-14)).log2().floor().exp2() / 1_024.0,
        _ if format.is_srgb() => linear(encoded(value) + 1.0 / 255.0) - value,
        _ => 1.0 / 255.0,
    }
}

/// Converts a number from 0 to 1 to the nearest half-precision float.
fn to_half(value: f64) -> u16 {
    let step = step(TextureFormat::Rgba16Float, value);
    let exponent = (step * 1_024.0).log2() as i32;
    // Values with the smallest exponent have no implicit leading bit.
    (((exponent + 14) * 1_024) as f64 + (value / step).round()) as u16
}

fn from_half(bits: u16) -> f64 {
    assert!(bits < 0x7C00, "not a finite, nonnegative number: {bits:#x}");
    let (exponent, fraction) = (i32::from(bits >> 10), f64::from(bits & 1_023) / 1_024.0);
    match exponent {
        0 => fraction * 2_f64.powi(-14),
        _ => (1.0 + fraction) * 2_f64.powi(exponent - 15),
    }
}

#[test]
fn half_floats_are_read_as_written() {
    for (bits, value) in [
        (0, 0.0),
        (1, 2_f64.powi(-24)),
        (0x0400, 2_f64.powi(-14)),
        (0x3555, 0.333_251_953_125),
        (0x3800, 0.5),
        (0x3BFF, 0.999_511_718_75),
        (0x3C00, 1.0),
    ] {
        assert_eq!((to_half(value), from_half(bits)), (bits, value));
    }
    for bits in 0..=0x3C00 {
        assert_eq!(to_half(from_half(bits)), bits);
    }
}
