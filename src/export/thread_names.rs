//! Names of threads that tell them apart.

use super::name::one_line;
use crate::snapshot::Snapshot;
use std::borrow::Cow;
use std::collections::HashMap;

/// By thread: its name on [one line](one_line), and a number if several have it: `worker #2`. A thread that is
/// called like the GPU is `GPU (thread)`.
pub(super) fn distinct_thread_names(snapshot: &Snapshot) -> Vec<String> {
    let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
    let names = thread_names(snapshot);
    for name in &names {
        counts.entry(name.to_string()).or_default().0 += 1;
    }
    let mut number = |name: Cow<'_, str>| match counts.get_mut(&*name) {
        Some((2.., before)) => {
            *before += 1;
            format!("{name} #{before}")
        }
        _ => name.into_owned(),
    };
    names.into_iter().map(&mut number).collect()
}

/// By thread: its name on one line. Threads of the same name are not told apart, but from the GPU.
pub(super) fn thread_names(snapshot: &Snapshot) -> Vec<Cow<'_, str>> {
    let gpus: Vec<_> = snapshot
        .gpu_threads()
        .map(|gpu| one_line(&gpu.name))
        .collect();
    let names = snapshot.threads.iter().map(|thread| {
        let name = one_line(&thread.name);
        match !thread.is_gpu && gpus.contains(&name) {
            true => Cow::Owned(format!("{name} (thread)")),
            false => name,
        }
    });
    names.collect()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::SnapshotThread;

    #[test]
    fn threads_of_one_name_have_numbers_and_the_gpu_is_none_of_them() {
        let mut snapshot = Snapshot::default();
        for name in ["main", "worker", "GPU", " worker\n", "GPU", "", "GPU"] {
            snapshot.threads.push(SnapshotThread::new(name));
        }
        snapshot.threads[2].is_gpu = true;
        assert_eq!(
            distinct_thread_names(&snapshot),
            [
                "main",
                "worker #1",
                "GPU",
                "worker #2",
                "GPU (thread) #1",
                "(unnamed)",
                "GPU (thread) #2",
            ]
        );
        snapshot.threads[2].is_gpu = false;
        assert_eq!(thread_names(&snapshot)[2..5], ["GPU", "worker", "GPU"]);
    }
}
