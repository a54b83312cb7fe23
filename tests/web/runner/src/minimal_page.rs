//! Tests the page that the guide shows.

use crate::browser::Browser;
use crate::devtools::{Page, Screen};
use crate::overlay_page::{SCREEN, colors, has_a_tooltip, has_the_overlay};
use crate::server::Server;
use crate::site::Site;
use crate::tests::{self, Outcome};
use std::fs;
use std::path::Path;

/// A test function. Its arguments are the browser and the page's address.
type Test = fn(&mut Browser, &str);

/// All tests. Each test specifies whether its page includes the guide's lines for a lost context.
const TESTS: [(&str, bool, Test); 2] = [
    (
        "guide_page_has_overlay_and_takes_input",
        false,
        guide_page_has_overlay_and_takes_input,
    ),
    (
        "guide_page_survives_a_lost_context",
        true,
        guide_page_survives_a_lost_context,
    ),
];

/// The page's background, rounded.
const BACKGROUND: [u8; 3] = [26, 51, 77];

/// Runs the tests whose names contain `name`, and returns their outcomes.
pub(crate) fn run(programs: &Path, name: &str) -> Vec<Outcome> {
    let tests = TESTS.into_iter().filter(|test| test.0.contains(name));
    let mut tests = tests.peekable();
    if tests.peek().is_none() {
        return Vec::new();
    }
    let page = "examples/web/minimal/index.html";
    let site = Site::of_repository(programs, "minimal.wasm", page);
    let index = site.folder.join("index.html");
    let page = fs::read_to_string(&index).expect("failed to read the page");
    let outcomes = tests.map(|(name, survives_loss, test)| {
        let page = match survives_loss {
            true => &surviving_loss(&page),
            false => &page,
        };
        fs::write(&index, page).expect("failed to write the page");
        let server = Server::new(&site.folder, 0).expect("no free port");
        let mut browser = Browser::start(&site.folder.join("browser"));
        tests::run(name, || test(&mut browser, &server.url()))
    });
    outcomes.collect()
}

/// Returns the page in which one line is replaced by the guide's lines for a lost context.
fn surviving_loss(page: &str) -> String {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/hosts/web-page.md");
    let guide = fs::read_to_string(guide)
        .expect("failed to read the guide")
        .replace("\r\n", "\n");
    let (_, lines) = guide
        .split_once("\n```js\nconst canvas")
        .expect("the guide has no lines for a lost context");
    let (lines, _) = lines.split_once("\n```").expect("no end of the code block");
    let is_replaced = |line: &&str| line.starts_with("const canvas");
    let old = page
        .lines()
        .find(is_replaced)
        .expect("the page has no canvas");
    page.replace(old, &format!("const canvas{lines}"))
}

fn open<'a>(browser: &'a mut Browser, url: &str) -> Page<'a> {
    let mut page = Page::open(browser, url, SCREEN);
    page.wait_until("document.querySelector('canvas').width === 800");
    page.wait_for_frames();
    page.wait_for_frames();
    page
}

/// Checks the page's picture, and how the page responds to the keyboard and mouse.
pub(crate) fn guide_page_has_overlay_and_takes_input(browser: &mut Browser, url: &str) {
    let mut page = open(browser, url);
    let hidden = has_the_overlay(&mut page);
    for (at, color) in colors(&hidden).enumerate() {
        assert_eq!(color, BACKGROUND, "pixel {at}");
    }
    has_a_tooltip(&mut page);
    // The canvas is exactly as large as the window, in screen pixels.
    page.set_screen(Screen {
        size: [501, 400],
        ratio: 1.5,
        is_touch: false,
    });
    page.wait_until("document.querySelector('canvas').width === 752");
    page.wait_for_frames();
    let shown = page.picture();
    page.press("p");
    let covered = page.picture().differing(&shown, |_, _| true);
    assert!(covered > 100_000, "the overlay covers only {covered} px");
    assert_eq!(page.errors(), [""; 0]);
}

fn guide_page_survives_a_lost_context(browser: &mut Browser, url: &str) {
    let mut page = open(browser, url);
    has_the_overlay(&mut page);
    page.move_to([1.0, 1.0]);
    let before = page.picture();
    page.evaluate(
        "globalThis.loss = document.querySelector('canvas').getContext('webgl2').getExtension('WEBGL_lose_context'); \
         loss.loseContext()",
    );
    page.wait_for_frames();
    page.evaluate("loss.restoreContext()");
    page.wait_until("!document.querySelector('canvas').getContext('webgl2').isContextLost()");
    page.wait_for_frames();
    // The page is no longer paused, because it has new controls. The report is in the same place, with the same header.
    let after = page.picture();
    let is_beside = |x: u32, y: u32| !(20..780).contains(&x) || !(20..480).contains(&y);
    assert_eq!(after.differing(&before, is_beside), 0);
    page.press("p");
    let covered = page.picture().differing(&after, |_, _| true);
    assert!(covered > 50_000, "the overlay covers only {covered} px");
    assert_eq!(page.errors(), [""; 0]);
}
