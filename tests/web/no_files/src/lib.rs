//! Calls what a browser cannot do.

/// Writes a file where there are none.
pub fn save() {
    let _ = iprof::write_file("profile.html", &iprof::snapshot());
}
