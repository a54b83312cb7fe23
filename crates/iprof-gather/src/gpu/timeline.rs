//! GPU zones of a program that measures the GPU by itself, or by another library than `glow`.

use crate::OpenZone;
use {
    super::spans::{NoTime, SpanKey, Spans},
    crate::ThreadRecord,
    crate::Zone,
    crate::gpu::{GpuLosses, GpuOrigin, with_mailbox},
};

/// Maximum number of zones whose times have not been handed in.
const MAX_UNFINISHED: usize = 65_536;

/// GPU zones whose times the program hands in: for Vulkan, Direct3D, Metal, wgpu and other sources of GPU timestamps.
/// For OpenGL there is [`gpu_zone!`](macro.gpu_zone.html), which has a timeline for each context and thread, and the package
/// `iprof-wgpu` has one for wgpu.
///
/// The timeline stands for one queue, to which one thread at a time submits commands. A zone
/// [begins](GpuTimeline::begin) and [ends](GpuTimeline::end) where its commands are recorded, and is
/// [finished](GpuTimeline::finish) when its timestamps have been read, in whatever later frame: its time then counts
/// for the frame in which it ended. Zones nest; the report shows a zone's time less that of the zones in it.
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
    /// Whether the zone is recorded. If not, as while recording is off, it needs no timestamps, and all that is done
    /// with it does nothing.
    #[must_use]
    pub fn is_recorded(self) -> bool {
        self.key.is_some()
    }
}

impl GpuTimeline {
    /// A timeline without zones.
    #[must_use]
    pub fn new() -> GpuTimeline {
        GpuTimeline::default()
    }

    /// Begins a zone on the GPU, of the same name as one that is open on this thread, and in the zone of this timeline
    /// that was begun last and has not ended.
    ///
    /// It is not recorded if `zone` is not, or if 65,536 zones are not finished, which the report counts.
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

    /// Ends a zone in the current frame, and zones that were begun in it and have not ended. A zone that has ended
    /// already stays as it is.
    pub fn end(&mut self, zone: GpuZone) {
        if let Some(key) = zone.key {
            let (zones, frame) = self.submit(key.id);
            for _ in 0..zones {
                self.spans.end(frame);
            }
        }
    }

    /// Finishes a zone that has ended: hands in the GPU's times of its begin and its end, in nanoseconds of any one
    /// clock; `None` if they are not known, as when a query failed. Call it for each zone that is
    /// [recorded](GpuZone::is_recorded): the times of a frame are shown when all of its zones are finished. Zones in a
    /// zone are finished before it.
    ///
    /// A time that cannot be true, negative or longer than what has passed since the zone began, is not shown, and the
    /// report warns of it.
    pub fn finish(&mut self, zone: GpuZone, ns: Option<[u64; 2]>) {
        if let Some(key) = zone.key {
            self.spans.finish(key, ns.ok_or(NoTime::Unknown));
            self.deliver();
        }
    }
}

/// The steps of which the above is made, and `gpu_zone!`, which stamps queries between them.
impl GpuTimeline {
    /// The current frame, and what a zone would be on the GPU that began now: one that a thread has entered on the CPU, by
    /// its node there.
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

    /// Submits the zones that end with that one: their number, for each of which [`Spans::end`] is to be called, and the
    /// current frame, in which they end.
    #[doc(hidden)]
    pub fn submit(&self, id: u64) -> (usize, u64) {
        let zones = self.spans.ending_with(id);
        (zones, with_mailbox(|mailbox| mailbox.submit(zones)))
    }

    /// Hands in what is finished, and what was lost. GL is never called with the mailbox locked: drivers call back.
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
