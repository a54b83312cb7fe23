//! Defines the hosts that the test matrix consists of.

use crate::support::headless::{Headless, Target};
use glow::HasContext;
use iprof::gl::HostState;

pub(crate) const SIZE: Target = Target {
    width: 160,
    height: 120,
    samples: 0,
    srgb: false,
};
pub(crate) const CLEAR: [f32; 4] = [0.2, 0.4, 0.6, 0.5];

/// The minimum versions of desktop GL and of ES.
pub(crate) type From = ((u32, u32), (u32, u32));

/// The GL state that a host sets, and the GL versions that support this state.
#[derive(Clone, Copy)]
pub(crate) struct Host {
    pub(crate) name: &'static str,
    pub(crate) from: From,
    /// Whether the host draws without a vertex array object, which requires a compatibility context or ES.
    pub(crate) without_array: bool,
    pub(crate) set: fn(&Headless),
    pub(crate) target: Target,
    /// Whether the overlay draws. It doesn't draw if that would disturb the host.
    pub(crate) is_drawn_on: bool,
    /// Completes the declared state, or `None` if the state can't be declared.
    pub(crate) declare: Option<fn(&mut HostState)>,
}

const NEVER: (u32, u32) = (99, 0);
pub(crate) const ALL: From = ((2, 1), (2, 0));
pub(crate) const DESKTOP: From = ((2, 1), NEVER);
/// GL 3.0, ES 3.0, and later versions.
pub(crate) const MODERN: From = ((3, 0), (3, 0));
/// Versions for features that ES 2.0 lacks but every desktop GL supports.
pub(crate) const NOT_ES_2: From = ((2, 1), (3, 0));

pub(crate) const fn host(name: &'static str, from: From, set: fn(&Headless)) -> Host {
    Host {
        name,
        from,
        without_array: false,
        set,
        target: SIZE,
        is_drawn_on: true,
        declare: Some(|_| {}),
    }
}

pub(crate) const fn multisampled(host: Host) -> Host {
    Host {
        target: Target { samples: 4, ..SIZE },
        ..host
    }
}

/// Returns the host, without multisampling if the context doesn't support it.
pub(crate) fn limit_samples(h: &Headless, host: &Host) -> Host {
    let mut host = *host;
    if host.target.samples > 0 {
        // SAFETY: the context is current, and every context of a multisampled host supports the parameter.
        let most = unsafe { h.gl.get_parameter_i32(glow::MAX_SAMPLES) };
        if most < host.target.samples {
            host.target.samples = 0;
        }
    }
    host
}

/// Whether the context supports the state that the host sets.
pub(crate) fn knows(h: &Headless, host: &Host) -> bool {
    let without_array = h.gl.version().is_embedded || h.is_compatible();
    h.from(host.from.0, host.from.1) && (without_array || !host.without_array)
}
