//! Draws with OpenGL's immediate mode, in the host's coordinates, as the original does. The OpenGL functions are looked
//! up in the host's program; if the functions are missing, only text is drawn.

use iprof::{Bar, Graph};
use std::ffi::{CStr, c_float, c_uint, c_void};
use std::mem::transmute;
use std::sync::OnceLock;

const LINE_STRIP: c_uint = 3;
const QUADS: c_uint = 7;
const CULL_FACE: c_uint = 0x0B44;
const TEXTURE_2D: c_uint = 0x0DE1;

type OfEnum = unsafe extern "C" fn(c_uint);
type OfNothing = unsafe extern "C" fn();
type OfPosition = unsafe extern "C" fn(c_float, c_float);
type OfColor = unsafe extern "C" fn(c_float, c_float, c_float, c_float);
type AsksEnum = unsafe extern "C" fn(c_uint) -> u8;

struct Immediate {
    begin: OfEnum,
    end: OfNothing,
    vertex: OfPosition,
    color: OfColor,
    enable: OfEnum,
    disable: OfEnum,
    is_enabled: AsksEnum,
}

/// Looks up a function by name in the program and its libraries.
fn find(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name is a string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

fn immediate() -> Option<&'static Immediate> {
    static IMMEDIATE: OnceLock<Option<Immediate>> = OnceLock::new();
    let load = || {
        // SAFETY: functions with these names belong to OpenGL 1.0 and have these types.
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

// The SAFETY comments below rely on this: `Prof_draw_gl` and `Prof_draw_graph_gl` must be called with a current
// context.
impl Immediate {
    fn color(&self, [r, g, b, a]: [f32; 4]) {
        // SAFETY: a context is current.
        unsafe { (self.color)(r, g, b, a) };
    }

    fn shape(&self, kind: c_uint, corners: &[[f32; 2]]) {
        // SAFETY: a context is current, and only vertices are submitted between begin and end.
        unsafe {
            (self.begin)(kind);
            for [x, y] in corners {
                (self.vertex)(*x, *y);
            }
            (self.end)();
        }
    }

    fn rectangle(&self, [x0, y0, x1, y1]: [f32; 4]) {
        self.shape(QUADS, &[[x0, y0], [x1, y0], [x1, y1], [x0, y1]]);
    }

    /// Runs `f` with culling and textures disabled, and then restores both.
    fn plain(&self, f: impl FnOnce()) {
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

pub(crate) fn set_color(color: [f32; 4]) {
    if let Some(gl) = immediate() {
        gl.color(color);
    }
}

pub(crate) fn fill(rectangle: [f32; 4]) {
    if let Some(gl) = immediate() {
        gl.plain(|| gl.rectangle(rectangle));
    }
}

pub(crate) fn draw_graph(place: [f32; 4]) {
    if let Some(gl) = immediate() {
        let view = iprof::with_view(|view| view.clone());
        let graph = view.graph(&iprof::profiler());
        gl.plain(|| draw_lines(gl, &graph, place));
    }
}

/// The number of frames in the original's graph.
const FRAMES: usize = 128;

/// Draws a line for each zone across the most recent frames. The most recent frame is always drawn at the same
/// position.
fn draw_lines(gl: &Immediate, graph: &Graph, [x, y, x_spacing, y_spacing]: [f32; 4]) {
    let oldest = graph.bars.len().saturating_sub(FRAMES);
    let bars: Vec<&Bar> = graph.bars.iter().skip(oldest).collect();
    let x = x + (FRAMES - bars.len()) as f32 * x_spacing;
    for (zone, of) in graph.zones.iter().enumerate() {
        // Derive the color from the name, so that a zone has the same color in every run.
        let hash = of.name.bytes().fold(17_u32, |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(byte.into())
        });
        let part = |shift: u32| 0.3 + ((hash >> shift) & 127) as f32 / 200.0;
        gl.color([part(0), part(7), part(14), 1.0]);
        let corners: Vec<[f32; 2]> = bars
            .iter()
            .enumerate()
            .map(|(at, bar)| {
                let own = bar
                    .segments
                    .iter()
                    .filter(|segment| segment.zone as usize == zone);
                let ms: f32 = own.map(|segment| segment.ms).sum();
                [x + at as f32 * x_spacing, y + ms * y_spacing]
            })
            .collect();
        gl.shape(LINE_STRIP, &corners);
    }
    if let Some(at) = bars.iter().position(|bar| Some(bar.frame) == graph.cursor) {
        gl.color([1.0, 1.0, 1.0, 0.5]);
        let (x, top) = (
            x + at as f32 * x_spacing,
            y + bars[at].ms as f32 * y_spacing,
        );
        gl.shape(LINE_STRIP, &[[x, y], [x, top]]);
    }
}
