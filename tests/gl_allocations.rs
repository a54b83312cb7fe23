//! Once it is set up, painting allocates nothing on Rust's heap. (The driver's is its own affair.)

#![cfg(feature = "gl")]
#![allow(unsafe_code, reason = "an allocator that counts; GL calls")]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use iprof::__test_gl::{AtlasImage, DrawList, Painter};
use support::headless::{Headless, Kind, Target};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: `System` does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's contract, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract, passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn painting_allocates_nothing_in_the_steady_state() {
    for kind in [Kind::Gl45Core, Kind::Gles32] {
        let Some(h) = Headless::new(kind, Target::new(64, 64)) else {
            return;
        };
        let mut list = DrawList::default();
        let mut atlas = AtlasImage {
            width: 4,
            height: 4,
            pixels: vec![255; 16],
            revision: 0,
        };
        // SAFETY: `h`'s context is current.
        let mut painter = unsafe { Painter::new(&h.gl) }.expect("a painter");
        for frame in 0..6 {
            let before = ALLOCATIONS.get();
            list.clear();
            for i in 0..2000_u16 {
                let x = f32::from(i % 64);
                list.push_quad([x, x, x + 8.0, x + 8.0], [0; 4], [255; 4]);
            }
            // An upload of the atlas counts too.
            atlas.revision = frame / 2;
            // SAFETY: `h`'s context is current.
            unsafe { painter.paint(&h.gl, &list, &atlas, [0, 0, 64, 64]) };
            let allocations = ALLOCATIONS.get() - before;
            assert!(
                frame == 0 || allocations == 0,
                "{allocations} in frame {frame} on {kind:?}"
            );
        }
    }
}
