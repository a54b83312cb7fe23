//! Tests which events the overlay uses, and which ones it leaves to the page.

use crate::Test;
use crate::drawing::Host;
use iprof::overlay::{Hit, Overlay};
use iprof::web::Input;
use iprof::{ReportMode, View};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{
    AddEventListenerOptions, Element, Event, KeyboardEvent, KeyboardEventInit, PointerEvent,
    PointerEventInit, WheelEvent, WheelEventInit,
};

pub(crate) const TESTS: &[Test] = &[
    (
        "keys_used_by_the_overlay_do_not_reach_the_browser",
        keys_used_by_the_overlay_do_not_reach_the_browser,
    ),
    (
        "overlay_ignores_browser_and_text_field_keys",
        overlay_ignores_browser_and_text_field_keys,
    ),
    (
        "filter_receives_typed_characters",
        filter_receives_typed_characters,
    ),
    ("keys_are_bound_by_position", keys_are_bound_by_position),
    (
        "pointer_is_used_only_over_the_overlay",
        pointer_is_used_only_over_the_overlay,
    ),
    (
        "second_button_press_is_recognized",
        second_button_press_is_recognized,
    ),
    (
        "wheel_moves_cursor_by_notches",
        wheel_moves_cursor_by_notches,
    ),
    ("touch_taps_and_drags", touch_taps_and_drags),
    (
        "input_drives_current_overlay_and_default_view",
        input_drives_current_overlay_and_default_view,
    ),
];

/// A page with an overlay that shows zones, its input handler, and an element that replaces the canvas.
struct Page {
    input: Input,
    overlay: Overlay,
    view: View,
    canvas: Element,
}

impl Page {
    fn new() -> Page {
        // The report needs zones to show as rows.
        for _ in 0..3 {
            zones();
            iprof::update(true);
        }
        let mut page = Page {
            input: Input::new(),
            overlay: Overlay::new(),
            view: View::default(),
            canvas: element(
                "div",
                "position: fixed; left: 50px; top: 30px; width: 400px; height: 300px",
            ),
        };
        page.draw();
        page
    }

    fn draw(&mut self) {
        let mut frame = self.overlay.begin([400.0, 300.0]);
        frame.draw_report(&self.view, 0.0, 0.0, 300.0, 290.0, 2);
    }

    fn cursor(&self) -> usize {
        self.view
            .report(&iprof::profiler())
            .cursor()
            .expect("the report has no rows")
    }

    fn row(&self, at: usize) -> [i32; 2] {
        let is_it = |y: &i32| self.overlay.hit(100.0, *y as f32) == Some(Hit::Row(at));
        let mut rows = (0..300).filter(is_it);
        let (first, last) = (
            rows.next().expect("the row is not drawn"),
            rows.next_back().expect("the row is not drawn"),
        );
        [100, (first + last) / 2]
    }

    /// Dispatches an event to an element, as the browser would. Returns whether the overlay used the event.
    fn dispatch(&mut self, target: &Element, event: &Event) -> bool {
        let used = Rc::new(RefCell::new((
            std::mem::replace(self, Page::empty(&self.canvas)),
            None,
        )));
        let within = used.clone();
        let listen = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            let (page, used) = &mut *within.borrow_mut();
            *used = Some(
                page.input
                    .event_on(&mut page.overlay, &mut page.view, &event),
            );
        });
        let window = web_sys::window().expect("no `window` object");
        let (kind, call) = (event.type_(), listen.as_ref().unchecked_ref());
        // Only a non-passive listener can cancel wheel and touch events.
        let options = AddEventListenerOptions::new();
        options.set_passive(false);
        window
            .add_event_listener_with_callback_and_add_event_listener_options(&kind, call, &options)
            .expect("failed to add the listener");
        let is_accepted = target
            .dispatch_event(event)
            .expect("failed to dispatch the event");
        window
            .remove_event_listener_with_callback(&kind, call)
            .expect("failed to remove the listener");
        drop(listen);
        let (page, used) = Rc::into_inner(used)
            .expect("the listener should be gone")
            .into_inner();
        *self = page;
        let used = used.expect("the listener was not called");
        assert_eq!(
            is_accepted, !used,
            "exactly the used events should be canceled"
        );
        used
    }

    fn pointer_on_row(&mut self, kind: &str, at: usize, init: &PointerEventInit) -> bool {
        self.pointer(kind, self.row(at), init)
    }

    fn empty(canvas: &Element) -> Page {
        Page {
            input: Input::new(),
            overlay: Overlay::new(),
            view: View::default(),
            canvas: canvas.clone(),
        }
    }

    fn key(&mut self, target: &Element, init: &KeyboardEventInit) -> bool {
        init.set_bubbles(true);
        init.set_cancelable(true);
        init.set_composed(true);
        let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", init);
        self.dispatch(target, &event.expect("failed to create the event"))
    }

    fn press(&mut self, name: &str) -> bool {
        self.key(&body(), &key(name))
    }

    /// Dispatches a pointer event at a point on the canvas.
    fn pointer(&mut self, kind: &str, [x, y]: [i32; 2], init: &PointerEventInit) -> bool {
        init.set_bubbles(true);
        init.set_cancelable(true);
        init.set_client_x(50 + x);
        init.set_client_y(30 + y);
        let event =
            PointerEvent::new_with_event_init_dict(kind, init).expect("failed to create the event");
        self.dispatch(&self.canvas.clone(), &event)
    }
}

