//! Takes the program of the guide to hosts, docs/hosts.md, out of its section `eframe`, so that it is compiled as
//! `examples/guide.rs`.

use std::path::Path;
use std::{env, fs};

const GUIDE: &str = "../../../docs/hosts.md";

fn main() {
    println!("cargo::rerun-if-changed={GUIDE}");
    let guide = fs::read_to_string(GUIDE).expect("the guide to hosts");
    let program = guide
        .split_once("\n## eframe\n")
        .and_then(|(_, section)| section.split_once("\n```rust,ignore\n"))
        .and_then(|(_, program)| program.split_once("\n```"));
    let (program, _) = program.expect("a program in the section on eframe");
    let folder = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&folder).join("guide.rs"), program).expect("a file for the program");
}
