//! The positions of the bits that are set.

/// From the lowest to the highest.
#[inline(always)]
pub fn positions(bits: u64) -> impl Iterator<Item = usize> {
    let mut left = bits;
    std::iter::from_fn(move || {
        let at = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(at)
    })
}
