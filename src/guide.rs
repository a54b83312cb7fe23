//! Longer reads, with pictures.
//!
//! * [Why was that frame slow?](slow_frame): from a bar that is too long to the line that made it so.
//! * [In programs that others wrote](hosts): the overlay in eframe, femtovg and miniquad.

// In the documentation a picture has to be part of the page: the first meaning of a name counts, so
// these come before the ones that the guides give their pictures for who reads them in the repository.

/// A frame that took too long, and how to find out why.
///
#[doc = include_str!("../docs/pictures/slow-frame-1.md")]
#[doc = include_str!("../docs/pictures/slow-frame-2.md")]
#[doc = include_str!("../docs/pictures/slow-frame-3.md")]
#[doc = include_str!("../docs/slow-frame.md")]
pub mod slow_frame {}

/// The overlay in the GL frame of a toolkit.
///
#[doc = include_str!("../docs/pictures/host-eframe.md")]
#[doc = include_str!("../docs/pictures/host-femtovg.md")]
#[doc = include_str!("../docs/pictures/host-miniquad.md")]
#[doc = include_str!("../docs/hosts.md")]
pub mod hosts {}
