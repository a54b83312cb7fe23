//! Tests the help page and its hint, hovering over column headers and titles, and clicking on them.

use crate::scenes::rows;
use crate::stage::{draw_background, overlay, picture, stage};
use crate::support::headless::Kind;
use crate::support::image::{Image, Tolerance, assert_golden};
use crate::support::painted::Painted;
use iprof::overlay::{Hit, PointerButton, PointerEvent, TouchPhase};
use iprof::{Action, Bindings, Controls, Modifiers, View};

/// The tolerance for pictures whose edges are all on whole pixels, as in `pictures`.
pub(crate) const EXACT_EDGES: Tolerance = Tolerance {
    per_channel: 2,
    pixels: 8,
};

fn move_to(overlay: &mut Painted, x: f32, y: f32) -> bool {
    overlay.pointer(PointerEvent::Moved { x, y }).consumed
}

fn click(overlay: &mut Painted) -> Option<Action> {
    let action = overlay
        .pointer(PointerEvent::Pressed(PointerButton::Primary))
        .action;
    overlay.pointer(PointerEvent::Released(PointerButton::Primary));
    action
}

/// Writes a picture for visual inspection. The help has no golden picture, because it changes with every new key or
/// column.
fn keep(name: &str, picture: &Image) {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
    picture.write(&path, png::Compression::Fastest);
    println!("picture: {}", path.display());
}

#[test]
fn hovered_column_header_is_marked_and_explained() {
    for kind in [Kind::Gl33Core, Kind::Gles30] {
        let drawn = picture(kind, [640, 200], |overlay| {
            for _ in 0..2 {
                move_to(overlay, 470.0, 32.0);
                overlay.draw(|frame| frame.draw_report(&rows(8, 3), 10.0, 10.0, 540.0, 180.0, 2));
            }
            overlay.draw(|frame| frame.draw_tooltip());
        });
        if let Some(drawn) = drawn {
            assert_golden("tooltip_header", &drawn, EXACT_EDGES);
        }
    }
}

#[test]
fn help_fits_every_screen_and_covers_the_report() {
    for (size, text) in [
        ([320, 240], 12.0),
        ([640, 480], 12.0),
        ([1280, 720], 12.0),
        ([1280, 720], 24.0),
    ] {
        let Some(h) = stage(Kind::Gl33Core, size) else {
            return;
        };
        let [width, height] = size.map(|px| px as f32);
        let (mut overlay, mut controls) = (overlay(&h), Controls::new());
        overlay.set_text_size(text);
        let draw = |overlay: &mut Painted, controls: &mut Controls| {
            draw_background(&h);
            overlay.draw(|frame| {
                frame.draw_report(&rows(30, 3), 4.0, 4.0, width - 8.0, height - 8.0, 2)
            });
            overlay.draw(|frame| controls.draw_help(frame, 4.0, 4.0, width - 8.0, height - 8.0));
            h.read()
        };
        let hinted = draw(&mut overlay, &mut controls);
        keep(&format!("hint_{width}_{text}"), &hinted);
        // The hint is shown at the end of a title line with enough room, and can be clicked.
        assert!(move_to(&mut overlay, width - 8.0, 8.0));
        assert_eq!(click(&mut overlay), Some(Action::NextHelpPage));
        move_to(&mut overlay, 40.0, height / 2.0);
        assert!(matches!(overlay.hit(40.0, height / 2.0), Some(Hit::Row(_))));
        let mut pages = Vec::new();
        loop {
            controls.key("F1", Modifiers::NONE);
            let page = draw(&mut overlay, &mut controls);
            if controls.help_page == 0 {
                break;
            }
            keep(
                &format!("help_{width}_{text}_{}", controls.help_page),
                &page,
            );
            assert_eq!(overlay.hit(40.0, height / 2.0), None);
            assert_eq!(click(&mut overlay), Some(Action::NextHelpPage));
            assert!(
                pages
                    .iter()
                    .all(|other: &Image| other.differing(&page, 2) > 1_000)
            );
            pages.push(page);
        }
        let least = if width < 400.0 { 3 } else { 1 };
        assert!((least..20).contains(&pages.len()), "{} pages", pages.len());
        // The hint disappears once the help has been shown.
        let plain = draw(&mut overlay, &mut controls);
        assert!(plain.differing(&hinted, 2) > 100);
        move_to(&mut overlay, width - 8.0, 8.0);
        assert_eq!(click(&mut overlay), None);
        controls.help_page = 1;
        controls.hidden = true;
        assert_eq!(draw(&mut overlay, &mut controls).differing(&plain, 2), 0);
        overlay.destroy();
    }
}

