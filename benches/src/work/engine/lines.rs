//! Lines of a frame, from a game's logic to the list of what is drawn.

use glam::Vec3;
use loligo_debug_draw::{DrawLine, DrawLines, Line};
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

/// Draws lines in each frame.
enum Drawing {
    /// A number of them, by a command for each.
    Each(usize),
    /// By one command, of lines that are made again in each frame.
    AtOnce(Vec<Line>),
}

impl<'m> Logic<'m> for Drawing {
    fn update(&mut self, world: &mut World<'m>, _: &FrameMemory<'m>) {
        let place = |at: usize| Vec3::new(at as f32 * 0.001, 0.0, -9.0);
        let color = Vec3::new(1.0, 0.5, 0.0);
        match self {
            Self::Each(count) => (0..*count).for_each(|at| {
                let [from, to] = [place(at), place(at) + Vec3::Y].map(|at| at.to_array());
                let line = DrawLine { from, to, color: color.to_array(), seconds: 0.0 };
                world.command(line).expect("there is memory");
            }),
            Self::AtOnce(lines) => {
                for (at, line) in lines.iter_mut().enumerate() {
                    *line = Line::new(place(at), place(at) + Vec3::Y, color);
                }
                let drawn = world.command_with_tail(DrawLines { seconds: 0.0 }, lines);
                drawn.expect("there is memory");
            }
        }
    }
}

/// Returns a contender whose operation is how much longer a frame with the lines is than one
/// without: the game and the thread that draws, which are one here.
pub(crate) fn lines(at_once: bool) -> Contender {
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
            let mut drawing = Drawing::Each(0);
            frames(engine, &mut drawing, WARM_FRAMES);
            let without = frames(engine, &mut drawing, FRAMES);
            drawing = if at_once {
                Drawing::AtOnce(vec![Line::default(); LINES])
            } else {
                Drawing::Each(LINES)
            };
            frames(engine, &mut drawing, WARM_FRAMES);
            frames(engine, &mut drawing, FRAMES).saturating_sub(without)
        });
        let ns = run.unwrap_or_else(|error| unreachable!("the game runs: {error}"));
        Pass { ns, operations: FRAMES }
    })
}

/// Runs frames with lines, and returns how long all of them took, of this thread.
fn frames(engine: &mut Engine<'_, '_>, drawing: &mut Drawing, count: u64) -> u64 {
    let began = clock::thread_cpu_ns();
    for _ in 0..count {
        engine.frame(drawing).expect("the game runs");
    }
    clock::thread_cpu_ns() - began
}
