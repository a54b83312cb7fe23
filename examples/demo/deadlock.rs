//! A deadlock, which `IPROF_STALL` can find: two threads that each hold the lock that the other is waiting for.

use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};
use std::thread;

#[derive(Debug)]
struct Shared {
    scene: Mutex<()>,
    file: Mutex<()>,
    /// The barrier at which both threads wait after taking their first lock, so that the deadlock always happens.
    both: Barrier,
}

/// Loads a scene while a second thread saves it. Returns only if that thread cannot be started.
pub(crate) fn load_while_saving() {
    iprof::zone!(load);
    let shared = Arc::new(Shared {
        scene: Mutex::new(()),
        file: Mutex::new(()),
        both: Barrier::new(2),
    });
    let of_other = shared.clone();
    let save = move || {
        iprof::zone!(save);
        let _file = lock(&of_other.file);
        of_other.both.wait();
        iprof::zone!(wait_for_scene);
        drop(lock(&of_other.scene));
    };
    if thread::Builder::new()
        .name("autosave".into())
        .spawn(save)
        .is_err()
    {
        return;
    }
    let _scene = lock(&shared.scene);
    shared.both.wait();
    iprof::zone!(wait_for_file);
    drop(lock(&shared.file));
}

fn lock(mutex: &Mutex<()>) -> MutexGuard<'_, ()> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
