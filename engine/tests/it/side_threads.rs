//! Threads of subsystems: they run as long as the engine does, and only where devices may be used.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_engine::{EngineOptions, with_engine};
use loligo_interface::{MadeThread, SideThread, Subsystem, SubsystemError, SubsystemRow};

use crate::support::Game;

/// How many threads run, and how many have.
static RUNNING: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];

struct Bell<'m>(SharedRef<'m>);

struct Ringing;

impl SideThread for Ringing {
    fn run(&mut self, is_over: &AtomicBool) {
        RUNNING[0].fetch_add(1, Ordering::SeqCst);
        while !is_over.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        RUNNING[1].fetch_add(1, Ordering::SeqCst);
    }
}

impl<'m> Subsystem<'m> for Bell<'m> {
    fn thread(&mut self) -> Result<Option<MadeThread<'m>>, SubsystemError> {
        let ringing = Own::new_in(Ringing, self.0)?;
        Ok(Some(own_dyn!(ringing => dyn SideThread + 'm)))
    }
}

const BELL: SubsystemRow = SubsystemRow::new("bell", |memory| {
    Ok(own_dyn!(Own::new_in(Bell(memory), memory)? => dyn Subsystem<'_> + '_))
});

fn counts() -> [u32; 2] {
    [0, 1].map(|at| RUNNING[at].load(Ordering::SeqCst))
}

#[test]
fn a_subsystem_has_a_thread_as_long_as_the_engine_is() {
    let game = Game::new(1);
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    for threads in [1, 3] {
        let options =
            EngineOptions { subsystems: &[BELL], threads: Some(threads), ..game.options(&data) };
        let before = counts();
        let frame = with_engine(&options, |engine| engine.frame(&mut ())).expect("it boots");
        frame.expect("a frame");
        assert_eq!(counts(), before, "without devices there is none");
        let options = EngineOptions { has_devices: true, ..options };
        let frame = with_engine(&options, |engine| {
            while counts()[0] == before[0] {
                std::thread::yield_now();
            }
            assert_eq!(counts()[1], before[1], "it runs");
            engine.frame(&mut ())
        });
        frame.expect("it boots").expect("a frame");
        assert_eq!(counts(), before.map(|count| count + 1), "it has ended");
    }
}
