//! Implements `prof.h`. Text is drawn with the host's functions, in the host's coordinates.

#![allow(non_snake_case)] // These are the original's names.

use crate::prof_gl::{draw_graph, fill, set_color};
use crate::zones::{CZone, iprof_make_zone};
use crate::{c_string, catch_panic};
use crate::{recording, zones};
use iprof::{Average, ColumnId, Recursion, Report, ReportMode, Row, Zone};
use std::ffi::{c_char, c_float, c_int};

/// The header's `Prof_Zone`.
pub type ProfZone = CZone;
/// The header's `Prof_Report_Mode`.
pub type ProfReportMode = c_int;
/// The header's `Prof_Recursion_Mode`.
pub type ProfRecursionMode = c_int;

/// The host's function that prints text.
pub type PrintText = Option<unsafe extern "C" fn(c_float, c_float, *mut c_char)>;
/// The host's function that measures text.
pub type TextWidth = Option<unsafe extern "C" fn(*mut c_char) -> c_float>;

const TITLE: [f32; 4] = [0.12, 0.28, 0.02, 0.85];
const WARNING: [f32; 4] = [0.3, 0.08, 0.08, 0.85];
const HEADER: [f32; 4] = [0.0, 0.0, 0.0, 0.85];
const ROWS: [[f32; 4]; 2] = [[0.08, 0.1, 0.28, 0.85], [0.1, 0.12, 0.2, 0.85]];
const CURSOR_ROW: [f32; 4] = [0.3, 0.3, 0.1, 0.85];
const TEXT: [f32; 4] = [0.8, 0.8, 0.8, 1.0];

/// An area in which lines of text are printed from top to bottom.
struct Page {
    print: unsafe extern "C" fn(c_float, c_float, *mut c_char),
    width: unsafe extern "C" fn(*mut c_char) -> c_float,
    left: f32,
    right: f32,
    /// The y coordinate of the next line.
    y: f32,
    /// The distance from one line to the next, negative if y points up.
    line: f32,
}

impl Page {
    fn width(&self, text: &str) -> f32 {
        // SAFETY: the host's function takes a string.
        unsafe { (self.width)(c_string(text).as_ptr().cast_mut()) }
    }

    fn print(&self, x: f32, text: &str) {
        // SAFETY: the host's function takes a string.
        unsafe { (self.print)(x, self.y, c_string(text).as_ptr().cast_mut()) };
    }

    /// Shortens the text to this width, ending it with dots.
    fn cut(&self, text: &str, width: f32) -> String {
        if self.width(text) <= width {
            return text.to_owned();
        }
        let mut short = text.to_owned();
        while short.pop().is_some() {
            let dotted = format!("{short}...");
            if self.width(&dotted) <= width {
                return dotted;
            }
        }
        String::new()
    }

    /// Fills the background of the line. The text's lower edge is at `y`.
    fn bar(&self, color: [f32; 4]) {
        set_color(color);
        fill([self.left, self.y, self.right, self.y - self.line]);
    }

    fn print_to_the_left_of(&self, right: f32, text: &str) {
        self.print(right - self.width(text), text);
    }
}

/// Returns a color between green and white, depending on how much the row's time fluctuates.
fn color_of(row: &Row) -> [f32; 4] {
    let heat = row.heat.clamp(0.0, 1.0);
    [
        0.15 + 0.85 * heat,
        0.9 + 0.1 * heat,
        0.15 + 0.75 * heat,
        1.0,
    ]
}

fn draw(page: &mut Page, height: f32, precision: u32, report: &Report) {
    let line = page.line.abs();
    let mut left_over = height;
    let titles = report.title.iter().map(|text| (TITLE, text));
    for (color, text) in titles.chain(report.warnings.iter().map(|text| (WARNING, text))) {
        if left_over < 1.5 * line {
            return;
        }
        page.bar(color);
        set_color(TEXT);
        page.print(
            page.left + 2.0,
            &page.cut(text, page.right - page.left - 2.0),
        );
        page.y += 1.5 * page.line;
        left_over -= 1.5 * line;
    }
    let lines = (left_over / line).max(0.0) as usize;
    if lines == 0 {
        return;
    }
    let field = page.width("55555.55");
    // Show only as many columns as fit into half of the width.
    let room = ((page.right - page.left) / 2.0 / field.max(1.0)) as usize;
    let columns = &report.columns[..report.columns.len().min(room.max(1))];
    let right_of = |page: &Page, at: usize| page.right - field * (columns.len() - 1 - at) as f32;
    page.bar(HEADER);
    set_color(TEXT);
    page.print(page.left + 8.0, "zone");
    for (at, column) in columns.iter().enumerate() {
        let mut header = String::new();
        report.push_header(*column, &mut header);
        page.print_to_the_left_of(right_of(page, at), &header);
    }
    page.y += page.line;
    let shown = (lines - 1).min(report.rows.len());
    let cursor = report.cursor().unwrap_or(0);
    let first = (cursor + 1).saturating_sub(shown.max(1));
    let (plus, blank) = (page.width("+"), page.width(" "));
    for (at, row) in report.rows.iter().enumerate().skip(first).take(shown) {
        page.bar(match row.cursor {
            true => CURSOR_ROW,
            false => ROWS[at % 2],
        });
        set_color(color_of(row));
        let x = page.left + blank * row.indent as f32 + plus / 2.0;
        let sign = match row.expansion.as_char() {
            ' ' => (plus, String::new()),
            sign => (0.0, sign.to_string()),
        };
        let x = x + sign.0;
        let room = page.right - field * columns.len() as f32 - x;
        page.print(x, &page.cut(&format!("{}{}", sign.1, row.name), room));
        for (at, column) in columns.iter().enumerate() {
            let mut text = String::new();
            let precision = match column {
                ColumnId::Count => 2,
                _ => precision,
            };
            report.push_value(row, *column, precision, &mut text);
            if !text.is_empty() {
                page.print_to_the_left_of(right_of(page, at), &text);
            }
        }
        page.y += page.line;
    }
}

