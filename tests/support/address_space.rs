//! Whether a limit on the address space is enforced on this system.

#![allow(unreachable_pub, reason = "it would be `pub` in a crate of its own")]

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Whether this system limits the address space of a program that asks for it. QEMU's user mode does not:
/// it accepts the limit, and ignores it. A test that needs the limit is to be skipped, which one printed
/// line says.
pub fn can_be_limited() -> bool {
    let before = getrlimit(Resource::As);
    // More than any program takes.
    let now = before.current.unwrap_or(1 << 46) - 4096;
    let limit = Rlimit {
        current: Some(now),
        maximum: before.maximum,
    };
    setrlimit(Resource::As, limit).expect("a limit below the old one");
    let holds = getrlimit(Resource::As).current == Some(now);
    setrlimit(Resource::As, before).expect("the limit as it was");
    if !holds {
        println!("skipped: this system limits no address space");
    }
    holds
}
