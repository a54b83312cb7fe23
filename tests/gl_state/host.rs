//! A row of the matrix: a host.

use crate::support::headless::{Headless, Target};
use glow::HasContext;

pub(crate) const SIZE: Target = Target {
    width: 160,
    height: 120,
    samples: 0,
    srgb: false,
};
pub(crate) const CLEAR: [f32; 4] = [0.2, 0.4, 0.6, 0.5];

/// What a host has set, and where that exists.
pub(crate) struct Host {
    pub(crate) name: &'static str,
    /// From this desktop and this ES version on.
    pub(crate) from: ((u32, u32), (u32, u32)),
    pub(crate) set: fn(&Headless),
    pub(crate) target: Target,
    /// Names of the dump that cannot come back, with the reason in `state.rs`.
    pub(crate) lost: &'static [&'static str],
}

pub(crate) const ALL: ((u32, u32), (u32, u32)) = ((3, 3), (3, 0));
pub(crate) const DESKTOP: ((u32, u32), (u32, u32)) = ((3, 3), (99, 0));

pub(crate) const fn host(
    name: &'static str,
    from: ((u32, u32), (u32, u32)),
    set: fn(&Headless),
) -> Host {
    Host {
        name,
        from,
        set,
        target: SIZE,
        lost: &[],
    }
}

pub(crate) const fn multisampled(host: Host) -> Host {
    Host {
        target: Target { samples: 4, ..SIZE },
        ..host
    }
}

/// Whether what the host sets exists in the context.
pub(crate) fn knows(h: &Headless, host: &Host) -> bool {
    let version = (h.gl.version().major, h.gl.version().minor);
    version
        >= if h.gl.version().is_embedded {
            host.from.1
        } else {
            host.from.0
        }
}
