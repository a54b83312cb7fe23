//! Every public function is called in a browser: none panics. What it does is tested elsewhere. The house's test
//! `guide` compares with docs/api.txt: it knows a method's type by the name of the variable that has it.
//!
//! Long because it has a line for each of them.

use crate::Test;
use crate::drawing::Host;
use iprof::overlay::{self, Layout, PointerEvent, TouchPhase};
use iprof::{
    Action, Average, Baseline, Bindings, Chord, ColumnId, Controls, Expansion, FrameSelection,
    FrameSet, Graph, GraphStyle, InZone, Modifiers, Recursion, Report, ReportMode, SessionPart,
    ShownValue, Sort, Threads, Timing, Unit, Value, View,
};
use std::error::Error;
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::Duration;

pub(crate) const TESTS: &[Test] = &[
    ("each_macro_records", each_macro_records),
    (
        "each_function_of_run_time_zones_runs",
        each_function_of_run_time_zones_runs,
    ),
    ("each_function_of_frames_runs", each_function_of_frames_runs),
    (
        "each_function_of_the_default_view_runs",
        each_function_of_the_default_view_runs,
    ),
    ("each_method_of_a_view_runs", each_method_of_a_view_runs),
    (
        "each_method_of_plain_data_runs",
        each_method_of_plain_data_runs,
    ),
    (
        "each_method_of_an_overlay_runs",
        each_method_of_an_overlay_runs,
    ),
    ("each_method_of_a_layout_runs", each_method_of_a_layout_runs),
    ("times_of_a_gpu_are_handed_in", times_of_a_gpu_are_handed_in),
    ("text_is_parsed_and_written", text_is_parsed_and_written),
];

iprof::define_zone!(SHARED, "shared", budget = Duration::from_millis(5));

fn shared() {
    iprof::zone!(&SHARED);
}

fn named() {
    iprof::zone!();
}

fn waits() {
    iprof::zone!(waits, idle);
}

/// One frame with a bit of everything.
fn frame() {
    {
        iprof::zone!(outer);
        {
            iprof::zone!(short, budget = Duration::from_secs(1));
        }
        shared();
        named();
        waits();
    }
    iprof::end_frame();
}

fn frames() -> Report {
    for _ in 0..5 {
        frame();
    }
    iprof::report()
}

fn each_macro_records() {
    shared();
    named();
    waits();
    iprof::begin!(&SHARED);
    iprof::end!(&SHARED);
    iprof::counter!(counted);
    iprof::define_value!(BODIES, "bodies", "body", 10);
    iprof::value!(BODIES, 0.5);
    let named_value = &BODIES;
    assert_eq!(named_value.label(), "bodies");
    let value_info = iprof::ValueInfo::with_steps("energy", "J", 1_000);
    assert_eq!(value_info.amount(250), 0.25);
    let _ = iprof::Allocator::new(std::alloc::System);
    assert!(
        iprof::Allocator::totals().live_bytes == 0,
        "it is not the page's allocator"
    );
    {
        let _zone = true.then(|| iprof::open_zone!(conditional));
        let mut open = iprof::open_zone!(phase_1);
        iprof::relabel!(open, phase_2);
        drop(open);
    }
    let zone = &SHARED;
    assert!(!zone.is_idle() && zone.file().ends_with("everything.rs") && zone.line() > 0);
    assert_eq!(
        (zone.label(), zone.module()),
        ("shared".into(), "web_page::everything")
    );
    iprof::update(true);
    let text = iprof::dump();
    for zone in [
        "shared",
        "named",
        "waits",
        "counted",
        "conditional",
        "phase_1",
        "phase_2",
    ] {
        assert!(text.contains(zone), "{zone}: {text}");
    }
    assert_eq!(iprof::report().warnings, [""; 0]);
}

