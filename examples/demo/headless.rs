//! Runs the demo without a display, either off screen or without any picture.

#![allow(unsafe_code)] // OpenGL is called through unsafe functions.

use super::app::{self, App};
use super::options::Options;
use super::output;
use super::pace::Pace;
use glow::HasContext;
use glutin::api::egl;
use glutin::config::{ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::context::ContextAttributesBuilder;
use glutin::display::GlDisplay;
use std::io;
use std::rc::Rc;
use std::time::Duration;

/// The reason why there is no picture.
pub(crate) enum Failure {
    NoGl(String),
    Broken(String),
}

/// The minimum duration of a frame without a display.
const FRAME: Duration = Duration::from_micros(16_667);

/// A context without a window or surface, and the objects that keep it alive.
struct OffScreen {
    gl: Rc<glow::Context>,
    _context: egl::context::PossiblyCurrentContext,
}

/// Draws the frames off screen, writes the picture and prints the report. `why` says why there is no window.
pub(crate) fn run(options: &Options, why: &str) -> Result<(), Failure> {
    let off_screen = OffScreen::new().map_err(Failure::NoGl)?;
    let gl = off_screen.gl.clone();
    // SAFETY: the context was made current, and nothing else makes one current.
    let mut app = unsafe {
        framebuffer(&gl, options.size).map_err(Failure::NoGl)?;
        App::new(gl.clone(), options).map_err(Failure::NoGl)?
    };
    for _ in 0..options.headless_frames() {
        app.frame(options.size, 1.0).map_err(Failure::Broken)?;
        {
            iprof::zone!(wait_for_gpu, idle);
            // SAFETY: the context is current.
            unsafe { gl.finish() };
        }
        iprof::zone!(wait_for_next_frame, idle);
        app.pace.wait(FRAME);
    }
    let shot = options.shot.clone().unwrap_or_else(|| "demo.png".into());
    app.save_requested_files(options, options.size)
        .map_err(Failure::Broken)?;
    if options.shot.is_none() {
        app.save_picture(options.size, &shot)
            .map_err(Failure::Broken)?;
    }
    output::write_short_report(io::stdout().lock())
        .map_err(|error| Failure::Broken(error.to_string()))?;
    let drew = match options.headless_frames() {
        1 => "1 frame off screen. It".to_owned(),
        frames => format!("{frames} frames off screen. The last one"),
    };
    println!(
        "{why}: drew {drew} is in {}, with report and frame graph over it.\n\
         In a window, F1 shows the keys. README.md shows how to put it into a program.",
        shot.display()
    );
    app.destroy();
    Ok(())
}

/// Runs only the profiled work, without drawing, and prints the report.
pub(crate) fn run_without_gl(options: &Options) -> Result<(), String> {
    let mut scene = app::scene(options);
    let aspect = options.size.0 as f32 / options.size.1 as f32;
    let mut pace = Pace::new(Some(options.frame.unwrap_or(FRAME)));
    for _ in 0..options.headless_frames() {
        iprof::zone!(frame);
        scene.step(pace.begin_frame(), aspect);
        {
            iprof::zone!(wait_for_next_frame, idle);
            pace.wait(FRAME);
        }
        iprof::update(true);
    }
    if let Some(path) = &options.report {
        output::save_report(path)?;
    }
    if let Some(path) = &options.shot {
        eprintln!("demo: no picture, so no {}", path.display());
    }
    output::write_short_report(io::stdout().lock()).map_err(|error| error.to_string())
}

impl OffScreen {
    fn new() -> Result<OffScreen, String> {
        // A software driver is available almost everywhere and needs no display.
        let devices = egl::device::Device::query_devices().map_err(|error| error.to_string())?;
        let devices: Vec<_> = devices.collect();
        let in_software = |device: &&egl::device::Device| {
            device.extensions().contains("EGL_MESA_device_software")
        };
        let device = devices.iter().find(in_software).or_else(|| devices.first());
        let device = device.ok_or("EGL knows of no device")?;
        // SAFETY: the display is EGL's own, and no native display is passed.
        let display = unsafe { egl::display::Display::with_device(device, None) }
            .map_err(|error| error.to_string())?;
        // SAFETY: the display is valid, and the template names no native window.
        let config = unsafe {
            let template = ConfigTemplateBuilder::new()
                .with_surface_type(ConfigSurfaceTypes::PBUFFER)
                .build();
            display
                .find_configs(template)
                .map_err(|error| error.to_string())?
                .next()
        };
        let config = config.ok_or("EGL has no configuration for drawing off screen")?;
        let mut reason = String::new();
        for api in app::CONTEXTS {
            let attributes = ContextAttributesBuilder::new()
                .with_context_api(api)
                .build(None);
            // SAFETY: the configuration belongs to this display.
            let context = unsafe { display.create_context(&config, &attributes) };
            match context.and_then(egl::context::NotCurrentContext::make_current_surfaceless) {
                Ok(context) => {
                    // SAFETY: the context is current, and the loader is its display's.
                    let gl = unsafe {
                        glow::Context::from_loader_function_cstr(|name| {
                            display.get_proc_address(name)
                        })
                    };
                    return Ok(OffScreen {
                        gl: Rc::new(gl),
                        _context: context,
                    });
                }
                Err(error) => reason = error.to_string(),
            }
        }
        Err(reason)
    }
}

/// Binds a new framebuffer of the given size, because there is no window with one.
///
/// # Safety
///
/// The context of `gl` must be current on this thread.
unsafe fn framebuffer(gl: &glow::Context, (width, height): (u32, u32)) -> Result<(), String> {
    // SAFETY: the context is current (contract).
    unsafe {
        let color = gl.create_renderbuffer()?;
        gl.bind_renderbuffer(glow::RENDERBUFFER, Some(color));
        gl.renderbuffer_storage(glow::RENDERBUFFER, glow::RGBA8, width as i32, height as i32);
        let framebuffer = gl.create_framebuffer()?;
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
        gl.framebuffer_renderbuffer(
            glow::FRAMEBUFFER,
            glow::COLOR_ATTACHMENT0,
            glow::RENDERBUFFER,
            Some(color),
        );
        match gl.check_framebuffer_status(glow::FRAMEBUFFER) {
            glow::FRAMEBUFFER_COMPLETE => Ok(()),
            status => Err(format!("no framebuffer of {width}x{height} (0x{status:x})")),
        }
    }
}
