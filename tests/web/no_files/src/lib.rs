//! Calls a function that does not exist in a browser.

/// Writes a file, although pages have no files.
pub fn save() {
    let _ = iprof::write_file("profile.html", &iprof::snapshot());
}
