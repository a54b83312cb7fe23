//! The threads of the program, as users see them.

use crate::order::{arrange, by_key};
use crate::process::frame::profiler::Profiler;
use crate::process::frame::thread::Thread;
use crate::threads::{self, ThreadId, ThreadInfo};

/// The threads that have recorded something, in the order of their first recording.
pub(super) fn thread_infos(profiler: &Profiler) -> Vec<ThreadInfo> {
    let info = |(at, thread): (usize, &Thread)| ThreadInfo {
        id: ThreadId(at as u32),
        name: thread.name(),
        running: !profiler.has_ended(at),
    };
    let threads = profiler.threads().iter().enumerate();
    let threads = threads.filter(|(_, thread)| !thread.is_gone());
    threads.map(info).collect()
}

/// The same as [`thread_infos`] in the order in which people look for them: the frame's thread, the others by name, the
/// GPU.
pub(super) fn threads_in_order(profiler: &Profiler) -> Vec<ThreadInfo> {
    let mut threads = thread_infos(profiler);
    let rank = |thread: &ThreadInfo| {
        let id = thread.id.0;
        2 * u64::from(profiler.is_gpu(id)) + u64::from(id != profiler.frame_thread())
    };
    let ranks = threads.iter().map(rank);
    let by_name = |a: usize, b: usize| threads::natural_order(&threads[a].name, &threads[b].name);
    let order = by_key(ranks, &by_name);
    arrange(&mut threads, order.into_iter());
    threads
}
