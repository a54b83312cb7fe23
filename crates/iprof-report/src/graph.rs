//! The frame graph as plain data, independent of where it came from. It has a bar for each remembered frame or for each
//! bucket of the session, and marks, a cursor and a range.

use crate::display_and_from_str;
use crate::variant_name::VariantName;
use iprof_process::ValueInfo;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// The default frame budget in milliseconds: 60 frames per second.
pub const DEFAULT_BUDGET_MS: f32 = 1000.0 / 60.0;

/// How the graph shows zones: stacked in bars or as lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GraphStyle {
    /// Each frame is a bar of zones stacked by self time.
    #[default]
    Bars,
    /// Each of the largest zones is a line that plots its self time from frame to frame.
    Lines,
}

impl VariantName for GraphStyle {
    const KIND: &'static str = "graph style";
    const NAMES: &'static [(GraphStyle, &'static str)] =
        &[(GraphStyle::Bars, "bars"), (GraphStyle::Lines, "lines")];
}
display_and_from_str!(GraphStyle);

/// The frame graph: a bar for each remembered frame, oldest first. When [zoomed out](crate::Action::ZoomGraph) beyond
/// those frames, it has a bar for each session bucket instead.
///
/// A graph can also be built by hand, for the overlay's `draw_graph`:
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
    /// A short description of the data shown.
    pub title: String,
    /// The zones that bar segments refer to.
    pub zones: Vec<GraphZone>,
    /// The bars, oldest first, one for each frame or bucket.
    pub bars: VecDeque<Bar>,
    /// The session [bucket](enum.Frames.html#the-session) for each bar; empty if bars are frames.
    pub buckets: Vec<GraphBucket>,
    /// How many frames can be remembered. The graph is as wide as that many bars, or as wide as the screen allows.
    pub capacity: usize,
    /// The number of the remembered frame shown, if any. If bars are buckets, it is the [number](Bar::frame) of the bar
    /// that is shown or that contains the shown frame.
    pub cursor: Option<u64>,
    /// The numbers of the first and last frame of the range shown, if any.
    pub range: Option<(u64, u64)>,
    /// The set of frames shown, if any.
    pub set: Option<GraphSet>,
    /// The frame budget in milliseconds, or the default if it is invalid. Lines mark the budget and twice the budget.
    pub budget_ms: f32,
    /// In a call graph, the selected zone's name and its [budget](fn.set_zone_budget.html) in milliseconds, drawn as a
    /// line.
    #[doc(hidden)]
    pub zone_budget: Option<(Arc<str>, f32)>,
    /// The number of frames over the frame budget, and the total number of frames.
    #[doc(hidden)]
    pub missed: (u64, u64),
    /// The named value drawn as a line: its sum in each frame over all threads in view.
    pub value: Option<ValueInfo>,
    /// Marked frames, oldest first.
    pub marks: Vec<GraphMark>,
    /// The number of newest bars beyond the right edge. A painter scrolls as needed to keep the cursor visible.
    pub scrolled: usize,
    /// The bar width factor. If bars would be narrower than a pixel, only the longest of the bars that share a pixel is
    /// drawn.
    pub zoom: f32,
    /// The bar height factor, relative to the height that a painter chooses for the frames in view.
    pub vertical_zoom: f32,
    /// How far the graph is scrolled up, in graph heights. A painter stops at the top of the longest frame in view.
    pub raised: f32,
    /// The number of the [`Frames::Longest`](enum.Frames.html#variant.Longest) frame, which is labeled; 0 if unknown.
    #[doc(hidden)]
    pub longest: u64,
    /// The last start-up frame. The search for the longest frame starts after it.
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

/// The set of frames shown. The columns of all other frames are shaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphSet {
    /// The set's name, as [`Frames`](enum.Frames.html) displays it, or the name of the part of the session.
    pub name: String,
    /// The numbers of the set's frames, in ascending order. If bars are buckets, the numbers of bars that contain any.
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
    /// Returns the name of the zone that is `ms` milliseconds above the bottom of a frame's bar, if there is one.
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

/// A zone that bar segments refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "test-support"), non_exhaustive)]
pub struct GraphZone {
    /// The zone's name. Its hash selects the color, so a zone has the same color in every run.
    pub name: Arc<str>,
    /// Whether the zone is idle. Idle zones are drawn in an unobtrusive color.
    pub is_idle: bool,
}

impl GraphZone {
    /// Creates a zone with this name that is not idle.
    #[must_use]
    pub fn new(name: &str) -> GraphZone {
        GraphZone {
            name: name.into(),
            is_idle: false,
        }
    }
}

/// A session bucket, shown as one bar.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GraphBucket {
    /// The start of the bucket's first frame, measured from when the program entered its first zone.
    pub begin: Duration,
    /// The end of the bucket's last frame, measured from when the program entered its first zone.
    pub end: Duration,
    /// The number of the bucket's first frame.
    pub first: u64,
    /// The number of the bucket's last frame.
    pub last: u64,
    /// The number of frames averaged in the bar: all of the bucket's frames, or for the GPU only those with GPU times.
    pub count: u64,
    /// The length of the bucket's longest frame in milliseconds; 0 if the bars show a thread other than the frame's.
    pub longest_ms: f64,
    /// The number of the bucket's frames that belong to the shown part of the session; 0 if no part is shown.
    pub shown: u64,
}

/// A bar of the graph: the time of a frame, or of a bucket's mean frame, divided among its zones.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(not(feature = "test-support"), non_exhaustive)]
pub struct Bar {
    /// The frame's number, or the number of the bucket's last frame.
    pub frame: u64,
    /// The time in milliseconds, which is the sum of the segments. For a bucket, `ms` and `value` are means per frame.
    pub ms: f64,
    /// The zones from the bottom up: working zones in the order of [`Graph::zones`], then idle zones.
    pub segments: Vec<Segment>,
    /// The amount added to [`Graph::value`] in the frame, in units.
    pub value: f64,
}

impl Bar {
    /// Creates a frame's bar, whose time is the sum of its segments.
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

/// A zone's segment of a bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// An index into [`Graph::zones`].
    pub zone: u32,
    /// Self time in milliseconds.
    pub ms: f32,
}