fn zones() {
    iprof::zone!(zone_0);
    iprof::zone!(zone_1);
    iprof::zone!(zone_2);
    iprof::zone!(zone_3);
    iprof::zone!(zone_4);
    iprof::zone!(zone_5);
    iprof::zone!(zone_6);
    iprof::zone!(zone_7);
}

fn body() -> Element {
    let document = web_sys::window().and_then(|window| window.document());
    document
        .and_then(|document| document.query_selector("body").ok()?)
        .expect("the page has no body")
}

fn element(tag: &str, style: &str) -> Element {
    let document = web_sys::window().and_then(|window| window.document());
    let element = document
        .expect("no `document` object")
        .create_element(tag)
        .expect("failed to create the element");
    element
        .set_attribute("style", style)
        .expect("failed to set the style");
    body()
        .append_child(&element)
        .expect("failed to add the element");
    element
}

fn key(name: &str) -> KeyboardEventInit {
    let init = KeyboardEventInit::new();
    init.set_key(name);
    init
}

/// Returns a mouse event. `changed` is the button that changed, or -1 for none. `down` is the bit mask of pressed
/// buttons.
fn buttons(changed: i16, down: u16) -> PointerEventInit {
    let init = PointerEventInit::new();
    init.set_pointer_type("mouse");
    init.set_pointer_id(1);
    init.set_button(changed);
    init.set_buttons(down);
    init
}

fn keys_used_by_the_overlay_do_not_reach_the_browser() {
    let mut page = Page::new();
    assert!(page.press("Tab"));
    assert_eq!(page.view.report_mode, ReportMode::HierarchicalTime);
    assert!(!page.press("F35"), "an unbound key was used");
    let up = KeyboardEvent::new("keyup").expect("failed to create the event");
    up.init_event_with_bubbles_and_cancelable("keyup", true, true);
    assert!(!page.dispatch(&body(), &up), "a key release was used");
    // Browsers that autofill forms dispatch plain events of type `keydown`.
    let event = Event::new("keydown").expect("failed to create the event");
    event.init_event_with_bubbles_and_cancelable("keydown", true, true);
    assert!(!page.dispatch(&body(), &event));
    page.input.controls.hidden = true;
    assert!(!page.press("Tab"), "a hidden overlay used a key");
}

fn overlay_ignores_browser_and_text_field_keys() {
    let mut page = Page::new();
    let reload = key("r");
    reload.set_ctrl_key(true);
    assert!(!page.key(&body(), &reload));
    for (tag, edits) in [
        ("input", true),
        ("textarea", true),
        ("select", true),
        ("button", false),
    ] {
        let field = element(tag, "");
        assert_eq!(!page.key(&field, &key("Tab")), edits, "{tag}");
    }
    let text = element("p", "");
    text.set_attribute("contenteditable", "")
        .expect("failed to set the attribute");
    assert!(!page.key(&text, &key("Tab")));
    let composing = key("Tab");
    composing.set_is_composing(true);
    assert!(!page.key(&body(), &composing));
}

fn filter_receives_typed_characters() {
    let mut page = Page::new();
    for name in ["/", "p", "F1", "ü"] {
        assert!(page.press(name), "{name}");
    }
    // Some systems report AltGr, which types characters, as Ctrl and Alt.
    let at = key("@");
    at.set_ctrl_key(true);
    at.set_alt_key(true);
    at.set_modifier_alt_graph(true);
    assert!(page.key(&body(), &at));
    let copy = key("c");
    copy.set_ctrl_key(true);
    assert!(!page.key(&body(), &copy));
    assert_eq!(page.view.filter, "pü@");
    assert_eq!(page.input.controls.help_page, 1, "F1 should open the help");
}

fn keys_are_bound_by_position() {
    let mut page = Page::new();
    page.input
        .controls
        .bindings
        .bind("KeyQ", iprof::Action::TogglePause);
    // The key at the position of Q types `a` on a French keyboard.
    let at_q = key("a");
    at_q.set_code("KeyQ");
    assert!(page.key(&body(), &at_q));
    assert!(page.input.controls.paused);
}

