//! Code shared by the host examples: options, the overlay's position, and the picture of the last frame.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// The window's size in px.
pub const SIZE: [u32; 2] = [1280, 720];

/// The report's position: x, y, width and height in px, from the top left.
pub const REPORT: [f32; 4] = [20.0, 20.0, 600.0, 330.0];

/// The graph's position and scale: x and y in px, px per frame, and px per millisecond.
pub const GRAPH: [f32; 4] = [20.0, 500.0, 2.0, 4.0];

/// The number of frames in the graph.
pub const HISTORY: usize = 300;

/// The graph's maximum width and height in px: the width of the history and the axis labels, and the height of 40 ms
/// and two lines of text.
pub const GRAPH_SIZE: [f32; 2] = [HISTORY as f32 * GRAPH[2] + 64.0, 40.0 * GRAPH[3] + 30.0];

/// Draws the report, the graph and the tooltip.
pub fn draw(frame: &mut iprof::overlay::Frame<'_>) {
    let [x, y, w, h] = REPORT;
    frame.draw_default(x, y, w, h, 2);
    let [x, y, per_frame, per_ms] = GRAPH;
    frame.draw_default_graph(x, y, per_frame, per_ms);
    frame.draw_tooltip();
}

/// A host's command-line options.
#[derive(Clone, Debug)]
pub struct Options {
    frames: Option<u32>,
    shot: Option<PathBuf>,
    /// Whether to draw the overlay. Zones are recorded either way.
    pub overlay: bool,
}

impl Options {
    /// Parses the process's command line. If the options are invalid, prints a message and exits.
    #[must_use]
    pub fn from_command_line() -> Options {
        Options::parse().unwrap_or_else(|error| {
            eprintln!("{error}\noptions: [--frames N [--shot FILE.png]] [--no-overlay]");
            std::process::exit(2)
        })
    }

    fn parse() -> Result<Options, lexopt::Error> {
        use lexopt::prelude::*;
        let mut options = Options {
            frames: None,
            shot: None,
            overlay: true,
        };
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("frames") => options.frames = Some(parser.value()?.parse()?),
                Long("shot") => options.shot = Some(parser.value()?.into()),
                Long("no-overlay") => options.overlay = false,
                _ => return Err(argument.unexpected()),
            }
        }
        Ok(options)
    }

    /// Returns whether the frame, counted from 0, is the last one.
    #[must_use]
    pub fn is_last(&self, frame: u32) -> bool {
        self.frames.is_some_and(|frames| frame + 1 >= frames)
    }

    /// Writes the picture of the last frame, if requested. `pixels` is RGBA with the bottom row first, as returned by
    /// `glReadPixels`. Alpha is ignored.
    ///
    /// # Panics
    ///
    /// Panics if the file cannot be written.
    pub fn save(&self, [width, height]: [u32; 2], pixels: &[u8]) {
        let rows = pixels.chunks_exact(4 * width as usize).rev();
        let from_top: Vec<u8> = rows.flatten().copied().collect();
        self.save_from_top([width, height], &from_top, false);
    }

    /// Does the same as [`save`](Options::save), but for pixels with the top row first, which are BGRA if `is_bgra`.
    ///
    /// # Panics
    ///
    /// Panics if the file cannot be written.
    pub fn save_from_top(&self, size: [u32; 2], pixels: &[u8], is_bgra: bool) {
        let Some(path) = &self.shot else { return };
        let order = if is_bgra { [2, 1, 0] } else { [0, 1, 2] };
        let of_pixel = |pixel: &[u8]| order.map(|at| pixel[at]);
        let rgb: Vec<u8> = pixels.chunks_exact(4).flat_map(of_pixel).collect();
        write(path, size, &rgb);
    }
}

fn write(path: &Path, [width, height]: [u32; 2], rgb: &[u8]) {
    let file = File::create(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut encoder = png::Encoder::new(BufWriter::new(file), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder
        .write_header()
        .expect("failed to write the PNG header");
    writer
        .write_image_data(rgb)
        .expect("failed to write the PNG data");
}
