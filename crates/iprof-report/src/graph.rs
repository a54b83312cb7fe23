//! The frame graph as plain data: a bar of zones for each remembered frame, or for each bucket of the session, with
//! marks, cursor and range. It does not depend on its source.

use crate::display_and_from_str;
use crate::variant_name::VariantName;
use iprof_process::ValueInfo;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// The time that a frame should take unless the host says otherwise, in milliseconds: 60 frames per second.
pub const DEFAULT_BUDGET_MS: f32 = 1000.0 / 60.0;

/// Whether the graph stacks each frame's zones as a bar, or draws a line for each of the largest zones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GraphStyle {
    /// A bar per frame: its zones stacked by self time.
    #[default]
    Bars,
    /// A line for each of the largest zones: its self time from frame to frame.
    Lines,
}

impl VariantName for GraphStyle {
    const KIND: &'static str = "graph style";
    const NAMES: &'static [(GraphStyle, &'static str)] =
        &[(GraphStyle::Bars, "bars"), (GraphStyle::Lines, "lines")];
}
display_and_from_str!(GraphStyle);

/// The frame graph: a bar of zones for each remembered frame, oldest first. [Zoomed out](crate::Action::ZoomGraph)
/// further than to all of them, a bar for each bucket of the session instead.
///
/// A graph can be made by hand, too, for the overlay's `draw_graph`:
///
/// ```
/// use iprof::{Bar, Graph, GraphZone, Segment};
///
/// let mut graph = Graph::default();
/// graph.zones.push(GraphZone::new("physics"));
/// graph.bars.push_back(Bar::new(1, vec![Segment { zone: 0, ms: 2.5 }]));
/// graph.capacity = 100;
/// assert_eq!(graph.zone_at(1, 2.0).as_deref(), Some("physics"));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "test-support"), non_exhaustive)]
pub struct Graph {
    /// How the graph is drawn.
    pub style: GraphStyle,
    /// A short description of what is shown.
    pub title: String,
    /// The zones that segments refer to.
    pub zones: Vec<GraphZone>,
    /// A bar per frame, oldest first; or a bar per bucket.
    pub bars: VecDeque<Bar>,
    /// Empty if bars are frames. Else for each bar the [bucket](enum.Frames.html#the-session) of the session that it is.
    pub buckets: Vec<GraphBucket>,
    /// The number of frames that can be remembered. The graph is as wide as that many bars, or as the
    /// screen allows.
    pub capacity: usize,
    /// The number of the remembered frame that the view shows, if it shows one; of buckets, the
    /// [number](Bar::frame) of the bar that it shows, or in which its frame is.
    pub cursor: Option<u64>,
    /// The numbers of the first and the last frame of the range that the view shows, if it shows one.
    pub range: Option<(u64, u64)>,
    /// The set of frames that the view shows, if it shows one.
    pub set: Option<GraphSet>,
    /// The time that a frame should take, in milliseconds: there is a line at it, and one at twice that. A time that is
    /// not positive and finite is that of 60 frames per second.
    pub budget_ms: f32,
    /// The selected zone of a call graph that has a [budget](fn.set_zone_budget.html): its name, and the time at which
    /// there is a line.
    #[doc(hidden)]
    pub zone_budget: Option<(Arc<str>, f32)>,
    /// How many frames missed the frame budget, of how many.
    #[doc(hidden)]
    pub missed: (u64, u64),
    /// The named value that the graph has a line of: the sum in each frame, of all threads in view.
    pub value: Option<ValueInfo>,
    /// Marked frames, oldest first.
    pub marks: Vec<GraphMark>,
    /// How many of the newest bars lie beyond the right edge. A painter scrolls further, or less far, where
    /// the cursor would be out of sight.
    pub scrolled: usize,
    /// The factor of the width of bars. If bars would be narrower than a pixel, the longest of several
    /// bars stands for all of them.
    pub zoom: f32,
    /// The factor of the height of bars, beyond that which a painter chooses for the frames in view.
    pub vertical_zoom: f32,
    /// How far up the graph is scrolled, in heights of the graph: 0 if its foot is at no time. A painter goes
    /// no further than to the top of the longest frame in view.
    pub raised: f32,
    /// The frame that [`Frames::Longest`](enum.Frames.html#variant.Longest) shows: if its bar is in view, it
    /// is labeled. 0 if that is not known.
    #[doc(hidden)]
    pub longest: u64,
    /// The last of the frames that are not searched for it, because the program was starting.
    #[doc(hidden)]
    pub last_of_start_up: u64,
}

