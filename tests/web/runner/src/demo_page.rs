//! Tests the demo's page: its pictures, and the effects of keyboard, mouse and touch.

use crate::browser::{Browser, Start};
use crate::devtools::{Page, Screen};
use crate::picture::Picture;
use crate::report_text::{self, Section};
use crate::server::Server;
use crate::site::Site;
use crate::tests::{self, Outcome};
use std::path::Path;

/// A test function. Its arguments are the browser and the page's address.
type Test = fn(&mut Browser, &str);

/// All tests, each with the function that starts its browser. Tests of keys, touch and text do not depend on
/// multisampling.
const TESTS: &[(&str, Start, Test)] = &[
    (
        "demo_draws_overlay_and_keeps_the_hosts_picture",
        Browser::start,
        demo_draws_overlay_and_keeps_the_hosts_picture,
    ),
    (
        "demo_report_sums_to_the_frame",
        Browser::start_with_single_samples,
        demo_report_sums_to_the_frame,
    ),
    (
        "keys_drive_the_demo_overlay",
        Browser::start_with_single_samples,
        keys_drive_the_demo_overlay,
    ),
    (
        "keys_turn_demo_faults_on_and_off",
        Browser::start_with_single_samples,
        keys_turn_demo_faults_on_and_off,
    ),
    (
        "mouse_drives_the_demo_overlay",
        Browser::start_with_single_samples,
        mouse_drives_the_demo_overlay,
    ),
    (
        "touch_drives_the_demo_overlay",
        Browser::start_with_single_samples,
        touch_drives_the_demo_overlay,
    ),
    (
        "demo_canvas_follows_the_screen",
        Browser::start,
        demo_canvas_follows_the_screen,
    ),
    (
        "demo_survives_a_lost_context",
        Browser::start,
        demo_survives_a_lost_context,
    ),
    (
        "demo_offers_a_file_to_download",
        Browser::start_with_single_samples,
        demo_offers_a_file_to_download,
    ),
];

const WINDOW: Screen = Screen {
    size: [720, 450],
    ratio: 1.0,
    is_touch: false,
};
const TELEPHONE: Screen = Screen {
    size: [390, 700],
    ratio: 2.0,
    is_touch: true,
};

/// The minimum margin around the overlay in pixels. The demo's margin is 1/40 of the width.
const MARGIN: u32 = 17;

/// Runs the tests whose names contain `name`, and returns their outcomes.
pub(crate) fn run(programs: &Path, name: &str) -> Vec<Outcome> {
    let tests: Vec<_> = TESTS.iter().filter(|test| test.0.contains(name)).collect();
    if tests.is_empty() {
        return Vec::new();
    }
    let site = Site::of_repository(programs, "demo.wasm", "examples/web/demo/index.html");
    let server = Server::new(&site.folder, 0).expect("no free port");
    let outcomes = tests.into_iter().map(|(name, start, test)| {
        let mut browser = start(&site.folder.join("browser"));
        tests::run(name, || test(&mut browser, &server.url()))
    });
    outcomes.collect()
}

/// Opens the demo, and waits for a few frames to be shown.
fn open<'a>(browser: &'a mut Browser, url: &str, query: &str, screen: Screen) -> Page<'a> {
    let mut page = Page::open(browser, &format!("{url}?{query}"), screen);
    page.wait_until("globalThis.demo !== undefined");
    page.wait_for_frames();
    page
}

/// Opens the demo, and waits until the scene is at rest.
fn open_at_rest<'a>(browser: &'a mut Browser, url: &str, query: &str, screen: Screen) -> Page<'a> {
    let query = format!("steps=20&{query}");
    let mut page = open(browser, url, &query, screen);
    page.wait_until("demo.rests() && demo.refinement() === 1");
    page.wait_for_frames();
    page
}

fn no_errors(page: &mut Page<'_>) {
    assert_eq!(page.errors(), [""; 0]);
}

