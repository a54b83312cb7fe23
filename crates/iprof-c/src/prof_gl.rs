//! OpenGL's immediate mode, by the functions that the host's program has: in the host's coordinates, as the original
//! drew. Where there is none, nothing but text is drawn.

use std::ffi::{CStr, c_float, c_uint, c_void};
use std::mem::transmute;
use std::sync::OnceLock;

pub(crate) const LINE_STRIP: c_uint = 3;
pub(crate) const QUADS: c_uint = 7;
const CULL_FACE: c_uint = 0x0B44;
const TEXTURE_2D: c_uint = 0x0DE1;

type OfEnum = unsafe extern "C" fn(c_uint);
type OfNothing = unsafe extern "C" fn();
type OfPosition = unsafe extern "C" fn(c_float, c_float);
type OfColor = unsafe extern "C" fn(c_float, c_float, c_float, c_float);
type AsksEnum = unsafe extern "C" fn(c_uint) -> u8;

pub(crate) struct Immediate {
    begin: OfEnum,
    end: OfNothing,
    vertex: OfPosition,
    color: OfColor,
    enable: OfEnum,
    disable: OfEnum,
    is_enabled: AsksEnum,
}

/// The function of that name in the program and its libraries.
fn find(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name is a string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

pub(crate) fn immediate() -> Option<&'static Immediate> {
    static IMMEDIATE: OnceLock<Option<Immediate>> = OnceLock::new();
    let load = || {
        // SAFETY: functions of these names are OpenGL 1.0's, which have these types.
        unsafe {
            Some(Immediate {
                begin: transmute::<*mut c_void, OfEnum>(find(c"glBegin")?),
                end: transmute::<*mut c_void, OfNothing>(find(c"glEnd")?),
                vertex: transmute::<*mut c_void, OfPosition>(find(c"glVertex2f")?),
                color: transmute::<*mut c_void, OfColor>(find(c"glColor4f")?),
                enable: transmute::<*mut c_void, OfEnum>(find(c"glEnable")?),
                disable: transmute::<*mut c_void, OfEnum>(find(c"glDisable")?),
                is_enabled: transmute::<*mut c_void, AsksEnum>(find(c"glIsEnabled")?),
            })
        }
    };
    IMMEDIATE.get_or_init(load).as_ref()
}

// SAFETY of the calls below: `Prof_draw_gl` and `Prof_draw_graph_gl` are called with a context that is current.
impl Immediate {
    pub(crate) fn color(&self, [r, g, b, a]: [f32; 4]) {
        // SAFETY: a context is current.
        unsafe { (self.color)(r, g, b, a) };
    }

    /// Draws corners one after another.
    pub(crate) fn shape(&self, kind: c_uint, corners: &[[f32; 2]]) {
        // SAFETY: a context is current; nothing but vertices is between begin and end.
        unsafe {
            (self.begin)(kind);
            for [x, y] in corners {
                (self.vertex)(*x, *y);
            }
            (self.end)();
        }
    }

    pub(crate) fn rectangle(&self, [x0, y0, x1, y1]: [f32; 4]) {
        self.shape(QUADS, &[[x0, y0], [x1, y0], [x1, y1], [x0, y1]]);
    }

    /// Runs `f` without culling and textures, and puts both back.
    pub(crate) fn plain(&self, f: impl FnOnce()) {
        let states = [CULL_FACE, TEXTURE_2D];
        // SAFETY: a context is current.
        let were = states.map(|state| unsafe { (self.is_enabled)(state) } != 0);
        for state in states {
            // SAFETY: a context is current.
            unsafe { (self.disable)(state) };
        }
        f();
        for (state, was) in states.into_iter().zip(were) {
            if was {
                // SAFETY: a context is current.
                unsafe { (self.enable)(state) };
            }
        }
    }
}