impl Default for Graph {
    fn default() -> Graph {
        Graph {
            style: GraphStyle::default(),
            title: String::new(),
            zones: Vec::new(),
            bars: VecDeque::new(),
            buckets: Vec::new(),
            capacity: 0,
            cursor: None,
            range: None,
            set: None,
            budget_ms: DEFAULT_BUDGET_MS,
            zone_budget: None,
            missed: (0, 0),
            value: None,
            marks: Vec::new(),
            scrolled: 0,
            zoom: 1.0,
            vertical_zoom: 1.0,
            raised: 0.0,
            longest: 0,
            last_of_start_up: 0,
        }
    }
}

/// A set of frames that a view shows: the columns of all other frames are shaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphSet {
    /// The set's name, as [`Frames`](enum.Frames.html) writes it; or that of a part of the session.
    pub name: String,
    /// The numbers of its frames, in rising order. Of a part of the session, if bars are buckets: the number of each
    /// bar that has frames of it.
    pub frames: Vec<u64>,
}

/// A frame that was [marked](fn.mark.html).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphMark {
    /// The frame's number.
    pub frame: u64,
    /// The mark's name.
    pub name: Arc<str>,
}

impl Graph {
    /// The name of the zone that lies `ms` above the foot of a frame's bar; none above the bar, or if
    /// there is no such frame.
    #[must_use]
    pub fn zone_at(&self, frame: u64, ms: f32) -> Option<Arc<str>> {
        let bar = self.bars.iter().rev().find(|bar| bar.frame == frame)?;
        let mut sum = 0.0;
        let segment = bar.segments.iter().find(|segment| {
            sum += segment.ms;
            ms >= 0.0 && ms < sum
        })?;
        self.zones
            .get(segment.zone as usize)
            .map(|zone| zone.name.clone())
    }
}

/// A zone of the graph, to which segments of bars refer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "test-support"), non_exhaustive)]
pub struct GraphZone {
    /// Its name. A hash of the name chooses the color, so it is the same in every run.
    pub name: Arc<str>,
    /// Whether it stands for waiting, not for work: it has a color that can be passed over.
    pub is_idle: bool,
}

impl GraphZone {
    /// A zone of that name, which is not idle.
    #[must_use]
    pub fn new(name: &str) -> GraphZone {
        GraphZone {
            name: name.into(),
            is_idle: false,
        }
    }
}

/// A bucket of the session as a bar of the graph: which frames it is the mean of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GraphBucket {
    /// When the first of its frames began and the last one ended, since the program's first zone.
    pub begin: Duration,
    /// See `begin`.
    pub end: Duration,
    /// The numbers of the first of its frames and of the last one.
    pub first: u64,
    /// See `first`.
    pub last: u64,
    /// How many frames its bar is the mean of: all that it has, or those that have GPU times.
    pub count: u64,
    /// The length of the longest of its frames, in milliseconds; 0 if bars are not those of the frame's thread.
    pub longest_ms: f64,
    /// How many of its frames are in the part of the session that the view shows; 0 if it shows none.
    pub shown: u64,
}

/// A frame as a bar of the graph: its time, divided among its zones. Or the mean frame of a bucket.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(not(feature = "test-support"), non_exhaustive)]
pub struct Bar {
    /// The frame's number; that of the last frame of a bucket.
    pub frame: u64,
    /// Its time in milliseconds; the segments sum to it. Of a bucket, as all values, the mean per frame.
    pub ms: f64,
    /// Its zones from the foot up: those of work in the order of [`Graph::zones`], then the idle ones.
    pub segments: Vec<Segment>,
    /// What was added to [`Graph::value`] in the frame, in units.
    pub value: f64,
}

impl Bar {
    /// The bar of a frame, as long as its segments together.
    #[must_use]
    pub fn new(frame: u64, segments: Vec<Segment>) -> Bar {
        Bar {
            frame,
            ms: segments.iter().map(|segment| f64::from(segment.ms)).sum(),
            segments,
            value: 0.0,
        }
    }
}

/// A zone's part of a bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Index in [`Graph::zones`].
    pub zone: u32,
    /// Self time in milliseconds.
    pub ms: f32,
}
