//! Tests how many draw calls and uploads the overlay makes.

#![cfg(feature = "gl")]
#![allow(unsafe_code, reason = "wraps the driver's GL functions")]

mod support;

use iprof::overlay::Frame;
use iprof::{Bar, Bindings, ColumnId, Graph, GraphStyle, GraphZone, Report, Row, Segment};
use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_void};
use support::headless::{Headless, Kind, Target, in_old_gl};
use support::image::{Tolerance, assert_same};
use support::painted::Painted;

#[derive(Clone, Copy, Debug, Default)]
struct GlCalls {
    draws: usize,
    /// The number of uploads to buffers, and their bytes.
    uploads: usize,
    bytes: usize,
    /// The number of uploads to textures, and the number of texels.
    images: usize,
    texels: usize,
    queries: usize,
}

thread_local! {
    static GL_CALLS: Cell<GlCalls> = const { Cell::new(GlCalls {
        draws: 0,
        uploads: 0,
        bytes: 0,
        images: 0,
        texels: 0,
        queries: 0,
    }) };
}

fn record(change: impl FnOnce(&mut GlCalls)) {
    let mut calls = GL_CALLS.get();
    change(&mut calls);
    GL_CALLS.set(calls);
}

fn upload(bytes: isize, data: *const c_void) {
    if !data.is_null() {
        record(|calls| {
            calls.uploads += 1;
            calls.bytes += bytes as usize;
        });
    }
}

fn image(width: i32, height: i32, data: *const c_void) {
    if !data.is_null() {
        record(|calls| {
            calls.images += 1;
            calls.texels += width as usize * height as usize;
        });
    }
}

macro_rules! counted {
    ($($name:ident($($arg:ident: $type:ty),*) => $note:expr;)*) => {
        /// Returns the driver's function, or a wrapper that counts the call and forwards it.
        fn address(name: &CStr) -> *const c_void {
            $({
                #[allow(non_snake_case, unused_variables, clippy::too_many_arguments)]
                unsafe extern "system" fn $name($($arg: $type),*) {
                    $note;
                    let name = CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes());
                    let address = Headless::address(name.expect("the name should be UTF-8"));
                    // SAFETY: the caller upholds the driver function's contract. `address` has checked that the
                    // function exists.
                    unsafe {
                        std::mem::transmute::<*const c_void, unsafe extern "system" fn($($type),*)>(
                            address,
                        )($($arg),*);
                    }
                }
                if name.to_bytes() == stringify!($name).as_bytes() && !Headless::address(name).is_null() {
                    return $name as *const c_void;
                }
            })*
            // Hide other functions that draw or upload, because they aren't counted.
            let text = name.to_string_lossy();
            let unseen = ["glDraw", "glMultiDraw", "glMap", "glBufferS", "glNamedBuffer", "glTexStorage"];
            let is_state = text.starts_with("glDrawBuffer");
            if unseen.iter().any(|start| text.starts_with(start)) && !is_state {
                return std::ptr::null();
            }
            Headless::address(name)
        }
    };
}

counted! {
    glDrawArrays(mode: u32, first: i32, count: i32) => record(|calls| calls.draws += 1);
    glDrawElements(mode: u32, count: i32, kind: u32, at: *const c_void) => record(|calls| calls.draws += 1);
    glGetIntegerv(name: u32, values: *mut i32) => record(|calls| calls.queries += 1);
    glBufferData(target: u32, size: isize, data: *const c_void, usage: u32) => upload(size, data);
    glBufferSubData(target: u32, at: isize, size: isize, data: *const c_void) => upload(size, data);
    glTexImage2D(target: u32, level: i32, inside: i32, width: i32, height: i32, border: i32,
        format: u32, kind: u32, data: *const c_void) => image(width, height, data);
    glTexSubImage2D(target: u32, level: i32, x: i32, y: i32, width: i32, height: i32,
        format: u32, kind: u32, data: *const c_void) => image(width, height, data);
}

/// The ES 2.0 extension for 32-bit indices.
const WIDE_INDICES: &str = "GL_OES_element_index_uint";

