//! Lines of a frame, from a game's logic to the list of what is drawn.

use loligo_debug_draw::DrawLine;
use loligo_engine::{
    BackEndChoice, Engine, EngineOptions, FrameMemory, Logic, TimeStep, World, with_engine,
};

use super::{FRAME, compiled};
use crate::clock;
use crate::contender::{Contender, Pass};

const LINES: usize = 100_000;

/// Frames before lines are drawn, and frames that are measured.
const WARM_FRAMES: u64 = 10;
const FRAMES: u64 = 10;

const CONFIG: &str = "title = \"Lines\" level = \"start\" frame = \"lines\" window = [ 64 64 ]";

const START: &str = "entities = { eye = { components = { transform = {} camera = {} } } }";

/// Draws a number of lines in each frame.
struct Drawing(usize);

impl<'m> Logic<'m> for Drawing {
    fn update(&mut self, world: &mut World<'m>, _: &FrameMemory<'m>) {
        for at in 0..self.0 {
            let x = at as f32 * 0.001;
            let line = DrawLine {
                from: [x, 0.0, -9.0],
                to: [x, 1.0, -9.0],
                color: [1.0, 0.5, 0.0],
                seconds: 0.0,
            };
            world.command(line).expect("there is memory");
        }
    }
}

/// Returns a contender whose operation is how much longer a frame with the lines is than one
/// without: the game and the thread that draws, which are one here.
pub(crate) fn lines() -> Contender {
    let files = [("game.config", CONFIG), ("lines.frame", FRAME), ("start.level", START)];
    let folder = compiled(files.map(|(name, text)| (name.to_owned(), text.to_owned())));
    Contender::new("lines", move || {
        let data = folder.path().join("data");
        let options = EngineOptions {
            threads: Some(1),
            back_end: BackEndChoice::Text,
            time_step: Some(TimeStep::EachFrame { step: 10_000_000 }),
            ..EngineOptions::new(&data)
        };
        let run = with_engine(&options, |engine| {
            frames(engine, 0, WARM_FRAMES);
            let without = frames(engine, 0, FRAMES);
            frames(engine, LINES, WARM_FRAMES);
            frames(engine, LINES, FRAMES).saturating_sub(without)
        });
        let ns = run.unwrap_or_else(|error| unreachable!("the game runs: {error}"));
        Pass { ns, operations: FRAMES }
    })
}

/// Runs frames with lines, and returns how long all of them took, of this thread.
fn frames(engine: &mut Engine<'_, '_>, lines: usize, count: u64) -> u64 {
    let mut drawing = Drawing(lines);
    let began = clock::thread_cpu_ns();
    for _ in 0..count {
        engine.frame(&mut drawing).expect("the game runs");
    }
    clock::thread_cpu_ns() - began
}
