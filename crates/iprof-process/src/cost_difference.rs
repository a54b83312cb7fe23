//! Splits a time difference from a baseline into a part by count and a part by cost.
//!
//! In the baseline a zone took `t0` for `n0` calls; now it takes `t` for `n` calls. The difference has
//! two parts:
//!
//! * *by count*, `(n - n0) t0 / n0`: the cost of the additional calls at the baseline's cost per call;
//! * *by cost*, `(t / n - t0 / n0) n`: the change of the cost per call, for all calls of now.
//!
//! The two parts sum to `t - t0` exactly. If the baseline has neither calls nor time, the whole
//! difference is by count. A zone that is open when a frame begins takes time without a call; time
//! without a call, in either frame, cannot be caused by the count, so it is by cost.

/// Time and calls.
pub type Cost = (f64, f64);

/// The parts of the difference: by count and by cost.
pub fn split((time_before, calls_before): Cost, (time, calls): Cost) -> (f64, f64) {
    let by_count = if calls_before > 0.0 {
        (calls - calls_before) * (time_before / calls_before)
    } else if calls > 0.0 && time_before == 0.0 {
        time
    } else {
        0.0
    };
    (by_count, time - time_before - by_count)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::split;

    #[test]
    fn differences_are_split_by_count_and_by_cost() {
        // Twice the calls; twice the cost per call; both.
        assert_eq!(split((4.0, 2.0), (8.0, 4.0)), (4.0, 0.0));
        assert_eq!(split((4.0, 2.0), (8.0, 2.0)), (0.0, 4.0));
        assert_eq!(split((4.0, 2.0), (16.0, 4.0)), (4.0, 8.0));
        // Absent in the baseline; absent now.
        assert_eq!(split((0.0, 0.0), (5.0, 3.0)), (5.0, 0.0));
        assert_eq!(split((5.0, 3.0), (0.0, 0.0)), (-5.0, 0.0));
        // Open all the time; entered and left open; left open before and closed now; absent before,
        // open now.
        assert_eq!(split((5.0, 0.0), (7.0, 0.0)), (0.0, 2.0));
        assert_eq!(split((5.0, 1.0), (7.0, 0.0)), (-5.0, 7.0));
        assert_eq!(split((5.0, 0.0), (7.0, 1.0)), (0.0, 2.0));
        assert_eq!(split((0.0, 0.0), (7.0, 0.0)), (0.0, 7.0));
    }
}
