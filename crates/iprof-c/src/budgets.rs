//! Budgets of zones, and how often these and the frame budget were missed.

use crate::border::{Error, NOT_FOUND, NULL, VALUE, caught, code_of, text};
use crate::recording::copy_text;
use iprof::ZoneBudget;
use std::ffi::{c_char, c_double, c_int};
use std::time::Duration;

/// The `iprof_budget` of the header.
#[derive(Debug)]
#[repr(C)]
pub struct CBudget {
    limit_ms: c_double,
    frames: u64,
    misses: u64,
}

impl CBudget {
    pub(crate) fn new(budget: ZoneBudget) -> CBudget {
        CBudget {
            limit_ms: budget.limit.as_secs_f64() * 1e3,
            frames: budget.frames,
            misses: budget.misses,
        }
    }
}

/// Writes a budget to where C wants it.
///
/// # Safety
///
/// `to` is NULL or can be written to.
unsafe fn write(to: *mut CBudget, budget: ZoneBudget) -> Result<(), Error> {
    if to.is_null() {
        return Err(Error::new(NULL, "the budget is NULL"));
    }
    // SAFETY: the caller's promise.
    unsafe { to.write(CBudget::new(budget)) };
    Ok(())
}

/// See `iprof.h`.
///
/// # Safety
///
/// `name` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_set_zone_budget(name: *const c_char, ms: c_double) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let name = unsafe { text(name, "name of the zone") }?;
        let budget = Duration::try_from_secs_f64(ms / 1e3).map_err(|_| {
            Error(
                VALUE,
                format!("a zone budget of {ms} ms; expected 0 or a positive number"),
            )
        })?;
        iprof::set_zone_budget(&name, (ms > 0.0).then_some(budget));
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_zone_budget_count() -> usize {
    caught(0, || iprof::zone_budgets().len())
}

/// See `iprof.h`.
///
/// # Safety
///
/// `buffer` is NULL, or `size` bytes can be written there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_zone_budget_name(
    at: usize,
    buffer: *mut c_char,
    size: usize,
) -> usize {
    caught(0, || {
        let budgets = iprof::zone_budgets();
        let name = budgets.get(at).map_or("", |(name, _)| name);
        // SAFETY: the caller's promise.
        unsafe { copy_text(name, buffer, size) }
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `budget` is NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_zone_budget(at: usize, budget: *mut CBudget) -> c_int {
    code_of(|| {
        let budgets = iprof::zone_budgets();
        let (_, found) = budgets.get(at).ok_or_else(|| {
            Error(
                NOT_FOUND,
                format!("there is no budget {at}: {} zones have one", budgets.len()),
            )
        })?;
        // SAFETY: the caller's promise.
        unsafe { write(budget, *found) }
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `budget` is NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_missed_frames(budget: *mut CBudget) -> c_int {
    // SAFETY: the caller's promise.
    code_of(|| unsafe { write(budget, iprof::missed_frames()) })
}
