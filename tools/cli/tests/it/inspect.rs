//! Tests of `loligo inspect`: its page in a browser, and what it refuses.

use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, Stdio};
use std::thread;

use crate::browser::Browser;
use crate::support::Place;

/// The codes of keys.
const TAB: u32 = 9;
const ENTER: u32 = 13;
const ESCAPE: u32 = 27;
const UP: u32 = 38;

/// A command that runs until it is dropped.
struct Running(Child);

impl Running {
    /// Starts a command, and returns the first line with `wanted` in it of standard error, or of
    /// standard output.
    fn start(place: &Place, arguments: &[&str], wanted: &str, from_output: bool) -> (Self, String) {
        let mut command = place.loligo(arguments);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let output: Box<dyn Read + Send> = Box::new(child.stdout.take().expect("it is piped"));
        let error: Box<dyn Read + Send> = Box::new(child.stderr.take().expect("it is piped"));
        let (wanted_of, other) = if from_output { (output, error) } else { (error, output) };
        let running = Self(child);
        thread::spawn(move || BufReader::new(other).lines().map_while(Result::ok).for_each(drop));
        let mut lines = BufReader::new(wanted_of).lines().map_while(Result::ok);
        let line = lines.by_ref().find(|line| line.contains(wanted));
        thread::spawn(move || lines.for_each(drop));
        (running, line.unwrap_or_else(|| panic!("{arguments:?} does not say `{wanted}`")))
    }

