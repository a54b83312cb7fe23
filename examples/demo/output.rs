//! The demo's output files: pictures and reports.

use glow::HasContext;
use iprof::{ReportMode, Threads, View};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

pub(crate) const NO_GL_ADVICE: &str = "No OpenGL here, so this is the text report only. \
On Debian or Ubuntu install libegl1 and libgl1-mesa-dri, elsewhere EGL and a driver.";

/// The maximum number of rows to print, so that they and the surrounding lines fit on a terminal.
const MOST_ROWS: usize = 12;

/// Writes the first rows of the default view's report, and says where to find the rest.
pub(crate) fn write_short_report(mut out: impl Write) -> io::Result<()> {
    let mut report = iprof::report();
    let rows = report.rows.len();
    report.rows.truncate(MOST_ROWS);
    report.write(&mut out, 2)?;
    if rows > MOST_ROWS {
        writeln!(
            out,
            "  the first {MOST_ROWS} of {rows} zones; --report FILE.txt writes all, and each thread by itself"
        )?;
    }
    writeln!(out)
}

/// Writes the default view's report, and then a report for each thread with the sum of its self times.
fn write_report(mut out: impl Write) -> io::Result<()> {
    iprof::write_report(&mut out)?;
    for thread in iprof::threads() {
        let mut view = View::default();
        view.set_threads(Threads::One(thread.id));
        view.report_mode = ReportMode::SelfTime;
        view.average = iprof::Average::Slow;
        view.set_column(
            iprof::ColumnId::NetTime,
            iprof::with_view(|shown| shown.column(iprof::ColumnId::NetTime)),
        );
        let report = view.report(&iprof::profiler());
        writeln!(out)?;
        report.write(&mut out, 4)?;
        let sum: f64 = report
            .rows
            .iter()
            .map(|row| row.value(iprof::ColumnId::SelfTime).unwrap().number)
            .sum();
        // The sum of an empty iterator is negative zero.
        writeln!(out, "  the self times sum to {:.4} ms", sum + 0.0)?;
    }
    Ok(())
}

pub(crate) fn save_report(path: &Path) -> Result<(), String> {
    write_whole(path, |file| write_report(file))
}

/// Writes a file so that concurrent readers never see it half written.
fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), String> {
    // The temporary file is in the same directory, because renaming does not work across file systems.
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let written = File::create(&part)
        .map(BufWriter::new)
        .and_then(|mut file| {
            write(&mut file)?;
            file.flush()?;
            fs::rename(&part, path)
        });
    written.map_err(|error| {
        let _ = fs::remove_file(&part);
        format!("{}: {error}", path.display())
    })
}

/// Writes the framebuffer's contents to a PNG file.
///
/// # Safety
///
/// The context of `gl` must be current on this thread.
#[allow(unsafe_code)] // Reads pixels from GL.
pub(crate) unsafe fn save_picture(
    gl: &glow::Context,
    (width, height): (u32, u32),
    path: &Path,
) -> Result<(), String> {
    let row = width as usize * 4;
    let mut pixels = vec![0; row * height as usize];
    // SAFETY: the context is current (contract), and the slice has room for all pixels.
    unsafe {
        gl.pixel_store_i32(glow::PACK_ALIGNMENT, 4);
        gl.read_pixels(
            0,
            0,
            width as i32,
            height as i32,
            glow::RGBA,
            glow::UNSIGNED_BYTE,
            glow::PixelPackData::Slice(Some(&mut pixels)),
        );
    }
    // GL's first row is the bottom row, and its alpha is meaningless here.
    let mut rgb = vec![0; pixels.len() / 4 * 3];
    let rows = pixels.chunks_exact(row).rev();
    let places = rgb.chunks_exact_mut(3);
    for (pixel, place) in rows.flat_map(|row| row.chunks_exact(4)).zip(places) {
        place.copy_from_slice(&pixel[..3]);
    }
    write_whole(path, |file| {
        let mut encoder = png::Encoder::new(file, width, height);
        encoder.set_color(png::ColorType::Rgb);
        // Fast compression is used, because the program waits meanwhile.
        encoder.set_compression(png::Compression::Fastest);
        encoder.write_header()?.write_image_data(&rgb)?;
        Ok(())
    })
}