/// Removes `WIDE_INDICES` from the list of extensions that the driver returns.
unsafe extern "system" fn get_string(name: u32) -> *const c_char {
    type GetString = unsafe extern "system" fn(u32) -> *const c_char;
    // SAFETY: the caller upholds the contract of the driver's function.
    let text = unsafe {
        let address = Headless::address(c"glGetString");
        let text = std::mem::transmute::<*const c_void, GetString>(address)(name);
        CStr::from_ptr(text)
    };
    let text = text.to_string_lossy().replace(WIDE_INDICES, "");
    // GL's strings live as long as the context, so leak these few.
    CString::new(text)
        .expect("the text should not contain NUL")
        .into_raw()
}

/// Like `address`, but for a context that supports only 16-bit indices.
fn address_of_short(name: &CStr) -> *const c_void {
    match name.to_bytes() {
        b"glGetString" => get_string as *const c_void,
        _ => address(name),
    }
}

fn count_calls(draw: impl FnOnce()) -> GlCalls {
    GL_CALLS.take();
    draw();
    GL_CALLS.take()
}

fn report(rows: usize, name: &str) -> Report {
    let row = |row: usize| {
        Row::new(
            &format!("{name}_{row:04}"),
            [
                (ColumnId::SelfTime, 1.5),
                (ColumnId::HierarchicalTime, 2.5),
                (ColumnId::Count, 3.0),
            ],
        )
    };
    let mut report = Report::default();
    report.columns = vec![
        ColumnId::SelfTime,
        ColumnId::HierarchicalTime,
        ColumnId::Count,
    ];
    report.rows = (0..rows).map(row).collect();
    report
}

fn graph(bars: u64, style: GraphStyle) -> Graph {
    let zones = (0..20).map(|zone| GraphZone::new(&format!("zone {zone}")));
    let segments = (0..20).map(|zone| Segment { zone, ms: 0.7 });
    let bar = |frame| Bar::new(frame, segments.clone().collect());
    let mut graph = Graph::default();
    graph.style = style;
    graph.title = "frames".into();
    graph.zones = zones.collect();
    graph.bars = (1..=bars).map(bar).collect();
    graph.capacity = bars as usize;
    graph
}

#[test]
fn drawing_takes_at_most_three_draws_and_one_upload() {
    let size = Target::new(4096, 2160);
    for kind in [Kind::Gl33Core, Kind::Gl45Core, Kind::Gles30] {
        let Some(h) = Headless::new(kind, size) else {
            return;
        };
        // SAFETY: the context is current.
        let mut overlay =
            unsafe { Painted::from_loader(address) }.expect("failed to create an overlay");
        // The report fills a 4K screen with 200,000 small glyphs. The graph has 80,000 segments.
        let long = "many_characters_".repeat(8);
        let (small, large) = (report(40, "zone"), report(200, &long));
        let bars = graph(4_000, GraphStyle::Bars);
        let lines = graph(4_000, GraphStyle::Lines);
        let mut draw = |frame: usize| {
            overlay.set_text_size(12.0);
            let reports = [&small, &large].map(|report| {
                count_calls(|| {
                    overlay.draw(|frame| frame.draw_report(report, 0.0, 0.0, 4000.0, 2100.0, 2))
                })
            });
            overlay.set_text_size(9.0);
            let graphs = [&bars, &lines].map(|graph| {
                count_calls(|| overlay.draw(|frame| frame.draw_graph(graph, 0.0, 0.0, 1.0, 30.0)))
            });
            for (at, calls) in reports.into_iter().chain(graphs).enumerate() {
                let what = format!("{kind:?}, frame {frame}, call {at}: {calls:?}");
                assert!((1..=3).contains(&calls.draws), "{what}");
                // Glyphs and indices are uploaded only when a frame needs more of them than any frame before.
                let most = if frame == 0 { 2 } else { 1 };
                assert!((1..=most).contains(&calls.uploads), "{what}");
                assert!(calls.images <= usize::from(frame == 0), "{what}");
                if at > 0 {
                    assert!(calls.bytes > 400_000, "{what}");
                }
            }
        };
        (0..3).for_each(&mut draw);
        assert_eq!(h.take_error(), glow::NO_ERROR);
        overlay.destroy();
    }
}

