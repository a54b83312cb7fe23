//! iprof's contender: the report or the graph. The layout is timed by itself, and taken off the overlay's time.

use crate::context::Context;
use crate::page::{self, PRECISION, Page, RECT};
use crate::{BASELINE, Contender, Frame, gl_clock};
use iprof::gl;
use iprof::overlay::Layout;
use std::time::Instant;

pub(crate) const GRAPH: &str = "iprof graph";

/// The content that the overlay draws.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Subject {
    Report,
    Graph,
}

pub(crate) struct Overlay {
    subject: Subject,
    /// Laid out by itself.
    layout: Layout,
    overlay: gl::Overlay,
    number: String,
}

impl Overlay {
    pub(crate) fn new(context: &Context, subject: Subject) -> Overlay {
        // SAFETY: current; the addresses are the driver's, or stand for them.
        let overlay = unsafe { gl::Overlay::from_loader(gl_clock::timed(context.loader())) };
        Overlay {
            subject,
            layout: Layout::new(),
            overlay: overlay.expect("an overlay"),
            number: String::new(),
        }
    }
}

impl Contender for Overlay {
    fn name(&self) -> &'static str {
        match self.subject {
            Subject::Report => BASELINE,
            Subject::Graph => GRAPH,
        }
    }

    fn is_compared(&self) -> bool {
        self.subject == Subject::Report
    }

    fn about(&self) -> String {
        let manifest = include_str!("../../../Cargo.toml");
        let version = manifest
            .lines()
            .find_map(|line| line.strip_prefix("version = "));
        let version = version.unwrap_or_default().trim_matches('"');
        format!("{version}; saves and restores the state of the host")
    }

    fn draw(&mut self, page: &Page) -> Frame {
        let report = &page.report;
        let start = Instant::now();
        // By itself: the layout does it again.
        if self.subject == Subject::Report {
            let mut characters = 0;
            for row in &report.rows {
                for column in &report.columns {
                    self.number.clear();
                    report.push_value(row, *column, PRECISION, &mut self.number);
                    characters += self.number.len();
                }
            }
            assert_eq!(characters, page::ROWS * 16);
        }
        let format = start.elapsed().as_nanos() as u64;

        let start = Instant::now();
        let mut drawing = self.layout.begin(page::SCREEN.map(|px| px as f32));
        let [left, top, right, bottom] = RECT;
        let (w, h) = (right - left, bottom - top);
        let ([x, y], [across, down]) = (page::GRAPH_AT, page::GRAPH_SPACING);
        match self.subject {
            Subject::Report => drawing.draw_report(report, left, top, w, h, PRECISION),
            Subject::Graph => drawing.draw_graph(&page.graph, x, y, across, down),
        }
        let layout = start.elapsed().as_nanos() as u64;

        gl_clock::taken();
        let start = Instant::now();
        match self.subject {
            Subject::Report => self.overlay.draw_report(report, left, top, w, h, PRECISION),
            Subject::Graph => self.overlay.draw_graph(&page.graph, x, y, across, down),
        }
        let all = start.elapsed().as_nanos() as u64;
        let [upload, draw] = gl_clock::taken();
        Frame {
            noted: vec![("(format alone)", format)],
            made: vec![("layout", layout)],
            given: vec![
                ("state", all.saturating_sub(layout + upload + draw)),
                ("upload", upload),
                ("draw call", draw),
            ],
            quads: self.layout.draw_data().vertices().len() / 4,
        }
    }
}
