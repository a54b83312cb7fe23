//! Calls a function that does not exist in a browser.

/// Tries to write a file, which a page cannot do.
pub fn save() {
    let _ = iprof::write_file("profile.html", &iprof::snapshot());
}
