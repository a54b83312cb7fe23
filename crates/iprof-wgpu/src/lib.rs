//! Draws the overlay of [iprof](https://docs.rs/iprof) in a [wgpu](https://docs.rs/wgpu/30) frame, and measures GPU
//! times.
//!
//! [`Painter`] draws an [`Overlay`](iprof::overlay::Overlay), with its report, graph, help and tooltip, in one draw
//! call of your render pass. [`GpuTimer`] measures how long the GPU takes for parts of your commands, by timestamp
//! queries.
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
//! The crate itself records nothing. Your program enables the feature `enable` of `iprof`, and uses the zones of
//! `iprof`. With its feature `winit-0-30`, `iprof::winit::Input::window_event_with` handles the events of a window.
//!
//! # Versions of wgpu
//!
//! The crate is for wgpu 30, like eframe 0.37, Bevy 0.20 and Vello 0.11. With another version of wgpu, draw the
//! vertices of [`iprof::overlay`] with your own pipeline, modeled on this crate's painter.

mod gpu_timer;
mod painter;

pub use gpu_timer::{GpuTimer, GpuZone};
pub use painter::Painter;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
