//! Drives a windowed program on a real X server with keyboard and mouse, and reads the screen.
//!
//! Each [`XServer`] is a separate Xvfb with a display number that Xvfb picks, so tests can run in parallel. There is no
//! window manager, so only the test moves, resizes or focuses a window. Keys and buttons are sent through the XTEST
//! extension.
//!
//! ```ignore
//! let Some(server) = XServer::start(1280, 720) else { return };
//! let mut program = server.spawn(Command::new(example("demo")).arg("--seed=1"));
//! let window = Window::wait_for(&server, "demo", Duration::from_secs(20));
//! window.key("Down");
//! window.wait_until("row 2 has the cursor", LIMIT, |screen| screen.rgb(40, 60) == OLIVE);
//! window.close();
//! assert!(program.wait(LIMIT).success());
//! ```
//!
//! Every wait has a time limit, after which a panic reports what was expected and what was found instead. A program's
//! output is printed when its test panics. Dropping a [`Program`] or an [`XServer`] kills it.

#![allow(dead_code, reason = "each test program uses only part of this module")]

use super::image::Image;
use super::keyboard::Keyboard;
use super::program::{POLL, Program, REACTION, poll};
use std::env;
use std::fmt;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ClientMessageData,
    ClientMessageEvent, ConfigureWindowAux, ConnectionExt, EventMask, ImageFormat, ImageOrder,
    InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MapState,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// The time limit for Xvfb to start, which takes seconds on a busy machine.
const SERVER_START: Duration = Duration::from_secs(20);
const POLL_SCREEN: Duration = Duration::from_millis(30);

/// An X server with one 24-bit screen, and a connection to it.
///
/// Xvfb exits when its last connection closes, so it exits even if the test is killed and no destructor runs.
pub(crate) struct XServer {
    connection: RustConnection,
    root: u32,
    keyboard: Keyboard,
    /// The value for the environment variable `DISPLAY`.
    display: String,
    /// The server process. It is dropped after the connection, so that the server exits by itself and removes its lock
    /// file. A killed server would leave that file behind.
    _process: Program,
}

impl XServer {
    /// Starts a server with a screen of `width` by `height` pixels. Without Xvfb, returns `None` and prints that the
    /// test is skipped.
    ///
    /// # Panics
    ///
    /// Panics if Xvfb does not start in time, or if it is missing and `IPROF_REQUIRE_WINDOW` is `1`.
    pub(crate) fn start(width: u16, height: u16) -> Option<XServer> {
        if !on_path("Xvfb") {
            let advice = "on Debian and Ubuntu: apt-get install xvfb, or ./dev test";
            if env::var("IPROF_REQUIRE_WINDOW").as_deref() == Ok("1") {
                panic!("Xvfb is required (IPROF_REQUIRE_WINDOW=1), but not installed ({advice})");
            }
            eprintln!("skipped: Xvfb is not installed ({advice})");
            return None;
        }

        let mut command = Command::new("Xvfb");
        command.args([
            "-displayfd",
            "1",
            "-terminate",
            "-nolisten",
            "tcp",
            "-dpi",
            "96",
            "-screen",
            "0",
        ]);
        command.arg(format!("{width}x{height}x24"));
        let mut process = Program::spawn(&mut command);
        process.grace = REACTION;
        // With `-displayfd 1`, Xvfb prints the display's number to standard output when it is ready. The output also
        // includes messages from standard error, such as that a display is in use.
        let number = process.wait_for_line_where("display number", SERVER_START, |line| {
            line.parse::<u32>().is_ok()
        });
        let display = format!(":{number}");
        let (connection, screen) = RustConnection::connect(Some(&display))
            .unwrap_or_else(|error| panic!("no connection to the X server {display}: {error}"));
        let root = connection.setup().roots[screen].root;
        Some(XServer {
            keyboard: Keyboard::of(&connection),
            connection,
            root,
            display,
            _process: process,
        })
    }

    /// Returns the display's name, such as `:1`.
    pub(crate) fn display(&self) -> &str {
        &self.display
    }

    /// Starts a program that opens its windows on this server, with Mesa's software renderer and a scale of one pixel
    /// per point.
    pub(crate) fn spawn(&self, command: &mut Command) -> Program {
        command
            .env("DISPLAY", &self.display)
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET");
        command
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .env("WINIT_X11_SCALE_FACTOR", "1");
        Program::spawn(command)
    }

    pub(crate) fn screen(&self) -> Screen {
        let size = self
            .connection
            .get_geometry(self.root)
            .expect("failed to send the X request")
            .reply()
            .expect("failed to get the screen's size");
        let image = self
            .connection
            .get_image(
                ImageFormat::Z_PIXMAP,
                self.root,
                0,
                0,
                size.width,
                size.height,
                !0,
            )
            .expect("failed to send the X request")
            .reply()
            .expect("failed to capture the screen");
        let little_endian = self.connection.setup().image_byte_order == ImageOrder::LSB_FIRST;
        let (pixels, rest) = image.data.as_chunks::<4>();
        assert!(rest.is_empty(), "the screen should have 32 bits per pixel");
        let rgb = pixels
            .iter()
            .map(|&[a, b, c, d]| if little_endian { [c, b, a] } else { [b, c, d] })
            .collect();
        Screen {
            width: size.width.into(),
            height: size.height.into(),
            rgb,
        }
    }

