//! The demo's ray tracer on one thread, tile by tile.

use crate::clock::Reading;
use crate::contender::{Contender, Plan, Traced};
use crate::shared_math::math::{self, vec3};

#[allow(dead_code, reason = "the demo also draws")]
#[path = "../../../../examples/demo/flake.rs"]
mod flake;
#[allow(dead_code, reason = "the demo also draws")]
#[path = "../../../../examples/demo/tiles.rs"]
mod tiles;
#[allow(dead_code, reason = "the demo also draws")]
#[path = "../../../../examples/demo/tracer.rs"]
mod tracer;

pub(super) fn trace(plan: &Plan, with: &Contender) -> Traced {
    let tracer = tracer::Tracer::new(plan.flake_depth);
    let tiling = tiles::Tiling::new(plan.width, plan.height);
    // Look from above, because rays from above hit more of the flake than rays from the side.
    let (eye, middle) = (vec3(2.0, 4.0, 2.0), vec3(0.0, 0.8, 0.0));
    let aspect = plan.width as f32 / plan.height as f32;
    let camera = math::Camera::look_at(eye, middle, 0.4, aspect);
    let mut picture = vec![Vec::new(); tiling.tile_count()];

    let start = Reading::now();
    let (mut tiles, mut frames) = (0, 0);
    for _ in 0..plan.times {
        for (tile, pixels) in picture.iter_mut().enumerate() {
            (with.open)();
            tiling.trace_tile(&tracer, &camera, plan.pass, tile, pixels, || true);
            (with.close)();
            tiles += 1;
            if tiles % plan.tiles_per_frame == 0 {
                (with.frame)();
                frames += 1;
            }
        }
    }
    (with.frame)();
    let wall_ns = start.spent().wall_ns;
    (with.second)();
    let mut spent = start.spent();
    spent.wall_ns = wall_ns;

    // This is the FNV-1a hash.
    let checksum = picture
        .iter()
        .flatten()
        .flatten()
        .fold(0xcbf2_9ce4_8422_2325, |sum: u64, &byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    Traced {
        spent,
        checksum,
        frames,
    }
}
