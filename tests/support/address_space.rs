//! Limits on the address space.

#![allow(unreachable_pub, reason = "it would be `pub` in a crate of its own")]

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Whether this system enforces a limit on a program's address space. If not, prints that the test is skipped. QEMU's
/// user mode accepts the limit but ignores it.
pub fn can_be_limited() -> bool {
    let before = getrlimit(Resource::As);
    // More than any program uses.
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
