//! Follows the guide, starting in an empty folder: creates its files, runs its commands and starts its server.

use crate::browser::Browser;
use crate::minimal_page;
use crate::tests::{self, Outcome};
use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit for the server to respond.
const DEADLINE: Duration = Duration::from_secs(20);

/// Runs the test and returns its outcome. Programs installed by the guide's commands are placed in `installed`.
pub(crate) fn run(installed: &Path) -> Outcome {
    tests::run("guide_commands_build_the_page", || {
        guide_commands_build_the_page(installed);
    })
}

/// A temporary folder. Inside the repository, `cargo new` would add the package to the repository's workspace.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let name = format!("iprof-guide-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).expect("failed to create the folder");
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // The server may have exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    fs::canonicalize(root).expect("failed to find the repository")
}

/// Returns the text between two markers.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(begin).expect(begin);
    rest.split_once(end).expect(end).0
}

/// Returns a command that runs a line in a shell, in the reader's folder, with a separate target folder.
fn shell(line: &str, folder: &Path, installed: &Path) -> Command {
    let mut path = installed.join("bin").into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut shell = Command::new("bash");
    shell.args(["-c", line]).current_dir(folder);
    shell.env_remove("CARGO_TARGET_DIR").env("PATH", path);
    // The `installed` folder replaces the reader's ~/.cargo/bin.
    shell.env("CARGO_INSTALL_ROOT", installed);
    shell
}

fn run_line(line: &str, folder: &Path, installed: &Path) {
    println!("+ {line}");
    let status = shell(line, folder, installed)
        .status()
        .expect("failed to run bash");
    assert!(status.success(), "{line}: {status}");
}

fn guide_commands_build_the_page(installed: &Path) {
    let folder = Folder::new();
    let read = |path: &str| {
        let text = fs::read_to_string(root().join(path)).expect(path);
        text.replace("\r\n", "\n")
    };
    let guide = read("docs/hosts/web-page.md");
    let block = |kind: &str| between(&guide, &format!("\n```{kind}\n"), "```");
    let new = format!("cargo new{}", between(&guide, "`cargo new", "`"));
    run_line(&new, &folder.0, installed);
    let package = folder.0.join("minimal");

    // Replace the end of the manifest with the guide's lines.
    let manifest =
        fs::read_to_string(package.join("Cargo.toml")).expect("failed to access the manifest");
    let manifest = manifest.trim_end().strip_suffix("[dependencies]");
    let manifest = manifest.expect("the manifest should end with an empty list of dependencies");
    let patch = "[patch.crates-io]\niprof = ";
    let checkout = between(&read("docs/hosts.md"), patch, "\n")
        .replace("../iprof", &root().display().to_string());
    let manifest = format!("{manifest}{}\n{patch}{checkout}\n", block("toml"));
    fs::write(package.join("Cargo.toml"), manifest).expect("failed to access the manifest");
    fs::write(package.join("src/lib.rs"), block("rust,ignore"))
        .expect("failed to write the program");
    fs::write(package.join("index.html"), block("html")).expect("failed to write the page");
    // The lock file pins the versions with which the other pages are tested.
    let lock = root().join("tests/web/Cargo.lock");
    fs::copy(lock, package.join("Cargo.lock")).expect("failed to copy the lock file");

    let lines: Vec<&str> = block("sh").lines().collect();
    let (serve, lines) = lines.split_last().expect("the guide has no commands");
    assert_eq!(lines.len(), 4, "{lines:?}");
    for line in lines {
        run_line(line, &package, installed);
    }
    let url = format!(
        "http://localhost:{}",
        between(&guide, "`http://localhost:", "`")
    );
    let port = url.rsplit(':').next().expect("the URL has no port");
    assert!(serve.ends_with(port), "{serve} does not serve {url}");
    let is_listening = || TcpStream::connect(format!("localhost:{port}")).is_ok();
    assert!(
        !is_listening(),
        "port {port}, which the guide's page needs, is in use"
    );
    println!("+ {serve}");
    // `exec` replaces the shell with the server, so that killing the child process ends the server.
    let server = shell(&format!("exec {serve}"), &package, installed).spawn();
    let _server = Server(server.expect("failed to run bash"));
    let end = Instant::now() + DEADLINE;
    while !is_listening() {
        assert!(Instant::now() < end, "no server responds at {url}");
        thread::sleep(Duration::from_millis(100));
    }
    let mut browser = Browser::start(&folder.0.join("browser"));
    minimal_page::guide_page_has_overlay_and_takes_input(&mut browser, &url);
}
