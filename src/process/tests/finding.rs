//! Tests of sorting, folding, zone groups and filters, and of navigation within them.

use crate::Zone;
use crate::action::Action;
use crate::clock::Pair;
use crate::gather::scripted_thread::ScriptedThread;
use crate::graph::Graph;
use crate::process::frame::profiler::Profiler;
use crate::process::query;
use crate::process::query::graph::GraphWork;
use crate::process::query::previous::Previous;
use crate::process::view::{Baseline, FrameChoice, View};
use crate::report::{ColumnId, Expansion, Recursion, Report, ReportMode, Sort, Sorted};

static STEP: Zone = Zone::new("step", file!(), line!(), module_path!());
static SOLVE: Zone = Zone::new("physics::solve", file!(), line!(), module_path!());
static COLLIDE: Zone = Zone::new("physics::collide", file!(), line!(), module_path!());
static BROAD: Zone = Zone::new("physics::phase::broad", file!(), line!(), module_path!());
static NARROW: Zone = Zone::new("physics::phase::narrow", file!(), line!(), module_path!());
static ART: Zone = Zone::new("Art", file!(), line!(), module_path!());

/// A thread whose frames are scripts: zones by name, the number of their calls, and their total
/// microseconds.
struct Scene {
    thread: ScriptedThread,
    profiler: Profiler,
    now: u64,
}

