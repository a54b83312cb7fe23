//! Computes the median of several times.

/// Sorts the values in ascending order, and returns the one in the middle.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
