//! Tests faults in a program that is controlled by environment variables: closed descriptors, unwritable files,
//! signals, `exec`, `fork`, and threads that fail to start. This test starts itself as that program. This file is long
//! because it also contains the program's code.
#![cfg(all(unix, feature = "environment"))]
#![allow(unsafe_code)] // Like some hosts, the tests close descriptors and fork.

#[path = "support/own_program.rs"]
mod own_program;

use own_program::{own_program, program_at};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::ffi::c_int;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

const CHILD: &str = "IPROF_TEST_CHILD";
const PROFILE: &str = "IPROF_PROFILE";

const ARGUMENTS: [&str; 3] = ["--exact", "a_program", "--nocapture"];

/// The time limit for steps that are instant on an idle machine.
const LIMIT: Duration = Duration::from_secs(60);

unsafe extern "C" {
    // SAFETY: POSIX declares both functions with these signatures.
    safe fn fork() -> c_int;
    safe fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
}

fn work() {
    iprof::zone!(work);
    std::hint::black_box(());
}

/// Creates enough call stacks that writing the profile takes a while.
fn many_stacks() {
    fn call(levels: u32) {
        if levels > 0 {
            {
                iprof::zone!(left);
                call(levels - 1);
            }
            iprof::zone!(right);
            call(levels - 1);
        }
    }
    call(17);
}

/// The child program, whose code doesn't refer to the environment variables.
#[test]
fn a_program() {
    let Ok(what) = env::var(CHILD) else { return };
    match &*what {
        "zones" => work(),
        "stderr is a file" => {
            work();
            // SAFETY: nothing else uses the descriptor in the meantime.
            drop(unsafe { OwnedFd::from_raw_fd(2) });
            let data = fs::File::create(env::var("IPROF_TEST_DATA").unwrap()).unwrap();
            assert_eq!(data.as_raw_fd(), 2);
            std::mem::forget(data);
        }
        "waits" => {
            work();
            ready();
        }
        "many stacks" => {
            many_stacks();
            println!("ready");
        }
        "many stacks, exit code 7" => {
            many_stacks();
            std::process::exit(7);
        }
        "exec" => {
            work();
            let mut next = program("after exec");
            next.env(PROFILE, env::var_os(PROFILE).unwrap());
            panic!("{}", next.exec());
        }
        "after exec" => {
            iprof::zone!(after_exec);
            work();
        }
        "descriptors" => {
            work();
            panic!("{}", list_of_descriptors().exec());
        }
        "fork" => {
            for _ in 0..2 {
                thread::spawn(|| {
                    loop {
                        work();
                    }
                });
            }
            while iprof::snapshot().threads.len() < 2 {
                thread::yield_now();
            }
            for _ in 0..4 {
                match fork() {
                    0 => {
                        iprof::zone!(in_the_child);
                        work();
                        iprof::update(true);
                        drop(iprof::snapshot());
                        std::process::exit(9);
                    }
                    child => {
                        let mut status = 0;
                        assert_eq!(waitpid(child, &raw mut status, 0), child);
                        println!("child: {}", ExitStatusOf(status));
                    }
                }
            }
        }
        "no threads" => {
            let none = Rlimit {
                current: Some(0),
                maximum: Some(0),
            };
            setrlimit(Resource::Nproc, none).unwrap();
            assert!(thread::Builder::new().spawn(|| ()).is_err());
            work();
            iprof::update(true);
            iprof::set_timing(iprof::Timing::Sampled { hz: 100.0 });
            work();
            iprof::update(true);
            for warning in iprof::report().warnings {
                println!("warning: {warning}");
            }
            use_everything();
            println!("goes on");
        }
        "small files" => {
            let small = Rlimit {
                current: Some(4096),
                maximum: Some(4096),
            };
            setrlimit(Resource::Fsize, small).unwrap();
            many_stacks();
        }
        "folder goes" => {
            work();
            let path = PathBuf::from(env::var_os(PROFILE).unwrap());
            fs::remove_dir(path.parent().unwrap()).unwrap();
        }
        other => panic!("unknown task: {other}"),
    }
}

