//! The base of the session's bands: that of most of the newest frames, for which
//! [nothing is added](super::session_sums).

/// By how many frames another band has to lead all others to become the base, and the lead that is remembered at most. A
/// change of the base costs as much as adding some frames to a band.
const LEAD: u32 = 16;

/// See the module's comment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BaseBand {
    base: usize,
    /// The band of more frames than all others together, if there is one, by the vote of Boyer and Moore.
    most: usize,
    lead: u32,
}

impl BaseBand {
    pub(crate) fn get(&self) -> usize {
        self.base
    }

    /// Counts a frame of a band. Returns the base before if it is another one now.
    pub(crate) fn count(&mut self, band: usize) -> Option<usize> {
        if band == self.most {
            self.lead = (self.lead + 1).min(LEAD);
        } else if self.lead == 0 {
            (self.most, self.lead) = (band, 1);
        } else {
            self.lead -= 1;
        }
        let changes = self.lead == LEAD && self.most != self.base;
        changes.then(|| std::mem::replace(&mut self.base, self.most))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_base_follows_the_band_of_most_frames_and_not_a_few_of_another() {
        let mut base = BaseBand::default();
        let mut changes = 0;
        let mut count = |bands: &[usize], times: usize| {
            for _ in 0..times {
                for band in bands {
                    changes += usize::from(base.count(*band).is_some());
                }
            }
            (base.get(), changes)
        };
        assert_eq!(count(&[3], LEAD as usize - 1), (0, 0));
        assert_eq!(count(&[3], 1), (3, 1));
        // Hitches, and lengths about a limit.
        assert_eq!(count(&[3, 3, 7, 3, 6], 1_000), (3, 1));
        assert_eq!(count(&[3, 4], 1_000), (3, 1));
        // However long it was another one.
        assert_eq!(count(&[2], 2 * LEAD as usize), (2, 2));
        assert_eq!(count(&[1, 1, 2], 3 * 2 * LEAD as usize), (1, 3));
    }
}
