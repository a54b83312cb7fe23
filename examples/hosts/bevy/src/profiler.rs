//! A plugin that handles keys and mouse in the app, and draws the overlay in the render app after all cameras.

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
use iprof::overlay::Overlay;
use iprof::winit::Input;
use iprof_wgpu::Painter;
use std::sync::{Arc, Mutex};

pub(crate) struct ProfilerPlugin;

/// State shared by the app and its render app.
#[derive(Resource, Clone, Default)]
struct Profiler(Arc<Mutex<(Input, Overlay, Option<Painter>)>>);

impl Plugin for ProfilerPlugin {
    fn build(&self, app: &mut App) {
        let profiler = Profiler::default();
        app.insert_resource(profiler.clone());
        app.add_systems(PreUpdate, update.after(InputSystems));
        if let Some(render_app) = app.get_sub_app_mut(RenderApp) {
            render_app.insert_resource(profiler);
            // A new device needs a new painter.
            let forget = |it: Res<Profiler>| it.0.lock().unwrap().2 = None;
            render_app.add_systems(RenderStartup, forget);
            let last = draw.after(camera_driver).in_set(RenderGraphSystems::Render);
            render_app.add_systems(RenderGraph, last);
        }
    }
}

/// Ends iprof's frame on the main thread, and passes the window's events to the overlay.
fn update(
    _: NonSendMarker,
    profiler: Res<Profiler>,
    mut events: MessageReader<RawWinitWindowEvent>,
    mut keys: ResMut<ButtonInput<KeyCode>>,
    mut buttons: ResMut<ButtonInput<MouseButton>>,
) {
    let (input, overlay, _) = &mut *profiler.0.lock().unwrap();
    iprof::update(!input.controls.paused);
    for message in events.read() {
        if input.window_event_with(overlay, &message.event) {
            // The app must not handle the same event.
            keys.clear();
            buttons.reset_all();
        }
    }
}

/// Draws the overlay on top of the window's cameras.
fn draw(
    profiler: Res<Profiler>,
    cameras: Query<(&ExtractedCamera, &ViewTarget)>,
    (device, queue): (Res<RenderDevice>, Res<RenderQueue>),
    mut commands: ResMut<PendingCommandBuffers>,
) {
    let in_window = |camera: &ExtractedCamera| matches!(camera.target, Some(Target::Window(_)));
    if let Some((camera, target)) = cameras.iter().find(|(camera, _)| in_window(camera))
        && let Some(size) = camera.physical_target_size
        && let Some(format) = target.out_texture_view_format()
        && let Some(attachment) = target.out_texture_color_attachment(None)
    {
        let device = device.wgpu_device();
        let (_, overlay, painter) = &mut *profiler.0.lock().unwrap();
        let painter = painter.get_or_insert_with(|| Painter::new(device, &queue, format, 1));
        picture::draw(&mut overlay.begin(size.as_vec2().to_array()));
        painter.prepare(device, &queue, overlay.draw_data());
        let pass = RenderPassDescriptor {
            color_attachments: &[Some(attachment)],
            ..default()
        };
        let mut encoder = device.create_command_encoder(&default());
        painter.render(&mut encoder.begin_render_pass(&pass));
        commands.push([encoder.finish()]);
    }
}
