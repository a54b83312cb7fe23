//! Views of the host's own, and what a view shows beside rows: sets of frames, baselines, orders.

use crate::border::{Error, NOT_FOUND, NULL, VALUE, caught, code_of, text};
use crate::durations::{milliseconds, seconds};
use iprof::{Baseline, ColumnId, FrameSelection, FrameSet, SessionPart, Sort, View};
use std::cell::RefCell;
use std::ffi::{c_char, c_double, c_float, c_int};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

/// The `IPROF_BY_NAME` of the header.
pub(crate) const BY_NAME: c_int = -1;

/// The `iprof_view` of the header.
#[derive(Debug)]
pub struct CView(Mutex<View>);

thread_local! {
    /// What this thread's calls are about, unless it is the default view.
    static USED: RefCell<Option<Arc<CView>>> = const { RefCell::new(None) };
}

/// The view of the host's that this thread uses.
pub(crate) fn used() -> Option<Arc<CView>> {
    // When the thread's locals are gone, it is the default view.
    USED.try_with(|used| used.borrow().clone()).ok().flatten()
}

impl CView {
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut View) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Runs `f`, which calls nothing of the host's, with the view that this thread uses.
pub(crate) fn with_view<R>(f: impl FnOnce(&mut View) -> R) -> R {
    match used() {
        Some(view) => view.with(f),
        None => iprof::with_view(f),
    }
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_view_new() -> *const CView {
    caught(ptr::null(), || {
        Arc::into_raw(Arc::new(CView(Mutex::new(View::new()))))
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `view` is NULL, or [`iprof_view_new`] returned it and it was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_view_free(view: *const CView) {
    caught((), || {
        if !view.is_null() {
            // SAFETY: the caller's promise. A thread that uses it has a count of its own.
            drop(unsafe { Arc::from_raw(view) });
        }
    });
}

/// See `iprof.h`.
///
/// # Safety
///
/// That of [`iprof_view_free`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_view_use(view: *const CView) {
    caught((), || {
        let view = (!view.is_null()).then(|| {
            // SAFETY: the caller's promise; the count that C holds stays.
            unsafe {
                Arc::increment_strong_count(view);
                Arc::from_raw(view)
            }
        });
        let before = USED.try_with(|used| used.replace(view));
        drop(before);
    });
}

/// The `iprof_frame_set` of the header.
#[derive(Debug)]
#[repr(C)]
pub struct CFrameSet {
    kind: c_int,
    is_complement: bool,
    from: c_double,
    to: c_double,
    name: *const c_char,
}

/// The frames that C describes.
enum Frames {
    Set(FrameSet),
    Session(SessionPart),
}

/// The set or the part of the session that C describes.
///
/// # Safety
///
/// `set` is NULL or a set, whose name is NULL or a string.
unsafe fn frame_set(set: *const CFrameSet) -> Result<Frames, Error> {
    // SAFETY: the caller's promise.
    let set = unsafe { set.as_ref() }.ok_or_else(|| Error::new(NULL, "the set is NULL"))?;
    let is_complement = set.is_complement;
    let of_set = |set: FrameSet| {
        Ok(Frames::Set(match is_complement {
            true => set.complement(),
            false => set,
        }))
    };
    let of_session = |part: SessionPart| {
        Ok(Frames::Session(match is_complement {
            true => part.complement(),
            false => part,
        }))
    };
    let moment = |s| seconds(s, "a moment");
    match set.kind {
        0 => of_set(FrameSet::all()),
        1 => of_set(FrameSet::longer_than(milliseconds(set.from)?)),
        2 => of_set(FrameSet::between(
            milliseconds(set.from)?,
            milliseconds(set.to)?,
        )),
        3 => of_set(FrameSet::slowest(set.from as usize)),
        4 => of_set(FrameSet::slowest_percent(set.from)),
        // SAFETY: the caller's promise.
        5 => of_set(FrameSet::marked(&*unsafe {
            text(set.name, "name of the mark")
        }?)),
        6 => of_set(FrameSet::range(set.from as u64, set.to as u64)),
        7 => of_session(SessionPart::bands(set.from as usize, set.to as usize)),
        8 => of_session(SessionPart::time(moment(set.from)?, moment(set.to)?)),
        9 => of_session(SessionPart::slowest_percent(set.from)),
        10 => of_session(SessionPart::all()),
        kind => Err(Error(VALUE, format!("there is no kind of set {kind}"))),
    }
}

/// See `iprof.h`.
///
/// # Safety
///
/// `set` is NULL or a set, whose name is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_show_set(set: *const CFrameSet) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let set = unsafe { frame_set(set) }?;
        let frames = match set {
            Frames::Set(set) => FrameSelection::Set(set),
            Frames::Session(part) => FrameSelection::Session(part),
        };
        match with_view(|view| view.set_frames(frames)) {
            true => Ok(()),
            false => Err(Error::new(NOT_FOUND, "no frame is remembered")),
        }
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_baseline(baseline: c_int, frame: u64) -> c_int {
    code_of(|| {
        let baseline = match baseline {
            0 => Baseline::None,
            1 => Baseline::Average,
            2 => Baseline::Median,
            3 => Baseline::Rest,
            4 => Baseline::Frame(frame),
            _ => return Err(Error(VALUE, format!("there is no baseline {baseline}"))),
        };
        with_view(|view| view.set_baseline(baseline));
        Ok(())
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// That of [`iprof_show_set`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_set_baseline_set(set: *const CFrameSet) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let set = unsafe { frame_set(set) }?;
        let baseline = match set {
            Frames::Set(set) => Baseline::Set(set),
            Frames::Session(part) => Baseline::Session(part),
        };
        with_view(|view| view.set_baseline(baseline));
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_sort(column: c_int, is_reversed: bool) -> c_int {
    code_of(|| {
        let sort = match column {
            0 => Sort::Mode,
            BY_NAME => Sort::Name,
            _ => Sort::Column(column_of(column)?),
        };
        with_view(|view| {
            view.set_sort(sort);
            view.set_sort_reversed(is_reversed);
        });
        Ok(())
    })
}

/// The column with the number that `report::COLUMNS` gives it.
fn column_of(number: c_int) -> Result<ColumnId, Error> {
    let at = usize::try_from(i64::from(number) - 1).ok();
    let column = at.and_then(|at| crate::report::COLUMNS.get(at));
    column
        .copied()
        .ok_or_else(|| Error(VALUE, format!("there is no column {number}")))
}

/// Columns that can be chosen; the others come with what they are about.
fn is_choosable(column: ColumnId) -> bool {
    ColumnId::TIMES_PER_FRAME.contains(&column)
        || ColumnId::VALUES_PER_FRAME.contains(&column)
        || matches!(column, ColumnId::NetTime | ColumnId::Rescued)
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_column(column: c_int, is_shown: bool) -> c_int {
    code_of(|| {
        let column = column_of(column)?;
        if !is_choosable(column) {
            return Err(Error(
                VALUE,
                format!("the column \"{}\" cannot be chosen", column.header()),
            ));
        }
        with_view(|view| view.set_column(column, is_shown));
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_column_is_chosen(column: c_int) -> bool {
    caught(false, || {
        column_of(column).is_ok_and(|column| with_view(|view| view.column(column)))
    })
}

/// Switches of a view.
macro_rules! switches {
    ($($name:ident = $function:ident;)*) => {$(
        /// See `iprof.h`.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(is_on: bool) {
            caught((), || with_view(|view| view.$function(is_on)));
        }
    )*};
}

switches! {
    iprof_set_grouping = set_grouping;
    iprof_set_idle_ranked = set_idle_ranked;
    iprof_set_net_times = set_net_times;
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_refresh_rate(hz: c_float) {
    caught((), || iprof::set_refresh_rate((hz != 0.0).then_some(hz)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::COLUMNS;

    #[test]
    fn a_column_can_be_chosen_if_the_view_takes_it() {
        for column in COLUMNS {
            let mut view = View::new();
            view.set_column(column, true);
            assert_eq!(view.column(column), is_choosable(column), "{column:?}");
        }
    }
}