/// If the title is long, the hint is shown on a different line. If all lines are long, the first line is cut off to
/// make room for the hint.
#[test]
fn hint_covers_no_text() {
    let Some(h) = stage(Kind::Gl33Core, [320, 240]) else {
        return;
    };
    let title = "16.71 ms/frame  59.8 fps  self time  all 3 threads";
    // The smaller rectangle has room for only one line.
    for (high, name) in [(60.0, "names"), (16.0, "corner")] {
        let (mut overlay, mut controls) = (overlay(&h), Controls::new());
        let mut report = rows(30, 3);
        report.title = vec![title.into(), title.into()];
        // Without heat colors, nothing else is as yellow as the hint.
        report.rows.iter_mut().for_each(|row| row.heat = 0.0);
        let mut draw = |is_hinted: bool| {
            // The layout avoids the hint from the second draw on.
            for _ in 0..2 {
                draw_background(&h);
                overlay.draw(|frame| frame.draw_report(&report, 4.0, 4.0, 312.0, high, 2));
                if is_hinted {
                    overlay.draw(|frame| controls.draw_help(frame, 4.0, 4.0, 312.0, high));
                }
            }
            h.read()
        };
        let (hinted, plain) = (draw(true), draw(false));
        keep(&format!("hint_small_{name}"), &hinted);
        // The hint must not cover any text.
        let is_text = |[r, g, b, _]: [u8; 4]| r > 150 && g > 150 && b > 150;
        let is_hint = |[r, g, b, _]: [u8; 4]| r > 230 && g > 220 && b < 150;
        let all = (0..240).flat_map(|y| (0..320).map(move |x| (x, y)));
        let is_hint = |(x, y): &(u32, u32)| is_hint(hinted.pixel(*x, *y));
        let hint: Vec<(u32, u32)> = all.filter(is_hint).collect();
        assert!(hint.len() > 500, "{} px", hint.len());
        let hidden = hint.iter().filter(|(x, y)| is_text(plain.pixel(*x, *y)));
        let hidden = hidden.count();
        // In the small rectangle, the title is cut off before the hint.
        assert!(hidden == 0 || high < 20.0, "{name}: {hidden}");
        let from = hint.iter().map(|(x, _)| *x).min().unwrap_or(0);
        let is_cut = (from - 7..from).all(|x| (4..19).all(|y| !is_text(hinted.pixel(x, y))));
        assert!(is_cut || high > 20.0, "{name}");
        overlay.destroy();
    }
}

#[test]
fn help_without_key_has_no_hint() {
    let Some(h) = stage(Kind::Gl33Core, [320, 240]) else {
        return;
    };
    let mut overlay = overlay(&h);
    let before = h.read();
    overlay.draw(|frame| frame.draw_help_hint(&Bindings::none(), 0.0, 0.0, 320.0, 240.0));
    for w in [f32::NAN, -1.0, f32::INFINITY, 0.0] {
        assert_eq!(
            overlay.draw(|frame| frame.draw_help(&Bindings::default(), 1, 0.0, 0.0, w, 240.0)),
            1
        );
        overlay.draw(|frame| frame.draw_help_hint(&Bindings::default(), 0.0, 0.0, w, 240.0));
    }
    assert_eq!(h.read().differing(&before, 0), 0);
    overlay.destroy();
}

