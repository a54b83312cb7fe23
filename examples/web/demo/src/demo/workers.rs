//! Tracing for a page, which has no threads: part of each frame is spent tracing tiles.
//!
//! This module replaces the demo's `workers.rs` and defines the same names.

use super::math::Camera;
use super::tiles::{PASS_COUNT, PassTile, Pixel, Tiling};
use super::tracer::Tracer;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The tracing time per frame in ms. Even on a slow machine, it leaves the browser most of a 16.7 ms frame.
static SHARE_MS: AtomicU32 = AtomicU32::new(6);

/// Sets the tracing time per frame, in ms.
pub(crate) fn set_share_ms(share: u32) {
    // Relaxed ordering suffices, because there is only one thread.
    SHARE_MS.store(share, Ordering::Relaxed);
}

#[derive(Debug)]
struct Board {
    generation: u64,
    /// The current picture's camera, or `None` until the first one is posted.
    camera: Option<Camera>,
    /// The next tile's number, counted through all passes: pass × number of tiles + tile.
    next_tile: usize,
    spare: Vec<Vec<Pixel>>,
}

#[derive(Debug)]
pub(crate) struct Workers {
    tracer: Arc<Tracer>,
    tiling: Arc<Tiling>,
    board: RefCell<Board>,
}

impl Workers {
    /// Takes the same arguments as the version with threads, but ignores the number of threads and rays. Tracing is
    /// limited by time instead.
    pub(crate) fn new(
        _threads: usize,
        _rays: u32,
        tracer: Arc<Tracer>,
        tiling: Arc<Tiling>,
    ) -> Workers {
        Workers {
            tracer,
            tiling,
            board: RefCell::new(Board {
                generation: 0,
                camera: None,
                next_tile: 0,
                spare: Vec::new(),
            }),
        }
    }

    /// Abandons the current picture and starts a new one. Returns its generation.
    pub(crate) fn post(&self, camera: Camera) -> u64 {
        let mut board = self.board.borrow_mut();
        board.generation += 1;
        board.camera = Some(camera);
        board.next_tile = 0;
        board.generation
    }

    /// Traces tiles for [part](set_share_ms) of the frame, and returns them in `finished`. Takes back the pixel buffers
    /// in `emptied`.
    pub(crate) fn exchange(&self, finished: &mut Vec<PassTile>, emptied: &mut Vec<Vec<Pixel>>) {
        let board = &mut *self.board.borrow_mut();
        board.spare.append(emptied);
        let Some(camera) = board.camera else { return };
        let end = now_ms() + f64::from(SHARE_MS.load(Ordering::Relaxed));
        while board.next_tile < PASS_COUNT * self.tiling.tile_count() && now_ms() < end {
            let mut pixels = board.spare.pop().unwrap_or_default();
            let pass = board.next_tile / self.tiling.tile_count();
            let tile = board.next_tile % self.tiling.tile_count();
            let (tracer, tiling) = (&self.tracer, &self.tiling);
            tiling.trace_tile(tracer, &camera, pass, tile, &mut pixels, || true);
            board.next_tile += 1;
            finished.push(PassTile {
                generation: board.generation,
                pass,
                tile,
                pixels,
            });
        }
    }
}

fn now_ms() -> f64 {
    let performance = web_sys::window().and_then(|window| window.performance());
    performance.expect("no clock").now()
}
