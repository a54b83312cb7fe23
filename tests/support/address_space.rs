//! Checks whether the address space can be limited.

#![allow(
    unreachable_pub,
    reason = "these items would be public in a separate crate"
)]

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Returns whether this system enforces an address space limit. If not, prints that the test is skipped. QEMU's user
/// mode accepts the limit but ignores it.
pub fn can_be_limited() -> bool {
    let before = getrlimit(Resource::As);
    // If there is no limit, the test sets a limit that is larger than any program needs.
    let now = before.current.unwrap_or(1 << 46) - 4096;
    let limit = Rlimit {
        current: Some(now),
        maximum: before.maximum,
    };
    setrlimit(Resource::As, limit).expect("failed to lower the limit");
    let holds = getrlimit(Resource::As).current == Some(now);
    setrlimit(Resource::As, before).expect("failed to restore the limit");
    if !holds {
        println!("skipped: this system limits no address space");
    }
    holds
}
