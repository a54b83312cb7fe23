//! Draws the [iprof](https://docs.rs/iprof) overlay in a [wgpu](https://docs.rs/wgpu/30) frame, and measures GPU times.
//!
//! [`Painter`] draws an [`Overlay`](iprof::overlay::Overlay), including its report, graph, help and tooltip, with a
//! single draw call in your render pass. [`GpuTimer`] measures how long the GPU takes to execute parts of your
//! commands, using timestamp queries.
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
//! // … your own passes, then one that loads their output:
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
//! // on window events, from any windowing library:
//! controls.key("F1", iprof::Modifiers::NONE);
//! let event = iprof::overlay::PointerEvent::Moved { x: 100.0, y: 80.0 };
//! controls.with_overlay(&mut overlay).pointer(event);
//! # }
//! ```
//!
//! This crate itself records nothing. Your program depends on `iprof`, enables its `enable` feature, and defines the
//! zones. With the `winit-0-30` feature of `iprof`, `iprof::winit::Input::window_event_with` handles window events.
//!
//! # Versions of wgpu
//!
//! This crate works with wgpu 30, which eframe 0.37, Bevy 0.20 and Vello 0.11 also use. With a different version of
//! wgpu, draw the vertices from [`iprof::overlay`] with your own pipeline, modeled on this crate's painter.

mod gpu_timer;
mod painter;

pub use gpu_timer::{GpuTimer, GpuZone};
pub use painter::Painter;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
