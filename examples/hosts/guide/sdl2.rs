use iprof::overlay::{PointerButton, PointerEvent};
use iprof::{Controls, Modifiers};
use sdl2::event::{Event, WindowEvent};
use sdl2::keyboard::Mod;
use sdl2::mouse::MouseButton;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sdl = sdl2::init()?;
    let video = sdl.video()?;
    let window = video.window("app", 1280, 720).opengl().resizable().build()?;
    let _context = window.gl_create_context()?;
    gl::load_with(|name| video.gl_get_proc_address(name).cast());
    // SAFETY: the context is current and stays current, and the functions belong to it.
    unsafe {
        iprof::gl::init_from_loader(|name| {
            name.to_str().map_or(std::ptr::null(), |name| video.gl_get_proc_address(name).cast())
        })?;
    }
    let mut controls = Controls::new();
    let mut events = sdl.event_pump()?;
    loop {
        for event in events.poll_iter() {
            match event {
                event if input(&mut controls, &event) => {} // The overlay used it.
                Event::Quit { .. } => return Ok(()),
                _ => {}
            }
        }
        let (width, height) = window.drawable_size();
        {
            iprof::zone!(scene);
            // SAFETY: the context is current.
            unsafe {
                gl::Viewport(0, 0, width as i32, height as i32);
                gl::ClearColor(0.1, 0.2, 0.3, 1.0);
                gl::Clear(gl::COLOR_BUFFER_BIT);
            }
        }
        iprof::update(!controls.paused);
        controls.draw_gl(20.0, 20.0, width as f32 - 40.0, height as f32 - 40.0);
        iprof::zone!(swap_window, idle);
        window.gl_swap_window();
    }
}

/// Passes the event to the overlay. Returns whether the overlay used it.
fn input(controls: &mut Controls, event: &Event) -> bool {
    let button = |button: &MouseButton| match button {
        MouseButton::Left => PointerButton::Primary,
        MouseButton::Right => PointerButton::Secondary,
        _ => PointerButton::Other,
    };
    match event {
        Event::KeyDown { keycode: Some(key), keymod, .. } => {
            let has = |keys: Mod| keymod.intersects(keys);
            let modifiers = Modifiers {
                shift: has(Mod::LSHIFTMOD | Mod::RSHIFTMOD),
                control: has(Mod::LCTRLMOD | Mod::RCTRLMOD),
                alt: has(Mod::LALTMOD | Mod::RALTMOD),
                meta: has(Mod::LGUIMOD | Mod::RGUIMOD),
            };
            controls.key(&key.name(), modifiers)
        }
        Event::TextInput { text, .. } => controls.text(text),
        Event::MouseMotion { x, y, .. } => {
            controls.pointer(PointerEvent::Moved { x: *x as f32, y: *y as f32 })
        }
        Event::MouseButtonDown { mouse_btn, .. } => {
            controls.pointer(PointerEvent::Pressed(button(mouse_btn)))
        }
        Event::MouseButtonUp { mouse_btn, .. } => {
            controls.pointer(PointerEvent::Released(button(mouse_btn)))
        }
        Event::MouseWheel { y, .. } => {
            controls.pointer(PointerEvent::Wheel { lines: *y as f32, zoom: false })
        }
        Event::Window { win_event: WindowEvent::Leave, .. } => {
            controls.pointer(PointerEvent::LeftWindow)
        }
        _ => false,
    }
}
