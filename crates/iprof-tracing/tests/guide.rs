//! Tests that the guide contains the example program, and that the program's report contains the zones that the guide
//! mentions.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn guide_program_reports_its_spans() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = fs::read_to_string(package.join("examples/guide.rs")).unwrap();
    let guide = fs::read_to_string(package.join("../../docs/tracing.md")).unwrap();
    let block = format!("```rust,ignore\n{program}```\n");
    assert!(guide.replace("\r\n", "\n").contains(&block), "{program}");
    // The build folder is the parent of this test's folder.
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(Path::parent).unwrap();
    let example = built
        .join("examples/guide")
        .with_extension(std::env::consts::EXE_EXTENSION);
    let output = Command::new(example).output().unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    for zone in ["step", "system::gravity", "system::collisions", "your_own"] {
        assert!(report.contains(zone), "{zone}: {report}");
    }
}