fn pointer_is_used_only_over_the_overlay() {
    let mut page = Page::new();
    assert!(
        !page.pointer("pointerdown", [350, 250], &buttons(0, 1)),
        "a click beside the overlay was used"
    );
    assert!(!page.pointer("pointerup", [350, 250], &buttons(0, 0)));
    let menu = buttons(2, 2);
    assert!(!page.pointer("pointerdown", [350, 250], &menu));
    assert!(
        !page.pointer("contextmenu", [350, 250], &menu),
        "the browser's menu should open"
    );
    page.pointer("pointerup", [350, 250], &buttons(2, 0));

    page.pointer_on_row("pointermove", 3, &buttons(-1, 0));
    assert!(page.pointer_on_row("pointerdown", 3, &buttons(0, 1)));
    assert!(page.pointer_on_row("pointerup", 3, &buttons(0, 0)));
    assert_eq!(page.cursor(), 3, "a click should move the cursor");
    assert!(page.pointer_on_row("pointerdown", 3, &menu));
    assert!(
        page.pointer_on_row("contextmenu", 3, &menu),
        "the browser's menu should not open"
    );
    page.pointer_on_row("pointerup", 3, &buttons(2, 0));
    page.pointer_on_row("pointerleave", 3, &buttons(-1, 0));
}

fn second_button_press_is_recognized() {
    let mut page = Page::new();
    page.pointer_on_row("pointerdown", 4, &buttons(1, 4));
    // The browser reports the second button as a pointer movement.
    assert!(page.pointer_on_row("pointermove", 4, &buttons(0, 5)));
    page.pointer_on_row("pointermove", 4, &buttons(0, 4));
    assert_eq!(page.cursor(), 4);
    page.pointer_on_row("pointerup", 4, &buttons(1, 0));
}

fn wheel_moves_cursor_by_notches() {
    let mut page = Page::new();
    page.pointer_on_row("pointermove", 0, &buttons(-1, 0));
    let mut turn = |down: f64, mode: u32, is_across: bool| {
        let init = WheelEventInit::new();
        init.set_bubbles(true);
        init.set_cancelable(true);
        if is_across {
            init.set_delta_x(down);
        } else {
            init.set_delta_y(down);
        }
        init.set_delta_mode(mode);
        let event = WheelEvent::new_with_event_init_dict("wheel", &init)
            .expect("failed to create the event");
        let used = page.dispatch(&page.canvas.clone(), &event);
        (used, page.cursor())
    };
    assert_eq!(turn(200.0, WheelEvent::DOM_DELTA_PIXEL, false), (true, 2));
    assert_eq!(turn(3.0, WheelEvent::DOM_DELTA_LINE, false), (true, 3));
    assert_eq!(turn(-1.0, WheelEvent::DOM_DELTA_PAGE, false), (true, 2));
    assert_eq!(turn(100.0, WheelEvent::DOM_DELTA_PIXEL, true), (true, 3));
}

fn touch_taps_and_drags() {
    let finger = |down: u16| {
        let init = buttons(0, down);
        init.set_pointer_type("touch");
        init.set_pointer_id(7);
        init
    };
    let mut page = Page::new();
    assert!(page.pointer_on_row("pointerdown", 5, &finger(1)));
    assert!(page.pointer_on_row("pointerup", 5, &finger(0)));
    assert!(!page.pointer_on_row("pointerleave", 5, &finger(0)));
    assert_eq!(page.cursor(), 5, "a tap should move the cursor");
    // Dragging upward scrolls to rows further down.
    assert!(page.pointer_on_row("pointerdown", 5, &finger(1)));
    assert!(page.pointer_on_row("pointermove", 3, &finger(1)));
    page.pointer_on_row("pointercancel", 3, &finger(0));
    assert!(page.cursor() > 5, "a drag should scroll");
}

fn input_drives_current_overlay_and_default_view() {
    let event = || {
        let init = key("Tab");
        let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init);
        event.expect("failed to create the event")
    };
    let mode = || iprof::with_view(|view| view.report_mode);
    let mut input = Input::new();
    assert!(input.event(&event()), "keys should work without an overlay");
    assert_eq!(mode(), ReportMode::HierarchicalTime);
    let host = Host::new();
    // SAFETY: a page's contexts are always current.
    unsafe { iprof::gl::init(host.gl.clone()) }.expect("failed to create the overlay");
    assert!(input.event(&event()));
    assert_eq!(mode(), ReportMode::CallGraph);
    assert!(input.event_with(&mut Overlay::new(), &event()));
    assert_ne!(mode(), ReportMode::CallGraph);
}
