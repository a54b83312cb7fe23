//! Why a frame took longer than another: row by row, more calls or dearer ones.
//!
//! A row took `t0` for `n0` calls and takes `t` for `n`. The difference is split into
//!
//! * *more calls*, `(n - n0) t0 / n0`: what the calls in excess would cost if calls cost what they
//!   did;
//! * *dearer calls*, `(t / n - t0 / n0) n`: what the calls that there are cost more than they did.
//!
//! The two sum to `t - t0` exactly. Where there were no calls and no time, all of it is more calls.
//! A zone that was open already needs no call to take time: what it takes without one, in either
//! frame, cannot be called more calls, so it is dearer.

/// Time and calls.
pub(super) type Cost = (f64, f64);

/// What more calls and what dearer calls make of the difference.
pub(super) fn split((time_before, calls_before): Cost, (time, calls): Cost) -> (f64, f64) {
    let more = if calls_before > 0.0 {
        (calls - calls_before) * (time_before / calls_before)
    } else if calls > 0.0 && time_before == 0.0 {
        time
    } else {
        0.0
    };
    (more, time - time_before - more)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn the_parts_are_what_they_say() {
        // Twice the calls; calls twice as dear; both.
        assert_eq!(split((4.0, 2.0), (8.0, 4.0)), (4.0, 0.0));
        assert_eq!(split((4.0, 2.0), (8.0, 2.0)), (0.0, 4.0));
        assert_eq!(split((4.0, 2.0), (16.0, 4.0)), (4.0, 8.0));
        // It was not there; it is not there any more.
        assert_eq!(split((0.0, 0.0), (5.0, 3.0)), (5.0, 0.0));
        assert_eq!(split((5.0, 3.0), (0.0, 0.0)), (-5.0, 0.0));
        // It was open all the time; it was opened and stays open; it was left open and has closed.
        assert_eq!(split((5.0, 0.0), (7.0, 0.0)), (0.0, 2.0));
        assert_eq!(split((5.0, 1.0), (7.0, 0.0)), (-5.0, 7.0));
        assert_eq!(split((5.0, 0.0), (7.0, 1.0)), (0.0, 2.0));
        assert_eq!(split((0.0, 0.0), (7.0, 0.0)), (0.0, 7.0));
    }
}