/// Returns the report shown by the overlay.
fn report(page: &mut Page<'_>) -> Section {
    let text = page.evaluate("demo.report_text()");
    let text = text.as_str().expect("the script should return a string");
    let mut sections = report_text::read(text);
    assert_eq!(sections.len(), 1, "{text}");
    sections.remove(0)
}

/// Waits until the report meets a condition. Mouse and touch events take effect in a later frame.
fn wait_for(page: &mut Page<'_>, what: &str, is_so: impl Fn(&Section) -> bool) {
    let in_time = becomes_so(page, |page| is_so(&report(page)));
    assert!(in_time, "condition not met: {what}; {:?}", report(page));
}

/// Waits until the screen meets a condition. The screen may show a frame even later than the report does.
fn wait_to_see(page: &mut Page<'_>, what: &str, is_so: impl Fn(&Picture) -> bool) {
    let in_time = becomes_so(page, |page| is_so(&page.picture()));
    assert!(in_time, "condition not met: {what}");
}

/// Returns whether a condition is met, now or after a few frames.
fn becomes_so(page: &mut Page<'_>, is_so: impl Fn(&mut Page<'_>) -> bool) -> bool {
    for _ in 0..40 {
        if is_so(page) {
            return true;
        }
        page.wait_for_frames();
    }
    false
}

fn demo_draws_overlay_and_keeps_the_hosts_picture(browser: &mut Browser, url: &str) {
    let odd = Screen {
        size: [701, 433],
        ratio: 1.25,
        is_touch: false,
    };
    for screen in [WINDOW, odd] {
        let mut page = open_at_rest(browser, url, "overlay=0", screen);
        let alone = page.picture();
        no_errors(&mut page);
        drop(page);
        let colors = (0..alone.height).map(|y| alone.at(alone.width / 2, y));
        let colors: std::collections::BTreeSet<_> = colors.collect();
        assert!(colors.len() > 20, "the scene has {} colors", colors.len());

        let mut page = open_at_rest(browser, url, "", screen);
        let is_edge = |x: u32, y: u32| {
            let is_inside = |at: u32, size: u32| (MARGIN..size - MARGIN).contains(&at);
            !(is_inside(x, alone.width) && is_inside(y, alone.height))
        };
        let with = page.picture();
        let covered = with.differing(&alone, |x, y| !is_edge(x, y));
        let area = (alone.width * alone.height) as usize;
        assert!(
            covered > area / 5,
            "the overlay covers only {covered} of {area} px"
        );
        assert_eq!(
            with.differing(&alone, is_edge),
            0,
            "the overlay changed pixels outside of its margin"
        );
        // With a hidden overlay, the host's picture is the same as without an overlay.
        page.press("p");
        let hidden = page.picture();
        assert_eq!(hidden.differing(&alone, |_, _| true), 0, "{screen:?}");
        page.press("p");
        let again = page.picture();
        assert!(again.differing(&alone, |x, y| !is_edge(x, y)) > area / 5);
        assert_eq!(again.differing(&alone, is_edge), 0);
        no_errors(&mut page);
    }
}

fn demo_report_sums_to_the_frame(browser: &mut Browser, url: &str) {
    let mut page = open(browser, url, "", WINDOW);
    for average in ["1", "2", "3"] {
        page.press(average);
        let report = report(&mut page);
        let sum: f64 = report.rows.iter().map(|row| row.self_ms).sum();
        let rounding = 0.005 * (report.rows.len() + 1) as f64;
        let frame = report.frame_ms();
        assert!(frame > 0.0, "{report:?}");
        assert!(
            (sum - frame).abs() <= rounding,
            "sum {sum} is not the frame time: {report:?}"
        );
        let at = |zone: &str| {
            let at = report
                .find(zone)
                .unwrap_or_else(|| panic!("no row for {zone}"));
            &report.rows[at]
        };
        assert_eq!(at("frame").count, 1.0, "{report:?}");
        assert!(at("trace_tile").count > 0.0, "{report:?}");
        assert!(report.rows.iter().all(|row| !row.sampled), "{report:?}");
        assert_eq!(report.warnings, [""; 0]);
    }
    no_errors(&mut page);
}

