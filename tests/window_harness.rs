//! Throwaway: the harness on the window probe.

mod support;

use std::process::Command;
use std::time::Duration;

use support::window::{Program, Window, XServer, example};

const LIMIT: Duration = Duration::from_secs(20);

#[test]
fn keys_mouse_and_close_arrive_and_the_screen_can_be_seen() {
    let Some(server) = XServer::start(640, 480) else {
        return;
    };
    let mut probe = server.spawn(&mut Command::new(example("window_probe")));
    let window = Window::wait_for(&server, "window probe", LIMIT);
    println!("{}", probe.wait_for_line("open", LIMIT));
    assert_eq!(window.size(), (400, 300));
    window.wait_until("it is green", LIMIT, |screen| {
        screen.rgb(399, 299) == [0, 255, 0]
    });
    window.key("Down");
    probe.wait_for_line("key Named(ArrowDown)", LIMIT);
    window.wait_until("one key", LIMIT, |screen| {
        screen.rgb(10, 10) == [51, 255, 0]
    });
    window.key("plus");
    probe.wait_for_line("key Character(\"+\")", LIMIT);
    window.mouse_move(123, 45);
    probe.wait_for_line("mouse PhysicalPosition { x: 123.0, y: 45.0 }", LIMIT);
    window.click(3);
    probe.wait_for_line("button Right Released", LIMIT);
    window.resize(500, 350);
    probe.wait_for_line("resized PhysicalSize { width: 500, height: 350 }", LIMIT);
    window.wait_until("all is drawn", LIMIT, |screen| {
        screen.rgb(499, 349)[1] == 255
    });
    let path = std::env::temp_dir().join(format!("iprof-harness-{}.png", std::process::id()));
    window.screenshot(&path);
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).unwrap()))
            .read_info()
            .unwrap();
    let mut data = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut data).unwrap();
    assert_eq!(
        (info.width, info.height, info.line_size),
        (640, 480, 640 * 3)
    );
    assert_eq!(data.as_chunks::<3>().0, server.screen().rgb);
    std::fs::remove_file(path).unwrap();
    assert!(probe.is_running());
    window.close();
    assert!(probe.wait(LIMIT).success());
    assert!(probe.output().ends_with("closed\n"));
}

#[test]
#[should_panic(expected = "no window titled \"nothing\"")]
fn a_window_that_never_comes_is_named() {
    let Some(server) = XServer::start(640, 480) else {
        panic!("no window titled \"nothing\"")
    };
    let _probe = server.spawn(&mut Command::new(example("window_probe")));
    Window::wait_for(&server, "window probe", LIMIT);
    Window::wait_for(&server, "nothing", Duration::from_millis(300));
}

#[test]
#[should_panic(expected = "echo prints no \"b\"")]
fn a_line_that_never_comes_is_named_when_the_program_ends() {
    Program::spawn(Command::new("echo").arg("a")).wait_for_line("b", Duration::from_secs(60));
}

#[test]
#[should_panic(expected = "sleep has not ended")]
fn a_program_that_does_not_end_is_named() {
    Program::spawn(Command::new("sleep").arg("60")).wait(Duration::from_millis(100));
}

#[test]
fn eight_servers_run_at_once() {
    let threads: Vec<_> = (0..8)
        .map(|_| std::thread::spawn(|| XServer::start(64, 64)))
        .collect();
    let servers: Vec<_> = threads
        .into_iter()
        .filter_map(|it| it.join().unwrap())
        .collect();
    let mut names: Vec<_> = servers.iter().map(XServer::display).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), servers.len());
}
