//! The threads of the program, as users see them.

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
        (profiler.is_gpu(id), id != profiler.frame_thread())
    };
    threads.sort_by(|a, b| {
        let by_name = || threads::natural_order(&a.name, &b.name);
        rank(a).cmp(&rank(b)).then_with(by_name)
    });
    threads
}