    pub(crate) fn screenshot(&self, path: impl AsRef<Path>) {
        self.screen().write_png(path.as_ref());
    }

    /// Returns all visible top-level windows with their titles.
    fn windows(&self) -> Vec<(u32, String)> {
        let tree = self
            .connection
            .query_tree(self.root)
            .expect("failed to send the X request")
            .reply()
            .expect("failed to list the windows");
        // Querying the attributes of a window that no longer exists fails.
        let visible = |&window: &u32| {
            let attributes = self
                .connection
                .get_window_attributes(window)
                .ok()
                .and_then(|it| it.reply().ok());
            attributes.is_some_and(|it| it.map_state == MapState::VIEWABLE)
        };
        tree.children
            .into_iter()
            .filter(visible)
            .map(|window| (window, self.title(window)))
            .collect()
    }

    fn title(&self, window: u32) -> String {
        let read = |name: Atom, kind: Atom| {
            let reply = self
                .connection
                .get_property(false, window, name, kind, 0, 1024)
                .ok()?
                .reply()
                .ok()?;
            (!reply.value.is_empty()).then(|| String::from_utf8_lossy(&reply.value).into_owned())
        };
        read(self.atom("_NET_WM_NAME"), self.atom("UTF8_STRING"))
            .or_else(|| read(AtomEnum::WM_NAME.into(), AtomEnum::ANY.into()))
            .unwrap_or_default()
    }

    fn atom(&self, name: &str) -> Atom {
        self.connection
            .intern_atom(false, name.as_bytes())
            .expect("failed to send the X request")
            .reply()
            .expect("failed to get the atom")
            .atom
    }

    /// Presses or releases a key or a button.
    fn input(&self, event: u8, key_or_button: u8) {
        self.connection
            .xtest_fake_input(event, key_or_button, 0, self.root, 0, 0, 0)
            .expect("the X server lacks the XTEST extension")
            .check()
            .expect("failed to send the X request");
    }
}

impl fmt::Debug for XServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("XServer")
            .field("display", &self.display)
            .finish_non_exhaustive()
    }
}

/// A program's window on an [`XServer`]. Coordinates are in pixels from the window's top left corner, with y pointing
/// down.
#[derive(Debug)]
pub(crate) struct Window<'a> {
    server: &'a XServer,
    id: u32,
}

