//! Draws the overlay into a picture in memory without any graphics library, and writes the picture to a PNG file.
//!
//! ```text
//! cargo run --example software -- overlay.png
//! ```
//!
//! A program with its own renderer does the work of [`Canvas::draw`] on the GPU: it uploads the vertices and the
//! changed part of the atlas, and draws the triangles with the blending that [`DrawData`] describes.

use iprof::overlay::{DrawData, Overlay, Vertex};
use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Result};

/// A picture to draw into, with a copy of the atlas.
#[derive(Debug)]
pub struct Canvas {
    /// The width in pixels.
    pub width: usize,
    /// The height in pixels.
    pub height: usize,
    /// The red, green, blue and opacity of each pixel, top row first.
    pub pixels: Vec<[u8; 4]>,
    atlas: Vec<u8>,
    atlas_width: usize,
    /// The version of the copied atlas.
    version: u64,
}

impl Canvas {
    /// Creates a picture filled with one color.
    #[must_use]
    pub fn new(width: usize, height: usize, color: [u8; 4]) -> Canvas {
        Canvas {
            width,
            height,
            pixels: vec![color; width * height],
            atlas: Vec::new(),
            atlas_width: 0,
            version: 0,
        }
    }

    /// Draws over the existing picture.
    pub fn draw(&mut self, data: DrawData<'_>) {
        if let Some(changed) = data.atlas_changes(self.version) {
            let [width, height] = DrawData::ATLAS_SIZE.map(|texels| texels as usize);
            self.atlas_width = width;
            self.atlas.resize(width * height, 0);
            let rows = changed.pixels.chunks_exact(changed.width as usize);
            for (row, texels) in (changed.y as usize..).zip(rows) {
                let at = row * width + changed.x as usize;
                self.atlas[at..at + texels.len()].copy_from_slice(texels);
            }
            self.version = data.atlas_version();
        }
        let indices: Vec<usize> = data.indices().map(|index| index as usize).collect();
        for corners in indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|corner| data.vertices()[corners[corner]]);
            self.triangle([a, b, c]);
        }
    }

    /// Draws the pixels whose centers are in the triangle, or on a left or an upper edge of it.
    fn triangle(&mut self, [a, mut b, mut c]: [Vertex; 3]) {
        if area(a.position, b.position, c.position) < 0.0 {
            std::mem::swap(&mut b, &mut c);
        }
        let whole = area(a.position, b.position, c.position);
        if whole <= 0.0 {
            return;
        }
        let at = [a, b, c].map(|vertex| vertex.position);
        let range = |axis: usize, end: usize| {
            let [low, high] = [f64::min, f64::max].map(|pick| {
                let [a, b, c] = at.map(|position| f64::from(position[axis]));
                pick(pick(a, b), c)
            });
            let limit = |px: f64| px.clamp(0.0, end as f64) as usize;
            limit(low.floor())..limit(high.ceil())
        };
        for y in range(1, self.height) {
            for x in range(0, self.width) {
                let pixel = [x as f32 + 0.5, y as f32 + 0.5];
                let edges = [(at[1], at[2]), (at[2], at[0]), (at[0], at[1])];
                // Each corner's weight in the pixel's color and texture coordinate.
                let shares = edges.map(|(from, to)| area(from, to, pixel) / whole);
                let is_inside = (0..3).all(|edge| {
                    let (from, to) = edges[edge];
                    let is_top_left = from[1] > to[1] || (from[1] == to[1] && from[0] < to[0]);
                    shares[edge] > 0.0 || (shares[edge] == 0.0 && is_top_left)
                });
                if is_inside {
                    self.blend(y * self.width + x, [a, b, c], shares);
                }
            }
        }
    }

    fn blend(&mut self, pixel: usize, corners: [Vertex; 3], shares: [f64; 3]) {
        let mix = |value: fn(&Vertex, usize) -> f64, channel: usize| -> f64 {
            let values = corners.iter().map(|corner| value(corner, channel));
            values.zip(shares).map(|(value, share)| value * share).sum()
        };
        let atlas_height = self.atlas.len() / self.atlas_width;
        let [u, v] = [(0, self.atlas_width), (1, atlas_height)].map(|(axis, size)| {
            let texels = mix(|vertex, axis| f64::from(vertex.uv[axis]), axis) / 65_535.0;
            ((texels * size as f64) as usize).min(size - 1)
        });
        let coverage = f64::from(self.atlas[v * self.atlas_width + u]) / 255.0;
        let color = |channel| mix(|vertex, channel| f64::from(vertex.color[channel]), channel);
        let opacity = color(3) / 255.0 * coverage;
        let sources = [color(0), color(1), color(2), 255.0];
        for (target, source) in self.pixels[pixel].iter_mut().zip(sources) {
            let blended = source * opacity + f64::from(*target) * (1.0 - opacity);
            *target = blended.round() as u8;
        }
    }

    /// Writes the picture to a PNG file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub fn write_png(&self, path: &str) -> Result<()> {
        let file = BufWriter::new(File::create(path)?);
        let mut encoder = png::Encoder::new(file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        Ok(writer.write_image_data(self.pixels.as_flattened())?)
    }
}

/// Returns twice the signed area of a triangle, which is positive if the corners are in clockwise order on the screen.
fn area(a: [f32; 2], b: [f32; 2], c: [f32; 2]) -> f64 {
    let from_a = |p: [f32; 2]| [0, 1].map(|axis| f64::from(p[axis]) - f64::from(a[axis]));
    let ([bx, by], [cx, cy]) = (from_a(b), from_a(c));
    bx * cy - by * cx
}

fn work(amount: u64) {
    iprof::zone!(work);
    for at in 0..amount {
        iprof::zone!(step);
        black_box((0..1_000 * (at % 7 + 1)).sum::<u64>());
    }
}

#[allow(dead_code, reason = "the tests use the canvas alone")]
fn main() -> Result<()> {
    let path = std::env::args().nth(1);
    let path = path.unwrap_or_else(|| "overlay.png".to_owned());
    for frame in 0..120 {
        work(8_000 + frame % 40 * 200);
        iprof::update(true);
    }
    let mut overlay = Overlay::new();
    let mut frame = overlay.begin([1280.0, 720.0]);
    iprof::Controls::new().draw(&mut frame, 20.0, 20.0, 1240.0, 680.0);

    let mut canvas = Canvas::new(1280, 720, [60, 80, 70, 255]);
    canvas.draw(overlay.draw_data());
    canvas.write_png(&path)?;
    println!("{path}: {} vertices", overlay.draw_data().vertices().len());
    Ok(())
}