/// See `prof.h`.
///
/// # Safety
///
/// `zone` points to a `Prof_Zone`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn Prof_make(zone: *mut ProfZone) -> *const Zone {
    // SAFETY: this function has the same contract.
    unsafe { iprof_make_zone(zone) }
}

/// See `prof.h`.
///
/// # Safety
///
/// `zone` points to a `Prof_Zone`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn Prof_count(zone: *mut ProfZone) {
    // SAFETY: the caller guarantees this, and `iprof_count` accepts the result of `iprof_make_zone`.
    unsafe { zones::iprof_count(iprof_make_zone(zone)) };
}

/// See `prof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn Prof_update(record: c_int) {
    recording::iprof_update(record != 0);
}

/// See `prof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn Prof_set_report_mode(mode: ProfReportMode) {
    let mode = match mode {
        0 => ReportMode::SelfTime,
        1 => ReportMode::HierarchicalTime,
        2 => ReportMode::CallGraph,
        _ => return,
    };
    catch_panic((), || iprof::set_report_mode(mode));
}

/// See `prof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn Prof_move_cursor(delta: c_int) {
    catch_panic((), || iprof::move_cursor(delta));
}

/// See `prof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn Prof_set_cursor(line: c_int) {
    catch_panic((), || iprof::set_cursor(line.max(0) as usize));
}

/// See `prof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn Prof_select() {
    catch_panic((), iprof::select);
}

/// See `prof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn Prof_select_parent() {
    catch_panic((), iprof::select_parent);
}

/// See `prof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn Prof_move_frame(delta: c_int) {
    catch_panic((), || iprof::move_frame(delta));
}

/// See `prof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn Prof_set_frame(frame: c_int) {
    catch_panic((), || iprof::set_frame(frame.max(0) as usize));
}

/// See `prof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn Prof_set_recursion(mode: ProfRecursionMode) {
    let recursion = match mode {
        0 => Recursion::Flatten,
        1 => Recursion::Spread,
        _ => return,
    };
    catch_panic((), || iprof::set_recursion(recursion));
}

/// See `prof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn Prof_set_average(average: c_int) {
    // The original also clamps the number.
    let average = Average::ALL[average.clamp(0, 2) as usize];
    catch_panic((), || iprof::set_average(average));
}

/// See `prof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn Prof_set_smoothing(average: c_int) {
    Prof_set_average(average);
}

/// See `prof.h`.
///
/// # Safety
///
/// The functions are NULL or may be called. If the program has OpenGL's immediate mode, a context that supports it is
/// current.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn Prof_draw_gl(
    sx: c_float,
    sy: c_float,
    width: c_float,
    height: c_float,
    line_spacing: c_float,
    precision: c_int,
    print_text: PrintText,
    text_width: TextWidth,
) {
    catch_panic((), || {
        let (Some(print), Some(text_width)) = (print_text, text_width) else {
            return;
        };
        let usable = [sx, sy, width, height, line_spacing];
        if !usable.iter().all(|number| number.is_finite()) || line_spacing == 0.0 {
            return;
        }
        iprof::zone!(iprof_draw);
        let mut page = Page {
            print,
            width: text_width,
            left: sx,
            right: sx + width,
            y: sy,
            line: line_spacing,
        };
        draw(
            &mut page,
            height,
            precision.clamp(1, 4) as u32,
            &iprof::report(),
        );
    });
}

/// See `prof.h`.
///
/// # Safety
///
/// If the program has OpenGL's immediate mode, a context that supports it is current.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn Prof_draw_graph_gl(
    sx: c_float,
    sy: c_float,
    x_spacing: c_float,
    y_spacing: c_float,
) {
    catch_panic((), || {
        iprof::zone!(iprof_draw_graph);
        draw_graph([sx, sy, x_spacing, y_spacing]);
    });
}
