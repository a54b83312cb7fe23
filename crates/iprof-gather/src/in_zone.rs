//! Futures and streams polled inside a zone.

#![allow(unsafe_code)] // Pin projection.

use crate::Zone;
use crate::open_zone::ZoneToOpen;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Polls any future or stream inside a zone.
///
/// The zone is entered once per poll, on the polling thread. So its time never includes waiting, and its count is the
/// number of polls. The future may move between threads or be dropped before it completes; the time to drop it is
/// attributed to the zone in which it is dropped. For your own `async` functions, use the `instrument` attribute from
/// the `macros` feature. Streams require the `futures-core-0-3` feature.
///
/// ```
/// use iprof::InZone;
///
/// iprof::define_zone!(DOWNLOAD, "download");
///
/// async fn load(name: &str) -> String {
///     let bytes = download().in_zone(&DOWNLOAD).await;
///     // With a name that is known only at run time:
///     let zone = iprof::ZoneBuilder::new(name).build();
///     decode(bytes).in_zone(zone).await
/// }
/// # async fn download() -> Vec<u8> { vec![] }
/// # async fn decode(_: Vec<u8>) -> String { String::new() }
/// # drop(load("map"));
/// ```
pub trait InZone: Sized {
    /// Wraps the future or stream so that each poll runs in `zone`, which comes from
    /// [`define_zone!`](https://docs.rs/iprof/latest/iprof/macro.define_zone.html) or is a
    /// [`RunTimeZone`](crate::RunTimeZone). The overhead is one zone entry per poll, or nothing without the `enable`
    /// feature.
    fn in_zone(self, zone: impl Into<&'static Zone>) -> Zoned<Self> {
        Zoned {
            inner: self,
            zone: ZoneToOpen::new(zone.into()),
        }
    }
}

impl<T> InZone for T {}

/// A future or stream that is polled inside a zone, created by [`InZone::in_zone`].
#[derive(Clone, Debug)]
#[must_use = "futures and streams do nothing unless polled"]
pub struct Zoned<T> {
    /// Invariant: `inner` is pinned if the whole value is. It is reachable only through `pinned`, `Zoned` has no
    /// `Drop`, and `Zoned` is `Unpin` only if `T` is.
    inner: T,
    zone: ZoneToOpen,
}

impl<T> Zoned<T> {
    fn pinned(self: Pin<&mut Self>) -> Pin<&mut T> {
        // SAFETY: the invariant of `inner`.
        unsafe { self.map_unchecked_mut(|it| &mut it.inner) }
    }
}

impl<F: Future> Future for Zoned<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let _open = self.zone.open();
        self.pinned().poll(context)
    }
}

#[cfg(feature = "futures-core-0-3")]
impl<S: futures_core::Stream> futures_core::Stream for Zoned<S> {
    type Item = S::Item;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        let _open = self.zone.open();
        self.pinned().poll_next(context)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.inner.size_hint()
    }
}