fn each_function_of_run_time_zones_runs() {
    let zone_builder = iprof::ZoneBuilder::new("patrol").place("ai.lua", 12);
    let zone_builder = zone_builder.module("ai");
    let zone_builder = zone_builder.budget(Duration::from_millis(2));
    let value = iprof::RunTimeValue::new("things", "thing");
    value.add(3);
    iprof::RunTimeValue::with_steps("load", "", 100).add(0.5);
    let run_time_zone = zone_builder.build();
    drop(run_time_zone.enter());
    run_time_zone.begin();
    {
        let run_time_zone = zone_builder.idle().build();
        run_time_zone.count();
    }
    run_time_zone.end();
    iprof::zone_named!(&format!("patrol of {}", 2));
    let mut polled = pin!(InZone::in_zone(async {}, run_time_zone));
    let mut context = Context::from_waker(Waker::noop());
    assert!(Future::poll(polled.as_mut(), &mut context).is_ready());
    let zone = run_time_zone.zone();
    let place = (zone.file(), zone.line(), zone.module());
    assert_eq!(place, ("ai.lua", 12, "ai"));
    iprof::ZoneBuilder::set_limit(iprof::ZoneBuilder::DEFAULT_LIMIT);
    iprof::update(true);
    let values = iprof::named_values();
    assert!(
        values
            .iter()
            .any(|value| (&*value.name, &*value.unit) == ("things", "thing"))
    );
    let text = iprof::dump();
    assert!(
        text.contains("patrol  ai.lua:12") && text.contains("patrol of 2"),
        "{text}"
    );
    assert_eq!(iprof::report().warnings, [""; 0]);
}

fn each_function_of_frames_runs() {
    iprof::register_thread();
    iprof::set_thread_name("page");
    iprof::set_history(64);
    iprof::set_history_memory(Some(1 << 20));
    iprof::set_longest_frames(4);
    iprof::mark("begun");
    frames();
    frame();
    iprof::discard_frame();
    iprof::update(false);
    assert!(iprof::history_bytes() > 0);
    assert!(iprof::is_recording());
    iprof::set_recording(false);
    assert!(!iprof::is_recording());
    {
        let _scope = iprof::recording_scope(true);
        assert!(iprof::is_recording());
    }
    iprof::set_recording(true);
    assert_eq!(iprof::frame_snapshots(..).count(), 6);
    iprof::reset();
    assert_eq!(
        iprof::dump().matches("outer").count(),
        0,
        "{}",
        iprof::dump()
    );
    frames();
    // The sampler cannot start.
    let start_sampling_error =
        iprof::SamplingSession::start(100.0).expect_err("there are no threads");
    assert!(start_sampling_error.source().is_some());
    assert!(!start_sampling_error.to_string().is_empty());
}

fn each_function_of_the_default_view_runs() {
    frames();
    iprof::set_refresh_rate(None);
    iprof::set_report_mode(ReportMode::CallTree);
    iprof::set_recursion(Recursion::Spread);
    iprof::set_average(Average::Newest);
    iprof::set_cursor(0);
    iprof::move_cursor(1);
    iprof::select();
    iprof::select_parent();
    iprof::move_frame(-1);
    iprof::set_frame(0);
    assert!(iprof::act(Action::NextReportMode));
    let mode = iprof::with_view(|view| view.report_mode());
    assert_eq!(mode, ReportMode::CallGraphDescendants, "that of the zone");
}

