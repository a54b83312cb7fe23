use iprof::overlay::{PointerButton, PointerEvent};
use iprof::{Controls, Modifiers};
use miniquad::conf::{Conf, LinuxX11Gl, Platform};
use miniquad::native::module::Module;
use miniquad::*;
use std::error::Error;
use std::ffi::{c_char, c_void};

fn main() {
    // On X11, EGL is needed for the loader below. The setting has no effect elsewhere.
    let platform = Platform { linux_x11_gl: LinuxX11Gl::EGLOnly, ..Default::default() };
    let size = (1280, 720);
    let conf = Conf { window_width: size.0, window_height: size.1, platform, ..Default::default() };
    miniquad::start(conf, || {
        if let Err(error) = init_overlay() {
            eprintln!("no overlay: {error}");
        }
        Box::new(App { backend: window::new_rendering_backend(), controls: Controls::new() })
    });
}

fn init_overlay() -> Result<(), Box<dyn Error>> {
    type GetProcAddress = unsafe extern "C" fn(*const c_char) -> *const c_void;
    let egl = Module::load("libEGL.so.1").map_err(|_| "no EGL")?;
    let find = egl.get_symbol::<GetProcAddress>("eglGetProcAddress");
    let find = find.map_err(|_| "no eglGetProcAddress")?;
    // SAFETY: the context is current, and `find` returns null or OpenGL's function of that name.
    unsafe { iprof::gl::init_from_loader(|name| find(name.as_ptr())) }?;
    Ok(())
}

struct App {
    backend: Box<dyn RenderingBackend>,
    controls: Controls,
}

fn of_overlay(button: MouseButton) -> PointerButton {
    match button {
        MouseButton::Left => PointerButton::Primary,
        MouseButton::Right => PointerButton::Secondary,
        _ => PointerButton::Other,
    }
}

impl EventHandler for App {
    // Each call of `controls` returns whether the overlay used the input.
    fn key_down_event(&mut self, key: KeyCode, m: KeyMods, _repeat: bool) {
        let modifiers = Modifiers { shift: m.shift, control: m.ctrl, alt: m.alt, meta: m.logo };
        self.controls.key(&format!("{key:?}"), modifiers);
    }

    fn char_event(&mut self, character: char, _: KeyMods, _: bool) {
        self.controls.text(character.encode_utf8(&mut [0; 4]));
    }

    fn mouse_motion_event(&mut self, x: f32, y: f32) {
        self.controls.pointer(PointerEvent::Moved { x, y });
    }

    fn mouse_button_down_event(&mut self, button: MouseButton, _: f32, _: f32) {
        self.controls.pointer(PointerEvent::Pressed(of_overlay(button)));
    }

    fn mouse_button_up_event(&mut self, button: MouseButton, _: f32, _: f32) {
        self.controls.pointer(PointerEvent::Released(of_overlay(button)));
    }

    fn mouse_wheel_event(&mut self, _: f32, lines: f32) {
        self.controls.pointer(PointerEvent::Wheel { lines, zoom: false });
    }

    fn update(&mut self) {
        iprof::zone!(simulate);
    }

    fn draw(&mut self) {
        iprof::update(!self.controls.paused);
        {
            iprof::zone!(scene);
            self.backend.begin_default_pass(PassAction::clear_color(0.1, 0.25, 0.3, 1.0));
            self.backend.end_render_pass();
        }
        // The overlay comes after the passes, and before the frame is committed.
        let (w, h) = window::screen_size();
        self.controls.draw_gl(20.0, 20.0, w - 40.0, h - 40.0);
        self.backend.commit_frame();
    }
}
