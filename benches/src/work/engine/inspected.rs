//! What it costs a game that a tool hears of all that is measured.

use core::time::Duration;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::Instant;

use loligo_engine::{BackEndChoice, Engine, EngineOptions, TimeStep, with_engine};

use super::shows::courtyard;
use crate::clock;
use crate::contender::{Contender, Pass};

/// What a tool is told at most once in an interval goes by the clock, so frames come as they do on a screen.
const FRAME: Duration = Duration::from_nanos(16_666_667);

/// Frames before any that is measured, and those that are.
const WARM_FRAMES: u64 = 30;
const FRAMES: u64 = 90;

/// What the page of `loligo inspect` subscribes to as soon as it is open, but for the picture, which there is
/// none of here.
pub(crate) const PAGE: &str = "\"frames\", \"scopes\", \"log\", \"memory\", \"objects\"";

/// The same, and what makes garbage, which the page has on a button.
pub(crate) const PAGE_AND_GARBAGE: &str =
    "\"frames\", \"scopes\", \"log\", \"memory\", \"objects\", \"garbage\"";

/// Returns a contender whose operation is how much longer a frame of the courtyard is with a tool that hears of
/// some topics, on the thread that runs the game.
pub(crate) fn inspected(topics: &'static str) -> Contender {
    let folder = courtyard();
    Contender::new("loligo", move || {
        let options = EngineOptions {
            back_end: BackEndChoice::Text,
            time_step: Some(TimeStep::EachFrame { step: 16_666_667 }),
            ..EngineOptions::new(folder.path())
        };
        let run = with_engine(&options, |engine| {
            frames(engine, WARM_FRAMES);
            let without = frames(engine, FRAMES);
            let tool = listen(engine, topics);
            frames(engine, WARM_FRAMES);
            let with = frames(engine, FRAMES);
            (with.saturating_sub(without), tool)
        });
        let (ns, tool) = run.unwrap_or_else(|error| unreachable!("the sample runs: {error}"));
        // The port is closed by now, so the tool has read all that came.
        let heard = tool.join().unwrap_or_default();
        assert!(heard > 20, "the tool has heard of it: {heard} messages");
        Pass { ns, operations: FRAMES }
    })
}

/// Runs frames at the rate of a screen, and returns how long all of them took, of this thread.
fn frames(engine: &mut Engine<'_, '_>, count: u64) -> u64 {
    let mut took = 0;
    let mut due = Instant::now();
    for _ in 0..count {
        let began = clock::thread_cpu_ns();
        let done = engine.frame(&mut ());
        assert!(done.is_ok(), "a frame: {done:?}");
        took += clock::thread_cpu_ns() - began;
        due += FRAME;
        thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    took
}

/// Connects a tool that subscribes to topics and reads what comes until the port is closed; it returns how
/// many messages there were.
fn listen(engine: &Engine<'_, '_>, topics: &str) -> thread::JoinHandle<usize> {
    let address = engine.tool_address().unwrap_or_else(|| unreachable!("tools are served"));
    let token = engine.tool_token().map(|token| token.to_string()).unwrap_or_default();
    let mut stream = TcpStream::connect(address)
        .unwrap_or_else(|error| unreachable!("the engine listens at {address}: {error}"));
    let line = format!(
        "{{ \"token\": \"{token}\", \"type\": \"subscribe\", \"topics\": [ {topics} ], \
         \"messages_a_second\": 200 }}\n"
    );
    let sent = stream.write_all(line.as_bytes());
    sent.unwrap_or_else(|error| unreachable!("the engine takes requests: {error}"));
    thread::spawn(move || BufReader::new(stream).lines().map_while(Result::ok).count())
}