fn each_method_of_a_view_runs() {
    frames();
    let mut view = View::new();
    view.set_filter("o");
    view.set_filter("");
    assert!(!view.is_typing_filter() && view.filter().is_empty());
    view.set_grouping(true);
    view.set_idle_ranked(true);
    view.set_min_share(0.01);
    view.set_net_times(true);
    view.set_column(ColumnId::P99, true);
    assert!(view.column(ColumnId::P99));
    view.set_sort(Sort::Column(ColumnId::Count));
    view.set_sort_reversed(true);
    assert_eq!(view.sort(), Sort::Column(ColumnId::Count));
    assert!(view.sort_reversed());
    view.set_graph_style(GraphStyle::Lines);
    view.set_recursion(Recursion::Spread);
    view.set_average(Average::Slow);
    view.set_threads(Threads::Frame);
    view.set_baseline(Baseline::Median);
    assert!(view.grouping() && view.idle_ranked() && view.net_times());
    assert_eq!(view.min_share(), 0.01);
    assert_eq!(view.graph_style(), GraphStyle::Lines);
    assert_eq!(view.recursion(), Recursion::Spread);
    assert_eq!(view.average(), Average::Slow);
    assert_eq!(view.baseline(), Baseline::Median);
    assert!(!view.report(&iprof::profiler()).rows.is_empty() && !view.graph(&iprof::profiler()).bars.is_empty());
    view = View::new();
    assert!(view.select_zone(&iprof::profiler(), "outer"));
    for &mode in ReportMode::ALL {
        view.set_report_mode(mode);
        view.act(&iprof::profiler(), iprof::Action::SetCursor(1));
        view.act(&iprof::profiler(), iprof::Action::MoveCursor(-1));
        view.act(&iprof::profiler(), iprof::Action::Expand);
        view.act(&iprof::profiler(), iprof::Action::Collapse);
        view.act(&iprof::profiler(), iprof::Action::Select);
        view.act(&iprof::profiler(), iprof::Action::SelectParent);
        view.act(&iprof::profiler(), iprof::Action::GoBack);
        view.act(&iprof::profiler(), iprof::Action::GoForward);
        assert!(!view.report(&iprof::profiler()).title.is_empty());
    }
    assert!(view.show_frames(&iprof::profiler(), FrameSelection::Number(2)));
    for step in [-1, 1] {
        view.act(&iprof::profiler(), iprof::Action::MoveFrame(step));
        view.act(&iprof::profiler(), iprof::Action::ExtendRange(step));
        view.act(&iprof::profiler(), iprof::Action::ScrollGraph(step));
        view.scroll_graph_vertically(step as f32);
        view.zoom_graph(2.0_f32.powi(step));
        view.zoom_graph(1e-6);
        assert!(!view.graph(&iprof::profiler()).buckets.is_empty());
        view.zoom_graph(2.0);
        view.zoom_graph_vertically(2.0_f32.powi(step));
    }
    view.act(&iprof::profiler(), iprof::Action::NextSpike);
    view.act(&iprof::profiler(), iprof::Action::CompareSlowFrames);
    view.act(&iprof::profiler(), iprof::Action::NextValue);
    view.set_value(ShownValue::None);
    assert_eq!(view.value(), &ShownValue::None);
    assert_eq!(view.threads(), Threads::All);
    assert!(view.act(&iprof::profiler(), Action::NextReportMode));
    let mut out = Vec::new();
    view.write_report(&mut out).expect("memory takes it");
    assert!(!out.is_empty());
    each_set_of_frames_is_shown(&mut view);
    a_stall_needs_a_thread();
    budgets_are_watched();
    a_budget_is_checked();
    view.act(&iprof::profiler(), iprof::Action::PreviousSpike);
    view.act(&iprof::profiler(), iprof::Action::NextZoneSpike);
    view.act(&iprof::profiler(), iprof::Action::PreviousZoneSpike);
    view.act(&iprof::profiler(), iprof::Action::NextMark);
    view.act(&iprof::profiler(), iprof::Action::PreviousMark);
    view.next_theme();
    assert!(!view.report(&iprof::profiler()).title.is_empty());
}

fn a_budget_is_checked() {
    let snapshot = iprof::snapshot();
    assert!(snapshot.check_count("never entered", 0).is_ok());
    let checked = snapshot.check_time("never entered", Duration::ZERO, 0.0);
    let over_budget_error = checked.expect_err("it was not");
    let over_budget_error = over_budget_error.compared_with(&snapshot);
    assert!(over_budget_error.to_string().contains("never entered"));
}