type Script<'s> = &'s [(&'static Zone, u64, u64)];

impl Scene {
    fn new() -> Scene {
        let now = 1_000;
        Scene {
            thread: ScriptedThread::begin("main", now),
            profiler: Profiler::new(Pair::both(now)),
            now,
        }
    }

    /// One frame, in which `step` calls all others.
    fn frame(&mut self, script: Script<'_>) {
        self.thread.enter(&STEP, self.now);
        for (zone, calls, us) in script {
            for call in 0..*calls {
                self.thread.enter(zone, self.now);
                self.now += if call == 0 { us * 1_000 } else { 0 };
                self.thread.leave(self.now);
            }
        }
        self.thread.leave(self.now);
        let records = [self.thread.record()];
        let pair = Pair::both(self.now);
        self.profiler.update(&records, records[0], pair, true);
    }

    fn report(&self, view: &View) -> Report {
        query::report(&self.profiler, view, None)
    }

    fn report_after(&self, view: &View, shown: &Report, is_held: bool) -> Report {
        let previous = Previous {
            report: shown,
            is_held,
        };
        query::report(&self.profiler, view, Some(previous))
    }

    /// Moves the cursor to the row with that name and acts there.
    #[track_caller]
    fn on(&self, view: &mut View, name: &str, act: impl FnOnce(&mut View, &Report)) {
        let report = self.report(view);
        let at = report.rows.iter().position(|row| &*row.name == name);
        view.set_cursor_in(
            &report,
            at.unwrap_or_else(|| panic!("{name} in {report:#?}")),
        );
        act(view, &self.report(view));
    }
}

fn names(report: &Report) -> Vec<String> {
    let line = |row: &crate::report::Row| {
        let indent = "  ".repeat(row.indent as usize);
        format!("{indent}{}{}", row.expansion.as_char(), row.name)
    };
    report.rows.iter().map(line).collect()
}

fn cursor(report: &Report) -> &str {
    &report.rows[report.cursor().unwrap()].name
}

/// A view of the newest frame's own values.
fn view() -> View {
    let mut view = View::new();
    view.set_average(crate::Average::Newest);
    view
}

/// Frames of 1,000 us.
const USUAL: Script<'_> = &[
    (&SOLVE, 2, 300),
    (&COLLIDE, 7, 100),
    (&BROAD, 1, 40),
    (&NARROW, 30, 80),
    (&ART, 3, 480),
];

fn usual() -> Scene {
    let mut scene = Scene::new();
    scene.frame(USUAL);
    scene
}

#[test]
fn rows_are_sorted_by_the_chosen_column_in_either_direction() {
    let mut scene = usual();
    scene.frame(&[
        (&SOLVE, 3, 600),
        (&COLLIDE, 7, 50),
        (&BROAD, 5, 40),
        (&ART, 2, 500),
    ]);
    let mut view = view();
    for baseline in [Baseline::None, Baseline::Frame(1)] {
        view.set_baseline(baseline);
        for mode in [ReportMode::SelfTime, ReportMode::HierarchicalTime] {
            view.set_report_mode(mode);
            view.set_net_times(baseline == Baseline::None);
            let columns = scene.report(&view).columns;
            assert_eq!(
                columns.len(),
                if baseline == Baseline::None { 4 } else { 6 }
            );
            for column in columns {
                view.set_sort(Sort::Column(column));
                for rising in [false, true] {
                    view.set_sort_reversed(rising);
                    let report = scene.report(&view);
                    assert_eq!(
                        report.sorted,
                        Some(Sorted {
                            column: Some(column),
                            ascending: rising
                        })
                    );
                    assert!(report.rows.len() > 5);
                    let values = report.rows.iter().map(|row| row.number(column));
                    assert!(values.is_sorted_by(|a, b| match rising {
                        false => a >= b,
                        true => a <= b,
                    }));
                }
            }
            view.set_sort_reversed(false);
        }
    }
}

#[test]
fn names_are_sorted_ignoring_case_and_by_depth() {
    let scene = usual();
    let mut view = view();
    view.set_sort(Sort::Name);
    let mut expected = [
        " +(outside zones)",
        "  Art",
        "  physics::collide",
        "  physics::phase::broad",
        "  physics::phase::narrow",
        "  physics::solve",
        " +step",
    ]
    .map(|name| name[1..].to_owned());
    let report = scene.report(&view);
    assert_eq!(names(&report), expected);
    let (column, rising) = (None, true);
    assert_eq!(
        report.sorted,
        Some(Sorted {
            column,
            ascending: rising
        })
    );
    view.set_sort_reversed(true);
    expected.reverse();
    let report = scene.report(&view);
    assert_eq!(names(&report), expected);
    assert!(!report.sorted.unwrap().ascending);

    // Depth 11 comes after depth 2.
    let mut scene = Scene::new();
    for depth in 0..12 {
        scene.thread.enter(&ART, scene.now);
        scene.now += 1_000 * (depth + 1);
    }
    for _ in 0..12 {
        scene.thread.leave(scene.now);
    }
    scene.frame(&[]);
    view.set_recursion(Recursion::Spread);
    view.set_sort_reversed(false);
    view.set_filter("art");
    let rows = names(&scene.report(&view));
    assert_eq!(rows[0], "+Art");
    for (at, row) in rows.iter().enumerate().skip(1) {
        assert_eq!(row[1..], format!("Art ({})", at + 1));
    }
}

#[test]
fn the_default_order_has_no_mark_and_a_hidden_column_falls_back_to_it() {
    let scene = usual();
    let mut view = view();
    let plain = scene.report(&view);
    assert_eq!(plain.sorted, None);
    for column in [
        ColumnId::StandardError,
        ColumnId::NetTime,
        ColumnId::Difference,
        ColumnId::BaselineCount,
    ] {
        view.set_sort(Sort::Column(column));
        assert_eq!(scene.report(&view), plain, "{column:?}");
    }
    // Reversed, the order of the mode has its mark.
    view.set_sort_reversed(true);
    let (column, rising) = (Some(ColumnId::SelfTime), true);
    assert_eq!(
        scene.report(&view).sorted,
        Some(Sorted {
            column,
            ascending: rising
        })
    );
    // Equal rows, those without time, stay in place.
    let mut rows = names(&scene.report(&view)).split_off(2);
    rows.reverse();
    assert_eq!(rows, names(&plain)[..5]);
}

#[test]
fn callers_are_sorted_toward_the_selected_zone_and_callees_from_it() {
    let mut scene = Scene::new();
    for (zone, calls, us) in [(&SOLVE, 1, 300), (&COLLIDE, 5, 100), (&BROAD, 3, 200)] {
        scene.thread.enter(zone, scene.now);
        for _ in 0..calls {
            scene.thread.enter(&ART, scene.now);
            scene.now += us * 1_000 / calls;
            scene.thread.enter(zone, scene.now);
            scene.now += us * 100 / calls;
            scene.thread.leave(scene.now);
            scene.thread.leave(scene.now);
        }
        scene.thread.leave(scene.now);
    }
    scene.frame(&[]);
    let mut view = view();
    scene.on(&mut view, "Art", |view, shown| view.select_in(shown));
    let values = |view: &View, column| -> (Vec<f64>, Vec<f64>) {
        let report = scene.report(view);
        let selected = report
            .rows
            .iter()
            .position(|r| r.expansion == Expansion::Expanded);
        let value = |rows: &[crate::report::Row]| rows.iter().map(|r| r.number(column)).collect();
        let selected = selected.unwrap();
        assert_eq!(selected, 3);
        (value(&report.rows[..3]), value(&report.rows[4..]))
    };
    assert_eq!(values(&view, ColumnId::Count).0, [5.0, 3.0, 1.0]);
    view.set_sort(Sort::Column(ColumnId::Count));
    assert_eq!(
        values(&view, ColumnId::Count),
        (vec![1.0, 3.0, 5.0], vec![5.0, 3.0, 1.0])
    );
    view.set_sort_reversed(true);
    assert_eq!(
        values(&view, ColumnId::Count),
        (vec![5.0, 3.0, 1.0], vec![1.0, 3.0, 5.0])
    );

    // The most expensive caller is found even if it is folded, and whatever the order.
    view.set_min_share(1.0);
    view.select_parent_of(&scene.profiler, &scene.report(&view));
    assert_eq!(cursor(&scene.report(&view)), "physics::solve (2)");
}

#[test]
fn a_folded_row_stays_folded_while_the_order_is_held() {
    let mut scene = Scene::new();
    let mut view = view();
    view.set_min_share(0.1);
    scene.frame(&[(&SOLVE, 1, 90), (&ART, 1, 910)]);
    let first = scene.report(&view);
    scene.frame(&[(&SOLVE, 1, 910), (&ART, 1, 90)]);
    let after = |is_held| names(&scene.report_after(&view, &first, is_held));
    assert_eq!(after(true), names(&first));
    assert_eq!(after(false), [" physics::solve", "+others (3)"]);
}

#[test]
fn a_row_at_the_limit_does_not_flicker_between_folded_and_listed() {
    let mut scene = Scene::new();
    let mut view = view();
    view.set_min_share(0.1);
    view.set_filter("");
    // Of 1,000 us. `step` and `(outside zones)` have no self time.
    let frame = |scene: &mut Scene, solve: u64| {
        scene.frame(&[(&SOLVE, 1, solve), (&ART, 1, 1_000 - solve)]);
    };
    let is_listed = |report: &Report| report.rows.iter().any(|r| r.name.contains("solve"));
    let mut shown = Report::default();
    let mut after = |solve: u64| {
        frame(&mut scene, solve);
        shown = scene.report_after(&view, &shown, false);
        let exact = query::report(&scene.profiler, &view, None);
        (is_listed(&shown), is_listed(&exact))
    };
    assert_eq!(after(110), (true, true), "no row was folded before");
    assert_eq!(after(101), (true, true));
    assert_eq!(after(99), (false, false));
    assert_eq!(after(101), (false, true));
    assert_eq!(after(124), (false, true));
    assert_eq!(after(126), (true, true));
    assert_eq!(after(101), (true, true));
    // A closed folded row and an open one say the same.
    view.toggle(crate::report::RowKey::top_others(
        crate::report::Section::Flat,
    ));
    let indent = |report: &Report| {
        let row = report.rows.iter().find(|r| r.name.contains("solve"));
        row.map(|row| row.indent)
    };
    let mut after = |solve: u64| {
        frame(&mut scene, solve);
        shown = scene.report_after(&view, &shown, false);
        indent(&shown)
    };
    assert_eq!(after(99), Some(1));
    assert_eq!(after(124), Some(1));
    assert_eq!(after(126), Some(0));
    assert_eq!(after(101), Some(0));
    // A report whose values do not change is folded exactly.
    view.frame = FrameChoice::Number(4);
    assert!(is_listed(&scene.report_after(&view, &shown, false)));
}

#[test]
fn callers_and_callees_at_the_limit_do_not_flicker_either() {
    let mut scene = Scene::new();
    let mut view = view();
    scene.frame(USUAL);
    scene.on(&mut view, "step", |view, shown| view.select_in(shown));
    view.set_min_share(0.1);
    let mut shown = Report::default();
    let mut after = |solve: u64| {
        scene.frame(&[
            (&SOLVE, 1, solve),
            (&COLLIDE, 1, 20),
            (&ART, 1, 980 - solve),
        ]);
        shown = scene.report_after(&view, &shown, false);
        shown.rows.iter().any(|r| r.name.contains("solve"))
    };
    let listed = [110, 99, 124, 126, 101, 99].map(&mut after);
    assert_eq!(listed, [true, false, false, true, true, false]);
}

#[test]
fn groups_open_and_close_in_place_and_the_cursor_stays_with_its_row() {
    let scene = usual();
    let mut view = view();
    view.set_grouping(true);
    assert_eq!(
        names(&scene.report(&view)),
        ["+physics::", " Art", "+(outside zones)", "+step"]
    );
    let totals = |view: &View| {
        let columns = [
            ColumnId::SelfTime,
            ColumnId::HierarchicalTime,
            ColumnId::Count,
        ];
        scene.report(view).rows[0].numbers(columns)
    };
    let [self_ms, hier_ms, count] = totals(&view);
    assert!((self_ms - 0.52).abs() < 1e-9 && (hier_ms - 0.52).abs() < 1e-9);
    assert_eq!(count, 40.0);

    scene.on(&mut view, "physics::", View::expand_in);
    let open = scene.report(&view);
    assert_eq!(
        names(&open),
        [
            "-physics::",
            "   physics::solve",
            "  +physics::phase::",
            "   physics::collide",
            " Art",
            "+(outside zones)",
            "+step",
        ]
    );
    assert_eq!(cursor(&open), "physics::");
    scene.on(&mut view, "physics::phase::", View::select_in);
    let open = scene.report(&view);
    assert_eq!(names(&open)[3], "     physics::phase::narrow");
    assert_eq!(
        cursor(&open),
        "physics::phase::",
        "a group is opened, not selected"
    );
    assert_eq!(view.report_mode(), ReportMode::SelfTime);
    // Collapse moves to the parent, and once more.
    scene.on(&mut view, "physics::phase::broad", View::collapse_in);
    assert_eq!(cursor(&scene.report(&view)), "physics::phase::");
    view.collapse_in(&scene.report(&view));
    let closed = scene.report(&view);
    assert_eq!(names(&closed).len(), 7);
    assert_eq!(cursor(&closed), "physics::phase::");
    view.collapse_in(&closed);
    assert_eq!(cursor(&scene.report(&view)), "physics::");
    view.select_in(&scene.report(&view));
    assert_eq!(names(&scene.report(&view))[0], "+physics::");
    // A top-level row has no parent.
    scene.on(&mut view, "Art", View::collapse_in);
    assert_eq!(cursor(&scene.report(&view)), "Art");

    // A zone in a group is selected like any other. After going back, and with recursion spread, groups
    // are as they were.
    scene.on(&mut view, "physics::", View::expand_in);
    scene.on(&mut view, "physics::solve", View::expand_in);
    assert_eq!(view.report_mode(), ReportMode::CallGraph);
    let graph = names(&scene.report(&view));
    assert_eq!(graph, ["+step", "  -physics::solve"]);
    view.go_back();
    view.set_recursion(Recursion::Spread);
    let back = scene.report(&view);
    assert_eq!(
        (names(&back)[0].as_str(), cursor(&back)),
        ("-physics::", "physics::solve")
    );
    // The cursor follows its zone out of the group.
    view.set_grouping(false);
    assert_eq!(cursor(&scene.report(&view)), "physics::solve");
    // A group has no caller to go to.
    view.set_grouping(true);
    let before = view.clone();
    scene.on(&mut view, "physics::", |view, shown| {
        view.select_parent_of(&scene.profiler, shown);
    });
    assert_eq!(view.report_mode(), before.report_mode());
}

#[test]
fn a_filter_opens_groups_with_matches() {
    let scene = usual();
    let mut view = view();
    view.set_grouping(true);
    view.set_min_share(0.5);
    view.set_filter("BROAD");
    let rows = [
        "-physics::",
        "  -physics::phase::",
        "     physics::phase::broad",
    ];
    assert_eq!(names(&scene.report(&view)), rows);
    // The filter keeps the group open; without the filter it is closed.
    scene.on(&mut view, "physics::phase::", View::collapse_in);
    assert_eq!(names(&scene.report(&view)), rows);
    // The group's own name matches, so it stays as it was.
    view.set_filter("phase::");
    assert_eq!(
        names(&scene.report(&view)),
        ["-physics::", "  +physics::phase::"]
    );
    scene.on(&mut view, "physics::phase::", View::expand_in);
    assert_eq!(names(&scene.report(&view)).len(), 4);
    view.set_filter("physics");
    assert_eq!(names(&scene.report(&view)), ["+physics::"]);
}

#[test]
fn folded_rows_open_in_place_and_are_never_selected() {
    let scene = usual();
    let mut view = view();
    view.set_min_share(0.2);
    // By self time `step` and `(outside zones)` have nothing, so they are small.
    let folded = ["  Art", "  physics::solve", " +others (5)"].map(|name| name[1..].to_owned());
    assert_eq!(names(&scene.report(&view)), folded);
    let others = scene.report(&view).rows[2].clone();
    assert!((others.number(ColumnId::SelfTime) - 0.22).abs() < 1e-9);
    // `(outside zones)` is open all the time.
    assert!((others.number(ColumnId::HierarchicalTime) - 1.0).abs() < 1e-9);
    assert_eq!(others.number(ColumnId::Count), 39.0);

    scene.on(&mut view, "others (5)", View::select_in);
    let open = scene.report(&view);
    assert_eq!(
        names(&open)[2..5],
        [
            "-others (5)",
            "   physics::collide",
            "   physics::phase::narrow"
        ]
    );
    assert_eq!(cursor(&open), "others (5)");
    assert_eq!(view.report_mode(), ReportMode::SelfTime);
    scene.on(&mut view, "physics::phase::narrow", View::collapse_in);
    assert_eq!(cursor(&scene.report(&view)), "others (5)");
    view.collapse_in(&scene.report(&view));
    assert_eq!(names(&scene.report(&view)), folded);
    // The folded row stays last, whatever rows are sorted by.
    for sort in [
        Sort::Name,
        Sort::Column(ColumnId::Count),
        Sort::Column(ColumnId::HierarchicalTime),
    ] {
        view.set_sort(sort);
        for reversed in [false, true] {
            view.set_sort_reversed(reversed);
            assert_eq!(names(&scene.report(&view))[2], "+others (5)");
        }
    }
    view.set_sort(Sort::Mode);

    // The most expensive caller is found although it is folded.
    scene.on(&mut view, "physics::solve", View::select_in);
    view.set_min_share(1.0);
    view.set_filter("solve");
    view.select_parent_of(&scene.profiler, &scene.report(&view));
    view.set_filter("");
    assert_eq!(cursor(&scene.report(&view)), "step");
    let graph = names(&scene.report(&view));
    assert_eq!(graph, [" (outside zones)", "  -step", "    +others (5)"]);
    view.set_report_mode(ReportMode::CallGraphDescendants);
    assert_eq!(names(&scene.report(&view)), graph);
    scene.on(&mut view, "others (5)", View::expand_in);
    assert_eq!(names(&scene.report(&view)).len(), 8);
    // A zone in such a list has no rows below it to open.
    scene.on(&mut view, "physics::solve", View::expand_in);
    assert_eq!(cursor(&scene.report(&view)), "physics::solve");
    let selected = names(&scene.report(&view));
    assert!(
        selected.contains(&"  -physics::solve".to_owned()),
        "{selected:?}"
    );
    view.go_back();
    assert_eq!(names(&scene.report(&view)).len(), 8);
}

#[test]
fn a_single_small_row_is_not_folded_and_small_groups_are_folded_whole() {
    let scene = usual();
    let mut view = view();
    view.set_report_mode(ReportMode::HierarchicalTime);
    view.set_min_share(0.05);
    // Only one of the zones is that small.
    assert!(
        !names(&scene.report(&view))
            .iter()
            .any(|name| name.contains("others"))
    );
    view.set_grouping(true);
    view.set_min_share(0.53);
    assert_eq!(
        names(&scene.report(&view)),
        ["+(outside zones)", "+step", "+others (2)"]
    );
    scene.on(&mut view, "others (2)", View::expand_in);
    scene.on(&mut view, "physics::", View::expand_in);
    assert_eq!(
        names(&scene.report(&view))[2..],
        [
            "-others (2)",
            "  -physics::",
            "     physics::solve",
            "    +physics::phase::",
            "     physics::collide",
            "   Art",
        ]
    );
    // In an open group that is listed, small rows are folded.
    view.set_min_share(0.2);
    assert_eq!(
        names(&scene.report(&view))[2..],
        ["-physics::", "   physics::solve", "  +others (2)", " Art"]
    );
}

#[test]
fn shares_are_clamped_and_nan_folds_nothing() {
    let mut view = View::new();
    for (share, is) in [
        (0.25, 0.25),
        (-1.0, 0.0),
        (7.0, 1.0),
        (f64::NAN, 0.0),
        (f64::INFINITY, 1.0),
        (f64::NEG_INFINITY, 0.0),
    ] {
        view.set_min_share(share);
        assert_eq!(view.min_share(), is, "{share}");
    }
}

#[test]
fn each_mode_keeps_the_order_chosen_in_it() {
    let mut view = view();
    for (at, mode) in ReportMode::ALL.iter().enumerate() {
        assert_eq!(*mode as usize, at);
        view.set_report_mode(*mode);
        assert_eq!((view.sort(), view.sort_reversed()), (Sort::Mode, false));
        view.set_sort(Sort::Column(ColumnId::ALL[at]));
        view.set_sort_reversed(at % 2 == 0);
    }
    let kept = |view: &mut View| {
        ReportMode::ALL.iter().enumerate().all(|(at, mode)| {
            view.set_report_mode(*mode);
            let order = (view.sort(), view.sort_reversed());
            order == (Sort::Column(ColumnId::ALL[at]), at % 2 == 0)
        })
    };
    assert!(kept(&mut view));
    view.set_baseline(Baseline::Average);
    assert!(!kept(&mut view));
    view.set_baseline(Baseline::None);
    assert!(kept(&mut view));
}

#[test]
fn the_sorted_column_is_marked_in_text() {
    let scene = usual();
    let mut view = view();
    let head = |view: &View| {
        let mut text = Vec::new();
        scene.report(view).write(&mut text, 2).unwrap();
        let text = String::from_utf8(text).unwrap();
        let head = text.lines().find(|line| line.starts_with("  ")).unwrap();
        head.to_owned()
    };
    let plain = head(&view);
    view.set_sort(Sort::Column(ColumnId::HierarchicalTime));
    assert_eq!(head(&view), plain.replace(" hier ms", "\u{25bc}hier ms"));
    view.set_sort_reversed(true);
    assert_eq!(head(&view), plain.replace(" hier ms", "\u{25b2}hier ms"));
    view.set_sort(Sort::Name);
    assert_eq!(head(&view), plain.replace("zone ", "\u{25bc}zone"));
}

#[test]
fn a_typed_filter_is_shown_from_the_first_key_on() {
    let scene = usual();
    let mut view = view();
    let typed = |view: &mut View, action| {
        view.act_in(&scene.report(view), action);
        scene.report(view).title.last().unwrap().clone()
    };
    assert_eq!(typed(&mut view, Action::EditFilter), "filter: \"_\"");
    let text = typed(&mut view, Action::TypeFilter('p'));
    assert_eq!(text, "filter: \"p_\"");
    assert_eq!(typed(&mut view, Action::EndFilter), "filter: \"p\"");
    let title = typed(&mut view, Action::ClearFilter);
    assert!(!title.starts_with("only"), "{title}");
    view.act_in(&scene.report(&view), Action::EditFilter);
    assert!(!typed(&mut view, Action::ClearFilter).starts_with("only"));
}

#[test]
fn the_live_view_is_compared_with_the_shown_average() {
    let mut scene = usual();
    for calls in 1..20 {
        scene.frame(&[(&ART, calls, calls * 10)]);
    }
    let mut view = view();
    view.set_baseline(Baseline::Average);
    for &average in crate::Average::ALL {
        view.set_average(average);
        let report = scene.report(&view);
        let moved = report
            .rows
            .iter()
            .any(|row| row.number(ColumnId::Difference).abs() > 1e-3);
        assert_eq!(moved, average == crate::Average::Newest, "{report:?}");
    }
}

/// Two modules have a zone of one name each; a third one comes later.
#[test]
fn zones_of_one_name_are_told_apart_by_their_places() {
    static RENDER: Zone = Zone::new("update", "src/render.rs", 3, "game::render");
    static SOUND: Zone = Zone::new("update", "src/sound/mod.rs", 9, "game::sound");
    static VOICE: Zone = Zone::new("update", "src/voice/mod.rs", 9, "game::voice");
    let mut scene = Scene::new();
    let mut view = view();
    view.set_filter("update");
    let mut work = GraphWork::default();
    let mut graph = Graph::default();
    let mut after = |script: Script<'_>| {
        scene.frame(script);
        work.update(&scene.profiler, &view, &mut graph);
        let in_graph = graph.zones.iter().map(|zone| zone.name.to_string());
        let in_graph: Vec<String> = in_graph.filter(|name| name.contains("update")).collect();
        let listed: Vec<String> = names(&scene.report(&view));
        assert_eq!(in_graph.len(), listed.len());
        assert!(
            listed
                .iter()
                .all(|row| in_graph.contains(&row.trim().to_owned()))
        );
        listed
    };
    assert_eq!(after(&[(&RENDER, 1, 500)]), [" update"]);
    assert_eq!(
        after(&[(&RENDER, 1, 500), (&SOUND, 1, 300)]),
        [" update (render.rs)", " update (sound/mod.rs)"]
    );
    assert_eq!(
        after(&[(&RENDER, 1, 500), (&SOUND, 1, 300), (&VOICE, 1, 100)]),
        [
            " update (render.rs)",
            " update (sound/mod.rs)",
            " update (voice/mod.rs)"
        ]
    );
}

