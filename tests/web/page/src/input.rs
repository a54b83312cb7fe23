//! Events that the overlay uses, and events that it leaves to the page.

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
        "used_keys_do_not_reach_the_browser",
        used_keys_do_not_reach_the_browser,
    ),
    (
        "browser_and_text_fields_keep_their_keys",
        browser_and_text_fields_keep_their_keys,
    ),
    (
        "filter_receives_typed_characters",
        filter_receives_typed_characters,
    ),
    ("keys_are_bound_by_position", keys_are_bound_by_position),
    (
        "overlay_uses_the_pointer_where_it_has_drawn",
        overlay_uses_the_pointer_where_it_has_drawn,
    ),
    (
        "second_button_press_is_recognized",
        second_button_press_is_recognized,
    ),
    ("the_wheel_counts_notches", the_wheel_counts_notches),
    ("a_finger_taps_and_drags", a_finger_taps_and_drags),
    (
        "input_drives_current_overlay_and_default_view",
        input_drives_current_overlay_and_default_view,
    ),
];

/// A page with input, an overlay that shows zones, and an element in place of a canvas.
struct Page {
    input: Input,
    overlay: Overlay,
    view: View,
    canvas: Element,
}

impl Page {
    fn new() -> Page {
        // Records zones for the rows.
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
            .expect("there are rows")
    }

    fn row(&self, at: usize) -> [i32; 2] {
        let is_it = |y: &i32| self.overlay.hit(100.0, *y as f32) == Some(Hit::Row(at));
        let mut rows = (0..300).filter(is_it);
        let (first, last) = (
            rows.next().expect("a row"),
            rows.next_back().expect("a row"),
        );
        [100, (first + last) / 2]
    }

    /// Dispatches an event at an element like the browser. Returns whether it was used.
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
        let window = web_sys::window().expect("a page");
        let (kind, call) = (event.type_(), listen.as_ref().unchecked_ref());
        // With a listener that is not passive, the browser waits for its decision about wheel and touch events.
        let options = AddEventListenerOptions::new();
        options.set_passive(false);
        window
            .add_event_listener_with_callback_and_add_event_listener_options(&kind, call, &options)
            .expect("the listener was added");
        let is_accepted = target.dispatch_event(event).expect("the event is valid");
        window
            .remove_event_listener_with_callback(&kind, call)
            .expect("the listener was removed");
        drop(listen);
        let (page, used) = Rc::into_inner(used)
            .expect("the listener is gone")
            .into_inner();
        *self = page;
        let used = used.expect("the listener was called");
        assert_eq!(is_accepted, !used, "a used event is canceled");
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
        self.dispatch(target, &event.expect("an event"))
    }

    fn press(&mut self, name: &str) -> bool {
        self.key(&body(), &key(name))
    }

    /// Dispatches a pointer event at a point of the canvas.
    fn pointer(&mut self, kind: &str, [x, y]: [i32; 2], init: &PointerEventInit) -> bool {
        init.set_bubbles(true);
        init.set_cancelable(true);
        init.set_client_x(50 + x);
        init.set_client_y(30 + y);
        let event = PointerEvent::new_with_event_init_dict(kind, init).expect("an event");
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
        .expect("a body")
}

fn element(tag: &str, style: &str) -> Element {
    let document = web_sys::window().and_then(|window| window.document());
    let element = document
        .expect("a page")
        .create_element(tag)
        .expect("an element");
    element.set_attribute("style", style).expect("a style");
    body()
        .append_child(&element)
        .expect("the element can be added");
    element
}

fn key(name: &str) -> KeyboardEventInit {
    let init = KeyboardEventInit::new();
    init.set_key(name);
    init
}

/// Returns a mouse event with the button that has changed, or -1, and the buttons that are down.
fn buttons(changed: i16, down: u16) -> PointerEventInit {
    let init = PointerEventInit::new();
    init.set_pointer_type("mouse");
    init.set_pointer_id(1);
    init.set_button(changed);
    init.set_buttons(down);
    init
}

fn used_keys_do_not_reach_the_browser() {
    let mut page = Page::new();
    assert!(page.press("Tab"));
    assert_eq!(page.view.report_mode, ReportMode::HierarchicalTime);
    assert!(!page.press("F35"), "an unbound key was used");
    let up = KeyboardEvent::new("keyup").expect("an event");
    up.init_event_with_bubbles_and_cancelable("keyup", true, true);
    assert!(!page.dispatch(&body(), &up), "a release");
    // Browsers that fill in forms send other events under the names of key events.
    let event = Event::new("keydown").expect("an event");
    event.init_event_with_bubbles_and_cancelable("keydown", true, true);
    assert!(!page.dispatch(&body(), &event));
    page.input.controls.hidden = true;
    assert!(!page.press("Tab"), "hidden");
}

