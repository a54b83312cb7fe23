//! Fuzz target: the path, the query and the headers of HTTP requests.

use hyper::Request;

/// Reads the input as the head of a request, without its version, and asks the endpoint which page that is.
///
/// # Panics
///
/// If reading the request panics, or the request asks for a profile of a duration that is not allowed.
pub fn http(input: &[u8]) {
    let mut lines = input.split(|byte| *byte == b'\n');
    let target = lines
        .next()
        .and_then(|line| line.split(|byte| *byte == b' ').nth(1));
    let mut request = Request::builder().uri(target.unwrap_or_default());
    for line in lines {
        let line = line.trim_ascii();
        if let Some(colon) = line.iter().position(|byte| *byte == b':') {
            request = request.header(&line[..colon], line[colon + 1..].trim_ascii());
        }
    }
    let Ok(request) = request.body(()) else {
        return;
    };
    if let Some(seconds) = crate::http::profile_seconds(&request) {
        assert!((0.1..=3600.0).contains(&seconds), "{seconds}");
    }
}
