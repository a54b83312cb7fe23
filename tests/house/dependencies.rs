//! Tests of dependencies: which files name `glow` and `winit`, and which features bring a dependency.

use super::{code, sources};
use std::fs;
use std::path::Path;

#[test]
fn few_files_say_which_glow_and_the_others_take_what_they_are_given() {
    let mut naming = Vec::new();
    for (file, text) in sources() {
        for line in code(&text) {
            assert!(!line.contains("use glow::"), "{file}: {line}");
        }
        let names_one = |line: &str| {
            // What a file is given is no choice.
            let line = line.replace("super::glow", "");
            line.contains(" ::glow::") || line.contains("use ::glow")
        };
        if code(&text).any(names_one) {
            naming.push(file.clone());
        }
    }
    let versions = ["gl", "gpu"]
        .map(|room| ["0_17", "0_18"].map(|version| format!("src/{room}/glow_{version}.rs")));
    let mut expected = versions.concat();
    // Which contexts an overlay can be made for.
    expected.push("src/gl/overlay.rs".into());
    expected.sort();
    assert_eq!(naming, expected);
}

#[test]
fn without_gl_there_is_no_dependency() {
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    let manifest = manifest.unwrap();
    let (_, rest) = manifest.split_once("\n[dependencies]\n").unwrap();
    let dependencies = rest.split("\n[").next().unwrap();
    for line in dependencies.lines().filter(|line| line.contains('=')) {
        assert!(line.contains("optional = true"), "{line}");
    }
}

/// A crate of the host's whose events one room reads: its name, that in code, the feature, and the room.
const EVENTS: [(&str, &str, &str, &str); 2] = [
    ("winit", "winit", "winit-0-30", "src/winit.rs"),
    ("web-sys", "web_sys", "web-sys-0-3", "src/web.rs"),
];

#[test]
fn only_its_feature_brings_a_crate_of_events_and_only_its_room_knows_of_it() {
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    let manifest = manifest.unwrap();
    let (_, rest) = manifest.split_once("\n[features]\n").unwrap();
    let features = rest.split("\n[").next().unwrap();
    let is_code = |line: &&str| !line.starts_with('#');
    for (name, in_code, feature, room) in EVENTS {
        let naming = features
            .lines()
            .filter(is_code)
            .filter(|line| line.contains(name));
        let naming: Vec<&str> = naming.collect();
        let brings = format!("{feature} = [\"dep:{name}\", \"overlay\"]");
        assert_eq!(naming, [brings]);
        let mut users = Vec::new();
        for (file, text) in sources() {
            if text.contains(&format!("use ::{in_code}::")) {
                users.push(file.clone());
            }
            let names_it = code(&text).any(|line| line.contains(in_code));
            assert!(
                !names_it || ["src/lib.rs", room].contains(&&*file),
                "{file}"
            );
        }
        assert_eq!(users, [room]);
    }
}
