//! The threads that have recorded something, and the choice of those that a view shows.

/// Which threads a view shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Threads {
    /// All threads, summed zone by zone, except the GPU, which runs in parallel with them
    /// ([`gpu_zone!`](crate::gpu_zone!)): it has a column of its own, and a report of its own as a
    /// thread.
    #[default]
    All,
    /// One thread. If there is no such thread, the report is empty. If other threads have the same
    /// name, titles number it: `worker #2` is the second one seen.
    One(ThreadId),
    /// The thread group of that thread: all threads with its name, summed zone by zone; the workers of
    /// a pool, say. Names are compared when the report is built, so the group follows
    /// [`set_thread_name`](crate::set_thread_name). If there is no such thread, the report is empty.
    ///
    /// The graph shows the frames of that thread alone, as for `One`, so that a bar is a frame.
    Group(ThreadId),
}

/// The identity of a thread that has recorded something. [`threads`](crate::threads) lists them.
///
/// A thread that begins after another of the same name has ended gets the ended thread's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub(crate) u32);

/// A thread that has recorded something, for [`View::set_threads`](crate::View::set_threads).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ThreadInfo {
    /// Its identity, as long as the program runs.
    pub id: ThreadId,
    /// Its name in reports.
    pub name: String,
    /// Whether the thread is running. The counts of an ended thread stay until [`reset`](crate::reset).
    /// The GPU is a thread here once a [GPU zone](crate::gpu_zone!) was measured, and is always
    /// running.
    pub running: bool,
}
