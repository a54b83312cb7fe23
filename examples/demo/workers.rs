//! Worker threads that take tiles from a board, trace them, and return the results.
//!
//! The board's lock is held only for a few loads and stores. The board stores the newest camera and the number of the
//! next tile, counted through all passes. Posting a new camera begins a new *generation*. Tiles of older generations
//! are abandoned at the next row of pixels.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;

use super::math::Camera;
use super::tiles::{PASS_COUNT, PassTile, Pixel, Tiling};
use super::tracer::Tracer;

/// The maximum number of threads. More threads would only wait for each other at the board.
pub(crate) const MAX_THREADS: usize = 64;

#[derive(Debug)]
struct Board {
    generation: u64,
    /// The newest camera, or `None` until the first one is posted.
    camera: Option<Camera>,
    /// The next tile's number, counted through all passes: pass × number of tiles + tile.
    next_tile: usize,
    /// The number of rays that may still be started before the next exchange.
    rays_left: u32,
    finished: Vec<PassTile>,
    spare: Vec<Vec<Pixel>>,
    quit: bool,
}

#[derive(Debug)]
struct Shared {
    tracer: Arc<Tracer>,
    tiling: Arc<Tiling>,
    board: Mutex<Board>,
    changed: Condvar,
    /// The value of [`Board::rays_left`] after each exchange.
    rays: u32,
    /// The board's generation, which threads read between rows without the lock. `Relaxed` suffices, because the value
    /// is only a hint: a thread that reads it late finishes a tile in vain.
    newest: AtomicU64,
}

impl Shared {
    fn board(&self) -> MutexGuard<'_, Board> {
        // Every change is complete before anything could panic, so the board is valid even after a panic. `Drop` must
        // not panic here.
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next tile and returns it, or `None` when the thread should end.
    fn take(&self) -> Option<(Camera, PassTile)> {
        iprof::zone!(take_tile);
        let mut board = self.board();
        loop {
            if board.quit {
                return None;
            }
            if let Some(task) = self.next_tile(&mut board) {
                return Some(task);
            }
            iprof::zone!(wait_for_work, idle);
            board = self
                .changed
                .wait(board)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn next_tile(&self, board: &mut Board) -> Option<(Camera, PassTile)> {
        let camera = board.camera?;
        let pass = board.next_tile / self.tiling.tile_count();
        if pass >= PASS_COUNT || board.rays_left == 0 {
            return None;
        }
        let rays = self
            .tiling
            .rays(pass, board.next_tile % self.tiling.tile_count());
        board.rays_left = board.rays_left.saturating_sub(rays);
        let tile = PassTile {
            generation: board.generation,
            pass,
            tile: board.next_tile % self.tiling.tile_count(),
            pixels: board.spare.pop().unwrap_or_default(),
        };
        board.next_tile += 1;
        Some((camera, tile))
    }

    fn work(&self) {
        while let Some((camera, mut to_do)) = self.take() {
            let PassTile {
                generation,
                pass,
                tile,
                ..
            } = to_do;
            let wanted = || self.newest.load(Ordering::Relaxed) == generation;
            let pixels = &mut to_do.pixels;
            let whole = self
                .tiling
                .trace_tile(&self.tracer, &camera, pass, tile, pixels, wanted);
            self.hand_in(to_do, whole);
        }
    }

    fn hand_in(&self, tile: PassTile, whole: bool) {
        iprof::zone!(hand_in_tile);
        let mut board = self.board();
        if whole {
            board.finished.push(tile);
        } else {
            board.spare.push(tile.pixels);
        }
    }
}

/// Threads that refine the newest picture until nothing is left to refine. Dropping this value ends the threads.
#[derive(Debug)]
pub(crate) struct Workers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts `threads` threads, at least one and at most [`MAX_THREADS`]. Between two calls of
    /// [`exchange`](Workers::exchange), they only start tiles for about `rays` rays.
    ///
    /// # Panics
    ///
    /// Panics if the system cannot start a thread.
    pub(crate) fn new(
        threads: usize,
        rays: u32,
        tracer: Arc<Tracer>,
        tiling: Arc<Tiling>,
    ) -> Workers {
        let shared = Arc::new(Shared {
            tracer,
            tiling,
            board: Mutex::new(Board {
                generation: 0,
                camera: None,
                next_tile: 0,
                rays_left: rays,
                finished: Vec::new(),
                spare: Vec::new(),
                quit: false,
            }),
            changed: Condvar::new(),
            rays,
            newest: AtomicU64::new(0),
        });
        let mut workers = Workers {
            shared,
            threads: Vec::new(),
        };
        for _ in 0..threads.clamp(1, MAX_THREADS) {
            let shared = Arc::clone(&workers.shared);
            let thread = std::thread::Builder::new()
                // All threads have the same name, because which of them traces a tile is random.
                .name("tracer".into())
                .spawn(move || shared.work())
                .expect("failed to start a thread");
            workers.threads.push(thread);
        }
        workers
    }

    /// Abandons the current picture and starts a new one. Returns its generation.
    pub(crate) fn post(&self, camera: Camera) -> u64 {
        let generation = {
            let mut board = self.shared.board();
            board.generation += 1;
            board.camera = Some(camera);
            board.next_tile = 0;
            self.shared
                .newest
                .store(board.generation, Ordering::Relaxed);
            board.generation
        };
        self.shared.changed.notify_all();
        generation
    }

    /// Moves the tiles finished since the last call to `finished`, and takes back the pixel buffers in `emptied`.
    ///
    /// Never waits. If a worker holds the lock, does nothing, because the system may have preempted that worker.
    pub(crate) fn exchange(&self, finished: &mut Vec<PassTile>, emptied: &mut Vec<Vec<Pixel>>) {
        let mut board = match self.shared.board.try_lock() {
            Ok(board) => board,
            Err(TryLockError::Poisoned(board)) => board.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        finished.append(&mut board.finished);
        board.spare.append(emptied);
        let waited = std::mem::replace(&mut board.rays_left, self.shared.rays) == 0;
        drop(board);
        if waited {
            self.shared.changed.notify_all();
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.board().quit = true;
        // Generation zero is never wanted, so tiles that are being traced are also abandoned.
        self.shared.newest.store(0, Ordering::Relaxed);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A worker's panic has already been printed.
            let _ = thread.join();
        }
    }
}
