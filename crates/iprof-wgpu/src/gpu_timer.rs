//! GPU zones based on timestamp queries.
//!
//! A frame's zones form a batch with its own query set. At the end of the frame's commands, the queries are resolved
//! into a buffer. After submission, the timer asks wgpu to map the buffer. It reads the buffer once the GPU has
//! executed the commands, usually some frames later, and never waits for the GPU. Batches are reused.

use iprof::{GpuTimeline, OpenZone};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use wgpu::{
    Adapter, Buffer, BufferUsages, CommandEncoder, ComputePassTimestampWrites, Device, Features,
    QuerySet, Queue, RenderPassTimestampWrites,
};

/// The number of queries per batch: two for each of 1,024 zones.
const QUERIES: u32 = 2_048;
const BYTES: u64 = QUERIES as u64 * wgpu::QUERY_SIZE as u64;
/// The maximum number of batches: one for the current frame, and one for each frame that the GPU may lag behind.
const MAX_BATCHES: usize = 8;

/// The mapping states of a submitted batch's buffer.
const MAPPING: u8 = 0;
const MAPPED: u8 = 1;
const FAILED: u8 = 2;

/// Measures how long the GPU takes to execute parts of your commands, using timestamp queries.
///
/// Each zone is recorded on both the CPU and the GPU. GPU times have their own column in the report and are attributed
/// to the frame that submitted the commands. The call tree of GPU zones is shown as a thread named `GPU`.
///
/// ```no_run
/// # fn frame(adapter: &wgpu::Adapter, device: &wgpu::Device, queue: &wgpu::Queue) {
/// // once, from a device that was requested with `GpuTimer::features(adapter)`:
/// let mut timer = iprof_wgpu::GpuTimer::new(device, queue);
///
/// // each frame:
/// let mut encoder = device.create_command_encoder(&Default::default());
/// timer.gpu_zone(&mut encoder, iprof::open_zone!("uploads"), |_timer, encoder| {
///     // … record commands in the encoder
/// });
///
/// let zone = timer.begin_pass(iprof::open_zone!("shadow pass"));
/// let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
///     timestamp_writes: timer.render_pass_writes(&zone),
///     ..Default::default()
/// });
/// // … record commands in the pass
/// drop(pass);
/// timer.end_pass(zone);
///
/// timer.resolve(&mut encoder);
/// queue.submit([encoder.finish()]);
/// timer.collect();
/// # }
/// ```
///
/// Without [`Features::TIMESTAMP_QUERY`], zones are measured only on the CPU. Zones on encoders also require
/// [`Features::TIMESTAMP_QUERY_INSIDE_ENCODERS`], which browsers lack. Passes do not require it.
///
/// A timer works with a single queue. Up to 1,024 zones per frame are measured on the GPU, and the GPU may lag by up to
/// 7 frames. Beyond these limits, zones are measured only on the CPU.
#[derive(Debug)]
pub struct GpuTimer {
    device: Device,
    ns_per_tick: f64,
    has_encoders: bool,
    timeline: GpuTimeline,
    batches: Vec<Batch>,
    /// The index of the batch that zones are added to.
    current: Option<usize>,
    has_queries: bool,
}

/// An open zone of a [`GpuTimer`], on the CPU and on the GPU.
#[derive(Debug)]
#[must_use = "pass it to `GpuTimer::end` or `GpuTimer::end_pass`"]
pub struct GpuZone {
    /// The zone's queries, or `None` if the zone is measured only on the CPU.
    on_gpu: Option<OnGpu>,
    _on_cpu: OpenZone,
}

#[derive(Clone, Copy, Debug)]
struct OnGpu {
    zone: iprof::GpuZone,
    /// The index of the batch.
    batch: usize,
    /// The batch's `use_number` when the zone began.
    use_number: u64,
    /// The first of the zone's two queries.
    query: u32,
}

/// A frame's zones.
#[derive(Debug)]
struct Batch {
    queries: QuerySet,
    resolved: Buffer,
    readable: Buffer,
    state: State,
    /// How many times the batch has been used.
    use_number: u64,
    /// The number of queries in use.
    used: u32,
    open: Vec<OnGpu>,
    /// The ended zones, in the order in which they ended.
    ended: Vec<OnGpu>,
}

#[derive(Debug)]
enum State {
    Free,
    /// Zones are being added to the batch.
    Recording,
    /// The commands that resolve the queries have been recorded, and the host submits them before it calls `collect`.
    Resolved,
    Submitted(Arc<AtomicU8>),
}

impl GpuTimer {
    /// Returns the features that GPU zones require and that the adapter supports.
    ///
    /// Add them to [`required_features`](wgpu::DeviceDescriptor::required_features).
    #[must_use]
    pub fn features(adapter: &Adapter) -> Features {
        let wanted = Features::TIMESTAMP_QUERY | Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        adapter.features() & wanted
    }