fn use_everything() {
    use iprof::{ReportMode, Timing};
    let auto = Timing::Auto { budget: 1e-4 };
    for timing in [Timing::SAMPLED, auto, Timing::Off, Timing::Exact] {
        iprof::set_timing(timing);
        iprof::update(true);
        for _ in 0..20 {
            (0..1_000).for_each(|_| work());
            iprof::update(true);
        }
        // The program can't select modes that need the sampler, because its sampler thread fails to start.
        let has_sampler = matches!(iprof::timing(), Timing::Sampled { .. });
        assert!(!has_sampler, "{timing:?}");
    }
    assert!(iprof::SamplingSession::start(100.0).is_err());
    #[cfg(feature = "http")]
    assert!(iprof::http::serve(([127, 0, 0, 1], 0)).is_err());
    let before = iprof::snapshot();
    for &mode in ReportMode::ALL {
        iprof::set_report_mode(mode);
        iprof::move_cursor(1);
        iprof::select();
        iprof::act(iprof::Action::Expand);
        iprof::move_frame(-1);
        work();
        iprof::update(true);
        assert!(iprof::report().rows.len() > 1, "{mode:?}");
        iprof::write_report(std::io::sink()).unwrap();
        iprof::act(iprof::Action::GoBack);
        iprof::set_frame(0);
    }
    assert_eq!(iprof::snapshot().since(&before).frames, 5);
    assert!(iprof::dump().contains("- work"));
    assert!(
        !iprof::View::default()
            .graph(&iprof::profiler())
            .bars
            .is_empty()
    );
    let file = env::temp_dir().join(format!("iprof-faults-{}.txt", std::process::id()));
    iprof::write_file(&file, &iprof::snapshot()).unwrap();
    fs::remove_file(&file).unwrap();
    iprof::reset();
}

/// An exit status as returned by `waitpid`.
struct ExitStatusOf(c_int);

impl std::fmt::Display for ExitStatusOf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use std::os::unix::process::ExitStatusExt;
        ExitStatus::from_raw(self.0).fmt(f)
    }
}

fn list_of_descriptors() -> Command {
    let mut list = Command::new("sh");
    list.args(["-c", "for f in /proc/$$/fd/*; do echo fd: ${f##*/}; done"]);
    list
}

/// Prints that the child is ready, and waits for its input to end.
fn ready() {
    println!("ready");
    let _ = std::io::stdin().lines().next();
}

fn program(what: &str) -> Command {
    let mut program = own_program();
    program.args(ARGUMENTS);
    program.env(CHILD, what).env_remove(PROFILE);
    program
}

/// Runs a program until it ends. Its profile is written to `path`.
fn ended(what: &str, path: &Path) -> Output {
    let mut program = program(what);
    program.env(PROFILE, path);
    finish(&mut program)
}

