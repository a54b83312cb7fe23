//! Lays out the flame graph as an icicle, with the root on top, and finds the call path at a point.
//!
//! Each line of boxes contains the callees of the boxes in the line above. Callees at least a pixel wide are placed
//! from left to right, and narrower callees are folded into one box after them. Edges are rounded from exact sums, so
//! rounding errors don't accumulate. Only callees of drawn boxes are visited.

use super::colors::{self, ZoneColors};
use super::font::Font;
use super::list::{is_within, whole};
use super::theme::Color;
use super::theme::Theme;
use iprof_report::{CallPath, Flame, NONE};
use std::fmt::Write as _;

/// The minimum width of a callee's own box in px, the same as on the HTML page.
const MIN_BOX_WIDTH: f64 = 1.0;
/// The minimum width in px of a box with a 1 px gap to its neighbor.
const GAP_FROM_PX: f32 = 4.0;
/// The minimum width in characters of a box with a name.
const NAME_FROM: f32 = 3.0;
/// The minimum width of a flame graph, in px.
const MIN_GRAPH_WIDTH: f32 = 8.0;
/// At most one in this many lines is used for callers of the zoomed call path.
const LINES_PER_CALLER: usize = 2;

/// A laid-out flame graph, with its boxes for hit tests.
#[derive(Debug, Default)]
pub(crate) struct FlameArea {
    /// The left, top, right and bottom edges of everything drawn, in px.
    area: [f32; 4],
    /// The left, top, right and bottom edges of the boxes, in px.
    boxes_area: [f32; 4],
    line: f32,
    /// All boxes, line by line and from left to right.
    boxes: Vec<FlameBox>,
    /// The index of each line's first box.
    lines: Vec<usize>,
    /// The zones of the callers above the first line, without the root.
    above: Vec<u32>,
    colors: ZoneColors,
    label: String,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct FlameBox {
    pub(crate) node: u32,
    zone: u32,
    /// The index of the box above it, or its own index in the first line.
    under: u32,
    /// The number of callees folded into the box, or 0 for a call path. If there are any, `node` is the callee with the
    /// most time.
    pub(crate) folded: u32,
    /// The left edge in px.
    pub(crate) left: f32,
    /// The right edge in px.
    pub(crate) right: f32,
    /// The left edge in the flame graph's unit.
    offset: f64,
    /// The width in the flame graph's unit.
    pub(crate) time: f64,
    /// The time in the baseline.
    pub(crate) before_ms: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FlameHit {
    pub(crate) path: CallPath,
    /// The number of callees folded into the box, or 0 for a call path.
    pub(crate) folded: u32,
}

impl FlameArea {
    /// Lays out `flame` in a rectangle given by its left, top, right and bottom edges, in px. `like` contains the
    /// graph's colors, which are used if the zones match.
    pub(crate) fn lay_out(
        &mut self,
        font: &mut Font,
        theme: &Theme,
        flame: &Flame,
        rect: [f32; 4],
        like: &ZoneColors,
    ) {
        self.forget();
        let [left, top, right, foot] = rect.map(f32::round);
        let line = font.line;
        let room = ((foot - top) / line).floor() as usize;
        if right - left < MIN_GRAPH_WIDTH.max(font.advance) || room < 2 {
            return;
        }
        let first = font.list.quads().len();
        self.area = [left, top, right, top + room as f32 * line];
        self.boxes_area = [left, top + line, right, self.area[3]];
        self.line = line;
        font.fill([left, top, right, top + line], theme.title_bar);
        font.fill(self.boxes_area, theme.graph);
        if !self.colors.follow(theme, &flame.zones, like) {
            self.colors.update(theme, &flame.zones, &flame.totals);
        }
        self.place(flame, room - 1);
        self.paint(font, theme, flame);
        self.title(font, theme, flame);
        if font.may_overhang() {
            font.list.cut_to(first, self.area);
        }
    }

    fn place(&mut self, flame: &Flame, room: usize) {
        let [left, _, right, _] = self.boxes_area;
        let zoomed = flame.zoomed.min(flame.nodes.len().saturating_sub(1));
        let Some(top) = flame.nodes.get(zoomed).filter(|top| top.time > 0.0) else {
            return;
        };
        // The innermost callers get boxes of the full width.
        let callers = (top.depth as usize).min(room.saturating_sub(1) / LINES_PER_CALLER);
        let mut at = zoomed;
        for _ in 0..=callers {
            let node = &flame.nodes[at];
            self.boxes.push(FlameBox {
                node: at as u32,
                zone: node.zone,
                under: 0,
                folded: 0,
                left,
                right,
                offset: 0.0,
                time: node.time,
                before_ms: node.before_ms,
            });
            at = node.parent as usize;
        }
        self.boxes.reverse();
        if self.boxes[0].node > 0 {
            while at > 0 {
                self.above.push(flame.nodes[at].zone);
                at = flame.nodes[at].parent as usize;
            }
            self.above.reverse();
        }
        for at in 0..self.boxes.len() {
            self.boxes[at].under = at.saturating_sub(1) as u32;
            self.lines.push(at);
        }
        let scale = f64::from(right - left) / top.time;
        let mut from = self.boxes.len() - 1;
        while self.lines.len() < room {
            let to = self.boxes.len();
            for at in from..to {
                self.place_callees(flame, at, scale);
            }
            if self.boxes.len() == to {
                break;
            }
            self.lines.push(to);
            from = to;
        }
    }

    fn place_callees(&mut self, flame: &Flame, at: usize, scale: f64) {
        let above = self.boxes[at];
        if above.folded > 0 {
            return;
        }
        let origin = self.boxes_area[0];
        let edge = |offset: f64| (origin + whole((offset * scale) as f32)).min(above.right);
        let mut new = FlameBox {
            under: at as u32,
            offset: above.offset,
            ..above
        };
        let mut narrow = FlameBox {
            time: 0.0,
            before_ms: 0.0,
            ..new
        };
        let mut widest = 0.0;
        let mut next = flame.nodes[above.node as usize].first;
        // This loop ends, because callees come after their caller in `nodes`, and siblings are in ascending order.
        while let Some(node) = flame.nodes.get(next as usize) {
            if node.time * scale >= MIN_BOX_WIDTH {
                let end = new.offset + node.time;
                (new.left, new.right) = (edge(new.offset), edge(end));
                (new.node, new.zone) = (next, node.zone);
                (new.time, new.before_ms) = (node.time, node.before_ms);
                if new.right > new.left {
                    self.boxes.push(new);
                }
                new.offset = end;
            } else if node.time > 0.0 {
                narrow.folded += 1;
                narrow.time += node.time;
                narrow.before_ms += node.before_ms;
                if node.time > widest {
                    (widest, narrow.node, narrow.zone) = (node.time, next, node.zone);
                }
            }
            next = node.next;
        }
        if narrow.time * scale >= MIN_BOX_WIDTH {
            narrow.offset = new.offset;
            (narrow.left, narrow.right) = (edge(new.offset), edge(new.offset + narrow.time));
            if narrow.right > narrow.left {
                self.boxes.push(narrow);
            }
        }
    }

    fn paint(&mut self, font: &mut Font, theme: &Theme, flame: &Flame) {
        let zoomed = flame.zoomed as u32;
        let mut lines = self.lines.iter().skip(1);
        let mut end = lines.next().copied().unwrap_or(usize::MAX);
        let (mut top, mut is_above) = (self.boxes_area[1], true);
        let is_last = |top: f32| top + 1.5 * self.line > self.boxes_area[3];
        for (at, of) in self.boxes.iter().enumerate() {
            if at == end {
                end = lines.next().copied().unwrap_or(usize::MAX);
                top += self.line;
            }
            is_above &= of.node != zoomed;
            let mut color = self.color(theme, flame, of);
            if is_above {
                color = colors::faint(theme, color);
            }
            let foot = top + self.line;
            let gap = if of.right - of.left >= GAP_FROM_PX {
                1.0
            } else {
                0.0
            };
            let [left, right] = [of.left, of.right - gap];
            font.fill([left, top, right, foot - 1.0], color);
            let is_selected = of.folded == 0 && flame.selected == Some(of.zone);
            if is_selected {
                font.fill([left, top, right, top + 2.0], theme.cursor);
                font.fill([left, foot - 3.0, right, foot - 1.0], theme.cursor);
            }
            let edge = (0.5 * font.advance).round();
            let room = [left + edge, right - edge];
            if right - left >= NAME_FROM * font.advance {
                let ink = match is_above {
                    true => theme.title,
                    false => colors::ink(color),
                };
                match of.folded {
                    0 => {
                        let name = flame.name(of.node as usize);
                        font.cut(room, top, name, ink);
                    }
                    folded => {
                        self.label.clear();
                        write_folded(folded, &mut self.label);
                        font.cut(room, top, &self.label, ink);
                    }
                }
            }
            // Marks boxes in the last line that have callees.
            let has_more = of.folded == 0 && flame.nodes[of.node as usize].first != NONE;
            if has_more && is_last(top) {
                font.fill([left, foot - 1.0, right, foot], theme.header);
            }
            if flame.cursor == Some(of.node as usize) {
                outline(font, [left, top, right, foot - 1.0], theme);
            }
        }
    }

    fn color(&self, theme: &Theme, flame: &Flame, of: &FlameBox) -> Color {
        if flame.whole_change_ms > 0.0 {
            let change = of.time * flame.unit_ms - of.before_ms;
            return colors::difference(theme, (change / flame.whole_change_ms) as f32);
        }
        match of.folded {
            0 => self.colors.color(theme, of.zone),
            _ => theme.no_zone,
        }
    }

    /// Draws the title. On its right are the zoomed time and the total time.
    fn title(&mut self, font: &mut Font, theme: &Theme, flame: &Flame) {
        let [left, top, right, _] = self.area;
        let edge = (0.5 * font.advance).round();
        self.label.clear();
        let time = |node: usize| flame.nodes.get(node).map_or(0.0, |node| node.time);
        let (all, zoomed) = (time(0), time(flame.zoomed));
        // Writing to a string cannot fail.
        let _ = write!(self.label, "{:.2} ms", zoomed * flame.unit_ms);
        if flame.zoomed > 0 && all > 0.0 {
            let percent = zoomed / all * 100.0;
            let _ = write!(self.label, ", {percent:.1} % of {:.2}", all * flame.unit_ms);
        }
        let x = (right - edge - font.width(&self.label)).max(left + edge);
        font.cut([x, right - edge], top, &self.label, theme.title);
        let room = [left + edge, x - 2.0 * edge];
        if room[1] - room[0] >= NAME_FROM * font.advance {
            font.cut(room, top, &flame.title, theme.title);
        }
    }

    /// Clears the layout, so that hit tests find nothing.
    pub(crate) fn forget(&mut self) {
        self.area = [0.0; 4];
        self.boxes.clear();
        self.lines.clear();
        self.above.clear();
    }

    /// Returns the bounding rectangle of everything drawn, in px, or an empty rectangle if nothing is drawn.
    pub(crate) fn area(&self) -> [f32; 4] {
        self.area
    }

    pub(crate) fn box_at(&self, x: f32, y: f32) -> Option<FlameBox> {
        self.position(x, y).map(|at| self.boxes[at])
    }

    fn position(&self, x: f32, y: f32) -> Option<usize> {
        if self.area == [0.0; 4] || !is_within(self.boxes_area, [x, y]) {
            return None;
        }
        let line = ((y - self.boxes_area[1]) / self.line) as usize;
        let first = *self.lines.get(line)?;
        let end = self.lines.get(line + 1).copied();
        let boxes = &self.boxes[first..end.unwrap_or(self.boxes.len())];
        let at = boxes.partition_point(|of| of.right <= x);
        boxes.get(at).filter(|of| of.left <= x)?;
        Some(first + at)
    }

    /// Returns the call path at a point, in px. For a box of folded callees, returns the call path of the callee with
    /// the most time.
    pub(crate) fn hit(&self, x: f32, y: f32) -> Option<FlameHit> {
        let mut at = self.position(x, y)?;
        let folded = self.boxes[at].folded;
        let mut zones = Vec::new();
        loop {
            let of = self.boxes[at];
            if of.node > 0 {
                zones.push(of.zone);
            }
            if at == 0 {
                break;
            }
            at = of.under as usize;
        }
        let above = self.above.iter().copied();
        let path = CallPath::of(above.chain(zones.into_iter().rev()));
        Some(FlameHit { path, folded })
    }
}

/// Writes the name of a box of folded callees, which is the same as on the HTML page.
pub(super) fn write_folded(folded: u32, out: &mut String) {
    let s = if folded == 1 { "" } else { "s" };
    // Writing to a string cannot fail.
    let _ = write!(out, "{folded} zone{s} narrower than a pixel");
}

fn outline(font: &mut Font, [left, top, right, foot]: [f32; 4], theme: &Theme) {
    let color = theme.title;
    font.fill([left, top, right, top + 1.0], color);
    font.fill([left, foot - 1.0, right, foot], color);
    font.fill([left, top, left + 1.0, foot], color);
    font.fill([right - 1.0, top, right, foot], color);
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::draw::list::DrawList;
    use iprof_report::GraphZone;
    use proptest::prelude::*;

    const RECT: [f32; 4] = [10.0, 20.0, 210.0, 150.0];

    fn lay_out(flame: &Flame, rect: [f32; 4]) -> (FlameArea, DrawList) {
        let mut font = Font::new(12.0);
        let mut area = FlameArea::default();
        let none = ZoneColors::default();
        area.lay_out(&mut font, &Theme::DARK, flame, rect, &none);
        (area, font.list)
    }

    /// Builds a flame graph from each node's caller, zone and self time.
    fn flame(nodes: &[(usize, u32, f64)]) -> Flame {
        let zones = (0..8).map(|at| GraphZone::new(&format!("zone {at}")));
        let mut flame = Flame {
            zones: zones.collect(),
            ..Flame::default()
        };
        for (caller, zone, time) in nodes {
            flame.add(*caller, *zone, *time, 1.0);
        }
        flame
    }

    fn edges(area: &FlameArea) -> Vec<(u32, u32, f32, f32)> {
        let boxes = area.boxes.iter();
        boxes
            .map(|of| (of.node, of.folded, of.left, of.right))
            .collect()
    }

    #[test]
    fn box_widths_match_times_and_narrow_boxes_fold() {
        // The total time of 100 is 200 px wide.
        let mut nodes = vec![(0, 0, 10.0), (0, 1, 40.0), (0, 2, 25.0), (1, 3, 20.0)];
        nodes.extend((0..10).map(|at| (0, 4 + at % 4, 0.3 + 0.1 * f64::from(at == 7))));
        let mut flame = flame(&nodes);
        flame.add(0, 1, 100.0 - flame.nodes[0].time, 1.0);
        let (area, _) = lay_out(&flame, RECT);
        let all = [
            (0, 0, 10.0, 210.0),
            (1, 0, 10.0, 130.0),
            (2, 0, 130.0, 180.0),
            // The last callee, then the callees narrower than a pixel, of which the eighth takes the most time.
            (14, 0, 180.0, 184.0),
            (11, 10, 184.0, 190.0),
            (3, 0, 10.0, 50.0),
        ];
        assert_eq!(edges(&area), all);
        assert_eq!(area.lines, [0, 1, 5]);
        let hit = |x: f32, y: f32| area.hit(x, 20.0 + 15.0 * y + 1.0);
        assert_eq!(hit(11.0, 0.0), None, "the title should not be hit");
        let folded = hit(185.0, 2.0).unwrap();
        assert_eq!((folded.path, folded.folded), (flame.path(11), 10));
        assert_eq!(
            hit(195.0, 2.0),
            None,
            "the root's self time should not be hit"
        );
        assert_eq!(hit(49.9, 3.0).unwrap().path, flame.path(3));
        assert_eq!(hit(50.0, 3.0), None);
    }

    /// Colors come from the graph if it has the same zones, regardless of their sizes in the flame graph. If its zones
    /// are different, the colors depend on the zones' sizes in the flame graph.
    #[test]
    fn boxes_use_the_graph_colors() {
        use iprof_report::Segment;
        // The last zones are the largest in the flame graph, and the first zones are the largest in the graph.
        let nodes = (0..12).map(|zone| (0, zone, 5.0 + f64::from(zone)));
        let mut flame = flame(&nodes.collect::<Vec<_>>());
        flame.zones = (0..12)
            .map(|at| GraphZone::new(&format!("zone {at}")))
            .collect();
        flame.zones[3].is_idle = true;
        let segments = (0..12).map(|zone| Segment {
            zone,
            ms: 90.0 - zone as f32,
        });
        let segments: Vec<Segment> = segments.collect();
        let mut other = flame.zones.clone();
        other[0] = GraphZone::new("another zone");
        for theme in [&Theme::DARK, &Theme::LIGHT] {
            for (zones, follows) in [(&flame.zones, true), (&other, false)] {
                let mut graph = ZoneColors::default();
                graph.update(theme, zones, &segments);
                let mut own = ZoneColors::default();
                own.update(theme, &flame.zones, &flame.totals);
                let wanted = if follows { &graph } else { &own };
                let mut font = Font::new(12.0);
                let mut area = FlameArea::default();
                area.lay_out(&mut font, theme, &flame, RECT, &graph);
                assert!(area.boxes.len() > 10);
                for of in &area.boxes[1..] {
                    let is_its = |quad: &&[crate::draw::list::Vertex; 4]| {
                        quad[0].position[0] == of.left
                            && (quad[2].position[0] - of.right).abs() <= 1.0
                            && quad[0].position[1] > area.boxes_area[1]
                    };
                    let fill = font
                        .list
                        .quads()
                        .iter()
                        .find(is_its)
                        .expect("each path should have a box");
                    assert_eq!(
                        fill[0].color,
                        wanted.color(theme, of.zone),
                        "{of:?} {follows}"
                    );
                }
            }
        }
    }

    #[test]
    fn zoomed_call_path_fills_the_width() {
        let mut flame = flame(&[(0, 0, 10.0), (0, 1, 40.0), (1, 2, 25.0), (2, 3, 25.0)]);
        flame.zoomed = 2;
        let (area, _) = lay_out(&flame, RECT);
        let all = [
            (0, 0, 10.0, 210.0),
            (1, 0, 10.0, 210.0),
            (2, 0, 10.0, 210.0),
            (3, 0, 10.0, 110.0),
        ];
        assert_eq!(edges(&area), all);
        assert_eq!(
            area.hit(60.0, 20.0 + 15.0 * 4.5).unwrap().path,
            flame.path(3)
        );
        // If there are more callers than lines, the innermost callers are shown.
        let mut deep = self::flame(
            &(0..90)
                .map(|at: usize| (at.saturating_sub(1), 1, 1.0))
                .collect::<Vec<_>>(),
        );
        deep.zoomed = 50;
        let (area, _) = lay_out(&deep, RECT);
        let nodes: Vec<u32> = area.boxes.iter().map(|of| of.node).collect();
        assert_eq!(nodes, (47..54).collect::<Vec<_>>());
        assert_eq!(area.hit(11.0, 36.0).unwrap().path, deep.path(47));
    }

    #[test]
    fn nothing_is_hit_without_time_or_room() {
        let (area, list) = lay_out(&Flame::default(), RECT);
        assert!(area.boxes.is_empty() && !list.quads().is_empty());
        let (area, list) = lay_out(&flame(&[(0, 0, 10.0)]), [10.0, 20.0, 14.0, 90.0]);
        assert_eq!((area.area(), list.quads().len()), ([0.0; 4], 0));
    }

    fn trees() -> impl Strategy<Value = Vec<(usize, u32, f64)>> {
        let node = (any::<prop::sample::Index>(), 0..8_u32, 0..1000_u32);
        prop::collection::vec(node, 1..60).prop_map(|nodes| {
            let nodes = nodes.into_iter().enumerate();
            let node = |(at, (caller, zone, time)): (usize, (prop::sample::Index, u32, u32))| {
                (caller.index(at.max(1)), zone, f64::from(time * time))
            };
            nodes.map(node).collect()
        })
    }

    proptest! {
        #[test]
        fn boxes_nest_and_every_drawn_box_is_hit(
            nodes in trees(),
            zoomed in any::<prop::sample::Index>(),
            width in 9..700_u32,
        ) {
            let mut flame = flame(&nodes);
            flame.zoomed = zoomed.index(nodes.len());
            let rect = [10.0, 20.0, 10.0 + width as f32, 150.0];
            let (area, list) = lay_out(&flame, rect);
            for vertex in list.quads().as_flattened() {
                let [x, y] = vertex.position;
                prop_assert!(x >= rect[0] && x <= rect[2] && y >= rect[1] && y <= rect[3]);
            }
            let scale = f64::from(width) / flame.nodes[flame.zoomed].time;
            let is_zoomed = |of: &FlameBox| of.node as usize == flame.zoomed;
            let top = area.boxes.iter().position(is_zoomed).unwrap_or(0);
            let mut line = 0;
            for (at, of) in area.boxes.iter().enumerate() {
                line += usize::from(area.lines.get(line + 1) == Some(&at));
                let under = area.boxes[of.under as usize];
                prop_assert!(under.left <= of.left && of.right <= under.right);
                if at > area.lines[line] {
                    prop_assert!(area.boxes[at - 1].right <= of.left);
                }
                // Edges are rounded from exact sums.
                let exact = if at <= top { f64::from(width) } else { of.time * scale };
                prop_assert!((f64::from(of.right - of.left) - exact).abs() <= 1.001);
                // Every pixel in a box hits the box.
                let y = area.boxes_area[1] + (line as f32 + 0.5) * area.line;
                let mut x = of.left + 0.5;
                while x < of.right {
                    let hit = area.hit(x, y).expect("a point in a box should hit it");
                    prop_assert_eq!(hit.path, flame.path(of.node as usize));
                    prop_assert_eq!(hit.folded, of.folded);
                    x += 1.0;
                }
            }
            // Nothing is missing above the last line: a box's time is its self time plus the times of its callees,
            // folded or not.
            let last = area.lines.last().copied().unwrap_or(0);
            let has_room = |line: usize| area.boxes_area[1] + (line + 1) as f32 * area.line < area.area[3];
            let end = if has_room(area.lines.len()) { area.boxes.len() } else { last };
            for (at, of) in area.boxes.iter().enumerate().take(end).skip(top) {
                let drawn = area.boxes.iter().skip(at + 1).filter(|other| other.under as usize == at);
                let drawn: f64 = drawn.map(|other| other.time).sum();
                let node = &flame.nodes[of.node as usize];
                let lost = node.time - node.self_time - drawn;
                prop_assert!(of.folded > 0 || lost >= 0.0 && lost * scale < MIN_BOX_WIDTH);
            }
        }
    }
}
