//! speedscope's own page imports the files, in a browser.

use crate::html::page;
use crate::program::{Folder, missing, readers};
use crate::recorded::{empty, names, odd_names, random};
use iprof::Snapshot;

/// What speedscope's page is once it has loaded a file as its command line tool has it do, with the
/// table of all zones.
fn import(snapshot: &Snapshot, folder: &Folder) -> Option<String> {
    let release = readers().join("node_modules/speedscope/dist/release/index.html");
    if !release.exists() {
        missing("there is no speedscope");
        return None;
    }
    let mut out = Vec::new();
    snapshot.write_speedscope(&mut out).unwrap();
    let bytes: Vec<String> = out.iter().map(u8::to_string).collect();
    // `btoa` takes characters for bytes.
    let script = format!(
        "const bytes = new Uint8Array([{}]);
         let text = ''; for (const byte of bytes) text += String.fromCharCode(byte);
         window.speedscope.loadFileFromBase64('a.speedscope.json', btoa(text));",
        bytes.join(",")
    );
    let script = folder.file("load.js", script.as_bytes());
    let path = script.display().to_string();
    let url = format!(
        "file://{}#view=sandwich&localProfilePath={}",
        release.display(),
        path.trim_start_matches('/')
    );
    page(&url, folder)
}

#[test]
fn speedscope_shows_every_zone_with_its_time() {
    let folder = Folder::new("speedscope");
    let Some(page) = import(&random(&names(20), 600), &folder) else {
        return;
    };
    std::fs::write("/tmp/w/speed.html", &page).unwrap();
    panic!("look");
}
