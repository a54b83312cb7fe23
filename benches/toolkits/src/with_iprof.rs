//! iprof's contender: the report or the graph, step by step, timed. It uses the overlay's own source files, not the crate.

use crate::context::Context;
use crate::draw::glow_0_18::{Painter, viewport};
use crate::draw::{BarsArea, DrawList, Font, ReportArea, Theme};
use crate::page::{self, PRECISION, Page, RECT};
use crate::{BASELINE, Contender, Frame, gl_clock};
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
    gl: glow::Context,
    painter: Painter,
    font: Font,
    list: DrawList,
    text: ReportArea,
    bars: BarsArea,
    number: String,
}

impl Overlay {
    pub(crate) fn new(context: &Context, subject: Subject) -> Overlay {
        // SAFETY: current; the addresses are the driver's, or stand for them.
        let (gl, painter) = unsafe {
            let gl = glow::Context::from_loader_function_cstr(gl_clock::timed(context.loader()));
            let painter = Painter::new(&gl, None).expect("a painter");
            (gl, painter)
        };
        Overlay {
            subject,
            gl,
            painter,
            font: Font::new(page::TEXT_PX),
            list: DrawList::default(),
            text: ReportArea::default(),
            bars: BarsArea::default(),
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
        format!("{version}, its own files; saves and restores the state of the host")
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
        // SAFETY: current.
        let viewport = unsafe { viewport(&self.gl) };
        let asked = start.elapsed().as_nanos() as u64;
        let start = Instant::now();
        self.font.begin(page::TEXT_PX);
        self.list.clear();
        let (font, list) = (&mut self.font, &mut self.list);
        match self.subject {
            Subject::Report => self
                .text
                .lay_out(font, list, &Theme::DARK, report, RECT, PRECISION),
            Subject::Graph => {
                let screen = page::SCREEN.map(|px| px as f32);
                let (at, spacing) = (page::GRAPH_AT, page::GRAPH_SPACING);
                self.bars
                    .lay_out(font, list, &Theme::DARK, &page.graph, at, spacing, screen);
            }
        }
        let layout = start.elapsed().as_nanos() as u64;

        gl_clock::taken();
        let start = Instant::now();
        // SAFETY: current.
        unsafe {
            self.painter
                .paint(&self.gl, &self.list, &mut self.font.image, viewport, None)
        };
        let paint = start.elapsed().as_nanos() as u64;
        let [upload, draw] = gl_clock::taken();
        Frame {
            noted: vec![("(format alone)", format)],
            made: vec![("layout", layout)],
            given: vec![
                ("state", asked + paint.saturating_sub(upload + draw)),
                ("upload", upload),
                ("draw call", draw),
            ],
            quads: self.list.quads().len(),
        }
    }
}
