//! Reads and writes PNG files, and compares pictures with golden pictures.

use std::fs::{self, File};
use std::io::{BufWriter, Cursor};
use std::path::{Path, PathBuf};

/// A picture in RGBA with 8 bits per channel, top row first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    pub width: u32,
    pub height: u32,
    pub rgba: Vec<u8>,
}

/// How much a picture may differ from its golden picture. Rasterizers differ in edges and in rounding.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// A pixel is considered different if one of its channels differs by more than this value.
    pub per_channel: u8,
    /// The number of pixels that may differ by any amount.
    pub pixels: usize,
}

impl Tolerance {
    pub const EXACT: Self = Self {
        per_channel: 0,
        pixels: 0,
    };
}

impl Image {
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        let at = (y as usize * self.width as usize + x as usize) * 4;
        self.rgba[at..at + 4]
            .try_into()
            .expect("a pixel should have four channels")
    }

    pub fn write(&self, path: &Path, compression: png::Compression) {
        let file = File::create(path)
            .unwrap_or_else(|e| panic!("failed to create {}: {e}", path.display()));
        let mut encoder = png::Encoder::new(BufWriter::new(file), self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(compression);
        // The pictures consist of flat areas and repeated glyphs. PNG filters would only hide the repetition from the
        // compressor.
        encoder.set_filter(png::Filter::NoFilter);
        let mut writer = encoder
            .write_header()
            .expect("failed to write the PNG header");
        writer
            .write_image_data(&self.rgba)
            .expect("failed to write the PNG data");
        writer.finish().expect("failed to finish the PNG");
    }

    pub fn read(path: &Path) -> Self {
        Self::decode(path, png::ColorType::Rgba)
    }

    /// Reads an opaque PNG file, such as the ones that the demo writes.
    pub fn read_opaque(path: &Path) -> Self {
        let mut picture = Self::decode(path, png::ColorType::Rgb);
        let mut rgba = vec![u8::MAX; picture.rgba.len() / 3 * 4];
        for (opaque, rgb) in rgba.chunks_exact_mut(4).zip(picture.rgba.chunks_exact(3)) {
            opaque[..3].copy_from_slice(rgb);
        }
        picture.rgba = rgba;
        picture
    }

    fn decode(path: &Path, color: png::ColorType) -> Self {
        let file =
            fs::read(path).unwrap_or_else(|e| panic!("failed to read {}: {e}", path.display()));
        Self::from_png(&path.display().to_string(), &file, color)
    }

    /// Decodes a PNG file, which must have the given color type and 8 bits per channel.
    pub fn from_png(name: &str, file: &[u8], color: png::ColorType) -> Self {
        let mut reader = png::Decoder::new(Cursor::new(file))
            .read_info()
            .expect("invalid PNG header");
        let mut rgba = vec![
            0;
            reader
                .output_buffer_size()
                .expect("the picture is too large")
        ];
        let info = reader
            .next_frame(&mut rgba)
            .expect("failed to decode the PNG");
        assert_eq!(
            (info.color_type, info.bit_depth),
            (color, png::BitDepth::Eight),
            "{name} is not {color:?} with 8 bits"
        );
        rgba.truncate(info.buffer_size());
        Self {
            width: info.width,
            height: info.height,
            rgba,
        }
    }

    /// Returns the picture cropped to its top left part.
    pub fn cropped(&self, width: u32, height: u32) -> Self {
        let row = self.width as usize * 4;
        let rows = self.rgba.chunks_exact(row).take(height as usize);
        let rows: Vec<&[u8]> = rows.map(|row| &row[..width as usize * 4]).collect();
        Self {
            width,
            height,
            rgba: rows.concat(),
        }
    }

    /// Returns the number of pixels in which a channel differs by more than `per_channel`.
    pub fn differing(&self, other: &Self, per_channel: u8) -> usize {
        assert_eq!(
            (self.width, self.height),
            (other.width, other.height),
            "sizes"
        );
        // Only rows that differ are compared pixel by pixel, because tests are barely optimized.
        let row = (self.width as usize * 4).max(4);
        let rows = self.rgba.chunks(row).zip(other.rgba.chunks(row));
        rows.filter(|(a, b)| a != b)
            .flat_map(|(a, b)| a.chunks_exact(4).zip(b.chunks_exact(4)))
            .filter(|(a, b)| differs(a, b, per_channel))
            .count()
    }

    /// Returns a picture that is white where the two pictures differ and black elsewhere.
    fn difference(&self, other: &Self, per_channel: u8) -> Self {
        let mark = |(a, b): (&[u8], &[u8])| {
            if differs(a, b, per_channel) {
                [255; 4]
            } else {
                [0, 0, 0, 255]
            }
        };
        Self {
            rgba: self.pairs(other).flat_map(mark).collect(),
            ..*self
        }
    }

    fn pairs<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        self.rgba.chunks_exact(4).zip(other.rgba.chunks_exact(4))
    }
}

fn differs(a: &[u8], b: &[u8], per_channel: u8) -> bool {
    a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > per_channel)
}

/// Compares the picture with `tests/golden/<name>.png`. If they differ, writes the picture and the difference to
/// `target/golden-failures/`. `IPROF_BLESS=1` writes the golden picture instead.
#[track_caller]
pub fn assert_golden(name: &str, actual: &Image, tolerance: Tolerance) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let golden = root.join("tests/golden").join(format!("{name}.png"));
    if std::env::var_os("IPROF_BLESS").is_some_and(|v| v == "1") {
        fs::create_dir_all(
            golden
                .parent()
                .expect("the golden picture should have a parent folder"),
        )
        .expect("failed to create tests/golden");
        actual.write(&golden, png::Compression::High);
        println!("blessed {}", golden.display());
        return;
    }
    assert!(
        golden.exists(),
        "{} is missing; IPROF_BLESS=1 writes it. This picture: {}",
        golden.display(),
        keep(name, "actual", actual).display()
    );
    assert_same(name, actual, &Image::read(&golden), tolerance);
}

/// Compares two pictures. If they differ, writes both and the difference to `target/golden-failures/`.
#[track_caller]
pub fn assert_same(name: &str, actual: &Image, expected: &Image, tolerance: Tolerance) {
    let sizes = |image: &Image| (image.width, image.height);
    if sizes(actual) != sizes(expected) {
        let kept = keep(name, "actual", actual);
        panic!(
            "{name}: size is {:?} instead of {:?}; see {}",
            sizes(actual),
            sizes(expected),
            kept.display()
        );
    }
    let off = actual.differing(expected, tolerance.per_channel);
    if off > tolerance.pixels {
        let kept = keep(name, "actual", actual);
        keep(name, "expected", expected);
        let diff = keep(
            name,
            "diff",
            &actual.difference(expected, tolerance.per_channel),
        );
        panic!(
            "{name}: {off} pixels differ by more than {}, at most {} may; see {} and {}",
            tolerance.per_channel,
            tolerance.pixels,
            kept.display(),
            diff.display()
        );
    }
}

fn keep(name: &str, what: &str, image: &Image) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/golden-failures");
    fs::create_dir_all(&folder).expect("failed to create target/golden-failures");
    let path = folder.join(format!("{name}.{what}.png"));
    image.write(&path, png::Compression::Fastest);
    path
}
