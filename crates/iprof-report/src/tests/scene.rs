//! A scripted thread for testing which rows a report lists and in what order. A script is a list of zones with their
//! calls and times.

use crate::query;
use crate::query::row_tree::Previous;
use crate::report::Report;
use crate::view::View;
use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Profiler;

pub(super) static STEP: Zone = Zone::new("step", file!(), line!(), module_path!());
pub(super) static SOLVE: Zone = Zone::new("physics::solve", file!(), line!(), module_path!());
pub(super) static COLLIDE: Zone = Zone::new("physics::collide", file!(), line!(), module_path!());
pub(super) static BROAD: Zone =
    Zone::new("physics::phase::broad", file!(), line!(), module_path!());
pub(super) static NARROW: Zone =
    Zone::new("physics::phase::narrow", file!(), line!(), module_path!());
pub(super) static ART: Zone = Zone::new("Art", file!(), line!(), module_path!());

/// A thread and its profiler. A script lists zones, each with its number of calls and total microseconds.
pub(super) struct Scene {
    pub(super) thread: ScriptedThread,
    pub(super) profiler: Profiler,
    pub(super) now: u64,
}

pub(super) type Script<'s> = &'s [(&'static Zone, u64, u64)];

impl Scene {
    pub(super) fn new() -> Scene {
        let now = 1_000;
        Scene {
            thread: ScriptedThread::begin("main", now),
            profiler: Profiler::new(Pair::both(now)),
            now,
        }
    }

    /// Ends a frame in which `step` calls all zones in the script.
    pub(super) fn frame(&mut self, script: Script<'_>) {
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
        self.profiler.end_frame(&records, records[0], pair, true);
    }

    pub(super) fn report(&self, view: &View) -> Report {
        query::report(&self.profiler, view, None)
    }

    pub(super) fn report_after(&self, view: &View, shown: &Report, is_held: bool) -> Report {
        let previous = Previous {
            report: shown,
            is_held,
            is_typing: false,
        };
        query::report(&self.profiler, view, Some(previous))
    }

    /// Moves the cursor to the row with this name and acts on that row.
    #[track_caller]
    pub(super) fn act_on_row(
        &self,
        view: &mut View,
        name: &str,
        act: impl FnOnce(&mut View, &Report),
    ) {
        let report = self.report(view);
        let at = report.rows.iter().position(|row| &*row.name == name);
        view.set_cursor(
            &report,
            at.unwrap_or_else(|| panic!("no row {name} in {report:#?}")),
        );
        act(view, &self.report(view));
    }
}

pub(super) fn names(report: &Report) -> Vec<String> {
    let line = |row: &crate::report::Row| {
        let indent = "  ".repeat(row.indent as usize);
        format!("{indent}{}{}", row.expansion.as_char(), row.name)
    };
    report.rows.iter().map(line).collect()
}

pub(super) fn cursor(report: &Report) -> &str {
    &report.rows[report.cursor().unwrap()].name
}

/// Returns a view of the newest frame's own values.
pub(super) fn view() -> View {
    let mut view = View::default();
    view.average = crate::Average::Newest;
    view
}

/// A frame that takes 1,000 us.
pub(super) const TYPICAL_FRAME: Script<'_> = &[
    (&SOLVE, 2, 300),
    (&COLLIDE, 7, 100),
    (&BROAD, 1, 40),
    (&NARROW, 30, 80),
    (&ART, 3, 480),
];

pub(super) fn typical_scene() -> Scene {
    let mut scene = Scene::new();
    scene.frame(TYPICAL_FRAME);
    scene
}