impl<'a> Window<'a> {
    /// Waits for a visible window whose title contains `title`, and focuses it. The program may not have drawn anything
    /// in the window yet. Use [`Window::wait_until`] to wait for that.
    ///
    /// # Panics
    ///
    /// Panics after `limit`, with the titles of all existing windows.
    pub(crate) fn wait_for(server: &'a XServer, title: &str, limit: Duration) -> Window<'a> {
        let mut seen = Vec::new();
        let found = poll(limit, POLL, || {
            seen = server.windows();
            seen.iter()
                .find(|(_, name)| name.contains(title))
                .map(|&(id, _)| id)
        });
        let Some(id) = found else {
            let titles: Vec<&str> = seen.iter().map(|(_, title)| title.as_str()).collect();
            panic!("no window titled \"{title}\" after {limit:?}; existing windows: {titles:?}");
        };
        let window = Window { server, id };
        window.focus();
        window
    }

    /// Waits for any window, and focuses it.
    ///
    /// # Panics
    ///
    /// Panics after `limit`.
    pub(crate) fn wait_for_any(server: &'a XServer, limit: Duration) -> Window<'a> {
        let found = poll(limit, POLL, || server.windows().first().map(|&(id, _)| id));
        let id = found.unwrap_or_else(|| panic!("no window after {limit:?}"));
        let window = Window { server, id };
        window.focus();
        window
    }

    /// Focuses the window as a window manager would.
    pub(crate) fn focus(&self) {
        let connection = &self.server.connection;
        let focused = poll(REACTION, POLL, || {
            connection
                .set_input_focus(InputFocus::PARENT, self.id, x11rb::CURRENT_TIME)
                .expect("failed to send the X request")
                .check()
                .expect("failed to focus the window");
            let now = connection
                .get_input_focus()
                .expect("failed to send the X request")
                .reply()
                .expect("failed to get the focus")
                .focus;
            (now == self.id).then_some(())
        });
        assert!(
            focused.is_some(),
            "the window has no keyboard focus after {REACTION:?}"
        );
    }

    /// Presses and releases a key, given by its X name: `Down`, `Return`, `F1`, `a`, `plus`, `shift+Tab`.
    pub(crate) fn key(&self, name: &str) {
        let keys = self.server.keyboard.keys(name);
        for key in &keys {
            self.server.input(KEY_PRESS_EVENT, *key);
        }
        for key in keys.iter().rev() {
            self.server.input(KEY_RELEASE_EVENT, *key);
        }
    }

    pub(crate) fn mouse_move(&self, x: i32, y: i32) {
        let [x, y] = [x, y].map(|at| i16::try_from(at).expect("the point is not on the screen"));
        self.server
            .connection
            .warp_pointer(x11rb::NONE, self.id, 0, 0, 0, 0, x, y)
            .expect("failed to send the X request")
            .check()
            .expect("the window no longer exists");
    }

    /// Presses and releases a mouse button: 1 left, 2 middle, 3 right. Buttons 4 and 5 turn the wheel up and down, and
    /// winit 0.30 reports each wheel step twice.
    pub(crate) fn click(&self, button: u8) {
        self.press(button);
        self.release(button);
    }

    pub(crate) fn press(&self, button: u8) {
        self.server.input(BUTTON_PRESS_EVENT, button);
    }

    pub(crate) fn release(&self, button: u8) {
        self.server.input(BUTTON_RELEASE_EVENT, button);
    }

    pub(crate) fn size(&self) -> (u16, u16) {
        let geometry = self
            .server
            .connection
            .get_geometry(self.id)
            .expect("failed to send the X request")
            .reply()
            .expect("failed to get the window's size");
        (geometry.width, geometry.height)
    }

    /// Resizes the window, as a user would by dragging the border.
    pub(crate) fn resize(&self, width: u16, height: u16) {
        let size = ConfigureWindowAux::new()
            .width(u32::from(width))
            .height(u32::from(height));
        self.server
            .connection
            .configure_window(self.id, &size)
            .expect("failed to send the X request")
            .check()
            .expect("failed to resize the window");
        let done = poll(REACTION, POLL, || {
            (self.size() == (width, height)).then_some(())
        });
        assert!(
            done.is_some(),
            "the window is {:?} instead of {width} x {height} after {REACTION:?}",
            self.size()
        );
    }

    /// Asks the program to close the window, as the title bar's button would. The program decides how to respond.
    pub(crate) fn close(&self) {
        let server = self.server;
        let message = ClientMessageEvent::new(
            32,
            self.id,
            server.atom("WM_PROTOCOLS"),
            ClientMessageData::from([
                server.atom("WM_DELETE_WINDOW"),
                x11rb::CURRENT_TIME,
                0,
                0,
                0,
            ]),
        );
        server
            .connection
            .send_event(false, self.id, EventMask::NO_EVENT, message)
            .expect("failed to send the X request")
            .check()
            .expect("failed to send a message to the window");
    }

    /// Waits until the screen meets a condition, which `what` describes, and returns its contents.
    ///
    /// # Panics
    ///
    /// Panics after `limit`, with the path of a picture of the screen.
    pub(crate) fn wait_until(
        &self,
        what: &str,
        limit: Duration,
        mut holds: impl FnMut(&Screen) -> bool,
    ) -> Screen {
        let found = poll(limit, POLL_SCREEN, || {
            let screen = self.server.screen();
            holds(&screen).then_some(screen)
        });
        found.unwrap_or_else(|| {
            let file = format!(
                "iprof-screen-{}-{}.png",
                std::process::id(),
                self.server.display.replace(':', "")
            );
            let path = env::temp_dir().join(file);
            self.screenshot(&path);
            panic!(
                "condition not met after {limit:?}: {what}; see the screenshot {}",
                path.display()
            )
        })
    }

    pub(crate) fn screenshot(&self, path: impl AsRef<Path>) {
        self.server.screenshot(path);
    }
}

/// A screenshot.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Screen {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// The pixels, top row first.
    pub(crate) rgb: Vec<[u8; 3]>,
}

impl Screen {
    /// Returns the red, green and blue values of the pixel at (`x`, `y`) from the top left.
    pub(crate) fn rgb(&self, x: usize, y: usize) -> [u8; 3] {
        assert!(
            x < self.width && y < self.height,
            "({x}, {y}) lies outside {} x {}",
            self.width,
            self.height
        );
        self.rgb[y * self.width + x]
    }

    /// Returns a screen whose contents are the given picture.
    pub(crate) fn showing(picture: &Image) -> Screen {
        let rgb = picture.rgba.chunks_exact(4);
        Screen {
            width: picture.width as usize,
            height: picture.height as usize,
            rgb: rgb.map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
        }
    }

    pub(crate) fn write_png(&self, path: &Path) {
        let file = File::create(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let width = self
            .width
            .try_into()
            .expect("an X screen should be less than 65,536 px wide");
        let height = self
            .height
            .try_into()
            .expect("an X screen should be less than 65,536 px high");
        let mut encoder = png::Encoder::new(BufWriter::new(file), width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::Fastest);
        let mut writer = encoder
            .write_header()
            .expect("failed to write the PNG header");
        writer
            .write_image_data(self.rgb.as_flattened())
            .expect("failed to write the PNG data");
        writer.finish().expect("failed to finish the PNG");
    }
}

impl fmt::Debug for Screen {
    /// Omits the pixels, so that a failed comparison does not print them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Screen {{ {} x {} }}", self.width, self.height)
    }
}

fn on_path(program: &str) -> bool {
    env::split_paths(&env::var_os("PATH").unwrap_or_default())
        .any(|directory| directory.join(program).is_file())
}
