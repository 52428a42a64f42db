//! A browser without a window that tests drive: it opens pages, clicks, types and looks.
//!
//! It speaks the DevTools protocol, JSON over a WebSocket, to Chromium: the one that the variable
//! `LOLIGO_CHROMIUM` names, or one of the path. Without any, tests say so and end.

use core::time::Duration;
use std::env;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

/// Names of the program on the path.
const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// A browser that does not answer for so long hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits in the page until something is so.
const UNTIL: &str = "new Promise((done) => {
    const look = () => { if (CONDITION) done(true); else requestAnimationFrame(look); };
    look();
})";

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    socket: WebSocket<Patient>,
    session: Option<String>,
    number: u64,
    /// How many pages were loaded.
    loaded: u32,
    /// Errors that pages had.
    errors: Vec<String>,
    /// What the browser keeps goes with it.
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser; returns nothing, and says so, where there is none.
    pub(crate) fn try_start() -> Option<Self> {
        let Some(program) = program() else {
            println!("skipped: there is no Chromium on the path, and LOLIGO_CHROMIUM names none");
            return None;
        };
        let profile = tempfile::tempdir().expect("a temporary folder");
        let mut child = Command::new(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args([
                "--disable-background-networking",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
            ])
            .args(["--remote-debugging-port=0", "about:blank"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stderr(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
            line.strip_prefix("DevTools listening on ").map(|address| address.trim().to_owned())
        });
        // It says more, which nobody reads.
        thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let address = address.expect("the browser says where it listens");
        let host = address.trim_start_matches("ws://").split('/').next().expect("a host");
        let stream = TcpStream::connect(host).expect("the browser listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        let (socket, _) =
            tungstenite::client(&*address, Patient(stream)).expect("the browser accepts");
        let (session, number, loaded, errors) = (None, 0, 0, Vec::new());
        let mut browser =
            Self { child, socket, session, number, loaded, errors, _profile: profile };
        let page = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let target = json!({ "targetId": page["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", &target);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            browser.call(domain, &json!({}));
        }
        browser.resize(1360, 900);
        Some(browser)
    }

    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Opens a page, and waits until it is loaded.
    pub(crate) fn open(&mut self, address: &str) {
        let before = self.loaded;
        let opened = self.call("Page.navigate", &json!({ "url": address }));
        assert_eq!(opened.get("errorText"), None, "{opened}");
        while self.loaded == before {
            self.receive();
        }
    }

    /// Returns the value of an expression in the page, which may be a promise.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let asked =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let result = self.call("Runtime.evaluate", &asked);
        assert_eq!(result.get("exceptionDetails"), None, "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Returns the text of the first element that a selector finds.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let text = self.value(&format!("document.querySelector({selector:?}).textContent"));
        text.as_str().expect("a text").to_owned()
    }

    /// Waits until an expression is true.
    pub(crate) fn until(&mut self, condition: &str) {
        assert_eq!(self.value(&UNTIL.replace("CONDITION", condition)), true, "{condition}");
    }

    /// Clicks on an element as a person does, at a part of its width and its height.
    pub(crate) fn click_at(&mut self, selector: &str, part: [f64; 2]) {
        let [x, y] = self.place(selector, part);
        self.mouse(&json!({ "type": "mouseMoved", "x": x, "y": y }));
        for kind in ["mousePressed", "mouseReleased"] {
            self.mouse(&json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 }));
        }
    }

    /// Clicks in the middle of an element.
    pub(crate) fn click(&mut self, selector: &str) {
        self.click_at(selector, [0.5, 0.5]);
    }

    /// Turns the wheel over the middle of an element.
    pub(crate) fn wheel(&mut self, selector: &str, distance: f64) {
        let [x, y] = self.place(selector, [0.5, 0.5]);
        let turned =
            json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": distance });
        self.mouse(&turned);
    }

    /// Types text, a key for each letter.
    pub(crate) fn letters(&mut self, text: &str) {
        for letter in text.chars() {
            let letter = letter.to_string();
            self.call("Input.dispatchKeyEvent", &json!({ "type": "char", "text": letter }));
        }
    }

    /// Presses a key that writes no letter.
    pub(crate) fn key(&mut self, name: &str, code: u32) {
        for kind in ["rawKeyDown", "keyUp"] {
            let key = json!({ "type": kind, "key": name, "windowsVirtualKeyCode": code });
            self.call("Input.dispatchKeyEvent", &key);
        }
    }

    /// Writes a picture of the page, in base 64, into the folder of the variable `LOLIGO_PICTURES`, if
    /// it is set.
    pub(crate) fn picture(&mut self, name: &str) {
        let Some(folder) = env::var_os("LOLIGO_PICTURES") else { return };
        let whole = json!({ "captureBeyondViewport": true, "optimizeForSpeed": true });
        let picture = self.call("Page.captureScreenshot", &whole);
        let text = picture["data"].as_str().expect("a picture");
        let path = Path::new(&folder).join(format!("{name}.png.base64"));
        std::fs::write(path, text).expect("the folder may be written");
    }

    /// Returns the errors that pages had so far.
    pub(crate) fn errors(&self) -> &[String] {
        &self.errors
    }

    /// Returns where a part of an element is, which is scrolled into view.
    fn place(&mut self, selector: &str, [x, y]: [f64; 2]) -> [f64; 2] {
        let place = self.value(&format!(
            "(() => {{ const element = document.querySelector({selector:?});
                element.scrollIntoView({{ block: 'center', behavior: 'instant' }});
                const box = element.getBoundingClientRect();
                return [box.left + box.width * {x}, box.top + box.height * {y}]; }})()"
        ));
        [0, 1].map(|axis| place[axis].as_f64().unwrap_or_else(|| panic!("no {selector}")))
    }

    fn mouse(&mut self, event: &Value) {
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Calls a method of the protocol, and returns its result.
    fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.number += 1;
        let mut message = json!({ "id": self.number, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.socket.send(Message::text(message.to_string())).expect("the browser listens");
        loop {
            let mut message = self.receive();
            if message["id"] == self.number {
                assert_eq!(message.get("error"), None, "{method}: {message}");
                return message["result"].take();
            }
        }
    }

    /// Returns the next message, and keeps what of it concerns the page.
    fn receive(&mut self) -> Value {
        let text = loop {
            if let Message::Text(text) = self.socket.read().expect("the browser answers") {
                break text;
            }
        };
        let message: Value = serde_json::from_str(&text).expect("JSON");
        self.loaded += u32::from(message["method"] == "Page.loadEventFired");
        self.note_error(&message);
        message
    }

    fn note_error(&mut self, message: &Value) {
        let parameters = &message["params"];
        let is_error = match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Log.entryAdded") => parameters["entry"]["level"] == "error",
            _ => false,
        };
        if is_error {
            self.errors.push(parameters.to_string());
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection whose reads have a time limit. Such a read is interrupted when the process was
/// stopped and goes on; it is begun again.
struct Patient(TcpStream);

impl Read for Patient {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }
}

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns the program of a browser, if there is one.
fn program() -> Option<PathBuf> {
    if let Some(named) = env::var_os("LOLIGO_CHROMIUM") {
        return Some(named.into());
    }
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let all = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.into_iter().find(|file| Path::is_file(file))
}
