//! Follows docs/stutter.md, the guide to finding the cause of a stutter. The test starts the demo as the page describes
//! and presses the keys that the page names. The demo's report must then show what the page describes.

use super::*;

const GUIDE: &str = include_str!("../../docs/stutter.md");

/// The keys named in a section of the page, in order.
struct Page {
    keys: std::vec::IntoIter<String>,
}

impl Page {
    fn section(title: &str) -> Page {
        let (_, section) = GUIDE
            .split_once(&format!("\n## {title}\n"))
            .expect("the page should have the section");
        let section = section.split("\n## ").next().unwrap_or_default();
        let mut keys = Vec::new();
        for (at, block) in section.split("```").enumerate() {
            // Odd-numbered parts are code blocks.
            if at % 2 == 0 {
                keys.extend(keys_of(block));
            }
        }
        Page {
            keys: keys.into_iter(),
        }
    }

    #[track_caller]
    fn next(&mut self) -> String {
        self.keys.next().expect("the page should name another key")
    }

    #[track_caller]
    fn press(&mut self, demo: &Demo) {
        press(demo, &self.next());
    }

    #[track_caller]
    fn assert_ends(mut self) {
        assert_eq!(
            self.keys.next(),
            None,
            "all keys in the section should be pressed"
        );
    }
}

/// Returns the keys named in a text: words such as `Shift+X`, `Home` and `B`, and digits after "press".
fn keys_of(text: &str) -> Vec<String> {
    let is_mark = |letter: char| !letter.is_alphanumeric() && letter != '+';
    let words = text
        .split_whitespace()
        .map(|word| word.trim_matches(is_mark));
    let (mut keys, mut before) = (Vec::new(), "");
    for word in words {
        let is_letter = word.len() == 1 && word.chars().all(|letter| letter.is_ascii_uppercase());
        let is_key = word.starts_with("Shift+")
            || ["Home", "Escape"].contains(&word)
            // The word "A" by itself is an article, not a key.
            || is_letter && word != "A"
            || ["press", "Press"].contains(&before) && word.parse::<u8>().is_ok();
        if is_key {
            keys.push(word.to_owned());
        }
        before = word;
    }
    keys
}

/// Presses a key, given its name on the page.
fn press(demo: &Demo, key: &str) {
    let (shift, key) = match key.strip_prefix("Shift+") {
        Some(key) => ("shift+", key),
        None => ("", key),
    };
    let key = match key {
        "Enter" => "Return".to_owned(),
        letter if letter.len() == 1 => letter.to_lowercase(),
        key => key.to_owned(),
    };
    demo.keys(&format!("{shift}{key}"));
}

/// Starts the demo as the page does, but with additional options, and with fewer rays, so that the test also works on
/// busy machines.
fn start<'a>(server: &'a XServer, name: &str, options: &[&str]) -> Demo<'a> {
    let (_, command) = GUIDE
        .split_once("./dev demo ")
        .expect("the page should contain the command");
    let command = command.lines().next().unwrap_or_default();
    let command: Vec<&str> = command.split(' ').chain(["--rays", "1"]).collect();
    Demo::start_as(server, name, &[&command[..], options].concat())
}

/// A frame rate that busy machines can keep up with, and the frame budget at that rate.
const SLOWLY: [&str; 2] = ["--fps", "20"];
const BUDGET: &str = "75 ms";
/// The time it takes for slow growth to become visible.
const GROWTH: Duration = Duration::from_secs(10);
/// The time in which a fault occurs about six times at the frame rate that the page uses.
const BURSTS: Duration = Duration::from_secs(5);

/// Returns a zone's row in the first report, as a line of text.
#[track_caller]
fn row<'t>(text: &'t str, zone: &str) -> Option<&'t str> {
    let name = |line: &&str| {
        line.trim_start_matches(['>', ' ', '+', '-'])
            .starts_with(zone)
    };
    first(text).find(name)
}

/// Returns the lines of the report that is shown, without the other threads' reports.
fn first(text: &str) -> impl Iterator<Item = &str> {
    let is_title = |line: &&str| line.contains(" ms/frame ") || line.contains(" ms/frame  ");
    text.lines()
        .enumerate()
        .take_while(move |(at, line)| *at == 0 || !is_title(line))
        .map(|(_, line)| line)
}

fn cursor(text: &str) -> &str {
    let row = first(text)
        .find(|line| line.starts_with('>'))
        .expect("the report should have a cursor");
    let row = row.trim_start_matches(['>', ' ', '+', '-']);
    row.split("  ").next().unwrap_or_default()
}

