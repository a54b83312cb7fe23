//! A Bevy application with the overlay on top. The plugin in `profiler` draws the overlay in the render app.

mod profiler;

use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::render_resource::TextureFormat;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::window::WindowResolution;
use picture::{HISTORY, Options, SIZE};
use profiler::ProfilerPlugin;

/// The number of sprites, which form a spiral and have different colors.
const SPRITES: u32 = 120;

fn main() -> AppExit {
    let options = Options::from_command_line();
    iprof::configure(|config| config.history = HISTORY);
    let window = Window {
        title: "iprof with Bevy".into(),
        resolution: WindowResolution::new(SIZE[0], SIZE[1]),
        ..default()
    };
    let windows = WindowPlugin {
        primary_window: Some(window),
        ..default()
    };
    // The first frame's picture already has the whole scene.
    let rendering = RenderPlugin {
        synchronous_pipeline_compilation: true,
        ..default()
    };
    let mut app = App::new();
    app.add_plugins(DefaultPlugins.set(windows).set(rendering));
    if options.overlay {
        app.add_plugins(ProfilerPlugin);
    }
    app.insert_resource(Run { options, frame: 0 })
        .add_systems(Startup, add_scene)
        .add_systems(Update, (turn_sprites, end).chain())
        .run()
}

#[derive(Resource)]
struct Run {
    options: Options,
    frame: u32,
}

#[derive(Component)]
struct Place(u32);

fn add_scene(mut commands: Commands) {
    commands.spawn(Camera2d);
    for at in 0..SPRITES {
        let color = Color::hsl(at as f32 * 360.0 / SPRITES as f32, 0.7, 0.55);
        commands.spawn((Sprite::from_color(color, Vec2::splat(40.0)), Place(at)));
    }
}

fn turn_sprites(run: Res<Run>, mut sprites: Query<(&mut Transform, &Place)>) {
    iprof::zone!(turn_sprites);
    for (mut transform, Place(at)) in &mut sprites {
        let angle = *at as f32 * 0.3 + run.frame as f32 * 0.02;
        let from_center = 40.0 + *at as f32 * 4.0;
        transform.translation = (Vec2::from_angle(angle) * from_center).extend(*at as f32 * 0.01);
        transform.rotation = Quat::from_rotation_z(angle * 2.0);
    }
}

/// Takes a screenshot of the last frame. The program exits once the screenshot has been saved.
fn end(mut run: ResMut<Run>, mut commands: Commands) {
    run.frame += 1;
    if run.options.is_last(run.frame - 1) && !run.options.is_last(run.frame.saturating_sub(2)) {
        commands
            .spawn(Screenshot::primary_window())
            .observe(save_and_exit);
    }
}

fn save_and_exit(
    captured: On<ScreenshotCaptured>,
    run: Res<Run>,
    mut exit: MessageWriter<AppExit>,
) {
    let image = &captured.image;
    let data = image.data.as_deref().expect("the picture has no pixels");
    let format = image.texture_descriptor.format.remove_srgb_suffix();
    let is_bgra = format == TextureFormat::Bgra8Unorm;
    let size = [image.width(), image.height()];
    run.options.save_from_top(size, data, is_bgra);
    exit.write(AppExit::Success);
}
