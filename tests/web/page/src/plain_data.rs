//! Tests, in a browser, plain data that a host creates itself: snapshots, reports, graphs, and their defaults.

use crate::Test;
use iprof::{
    Bar, ColumnId, Controls, Flame, FrameSnapshot, Graph, GraphMark, GraphZone, Report, Row,
    SampledProfile, Segment, Snapshot, SnapshotNode, SnapshotThread, SnapshotValue, SnapshotZone,
    ValueInfo, View, overlay,
};

pub(crate) const TESTS: &[Test] = &[
    ("host_can_build_a_snapshot", host_can_build_a_snapshot),
    ("host_can_build_a_graph", host_can_build_a_graph),
    ("host_can_build_a_report", host_can_build_a_report),
    ("defaults_are_empty", defaults_are_empty),
];

fn host_can_build_a_snapshot() {
    let mut snapshot = Snapshot::default();
    let zone = snapshot.intern_zone(SnapshotZone::new("physics", "game.rs", 12));
    snapshot.values.push(ValueInfo {
        name: "bodies".into(),
        unit: "body".into(),
        steps: 1,
    });
    let mut snapshot_thread = SnapshotThread::new("main");
    let mut node = SnapshotNode {
        parent: 0,
        zone,
        ..SnapshotNode::default()
    };
    (node.entries, node.ticks) = (3, 4_000);
    snapshot_thread.nodes.push(node);
    snapshot_thread.values.push(SnapshotValue {
        node: 1,
        value: 0,
        steps: 30,
    });
    snapshot.threads.push(snapshot_thread);
    snapshot.validate().expect("the snapshot is invalid");
    let mut text = Vec::new();
    iprof::Format::Tree
        .write(&snapshot, &mut text)
        .expect("writing to a Vec cannot fail");
    let text = String::from_utf8(text).expect("the output is not UTF-8");
    assert!(text.contains("physics"), "{text}");
    let frame = FrameSnapshot {
        number: 7,
        begin_ns: 4_000,
        recorded: snapshot,
        marks: Vec::new(),
    };
    assert_eq!((frame.number, frame.begin_ns), (7, 4_000));
    assert_eq!(frame.recorded.threads.len(), 1);
}

fn host_can_build_a_graph() {
    let mut graph = Graph::default();
    graph.zones = vec![GraphZone::new("physics")];
    graph.bars = vec![Bar::new(7, vec![Segment { zone: 0, ms: 4.0 }])].into();
    graph.marks = vec![GraphMark {
        frame: 7,
        name: "level 2".into(),
    }];
    assert_eq!(graph.zone_at(7, 2.0).as_deref(), Some("physics"));
}

fn host_can_build_a_report() {
    let mut report = Report::default();
    report.columns = vec![ColumnId::SelfTime];
    let mut row = Row::new("physics", [(ColumnId::SelfTime, 2.5)]);
    row.location = Some(("game.rs", 12));
    report.rows.push(row);
    let mut out = Vec::new();
    report
        .write(&mut out, 2)
        .expect("writing to a Vec cannot fail");
    let text = String::from_utf8(out).expect("the output is not UTF-8");
    assert!(text.contains("physics") && text.contains("2.50"), "{text}");
    let sampled_profile = SampledProfile::default();
    let mut out = Vec::new();
    sampled_profile
        .write(&mut out)
        .expect("writing to a Vec cannot fail");
    assert!(!out.is_empty());
}

fn defaults_are_empty() {
    assert!(Flame::default().nodes.is_empty());
    assert!(!Controls::default().paused);
    assert!(View::default().filter.is_empty());
    assert!(overlay::Overlay::default().draw_data().is_empty());
    let theme = overlay::Theme::default();
    assert_eq!(theme, overlay::Theme::DARK);
}