fn title(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Returns the headers of the numeric columns, with their spaces removed.
fn headers(text: &str) -> Vec<String> {
    let is_head = |line: &&str| {
        line.trim_start_matches([' ', '\u{25bc}', '\u{25b2}'])
            .starts_with("zone ")
    };
    let head = first(text)
        .find(is_head)
        .expect("the report should have headers")
        .replace(['\u{25bc}', '\u{25b2}'], "  ");
    let heads = head.split("  ").map(|head| head.trim().replace(' ', "_"));
    let mut heads = heads.filter(|head| !head.is_empty());
    heads.next();
    heads.collect()
}

#[track_caller]
fn number(text: &str, zone: &str, column: &str) -> f64 {
    let heads = headers(text);
    let at = heads.iter().position(|head| head == column);
    let at = at.unwrap_or_else(|| panic!("no column {column}: {heads:?}"));
    let row = row(text, zone).unwrap_or_else(|| panic!("no {zone}: {text}"));
    // Columns are counted from the right, because names contain spaces.
    let mut words = row.split_whitespace().rev();
    let word = words.nth(heads.len() - 1 - at).unwrap_or_default();
    let number = word.trim_start_matches('~').parse();
    number.unwrap_or_else(|_| panic!("no number in {column}: {row}"))
}

/// Runs the page's searches one after another. Running them at the same time would affect their frame times.
#[test]
fn guide_keys_lead_to_each_fault() {
    let Some(server) = server() else { return };
    find_rare_hitch(&server);
    find_slow_growth(&server);
    find_allocation_storm(&server);
}

fn find_rare_hitch(server: &XServer) {
    let mut page = Page::section("A rare hitch");
    let demo = start(server, "guide_hitch", &SLOWLY);
    thread::sleep(Duration::from_secs(2));
    let hitch = page.next();
    for _ in 0..2 {
        press(&demo, &hitch);
        thread::sleep(Duration::from_secs(2));
    }
    page.press(&demo);
    let text = demo.report_text();
    assert!(
        title(&text).contains(&format!("  frames over {BUDGET}, mean of ")),
        "{text}"
    );
    assert!(
        text.contains(&format!("vs. frames up to {BUDGET}, mean of ")),
        "{text}"
    );
    // The fraction of the difference that is due to cost per call depends on how busy the machine is.
    let [collide, forces] = ["particles::collide", "particles::forces"]
        .map(|zone| move |text: &str, column| number(text, zone, column));
    assert!(
        collide(&text, "count") > 5.0 * collide(&text, "base_count"),
        "{text}"
    );
    assert!(collide(&text, "by_count") > 0.0, "{text}");
    assert!(forces(&text, "by_cost") > 0.0, "{text}");

    let bars = server.screen();
    page.press(&demo);
    demo.window.wait_until("the flame graph", LIMIT, |screen| {
        changes_in_graph(&bars, screen) > 5_000
    });
    // Go to the root, to its callee, one level further, and back. The callee may have no box next to it.
    let down = page.next();
    press(&demo, &down);
    let root = cursor(&demo.report_text()).to_owned();
    press(&demo, &down);
    let callee = cursor(&demo.report_text()).to_owned();
    assert_ne!(root, callee);
    press(&demo, &down);
    assert_ne!(cursor(&demo.report_text()), callee);
    page.press(&demo);
    assert_eq!(cursor(&demo.report_text()), callee);
    page.press(&demo);
    page.press(&demo);
    page.press(&demo);
    demo.keep_screenshot("zoomed");
    // The flame graph must be zoomed in here. If it weren't, this key would quit the demo.
    page.press(&demo);
    demo.report_text();

    page.press(&demo);
    page.press(&demo);
    let text = demo.report_text();
    assert!(title(&text).contains("  live, "), "{text}");
    assert!(!text.contains(" vs. "), "{text}");
    page.press(&demo);
    page.press(&demo);
    let text = demo.report_text();
    assert!(frame(title(&text)).is_some(), "{text}");
    assert!(text.contains(" vs. "), "{text}");
    page.assert_ends();
}

fn find_slow_growth(server: &XServer) {
    let mut page = Page::section("Slow growth");
    let demo = start(server, "guide_growth", &SLOWLY);
    page.press(&demo);
    thread::sleep(GROWTH);
    let span = || {
        let text = demo.report_text();
        let span = title(&text).split_once("  session: ");
        let (_, span) = span.unwrap_or_else(|| panic!("no session: {text}"));
        span.split(" (").next().unwrap_or_default().to_owned()
    };
    // Go to the newest span, to the previous one, and back to the newest. Then select everything from the start of the
    // older span to the end of the newest one.
    let older = page.next();
    press(&demo, &older);
    let newest = span();
    press(&demo, &older);
    let before = span();
    assert_ne!(newest, before);
    page.press(&demo);
    assert_eq!(span().split(' ').next(), newest.split(' ').next());
    page.press(&demo);
    let text = demo.report_text();
    demo.keep_screenshot("growth");
    assert!(text.contains(" vs. session: all but "), "{text}");
    assert!(number(&text, "trails::fade", "by_count") > 1.0, "{text}");
    let marks = number(&text, "trails::fade", "marks");
    assert!(
        marks > 1.5 * number(&text, "trails::fade", "base_marks"),
        "{text}"
    );

    let compare = page.next();
    press(&demo, &compare);
    press(&demo, &compare);
    page.press(&demo);
    let text = demo.report_text();
    assert!(
        title(&text).contains("  live, ") && !text.contains(" vs. "),
        "{text}"
    );
    assert!(
        headers(&text).iter().any(|head| head.ends_with("/mark")),
        "{text}"
    );
    page.press(&demo);
    let text = demo.report_text();
    assert!(title(&text).contains("  session: frames "), "{text}");
    assert!(!text.contains(" vs. "), "{text}");
    page.press(&demo);
    let text = demo.report_text();
    assert!(text.contains(" vs. session: all but frames "), "{text}");
    page.assert_ends();
}

fn find_allocation_storm(server: &XServer) {
    let mut page = Page::section("A storm of allocations");
    let demo = start(server, "guide_allocations", &[]);
    let storms = page.next();
    press(&demo, &storms);
    thread::sleep(BURSTS);
    page.press(&demo);
    let stands_out = |text: &str| {
        let value = |column| number(text, "labels::write", column);
        value("p99_ms").min(value("max_ms")) > 5.0 * value("self_ms")
    };
    // Wait, because right after a storm, the one-second average is still dominated by the storm.
    let began = Instant::now();
    let mut text = demo.report_text();
    while !stands_out(&text) && began.elapsed() < LIMIT {
        text = demo.report_text();
    }
    assert!(stands_out(&text), "{text}");
    assert_eq!(
        number(&text, "labels::write", "p50_ms"),
        0.0,
        "the median should not show the burst"
    );
    page.press(&demo);
    let text = demo.report_text();
    let value = |column| number(&text, "labels::write", column);
    assert!(value("alloc_objects") > 1_000.0, "{text}");
    assert!(
        value("alloc_objects") > value("base_alloc_objects"),
        "{text}"
    );
    demo.keep_screenshot("storms");
    page.press(&demo);
    let text = demo.report_text();
    assert!(headers(&text).contains(&"alloc_space".to_owned()), "{text}");

    page.press(&demo);
    page.press(&demo);
    let text = demo.report_text();
    assert!(title(&text).contains("  live, "), "{text}");
    number(&text, "labels::write", "rescued");
    // Press the key until the rows are sorted by the last column, `rescued`.
    let sort = page.next();
    (0..headers(&text).len()).for_each(|_| press(&demo, &sort));
    let text = demo.report_text();
    assert!(text.contains("\u{25bc}rescued"), "{text}");
    // On a busy machine, other frames are also slow, so other zones may be ranked higher.
    number(&text, "labels::write", "rescued");
    drop(demo);

    // The page also states the zone's budget.
    let (_, budget) = GUIDE
        .split_once("`--budget ")
        .expect("the page should contain the option");
    let budget = budget.split('`').next().unwrap_or_default();
    let demo = start(server, "guide_budget", &["--budget", budget]);
    page.press(&demo);
    // On a busy machine, other zones may have spikes.
    let (spike, start) = (page.next(), Instant::now());
    let is_it = |text: &String| row(text, "labels::write").is_some();
    let text = loop {
        demo.keys("Home");
        thread::sleep(BURSTS);
        let mut spikes = (0..5).map(|_| {
            press(&demo, &spike);
            demo.report_text()
        });
        if let Some(text) = spikes.find(is_it) {
            break text;
        }
        assert!(start.elapsed() < WORK_LIMIT, "labels::write has no spike");
    };
    assert!(frame(title(&text)).is_some(), "{text}");
    let row = row(&text, "labels::write").unwrap_or_default();
    assert!(row.contains("(over budget)"), "{text}");
    page.assert_ends();
}
