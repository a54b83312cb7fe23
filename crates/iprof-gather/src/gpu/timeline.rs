//! GPU zones for programs that measure the GPU without `glow`.

use crate::OpenZone;
use {
    super::spans::{NoTime, SpanKey, Spans},
    crate::ThreadRecord,
    crate::Zone,
    crate::gpu::{GpuLosses, GpuOrigin, with_mailbox},
};

/// The maximum number of zones whose times have not been supplied yet.
const MAX_UNFINISHED: usize = 65_536;

/// One command queue's GPU zones, with times that the program supplies.
///
/// Use it with Vulkan, Direct3D, Metal and other sources of GPU timestamps. For OpenGL, use
/// [`gpu_zone!`](macro.gpu_zone.html), which keeps a timeline for each context and thread. For wgpu, use the
/// `iprof-wgpu` package.
///
/// Only one thread at a time may submit commands to the queue. A zone [begins](GpuTimeline::begin) and
/// [ends](GpuTimeline::end) where its commands are recorded, and is [finished](GpuTimeline::finish) when its timestamps
/// have been read, in any later frame. Its time is attributed to the frame in which it ended. Zones can be nested, and
/// the report shows each zone's time without its nested zones.
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
/// // some frames later, when the timestamps have been read, in the order in which the zones ended:
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
    /// Returns whether the zone is recorded. If not, for example because recording is off, the zone needs no
    /// timestamps, and ending or finishing it does nothing.
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

    /// Begins a GPU zone named after `zone`, which is open on this thread. The GPU zone is nested in the innermost open
    /// GPU zone on this timeline.
    ///
    /// The GPU zone is not recorded if `zone` is not recorded, or if 65,536 zones are unfinished. The report shows how
    /// many zones were lost to that limit.
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

    /// Ends a zone in the current frame, along with any open zones inside it. Does nothing if the zone has already
    /// ended.
    pub fn end(&mut self, zone: GpuZone) {
        if let Some(key) = zone.key {
            let (zones, frame) = self.submit(key.id);
            for _ in 0..zones {
                self.spans.end(frame);
            }
        }
    }

    /// Finishes a zone that has ended, given the GPU times of its begin and end.
    ///
    /// The times are in nanoseconds on any one clock, or `None` if they are not known, for example because a query
    /// failed. Call this for each [recorded](GpuZone::is_recorded) zone, nested zones first: a frame's times are shown
    /// once all of its zones are finished.
    ///
    /// A time that is negative, or longer than the time since the zone began, is not shown. The report warns about such
    /// times.
    pub fn finish(&mut self, zone: GpuZone, ns: Option<[u64; 2]>) {
        if let Some(key) = zone.key {
            self.spans.finish(key, ns.ok_or(NoTime::Unknown));
            self.deliver();
        }
    }
}

/// The individual steps of the methods above. `gpu_zone!` calls these steps directly and stamps queries in between.
impl GpuTimeline {
    /// Returns the current frame and the origin of a GPU zone that begins now. `thread` and `node` identify the zone's
    /// node on the CPU.
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

    /// Submits the zones that end when this one does. Returns their number and the current frame. The caller then calls
    /// [`Spans::end`] once per zone.
    #[doc(hidden)]
    pub fn submit(&self, id: u64) -> (usize, u64) {
        let zones = self.spans.ending_with(id);
        (zones, with_mailbox(|mailbox| mailbox.submit(zones)))
    }

    /// Delivers finished zones and losses. GL is never called while the mailbox is locked, because drivers may call
    /// back into the program.
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

/// Finishes the remaining zones without a time.
impl Drop for GpuTimeline {
    fn drop(&mut self) {
        self.spans.give_up();
        self.deliver();
    }
}
