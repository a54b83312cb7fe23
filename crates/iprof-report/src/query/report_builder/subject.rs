//! Names the threads, frames and baseline that a report or flame graph covers, for its title.

use crate::query::baseline_values::{BaselineValues, set_name};
use crate::query::session_values;
use crate::query::values::{NodeValues, Span};
use crate::report::TitleChoice;
use crate::view::Average;
use crate::view::{Baseline, View};
use iprof_process::Profiler;
use iprof_process::moving_average::FOLLOW_90;
use iprof_process::{ThreadId, Threads, group_name};

pub(super) struct Subject<'a> {
    pub(super) profiler: &'a Profiler,
    pub(super) view: &'a View,
    pub(super) values: &'a NodeValues<'a>,
    pub(super) is_compared: bool,
}

/// Appends a description of `view`'s threads, frames and baseline to `title`, and a name for the threads to `name`.
pub fn write_subject(
    profiler: &Profiler,
    view: &View,
    values: &NodeValues<'_>,
    baseline: Option<&BaselineValues<'_>>,
    title: &mut String,
    name: &mut String,
) {
    let subject = Subject {
        profiler,
        view,
        values,
        is_compared: baseline.is_some(),
    };
    let threads = subject.threads_title();
    title.push_str(&threads);
    let lone_thread = match *profiler.threads_in_view(view.threads()) {
        [thread] => profiler.thread_title(ThreadId(thread as u32)),
        _ => None,
    };
    name.push_str(&lone_thread.unwrap_or(threads));
    subject.frame_title(&mut |separator, text, _| {
        title.push_str(separator);
        title.push_str(text);
    });
    if let Some(baseline) = baseline {
        title.push_str("  vs. ");
        title.push_str(&subject.baseline_name(baseline));
    }
}

impl Subject<'_> {
    pub(super) fn threads_title(&self) -> String {
        let busy = || self.values.busy_threads();
        let title = match self.view.threads() {
            Threads::All => Some(match busy() {
                0 => "no threads".to_owned(),
                1 => "1 thread".to_owned(),
                count => format!("all {count} threads"),
            }),
            Threads::Frame => self
                .profiler
                .thread_title(ThreadId(self.profiler.frame_thread()))
                .map(
                    |thread| match self.profiler.threads_in_view(Threads::All).len() {
                        0 | 1 => format!("thread {thread}"),
                        // A comparison narrows the view to the frame's thread.
                        _ if self.is_compared => format!("thread {thread} only"),
                        count => format!("thread {thread} of {count}"),
                    },
                ),
            Threads::One(thread) => self.profiler.thread_title(thread).map(|name| {
                // Other titles don't count the GPU as a thread.
                match self.profiler.is_gpu(thread.0) {
                    true => name,
                    false => format!("thread {name}"),
                }
            }),
            Threads::Group(thread) if self.profiler.is_gpu(thread.0) => {
                self.profiler.thread_title(thread)
            }
            Threads::Group(thread) => {
                let thread = self.profiler.threads().get(thread.0 as usize);
                thread.map(|thread| match busy() {
                    0 | 1 => format!("thread {}", thread.name()),
                    count => format!("{} ({count} threads)", group_name(&thread.name())),
                })
            }
        };
        title.unwrap_or_else(|| "no such thread".to_owned())
    }

    /// Calls `part` for each part of the title, with a separator, the part's text, and the setting that the text shows.
    pub(super) fn frame_title(&self, part: &mut dyn FnMut(&str, &str, TitleChoice)) {
        let now = if self.profiler.is_paused() {
            "paused"
        } else {
            "live"
        };
        let mut remembered = |text: &str| part("  ", text, TitleChoice::Frames);
        let set = self.view.shown_set().map(ToString::to_string);
        let of_session = self.view.shown_part();
        let of_session =
            of_session.map(|shown| session_values::name(self.profiler.session(), shown));
        if let (Some(set), Some(frames)) = (set.or(of_session), self.values.frames) {
            return remembered(&title_of_set(&set, frames.count));
        }
        match self.values.frames {
            Some(Span { first, last, count }) if count > 1 => {
                remembered(&format!("frames {first} to {last}, mean of {count}"));
            }
            Some(Span { last: frame, .. }) => {
                let ago = self.profiler.frames().saturating_sub(frame);
                let marks = self.profiler.history().marks().iter();
                let names = marks.filter(|mark| mark.frame == frame);
                let names: String = names.map(|mark| format!(" \"{}\"", mark.name)).collect();
                let frames = if ago == 1 { "frame" } else { "frames" };
                remembered(&format!("frame {frame}{names}, {ago} {frames} ago"));
            }
            None => {
                part("  ", now, TitleChoice::Live);
                part(", ", &self.average_title(), TitleChoice::Average);
            }
        }
    }

    fn average_title(&self) -> String {
        match self.view.average {
            Average::Newest if self.profiler.shows_gpu(self.view.threads()) => {
                // The GPU times of later frames have not arrived yet.
                let frame = self
                    .profiler
                    .newest_with_gpu()
                    .map_or(0, |frame| frame.number);
                format!("frame {frame}")
            }
            Average::Newest => format!("frame {}", self.profiler.frames()),
            average => format!("{:.1} s average", FOLLOW_90[average.slot_or_default()]),
        }
    }

    pub(super) fn baseline_name(&self, before: &BaselineValues<'_>) -> String {
        // If the neighbors of a kept frame have been forgotten, the nearest frames are the oldest in the ring.
        let which = |frames: &Span| match self.view.remembered() {
            None if self.view.shown_set().is_some() => "other frames",
            None => "frames before",
            Some((_, last)) if frames.first > last + 1 => {
                "later frames (nearer ones are no longer remembered)"
            }
            Some(_) => "surrounding frames",
        };
        match (before.frames(), self.view.average) {
            (Some(frames), _) if self.view.baseline == Baseline::Average => {
                format!("mean of {} {}", frames.count, which(&frames))
            }
            (Some(frames), _) if self.view.baseline == Baseline::Median => {
                format!("median of {} {}", frames.count, which(&frames))
            }
            (Some(frames), _) => match set_name(self.profiler, self.view) {
                Some(set) => title_of_set(&set, frames.count),
                None => format!("frame {}", frames.last),
            },
            (None, average) => format!("{:.1} s average", FOLLOW_90[average.slot_or_default()]),
        }
    }
}

fn title_of_set(set: &str, frames: usize) -> String {
    match frames {
        0 => format!("{set}: none"),
        1 => format!("{set}: 1"),
        _ => format!("{set}, mean of {frames}"),
    }
}
