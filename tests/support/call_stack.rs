//! Functions that enter any number of distinct call stacks.

#![allow(dead_code, reason = "each test program uses only part of this module")]

/// Enters the call stack that is described by the lowest `height` bits of `path`.
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

/// Enters each of `2 << levels` call stacks once: each of two zones calls itself and the other zone.
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