fn budgets_are_watched() {
    iprof::set_zone_budget("outer", Some(Duration::from_secs(60)));
    frame();
    let budgets = iprof::zone_budgets();
    let of = |name: &str| budgets.iter().find(|(of, _)| of == name);
    assert_eq!(of("outer").map(|(_, budget)| budget.misses), Some(0));
    assert!(of("short").is_some_and(|(_, budget)| budget.frames > 0));
    iprof::set_zone_budget("outer", None);
    assert!(iprof::missed_frames().frames > 0);
    let recorded = iprof::snapshot();
    let of_zone =
        |budget: &iprof::SnapshotBudget| &*recorded.zones[budget.zone as usize].name == "short";
    assert!(recorded.budgets.iter().any(of_zone));
    let budget = iprof::SnapshotBudget::new(1, 2_000, [3, 1]);
    assert_eq!((budget.limit_ns, budget.misses), (2_000, 1));
}

fn a_stall_needs_a_thread() {
    assert!(iprof::set_stall_timeout(Some(Duration::from_secs(5))).is_err());
    assert!(iprof::set_stall_timeout(None).is_ok());
    assert!(iprof::set_stall_file(None).is_ok());
    assert!(iprof::last_stall().is_none());
}

fn each_set_of_frames_is_shown(view: &mut View) {
    let (short, long) = (Duration::ZERO, Duration::from_secs(60));
    iprof::set_frame_budget(Duration::from_millis(10));
    assert_eq!(iprof::frame_budget(), Duration::from_millis(10));
    iprof::on_slow_frame(Duration::ZERO, |slow| assert!(slow.duration > slow.budget));
    for frame_set in [
        FrameSet::all(),
        FrameSet::longer_than(short),
        FrameSet::between(short, long),
        FrameSet::slowest(1),
        FrameSet::slowest_percent(50.0),
        FrameSet::range(1, 2),
    ] {
        assert!(
            view.show_frames(&iprof::profiler(), FrameSelection::Set(frame_set.clone())),
            "{frame_set}"
        );
        view.set_baseline(Baseline::Set(frame_set.complement()));
        assert!(!view.report(&iprof::profiler()).rows.is_empty());
    }
    assert!(!view.show_frames(&iprof::profiler(), FrameSelection::Set(FrameSet::marked("nowhere"))));
    each_part_of_the_session_is_shown(view);
    let _ = iprof::GraphSet::new("slow", vec![2, 1]);
    let _ = iprof::GraphBucket::new([short, long], [1, 2]);
}

fn each_part_of_the_session_is_shown(view: &mut View) {
    let limits = [1, 2, 3, 4, 5, 6, 7].map(Duration::from_secs);
    iprof::set_session_bands(Some(limits));
    assert_eq!(iprof::session_bands(), limits);
    // Bands begin anew.
    iprof::update(true);
    for session_part in [
        SessionPart::all(),
        SessionPart::band(0),
        SessionPart::bands(3, 0),
        SessionPart::slower(0),
        SessionPart::slowest_percent(1.0),
        SessionPart::time(Duration::ZERO, Duration::MAX),
    ] {
        assert!(
            view.show_frames(&iprof::profiler(), FrameSelection::Session(session_part)),
            "{session_part:?}"
        );
        view.set_baseline(Baseline::Session(session_part.complement()));
        assert!(!view.report(&iprof::profiler()).rows.is_empty());
    }
    view.act(&iprof::profiler(), iprof::Action::MoveBand(1));
    assert!(view.show_frames(&iprof::profiler(), FrameSelection::Live));
    view.act(&iprof::profiler(), iprof::Action::MoveBucket(-1));
    view.act(&iprof::profiler(), iprof::Action::MoveBucket(1));
    assert_eq!(view.frames(), FrameSelection::Live);
    iprof::set_session_bands(None);
}