    /// Creates a timer for commands submitted to `queue`.
    #[must_use]
    pub fn new(device: &Device, queue: &Queue) -> GpuTimer {
        let features = device.features();
        GpuTimer {
            device: device.clone(),
            ns_per_tick: f64::from(queue.get_timestamp_period()),
            has_queries: features.contains(Features::TIMESTAMP_QUERY),
            has_encoders: features.contains(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS),
            timeline: GpuTimeline::new(),
            batches: Vec::new(),
            current: None,
        }
    }

    /// Measures the commands that a closure records in an encoder, as a zone. Returns the closure's result.
    ///
    /// The zone begins and ends outside of passes, but may contain whole passes. The closure is passed this timer, so
    /// that zones can be nested.
    ///
    /// ```no_run
    /// # fn frame(timer: &mut iprof_wgpu::GpuTimer, encoder: &mut wgpu::CommandEncoder) {
    /// timer.gpu_zone(encoder, iprof::open_zone!("shadows"), |timer, encoder| {
    ///     timer.gpu_zone(encoder, iprof::open_zone!("sun"), |_, encoder| {
    ///         // … record commands in the encoder
    ///     });
    /// });
    /// # }
    /// ```
    ///
    /// If the closure panics, the zone has no GPU time.
    pub fn gpu_zone<R>(
        &mut self,
        encoder: &mut CommandEncoder,
        zone: OpenZone,
        commands: impl FnOnce(&mut GpuTimer, &mut CommandEncoder) -> R,
    ) -> R {
        let zone = self.begin(encoder, zone);
        let result = commands(self, encoder);
        self.end(encoder, zone);
        result
    }

    /// Begins a zone at this point in an encoder's commands, outside of passes. Zones can be nested.
    ///
    /// If your code can use a closure, call [`gpu_zone`](GpuTimer::gpu_zone) instead, which also ends the zone.
    pub fn begin(&mut self, encoder: &mut CommandEncoder, zone: OpenZone) -> GpuZone {
        let on_gpu = match self.has_encoders {
            true => self.begin_on_gpu(&zone),
            false => None,
        };
        if let Some(OnGpu { batch, query, .. }) = on_gpu {
            encoder.write_timestamp(&self.batches[batch].queries, query);
        }
        GpuZone {
            on_gpu,
            _on_cpu: zone,
        }
    }

    /// Ends a zone begun by [`begin`](GpuTimer::begin).
    pub fn end(&mut self, encoder: &mut CommandEncoder, zone: GpuZone) {
        if let Some(on_gpu) = zone.on_gpu
            && self.end_on_gpu(on_gpu)
        {
            encoder.write_timestamp(&self.batches[on_gpu.batch].queries, on_gpu.query + 1);
        }
    }

    /// Begins a zone for a render pass or compute pass.
    ///
    /// Begin the pass with the result of [`render_pass_writes`](GpuTimer::render_pass_writes) or
    /// [`compute_pass_writes`](GpuTimer::compute_pass_writes).
    pub fn begin_pass(&mut self, zone: OpenZone) -> GpuZone {
        let on_gpu = match self.has_queries {
            true => self.begin_on_gpu(&zone),
            false => None,
        };
        GpuZone {
            on_gpu,
            _on_cpu: zone,
        }
    }

