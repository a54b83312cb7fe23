use bevy::camera::NormalizedRenderTarget as Target;
use bevy::core_pipeline::schedule::camera_driver;
use bevy::ecs::system::NonSendMarker;
use bevy::input::InputSystems;
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::render_resource::RenderPassDescriptor;
use bevy::render::renderer::{PendingCommandBuffers, RenderDevice, RenderQueue};
use bevy::render::renderer::{RenderGraph, RenderGraphSystems};
use bevy::render::view::ViewTarget;
use bevy::render::{RenderApp, RenderStartup};
use bevy::winit::RawWinitWindowEvent;
use iprof::{overlay::Overlay, winit::Input};
use iprof_wgpu::Painter;
use std::sync::{Arc, Mutex};

fn main() -> AppExit {
    let mut app = App::new();
    app.add_plugins((DefaultPlugins, ProfilerPlugin));
    app.add_systems(Startup, add_scene).add_systems(Update, turn_sprites).run()
}

fn add_scene(mut commands: Commands) {
    commands.spawn(Camera2d);
    commands.spawn(Sprite::from_color(Color::srgb(0.9, 0.7, 0.2), Vec2::splat(200.0)));
}

fn turn_sprites(time: Res<Time>, mut sprites: Query<&mut Transform, With<Sprite>>) {
    iprof::zone!(turn_sprites);
    for mut transform in &mut sprites {
        transform.rotate_z(time.delta_secs());
    }
}

struct ProfilerPlugin;

#[derive(Resource, Clone, Default)]
struct Profiler(Arc<Mutex<(Input, Overlay, Option<Painter>, f32)>>); // The render app shares it.

impl Plugin for ProfilerPlugin {
    fn build(&self, app: &mut App) {
        let profiler = Profiler::default();
        app.insert_resource(profiler.clone()).add_systems(PreUpdate, update.after(InputSystems));
        let Some(render_app) = app.get_sub_app_mut(RenderApp) else { return };
        let forget = |it: Res<Profiler>| it.0.lock().unwrap().2 = None; // The device is new.
        render_app.insert_resource(profiler).add_systems(RenderStartup, forget);
        let last = draw.after(camera_driver).in_set(RenderGraphSystems::Render);
        render_app.add_systems(RenderGraph, last);
    }
}

fn update(
    _: NonSendMarker, // Runs on the main thread.
    profiler: Res<Profiler>,
    window: Single<&Window>,
    mut events: MessageReader<RawWinitWindowEvent>,
    (mut keys, mut buttons): (ResMut<ButtonInput<KeyCode>>, ResMut<ButtonInput<MouseButton>>),
) {
    let (input, overlay, _, scale) = &mut *profiler.0.lock().unwrap();
    *scale = window.scale_factor();
    iprof::update(!input.controls.paused);
    for message in events.read() {
        if input.window_event_with(overlay, &message.event) {
            keys.clear(); // The overlay used the event.
            buttons.reset_all();
        }
    }
}

fn draw(
    profiler: Res<Profiler>,
    cameras: Query<(&ExtractedCamera, &ViewTarget)>,
    (device, queue): (Res<RenderDevice>, Res<RenderQueue>),
    mut commands: ResMut<PendingCommandBuffers>,
) {
    let in_window = |camera: &ExtractedCamera| matches!(camera.target, Some(Target::Window(_)));
    if let Some((camera, target)) = cameras.iter().find(|(camera, _)| in_window(camera))
        && let Some(size) = camera.physical_target_size.map(|px| px.as_vec2())
        && let Some(format) = target.out_texture_view_format()
        && let Some(attachment) = target.out_texture_color_attachment(None)
    {
        let device = device.wgpu_device();
        let (input, overlay, painter, scale) = &mut *profiler.0.lock().unwrap();
        let painter = painter.get_or_insert_with(|| Painter::new(device, &queue, format, 1));
        overlay.set_scale(*scale);
        let [w, h] = (size / *scale - 40.0).to_array();
        input.controls.draw(&mut overlay.begin(size.to_array()), 20.0, 20.0, w, h);
        painter.prepare(device, &queue, overlay.draw_data());
        let pass = RenderPassDescriptor { color_attachments: &[Some(attachment)], ..default() };
        let mut encoder = device.create_command_encoder(&default());
        painter.render(&mut encoder.begin_render_pass(&pass));
        commands.push([encoder.finish()]);
    }
}