fn browser_and_text_fields_keep_their_keys() {
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
        .expect("an attribute");
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
    // On some systems a key writes a character together with AltGr, which is reported as Ctrl and Alt.
    let at = key("@");
    at.set_ctrl_key(true);
    at.set_alt_key(true);
    at.set_modifier_alt_graph(true);
    assert!(page.key(&body(), &at));
    let copy = key("c");
    copy.set_ctrl_key(true);
    assert!(!page.key(&body(), &copy));
    assert_eq!(page.view.filter, "pü@");
    assert_eq!(page.input.controls.help_page, 1, "F1 writes nothing");
}

fn keys_are_bound_by_position() {
    let mut page = Page::new();
    page.input
        .controls
        .bindings
        .bind("KeyQ", iprof::Action::TogglePause);
    // A key of the French layout.
    let at_q = key("a");
    at_q.set_code("KeyQ");
    assert!(page.key(&body(), &at_q));
    assert!(page.input.controls.paused);
}

fn overlay_uses_the_pointer_where_it_has_drawn() {
    let mut page = Page::new();
    assert!(
        !page.pointer("pointerdown", [350, 250], &buttons(0, 1)),
        "beside"
    );
    assert!(!page.pointer("pointerup", [350, 250], &buttons(0, 0)));
    let menu = buttons(2, 2);
    assert!(!page.pointer("pointerdown", [350, 250], &menu));
    assert!(
        !page.pointer("contextmenu", [350, 250], &menu),
        "the browser's menu"
    );
    page.pointer("pointerup", [350, 250], &buttons(2, 0));

    page.pointer_on_row("pointermove", 3, &buttons(-1, 0));
    assert!(page.pointer_on_row("pointerdown", 3, &buttons(0, 1)));
    assert!(page.pointer_on_row("pointerup", 3, &buttons(0, 0)));
    assert_eq!(page.cursor(), 3, "a click");
    assert!(page.pointer_on_row("pointerdown", 3, &menu));
    assert!(page.pointer_on_row("contextmenu", 3, &menu), "no menu");
    page.pointer_on_row("pointerup", 3, &buttons(2, 0));
    page.pointer_on_row("pointerleave", 3, &buttons(-1, 0));
}

fn second_button_press_is_recognized() {
    let mut page = Page::new();
    page.pointer_on_row("pointerdown", 4, &buttons(1, 4));
    // For the second button, the browser reports that the pointer moves.
    assert!(page.pointer_on_row("pointermove", 4, &buttons(0, 5)));
    page.pointer_on_row("pointermove", 4, &buttons(0, 4));
    assert_eq!(page.cursor(), 4);
    page.pointer_on_row("pointerup", 4, &buttons(1, 0));
}

fn the_wheel_counts_notches() {
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
        let event = WheelEvent::new_with_event_init_dict("wheel", &init).expect("an event");
        let used = page.dispatch(&page.canvas.clone(), &event);
        (used, page.cursor())
    };
    assert_eq!(turn(200.0, WheelEvent::DOM_DELTA_PIXEL, false), (true, 2));
    assert_eq!(turn(3.0, WheelEvent::DOM_DELTA_LINE, false), (true, 3));
    assert_eq!(turn(-1.0, WheelEvent::DOM_DELTA_PAGE, false), (true, 2));
    assert_eq!(turn(100.0, WheelEvent::DOM_DELTA_PIXEL, true), (true, 3));
}

fn a_finger_taps_and_drags() {
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
    assert_eq!(page.cursor(), 5, "a tap");
    // The rows below follow the finger upwards.
    assert!(page.pointer_on_row("pointerdown", 5, &finger(1)));
    assert!(page.pointer_on_row("pointermove", 3, &finger(1)));
    page.pointer_on_row("pointercancel", 3, &finger(0));
    assert!(page.cursor() > 5, "a drag");
}

fn input_drives_current_overlay_and_default_view() {
    let event = || {
        let init = key("Tab");
        let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init);
        event.expect("an event")
    };
    let mode = || iprof::with_view(|view| view.report_mode);
    let mut input = Input::new();
    assert!(input.event(&event()), "without an overlay, by keys alone");
    assert_eq!(mode(), ReportMode::HierarchicalTime);
    let host = Host::new();
    // SAFETY: a page's contexts are always current.
    unsafe { iprof::gl::init(host.gl.clone()) }.expect("an overlay");
    assert!(input.event(&event()));
    assert_eq!(mode(), ReportMode::CallGraph);
    assert!(input.event_with(&mut Overlay::new(), &event()));
    assert_ne!(mode(), ReportMode::CallGraph);
}