#[test]
fn a_column_has_the_unit_that_fits_and_keeps_it_while_it_nearly_does() {
    let mut scene = Scene::new();
    let view = view();
    let mut shown = Report::default();
    let mut after = |us: u64| {
        scene.frame(&[(&SOLVE, 1, us)]);
        shown = scene.report_after(&view, &shown, false);
        let mut text = String::new();
        shown.push_header(ColumnId::SelfTime, &mut text);
        text.push(' ');
        shown.push_value(&shown.rows[0], ColumnId::SelfTime, 2, &mut text);
        text
    };
    assert_eq!(after(800), "self \u{b5}s 800.00");
    assert_eq!(after(1_500), "self ms 1.50");
    assert_eq!(after(800), "self ms 0.80");
    assert_eq!(after(400), "self \u{b5}s 400.00");
    assert_eq!(after(25_218_905), "self s 25.22");
}

#[test]
fn a_chosen_order_yields_to_the_differences_and_comes_back() {
    let mut scene = usual();
    scene.frame(&[(&SOLVE, 1, 700), (&ART, 9, 300)]);
    let mut view = view();
    view.set_sort(Sort::Column(ColumnId::Count));
    view.set_sort_reversed(true);
    let alone = names(&scene.report(&view));
    let sorted = |view: &View| (view.sort(), view.sort_reversed());
    view.set_baseline(Baseline::Frame(1));
    assert_eq!(sorted(&view), (Sort::Mode, false));
    let by_difference = scene.report(&view);
    assert_eq!(by_difference.sorted, None);
    assert_eq!(names(&by_difference)[0], " physics::solve");
    // An order among the differences goes with them, from one baseline to the other.
    view.set_sort(Sort::Column(ColumnId::ByCount));
    view.set_baseline(Baseline::Average);
    assert_eq!(sorted(&view), (Sort::Column(ColumnId::ByCount), false));
    assert_ne!(names(&scene.report(&view)), alone);
    view.set_baseline(Baseline::None);
    assert_eq!(sorted(&view), (Sort::Column(ColumnId::Count), true));
    assert_eq!(names(&scene.report(&view)), alone);
    // The keys do the same.
    for _ in 0..3 {
        view.act(Action::NextBaseline);
    }
    assert_eq!(view.baseline(), Baseline::None);
    assert_eq!(names(&scene.report(&view)), alone);
}

