//! Reads the processor time that the calling thread has used so far, as the system accounts for it;
//! the sampler measures its own cost by it. Most of a sampler's time is not taking samples but
//! falling asleep and waking up between them.

/// In nanoseconds; `None` where the system does not say, or without the feature `files`, which has the crate that asks it.
#[cfg(all(
    feature = "files",
    unix,
    not(any(
        target_os = "illumos",
        target_os = "netbsd",
        target_os = "redox",
        target_os = "solaris"
    ))
))]
pub(super) fn own_ns() -> Option<u64> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, ns) = (u64::try_from(time.tv_sec).ok()?, time.tv_nsec as u64);
    Some(seconds * 1_000_000_000 + ns)
}

#[cfg(not(all(
    feature = "files",
    unix,
    not(any(
        target_os = "illumos",
        target_os = "netbsd",
        target_os = "redox",
        target_os = "solaris"
    ))
)))]
pub(super) fn own_ns() -> Option<u64> {
    None
}
