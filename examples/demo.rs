//! The demo. Worker threads trace a sphereflake, the main thread moves the camera and a few thousand particles, and
//! OpenGL draws the scene with iprof's report and graph on top.
//!
//! `--help` lists the options, and F1 shows the keys. Without a display, the demo draws off screen and writes
//! `demo.png`. Without OpenGL, it prints the text report.

// The tracer uses unqualified `zone!` and `counter!`, because the benchmarks replace these macros with other profilers'
// versions.
#[macro_use]
extern crate iprof;

/// The demo's modules: the scene and its parts, the code that drives the scene, and the places where it is shown.
mod demo {
    pub(crate) mod app;
    pub(crate) mod controls;
    pub(crate) mod deadlock;
    pub(crate) mod faults;
    pub(crate) mod flake;
    pub(crate) mod flight;
    pub(crate) mod headless;
    pub(crate) mod labels;
    pub(crate) mod math;
    pub(crate) mod options;
    pub(crate) mod output;
    pub(crate) mod pace;
    pub(crate) mod particles;
    pub(crate) mod picture;
    pub(crate) mod scene;
    pub(crate) mod stage;
    pub(crate) mod tiles;
    pub(crate) mod tracer;
    pub(crate) mod trails;
    pub(crate) mod window;
    pub(crate) mod workers;
}

use demo::options::{Options, Request};
use demo::{headless, output, window};
use std::process::ExitCode;

/// Counts the allocations made on each call stack.
#[global_allocator]
static ALLOCATOR: iprof::Allocator = iprof::Allocator::new(std::alloc::System);

/// The exit code for invalid options.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let options = match Options::parse() {
        Ok(Request::Run(options)) => options,
        Ok(Request::Help) => {
            print!("{}", demo::options::HELP);
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("demo: {message}; --help lists the options");
            return ExitCode::from(USAGE);
        }
    };
    iprof::set_thread_name("main");
    // Without these options, environment variables apply.
    for (zone, budget) in &options.budgets {
        iprof::set_zone_budget(zone, Some(*budget));
    }
    if let Some(timing) = options.timing {
        iprof::set_timing(timing);
    }
    iprof::set_report_mode(options.mode);
    iprof::with_view(|view| view.set_column(iprof::ColumnId::NetTime, options.net));
    // At a fixed pace, frames that take 50 % longer count as too slow.
    if let Some(frame) = options.frame {
        iprof::configure(|config| config.frame_budget = frame * 3 / 2);
    }
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("demo: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs in a window if possible. Otherwise, runs off screen, or as a last resort without any picture.
fn run(options: &Options) -> Result<(), String> {
    let mut why_off_screen = "As asked".to_owned();
    if !options.headless {
        match window::run(options) {
            Err(window::Failure::NoDisplay(why)) => why_off_screen = why,
            Err(window::Failure::Broken(why)) => return Err(why),
            Ok(()) => return Ok(()),
        }
    }
    match headless::run(options, &why_off_screen) {
        Err(headless::Failure::NoGl(why)) => {
            headless::run_without_gl(options)?;
            println!("{} ({why})", output::NO_GL_ADVICE);
            Ok(())
        }
        Err(headless::Failure::Broken(why)) => Err(why),
        Ok(()) => Ok(()),
    }
}