#[test]
fn a_median_baseline_is_not_changed_by_a_few_slow_frames() {
    let mut scene = Scene::new();
    let mut frame = |solve: u64, calls: u64| scene.frame(&[(&SOLVE, calls, solve)]);
    for _ in 0..5 {
        frame(300, 2);
    }
    frame(90_000, 70);
    frame(400, 2);
    let mut view = view();
    view.set_filter("solve");
    let mut was = |baseline, frame| {
        view.set_baseline(baseline);
        view.frame = frame;
        let report = scene.report(&view);
        let row = &report.rows[0];
        let time = row.number(ColumnId::SelfTime) - row.number(ColumnId::Difference);
        let of = report.title[2].split("  ").next().unwrap().to_owned();
        (
            (time * 1e3).round(),
            row.number(ColumnId::BaselineCount),
            of,
        )
    };
    let spike = FrameChoice::Number(6);
    let (last, live) = (FrameChoice::Number(7), FrameChoice::Live);
    let of = "baseline: median of 6 surrounding frames".to_owned();
    assert_eq!(was(Baseline::Median, spike), (300.0, 2.0, of.clone()));
    assert_eq!(was(Baseline::Median, last), (300.0, 2.0, of));
    let of = "baseline: median of 6 frames before".to_owned();
    assert_eq!(was(Baseline::Median, live), (300.0, 2.0, of));
    let (mean, _, _) = was(Baseline::Average, last);
    assert_eq!(mean, 15_250.0);
}

#[test]
fn a_baseline_says_that_a_kept_frames_neighbors_are_forgotten() {
    let mut scene = Scene::new();
    scene.profiler.history_mut().set_capacity(8);
    scene.profiler.history_mut().set_longest(1);
    for number in 1..=30 {
        scene.frame(&[(&SOLVE, 1, if number == 6 { 90_000 } else { 300 })]);
    }
    let mut view = view();
    let mut of = |baseline, frame| {
        view.set_baseline(baseline);
        view.frame = frame;
        let title = &scene.report(&view).title[2];
        title.split("  ").next().unwrap().to_owned()
    };
    let (kept, recent) = (FrameChoice::Number(6), FrameChoice::Number(27));
    let later = "8 later frames (nearer ones are no longer remembered)";
    assert_eq!(
        of(Baseline::Average, kept),
        format!("baseline: mean of {later}")
    );
    assert_eq!(
        of(Baseline::Median, kept),
        format!("baseline: median of {later}")
    );
    assert_eq!(
        of(Baseline::Average, recent),
        "baseline: mean of 7 surrounding frames"
    );
}
