//! iprof's contenders, which draw the report or the graph, with OpenGL or wgpu.

use crate::context::Context;
use crate::page::{self, PRECISION, Page, RECT};
use crate::wgpu_target::{FORMAT, WgpuTarget};
use crate::{Contender, Frame, gl_clock};
use iprof::{gl, overlay};
use std::time::Instant;

pub(crate) const GRAPH: &str = "iprof graph";

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Subject {
    Report,
    Graph,
}

pub(crate) struct Overlay {
    subject: Subject,
    overlay: overlay::Overlay,
    painter: gl::Painter,
    number: String,
}

impl Overlay {
    pub(crate) fn new(context: &Context, subject: Subject) -> Overlay {
        // SAFETY: the context is current. The addresses are those of the driver's functions, or of wrappers around
        // them.
        let painter = unsafe { gl::Painter::from_loader(gl_clock::timed(context.loader())) };
        Overlay {
            subject,
            overlay: overlay::Overlay::new(),
            painter: painter.expect("failed to create a painter"),
            number: String::new(),
        }
    }
}

fn version() -> &'static str {
    let manifest = include_str!("../../../Cargo.toml");
    let version = manifest
        .lines()
        .find_map(|line| line.strip_prefix("version = "));
    version.unwrap_or_default().trim_matches('"')
}

/// Only formats the numbers, and returns how many nanoseconds that took. The layout formats them again.
fn format_alone(page: &Page, number: &mut String) -> u64 {
    let report = &page.report;
    let start = Instant::now();
    let mut characters = 0;
    for row in &report.rows {
        for column in &report.columns {
            number.clear();
            report.push_value(row, *column, PRECISION, number);
            characters += number.len();
        }
    }
    assert_eq!(characters, report.rows.len() * 16);
    start.elapsed().as_nanos() as u64
}

/// Returns the report's left edge, top edge, width and height.
fn report_rect(page: &Page) -> [f32; 4] {
    let [left, top, right] = RECT;
    [left, top, right - left, page.height()]
}

impl Contender for Overlay {
    fn name(&self) -> &'static str {
        match self.subject {
            Subject::Report => "iprof",
            Subject::Graph => GRAPH,
        }
    }

    fn is_compared(&self) -> bool {
        self.subject == Subject::Report
    }

    fn about(&self) -> String {
        format!("{}; saves and restores the state of the host", version())
    }

    fn draw(&mut self, page: &Page) -> Frame {
        let format = match self.subject {
            Subject::Report => format_alone(page, &mut self.number),
            Subject::Graph => 0,
        };
        let [left, top, w, h] = report_rect(page);
        let ([x, y], [across, down]) = (page::GRAPH_AT, page::GRAPH_SPACING);
        gl_clock::taken();
        let start = Instant::now();
        let mut frame = self.overlay.begin(page::SCREEN.map(|px| px as f32));
        match self.subject {
            Subject::Report => frame.draw_report(&page.report, left, top, w, h, PRECISION),
            Subject::Graph => frame.draw_graph(&page.graph, x, y, across, down),
        }
        self.painter.paint(self.overlay.draw_data());
        let end = Instant::now();
        let taken = gl_clock::taken();
        let paint_started = taken
            .paint_started
            .expect("the frame should have been painted");
        let api_calls = end.duration_since(paint_started).as_nanos() as u64;
        Frame {
            noted: vec![("(format alone)", format)],
            prepared: vec![(
                "layout",
                paint_started.duration_since(start).as_nanos() as u64,
            )],
            api_calls: vec![
                // The rest is querying, setting and restoring state.
                ("state", api_calls - taken.upload - taken.draw),
                ("upload", taken.upload),
                ("draw call", taken.draw),
            ],
            quads: self.overlay.draw_data().vertices().len() / 4,
        }
    }
}

/// Draws the report in a wgpu render pass.
pub(crate) struct WgpuOverlay<'a> {
    target: &'a WgpuTarget,
    overlay: overlay::Overlay,
    painter: iprof_wgpu::Painter,
    number: String,
}

impl WgpuOverlay<'_> {
    pub(crate) fn new(target: &WgpuTarget) -> WgpuOverlay<'_> {
        let WgpuTarget { device, queue, .. } = target;
        WgpuOverlay {
            target,
            overlay: overlay::Overlay::new(),
            painter: iprof_wgpu::Painter::new(device, queue, FORMAT, 1),
            number: String::new(),
        }
    }
}

impl Contender for WgpuOverlay<'_> {
    fn name(&self) -> &'static str {
        "iprof wgpu"
    }

    fn is_compared(&self) -> bool {
        true
    }

    fn about(&self) -> String {
        format!("iprof-wgpu {}", version())
    }

    fn draw(&mut self, page: &Page) -> Frame {
        let WgpuTarget { device, queue, .. } = self.target;
        let format = format_alone(page, &mut self.number);
        let [left, top, w, h] = report_rect(page);
        let start = Instant::now();
        let mut frame = self.overlay.begin(page::SCREEN.map(|px| px as f32));
        frame.draw_report(&page.report, left, top, w, h, PRECISION);
        let layout = start.elapsed().as_nanos() as u64;
        let start = Instant::now();
        self.painter
            .prepare(device, queue, self.overlay.draw_data());
        let prepare = start.elapsed().as_nanos() as u64;
        let start = Instant::now();
        let encoder = device.create_command_encoder(&Default::default());
        let commands = self
            .target
            .encode(encoder, |pass| self.painter.render(pass));
        let encode = start.elapsed().as_nanos() as u64;
        let submit = self.target.submit([commands]);
        Frame {
            noted: vec![("(format alone)", format)],
            prepared: vec![("layout", layout)],
            api_calls: vec![("prepare", prepare), ("encode", encode), ("submit", submit)],
            quads: self.overlay.draw_data().vertices().len() / 4,
        }
    }
}
