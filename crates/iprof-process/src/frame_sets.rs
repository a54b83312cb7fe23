//! Finds the remembered frames that belong to a set.

use crate::frame::Frame;
use crate::frames::{Frames, WHOLE_SHARE, share_of};
use crate::history::History;

impl History {
    /// Returns the frames in `set` from oldest to newest.
    pub fn members(&self, set: &Frames) -> Vec<&Frame> {
        let mut members = Vec::new();
        self.for_each_member(set, &mut Vec::new(), |frame| members.push(frame));
        members
    }

    /// Calls `visit` with each frame in `set` from oldest to newest. `times` is a reusable buffer.
    pub fn for_each_member<'h>(
        &'h self,
        set: &Frames,
        times: &mut Vec<f64>,
        mut visit: impl FnMut(&'h Frame),
    ) {
        let (set, is_complement) = set.without_complement();
        let mut slowest = match *set {
            Frames::Slowest(count) => self.slowest(count, times),
            Frames::SlowestPercent(percent) => {
                let share = u64::from(share_of(percent));
                let count = (self.len() as u64 * share).div_ceil(WHOLE_SHARE.into());
                self.slowest(count as usize, times)
            }
            _ => Slowest::default(),
        };
        let only = self.number_of(set);
        for frame in self.iter() {
            let ms = frame.ms();
            let meets = match set {
                Frames::All => true,
                Frames::LongerThan(limit) => ms > limit.as_secs_f64() * 1e3,
                Frames::Between(one, other) => {
                    let (shorter, longer) = (one.min(other), one.max(other));
                    ms > shorter.as_secs_f64() * 1e3 && ms <= longer.as_secs_f64() * 1e3
                }
                Frames::Slowest(_) | Frames::SlowestPercent(_) => slowest.takes(ms),
                Frames::AllMarked(name) => {
                    let mut marks = self.marks().iter();
                    marks.any(|mark| mark.frame == frame.number && mark.name == *name)
                }
                Frames::Range { first, last } => {
                    (*first.min(last)..=*first.max(last)).contains(&frame.number)
                }
                _ => only == Some(frame.number),
            };
            if meets != is_complement {
                visit(frame);
            }
        }
    }

    /// Returns the number of the frame that `frames` selects, or of the nearest remembered frame. Returns `None` if
    /// `frames` is not a single frame.
    pub fn number_of(&self, frames: &Frames) -> Option<u64> {
        let frame = match frames {
            Frames::Back(back) => {
                let newest = self.newest()?.number;
                self.nearest(newest.saturating_sub(*back as u64))
            }
            Frames::Number(number) => self.nearest(*number),
            Frames::Longest => self.longest(),
            Frames::Marked(name) => {
                let mut marks = self.marks().iter().rev();
                return Some(marks.find(|mark| mark.name == *name)?.frame);
            }
            _ => None,
        };
        frame.map(|frame| frame.number)
    }

    fn slowest(&self, count: usize, times: &mut Vec<f64>) -> Slowest {
        times.clear();
        times.extend(self.iter().map(Frame::ms));
        let Some(faster) = times.len().checked_sub(count.max(1)) else {
            let limit_ms = f64::NEG_INFINITY;
            return Slowest { limit_ms, ties: 0 };
        };
        if count == 0 {
            return Slowest::default();
        }
        let (_, limit_ms, _) = times.select_nth_unstable_by(faster, f64::total_cmp);
        let limit_ms = *limit_ms;
        let longer = self.iter().filter(|frame| frame.ms() > limit_ms).count();
        Slowest {
            limit_ms,
            ties: count - longer,
        }
    }
}

/// Selects the frames over a limit, and the first `ties` frames exactly at the limit.
#[derive(Debug)]
struct Slowest {
    limit_ms: f64,
    ties: usize,
}

/// Selects no frames.
impl Default for Slowest {
    fn default() -> Slowest {
        Slowest {
            limit_ms: f64::INFINITY,
            ties: 0,
        }
    }
}

impl Slowest {
    fn takes(&mut self, ms: f64) -> bool {
        let is_tie = ms == self.limit_ms && self.ties > 0;
        self.ties -= usize::from(is_tie);
        is_tie || ms > self.limit_ms
    }
}