fn finish(program: &mut Command) -> Output {
    let start = Instant::now();
    let output = program.stdin(Stdio::null()).output().unwrap();
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    output
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Checks that the program succeeded, and that it printed exactly once why its profile could not be written.
fn assert_reported(output: &Output, why: &str) {
    let errors = text(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let lines: Vec<&str> = errors.lines().collect();
    assert_eq!(lines.len(), 1, "{errors}");
    assert!(lines[0].starts_with("iprof: IPROF_PROFILE: "), "{errors}");
    assert!(lines[0].contains(why), "{errors}");
}

struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let name = format!("iprof-faults-{}-{test}", std::process::id());
        let folder = env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn open(&self) {
        fs::set_permissions(&self.0, fs::Permissions::from_mode(0o1777)).unwrap();
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

const NOBODY: u32 = 65_534;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Returns a command that runs a copy of the program in `folder`. If the current user is root, the copy runs as user
/// `nobody`, who is allowed to read it.
fn unprivileged_program(what: &str, folder: &Folder) -> Command {
    let mut program = program(what);
    if is_root() {
        let copy = folder.path("program");
        fs::copy(env::current_exe().unwrap(), &copy).unwrap();
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
        let mut own = program_at(&copy);
        own.args(ARGUMENTS).env(CHILD, what);
        own.env_remove(PROFILE).uid(NOBODY).gid(NOBODY);
        own.current_dir("/");
        program = own;
    }
    program
}

fn begun(what: &str, path: &Path) -> Child {
    let mut program = program(what);
    program.env(PROFILE, path);
    program.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = program.spawn().unwrap();
    let out = child.stdout.as_mut().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(out));
    assert!(lines.any(|line| line.unwrap() == "ready"));
    child
}

fn kill(child: &Child, signal: rustix::process::Signal) {
    let id = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(id, signal).unwrap();
}

#[test]
fn killed_program_leaves_only_its_profile() {
    use rustix::process::Signal;
    // Don't use SIGINT, because shells make background processes ignore it.
    for signal in [Signal::TERM, Signal::KILL, Signal::USR1] {
        let folder = Folder::new(&format!("killed-{}", signal.as_raw()));
        let path = folder.path("profile.txt");
        fs::write(&path, "before").unwrap();
        let mut first = begun("waits", &path);
        assert_eq!(folder.names(), ["profile.txt"]);
        kill(&first, signal);
        assert!(!first.wait().unwrap().success());
        assert_eq!(fs::read(&path).unwrap(), b"before");
        assert_eq!(folder.names(), ["profile.txt"]);
    }
}

#[test]
fn kill_while_writing_leaves_old_or_new_profile() {
    let folder = Folder::new("kill-write");
    let path = folder.path("profile.folded");
    let mut killed_before_the_end = 0;
    for attempt in 0..12_u64 {
        fs::write(&path, "before").unwrap();
        let mut child = begun("many stacks", &path);
        thread::sleep(Duration::from_millis(15 * attempt));
        kill(&child, rustix::process::Signal::KILL);
        let status = child.wait().unwrap();
        let written = fs::read_to_string(&path).unwrap();
        if written == "before" {
            killed_before_the_end += 1;
        } else {
            let last = written.strip_suffix('\n').unwrap().lines().last().unwrap();
            assert!(last.rsplit(' ').next().unwrap().parse::<u64>().is_ok());
            assert!(written.lines().count() > 100_000, "{status}");
        }
        for name in folder.names() {
            // Unfinished files have a different name.
            if name != "profile.folded" {
                assert!(
                    name.starts_with("profile.folded.") && name.ends_with(".part"),
                    "{name}"
                );
                fs::remove_file(folder.path(&name)).unwrap();
            }
        }
    }
    assert!(killed_before_the_end > 0);
}

#[test]
fn profile_is_written_without_standard_descriptors() {
    let folder = Folder::new("closed");
    let path = folder.path("profile.txt");
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$@\" <&- >&- 2>&-", "sh"]);
    let program = own_program();
    shell.arg(program.get_program()).args(program.get_args());
    shell.args(ARGUMENTS);
    shell.env(CHILD, "zones").env(PROFILE, &path);
    assert!(shell.status().unwrap().success());
    assert!(fs::read_to_string(&path).unwrap().contains("work"));
    assert_eq!(folder.names(), ["profile.txt"]);
    // Errors aren't written anywhere, and don't end the program.
    shell.env(PROFILE, folder.path("no/profile.txt"));
    shell.env("IPROF_TIMING", "nonsense");
    assert!(shell.status().unwrap().success());
    assert_eq!(folder.names(), ["profile.txt"]);
}

#[test]
fn file_with_descriptor_2_receives_no_messages() {
    let folder = Folder::new("stderr");
    let data = folder.path("data");
    let mut program = program("stderr is a file");
    program.env(PROFILE, "/dev/full.txt/nowhere.txt");
    program.env("IPROF_TEST_DATA", &data);
    let output = finish(&mut program);
    assert!(output.status.success());
    // Errors that occurred before standard error was closed were printed there.
    assert!(text(&output.stderr).starts_with("iprof: "));
    assert_eq!(fs::read_to_string(&data).unwrap(), "");
}

#[test]
fn unwritable_target_is_reported_and_exit_code_is_0() {
    let folder = Folder::new("full");
    for (name, target) in [("full.txt", "/dev/full"), ("folder.txt", "/")] {
        let link = folder.path(name);
        symlink(target, &link).unwrap();
        let output = ended("zones", &link);
        let why = match target {
            "/dev/full" => "No space left on device",
            _ => "Is a directory",
        };
        assert_reported(&output, why);
    }
    let null = folder.path("null.txt");
    symlink("/dev/null", &null).unwrap();
    let output = ended("zones", &null);
    assert!(output.status.success());
    assert_eq!(text(&output.stderr), "");
}