    /// Waits until it ends, and returns its exit status.
    fn end(mut self) -> Option<i32> {
        self.0.wait().expect("it was started").code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A small game that runs until it is ended, and the line with the address of its port.
fn game(place: &Place) -> (Running, String) {
    let (code, _, stderr) = place.run(&["new", "game"]);
    assert_eq!(code, 0, "{stderr}");
    let arguments = ["run", "game", "--out", "data", "--frames", "1000000000"];
    let (running, line) = Running::start(place, &arguments, "tools are served at", false);
    let address = line.rsplit(' ').next().expect("an address").to_owned();
    (running, address)
}

#[test]
fn a_person_inspects_a_game_in_a_browser() {
    let Some(mut browser) = Browser::try_start() else { return };
    let place = Place::new();
    let (game, address) = game(&place);
    let (inspect, url) =
        Running::start(&place, &["inspect", "--out", "data"], "http://127.0.0.1:", true);
    assert!(url.ends_with(&address), "the address has the key to the game: {url}");
    browser.open(&url);
    browser.until("document.getElementById('state').dataset.state === 'open'");
    assert_eq!(browser.value("location.hash"), "", "the key is not shown any longer");

    frames_and_threads(&mut browser);
    memory_and_objects(&mut browser);
    console_and_log(&mut browser);
    screen_garbage_and_theme(&mut browser);
    assert!(browser.errors().is_empty(), "{:?}", browser.errors());

    // The end of the game is the end of all.
    browser.click("#console-input");
    browser.letters("Game.quit()");
    browser.key("Enter", ENTER);
    assert_eq!(game.end(), Some(0), "the game has ended by itself");
    assert_eq!(inspect.end(), Some(0), "the page ends with it");
    browser.until("document.getElementById('state').dataset.state === 'closed'");
}

fn frames_and_threads(browser: &mut Browser) {
    browser.until("document.querySelectorAll('#frame-figures dd').length === 5");
    browser.until("document.querySelectorAll('#frame-legend li').length >= 4");
    browser.until("document.getElementById('cost').textContent.includes('costs the main thread')");
    browser.until("document.getElementById('thread-range').textContent.includes('shown')");
    browser.picture("begin");
    let follows = "document.getElementById('threads-follow').getAttribute('aria-pressed')";
    assert_eq!(browser.value(follows), "true", "the newest scopes are shown");
    let range = "document.getElementById('thread-range').textContent.split(' shown')[0]";
    let before = browser.value(range);
    browser.click_at("#frame-chart", [0.999, 0.8]);
    assert!(browser.text("#frame-hint").starts_with("Frame of "), "what it consisted of");
    assert_eq!(browser.value(follows), "false", "the timeline shows that frame");
    browser.until(&format!("{range} !== {before}"));
    let before = browser.value(range);
    browser.wheel("#thread-chart", -400.0);
    browser.until(&format!("{range} !== {before}"));
    browser.click("#threads-longest");
    browser.until(&format!(
        "document.getElementById('frame-hint').textContent.startsWith('Frame of') && {follows} === 'false'"
    ));
    // The tooltip of a scope of the main thread, which has the frame in the middle.
    browser.click_at("#thread-chart", [0.5, 0.1]);
    browser.picture("longest");
    browser.click("#threads-follow");
    assert_eq!(browser.value(follows), "true", "as before");
}

fn memory_and_objects(browser: &mut Browser) {
    browser.until("document.querySelectorAll('#memory-rows tr').length > 8");
    assert!(browser.text("#memory-rows").contains("entities"), "by subsystem");
    browser.until(
        "[...document.querySelectorAll('#memory-rows .used')].some((bar) => bar.getBoundingClientRect().width > 4)",
    );
    browser.click("#memory summary");
    browser.until("document.querySelectorAll('#library-rows tr').length > 3");
    browser.until("document.getElementById('object-counts').textContent.includes('entities')");
    browser.until("document.querySelectorAll('#sound-buses tr').length > 0");
    browser.until("document.getElementById('sound-figures').textContent.includes('device')");
    browser.click("#objects-script");
    browser.until("document.getElementById('script-counts').textContent.includes('function')");
}

fn console_and_log(browser: &mut Browser) {
    let open = "!document.getElementById('console-completions').hidden";
    browser.click("#console-input");
    browser.letters("return Entity.co");
    browser.until(open);
    let shown = browser.text("#console-completions");
    assert!(shown.contains("Entity.count()"), "of the binding table: {shown}");
    browser.picture("completion");
    browser.key("Tab", TAB);
    let typed = "document.getElementById('console-input').value";
    assert_eq!(browser.value(typed), "return Entity.count(", "it is completed");
    assert!(browser.text("#console-hint").contains("how many entities there are"), "its sentence");
    browser.letters(")");
    browser.key("Enter", ENTER);
    browser.until("document.querySelector('#console-lines .answer') !== null");
    let count: u32 = browser.text("#console-lines .answer").parse().expect("a number");
    assert!(count > 2, "{count} entities");
    browser.key("ArrowUp", UP);
    assert_eq!(browser.value(typed), "return Entity.count()", "the history");
    browser.value("document.getElementById('console-input').select()");
    browser.letters("graph ma");
    browser.until(open);
    browser.key("Escape", ESCAPE);
    assert_eq!(browser.value(open), false, "closed");
    browser.value("document.getElementById('console-input').select()");
    browser.letters("print('seen by a person')");
    browser.key("Enter", ENTER);
    browser.until("document.getElementById('log-lines').textContent.includes('seen by a person')");
    browser.click("#console-input");
    browser.letters("return nothing.at_all");
    browser.key("Enter", ENTER);
    browser.until("document.querySelector('#console-lines .error') !== null");

    browser.click("#log-filter");
    browser.letters("BY A PERSON");
    browser.until("document.getElementById('log-lines').childElementCount === 1");
    assert!(browser.text("#log-hint").contains("1 of "), "{}", browser.text("#log-hint"));
    browser.value("document.getElementById('log-filter').select()");
    browser.letters("there is no such line");
    browser.until("document.getElementById('log-lines').childElementCount === 0");
    browser.picture("log");
}

fn screen_garbage_and_theme(browser: &mut Browser) {
    // Where there is no driver, it says so.
    browser.until(
        "!document.getElementById('screen-picture').hidden || \
         document.getElementById('screen-hint').textContent.includes('draws no pictures')",
    );
    browser.click("#garbage-switch");
    browser.until("document.getElementById('garbage-sum').textContent.includes('a second')");
    browser.picture("garbage");
    browser.click("#garbage-switch");
    browser.click("#screen-switch");
    browser.until("document.getElementById('screen-hint').textContent === 'Switched off.'");
    let theme = "document.documentElement.dataset.theme";
    assert_eq!(browser.value(theme), "light", "as the system has it");
    browser.click("#theme");
    assert_eq!(browser.value(theme), "dark", "the other");
    browser.picture("dark");
    browser.click("#pause");
    assert_eq!(browser.text("#pause"), "Go on", "nothing comes meanwhile");
    browser.click("#pause");
}

#[test]
fn a_game_that_is_not_there_or_refuses_is_named() {
    let place = Place::new();
    let (code, _, stderr) = place.run(&["inspect"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(
        stderr.contains("no game of that folder runs; start one with `loligo run`"),
        "{stderr}"
    );
    let token = "0123456789abcdef".repeat(2);
    // Nobody listens at port 1.
    let (code, _, stderr) = place.run(&["inspect", "1", "--token", &token]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("no game answers at 127.0.0.1:1"), "{stderr}");
    for (arguments, said) in [
        (&["inspect", "41873", "--token", "0123"][..], "a token has 32 hexadecimal digits"),
        (&["inspect", "game", "--token", &token], "`game` is not a port"),
    ] {
        let stderr = place.refused(arguments);
        assert!(stderr.contains(said), "{stderr}");
    }
    place.file("tools", "something else\n");
    let stderr = place.refused(&["inspect", "--out", "."]);
    assert!(stderr.contains("it has no line ADDRESS/TOKEN"), "{stderr}");

    let (_game, address) = game(&place);
    let (address, _) = address.split_once('/').expect("a token");
    let (_, port) = address.split_once(':').expect("a port");
    let (code, _, stderr) = place.run(&["inspect", port, "--token", &token]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("refuses to be inspected: the first message needs"), "{stderr}");
    let (code, _, stderr) = place.run(&["inspect", "1", "--out", "data"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains(&format!("is at port {port}, not 1")), "{stderr}");
}
