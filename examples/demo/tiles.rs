//! The picture is traced tile by tile and pass by pass, from coarse to fine.
//!
//! The first pass traces every eighth pixel in each direction and interpolates in between. Passes with steps of 4, 2
//! and 1 follow, and the last pass takes four samples per pixel. Tiles do not use the results of the previous pass.
//! Some pixels are therefore traced twice, but no thread ever waits for other threads at the end of a pass.

use super::flake::Ray;
use super::math::{Camera, Vec3, scramble};
use super::tracer::Tracer;

/// A tile's width and height in pixels, a multiple of the coarsest step. Tiles at the right and lower edges may be
/// smaller.
pub(crate) const TILE: usize = 32;

/// The distance at which alpha reaches 255. Larger distances also have 255, and alpha is 0 at the eye.
pub(crate) const ALPHA_RANGE: f32 = 16.0;

/// Red, green and blue as displayed, and the distance.
pub(crate) type Pixel = [u8; 4];

/// A tile of one pass of one generation. Each generation has one camera: see `workers.rs`.
#[derive(Debug)]
pub(crate) struct PassTile {
    pub(crate) generation: u64,
    pub(crate) pass: usize,
    pub(crate) tile: usize,
    pub(crate) pixels: Vec<Pixel>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Pass {
    /// The distance between samples, in pixels in each direction.
    Every(usize),
    Supersampled,
}

const PASSES: [Pass; 5] = [
    Pass::Every(8),
    Pass::Every(4),
    Pass::Every(2),
    Pass::Every(1),
    Pass::Supersampled,
];

pub(crate) const PASS_COUNT: usize = PASSES.len();

/// The positions of the four samples in a pixel. No two share a row or column, so that nearly horizontal or vertical
/// edges have four shades instead of two.
const SAMPLE_OFFSETS: [(f32, f32); 4] = [
    (-0.125, -0.375),
    (0.375, -0.125),
    (0.125, 0.375),
    (-0.375, 0.125),
];

/// A rectangle of pixels, with the origin at the upper left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rect {
    pub x: usize,
    pub y: usize,
    pub width: usize,
    pub height: usize,
}

#[derive(Debug)]
pub(crate) struct Tiling {
    width: usize,
    height: usize,
    /// Tiles are ordered from the middle outward, because viewers look at the middle first.
    rects: Vec<Rect>,
}

impl Tiling {
    pub(crate) fn new(width: usize, height: usize) -> Tiling {
        let mut rects = Vec::new();
        for y in (0..height).step_by(TILE) {
            for x in (0..width).step_by(TILE) {
                rects.push(Rect {
                    x,
                    y,
                    width: TILE.min(width - x),
                    height: TILE.min(height - y),
                });
            }
        }
        rects.sort_by_key(|rect| {
            let off_middle =
                |start: usize, size: usize, whole: usize| (2 * start + size).abs_diff(whole);
            off_middle(rect.x, rect.width, width).pow(2)
                + off_middle(rect.y, rect.height, height).pow(2)
        });
        Tiling {
            width,
            height,
            rects,
        }
    }

    pub(crate) fn tile_count(&self) -> usize {
        self.rects.len()
    }

    pub(crate) fn rect(&self, tile: usize) -> Rect {
        self.rects[tile]
    }

    pub(crate) fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// Returns the approximate number of rays from the eye that a pass needs for a tile.
    #[allow(dead_code, reason = "a page limits the time instead")]
    pub(crate) fn rays(&self, pass: usize, tile: usize) -> u32 {
        let Rect { width, height, .. } = self.rects[tile];
        let rays = match PASSES[pass] {
            Pass::Every(step) => width.div_ceil(step) * height.div_ceil(step),
            Pass::Supersampled => width * height * SAMPLE_OFFSETS.len(),
        };
        rays as u32
    }

    /// Traces one tile of one pass into `pixels`, row by row. Returns false, with the tile unfinished, as soon as
    /// `wanted` returns false.
    pub(crate) fn trace_tile(
        &self,
        tracer: &Tracer,
        camera: &Camera,
        pass: usize,
        tile: usize,
        pixels: &mut Vec<Pixel>,
        wanted: impl Fn() -> bool,
    ) -> bool {
        zone!(trace_tile);
        pixels.clear();
        let rect = self.rects[tile];
        let view = View {
            tiling: self,
            tracer,
            camera,
        };
        match PASSES[pass] {
            Pass::Every(1) => view.trace_plain(rect, pixels, wanted),
            Pass::Every(step) => view.trace_blended(rect, step, pixels, wanted),
            Pass::Supersampled => view.trace_supersampled(rect, pixels, wanted),
        }
    }
}

/// A sample's contribution to its pixel: the light as displayed, and the distance as a fraction of [`ALPHA_RANGE`].
#[derive(Clone, Copy, Default)]
struct Sample {
    light: Vec3,
    depth: f32,
}

impl Sample {
    fn lerp(self, to: Sample, share: f32) -> Sample {
        Sample {
            light: self.light.lerp(to.light, share),
            depth: self.depth + (to.depth - self.depth) * share,
        }
    }

