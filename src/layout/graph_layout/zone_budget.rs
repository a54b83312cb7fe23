//! Draws the line at the budget of the selected zone.

use super::{BarsArea, write_time};
use crate::layout::font::Font;
use crate::layout::list::DrawList;
use iprof_report::graph::Graph;

impl BarsArea {
    /// Draws the line where it is in view, with the zone's name above it.
    pub(super) fn zone_budget(&mut self, font: &mut Font, list: &mut DrawList, graph: &Graph) {
        let Some((name, ms)) = &graph.zone_budget else {
            return;
        };
        let [left, top, right, foot] = self.bars;
        let y = self.y(*ms).round();
        if y < top + 1.0 || y >= foot {
            return;
        }
        let color = self.theme.warning;
        font.fill(list, [left, y, right, y + 1.0], color);
        self.label.clear();
        self.label.push_str(name);
        self.label.push_str(": budget ");
        write_time(*ms, &mut self.label);
        let above = (y - font.line).max(top);
        let from = left + font.advance;
        if from < right {
            font.cut(list, [from, right], above, &self.label, color);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::layout::theme::Theme;
    use iprof_report::graph::{Bar, GraphZone, Segment};

    #[test]
    fn the_budget_of_the_selected_zone_is_a_line_where_its_time_is_in_view() {
        let mut graph = Graph::default();
        graph.zones.push(GraphZone::new("physics"));
        graph.capacity = 10;
        for frame in 1..9 {
            let bar = Bar::new(frame, vec![Segment::new(0, 8.0)]);
            graph.bars.push_back(bar);
        }
        let lines = |graph: &Graph| {
            let (mut font, mut list) = (Font::new(12.0), DrawList::default());
            let mut area = BarsArea::default();
            let (at, spacing, screen) = ([0.0; 2], [40.0, 5.0], [640.0, 480.0]);
            let theme = Theme::DARK;
            area.lay_out(&mut font, &mut list, &theme, graph, at, spacing, screen);
            let colored = list.vertices().iter();
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
