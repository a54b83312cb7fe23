//! Draws a line over the bars for a named value: the value's sum in each frame, on its own scale.

use super::{BarsArea, within};
use crate::draw::font::Font;
use crate::draw::graph_layout::write_time;
use iprof_process::text_parts::push_decimal;
use iprof_report::Graph;

/// The fraction of the graph's height that the largest sum in view takes.
const HEIGHT: f32 = 0.9;
/// The line width in px.
const WIDTH: f32 = 1.5;

impl BarsArea {
    /// Draws the line. On the left, below the mark names, are the value's name and its largest sum in view.
    pub(super) fn value_line(&mut self, font: &mut Font, graph: &Graph) {
        let Some(value) = &graph.value else {
            return;
        };
        let largest = self.visible(graph).map(|(_, bar)| bar.value);
        let largest = largest.fold(0.0, f64::max);
        if largest <= 0.0 || !largest.is_finite() {
            return;
        }
        let [left, top, right, foot] = self.bars;
        let per_unit = f64::from((foot - top) * HEIGHT) / largest;
        let y = |sum: f64| within(foot - (sum * per_unit) as f32, top + 1.0, foot - 1.0);
        let mut last: Option<[f32; 2]> = None;
        for (x, bar) in self.visible(graph) {
            let x = (x + 0.5 * self.step).clamp(left + 1.0, right - 1.0);
            let point = [x, y(bar.value)];
            if let Some(last) = last {
                font.line(last, point, WIDTH, self.theme.header);
            }
            last = Some(point);
        }
        self.label.clear();
        self.label.push_str(&value.name);
        self.label.push_str(": up to ");
        push_decimal(&mut self.label, largest, value.places());
        let y = match self.has_marks(graph) {
            true => top + font.line,
            false => top,
        };
        let x = left + font.advance;
        let end = x + font.width(&self.label);
        if end < right && y + font.line <= foot {
            font.text(x, y, &self.label, self.theme.header);
            self.value_label = Some([x, y, end, y + font.line]);
        }
    }
}

// The line at the selected zone's budget.

impl BarsArea {
    /// Draws the line if it is in view, with the zone's name above it.
    pub(super) fn zone_budget(&mut self, font: &mut Font, graph: &Graph) {
        let Some((name, ms)) = &graph.zone_budget else {
            return;
        };
        let [left, top, right, foot] = self.bars;
        let y = self.y(*ms).round();
        if y < top + 1.0 || y >= foot {
            return;
        }
        let color = self.theme.warning;
        font.fill([left, y, right, y + 1.0], color);
        self.label.clear();
        self.label.push_str(name);
        self.label.push_str(": budget ");
        write_time(*ms, &mut self.label);
        let above = (y - font.line).max(top);
        let from = left + font.advance;
        if from < right {
            font.cut([from, right], above, &self.label, color);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::draw::theme::Theme;
    use iprof_process::ValueInfo;
    use iprof_report::{Bar, GraphZone, Segment};

    #[test]
    fn value_line_connects_frames_with_values() {
        let mut graph = Graph::default();
        graph.zones.push(GraphZone::new("physics"));
        graph.capacity = 10;
        for (frame, value) in [(1, 0.0), (2, 50.0), (3, -5.0), (4, 100.0)] {
            let mut bar = Bar::new(frame, vec![Segment { zone: 0, ms: 8.0 }]);
            bar.value = value;
            graph.bars.push_back(bar);
        }
        let lay_out = |graph: &Graph| {
            let mut font = Font::new(12.0);
            let mut area = BarsArea::default();
            let (at, spacing, screen) = ([0.0; 2], [40.0, 5.0], [640.0, 480.0]);
            area.lay_out(&mut font, &Theme::DARK, graph, at, spacing, screen);
            font.list.quads().len()
        };
        let plain = lay_out(&graph);
        graph.value = Some(ValueInfo {
            name: "bodies".into(),
            unit: "body".into(),
            steps: 1,
        });
        // Three line segments, and the name.
        assert!(lay_out(&graph) > plain + 3);
        graph.bars.iter_mut().for_each(|bar| bar.value = 0.0);
        assert_eq!(lay_out(&graph), plain);
    }
}

#[cfg(all(test, not(loom)))]
mod zone_budget_tests {
    use super::*;
    use crate::draw::theme::Theme;
    use iprof_report::{Bar, GraphZone, Segment};

    #[test]
    fn selected_zone_budget_is_drawn_as_a_line() {
        let mut graph = Graph::default();
        graph.zones.push(GraphZone::new("physics"));
        graph.capacity = 10;
        for frame in 1..9 {
            let bar = Bar::new(frame, vec![Segment { zone: 0, ms: 8.0 }]);
            graph.bars.push_back(bar);
        }
        let lines = |graph: &Graph| {
            let mut font = Font::new(12.0);
            let mut area = BarsArea::default();
            let (at, spacing, screen) = ([0.0; 2], [40.0, 5.0], [640.0, 480.0]);
            let theme = Theme::DARK;
            area.lay_out(&mut font, &theme, graph, at, spacing, screen);
            let colored = font.list.vertices().iter();
            let colored = colored.filter(|vertex| vertex.color == theme.warning);
            let ys: Vec<f32> = colored.map(|vertex| vertex.position[1]).collect();
            (ys, area.y(4.0).round())
        };
        assert!(lines(&graph).0.is_empty());
        graph.zone_budget = Some(("physics".into(), 4.0));
        let (ys, y) = lines(&graph);
        assert!(ys.contains(&y) && ys.contains(&(y + 1.0)), "{ys:?}");
        graph.zone_budget = Some(("physics".into(), 4_000.0));
        assert!(lines(&graph).0.is_empty());
    }
}
