//! Measures how long it takes to draw reports with 10 and with 40 rows of 60 characters, with iprof's overlay, egui and
//! Dear ImGui, in OpenGL and in wgpu.
//!
//! All contenders draw the same characters in the same font at the same positions, on rows of the same colors, into the
//! same framebuffer or texture. Numbers change in every frame, and each contender formats them in its usual way.
//! Contenders that use the same API take turns, frame by frame. Before each turn, the GL state is reset, and the bench
//! waits until all earlier drawing is finished.
//!
//! The number of rectangles is checked. Each picture must cover the report's area, and have about as many bright pixels
//! as the other pictures.
//!
//! `--runs N` sets the number of frames that each contender draws, `--tsv FILE` adds the results to a table, and
//! `--pictures FOLDER` writes the pictures.

mod context;
mod gl_clock;
#[path = "../../shared/options.rs"]
mod options;
mod page;
#[path = "../../shared/tsv.rs"]
mod tsv;
mod wgpu_target;

mod with_egui;
mod with_imgui;
mod with_iprof;

use context::Context;
use options::value_of;
use page::Page;
use std::time::Instant;
use tsv::Tsv;
use wgpu_target::WgpuTarget;
use with_iprof::Subject;

const RUNS: usize = 1_000;
/// The number of warm-up frames, in which characters are used for the first time and buffers grow.
const WARM_UP: usize = 50;
/// The names of two results. The first is the total time before the API is called. The second is the time to finish, in
/// which a software driver does the actual drawing. Each target names the total of its API calls.
const VERTICES: &str = "= text to vertices";
const FINISH: &str = "finish";

/// The names of a frame's parts, and their times in nanoseconds.
type Parts = Vec<(&'static str, u64)>;

trait Target {
    /// Returns the size, device and versions.
    fn about(&self) -> String;

    /// Returns the name of the total of all API calls.
    fn api_sum_name(&self) -> &'static str;

    /// Clears the picture to black, and waits until all work is done.
    fn prepare(&self);

    fn finish(&self);

    /// Returns the pixels as RGBA, with the bottom row first.
    fn read(&self) -> Vec<u8>;
}

trait Contender {
    fn name(&self) -> &'static str;

    /// Whether the contender draws the same report as the other contenders.
    fn is_compared(&self) -> bool;

    /// Returns the name, version and settings.
    fn about(&self) -> String;

    fn draw(&mut self, page: &Page) -> Frame;
}

struct Frame {
    /// Additional times, which are already included in other times.
    noted: Parts,
    /// The times spent before the API was called, and the times spent in API calls.
    prepared: Parts,
    api_calls: Parts,
    quads: usize,
}

impl Frame {
    fn parts(self, api_sum_name: &'static str) -> Parts {
        let sum = |parts: &Parts| parts.iter().map(|(_, ns)| ns).sum();
        let (prepared, api_calls) = (sum(&self.prepared), sum(&self.api_calls));
        let mut parts = self.noted;
        parts.extend(self.prepared);
        parts.push((VERTICES, prepared));
        parts.extend(self.api_calls);
        parts.push((api_sum_name, api_calls));
        parts
    }
}

/// Returns the version that was built, according to the lock file.
fn version_of(package: &str) -> &'static str {
    let entry = format!("name = \"{package}\"\nversion = \"");
    let found = include_str!("../Cargo.lock").split_once(&entry);
    found
        .and_then(|(_, rest)| rest.split('"').next())
        .unwrap_or("?")
}

struct Measured {
    parts: Vec<(&'static str, Vec<u64>)>,
    bright: usize,
}

fn main() -> std::io::Result<()> {
    let context = Context::new(page::SCREEN);
    // Ratios are relative to the first contender of each list.
    let contenders: Vec<Box<dyn Contender>> = vec![
        Box::new(with_iprof::Overlay::new(&context, Subject::Report)),
        Box::new(with_imgui::Imgui::new(&context)),
        Box::new(with_egui::Egui::new(&context)),
        Box::new(with_iprof::Overlay::new(&context, Subject::Graph)),
    ];
    measure(&context, contenders)?;
    // Dear ImGui allows only one context at a time. By now, the context for OpenGL has been dropped.
    let target = WgpuTarget::new();
    let contenders: Vec<Box<dyn Contender + '_>> = vec![
        Box::new(with_iprof::WgpuOverlay::new(&target)),
        Box::new(with_imgui::WgpuImgui::new(&target)),
        Box::new(with_egui::WgpuEgui::new(&target)),
    ];
    measure(&target, contenders)
}

