//! The bar graph: plain data, ready to be drawn. It knows nothing of where it came from.

use std::collections::VecDeque;
use std::sync::Arc;

/// How the graph shows the remembered frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GraphStyle {
    /// A bar per frame: its zones stacked by self time.
    #[default]
    Bars,
    /// A line per zone: its self time from frame to frame.
    Lines,
}

/// The remembered frames, from old to new.
#[derive(Clone, Debug)]
pub struct Graph {
    /// How it is to be drawn.
    pub style: GraphStyle,
    /// What is shown, in a few words.
    pub title: String,
    /// The zones that segments refer to.
    pub zones: Vec<GraphZone>,
    /// A bar per frame, from old to new.
    pub bars: VecDeque<Bar>,
    /// How many frames can be remembered; the graph is as wide as that, or as the screen allows.
    pub capacity: usize,
    /// The number of the frame that the view looks at, if it looks at a remembered one.
    pub cursor: Option<u64>,
    /// The numbers of the first and the last frame of the range that the view looks at, if it looks
    /// at one.
    pub range: Option<(u64, u64)>,
    /// Frames with names, from old to new.
    pub marks: Vec<GraphMark>,
    /// How many of the newest bars lie beyond the right edge; fewer or more if the cursor would be
    /// out of sight.
    pub scrolled: usize,
    /// How much wider bars are than asked for. Where they would be narrower than a pixel, the
    /// longest of several stands for all of them.
    pub zoom: f32,
}

impl Default for Graph {
    fn default() -> Graph {
        Graph {
            style: GraphStyle::default(),
            title: String::new(),
            zones: Vec::new(),
            bars: VecDeque::new(),
            capacity: 0,
            cursor: None,
            range: None,
            marks: Vec::new(),
            scrolled: 0,
            zoom: 1.0,
        }
    }
}

/// A frame that was [marked](crate::mark).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphMark {
    /// The frame's number.
    pub frame: u64,
    /// What it was marked with.
    pub name: Arc<str>,
}

impl Graph {
    /// The name of the zone that lies `ms` above the foot of the bar of a frame; none above the
    /// bar, or if there is no such frame.
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

/// A zone of the graph.
#[derive(Clone, Debug)]
pub struct GraphZone {
    /// Its name. Its colour is a hash of it, so it is the same from run to run.
    pub name: Arc<str>,
}

/// A frame.
#[derive(Clone, Debug, Default)]
pub struct Bar {
    /// The frame's number.
    pub frame: u64,
    /// Its time in milliseconds; the segments sum to it.
    pub ms: f64,
    /// Its zones, in the order of [`Graph::zones`].
    pub segments: Vec<Segment>,
}

/// The part of a zone in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Position in [`Graph::zones`].
    pub zone: u32,
    /// Self time in milliseconds.
    pub ms: f32,
}
