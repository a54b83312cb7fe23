//! GPU zones of a program that measures the GPU by itself, or by another library than `glow`.

use crate::open_zone::OpenZone;
#[cfg(feature = "enable")]
use {
    super::spans::{NoTime, SpanKey, Spans},
    crate::gather::gpu::{GpuOrigin, with_mailbox},
};

/// Maximum number of zones whose times have not been handed in.
#[cfg(feature = "enable")]
const MAX_UNFINISHED: usize = 65_536;

/// GPU zones whose times the program hands in: for Vulkan, Direct3D, Metal, wgpu and other sources of GPU timestamps.
/// For OpenGL there is [`gpu_zone!`](crate::gpu_zone!), which keeps and hands in its zones in the same way, and the package
/// `iprof-wgpu` uses a timeline for wgpu.
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
    #[cfg(feature = "enable")]
    spans: Spans,
}

/// A zone of a [`GpuTimeline`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GpuZone {
    #[cfg(feature = "enable")]
    key: Option<SpanKey>,
}

impl GpuZone {
    /// Whether the zone is recorded. If not, as while recording is off, it needs no timestamps, and all that is done
    /// with it does nothing.
    #[must_use]
    pub fn is_recorded(self) -> bool {
        if_enabled!(self.key.is_some(), false)
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
        if_enabled!(
            GpuZone {
                key: self.begin_in(zone)
            },
            {
                let _ = zone;
                GpuZone {}
            }
        )
    }

    #[cfg(feature = "enable")]
    fn begin_in(&mut self, zone: &OpenZone) -> Option<SpanKey> {
        let (thread, node) = zone.node()?;
        let zone = thread.node(node)?.zone();
        if self.spans.unfinished() >= MAX_UNFINISHED {
            self.spans.losses.overflowed += 1;
            self.deliver();
            return None;
        }
        let parent = self.spans.innermost();
        let (begun_in, gpu_node) =
            with_mailbox(|mailbox| (mailbox.frame, mailbox.node_for(parent, zone)));
        Some(self.spans.begin(GpuOrigin {
            thread,
            node,
            gpu_node: gpu_node?,
            begun_in,
        }))
    }

    /// Ends a zone in the current frame, and zones that were begun in it and have not ended. A zone that has ended
    /// already stays as it is.
    pub fn end(&mut self, zone: GpuZone) {
        if_enabled!(
            if let Some(key) = zone.key {
                let zones = self.spans.ending_with(key.id);
                let frame = with_mailbox(|mailbox| mailbox.submit(zones));
                for _ in 0..zones {
                    self.spans.end(frame);
                }
            },
            {
                let _ = zone;
            }
        );
    }

    /// Finishes a zone that has ended: hands in the GPU's times of its begin and its end, in nanoseconds of any one
    /// clock; `None` if they are not known, as when a query failed. Call it for each zone that is
    /// [recorded](GpuZone::is_recorded): the times of a frame are shown when all of its zones are finished. Zones in a
    /// zone are finished before it.
    ///
    /// A time that cannot be true, negative or longer than what has passed since the zone began, is not shown, and the
    /// report warns of it.
    pub fn finish(&mut self, zone: GpuZone, ns: Option<[u64; 2]>) {
        if_enabled!(
            if let Some(key) = zone.key {
                self.spans.finish(key, ns.ok_or(NoTime::Unknown));
                self.deliver();
            },
            {
                let _ = (zone, ns);
            }
        );
    }

    #[cfg(feature = "enable")]
    fn deliver(&mut self) {
        let Spans {
            finished, losses, ..
        } = &mut self.spans;
        with_mailbox(|mailbox| mailbox.deliver(finished, losses));
    }
}

/// Zones that are not finished have no time.
#[cfg(feature = "enable")]
impl Drop for GpuTimeline {
    fn drop(&mut self) {
        self.spans.give_up();
        self.deliver();
    }
}
