use iprof::overlay::{PointerButton, PointerEvent};
use iprof::{Controls, Modifiers};
use macroquad::miniquad::conf::{LinuxX11Gl, Platform};
use macroquad::miniquad::native::module::Module;
use macroquad::prelude::*;
use std::ffi::{c_char, c_void};

fn config() -> Conf {
    // On X11, EGL is needed for the loader below. The setting has no effect elsewhere.
    let platform = Platform { linux_x11_gl: LinuxX11Gl::EGLOnly, ..Default::default() };
    Conf { window_title: "game".to_owned(), platform, ..Default::default() }
}

fn init_overlay() -> Result<(), Box<dyn std::error::Error>> {
    type GetProcAddress = unsafe extern "C" fn(*const c_char) -> *const c_void;
    let egl = Module::load("libEGL.so.1").map_err(|_| "no EGL")?;
    let find = egl.get_symbol::<GetProcAddress>("eglGetProcAddress");
    let find = find.map_err(|_| "no eglGetProcAddress")?;
    // SAFETY: the context is current, and `find` returns null or OpenGL's function of that name.
    unsafe { iprof::gl::init_from_loader(|name| find(name.as_ptr())) }?;
    Ok(())
}

fn input(controls: &mut Controls) {
    let shift = is_key_down(KeyCode::LeftShift) || is_key_down(KeyCode::RightShift);
    let control = is_key_down(KeyCode::LeftControl) || is_key_down(KeyCode::RightControl);
    let modifiers = Modifiers { shift, control, ..Modifiers::NONE };
    for key in get_keys_pressed() {
        controls.key(&format!("{key:?}"), modifiers);
    }
    while let Some(character) = get_char_pressed() {
        controls.text(character.encode_utf8(&mut [0; 4]));
    }
    let (x, y) = mouse_position();
    controls.pointer(PointerEvent::Moved { x, y });
    for (button, of_overlay) in [
        (MouseButton::Left, PointerButton::Primary),
        (MouseButton::Right, PointerButton::Secondary),
    ] {
        if is_mouse_button_pressed(button) {
            controls.pointer(PointerEvent::Pressed(of_overlay));
        }
        if is_mouse_button_released(button) {
            controls.pointer(PointerEvent::Released(of_overlay));
        }
    }
    let (_, lines) = mouse_wheel();
    if lines != 0.0 {
        controls.pointer(PointerEvent::Wheel { lines, zoom: shift });
    }
}

#[macroquad::main(config)]
async fn main() {
    if let Err(error) = init_overlay() {
        eprintln!("no overlay: {error}");
    }
    let mut controls = Controls::new();
    loop {
        input(&mut controls);
        {
            iprof::zone!(draw_scene);
            clear_background(DARKBLUE);
            draw_circle(screen_width() / 2.0, screen_height() / 2.0, 80.0, GOLD);
        }
        iprof::update(!controls.paused);
        // SAFETY: nothing else uses macroquad's context at the same time.
        unsafe { get_internal_gl() }.flush();
        controls.draw_gl(20.0, 20.0, screen_width() - 40.0, screen_height() - 40.0);
        next_frame().await;
    }
}
