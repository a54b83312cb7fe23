//! An answer's bytes: written in chunks, each of which takes its memory from what all clients may have,
//! and sent as a body whose length is known.
//!
//! An answer is complete before its first byte is sent. So a slow client keeps no writer busy, and what
//! does not fit or takes too long is refused with a status instead of ending in the middle. What
//! could be long is compressed or linear in the program's nodes.

use super::limits::{Limits, Share};
use super::refusal::Refusal;
use crate::memory::can_allocate;
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
/// How long an answer may take to be made.
const TIME: Duration = Duration::from_secs(30);

/// What is written so far, by a writer that may take no longer than [`TIME`].
#[derive(Debug)]
pub(super) struct Draft {
    limits: Arc<Limits>,
    /// Gone with the client.
    client: Weak<()>,
    until: Instant,
    chunks: VecDeque<Vec<u8>>,
    shares: Vec<Share>,
    /// Why nothing more is taken.
    refusal: Option<Refusal>,
}

impl Draft {
    pub(super) fn new(limits: Arc<Limits>, client: Weak<()>) -> Draft {
        Draft {
            limits,
            client,
            until: Instant::now() + TIME,
            chunks: VecDeque::new(),
            shares: Vec::new(),
            refusal: None,
        }
    }

    /// What `write` writes, with the memory that it takes.
    pub(super) fn fill(
        mut self,
        write: impl FnOnce(&mut Draft) -> io::Result<()>,
    ) -> Result<(Parts, Vec<Share>), Refusal> {
        match (write(&mut self), self.refusal) {
            (_, Some(refusal)) => Err(refusal),
            (Err(_), None) => Err(Refusal::Failed),
            (Ok(()), None) => Ok((Parts::new(self.chunks), self.shares)),
        }
    }

    /// The chunk to write to, which has room.
    fn chunk(&mut self) -> Result<&mut Vec<u8>, Refusal> {
        let is_full = |chunk: &Vec<u8>| chunk.len() == CHUNK;
        if self.chunks.back().is_none_or(is_full) {
            let share = self.limits.memory(CHUNK_KIB).ok_or(Refusal::NoMemory)?;
            let mut chunk = Vec::new();
            // Twice as much: whoever sends it needs some, too.
            if !can_allocate(2 * CHUNK) || chunk.try_reserve_exact(CHUNK).is_err() {
                return Err(Refusal::OutOfMemory);
            }
            self.shares.push(share);
            self.chunks.push_back(chunk);
        }
        self.chunks.back_mut().ok_or(Refusal::Failed)
    }

    fn add(&mut self, mut bytes: &[u8]) -> Result<(), Refusal> {
        // Who is gone needs no reason.
        if self.client.strong_count() == 0 || Instant::now() >= self.until {
            return Err(Refusal::TooSlow);
        }
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

/// A body: what is still to be sent.
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

    /// How many bytes.
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

#[cfg(test)]
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
    fn answers_take_memory_until_there_is_none_and_give_it_back() {
        let limits = Arc::new(Limits::new());
        let client = Arc::new(());
        let draft = || Draft::new(Arc::clone(&limits), Arc::downgrade(&client));
        let (parts, shares) = write(draft(), 1000).unwrap();
        assert_eq!(parts.bytes(), 65_536_000);
        assert_eq!(shares.len(), 1000);
        let (_, more) = write(draft(), 1048).unwrap();
        assert_eq!(write(draft(), 1).unwrap_err(), Refusal::NoMemory);
        drop(more);
        assert!(write(draft(), 1).is_ok());
    }

    #[test]
    fn a_client_that_has_gone_is_not_written_for() {
        let limits = Arc::new(Limits::new());
        let draft = Draft::new(limits, Weak::new());
        assert!(write(draft, 1).is_err());
    }
}
