//! Replays the fuzzer's corpus without the fuzzer.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the inputs sorted by name. The list is empty in a published package, because it doesn't include the corpus.
fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("tests/fuzz/corpus").join(target);
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: {} does not exist", folder.display());
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    let read = |path: PathBuf| (path.clone(), fs::read(path).unwrap());
    paths.into_iter().map(read).collect()
}

fn replay(target: &str, run: fn(&[u8])) {
    for (path, input) in corpus(target) {
        println!("{}", path.display());
        run(&input);
    }
}

/// The `calls` target changes what the whole process records, so this test runs `calls_in_this_process` in a child
/// process.
#[cfg_attr(miri, ignore = "starts a process")]
#[test]
fn calls_on_several_threads_are_recorded_exactly() {
    use std::process::Command;
    let own = std::env::current_exe().unwrap();
    // Under an emulator, cargo's runner variable names the program that runs the tests.
    let arch = std::env::consts::ARCH.to_uppercase();
    let runner = std::env::var(format!("CARGO_TARGET_{arch}_UNKNOWN_LINUX_GNU_RUNNER"));
    let runner = runner.ok().filter(|_| cfg!(target_os = "linux"));
    let mut words = runner.iter().flat_map(|runner| runner.split_whitespace());
    let mut child = match words.next() {
        Some(emulator) => {
            let mut child = Command::new(emulator);
            child.args(words).arg(own);
            child
        }
        None => Command::new(own),
    };
    child.args(["--exact", "fuzz::replay::calls_in_this_process"]);
    child.env(OWN_PROCESS, "1");
    let output = child.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("1 passed"), "{text}");
}

/// The environment variable that marks the child process.
const OWN_PROCESS: &str = "IPROF_REPLAYS_CALLS";

/// Does nothing unless `calls_on_several_threads_are_recorded_exactly` started this process.
#[test]
fn calls_in_this_process() {
    if std::env::var_os(OWN_PROCESS).is_some() {
        replay("calls", super::calls);
    }
}

#[cfg(feature = "overlay")]
#[cfg_attr(miri, ignore = "reads files")]
#[test]
fn fonts_load_or_are_rejected() {
    replay("font", super::font);
}

#[cfg(feature = "overlay")]
#[cfg_attr(miri, ignore = "reads files")]
#[test]
fn reports_and_graphs_are_drawn_within_their_bounds() {
    replay("draw", super::draw);
}
