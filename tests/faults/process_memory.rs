//! Reads the process's memory sizes from /proc.

/// Returns the sizes of the address space and of resident memory, in bytes.
pub(crate) fn memory() -> (u64, u64) {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let mut pages = pages
        .split(' ')
        .map(|number| number.parse::<u64>().unwrap());
    (pages.next().unwrap() * 4096, pages.next().unwrap() * 4096)
}