    /// Returns the timestamp writes for a render pass's descriptor.
    #[must_use]
    pub fn render_pass_writes(&self, zone: &GpuZone) -> Option<RenderPassTimestampWrites<'_>> {
        let on_gpu = zone.on_gpu?;
        Some(RenderPassTimestampWrites {
            query_set: &self.batches[on_gpu.batch].queries,
            beginning_of_pass_write_index: Some(on_gpu.query),
            end_of_pass_write_index: Some(on_gpu.query + 1),
        })
    }

    /// Returns the timestamp writes for a compute pass's descriptor.
    #[must_use]
    pub fn compute_pass_writes(&self, zone: &GpuZone) -> Option<ComputePassTimestampWrites<'_>> {
        let on_gpu = zone.on_gpu?;
        Some(ComputePassTimestampWrites {
            query_set: &self.batches[on_gpu.batch].queries,
            beginning_of_pass_write_index: Some(on_gpu.query),
            end_of_pass_write_index: Some(on_gpu.query + 1),
        })
    }

    /// Ends a zone begun by [`begin_pass`](GpuTimer::begin_pass). Call it after the pass has ended.
    pub fn end_pass(&mut self, zone: GpuZone) {
        if let Some(on_gpu) = zone.on_gpu {
            self.end_on_gpu(on_gpu);
        }
    }

    /// Resolves the queries of all zones since the last call.
    ///
    /// Call it once per frame, with the encoder that you submit last. Zones that have not ended by then have no GPU
    /// time.
    pub fn resolve(&mut self, encoder: &mut CommandEncoder) {
        let Some(at) = self.current.take() else {
            return;
        };
        let batch = &mut self.batches[at];
        for open in batch.open.drain(..).rev() {
            self.timeline.end(open.zone);
            self.timeline.finish(open.zone, None);
        }
        let bytes = u64::from(batch.used * wgpu::QUERY_SIZE);
        encoder.resolve_query_set(&batch.queries, 0..batch.used, &batch.resolved, 0);
        encoder.copy_buffer_to_buffer(&batch.resolved, 0, &batch.readable, 0, bytes);
        batch.state = State::Resolved;
    }

    /// Reads the times that are available so far, without waiting for the GPU. Call it once per frame, after you submit
    /// the commands.
    pub fn collect(&mut self) {
        for batch in &mut self.batches {
            if let State::Resolved = batch.state {
                // Mapping a lost device's buffer is an error, which would abort the program without this scope.
                let _errors = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
                batch.map();
            }
        }
        // Polling runs the callbacks for finished work. It fails only if the device is lost.
        let _ = self.device.poll(wgpu::PollType::Poll);
        for batch in &mut self.batches {
            batch.read(&self.device, self.ns_per_tick, &mut self.timeline);
        }
    }

    fn begin_on_gpu(&mut self, zone: &OpenZone) -> Option<OnGpu> {
        let at = match self.current {
            Some(at) => at,
            None => self.next_batch()?,
        };
        if self.batches[at].used + 2 > QUERIES {
            return None;
        }
        let zone = self.timeline.begin(zone);
        if !zone.is_recorded() {
            return None;
        }
        self.current = Some(at);
        let batch = &mut self.batches[at];
        if let State::Free = batch.state {
            batch.state = State::Recording;
            batch.use_number += 1;
        }
        let on_gpu = OnGpu {
            zone,
            batch: at,
            use_number: batch.use_number,
            query: batch.used,
        };
        batch.used += 2;
        batch.open.push(on_gpu);
        Some(on_gpu)
    }

    /// Ends the zone in its batch. Returns whether the batch is still the current one.
    fn end_on_gpu(&mut self, on_gpu: OnGpu) -> bool {
        let batch = &mut self.batches[on_gpu.batch];
        let is_current =
            matches!(batch.state, State::Recording) && batch.use_number == on_gpu.use_number;
        if is_current {
            self.timeline.end(on_gpu.zone);
            batch.open.retain(|open| open.query != on_gpu.query);
            batch.ended.push(on_gpu);
        }
        is_current
    }

    /// Returns a free batch, or a new one.
    fn next_batch(&mut self) -> Option<usize> {
        let is_free = |batch: &Batch| matches!(batch.state, State::Free);
        if let Some(at) = self.batches.iter().position(is_free) {
            return Some(at);
        }
        (self.batches.len() < MAX_BATCHES).then(|| {
            self.batches.push(Batch::new(&self.device));
            self.batches.len() - 1
        })
    }
}

impl Batch {
    fn new(device: &Device) -> Batch {
        let buffer = |label, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: BYTES,
                usage,
                mapped_at_creation: false,
            })
        };
        Batch {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("iprof timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: QUERIES,
            }),
            resolved: buffer(
                "iprof timestamps",
                BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC,
            ),
            readable: buffer(
                "iprof timestamps, readable",
                BufferUsages::COPY_DST | BufferUsages::MAP_READ,
            ),
            state: State::Free,
            use_number: 0,
            used: 0,
            open: Vec::new(),
            ended: Vec::new(),
        }
    }

    fn bytes(&self) -> u64 {
        u64::from(self.used * wgpu::QUERY_SIZE)
    }

    /// Requests that the buffer be mapped when the submitted commands are done.
    fn map(&mut self) {
        let state = Arc::new(AtomicU8::new(MAPPING));
        let mapped_state = state.clone();
        self.readable
            .slice(..self.bytes())
            .map_async(wgpu::MapMode::Read, move |result| {
                mapped_state.store(if result.is_ok() { MAPPED } else { FAILED }, Relaxed);
            });
        self.state = State::Submitted(state);
    }

    /// Reports the times if the buffer has been mapped.
    fn read(&mut self, device: &Device, ns_per_tick: f64, timeline: &mut GpuTimeline) {
        let State::Submitted(state) = &self.state else {
            return;
        };
        let state = state.load(Relaxed);
        if state == MAPPING {
            return;
        }
        let slice = self.readable.slice(..self.bytes());
        // Getting the range fails if the device is lost.
        let mapped = (state == MAPPED).then(|| slice.get_mapped_range().ok());
        match mapped.flatten() {
            Some(bytes) => {
                let ticks: &[u64] = bytemuck::cast_slice(&bytes);
                for OnGpu { zone, query, .. } in self.ended.drain(..) {
                    let [begin, end] = [0, 1].map(|at| ticks[query as usize + at]);
                    let ns = |ticks: u64| (ticks as f64 * ns_per_tick) as u64;
                    // Zero means that the query was never written, because the pass was never begun.
                    let is_written = begin != 0 && end != 0;
                    timeline.finish(zone, is_written.then(|| [ns(begin), ns(end)]));
                }
            }
            None => {
                for OnGpu { zone, .. } in self.ended.drain(..) {
                    timeline.finish(zone, None);
                }
            }
        }
        if state == MAPPED {
            // If the device was lost just after the buffer was mapped, unmapping the buffer is also an error.
            let _errors = device.push_error_scope(wgpu::ErrorFilter::Validation);
            self.readable.unmap();
        }
        self.used = 0;
        self.state = State::Free;
    }
}
