//! Enters any number of distinct call stacks.

#![allow(dead_code, reason = "each test program uses a part of it")]

/// Enters the stack that the lowest `height` bits of `path` say.
pub(crate) fn enter(path: u32, height: u32) {
    if height == 0 {
        return;
    }
    if path & 1 == 0 {
        iprof::zone!(zero);
        enter(path >> 1, height - 1);
    } else {
        iprof::zone!(one);
        enter(path >> 1, height - 1);
    }
}

/// Levels of two zones that call each other and themselves, each node once: `2 << levels` call stacks.
pub(crate) fn bushy(levels: u32) {
    if levels > 0 {
        {
            iprof::zone!(left);
            bushy(levels - 1);
        }
        iprof::zone!(right);
        bushy(levels - 1);
    }
}