fn each_method_of_plain_data_runs() {
    let mut report = frames();
    assert!(report.cursor().is_some());
    report.fit_units();
    let mut text = String::new();
    report.push_header(ColumnId::SelfTime, &mut text);
    report.push_value(&report.rows[0], ColumnId::SelfTime, 2, &mut text);
    assert!(text.contains("self"), "{text}");
    let row = &mut report.rows[0];
    row.set_value(ColumnId::SelfTime, Value::sampled(1.0, 0.1));
    let graph: Graph = iprof::View::new().graph(&iprof::profiler());
    let _ = graph.zone_at(1, 0.0);
    assert!(!report.unit(ColumnId::SelfTime).symbol().is_empty());
    assert_eq!(ColumnId::SelfTime.unit(), Unit::Milliseconds);
    assert_eq!(Value::exact(2.0).number, 2.0);
    let mut snapshot = iprof::snapshot();
    let _ = iprof::snapshot().since(&snapshot);
    snapshot.validate().expect("it is as it was recorded");
    assert!(snapshot.ns(1_000) > 0.0);
    let zone = snapshot.intern_zone(snapshot.zones[0].clone());
    let snapshot_thread = &mut snapshot.threads[0];
    let child = snapshot_thread.child(0, zone);
    assert!(snapshot_thread.stack(child).count() > 0);
    assert_eq!(
        snapshot_thread.subtree_ticks().len(),
        snapshot_thread.nodes.len()
    );
    let mut out = Vec::new();
    iprof::snapshot()
        .write_html_with_frames(iprof::frame_snapshots(..), &mut out)
        .expect("memory takes it");
    iprof::snapshot()
        .write_tree_in_cycles(&mut out)
        .expect("memory takes it");
    assert!(out.len() > 1_000);
    let about = iprof::About::this_process();
    assert!(
        about.date().starts_with("20"),
        "{} {about:?}",
        about.command()
    );
    let mut view = View::new();
    view.set_sort(Sort::Column(ColumnId::Count));
    let _: Option<char> = view.report(&iprof::profiler()).sorted.map(|sorted| sorted.as_char());
    assert_eq!(Expansion::Leaf.as_char(), ' ');
    let _ = Unit::Milliseconds.symbol();
    assert!(!iprof::SampledProfile::default().percent(1).is_nan());
    for column_id in ColumnId::ALL {
        assert!(!column_id.header().is_empty() && !column_id.description().is_empty());
    }
    assert!(!Action::Select.description().is_empty());
}

