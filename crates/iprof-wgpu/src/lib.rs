//! [iprof](https://docs.rs/iprof)'s overlay in a [wgpu](https://docs.rs/wgpu/30) frame, and GPU times by timestamp
//! queries.
//!
//! [`Painter`] draws an [`Overlay`](iprof::overlay::Overlay), its report, graph, help and tooltip, in one draw call of the render
//! pass that the program has. [`GpuTimer`] measures what the GPU takes for parts of the program's commands.
//!
//! ```no_run
//! # fn frame(
//! #     device: &wgpu::Device, queue: &wgpu::Queue, surface: &wgpu::Surface<'_>, format: wgpu::TextureFormat,
//! #     view: &wgpu::TextureView, width: u32, height: u32,
//! # ) {
//! // once:
//! let mut overlay = iprof::overlay::Overlay::new();
//! let mut painter = iprof_wgpu::Painter::new(device, queue, format, 1);
//! let mut controls = iprof::Controls::new();
//!
//! // each frame:
//! iprof::update(!controls.paused);
//! let [w, h] = [width as f32, height as f32];
//! controls.draw(&mut overlay.begin([w, h]), 20.0, 20.0, w - 40.0, h - 40.0);
//! painter.prepare(device, queue, overlay.draw_data());
//!
//! let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
//! // … your own passes, then one that loads their picture:
//! let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
//!     color_attachments: &[Some(wgpu::RenderPassColorAttachment {
//!         view,
//!         depth_slice: None,
//!         resolve_target: None,
//!         ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
//!     })],
//!     ..Default::default()
//! });
//! painter.render(&mut pass);
//! drop(pass);
//! queue.submit([encoder.finish()]);
//!
//! // on events of the window, whatever library it is of:
//! controls.key("F1", iprof::Modifiers::NONE);
//! let event = iprof::overlay::PointerEvent::Moved { x: 100.0, y: 80.0 };
//! controls.with_overlay(&mut overlay).pointer(event);
//! # }
//! ```
//!
//! The crate records nothing by itself: the program turns on the feature `enable` of `iprof`, and zones are those of
//! `iprof`. With the feature `winit-0-30` of `iprof`, `iprof::winit::Input::window_event_with` handles a window's events.
//!
//! # Versions of wgpu
//!
//! The crate is for wgpu 30, as in eframe 0.37, Bevy 0.20 and Vello 0.11. A program with another version of wgpu draws
//! the vertices of [`iprof::overlay`] by a pipeline of its own, like this crate's painter.

mod gpu_timer;
mod painter;

pub use gpu_timer::{GpuTimer, GpuZone};
pub use painter::Painter;

/// The examples of README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
