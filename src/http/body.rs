//! Response bodies: written in chunks, each of which takes its memory from the shared budget, and sent with
//! a known length.
//!
//! A response is complete before its first byte is sent. So a slow client keeps no writer thread busy, and
//! a response that is too large or takes too long becomes a refusal with a status instead of a truncated
//! body. Responses that could be long are compressed, or linear in the number of the program's nodes.

use super::limits::{Limits, MEMORY_KIB, Share};
use super::refusal::Refusal;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, Write};
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Instant;

const CHUNK_KIB: u32 = 64;
const CHUNK: usize = (CHUNK_KIB as usize) << 10;
/// Time limit for writing a response.
const TIME: Duration = Duration::from_secs(30);
/// Number of bytes between two looks at the clock: most writes are single words.
const UNCHECKED: usize = 1 << 10;

/// A response that is being written, within [`TIME`].
#[derive(Debug)]
pub(super) struct Draft {
    limits: Arc<Limits>,
    /// Dead when the client has disconnected.
    client: Weak<()>,
    /// The part of the budget that writing the response takes.
    work_kib: u32,
    until: Instant,
    /// Number of bytes that may be written before the next check of the client and the clock.
    unchecked: usize,
    chunks: VecDeque<Vec<u8>>,
    shares: Vec<Share>,
    /// Why writing has failed.
    refusal: Option<Refusal>,
}

impl Draft {
    pub(super) fn new(limits: Arc<Limits>, client: Weak<()>, work_kib: u32) -> Draft {
        Draft {
            limits,
            client,
            work_kib,
            until: Instant::now() + TIME,
            unchecked: 0,
            chunks: VecDeque::new(),
            shares: Vec::new(),
            refusal: None,
        }
    }

    /// The body that `write` writes, with its shares of the memory budget.
    pub(super) fn fill(
        mut self,
        write: impl FnOnce(&mut Draft) -> io::Result<()>,
    ) -> Result<(Parts, Vec<Share>), Refusal> {
        match (write(&mut self), self.refusal) {
            (_, Some(refusal)) => Err(refusal),
            (Err(error), None) if error.kind() == io::ErrorKind::OutOfMemory => {
                Err(Refusal::OutOfMemory)
            }
            (Err(_), None) => Err(Refusal::Failed),
            (Ok(()), None) => Ok((Parts::new(self.chunks), self.shares)),
        }
    }

    /// The chunk to write to, with room left in it.
    fn chunk(&mut self) -> Result<&mut Vec<u8>, Refusal> {
        let is_full = |chunk: &Vec<u8>| chunk.len() == CHUNK;
        if self.chunks.back().is_none_or(is_full) {
            // Whoever else takes memory, this much is more than all there is.
            let all = self.work_kib as usize + (self.shares.len() + 1) * CHUNK_KIB as usize;
            if all > MEMORY_KIB as usize {
                return Err(Refusal::TooLong);
            }
            let share = self.limits.memory(CHUNK_KIB).ok_or(Refusal::NoMemory)?;
            let mut chunk = Vec::new();
            // Twice the size, since sending the chunk needs memory too.
            let has_memory = self.limits.can_allocate(2 * CHUNK);
            if !has_memory || chunk.try_reserve_exact(CHUNK).is_err() {
                return Err(Refusal::OutOfMemory);
            }
            self.shares.push(share);
            self.chunks.push_back(chunk);
        }
        self.chunks.back_mut().ok_or(Refusal::Failed)
    }

