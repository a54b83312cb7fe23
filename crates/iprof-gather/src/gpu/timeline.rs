//! GPU zones of programs that measure the GPU themselves, or with another library than `glow`.

use crate::OpenZone;
use {
    super::spans::{NoTime, SpanKey, Spans},
    crate::ThreadRecord,
    crate::Zone,
    crate::gpu::{GpuLosses, GpuOrigin, with_mailbox},
};

/// Maximum number of zones whose times have not been handed in.
const MAX_UNFINISHED: usize = 65_536;

/// The GPU zones of one command queue, with times that the program hands in.
///
/// Use it with Vulkan, Direct3D, Metal and other sources of GPU timestamps. For OpenGL there is
/// [`gpu_zone!`](macro.gpu_zone.html), which has a timeline for each context and thread. For wgpu the package
/// `iprof-wgpu` has one.
///
/// One thread at a time submits commands to the queue. A zone [begins](GpuTimeline::begin) and [ends](GpuTimeline::end)
/// where its commands are recorded. It is [finished](GpuTimeline::finish) when its timestamps have been read, in any
/// later frame, and its time counts for the frame in which it ended. Zones nest, and the report shows a zone's time
/// less the time of nested zones.
///
/// ```
/// let mut timeline = iprof::GpuTimeline::new();
/// # let (mut timestamps, mut in_flight) = (Vec::new(), Vec::new());
/// # fn write_timestamp(into: &mut Vec<u64>) -> usize { into.push(0); into.len() - 1 }
/// // where the commands of a pass are recorded:
/// let on_cpu = iprof::open_zone!("shadow pass");
/// let zone = timeline.begin(&on_cpu);
/// let begin = write_timestamp(&mut timestamps);
/// // … the pass
/// let end = write_timestamp(&mut timestamps);
/// timeline.end(zone);
/// drop(on_cpu);
/// in_flight.push((zone, begin, end));
///
/// // some frames later, when the timestamps have been read, in the order in which the zones have ended:
/// # let ns_per_tick = 1.0;
/// for (zone, begin, end) in in_flight.drain(..) {
///     let ns = [begin, end].map(|query| (timestamps[query] as f64 * ns_per_tick) as u64);
///     timeline.finish(zone, Some(ns));
/// }
/// ```
#[derive(Debug, Default)]
pub struct GpuTimeline {
    #[doc(hidden)]
    pub spans: Spans,
}

/// A zone of a [`GpuTimeline`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GpuZone {
    key: Option<SpanKey>,
}

impl GpuZone {
    /// Whether the zone is recorded. If not, as while recording is off, it needs no timestamps, and ending or finishing
    /// it does nothing.
    #[must_use]
    pub fn is_recorded(self) -> bool {
        self.key.is_some()
    }
}

impl GpuTimeline {
    /// Creates a timeline without zones.
    #[must_use]
    pub fn new() -> GpuTimeline {
        GpuTimeline::default()
    }

    /// Begins a GPU zone with the name of `zone`, which is open on this thread. The new zone is nested in the zone of
    /// this timeline that began last and has not ended.
    ///
    /// It is not recorded if `zone` is not. It is also not recorded if 65,536 zones are unfinished, which the report
    /// counts.
    pub fn begin(&mut self, zone: &OpenZone) -> GpuZone {
        GpuZone {
            key: self.begin_in(zone),
        }
    }

    fn begin_in(&mut self, zone: &OpenZone) -> Option<SpanKey> {
        let (thread, node) = zone.node()?;
        let zone = thread.node(node)?.zone();
        if self.spans.unfinished() >= MAX_UNFINISHED {
            self.spans.losses.overflowed += 1;
            self.deliver();
            return None;
        }
        let (_, origin) = self.origin(thread, node, zone);
        Some(self.spans.begin(origin?))
    }

    /// Ends a zone in the current frame, together with zones that began in it and have not ended. Does nothing if the
    /// zone has already ended.
    pub fn end(&mut self, zone: GpuZone) {
        if let Some(key) = zone.key {
            let (zones, frame) = self.submit(key.id);
            for _ in 0..zones {
                self.spans.end(frame);
            }
        }
    }

    /// Finishes a zone that has ended.
    ///
    /// `ns` has the GPU's times of the zone's begin and end, in nanoseconds of any one clock. It is `None` if they are
    /// not known, for example because a query failed. Call this for each zone that is [recorded](GpuZone::is_recorded),
    /// because a frame's times are shown once all of its zones are finished. Nested zones must be finished before the
    /// zone around them.
    ///
    /// A time that cannot be true is not shown, and the report warns of it: a negative one, or one longer than the time
    /// since the zone began.
    pub fn finish(&mut self, zone: GpuZone, ns: Option<[u64; 2]>) {
        if let Some(key) = zone.key {
            self.spans.finish(key, ns.ok_or(NoTime::Unknown));
            self.deliver();
        }
    }
}

/// The steps of the methods above. `gpu_zone!` calls them and stamps queries in between.
impl GpuTimeline {
    /// Returns the current frame, and the nodes of a GPU zone that begins now. `thread` and `node` say where its zone
    /// is on the CPU.
    #[doc(hidden)]
    pub fn origin(
        &self,
        thread: &'static ThreadRecord,
        node: u32,
        zone: &'static Zone,
    ) -> (u64, Option<GpuOrigin>) {
        let parent = self.spans.innermost();
        let (frame, gpu_node) =
            with_mailbox(|mailbox| (mailbox.frame, mailbox.node_for(parent, zone)));
        let origin = gpu_node.map(|gpu_node| GpuOrigin {
            thread,
            node,
            gpu_node,
            begun_in: frame,
        });
        (frame, origin)
    }

    /// Submits the zones that end together with this one. Returns how many they are, and the current frame, in which
    /// they end. The caller calls [`Spans::end`] for each.
    #[doc(hidden)]
    pub fn submit(&self, id: u64) -> (usize, u64) {
        let zones = self.spans.ending_with(id);
        (zones, with_mailbox(|mailbox| mailbox.submit(zones)))
    }

    /// Delivers finished zones and losses. GL is never called while the mailbox is locked, because drivers may call
    /// back.
    #[doc(hidden)]
    pub fn deliver(&mut self) {
        let Spans {
            finished, losses, ..
        } = &mut self.spans;
        if !finished.is_empty() || *losses != GpuLosses::default() {
            with_mailbox(|mailbox| mailbox.deliver(finished, losses));
        }
    }
}

/// Zones that are not finished have no time.
impl Drop for GpuTimeline {
    fn drop(&mut self) {
        self.spans.give_up();
        self.deliver();
    }
}