fn measure(
    target: &dyn Target,
    mut contenders: Vec<Box<dyn Contender + '_>>,
) -> std::io::Result<()> {
    println!("\n{}", target.about());
    for contender in &contenders {
        println!("{:<12} {}", contender.name(), contender.about());
    }
    for rows in page::ROWS {
        println!("\n{rows} rows of {} characters", page::GLYPHS);
        measure_rows(rows, target, &mut contenders)?;
    }
    Ok(())
}

fn measure_rows(
    rows: usize,
    target: &dyn Target,
    contenders: &mut [Box<dyn Contender + '_>],
) -> std::io::Result<()> {
    let runs = options::runs(RUNS);
    let mut measured: Vec<Measured> = Vec::new();
    for frame in 0..WARM_UP + runs {
        let page = Page::new(frame, rows);
        for (at, contender) in contenders.iter_mut().enumerate() {
            target.prepare();
            let drawn = contender.draw(&page);
            let start = Instant::now();
            target.finish();
            let finish = start.elapsed().as_nanos() as u64;
            let (is_enough, expected) = match contender.is_compared() {
                true => (drawn.quads == page.quads(), page.quads()),
                // The graph adds its text, lines and backgrounds.
                false => (drawn.quads > page.bar_quads(), page.bar_quads()),
            };
            let (name, quads) = (contender.name(), drawn.quads);
            assert!(is_enough, "{name}: {quads} rectangles, expected {expected}");
            let mut parts = drawn.parts(target.api_sum_name());
            parts.push((FINISH, finish));
            if frame == 0 {
                measured.push(Measured {
                    parts: parts.iter().map(|(name, _)| (*name, Vec::new())).collect(),
                    bright: 0,
                });
            }
            if frame == WARM_UP {
                let picture = target.read();
                if contender.is_compared() {
                    measured[at].bright = page::check(contender.name(), &page, &picture);
                }
                if let Some(folder) = value_of("--pictures") {
                    page::keep(
                        &folder,
                        &format!("{rows} rows, {}", contender.name()),
                        &picture,
                    )?;
                }
            }
            if frame >= WARM_UP {
                for ((_, all), (_, ns)) in measured[at].parts.iter_mut().zip(parts) {
                    all.push(ns);
                }
            }
        }
    }
    let names: Vec<&str> = contenders
        .iter()
        .map(|contender| contender.name())
        .collect();
    // The text is the same, but some contenders blur its edges more and so have fewer bright pixels.
    let brightest = measured.iter().map(|one| one.bright).max().unwrap_or(0);
    for (contender, one) in contenders.iter().zip(&measured) {
        let is_enough = one.bright * 2 > brightest || !contender.is_compared();
        assert!(
            is_enough,
            "{}: only {} bright pixels",
            contender.name(),
            one.bright
        );
    }
    report(rows, &names, &mut measured)
}

fn report(rows: usize, names: &[&str], measured: &mut [Measured]) -> std::io::Result<()> {
    let mut tsv = Tsv::new("draw", value_of("--tsv").as_deref())?;
    for (_, all) in measured.iter_mut().flat_map(|one| &mut one.parts) {
        all.sort_unstable();
    }
    let us = |all: &[u64]| [all[0], all[all.len() / 2]].map(|ns| ns as f64 / 1e3);
    let part = |one: &Measured, name: &str| {
        let found = one.parts.iter().find(|(part, _)| *part == name);
        found.map(|(_, all)| us(all))
    };
    println!();
    println!(
        "{:<12} {:<18} {:>10} {:>8} {:>8} {:>8}",
        "", "us", "minimum", "ratio", "median", "ratio"
    );
    for (name, one) in names.iter().zip(measured.iter()) {
        for (what, all) in &one.parts {
            let value = us(all);
            // A graph can't be compared with the report that the other contenders draw.
            let base = part(&measured[0], what).filter(|_| *name != with_iprof::GRAPH);
            print!("{name:<12} {what:<18} ");
            match base {
                Some(base) => {
                    let ratio = [value[0] / base[0], value[1] / base[1]];
                    println!(
                        "{:>10.1} {:>8.2} {:>8.1} {:>8.2}",
                        value[0], ratio[0], value[1], ratio[1]
                    );
                }
                None => println!("{:>10.1} {:>8} {:>8.1}", value[0], "", value[1]),
            }
            for (at, unit) in ["us, minimum", "us, median"].into_iter().enumerate() {
                let base = base.unwrap_or(value);
                let case = format!("{rows} rows, {name}, {what}");
                tsv.line(&case, value[at], unit, names[0], value[at] / base[at])?;
            }
        }
        println!();
    }
    Ok(())
}
