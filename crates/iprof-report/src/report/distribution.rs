//! The distribution of a row's times per frame, for its tooltip.

use super::Row;

/// How many ranges of times are counted.
pub const BINS: usize = 32;

/// See the module's comment.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// The row with the columns of times per frame.
    pub row: Row,
    /// How many frames have a time in each of so many equal ranges from 0 to `most`; the last one includes `most`.
    pub bins: [u32; BINS],
    /// In milliseconds.
    pub most: f64,
    pub frames: usize,
}

impl Distribution {
    /// That of some times in milliseconds; none if all are 0.
    pub fn new(row: Row, times: impl Iterator<Item = f64> + Clone) -> Option<Distribution> {
        let most = times.clone().fold(0.0, f64::max);
        let mut bins = [0; BINS];
        for time in times.clone() {
            // A float is clamped when it becomes an integer, and NaN becomes 0.
            let bin = (time / most * BINS as f64) as usize;
            bins[bin.min(BINS - 1)] += 1;
        }
        (most > 0.0).then(|| Distribution {
            row,
            bins,
            most,
            frames: times.count(),
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_time_is_in_the_bin_of_its_range() {
        let of = |times: &[f64]| Distribution::new(Row::default(), times.iter().copied());
        let of_three = of(&[0.0, 16.0, 32.0, 0.999, 1.0]).unwrap();
        let mut wanted = [0; BINS];
        (wanted[0], wanted[1], wanted[16], wanted[31]) = (2, 1, 1, 1);
        assert_eq!((of_three.bins, of_three.most), (wanted, 32.0));
        assert_eq!(of_three.frames, 5);
        assert_eq!(of(&[0.0, 0.0]), None);
        assert_eq!(of(&[]), None);
    }
}