#[test]
fn whole_frame_takes_one_draw_and_one_state_save() {
    let Some(_h) = Headless::new(Kind::Gl33Core, Target::new(640, 480)) else {
        return;
    };
    // SAFETY: the context is current.
    let mut overlay =
        unsafe { Painted::from_loader(address) }.expect("failed to create an overlay");
    let (report, graph) = (report(9, "zone"), graph(50, GraphStyle::Bars));
    let mut steady = |add_parts: &dyn Fn(&mut Frame<'_>)| {
        overlay.draw(add_parts);
        count_calls(|| overlay.draw(add_parts))
    };
    let one = steady(&|frame| frame.draw_report(&report, 10.0, 10.0, 400.0, 200.0, 2));
    let all = steady(&|frame| {
        frame.draw_report(&report, 10.0, 10.0, 400.0, 200.0, 2);
        frame.draw_graph(&graph, 10.0, 220.0, 4.0, 4.0);
        frame.draw_help(&Bindings::default(), 1, 420.0, 10.0, 200.0, 200.0);
    });
    assert!(one.queries > 10 && all.bytes > one.bytes, "{one:?} {all:?}");
    assert_eq!((all.draws, all.uploads), (1, 1));
    assert_eq!(all.queries, one.queries);
    let nothing = steady(&|_| {});
    assert_eq!(
        (nothing.draws, nothing.queries),
        (0, 1),
        "only the viewport should be queried"
    );
    overlay.destroy();
}

#[test]
fn only_new_glyphs_are_uploaded() {
    let Some(h) = Headless::new(Kind::Gl33Core, Target::new(640, 480)) else {
        return;
    };
    // SAFETY: the context is current.
    let mut overlay =
        unsafe { Painted::from_loader(address) }.expect("failed to create an overlay");
    let mut texels = |name: &str, size: f32| {
        overlay.set_text_size(size);
        let report = report(3, name);
        count_calls(|| overlay.draw(|frame| frame.draw_report(&report, 0.0, 0.0, 640.0, 480.0, 2)))
            .texels
    };
    let first = texels("abc", 12.0);
    assert!(first > 0);
    assert_eq!(texels("cab", 12.0), 0);
    // A row of the texture has 512 texels, and a 12 px letter needs at most 16 rows.
    let letter = texels("abcß", 12.0);
    assert!((1..=512 * 16).contains(&letter), "{letter}");
    let large = texels("abcß", 24.0);
    assert!(large > 0);
    for _ in 0..10 {
        assert_eq!(texels("abcß", 12.0) + texels("cabß", 24.0), 0);
    }
    assert_eq!(h.take_error(), glow::NO_ERROR);
    overlay.destroy();
}

#[test]
fn sixteen_bit_indices_draw_the_same_picture() {
    let mesa = [("MESA_GLES_VERSION_OVERRIDE", "2.0")];
    let name = "sixteen_bit_indices_draw_the_same_picture";
    if !in_old_gl(name, &mesa) {
        return;
    }
    let graph = graph(1_900, GraphStyle::Bars);
    let report = report(12, "over the graph");
    let draw = |is_short: bool| {
        let h = Headless::new(Kind::Gles20, Target::new(2048, 600))?;
        if !h.is_mesa() {
            println!("skipped: this driver has indices of 32 bits");
            return None;
        }
        h.clear([0.2, 0.3, 0.4, 1.0]);
        // SAFETY: the context is current.
        let overlay = unsafe {
            match is_short {
                true => Painted::from_loader(address_of_short),
                false => Painted::from_loader(address),
            }
        };
        let mut overlay = overlay.expect("failed to create an overlay");
        let draws = [1, 2].map(|_| {
            let graph = count_calls(|| {
                overlay.draw(|frame| frame.draw_graph(&graph, 10.0, 10.0, 1.0, 12.0))
            })
            .draws;
            (
                graph,
                count_calls(|| {
                    overlay.draw(|frame| frame.draw_report(&report, 50.0, 50.0, 400.0, 250.0, 2))
                })
                .draws,
            )
        });
        overlay.destroy();
        assert_eq!(h.take_error(), glow::NO_ERROR);
        Some((h.read(), draws))
    };
    let (Some((wide, one)), Some((short, more))) = (draw(false), draw(true)) else {
        return;
    };
    assert_eq!(one, [(1, 1); 2]);
    assert_eq!(
        more,
        [(3, 1); 2],
        "wrong counts for 38,000 bars or for 12 rows"
    );
    assert_same("short_indices", &short, &wide, Tolerance::EXACT);
}