    fn encoded(self, x: usize, y: usize) -> Pixel {
        // Fixed noise of half a step breaks up the bands that dark gradients have with eight bits per channel.
        let noise = scramble((y as u32) << 16 | x as u32) as f32 / u32::MAX as f32;
        // The gamma is two, because a square root is far cheaper than a power and looks the same here.
        let byte = |part: f32| (part.max(0.0).sqrt() * 255.0 + noise) as u8;
        let alpha = (self.depth * 255.0 + 0.5) as u8;
        [
            byte(self.light.x),
            byte(self.light.y),
            byte(self.light.z),
            alpha,
        ]
    }
}

struct View<'a> {
    tiling: &'a Tiling,
    tracer: &'a Tracer,
    camera: &'a Camera,
}

impl View<'_> {
    /// Traces a ray. `x` and `y` are in pixels, from the picture's upper left corner.
    fn sample(&self, x: f32, y: f32) -> Sample {
        let across = 2.0 * x / self.tiling.width as f32 - 1.0;
        let upward = 1.0 - 2.0 * y / self.tiling.height as f32;
        let ray = Ray {
            origin: self.camera.eye,
            direction: self.camera.direction(across, upward),
        };
        let seen = self.tracer.look(&ray);
        Sample {
            // Bright light saturates softly, as on film. Saturating before samples are averaged keeps the edges of
            // highlights smooth.
            light: seen.color.map(|part| 1.0 - (-1.5 * part).exp()),
            depth: (seen.distance / ALPHA_RANGE).min(1.0),
        }
    }

    fn trace_plain(&self, rect: Rect, pixels: &mut Vec<Pixel>, wanted: impl Fn() -> bool) -> bool {
        for y in rect.y..rect.y + rect.height {
            if !wanted() {
                return false;
            }
            for x in rect.x..rect.x + rect.width {
                pixels.push(self.sample(x as f32 + 0.5, y as f32 + 0.5).encoded(x, y));
            }
        }
        true
    }

    fn trace_supersampled(
        &self,
        rect: Rect,
        pixels: &mut Vec<Pixel>,
        wanted: impl Fn() -> bool,
    ) -> bool {
        for y in rect.y..rect.y + rect.height {
            if !wanted() {
                return false;
            }
            for x in rect.x..rect.x + rect.width {
                let mut sum = Sample::default();
                for (right, down) in SAMPLE_OFFSETS {
                    let sample = self.sample(x as f32 + 0.5 + right, y as f32 + 0.5 + down);
                    sum.light += sample.light;
                    sum.depth += sample.depth;
                }
                let quarter = 1.0 / SAMPLE_OFFSETS.len() as f32;
                let mean = Sample {
                    light: sum.light * quarter,
                    depth: sum.depth * quarter,
                };
                pixels.push(mean.encoded(x, y));
            }
        }
        true
    }

    /// Interpolates between samples on a grid shared by neighboring tiles, so that there are no visible seams.
    fn trace_blended(
        &self,
        rect: Rect,
        step: usize,
        pixels: &mut Vec<Pixel>,
        wanted: impl Fn() -> bool,
    ) -> bool {
        let columns = rect.width.div_ceil(step) + 1;
        let trace_row =
            |y: usize, row: &mut Vec<Sample>| {
                row.clear();
                row.extend((0..columns).map(|column| {
                    self.sample((rect.x + column * step) as f32 + 0.5, y as f32 + 0.5)
                }));
            };
        let (mut above, mut below) = (Vec::with_capacity(columns), Vec::with_capacity(columns));
        trace_row(rect.y, &mut below);
        for y in rect.y..rect.y + rect.height {
            let down = (y - rect.y) % step;
            if down == 0 {
                if !wanted() {
                    return false;
                }
                std::mem::swap(&mut above, &mut below);
                trace_row(y + step, &mut below);
            }
            let share_below = down as f32 / step as f32;
            for x in 0..rect.width {
                let (column, share_right) = (x / step, (x % step) as f32 / step as f32);
                let left = above[column].lerp(below[column], share_below);
                let right = above[column + 1].lerp(below[column + 1], share_below);
                pixels.push(left.lerp(right, share_right).encoded(rect.x + x, y));
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pixel_lies_in_exactly_one_tile() {
        for (width, height) in [(1, 1), (32, 32), (100, 70), (960, 540)] {
            let tiling = Tiling::new(width, height);
            let mut times_covered = vec![0; width * height];
            for tile in 0..tiling.tile_count() {
                let rect = tiling.rect(tile);
                for y in rect.y..rect.y + rect.height {
                    for x in rect.x..rect.x + rect.width {
                        times_covered[y * width + x] += 1;
                    }
                }
            }
            assert!(times_covered.iter().all(|&times| times == 1));
        }
    }

    #[test]
    fn each_pass_fills_its_tile_unless_cancelled() {
        let (tracer, tiling) = (Tracer::new(1), Tiling::new(50, 40));
        let camera = Camera::look_at(Vec3::ONE * 4.0, Vec3::UP, 0.7, 1.25);
        let mut pixels = Vec::new();
        for pass in 0..PASS_COUNT {
            for tile in 0..tiling.tile_count() {
                let rect = tiling.rect(tile);
                assert!(tiling.trace_tile(&tracer, &camera, pass, tile, &mut pixels, || true));
                assert_eq!(pixels.len(), rect.width * rect.height);
            }
            assert!(!tiling.trace_tile(&tracer, &camera, pass, 0, &mut pixels, || false));
        }
    }
}