fn each_method_of_an_overlay_runs() {
    let host = Host::new();
    // SAFETY: the context of a page is always current.
    unsafe { iprof::gl::init(host.gl.clone()) }.expect("an overlay");
    frames();
    let mut controls = Controls::new();
    let mut bindings = Bindings::default();
    assert!(bindings.key_of(&Action::Select).is_some());
    assert!(bindings.find("F1", None, Modifiers::NONE).is_some());
    assert!(bindings.iter().count() > 20);
    bindings.unbind("p");
    bindings.bind(
        Chord::from("KeyF").with(Modifiers::CONTROL),
        Action::EditFilter,
    );
    bindings.describe_own_key("F5", "reload");
    assert!(Bindings::none().lines().is_empty() && !bindings.lines().is_empty());
    iprof::set_screen(320.0, 240.0);
    iprof::draw_gl(10.0, 10.0, 300.0, 100.0, 2);
    iprof::draw_graph_gl(10.0, 120.0, 2.0, 2.0);
    iprof::draw_flame_gl(10.0, 120.0, 300.0, 100.0);
    iprof::draw_help_gl(&bindings, 1, 10.0, 10.0, 300.0, 200.0);
    iprof::draw_tooltip_gl();
    let _ = iprof::hit(20.0, 60.0);
    controls.draw_gl(0.0, 0.0, 320.0, 240.0);
    controls.draw_help_gl(0.0, 0.0, 320.0, 240.0);
    assert!(controls.key("F1", Modifiers::NONE));
    let both = Modifiers::SHIFT | Modifiers::CONTROL;
    assert!(!controls.key("F1", both));
    assert!(!controls.text("x"));
    controls.act(Action::NextReportMode);
    iprof::gl::with_current(|overlay| overlay.set_scale(1.5));
    let moved = PointerEvent::Moved { x: 20.0, y: 20.0 };
    let _ = iprof::pointer(moved);
    assert!(controls.pointer(moved));
    assert!(controls.touch(1, TouchPhase::Started, 20.0, 20.0));
    controls.touch(1, TouchPhase::Ended, 20.0, 20.0);
    // Performs nothing: there are no GPU zones in a browser.
    iprof::gl::disable_gpu_zones(&*host.gl);
    drop(iprof::gl::enter_gpu_zone(
        iprof::ZoneBuilder::new("pass").build(),
    ));

    let mut overlay = iprof::gl::make_current(None).expect("that of `init`");
    overlay.set_font(&[1, 2, 3]).expect_err("this is no font");
    let font = include_bytes!("../../../../fonts/JetBrainsMono-Medium-subset.ttf");
    overlay.set_font(font).expect("this is one");
    overlay.set_text_size(14.0);
    overlay.set_theme(iprof::overlay::Theme::LIGHT);
    overlay.next_theme();
    let mut view = View::new();
    overlay.draw_gl(10.0, 10.0, 300.0, 100.0, 2);
    overlay.draw_graph_gl(10.0, 120.0, 2.0, 2.0);
    overlay.draw_flame_gl(10.0, 120.0, 300.0, 100.0);
    overlay.draw_help_gl(&bindings, 1, 10.0, 10.0, 300.0, 200.0);
    overlay.draw_tooltip_gl();
    overlay.draw_report(&view.report(&iprof::profiler()), 10.0, 10.0, 300.0, 100.0, 2);
    overlay.draw_view(&view, 10.0, 10.0, 300.0, 100.0, 2);
    overlay.draw_view_graph(&mut view, 10.0, 120.0, 2.0, 2.0);
    overlay.draw_graph(&view.graph(&iprof::profiler()), 10.0, 120.0, 2.0, 2.0);
    overlay.draw_view_flame(&view, 10.0, 120.0, 300.0, 100.0);
    overlay.draw_flame(&view.flame(&iprof::profiler()), 10.0, 120.0, 300.0, 100.0);
    assert!(overlay.pointer(moved).consumed);
    assert!(overlay.touch(1, TouchPhase::Started, 20.0, 20.0).consumed);
    overlay.touch(1, TouchPhase::Cancelled, 20.0, 20.0);
    overlay.draw_help_hint_gl(&bindings, 10.0, 10.0, 300.0, 100.0);
    assert!(overlay.act(&mut view, Action::NextReportMode));
    let mut view_controls = controls.on(&mut view);
    view_controls.draw_gl(&mut overlay, 0.0, 0.0, 320.0, 240.0);
    view_controls.draw_help_gl(&mut overlay, 0.0, 0.0, 320.0, 240.0);
    let mut view_controls = view_controls.with_overlay(&mut overlay);
    view_controls.act(Action::NextReportMode);
    assert!(view_controls.key("Tab", Modifiers::NONE) && !view_controls.text("x"));
    assert!(
        view_controls.pointer(moved) && view_controls.touch(1, TouchPhase::Started, 20.0, 20.0)
    );
    assert_eq!(host.take_error(), glow::NO_ERROR);
    overlay.destroy();
}

