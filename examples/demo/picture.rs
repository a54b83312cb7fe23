//! The traced picture. Collects finished tiles while the picture is computed, and determines the rows to upload.
//!
//! The displayed picture always belongs to one camera. A new generation replaces it only when all of the new picture is
//! sharp enough. So while the camera flies, the user sees a blurred picture that sharpens, never a patchwork of two
//! views.

use std::ops::Range;
use std::sync::Arc;

use super::math::Camera;
use super::tiles::{PASS_COUNT, PassTile, Pixel, Tiling};
use super::workers::Workers;

/// The minimum time for refining a picture while the camera moves. In this time, a fast machine reaches a finer pass,
/// and a slow machine can still show about twenty pictures per second.
const REFINE_SECONDS: f32 = 0.05;

/// The pass that a generation must complete to replace the previous one. For the very first picture, the coarsest pass
/// is enough.
const PASS_TO_SHOW: usize = 1;

#[derive(Debug)]
pub(crate) struct Picture {
    workers: Workers,
    tiling: Arc<Tiling>,
    pixels: Vec<Pixel>,
    dirty_rows: Range<usize>,
    on_show: Generation,
    newest: Generation,
    newest_age_seconds: f32,
    /// Tiles of the newest generation, until that generation is displayed.
    aside: Vec<PassTile>,
    /// The pass that each displayed tile has reached.
    reached: Vec<usize>,
    finished_tiles: usize,
    inbox: Vec<PassTile>,
    emptied: Vec<Vec<Pixel>>,
}

#[derive(Clone, Copy, Debug)]
struct Generation {
    number: u64,
    camera: Camera,
}

impl Picture {
    /// Starts tracing for `camera`. The picture is black until the first pass is done.
    pub(crate) fn new(workers: Workers, tiling: Arc<Tiling>, camera: Camera) -> Picture {
        let (width, height) = tiling.size();
        Picture {
            pixels: vec![[0, 0, 0, u8::MAX]; width * height],
            dirty_rows: 0..height,
            on_show: Generation { number: 0, camera },
            newest: Generation {
                number: workers.post(camera),
                camera,
            },
            newest_age_seconds: 0.0,
            aside: Vec::new(),
            reached: vec![0; tiling.tile_count()],
            finished_tiles: 0,
            inbox: Vec::new(),
            emptied: Vec::new(),
            workers,
            tiling,
        }
    }

    /// Requests the picture seen by `camera`, as soon as possible.
    pub(crate) fn aim(&mut self, camera: Camera, dt_seconds: f32) {
        self.newest_age_seconds += dt_seconds;
        let shown = self.on_show.number == self.newest.number;
        if shown && self.newest_age_seconds >= REFINE_SECONDS && camera != self.newest.camera {
            self.newest = Generation {
                number: self.workers.post(camera),
                camera,
            };
            self.newest_age_seconds = 0.0;
        }
    }

    /// Adds the tiles finished since the last call to the picture. Does not wait.
    pub(crate) fn collect(&mut self) {
        self.workers.exchange(&mut self.inbox, &mut self.emptied);
        let mut inbox = std::mem::take(&mut self.inbox);
        for tile in inbox.drain(..) {
            if tile.generation == self.on_show.number {
                self.put(tile);
            } else if tile.generation == self.newest.number {
                self.aside.push(tile);
            } else {
                self.emptied.push(tile.pixels);
            }
        }
        self.inbox = inbox;

        let pass = if self.on_show.number == 0 {
            0
        } else {
            PASS_TO_SHOW
        };
        let through = self.aside.iter().filter(|tile| tile.pass == pass).count();
        if through == self.tiling.tile_count() {
            self.on_show = self.newest;
            self.reached.fill(0);
            self.finished_tiles = 0;
            let mut aside = std::mem::take(&mut self.aside);
            for tile in aside.drain(..) {
                self.put(tile);
            }
            self.aside = aside;
        }
    }