fn keys_drive_the_demo_overlay(browser: &mut Browser, url: &str) {
    let mut page = open_at_rest(browser, url, "", WINDOW);
    assert!(report(&mut page).title.contains("self time"));
    page.press("Tab");
    assert!(report(&mut page).title.contains("hierarchical time"));
    let cursor = report(&mut page).cursor();
    page.press("ArrowDown");
    assert_eq!(report(&mut page).cursor(), cursor + 1);
    for key in ["/", "d", "r", "a", "w", "Enter"] {
        page.press(key);
    }
    let filtered = report(&mut page);
    assert!(filtered.find("draw::stage").is_some(), "{filtered:?}");
    assert!(filtered.more.concat().contains("\"draw\""), "{filtered:?}");
    // While the user types a filter, `w` is not a page shortcut, so no file was saved.
    page.press("/");
    page.press("Escape");
    assert!(!report(&mut page).more.concat().contains("draw"));
    page.press(" ");
    assert!(report(&mut page).title.contains("paused"));
    let paused = page.picture();
    page.press("F1");
    let with_help = page.picture();
    let differing = with_help.differing(&paused, |_, _| true);
    assert!(differing > 10_000, "the help covers only {differing} px");
    page.press("Escape");
    // The page ignores browser shortcuts.
    let is_used = page.evaluate(
        "!dispatchEvent(new KeyboardEvent('keydown', { key: 'r', ctrlKey: true, cancelable: true }))",
    );
    assert_eq!(is_used, false);
    let is_used = page
        .evaluate("!dispatchEvent(new KeyboardEvent('keydown', { key: 'F1', cancelable: true }))");
    assert_eq!(is_used, true);
    no_errors(&mut page);
}

/// Checks that the report shows each fault's zone and named value while the fault is on.
fn keys_turn_demo_faults_on_and_off(browser: &mut Browser, url: &str) {
    let mut page = open(browser, url, "", WINDOW);
    for (key, zone, value) in [
        ("8", "trails::fade", "marks"),
        ("9", "labels::write", "alloc_objects"),
    ] {
        assert!(report(&mut page).find(zone).is_none());
        page.press(key);
        let has = format!("demo.report_text().includes('{value}')");
        page.wait_until(&format!("{has} && demo.report_text().includes('{zone}')"));
        page.press(key);
        page.wait_until(&format!("!{has}"));
    }
    no_errors(&mut page);
}

/// The fourth row's position in CSS pixels. Above it are two title lines, the headers and three rows, each 15 px high.
/// The margin is less than 20 px.
const FOURTH_ROW: f64 = 20.0 + 6.5 * 15.0;

fn mouse_drives_the_demo_overlay(browser: &mut Browser, url: &str) {
    let mut page = open_at_rest(browser, url, "", WINDOW);
    page.press(" ");
    let at = [150.0, FOURTH_ROW];
    page.click(at);
    wait_for(&mut page, "a click moves the cursor", |report| {
        report.cursor() == 3
    });
    page.turn_wheel(at, 100.0);
    wait_for(&mut page, "a notch moves the cursor down", |report| {
        report.cursor() == 4
    });
    page.turn_wheel(at, -200.0);
    wait_for(&mut page, "two notches move the cursor up", |report| {
        report.cursor() == 2
    });
    // The tooltip appears at the pointer and disappears with it.
    page.move_to([1.0, 449.0]);
    let without = page.picture();
    page.move_to(at);
    // The graph's scale may still change.
    let is_of_report = |_, y| y < 250;
    let differing = |picture: &Picture| picture.differing(&without, is_of_report);
    wait_to_see(&mut page, "the tooltip is visible", |picture| {
        differing(picture) > 5_000
    });
    page.move_to([1.0, 449.0]);
    wait_to_see(&mut page, "the tooltip is hidden", |picture| {
        differing(picture) == 0
    });
    no_errors(&mut page);
}

