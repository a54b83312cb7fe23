//! The page that all contenders draw: a report and a graph. Also checks and writes the resulting pictures.

use iprof::{Bar, ColumnId, Graph, GraphZone, Report, Row, Segment};
use std::fs::File;
use std::io::{BufWriter, Result, Write};

pub(crate) const SCREEN: [i32; 2] = [1280, 720];
pub(crate) const FONT: &[u8] = include_bytes!("../../../fonts/JetBrainsMono-Medium-subset.ttf");
pub(crate) const TEXT_PX: f32 = 12.0;
/// The font's metrics at this text size, in px.
pub(crate) const ADVANCE: f32 = 7.0;
pub(crate) const LINE: f32 = 15.0;

/// The numbers of rows in the reports: a few rows, and a screenful.
pub(crate) const ROWS: [usize; 2] = [10, 40];
pub(crate) const GLYPHS: usize = 60;
/// The report's left, top and right edges, in px.
pub(crate) const RECT: [f32; 3] = [20.0, 20.0, 620.0];
pub(crate) const COLUMNS: [ColumnId; 3] = [
    ColumnId::SelfTime,
    ColumnId::HierarchicalTime,
    ColumnId::Count,
];
pub(crate) const ZONE: &str = "zone";
/// The left edge of the names, and the right edges of the columns.
pub(crate) const NAMES_X: f32 = RECT[0] + 1.5 * ADVANCE;
pub(crate) const RIGHTS: [f32; 3] = [
    RECT[2] - 18.5 * ADVANCE,
    RECT[2] - 9.5 * ADVANCE,
    RECT[2] - 0.5 * ADVANCE,
];
pub(crate) const PRECISION: u32 = 2;

/// The overlay's colors.
pub(crate) const HEAD: [u8; 4] = [24, 36, 82, 230];
pub(crate) const GROUNDS: [[u8; 4]; 2] = [[10, 14, 36, 217], [17, 23, 54, 217]];
pub(crate) const HEAD_TEXT: [u8; 4] = [178, 196, 255, 255];
pub(crate) const TEXT: [u8; 4] = [96, 232, 128, 255];

/// The number of bars in the graph, all of which are visible, and the number of zones in each bar.
pub(crate) const BARS: usize = 590;
pub(crate) const ZONES: u32 = 10;
pub(crate) const GRAPH_AT: [f32; 2] = [20.0, 60.0];
pub(crate) const GRAPH_SPACING: [f32; 2] = [2.0, 10.0];

pub(crate) struct Page {
    pub(crate) report: Report,
    pub(crate) graph: Graph,
}

impl Page {
    /// Creates a frame's page with the given number of rows. Names stay the same, and numbers change.
    pub(crate) fn new(frame: usize, rows: usize) -> Page {
        let mut report = Report::default();
        report.columns = COLUMNS.to_vec();
        report.whole_counts = true;
        for row in 0..rows {
            let swing = ((row * 37 + frame * 61) % 400) as f64;
            // The columns are 6, 6 and 4 characters wide.
            let values = [
                100.004 + swing * 1.13,
                200.006 + swing * 1.97,
                1_000.0 + swing,
            ];
            let name = format!("renderer::visible_set::cull_by_portals::n_{row:02}");
            assert_eq!(name.len() + 16, GLYPHS);
            let values = COLUMNS.into_iter().zip(values);
            report.rows.push(Row::new(&name, values));
        }
        Page {
            report,
            graph: graph(frame),
        }
    }

    /// Returns the number of rectangles: a background for each row and for the header, and one for each glyph.
    pub(crate) fn quads(&self) -> usize {
        let words = COLUMNS.iter().map(|column| column.header()).chain([ZONE]);
        let glyphs = words.flat_map(str::chars).filter(|c| *c != ' ').count();
        self.report.rows.len() * (GLYPHS + 1) + glyphs + 1
    }

    /// Returns the height of the report with its header, in px.
    pub(crate) fn height(&self) -> f32 {
        LINE * (self.report.rows.len() as f32 + 1.0)
    }
}

impl Page {
    pub(crate) fn bar_quads(&self) -> usize {
        BARS * ZONES as usize
    }
}

/// Creates a graph. In each bar, each zone takes 2 to 5 ms, so every zone is large enough to be visible.
fn graph(frame: usize) -> Graph {
    let name = |zone| GraphZone::new(&format!("zone {zone}"));
    let ms = |at: usize, zone: u32| 2.0 + ((at * 7 + zone as usize * 3) % 13) as f32 * 0.25;
    let bars = (frame..frame + BARS).map(|at| {
        let segments = (0..ZONES).map(|zone| Segment {
            zone,
            ms: ms(at, zone),
        });
        Bar::new(at as u64, segments.collect())
    });
    let mut graph = Graph::default();
    graph.title = "bench".into();
    graph.zones = (0..ZONES).map(name).collect();
    graph.bars = bars.collect();
    graph.capacity = BARS;
    graph
}

/// Asserts that the picture contains the report. Returns the number of bright pixels, which belong to text.
pub(crate) fn check(name: &str, page: &Page, picture: &[u8]) -> usize {
    let [width, height] = SCREEN.map(|px| px as usize);
    let [left, top, right] = RECT.map(|edge| edge as usize);
    let bottom = top + page.height() as usize;
    let mut bright = 0;
    for (at, pixel) in picture.chunks_exact(4).enumerate() {
        // The bottom row of pixels comes first.
        let (x, y) = (at % width, height - 1 - at / width);
        let is_inside = (left..right).contains(&x) && (top..bottom).contains(&y);
        let is_covered = pixel[..3] != [0, 0, 0];
        // Descenders of the last row may extend below it.
        assert!(is_covered || !is_inside, "{name}: pixel {x}, {y}");
        bright += usize::from(pixel[1] > 120);
    }
    let least = page.report.rows.len() * GLYPHS * 5;
    assert!(bright > least, "{name}: {bright} bright pixels");
    bright
}

pub(crate) fn keep(folder: &str, name: &str, picture: &[u8]) -> Result<()> {
    let mut file = BufWriter::new(File::create(format!("{folder}/{name}.ppm"))?);
    let [width, height] = SCREEN;
    writeln!(file, "P6 {width} {height} 255")?;
    for row in picture.chunks_exact(width as usize * 4).rev() {
        for pixel in row.chunks_exact(4) {
            file.write_all(&pixel[..3])?;
        }
    }
    Ok(())
}