    fn add(&mut self, mut bytes: &[u8]) -> Result<(), Refusal> {
        if bytes.len() > self.unchecked {
            // A client that has disconnected does not see the reason.
            if self.client.strong_count() == 0 || Instant::now() >= self.until {
                return Err(Refusal::TooSlow);
            }
            self.unchecked = UNCHECKED;
        }
        self.unchecked = self.unchecked.saturating_sub(bytes.len());
        while !bytes.is_empty() {
            let chunk = self.chunk()?;
            let (now, later) = bytes.split_at(bytes.len().min(CHUNK - chunk.len()));
            chunk.extend_from_slice(now);
            bytes = later;
        }
        Ok(())
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.add(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(refusal) => {
                self.refusal = Some(refusal);
                Err(io::ErrorKind::Other.into())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A body: the parts that are still to be sent.
#[derive(Debug, Default)]
pub(super) struct Parts {
    parts: VecDeque<Bytes>,
    bytes: u64,
}

impl Parts {
    fn new(parts: impl IntoIterator<Item = Vec<u8>>) -> Parts {
        let parts: VecDeque<Bytes> = parts.into_iter().map(Bytes::from).collect();
        let bytes = parts.iter().map(|part| part.len() as u64).sum();
        Parts { parts, bytes }
    }

    /// The number of bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl From<Vec<u8>> for Parts {
    fn from(bytes: Vec<u8>) -> Parts {
        Parts::new([bytes])
    }
}

impl Body for Parts {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let part = self.parts.pop_front();
        self.bytes -= part.as_ref().map_or(0, |part| part.len() as u64);
        Poll::Ready(part.map(|part| Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.parts.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn write(draft: Draft, chunks: u32) -> Result<(Parts, Vec<Share>), Refusal> {
        let bytes = vec![b'x'; 1000];
        draft.fill(|out| {
            for _ in 0..u64::from(chunks) * CHUNK as u64 / 1000 {
                out.write_all(&bytes)?;
            }
            Ok(())
        })
    }

    #[test]
    fn responses_use_the_memory_budget_and_return_it() {
        let limits = Arc::new(Limits::new());
        let client = Arc::new(());
        let draft = || Draft::new(Arc::clone(&limits), Arc::downgrade(&client), 0);
        let (parts, shares) = write(draft(), 1000).unwrap();
        assert_eq!(parts.bytes(), 65_536_000);
        assert_eq!(shares.len(), 1000);
        let (_, more) = write(draft(), 1048).unwrap();
        assert_eq!(write(draft(), 1).unwrap_err(), Refusal::NoMemory);
        drop(more);
        assert!(write(draft(), 1).is_ok());
    }

    #[test]
    fn a_response_that_is_longer_than_all_memory_for_responses_is_no_matter_of_others() {
        let limits = Arc::new(Limits::new());
        let client = Arc::new(());
        let draft = |work| Draft::new(Arc::clone(&limits), Arc::downgrade(&client), work);
        assert_eq!(write(draft(0), 2049).unwrap_err(), Refusal::TooLong);
        assert!(write(draft(48 * CHUNK_KIB), 2000).is_ok());
        // Writing takes memory, too.
        let work = limits.memory(48 * CHUNK_KIB);
        assert_eq!(
            write(draft(48 * CHUNK_KIB), 2001).unwrap_err(),
            Refusal::TooLong
        );
        drop(work);
        let _other = limits.memory(CHUNK_KIB);
        assert_eq!(write(draft(0), 2048).unwrap_err(), Refusal::NoMemory);
    }

    #[test]
    fn nothing_is_written_for_a_disconnected_client() {
        let limits = Arc::new(Limits::new());
        let draft = Draft::new(limits, Weak::new(), 0);
        assert!(write(draft, 1).is_err());
    }

    #[test]
    fn a_client_that_disconnects_or_a_deadline_that_passes_is_noticed_within_a_kib() {
        for passes in [true, false] {
            let client = Arc::new(());
            let draft = Draft::new(Arc::new(Limits::new()), Arc::downgrade(&client), 0);
            let mut client = Some(client);
            let result = draft.fill(|out| {
                out.write_all(&[b'x'; 100])?;
                if passes {
                    out.until = Instant::now();
                } else {
                    client = None;
                }
                let word = || out.write_all(b"word");
                assert!(std::iter::repeat_with(word).take(256).any(|it| it.is_err()));
                Ok(())
            });
            assert_eq!(result.unwrap_err(), Refusal::TooSlow);
        }
    }
}