fn make_pipe(path: &Path) {
    let status = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(status.success());
}

#[test]
fn unread_pipe_does_not_block_exit() {
    let folder = Folder::new("pipe");
    let path = folder.path("profile.folded");
    make_pipe(&path);
    assert_reported(
        &ended("zones", &path),
        "no process has the pipe open for reading",
    );
    // Open a reader that never reads. The profile is larger than the pipe's buffer, so writing it blocks.
    let silent = fs::File::options().read(true).write(true).open(&path);
    let silent = silent.unwrap();
    assert_reported(&ended("many stacks", &path), "the pipe's reader stalled");
    drop(silent);
    assert_eq!(folder.names(), ["profile.folded"]);
}

#[test]
fn pipe_with_slow_reader_gets_the_whole_profile() {
    let folder = Folder::new("reader");
    let path = folder.path("profile.folded");
    make_pipe(&path);
    let mut reader = Command::new("sh");
    reader.args(["-c", "(head -c 100000; sleep 1; cat) < \"$1\" | tail -n 1"]);
    reader.arg("sh").arg(&path).stdout(Stdio::piped());
    let reader = reader.spawn().unwrap();
    let output = ended("many stacks", &path);
    assert!(output.status.success());
    assert_eq!(text(&output.stderr), "");
    let read = reader.wait_with_output().unwrap();
    let last = text(&read.stdout).trim_end();
    assert!(last.rsplit(' ').next().unwrap().parse::<u64>().is_ok());
}

#[test]
fn link_planted_by_another_user_is_not_followed() {
    if !is_root() {
        println!("skipped: only root has another user's file to plant");
        return;
    }
    let open = Folder::new("planted");
    let safe = Folder::new("safe");
    let victim = safe.path("victim.txt");
    fs::write(&victim, "precious").unwrap();
    let link = open.path("profile.txt");
    symlink(&victim, &link).unwrap();
    let pipe = open.path("pipe.txt");
    make_pipe(&pipe);
    open.open();
    for path in [&link, &pipe] {
        std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        assert_reported(&ended("zones", path), "another user");
    }
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    // The user's own links are followed. Other users' links are followed only in folders that no one else can write to.
    std::os::unix::fs::lchown(&link, Some(0), Some(0)).unwrap();
    assert!(ended("zones", &link).status.success());
    assert!(fs::read_to_string(&victim).unwrap().contains("work"));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn unwritable_folder_is_reported() {
    let folder = Folder::new("rights");
    let locked = folder.path("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    let mut program = unprivileged_program("zones", &folder);
    program.env(PROFILE, locked.join("profile.txt"));
    assert_reported(&finish(&mut program), "Permission denied");
    let gone = folder.path("gone");
    fs::create_dir(&gone).unwrap();
    let output = ended("folder goes", &gone.join("profile.txt"));
    assert_reported(&output, "No such file or directory");
    assert!(!gone.exists());
}

#[test]
fn file_size_limit_is_an_error_without_signal() {
    let folder = Folder::new("small");
    let path = folder.path("profile.folded");
    fs::write(&path, "before").unwrap();
    assert_reported(&ended("small files", &path), "could not be written");
    assert_eq!(fs::read(&path).unwrap(), b"before");
    assert_eq!(folder.names(), ["profile.folded"]);
}

/// A file system with limited space or a limited number of files. Dropping it unmounts the file system.
#[cfg(target_os = "linux")]
struct Disk<'a>(&'a Folder);

#[cfg(target_os = "linux")]
impl Disk<'_> {
    /// Returns `None` if this test isn't allowed to mount a file system.
    fn mount<'a>(folder: &'a Folder, limits: &str) -> Option<Disk<'a>> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", limits, "tmpfs"]);
        let done = is_root()
            && mount
                .arg(&folder.0)
                .output()
                .is_ok_and(|o| o.status.success());
        done.then_some(Disk(folder))
    }
}

#[cfg(target_os = "linux")]
impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let done = Command::new("umount").arg(&self.0.0).status();
        assert!(done.unwrap().success());
    }
}