fn each_method_of_a_layout_runs() {
    frames();
    let (mut layout, mut controls, mut view) = (Layout::new(), Controls::new(), View::new());
    let bindings = Bindings::default();
    let mut drawing = layout.begin([320.0, 240.0]);
    drawing.draw_default(10.0, 10.0, 300.0, 100.0, 2);
    drawing.draw_default_graph(10.0, 120.0, 2.0, 2.0);
    drawing.draw_default_flame(10.0, 120.0, 300.0, 100.0);
    drawing.set_text_size(14.0);
    drawing.draw_view(&view, 10.0, 10.0, 300.0, 100.0, 2);
    drawing.draw_view_graph(&mut view, 10.0, 120.0, 2.0, 2.0);
    drawing.draw_view_flame(&view, 10.0, 120.0, 300.0, 100.0);
    drawing.draw_report(&view.report(&iprof::profiler()), 10.0, 10.0, 300.0, 100.0, 2);
    drawing.draw_graph(&view.graph(&iprof::profiler()), 10.0, 120.0, 2.0, 2.0);
    let mut flame = view.flame(&iprof::profiler());
    let top = flame.add(0, 0, 1.0, 1.0);
    assert!(flame.nodes().len() > top && flame.children(0).count() > 0);
    flame.set_baseline_ms(top, 2.0);
    drawing.draw_flame(&flame, 10.0, 120.0, 300.0, 100.0);
    view.act(&iprof::profiler(), iprof::Action::WalkFlame(iprof::FlameStep::Callee));
    view.set_flame_cursor(flame.path(top));
    assert!(view.flame_cursor().is_some());
    view.act(&iprof::profiler(), iprof::Action::ZoomFlame);
    assert!(view.is_flame_zoomed());
    view.act(&iprof::profiler(), iprof::Action::UnzoomFlame);
    drawing.draw_help(&bindings, 1, 10.0, 10.0, 300.0, 200.0);
    drawing.draw_help_hint(&bindings, 10.0, 10.0, 300.0, 200.0);
    drawing.draw_tooltip();
    controls.draw(&mut drawing, 0.0, 0.0, 320.0, 240.0);
    controls.draw_help(&mut drawing, 0.0, 0.0, 320.0, 240.0);
    let mut view_controls = controls.on(&mut view);
    view_controls.draw(&mut drawing, 0.0, 0.0, 320.0, 240.0);
    let draw_data = layout.draw_data();
    assert!(!draw_data.is_empty() && draw_data.vertices().len() > 100);
    let indices = draw_data.indices();
    assert_eq!(indices.count(), draw_data.index_count());
    assert_eq!(draw_data.size(), [320.0, 240.0]);
    assert_eq!(overlay::quad_indices(2).count(), 12);
    let atlas = draw_data.atlas();
    assert!(atlas.size()[0] > 0);
    assert!(atlas.changed_since(0).is_some());
    assert!(atlas.changed_since(atlas.version()).is_none());
    a_layout_is_set_and_pointed_at(&mut layout, &mut controls, &mut view);
}

fn a_layout_is_set_and_pointed_at(layout: &mut Layout, controls: &mut Controls, view: &mut View) {
    layout.set_font(&[1, 2, 3]).expect_err("this is no font");
    layout.set_text_size(14.0);
    layout.set_scale(1.5);
    layout.set_screen(320.0, 240.0);
    layout.set_theme(overlay::Theme::default());
    layout.next_theme();
    let moved = PointerEvent::Moved { x: 20.0, y: 20.0 };
    let _ = layout.hit(20.0, 20.0);
    assert!(layout.pointer(moved).consumed);
    layout.touch(1, TouchPhase::Started, 20.0, 20.0);
    layout.touch(1, TouchPhase::Cancelled, 20.0, 20.0);
    assert!(layout.act(view, Action::NextReportMode));
    let mut view_controls = controls.with_overlay(layout);
    view_controls.act(Action::NextReportMode);
}

fn times_of_a_gpu_are_handed_in() {
    let mut gpu_timeline = iprof::GpuTimeline::new();
    for frame in 0..8 {
        let open = iprof::open_zone!(pass);
        let gpu_zone = gpu_timeline.begin(&open);
        assert!(gpu_zone.is_recorded());
        gpu_timeline.end(gpu_zone);
        drop(open);
        let begin = frame * 20_000_000;
        gpu_timeline.finish(gpu_zone, Some([begin, begin + 1_000_000]));
        iprof::update(true);
    }
    assert!(iprof::dump().contains("GPU"), "{}", iprof::dump());
}

fn text_is_parsed_and_written() {
    assert_eq!("auto:2".parse(), Ok(Timing::Auto { budget: 0.02 }));
    assert_eq!("call-tree".parse(), Ok(ReportMode::CallTree));
    let shown = [
        Average::Newest.to_string(),
        GraphStyle::Bars.to_string(),
        Recursion::Flatten.to_string(),
        Timing::AUTO.to_string(),
        iprof::Chord::from("F1").to_string(),
    ];
    assert!(shown.iter().all(|text| !text.is_empty()), "{shown:?}");
}