fn touch_drives_the_demo_overlay(browser: &mut Browser, url: &str) {
    let mut page = open_at_rest(browser, url, "", TELEPHONE);
    page.press(" ");
    for _ in 0..3 {
        page.press("PageUp");
    }
    wait_for(&mut page, "the cursor is in the first row", |report| {
        report.cursor() == 0
    });
    // The row at this height depends on the number of title lines.
    let y = FOURTH_ROW;
    page.drag_finger(&[[100.0, y]]);
    wait_for(&mut page, "a tap moves the cursor", |report| {
        report.cursor() > 0
    });
    // Rows don't move while the finger is down, but may move after it is lifted.
    let last = std::cell::Cell::new(0);
    wait_for(&mut page, "the rows stop moving", |report| {
        last.replace(report.cursor()) == report.cursor()
    });
    let tapped = last.get();
    // Dragging upward scrolls to rows further down.
    page.drag_finger(&[[100.0, y], [100.0, y - 20.0], [100.0, y - 40.0]]);
    let what = format!("a drag moves the cursor from row {tapped}");
    wait_for(&mut page, &what, |report| report.cursor() == tapped + 2);
    // The page has buttons that take the place of keys.
    let before = page.picture();
    page.evaluate("document.querySelector('#help').click()");
    wait_to_see(&mut page, "the help is open", |picture| {
        picture.differing(&before, |_, _| true) > 50_000
    });
    no_errors(&mut page);
}

/// Checks that the canvas and its picture are as large as the screen, in pixels.
fn check_size(page: &mut Page<'_>, screen: Screen) -> Picture {
    let [width, height] = screen.size.map(|px| (f64::from(px) * screen.ratio).round());
    page.wait_until(&format!(
        "document.querySelector('canvas').width === {width} && document.querySelector('canvas').height === {height}"
    ));
    page.wait_for_frames();
    let picture = page.picture();
    assert_eq!(
        [picture.width, picture.height].map(f64::from),
        [width, height]
    );
    picture
}

fn demo_canvas_follows_the_screen(browser: &mut Browser, url: &str) {
    let mut page = open_at_rest(browser, url, "", WINDOW);
    for (size, ratio) in [
        ([720, 450], 1.0),
        ([720, 450], 2.0),
        ([501, 333], 1.5),
        ([320, 200], 1.0),
    ] {
        let screen = Screen {
            size,
            ratio,
            is_touch: false,
        };
        page.set_screen(screen);
        check_size(&mut page, screen);
    }
    no_errors(&mut page);
}

fn demo_survives_a_lost_context(browser: &mut Browser, url: &str) {
    let mut page = open_at_rest(browser, url, "", WINDOW);
    page.press("p");
    let before = page.picture();
    page.evaluate(
        "globalThis.loss = document.querySelector('canvas').getContext('webgl2').getExtension('WEBGL_lose_context'); \
         loss.loseContext()",
    );
    page.wait_for_frames();
    // Frames continue to be drawn, and keys still work.
    page.press("p");
    page.press("Tab");
    page.evaluate("loss.restoreContext()");
    page.wait_until("!document.querySelector('canvas').getContext('webgl2').isContextLost()");
    page.wait_for_frames();
    let shown = page.picture();
    let differing = shown.differing(&before, |_, _| true);
    assert!(differing > 60_000, "the overlay covers only {differing} px");
    assert!(report(&mut page).title.contains("hierarchical time"));
    page.press("p");
    assert_eq!(page.picture().differing(&before, |_, _| true), 0);
    no_errors(&mut page);
}

fn demo_offers_a_file_to_download(browser: &mut Browser, url: &str) {
    let mut page = open(browser, url, "", WINDOW);
    page.wait_until("demo.report_text().includes('trace_tile')");
    let html = page.evaluate("new TextDecoder().decode(demo.html())");
    let html = html.as_str().expect("the script should return a string");
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("trace_tile"));
    no_errors(&mut page);
}