    fn put(&mut self, tile: PassTile) {
        // With more threads than tiles, a tile's passes may arrive out of order.
        if tile.pass >= self.reached[tile.tile] {
            self.reached[tile.tile] = tile.pass;
            let rect = self.tiling.rect(tile.tile);
            let (width, _) = self.tiling.size();
            for (row, from) in tile.pixels.chunks_exact(rect.width).enumerate() {
                let start = (rect.y + row) * width + rect.x;
                self.pixels[start..start + rect.width].copy_from_slice(from);
            }
            let bottom = rect.y + rect.height;
            self.dirty_rows = if self.dirty_rows.is_empty() {
                rect.y..bottom
            } else {
                self.dirty_rows.start.min(rect.y)..self.dirty_rows.end.max(bottom)
            };
        }
        self.finished_tiles += 1;
        self.emptied.push(tile.pixels);
    }

    /// Returns the pixels row by row, top row first.
    pub(crate) fn pixels(&self) -> &[Pixel] {
        &self.pixels
    }

    pub(crate) fn size(&self) -> (usize, usize) {
        self.tiling.size()
    }

    pub(crate) fn camera(&self) -> &Camera {
        &self.on_show.camera
    }

    /// Returns the range of rows that changed since the last call, which may be empty.
    pub(crate) fn take_dirty_rows(&mut self) -> Range<usize> {
        std::mem::take(&mut self.dirty_rows)
    }

    /// Returns the fraction of all passes that the displayed picture has completed, from 0 to 1.
    pub(crate) fn refinement(&self) -> f32 {
        self.finished_tiles as f32 / (self.tiling.tile_count() * PASS_COUNT) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::super::math::{Vec3, vec3};
    use super::super::tracer::Tracer;
    use super::*;
    use std::time::Duration;

    fn camera(angle: f32) -> Camera {
        Camera::look_at(
            vec3(5.0 * angle.sin(), 2.2, 5.0 * angle.cos()),
            Vec3::UP,
            0.7,
            1.5,
        )
    }

    fn picture(threads: usize) -> Picture {
        let (tracer, tiling) = (Arc::new(Tracer::new(2)), Arc::new(Tiling::new(150, 100)));
        let workers = Workers::new(threads, u32::MAX, tracer, Arc::clone(&tiling));
        Picture::new(workers, tiling, camera(0.0))
    }

    fn finish(picture: &mut Picture) {
        while picture.refinement() < 1.0 {
            std::thread::sleep(Duration::from_millis(1));
            picture.collect();
        }
    }

    #[test]
    fn picture_does_not_depend_on_thread_count() {
        let mut alone = picture(1);
        finish(&mut alone);
        for threads in [3, 64] {
            let mut many = picture(threads);
            finish(&mut many);
            assert!(alone.pixels() == many.pixels(), "{threads} threads");
        }
    }

    #[test]
    fn picture_after_flight_equals_fresh_picture() {
        let mut flown = picture(2);
        // On a slow machine, the first picture takes longer than twenty steps.
        let mut step = 0;
        while step < 20 || flown.newest.number == 1 {
            step += 1;
            std::thread::sleep(Duration::from_millis(2));
            flown.aim(camera(step as f32 * -0.05), 0.02);
            flown.collect();
        }
        let is_home = |picture: &Picture| {
            let shows_newest = picture.on_show.number == picture.newest.number;
            shows_newest && picture.camera() == &camera(0.0)
        };
        while !is_home(&flown) {
            std::thread::sleep(Duration::from_millis(1));
            flown.aim(camera(0.0), 0.02);
            flown.collect();
        }
        finish(&mut flown);
        let mut rested = picture(2);
        finish(&mut rested);
        assert!(flown.pixels() == rested.pixels());
    }

    #[test]
    fn finished_picture_needs_no_more_uploads() {
        let mut picture = picture(2);
        assert_eq!(picture.take_dirty_rows(), 0..100);
        finish(&mut picture);
        assert!(!picture.take_dirty_rows().is_empty());
        picture.aim(camera(0.0), 1.0);
        picture.collect();
        assert!(picture.take_dirty_rows().is_empty());
    }
}