/// Drives the default view with `Controls`, as a host would.
#[test]
fn clicks_on_titles_and_headers_change_the_view() {
    let _alone = crate::stage::default_view();
    let Some(h) = stage(Kind::Gl33Core, [640, 480]) else {
        return;
    };
    assert!(iprof::gl::make_current(Some(overlay(&h).pair())).is_none());
    {
        iprof::zone!(titled_zone);
    }
    iprof::update(true);
    iprof::configure(|config| config.refresh_rate = None);
    let mut controls = Controls::new();
    let before = iprof::with_view(|view| (view.report_mode, view.average));
    let (mut paused, mut modes, mut averages, mut sorts) = (0, 0, 0, Vec::new());
    let mut last = before;
    for y in [17.0, 47.0] {
        // A title that contains a thread name may wrap onto a different line.
        iprof::with_view(|view| *view = iprof::View::default());
        for x in (12..600).step_by(24) {
            iprof::with_view(|view| view.set_threads(iprof::Threads::All));
            iprof::draw_gl(10.0, 10.0, 600.0, 300.0, 2);
            controls.pointer(PointerEvent::Moved { x: x as f32, y });
            let was = controls.paused;
            assert!(controls.pointer(PointerEvent::Pressed(PointerButton::Primary)));
            controls.pointer(PointerEvent::Released(PointerButton::Primary));
            paused += usize::from(controls.paused != was);
            let now = iprof::with_view(|view| (view.report_mode, view.average));
            modes += usize::from(now.0 != last.0);
            averages += usize::from(now.1 != last.1);
            last = now;
            sorts.extend(
                iprof::with_view(|view| view.sort().0)
                    .ne(&iprof::Sort::Mode)
                    .then_some(()),
            );
        }
    }
    assert!(
        paused > 0 && modes > 0 && averages > 0,
        "{paused}, {modes}, {averages}"
    );
    assert!(!sorts.is_empty());
    controls.hidden = true;
    assert!(!controls.pointer(PointerEvent::Pressed(PointerButton::Primary)));
    // Reset the profiler for the other tests in this process.
    iprof::set_timing(iprof::Timing::Exact);
    iprof::configure(|config| config.refresh_rate = Some(10.0));
    iprof::reset();
    iprof::gl::make_current(None)
        .expect("an overlay should be current")
        .1
        .destroy();
}

#[test]
fn controls_drive_view_and_overlay_of_the_host() {
    let Some(h) = stage(Kind::Gl33Core, [640, 480]) else {
        return;
    };
    let (mut overlay, mut view, mut controls) = (overlay(&h), View::default(), Controls::new());
    let on_hint = PointerEvent::Moved { x: 632.0, y: 8.0 };
    let [press, release] = [PointerEvent::Pressed, PointerEvent::Released];
    let (press, release) = (
        press(PointerButton::Primary),
        release(PointerButton::Primary),
    );
    let draw = |controls: &mut Controls, overlay: &mut Painted| {
        draw_background(&h);
        overlay.draw(|frame| frame.draw_report(&rows(30, 3), 4.0, 4.0, 632.0, 472.0, 2));
        overlay.draw(|frame| controls.draw_help(frame, 4.0, 4.0, 632.0, 472.0));
        h.read()
    };

    let dark = draw(&mut controls, &mut overlay);
    controls.hidden = true;
    let mut on = controls.on(&mut view, &mut overlay);
    for event in [on_hint, press, release] {
        assert!(
            !on.pointer(event),
            "a hidden overlay should not use {event:?}"
        );
    }
    controls.hidden = false;
    let mut on = controls.on(&mut view, &mut overlay);
    assert!([on_hint, press, release].map(|event| on.pointer(event))[1]);
    assert_eq!(
        controls.help_page, 1,
        "a click on the hint should show the help"
    );

    controls = Controls::new();
    draw(&mut controls, &mut overlay);
    let mut on = controls.on(&mut view, &mut overlay);
    for phase in [TouchPhase::Started, TouchPhase::Ended] {
        on.touch(1, phase, 632.0, 8.0);
    }
    assert_eq!(
        controls.help_page, 1,
        "a tap on the hint should show the help"
    );

    controls = Controls::new();
    let mut on = controls.on(&mut view, &mut overlay);
    on.act(Action::NextTheme);
    let light = draw(&mut controls, &mut overlay);
    assert_ne!(dark.pixel(300, 10), light.pixel(300, 10));
    assert_eq!(
        view,
        View::default(),
        "changing the theme should not change the view"
    );
}
