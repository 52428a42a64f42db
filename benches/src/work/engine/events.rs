//! Events of a subsystem that are heard by logic or by scripts.

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_containers::{Event, EventRecord, EventStream};
use loligo_engine::{FrameMemory, Logic, World};
use loligo_interface::{
    EventSchema, Frame, MadeSubsystem, Phase, Subsystem, SubsystemError, SubsystemMemory,
    SubsystemRow, event_schema,
};

use super::Game;
use crate::clock;
use crate::contender::{Contender, Pass};

const EVENTS: u64 = 10_000;
const WARM_FRAMES: u64 = 20;
const FRAMES: u64 = 20;

const LEVEL: &str = "entities = { eye = { components = { transform = {} } } }";

/// Who hears of the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hearing {
    /// There are none.
    Nothing,
    /// The game's logic.
    Logic,
    /// A function of a script, each.
    Script,
    /// A function of a script, all at once.
    Batch,
}

#[derive(Clone, Copy, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
struct Hit {
    number: u32,
    force: f32,
}

/// Sends as many events in each update as it is to.
struct Hits<'m> {
    events: EventStream<'m, SubsystemMemory<'m>>,
    count: u64,
}

impl<'m> Subsystem<'m> for Hits<'m> {
    fn step(&mut self, phase: Phase, _: &mut Frame<'_>) -> Result<(), SubsystemError> {
        if phase == Phase::Simulate {
            for number in 0..self.count as u32 {
                self.events.try_push(Hit { number, force: 0.5 })?;
            }
        }
        Ok(())
    }

    fn schemas(&self) -> &'static [EventSchema] {
        const { &[event_schema!(Hit, "hit", "a hit", { number: Count, force: Number })] }
    }

    fn events(&mut self) -> Option<&mut EventStream<'m, SubsystemMemory<'m>>> {
        Some(&mut self.events)
    }
}

fn make(memory: SharedRef<'_>, count: u64) -> Result<MadeSubsystem<'_>, SubsystemError> {
    let hits = Hits { events: EventStream::new_in(memory), count };
    Ok(own_dyn!(Own::new_in(hits, memory)? => dyn Subsystem<'_> + '_))
}

const MANY: SubsystemRow = SubsystemRow::new("hits", |memory| make(memory, EVENTS));
const NONE: SubsystemRow = SubsystemRow::new("hits", |memory| make(memory, 0));

/// Counts what it hears.
#[derive(Default)]
struct Counting {
    count: u64,
    sum: f32,
}

impl<'m> Logic<'m> for Counting {
    fn event(&mut self, _: &mut World<'m>, event: &EventRecord<'_>, _: &FrameMemory<'m>) {
        if let Some(Hit { force, .. }) = event.get() {
            self.count += 1;
            self.sum += force;
        }
    }
}

/// Returns a contender whose operation is an event, from the subsystem to those who hear it.
pub(crate) fn heard(hearing: Hearing) -> Contender {
    let script = match hearing {
        Hearing::Script => {
            "count, sum = 0, 0
            function hit(number, force) count = count + 1 sum = sum + force end
            function update() end"
        }
        Hearing::Batch => {
            "count, sum = 0, 0
            function hit_all(numbers, forces)
                for i = 1, #numbers do count = count + 1 sum = sum + forces[i] end
            end
            function update() end"
        }
        Hearing::Nothing | Hearing::Logic => "function update() end",
    };
    let game = Game::with_level(script, LEVEL);
    let row = if hearing == Hearing::Nothing { NONE } else { MANY };
    Contender::new("loligo", move || {
        let mut counting = Counting::default();
        let ns = game.boot(&[row], |engine| {
            let mut ns = 0;
            while engine.frames() < WARM_FRAMES + FRAMES {
                let began = clock::thread_cpu_ns();
                let is_warm = engine.frames() >= WARM_FRAMES;
                let done = engine.frame(&mut counting);
                assert!(done.is_ok(), "a frame: {done:?}");
                ns += if is_warm { clock::thread_cpu_ns() - began } else { 0 };
            }
            assert_eq!(engine.script_failures().count, 0, "the script is right");
            ns
        });
        let wanted = if hearing == Hearing::Nothing { 0 } else { EVENTS };
        assert_eq!(counting.count, wanted * (WARM_FRAMES + FRAMES), "each is heard once");
        core::hint::black_box(counting.sum);
        Pass { ns, operations: FRAMES * EVENTS }
    })
}