/// Tests a disk without enough space for the profile, and then a disk that can't hold another file.
#[cfg(target_os = "linux")]
#[test]
fn full_disk_keeps_the_old_profile() {
    for limits in ["size=64k", "nr_inodes=2"] {
        let folder = Folder::new(&limits.replace('=', "-"));
        let Some(disk) = Disk::mount(&folder, limits) else {
            println!("skipped: this test may mount no file system");
            return;
        };
        let path = folder.path("profile.folded");
        fs::write(&path, "before").unwrap();
        let output = ended("many stacks, exit code 7", &path);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(7), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert!(errors.starts_with("iprof: IPROF_PROFILE: "), "{errors}");
        assert!(errors.contains("No space left on device"), "{errors}");
        assert_eq!(fs::read(&path).unwrap(), b"before");
        assert_eq!(folder.names(), ["profile.folded"]);
        // The failed write must leave no file behind.
        if limits.starts_with("size") {
            fs::write(folder.path("other"), [0; 56 << 10]).unwrap();
        } else {
            fs::remove_file(&path).unwrap();
            fs::write(folder.path("other"), "one").unwrap();
        }
        drop(disk);
    }
}

#[test]
fn program_after_exec_writes_the_profile() {
    let folder = Folder::new("exec");
    let path = folder.path("profile.txt");
    let output = ended("exec", &path);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(folder.names(), ["profile.txt"]);
    assert!(fs::read_to_string(&path).unwrap().contains("after_exec"));
}

#[cfg(target_os = "linux")]
#[test]
fn program_after_exec_inherits_no_descriptors() {
    let folder = Folder::new("descriptors");
    let mut program = program("descriptors");
    program.env(PROFILE, folder.path("profile.txt"));
    program.env("IPROF_TIMING", "sampled");
    if cfg!(feature = "http") {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        program.env("IPROF_PORT", port.to_string());
    }
    program.env("IPROF_SIGNAL", "USR2");
    let output = finish(&mut program);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let descriptors = |output: &Output| {
        let lines = text(&output.stdout).lines();
        let descriptors = lines.filter(|line| line.starts_with("fd: "));
        descriptors.map(str::to_owned).collect::<Vec<_>>()
    };
    // If the profiler isn't started, the list contains the descriptors inherited from this test, and the shell's own.
    let without = finish(&mut list_of_descriptors());
    assert!(descriptors(&without).len() > 2);
    assert_eq!(descriptors(&output), descriptors(&without));
}

#[test]
fn children_keep_their_exit_code_and_write_no_file() {
    let folder = Folder::new("fork");
    let path = folder.path("profile.txt");
    let output = ended("fork", &path);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines = text(&output.stdout).lines();
    let ends: Vec<&str> = lines
        .filter_map(|line| line.strip_prefix("child: "))
        .collect();
    assert_eq!(ends, ["exit status: 9"; 4]);
    assert_eq!(folder.names(), ["profile.txt"]);
    let profile = fs::read_to_string(&path).unwrap();
    assert!(!profile.contains("in_the_child"), "{profile}");
}

#[test]
fn failed_thread_start_is_reported_and_survived() {
    let folder = Folder::new("threads");
    folder.open();
    let mut program = unprivileged_program("no threads", &folder);
    program.env(PROFILE, folder.path("profile.txt"));
    let mut expected = vec!["IPROF_PROFILE: cannot start a thread"];
    if cfg!(feature = "http") {
        program.env("IPROF_PORT", "6060");
        expected.push("IPROF_PORT: ");
    }
    program.env("IPROF_SIGNAL", "USR2");
    expected.push("IPROF_SIGNAL: ");
    let output = finish(&mut program);
    let (printed, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{printed}{errors}");
    assert!(printed.contains("goes on"), "{printed}");
    for line in &expected {
        let line = format!("iprof: {line}");
        assert!(errors.contains(&line), "{line}: {errors}");
    }
    assert_eq!(errors.lines().count(), expected.len(), "{errors}");
    // There is also a warning about the sampler, so more warnings than `expected` are printed.
    let warnings = printed.lines().filter(|line| line.starts_with("warning: "));
    assert!(warnings.count() >= expected.len(), "{printed}");
}
