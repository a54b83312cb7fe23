//! A page in the browser. Simulates user input, and reads the screen and the console.

use crate::browser::Browser;
use crate::picture::Picture;
use serde_json::{Value, json};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit for a page to reach an expected state.
const DEADLINE: Duration = Duration::from_secs(60);

/// An open page in a browser.
pub(crate) struct Page<'a> {
    browser: &'a mut Browser,
    session: String,
    target: String,
}

/// The size in CSS pixels, and the number of screen pixels per CSS pixel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub(crate) size: [u32; 2],
    pub(crate) ratio: f64,
    /// Whether the screen belongs to a phone, without a mouse and keyboard.
    pub(crate) is_touch: bool,
}

impl<'a> Page<'a> {
    pub(crate) fn open(browser: &'a mut Browser, url: &str, screen: Screen) -> Page<'a> {
        let target = browser.call(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let target = string(&target["targetId"]);
        let attach = json!({ "targetId": target, "flatten": true });
        let session = browser.call(None, "Target.attachToTarget", attach);
        let session = string(&session["sessionId"]);
        browser.events.clear();
        let mut page = Page {
            browser,
            session,
            target,
        };
        for domain in ["Log", "Page", "Runtime"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page.set_screen(screen);
        page.call("Page.navigate", json!({ "url": url }));
        page.wait_until("document.readyState === 'complete'");
        page
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.browser.call(Some(&self.session), method, parameters)
    }

    /// Resizes the window, or moves it to a different screen.
    pub(crate) fn set_screen(&mut self, screen: Screen) {
        let [width, height] = screen.size;
        let metrics = json!({
            "width": width,
            "height": height,
            "deviceScaleFactor": screen.ratio,
            "mobile": false,
        });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let touch = json!({ "enabled": screen.is_touch, "maxTouchPoints": 2 });
        self.call("Emulation.setTouchEmulationEnabled", touch);
    }

    /// Evaluates a JavaScript expression and returns its value. If the value is a promise, returns its result.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", parameters);
        let thrown = &answer["exceptionDetails"];
        assert!(thrown.is_null(), "{expression}: {thrown}");
        answer["result"]["value"].clone()
    }

    /// Waits until a JavaScript expression is true.
    pub(crate) fn wait_until(&mut self, expression: &str) {
        let end = Instant::now() + DEADLINE;
        while self.evaluate(expression) != true {
            let errors = self.errors();
            assert!(errors.is_empty(), "{expression}: {errors:?}");
            assert!(
                Instant::now() < end,
                "not true within {DEADLINE:?}: {expression}"
            );
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until a frame that starts after this call has been shown.
    pub(crate) fn wait_for_frames(&mut self) {
        self.evaluate(
            "new Promise(go => requestAnimationFrame(() => requestAnimationFrame(() => go(true))))",
        );
    }

    /// Presses and releases a key with the given `KeyboardEvent.key`.
    pub(crate) fn press(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let event = json!({ "type": kind, "key": key, "text": text });
            self.call("Input.dispatchKeyEvent", event);
        }
        self.wait_for_frames();
    }

    pub(crate) fn move_to(&mut self, [x, y]: [f64; 2]) {
        let event = json!({ "type": "mouseMoved", "x": x, "y": y });
        self.call("Input.dispatchMouseEvent", event);
        self.wait_for_frames();
    }

    /// Moves the mouse to a point and clicks.
    pub(crate) fn click(&mut self, [x, y]: [f64; 2]) {
        self.move_to([x, y]);
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
        self.wait_for_frames();
    }

    /// Turns the wheel down by this many pixels.
    pub(crate) fn turn_wheel(&mut self, [x, y]: [f64; 2], pixels: f64) {
        let event = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": pixels });
        self.call("Input.dispatchMouseEvent", event);
        self.wait_for_frames();
    }

    /// Puts a finger down at the first point, moves it through the other points, and lifts it.
    pub(crate) fn drag_finger(&mut self, points: &[[f64; 2]]) {
        for (at, [x, y]) in points.iter().enumerate() {
            let kind = if at == 0 { "touchStart" } else { "touchMove" };
            let event = json!({ "type": kind, "touchPoints": [{ "x": x, "y": y, "id": 1 }] });
            self.call("Input.dispatchTouchEvent", event);
        }
        let event = json!({ "type": "touchEnd", "touchPoints": [] });
        self.call("Input.dispatchTouchEvent", event);
        self.wait_for_frames();
    }

    pub(crate) fn picture(&mut self) -> Picture {
        let shot = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        Picture::from_base64_png(shot["data"].as_str().expect("the screenshot is missing"))
    }

    /// Returns the console errors and exceptions since the last call.
    pub(crate) fn errors(&mut self) -> Vec<String> {
        // Earlier events arrive before the response to this call.
        self.call("Runtime.evaluate", json!({ "expression": "0" }));
        let events = std::mem::take(&mut self.browser.events);
        let mine = events
            .iter()
            .filter(|event| event["sessionId"] == *self.session);
        mine.filter_map(error).collect()
    }
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        if !thread::panicking() {
            let target = json!({ "targetId": self.target });
            self.browser.call(None, "Target.closeTarget", target);
        }
    }
}

/// Returns the event's text if the event is an error. The browser reports WebGL errors as warnings.
fn error(event: &Value) -> Option<String> {
    let parameters = &event["params"];
    let is_error = |text: &str, level: &Value| level == "error" || text.contains("WebGL: INVALID");
    match event["method"].as_str()? {
        "Runtime.exceptionThrown" => Some(parameters["exceptionDetails"].to_string()),
        "Runtime.consoleAPICalled" => {
            let text = parameters["args"].to_string();
            is_error(&text, &parameters["type"]).then_some(text)
        }
        "Log.entryAdded" => {
            let text = parameters["entry"]["text"].to_string();
            is_error(&text, &parameters["entry"]["level"]).then_some(text)
        }
        _ => None,
    }
}

fn string(value: &Value) -> String {
    value
        .as_str()
        .expect("the value is not a string")
        .to_owned()
}
