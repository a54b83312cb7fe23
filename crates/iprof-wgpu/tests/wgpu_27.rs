//! The golden pictures of OpenGL, and the times of a pass, with wgpu 27 by Vulkan and by OpenGL ES.

#[path = "../../../tests/support/image.rs"]
#[allow(dead_code, unreachable_pub)]
mod image;
#[path = "../../../tests/overlay_golden/scenes.rs"]
mod scenes;

use image::{Image, Tolerance, assert_same};
use iprof::ColumnId;
use iprof_wgpu::wgpu_27::{GpuTimer, Overlay};
use scenes::{SCENES, SIZE, Scene, stripes};
use std::path::Path;
use std::sync::Mutex;
use wgpu_27 as wgpu;

/// Frames are the program's: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

const PX: [u32; 2] = [SIZE[0] as u32, SIZE[1] as u32];
const EXTENT: wgpu::Extent3d = wgpu::Extent3d {
    width: PX[0],
    height: PX[1],
    depth_or_array_layers: 1,
};

struct Stage {
    name: String,
    device: wgpu::Device,
    queue: wgpu::Queue,
}

/// A device of Mesa's software renderer. `None` where there is none, unless `IPROF_REQUIRE_GL` is 1.
fn stage(backends: wgpu::Backends) -> Option<Stage> {
    let instance = wgpu::Instance::new(&wgpu::InstanceDescriptor {
        backends,
        ..Default::default()
    });
    let mut adapters = instance.enumerate_adapters(backends);
    adapters.sort_by_key(|adapter| adapter.get_info().device_type != wgpu::DeviceType::Cpu);
    let required = std::env::var_os("IPROF_REQUIRE_GL").is_some_and(|value| value == "1");
    let Some(adapter) = adapters.into_iter().next() else {
        assert!(!required, "there is no adapter of {backends:?}");
        eprintln!("skipped: there is no adapter of {backends:?}");
        return None;
    };
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_features: GpuTimer::features(&adapter),
        required_limits: wgpu::Limits::downlevel_webgl2_defaults(),
        ..Default::default()
    }))
    .expect("a device");
    let name = format!("{:?}", adapter.get_info().backend);
    Some(Stage {
        name,
        device,
        queue,
    })
}

fn stages() -> impl Iterator<Item = Stage> {
    [wgpu::Backends::VULKAN, wgpu::Backends::GL]
        .into_iter()
        .filter_map(stage)
}

impl Stage {
    /// A picture with the host's stripes.
    fn ground(&self) -> wgpu::Texture {
        let texture = self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: EXTENT,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                | wgpu::TextureUsages::COPY_SRC
                | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(4 * PX[0]),
            rows_per_image: None,
        };
        self.queue
            .write_texture(texture.as_image_copy(), &stripes(), layout, EXTENT);
        texture
    }

    /// Renders the overlay, as a zone of a timer where there is one.
    fn render(&self, overlay: &Overlay, on: &wgpu::Texture, timer: Option<&mut GpuTimer>) {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let view = on.create_view(&Default::default());
        let attachment = wgpu::RenderPassColorAttachment {
            view: &view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Load,
                store: wgpu::StoreOp::Store,
            },
        };
        let attachments = [Some(attachment)];
        let mut descriptor = wgpu::RenderPassDescriptor {
            color_attachments: &attachments,
            ..Default::default()
        };
        let Some(timer) = timer else {
            overlay.render(&mut encoder.begin_render_pass(&descriptor));
            self.queue.submit([encoder.finish()]);
            return;
        };
        let zone = timer.begin_pass(iprof::open_zone!("overlay's pass"));
        descriptor.timestamp_writes = timer.render_pass_writes(&zone);
        overlay.render(&mut encoder.begin_render_pass(&descriptor));
        timer.end_pass(zone);
        timer.resolve(&mut encoder);
        self.queue.submit([encoder.finish()]);
        timer.collect();
    }

    /// The bytes of a picture, rows from the top.
    fn read(&self, texture: &wgpu::Texture) -> Vec<u8> {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(4 * PX[0] * PX[1]),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let to = wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(4 * PX[0]),
                rows_per_image: None,
            },
        };
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_texture_to_buffer(texture.as_image_copy(), to, EXTENT);
        self.queue.submit([encoder.finish()]);
        buffer.map_async(wgpu::MapMode::Read, .., |result| {
            result.expect("a mapped buffer")
        });
        let wait = wgpu::PollType::wait_indefinitely();
        self.device.poll(wait).expect("the device is there");
        buffer.get_mapped_range(..).to_vec()
    }
}

