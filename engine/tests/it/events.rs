//! Events reach scripts, logic and wires in the order in which they happened.

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_containers::{Event, EventReader, EventRecord, EventStream};
use loligo_engine::{EngineOptions, FrameMemory, Logic, World, with_engine};
use loligo_interface::{
    EventSchema, Frame, MadeSubsystem, Phase, Subsystem, SubsystemError, SubsystemMemory,
    SubsystemRow, Wire, event_schema,
};

use crate::support::Game;

#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
struct Ping {
    number: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
struct Pong {
    at: [f32; 3],
}

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
struct Note {
    number: u32,
}

/// A command that nobody obeys.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
struct Unheard {
    number: u32,
}

/// A command came.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
struct Noted {
    number: u32,
}

/// Sends events of two types by turns in its first frame, and says which commands come.
struct Pings<'m> {
    events: EventStream<'m, SubsystemMemory<'m>>,
}

impl<'m> Subsystem<'m> for Pings<'m> {
    fn step(&mut self, phase: Phase, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        if phase == Phase::Simulate && frame.number == 0 {
            self.events.try_push(Ping { number: 1 })?;
            self.events.try_push(Pong { at: [0.0, 0.5, 0.0] })?;
            self.events.try_push(Ping { number: 2 })?;
            self.events.try_push(Ping { number: 3 })?;
            self.events.try_push(Pong { at: [0.0, 1.5, 0.0] })?;
            // Too short for its field.
            self.events.try_push_bytes(Ping::TYPE, &[])?;
        }
        Ok(())
    }

    fn obeys(&self, kind: u32) -> bool {
        kind == Note::TYPE
    }

    fn command(&mut self, command: &EventRecord<'_>) -> Result<(), SubsystemError> {
        let number = command.get().map_or(u32::MAX, |Note { number }| number);
        Ok(self.events.try_push(Noted { number })?)
    }

    fn schemas(&self) -> &'static [EventSchema] {
        const {
            &[
                event_schema!(Ping, "ping", "for tests", { number: Count }),
                event_schema!(Pong, "pong", "for tests", { at: Vector3 }),
            ]
        }
    }

    fn events(&mut self) -> Option<&mut EventStream<'m, SubsystemMemory<'m>>> {
        Some(&mut self.events)
    }
}

fn make(memory: SharedRef<'_>) -> Result<MadeSubsystem<'_>, SubsystemError> {
    let pings = Pings { events: EventStream::new_in(memory) };
    Ok(own_dyn!(Own::new_in(pings, memory)? => dyn Subsystem<'_> + '_))
}

const ROW: SubsystemRow = SubsystemRow::new("pings", make);

/// Sends a command for each ping, and keeps which commands came.
#[derive(Default)]
struct Sending {
    pings: usize,
    noted: Vec<u32>,
    calls: usize,
}

impl<'m> Logic<'m> for Sending {
    fn event(&mut self, world: &mut World<'m>, event: &EventRecord<'_>, _: &FrameMemory<'m>) {
        if let Some(Ping { number }) = event.get() {
            self.pings += 1;
            world.command(Note { number }).expect("there is memory");
            world.command(Unheard { number }).expect("there is memory");
        }
        self.noted.extend(event.get().map(|Noted { number }| number));
    }

    fn events(&mut self, world: &mut World<'m>, events: EventReader<'_>, memory: &FrameMemory<'m>) {
        self.calls += 1;
        events.iter().for_each(|event| self.event(world, &event, memory));
    }
}

/// Runs three frames, and returns what the logic heard and the script printed.
fn played(script: &str, wires: &[Wire]) -> (Sending, Vec<String>, u64) {
    let game = Game::new(1);
    game.start_with(script);
    let (data, mut logic) = (game.data(), Sending::default());
    let options = EngineOptions { subsystems: &[ROW], wires, ..game.options(&data) };
    let failures = with_engine(&options, |engine| {
        for _ in 0..3 {
            engine.frame(&mut logic).expect("a frame");
        }
        engine.script_failures().count
    });
    (logic, game.log.all(), failures.expect("it boots"))
}

const SCRIPT: &str = "log = {}
function ping(number)
    log[#log + 1] = 'ping ' .. tostring(number)
    if number == 2 then error('not two') end
end
function pong(at) log[#log + 1] = 'pong ' .. Vector3.y(at) end
function update() if Game.frame() == 1 then print(table.concat(log, ', ')) end end";

#[test]
fn each_event_is_heard_in_its_order_also_after_one_that_fails() {
    let (logic, log, failures) = played(SCRIPT, &[]);
    let has = |line: &str| log.iter().any(|said| said.contains(line));
    assert!(has("ping 1, pong 0.5, ping 2, ping 3, pong 1.5, ping nil"), "{log:#?}");
    assert_eq!(failures, 1, "{log:#?}");
    assert!(has("main.lua:4: not two"), "{log:#?}");
    assert_eq!((logic.pings, logic.noted), (3, vec![1, 2, 3]));
    assert_eq!(logic.calls, 2, "one call an update in which anything happened");
}

#[test]
fn commands_of_wires_come_between_those_of_the_logic() {
    const WIRE: Wire =
        Wire { from: Pong::TYPE, to: |_, commands| commands.send(Note { number: 100 }) };
    let (logic, ..) = played("", &[WIRE]);
    assert_eq!(logic.noted, [1, 100, 2, 3, 100]);
}

#[test]
fn a_function_that_a_script_takes_away_is_called_until_scripts_are_loaded_again() {
    let script = "count = 0
        function ping() count = count + 1 ping = nil Later = true end
        function pong() count = count + 10 end
        function update() if Game.frame() == 1 then print('count', count) end end";
    let (_, log, failures) = played(script, &[]);
    // Which function a name is of is looked up when scripts are loaded.
    assert!(log.iter().any(|line| line.contains("count\t24")), "{log:#?}");
    assert_eq!(failures, 0, "{log:#?}");
}
