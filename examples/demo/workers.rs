//! Worker threads: they take tiles from a board, trace them, and hand in the results.
//!
//! One board, one lock, held for the time of a few loads and stores. On it stand the newest camera
//! and the number of the next tile, counted on through all passes. Posting another camera opens a
//! new *generation*; tiles of an older one are given up within a row of pixels.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;

use super::math::Camera;
use super::tiles::{PASS_COUNT, PassTile, Pixel, Tiling};
use super::tracer::Tracer;

/// More threads than this would only wait for each other at the board.
pub(crate) const MAX_THREADS: usize = 64;

#[derive(Debug)]
struct Board {
    generation: u64,
    /// Nothing to do before the first is posted.
    camera: Option<Camera>,
    /// Pass times number of tiles plus tile.
    next_tile: usize,
    /// How many rays may be begun before the next exchange.
    rays_left: u32,
    finished: Vec<PassTile>,
    /// Emptied pixel buffers, to be filled again.
    spare: Vec<Vec<Pixel>>,
    quit: bool,
}

#[derive(Debug)]
struct Shared {
    tracer: Arc<Tracer>,
    tiling: Arc<Tiling>,
    board: Mutex<Board>,
    changed: Condvar,
    /// The [`Board::rays_left`] of each exchange.
    rays: u32,
    /// The board's generation, to be looked at between two rows without taking the lock. It is a
    /// hint and orders nothing, hence `Relaxed` on both sides: who reads it late finishes a tile
    /// for nothing.
    newest: AtomicU64,
}

impl Shared {
    fn board(&self) -> MutexGuard<'_, Board> {
        // Every change to the board is complete before anything that could panic, so that a board
        // left behind by a panicking thread is as good as any. `Drop` must not panic over it in any
        // case.
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next tile; waits for one. `None` when it is time to go.
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

/// Threads that refine the newest picture until there is nothing left to refine. Dropping it ends
/// them.
#[derive(Debug)]
pub(crate) struct Workers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts `threads` threads, at least one and at most [`MAX_THREADS`]. Between two calls of
    /// [`exchange`](Workers::exchange) they begin no tile once they have begun so many `rays`.
    ///
    /// # Panics
    ///
    /// When the system refuses to start a thread.
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
                // All alike: which of them traces a tile is chance.
                .name("tracer".into())
                .spawn(move || shared.work())
                .expect("the system starts a thread");
            workers.threads.push(thread);
        }
        workers
    }

    /// Forgets the picture in work and begins with this one. Returns its generation.
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

    /// Takes what has been finished since the last call and gives back the pixel buffers in
    /// `emptied`. Never waits: while a worker is at the board, this does nothing, for the system
    /// may have put that worker to sleep there, and a frame is not worth waiting for it.
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
        // Generation zero is never wanted: tiles that are being traced are abandoned, too.
        self.shared.newest.store(0, Ordering::Relaxed);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A worker that panicked has said so already.
            let _ = thread.join();
        }
    }
}
