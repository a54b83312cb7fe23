//! Paints the overlay for these tests.

use super::host::CLEAR;
use crate::support::headless::{Headless, Kind, Target};
use crate::support::image::Image;
use crate::support::painted::Painted;
pub(crate) use crate::support::versions::overlay;
use iprof::gl::HostState;
use iprof::{Bar, ColumnId, Expansion, Graph, GraphStyle, GraphZone, Report, Row, Segment};

/// Sets up an overlay and draws four pictures. Each picture after the first has new characters or a different size, so
/// the atlas is uploaded again. The overlay's objects are not deleted. Deleting them would unbind any objects that were
/// left bound by mistake, and so hide the mistake.
pub(crate) fn paint(h: &Headless, state: Option<HostState>) {
    let mut overlay = overlay(h);
    overlay.set_host_state(state);
    paint_by(&mut overlay);
}

/// Draws the pictures that [`paint`] describes.
pub(crate) fn paint_by(overlay: &mut Painted) {
    overlay.set_text_size(9.0);
    overlay.draw(|frame| frame.draw_report(&report("abc"), 4.0, 4.0, 152.0, 70.0, 2));
    overlay.draw(|frame| frame.draw_graph(&graph(GraphStyle::Bars), 4.0, 78.0, 6.0, 0.6));
    overlay.draw(|frame| frame.draw_report(&report("XYZ Ü µ"), 4.0, 4.0, 130.0, 60.0, 2));
    overlay.set_text_size(11.0);
    overlay.draw(|frame| frame.draw_graph(&graph(GraphStyle::Lines), 60.0, 60.0, 5.0, 0.7));
}

pub(crate) fn report(word: &str) -> Report {
    let mut report = Report::default();
    report.title = vec![format!("title {word}")];
    report.warnings = vec!["a warning".into()];
    report.columns = vec![ColumnId::SelfTime];
    for at in 0..6_u8 {
        let values = [(ColumnId::SelfTime, f64::from(at) * 1.25)];
        let mut row = Row::new(word, values);
        row.expansion = [Expansion::Collapsed, Expansion::Expanded][usize::from(at % 2)];
        row.indent = u32::from(at % 2);
        row.heat = f32::from(at) / 4.0;
        row.cursor = at == 1;
        report.rows.push(row);
    }
    report
}

pub(crate) fn graph(style: GraphStyle) -> Graph {
    let zones = ["physics", "render", "sound"].map(GraphZone::new);
    let bars = (0..14_u8).map(|at| {
        let ms = |zone: u32| f32::from(at % 5) * 3.0 + zone as f32 * 4.0;
        let segments: Vec<_> = (0..3).map(|zone| Segment { zone, ms: ms(zone) }).collect();
        Bar::new(at.into(), segments)
    });
    let mut graph = Graph::default();
    graph.style = style;
    graph.title = "graph".into();
    graph.zones = zones.into();
    graph.bars = bars.collect();
    graph.capacity = 16;
    graph.cursor = Some(9);
    graph
}

/// Returns the overlay's picture for a host that sets no state, and a picture of the framebuffer before the overlay was
/// painted.
pub(crate) fn picture_on(kind: Kind, target: Target) -> (Image, Image) {
    let h = Headless::new(kind, target).expect("this kind of context was available before");
    h.clear(CLEAR);
    let blank = h.read();
    h.clear(CLEAR);
    paint(&h, None);
    let picture = h.read();
    assert!(
        picture.differing(&blank, 8) > 10_000,
        "the overlay should paint something"
    );
    (picture, blank)
}

pub(crate) fn clean_picture(kind: Kind, target: Target) -> Image {
    picture_on(kind, target).0
}
