//! The median of times.

/// The value in the middle. Sorts them: the smallest is then the first.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
