//! Scopes and values: ours, those of other libraries, and bare time stamps.
//!
//! A pass is a few frames of some thousand scopes within one scope, as a busy thread has them. What
//! is recorded is thrown away after each frame, outside of the time.

mod peers;

use core::hint::black_box;
use std::sync::OnceLock;

use loligo_monitor::{Monitor, Options, Recorder, current as thread, name, ticks};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};

pub(crate) use peers::{puffin, tracing};

/// Scopes of a frame: four blocks of ours.
const SCOPES: u64 = 8_000;

/// Frames of a pass.
const FRAMES: u64 = 25;

/// Returns a contender whose pass runs `frame`, with the number of scopes to run, and then `after`.
fn frames(
    name: &'static str,
    mut frame: impl FnMut(u64) + 'static,
    mut after: impl FnMut() + 'static,
) -> Contender {
    Contender::new(name, move || {
        let mut ns = 0;
        for _ in 0..FRAMES {
            ns += clock::time(|| frame(SCOPES));
            after();
        }
        Pass { ns, operations: FRAMES * SCOPES }
    })
}

/// The monitor of all rows: it lives as long as the program, as a game's does.
fn monitor() -> &'static Monitor<'static, Heap> {
    static MONITOR: OnceLock<Monitor<'static, Heap>> = OnceLock::new();
    let options = Options { blocks: 16, ..Options::default() };
    MONITOR.get_or_init(|| match Monitor::try_new_in(&options, &HEAP) {
        Ok(monitor) => monitor,
        Err(error) => unreachable!("the machine has this memory: {error}"),
    })
}

/// Returns a contender that records with a separate recorder.
fn recording(name: &'static str, frame: impl Fn(&Recorder<'_>, u64) + 'static) -> Contender {
    let monitor = monitor();
    let recorder = match monitor.try_recorder(name) {
        Ok(recorder) => recorder,
        Err(error) => unreachable!("the machine has this memory: {error}"),
    };
    let mut recorder = Some(recorder);
    Contender::new(name, move || {
        let Some(recorder) = recorder.as_mut() else {
            unreachable!("it stays for as long as the contender");
        };
        let mut ns = 0;
        for _ in 0..FRAMES {
            ns += clock::time(|| frame(recorder, SCOPES));
            recorder.frame();
            let drained = monitor.drain(&mut []);
            assert_eq!(drained.lost, 0, "16 blocks are more than a frame");
        }
        Pass { ns, operations: FRAMES * SCOPES }
    })
}

/// Returns our scopes.
pub(crate) fn scope() -> Contender {
    recording("loligo", |recorder, scopes| {
        let _frame = recorder.scope(name!("frame"));
        for _ in 0..scopes {
            let _scope = recorder.scope(name!("scope"));
        }
    })
}

/// Returns our scopes through the thread's current recorder.
pub(crate) fn current() -> Contender {
    recording("loligo, current", |recorder, scopes| {
        recorder.run(|| {
            let _frame = thread::scope(name!("frame"));
            for _ in 0..scopes {
                let _scope = thread::scope(name!("scope"));
            }
        });
    })
}

/// Returns our scopes while recording is off.
pub(crate) fn off() -> Contender {
    recording("loligo, off", |recorder, scopes| {
        monitor().set_recording(false);
        for value in 0..scopes {
            let _scope = recorder.scope(name!("scope"));
            black_box(value);
        }
        monitor().set_recording(true);
    })
}

/// Returns our counters.
pub(crate) fn counter() -> Contender {
    recording("loligo, counter", |recorder, times| {
        for value in 0..times {
            recorder.counter(name!("counter"), black_box(value.cast_signed()));
        }
    })
}

/// Returns our vectors.
pub(crate) fn vector() -> Contender {
    recording("loligo, vector", |recorder, times| {
        for value in 0..times {
            // In registers, as most are: from memory the processor would wait for its own stores.
            let x = black_box(value) as f32;
            recorder.vector3(name!("vector"), [x, x + 1.0, x + 2.0]);
        }
    })
}

/// Returns two time stamps, which nothing is done with.
pub(crate) fn two_stamps() -> Contender {
    let frame = |scopes| {
        for _ in 0..scopes {
            black_box(ticks());
            black_box(ticks());
        }
    };
    frames("two stamps", frame, || {})
}

/// Returns the bare loop.
pub(crate) fn empty() -> Contender {
    let frame = |scopes| {
        for value in 0..scopes {
            black_box(value);
        }
    };
    frames("empty loop", frame, || {})
}