fn golden(scene: Scene) -> Image {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    Image::read(&folder.join(format!("{}.png", scene.name)))
}

/// Within 1/255, as with wgpu 30.
#[test]
fn all_scenes_look_as_with_opengl() {
    for stage in stages() {
        let format = wgpu::TextureFormat::Rgba8Unorm;
        let mut overlay = Overlay::new(&stage.device, &stage.queue, format, 1);
        for scene in SCENES {
            let texture = stage.ground();
            scene.begin(&mut overlay);
            (scene.draw)(&mut overlay.begin(PX.map(|px| px as f32)));
            overlay.prepare(&stage.device, &stage.queue);
            stage.render(&overlay, &texture, None);
            let drawn = Image {
                width: PX[0],
                height: PX[1],
                rgba: stage.read(&texture),
            };
            let tolerance = Tolerance {
                per_channel: 1,
                pixels: if scene.is_slanted { 60 } else { 0 },
            };
            let name = format!("wgpu27_{}_{}", stage.name, scene.name);
            assert_same(&name, &drawn, &golden(scene), tolerance);
        }
    }
}

/// The GPU's own tree shows the pass, if there are timestamps.
#[test]
fn a_pass_is_measured_where_there_are_timestamps() {
    let _alone = ALONE.lock().unwrap();
    for stage in stages() {
        let mut timer = GpuTimer::new(&stage.device, &stage.queue);
        let format = wgpu::TextureFormat::Rgba8Unorm;
        let mut overlay = Overlay::new(&stage.device, &stage.queue, format, 1);
        let texture = stage.ground();
        iprof::update(true);
        let gpu = || {
            let mut threads = iprof::threads().into_iter();
            threads.find(|thread| thread.name == "GPU")
        };
        let before = gpu().is_some();
        for _ in 0..10 {
            overlay
                .begin(PX.map(|px| px as f32))
                .draw_default_graph(20.0, 20.0, 2.0, 4.0);
            overlay.prepare(&stage.device, &stage.queue);
            stage.render(&overlay, &texture, Some(&mut timer));
            // Waits for the GPU.
            stage.read(&texture);
            iprof::update(true);
        }
        let features = stage.device.features();
        let has = features.contains(wgpu::Features::TIMESTAMP_QUERY);
        assert_eq!(gpu().is_some(), has || before, "{}", stage.name);
        if !has {
            continue;
        }
        let mut view = iprof::View::new();
        view.set_threads(iprof::Threads::One(gpu().expect("it is there").id));
        let report = view.report(&iprof::profiler());
        let row = report
            .rows
            .iter()
            .find(|row| &*row.name == "overlay's pass");
        let time = row.expect("the pass").value(ColumnId::HierarchicalTime);
        assert!(time.is_some_and(|time| time.number > 0.0), "{report:?}");
    }
}

/// It ends no program, though wgpu 27 has no error for a buffer of a lost device.
#[test]
fn a_timer_whose_device_is_lost_goes_on_without_effect() {
    let _alone = ALONE.lock().unwrap();
    for stage in stages() {
        let mut timer = GpuTimer::new(&stage.device, &stage.queue);
        let format = wgpu::TextureFormat::Rgba8Unorm;
        let overlay = Overlay::new(&stage.device, &stage.queue, format, 1);
        let texture = stage.ground();
        stage.render(&overlay, &texture, Some(&mut timer));
        stage.device.destroy();
        for _ in 0..3 {
            timer.collect();
            iprof::update(true);
        }
    }
}
