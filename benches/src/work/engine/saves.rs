//! A world of ten thousand entities that is saved and loaded.

use super::{BATCH, Game};
use crate::clock;
use crate::contender::{Contender, Pass};

/// Frames before the game is saved, and how often it is.
const FRAMES: u64 = 4;
const TIMES: u64 = 10;

/// Returns a contender whose operation is a save; or a load of what was saved.
pub(crate) fn kept(is_loaded: bool) -> Contender {
    let game = Game::new(BATCH);
    Contender::new("loligo", move || {
        let ns = game.boot(&[], |engine| {
            while engine.frames() < FRAMES {
                let done = engine.frame(&mut ());
                assert!(done.is_ok(), "a frame: {done:?}");
            }
            let mut ns = 0;
            for _ in 0..TIMES {
                let began = clock::thread_cpu_ns();
                let saved = engine.save();
                let took = clock::thread_cpu_ns() - began;
                let Ok(saved) = saved else { unreachable!("it can be saved: {saved:?}") };
                let began = clock::thread_cpu_ns();
                let loaded = engine.load(&saved);
                assert!(loaded.is_ok(), "it was saved: {loaded:?}");
                ns += if is_loaded { clock::thread_cpu_ns() - began } else { took };
            }
            ns
        });
        Pass { ns, operations: TIMES }
    })
}
