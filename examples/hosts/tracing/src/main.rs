//! The overlay in a program whose zones are all spans from other crates: the systems of a Bevy application, in a
//! miniquad window. The program itself contains no `zone!`.

#[path = "../../miniquad/src/host_window.rs"]
mod host_window;

use bevy_app::{App, PostUpdate, Startup, Update};
use bevy_ecs::prelude::*;
use iprof_tracing::{Options, Subscriber};
use miniquad::{EventHandler, PassAction, RenderingBackend, window};

const BODIES: usize = 400;

#[derive(Component)]
struct Body {
    place: [f32; 2],
    speed: [f32; 2],
}

/// The rectangles to draw: left, bottom, width and height in px, and the color.
#[derive(Resource, Default)]
struct Picture(Vec<([i32; 4], [f32; 4])>);

fn spawn(mut commands: Commands) {
    for at in 0..BODIES {
        let angle = at as f32 * 2.4;
        let out = 0.9 * (at as f32 / BODIES as f32).sqrt();
        commands.spawn(Body {
            place: [out * angle.cos(), out * angle.sin()],
            speed: [-0.01 * angle.sin(), 0.01 * angle.cos()],
        });
    }
}

fn gravity(mut bodies: Query<&mut Body>) {
    for mut body in &mut bodies {
        let place = body.place;
        let pull = |at: usize| -0.0001 * place[at];
        body.speed = [body.speed[0] + pull(0), body.speed[1] + pull(1)];
    }
}

/// Slows each body down near other bodies.
fn crowding(mut bodies: Query<&mut Body>) {
    let places: Vec<[f32; 2]> = bodies.iter().map(|body| body.place).collect();
    for mut body in &mut bodies {
        let [x, y] = body.place;
        let is_near = |other: &&[f32; 2]| (other[0] - x).hypot(other[1] - y) < 0.05;
        let near = places.iter().filter(is_near).count();
        body.speed = body.speed.map(|speed| speed * (1.0 - 0.0001 * near as f32));
    }
}

fn movement(mut bodies: Query<&mut Body>) {
    for mut body in &mut bodies {
        body.place = [0, 1].map(|at| body.place[at] + body.speed[at]);
    }
}

fn draw(bodies: Query<&Body>, mut picture: ResMut<Picture>) {
    let [width, height] = picture::SIZE.map(|size| size as f32);
    let rectangles = bodies.iter().map(|body| {
        let [x, y] = body.place.map(|at| (at + 1.0) / 2.0);
        let color = [0.3 + 0.7 * x, 0.3 + 0.7 * y, 1.0 - 0.5 * x, 1.0];
        ([(x * width) as i32, (y * height) as i32, 9, 9], color)
    });
    picture.0 = rectangles.collect();
}

fn main() {
    let options = picture::Options::from_command_line();
    // The subscriber is set first, because a system's span is created with the system.
    Subscriber::with_options(Options::new().named_by("name")).init();
    let mut app = App::new();
    app.init_resource::<Picture>()
        .add_systems(Startup, spawn)
        .add_systems(Update, (gravity, crowding, movement).chain())
        .add_systems(PostUpdate, draw);
    let conf = host_window::conf("iprof and the spans of Bevy");
    miniquad::start(conf, move || {
        host_window::init_overlay();
        Box::new(Frames {
            options,
            app,
            frame: 0,
            backend: window::new_rendering_backend(),
        })
    });
}

struct Frames {
    options: picture::Options,
    app: App,
    frame: u32,
    backend: Box<dyn RenderingBackend>,
}

impl EventHandler for Frames {
    fn update(&mut self) {}

    fn draw(&mut self) {
        iprof::update(true);
        self.app.update();
        let all = PassAction::clear_color(0.05, 0.08, 0.12, 1.0);
        self.backend.begin_default_pass(all);
        scissor(true);
        for ([x, y, width, height], color) in &self.app.world().resource::<Picture>().0 {
            self.backend.apply_scissor_rect(*x, *y, *width, *height);
            let [red, green, blue, alpha] = *color;
            let color = Some((red, green, blue, alpha));
            self.backend.clear(color, None, None);
        }
        scissor(false);
        self.backend.end_render_pass();
        host_window::finish_frame(&self.options, self.frame);
        self.backend.commit_frame();
        self.frame += 1;
    }
}

/// Turns the scissor test on or off, so that clearing fills only a rectangle. In miniquad, only pipelines can do this.
fn scissor(on: bool) {
    use miniquad::gl::{GL_SCISSOR_TEST, glDisable, glEnable};
    // SAFETY: the context is current while miniquad draws.
    unsafe {
        if on {
            glEnable(GL_SCISSOR_TEST);
        } else {
            glDisable(GL_SCISSOR_TEST);
        }
    }
}
