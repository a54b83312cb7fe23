//! How a view is set, read back.

use crate::border::{Error, NULL, caught, code_of};
use crate::recording::copy_text;
use crate::report::column_number;
use crate::views::{BY_NAME, with_view};
use iprof::{Average, Recursion, ReportMode, Sort};
use std::ffi::{c_char, c_double, c_int};

/// The `iprof_settings` of the header.
#[derive(Debug)]
#[repr(C)]
pub struct CSettings {
    mode: c_int,
    recursion: c_int,
    average: c_int,
    sort: c_int,
    is_sort_reversed: bool,
    is_grouped: bool,
    is_idle_ranked: bool,
    are_times_net: bool,
    min_share: c_double,
}

/// The position of a value in the order in which the header counts.
fn position<T: PartialEq>(of: &T, order: &[T]) -> c_int {
    let at = order.iter().position(|known| known == of);
    at.map_or(-1, |at| at as c_int)
}

/// See `iprof.h`.
///
/// # Safety
///
/// `settings` is NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_settings_now(settings: *mut CSettings) -> c_int {
    code_of(|| {
        if settings.is_null() {
            return Err(Error::new(NULL, "the settings are NULL"));
        }
        let now = with_view(|view| CSettings {
            mode: position(&view.report_mode(), ReportMode::ALL),
            recursion: position(&view.recursion(), &[Recursion::Flatten, Recursion::Spread]),
            average: position(&view.average(), Average::ALL),
            sort: match view.sort() {
                Sort::Column(column) => column_number(column),
                Sort::Name => BY_NAME,
                _ => 0,
            },
            is_sort_reversed: view.sort_reversed(),
            is_grouped: view.grouping(),
            is_idle_ranked: view.idle_ranked(),
            are_times_net: view.net_times(),
            min_share: view.min_share(),
        });
        // SAFETY: the caller's promise.
        unsafe { settings.write(now) };
        Ok(())
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `buffer` is NULL, or `size` bytes can be written there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_filter(buffer: *mut c_char, size: usize) -> usize {
    caught(0, || {
        let filter = with_view(|view| view.filter().to_owned());
        // SAFETY: the caller's promise.
        unsafe { copy_text(&filter, buffer, size) }
    })
}
