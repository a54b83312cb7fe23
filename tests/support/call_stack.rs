//! As many call stacks as a test wants.

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
