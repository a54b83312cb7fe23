//! What the tooltip says about a call path of the flame graph.

use super::{Ink, Subject, Tooltip};
use crate::draw::flame_layout::{FlameBox, write_folded};
use iprof_report::ColumnId;
use iprof_report::Flame;
use std::fmt::Write as _;

impl Tooltip {
    /// Describes a box of the flame graph: a call path, or folded callees.
    pub(crate) fn describe_call_path(&mut self, flame: &Flame, of: &FlameBox) {
        let Some(node) = flame.nodes.get(of.node as usize) else {
            return;
        };
        self.clear();
        self.subject = Some(Subject::CallPath);
        let name = flame.name(of.node as usize);
        let all = flame.nodes[0].time;
        let ms = |time: f64| time * flame.unit_ms;
        let time = |tooltip: &mut Tooltip, label: &str, time: f64| {
            let line = tooltip.line(Ink::Title);
            line.label.push_str(label);
            // Writing to a string cannot fail.
            let _ = write!(line.value, "{:.4}", ms(time));
            if all > 0.0 {
                let _ = write!(line.value, "  {:5.1} %", time / all * 100.0);
            }
        };
        if of.folded > 0 {
            write_folded(of.folded, &mut self.line(Ink::Heat(0.0)).label);
            time(self, ColumnId::HierarchicalTime.header(), of.time);
            time(self, name, node.time);
        } else {
            self.line(Ink::Heat(0.0)).label.push_str(name);
            time(self, ColumnId::HierarchicalTime.header(), node.time);
            time(self, ColumnId::SelfTime.header(), node.self_time);
            let line = self.line(Ink::Title);
            line.label.push_str(ColumnId::Count.header());
            let _ = match node.entries.fract() == 0.0 {
                true => write!(line.value, "{:.0}", node.entries),
                false => write!(line.value, "{:.2}", node.entries),
            };
        }
        if flame.whole_change_ms > 0.0 {
            let line = self.line(Ink::Title);
            line.label.push_str("vs. the baseline");
            let _ = write!(line.value, "{:+.4}", ms(of.time) - of.before_ms);
        }
        let label = match flame.cursor == Some(of.node as usize) {
            true => "double click: zoom in",
            false => "click: select; double click: zoom in",
        };
        self.line(Ink::Header).label.push_str(label);
    }
}
