//! Functions of scripts that hear the events of one entity.

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_containers::{Event, EventStream};
use loligo_engine::{Engine, EngineError, EngineOptions, ListenError, with_engine};
use loligo_ids::{id32, id64};
use loligo_interface::{
    EventSchema, MadeSubsystem, Subsystem, SubsystemError, SubsystemMemory, SubsystemRow,
    event_schema,
};

use crate::support::{Game, frames};

/// Two have met.
#[derive(Clone, Copy, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
struct Met {
    one: u32,
    other: u32,
    place: u32,
}

/// Has the schema of an event that scripts send.
struct Meetings<'m>(EventStream<'m, SubsystemMemory<'m>>);

impl<'m> Subsystem<'m> for Meetings<'m> {
    fn schemas(&self) -> &'static [EventSchema] {
        const {
            &[event_schema!(
                Met, "met", "two have met", { one: Entity, other: Entity, place: Count }
            )]
        }
    }

    fn events(&mut self) -> Option<&mut EventStream<'m, SubsystemMemory<'m>>> {
        Some(&mut self.0)
    }
}

fn make(memory: SharedRef<'_>) -> Result<MadeSubsystem<'_>, SubsystemError> {
    let made = Own::new_in(Meetings(EventStream::new_in(memory)), memory)?;
    Ok(own_dyn!(made => dyn Subsystem<'_> + '_))
}

const ROWS: [SubsystemRow; 1] = [SubsystemRow::new("meetings", make)];

/// A game with a red and a blue entity, and `ghost` to be spawned.
fn game(script: &str) -> Game {
    let game = Game::new(1);
    game.write(
        "yard.level",
        "entities = {
            red = { components = { transform = {} } }
            blue = { components = { transform = {} } }
        }",
    );
    game.write("ghost.entity", "components = { transform = {} }");
    game.start_with(script);
    game
}

/// Runs frames, and returns what was logged, line by line.
fn played(game: &Game, count: usize) -> Vec<String> {
    let data = game.data();
    let options = EngineOptions { subsystems: &ROWS, ..game.options(&data) };
    with_engine(&options, |engine| frames(engine, count)).expect("it boots");
    said(game, 0)
}

fn said(game: &Game, before: usize) -> Vec<String> {
    game.log.all()[before..].iter().flat_map(|text| text.lines()).map(str::to_owned).collect()
}

#[test]
fn a_function_hears_of_its_entity_alone() {
    let game = game(
        "function start()
            red, blue = Entity.find('red'), Entity.find('blue')
            Event.listen(red, 'met', 'on_red')
            Event.listen(red, 'met', 'also')
            Event.listen(red, 'met', 'also')
        end
        function update()
            if Game.frame() == 1 then
                Event.met(red, blue, 1)
                Event.met(blue, red, 2)
                Event.met(blue, nil, 3)
                Event.met(red, red, 4)
            elseif Game.frame() == 2 then
                print('ignored', Event.ignore(red, 'met'), Event.ignore(red, 'met'))
                Event.met(red, blue, 5)
            end
        end
        function met(one, other, place) print('all', place) end
        function on_red(one, other, place)
            print('red', one == red, other == red, place)
            if place == 1 then error('not the first') end
        end
        function also(one, other, place) print('also', place) end",
    );
    let lines = played(&game, 4);
    let wanted = [
        "all\t1",
        "all\t2",
        "all\t3",
        "all\t4",
        "red\ttrue\tfalse\t1",
        "also\t1",
        "red\tfalse\ttrue\t2",
        "also\t2",
        "red\ttrue\ttrue\t4",
        "also\t4",
        "ignored\ttrue\tfalse",
        "all\t5",
    ];
    let heads = ["all", "red", "also", "ignored"];
    let found: Vec<_> =
        lines.iter().filter(|line| heads.iter().any(|head| line.starts_with(head))).collect();
    assert_eq!(found, wanted, "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains("not the first")), "{lines:#?}");
}

#[test]
fn who_listens_hears_also_where_all_events_are_one_call() {
    let game = game(
        "function start() Event.listen(Entity.find('blue'), 'met', 'on_blue') end
        function update()
            if Game.frame() == 1 then Event.met(Entity.find('blue'), nil, 6) end
        end
        function met_all(ones) print('all', #ones) end
        function on_blue(one, other, place) print('blue', other, place) end",
    );
    let lines = played(&game, 3);
    let has = |wanted: &str| lines.iter().any(|line| line == wanted);
    assert!(has("all\t1") && has("blue\tnil\t6"), "{lines:#?}");
}

#[test]
fn what_cannot_be_listened_to_is_said() {
    let game = game(
        "function start()
            local red = Entity.find('red')
            local function try(...) print(select(2, pcall(...))) end
            try(Event.listen, red, 'mett', 'f')
            try(Event.listen, red, 'volcano', 'f')
            try(Event.listen, red, 'spawned', 'f')
            try(Event.listen, red, 'met', '')
            try(Event.listen, red, 'met', ('f'):rep(65))
            try(Event.ignore, red, 'mett')
            try(Event.listen, red, 'met', function() end)
            Event.listen(red, 'met', 'nobody')
            Entity.destroy(Entity.find('blue'))
            try(Event.listen, Entity.find('blue') or blue, 'met', 'f')
        end
        function update() Event.met(Entity.find('red'), nil, 1) end",
    );
    let lines = played(&game, 4);
    for wanted in [
        "Event.listen: event `mett`: there is no such event; did you mean `met`?",
        "event `volcano`: there is no such event; name one of the engine or of a subsystem of the game",
        "event `spawned`: no field of the event is an entity; define a function with the name of the event",
        "event `met`: the name of a function has 1 to 64 bytes; give it another",
        "Event.ignore: event `mett`: there is no such event; did you mean `met`?",
        "Event.listen: argument 3 must be",
        "Event.listen: argument 1 must be",
    ] {
        assert!(lines.iter().any(|line| line.contains(wanted)), "{wanted}: {lines:#?}");
    }
    let nobody = lines.iter().filter(|line| line.contains("`nobody` called with its events `met`"));
    assert_eq!(nobody.count(), 1, "it is said once: {lines:#?}");
}

#[test]
fn games_in_rust_have_functions_called_too() {
    let game = game("function on_red(one, other, place) print('red', place) end");
    let data = game.data();
    let options = EngineOptions { subsystems: &ROWS, ..game.options(&data) };
    with_engine(&options, |engine| {
        frames(engine, 1);
        let world = engine.world_mut();
        let [red, blue] = [id32!("red"), id32!("blue")].map(|name| world.find(name));
        let (red, blue) = (red.expect("it is there"), blue.expect("it is there"));
        world.listen(red, "met", "on_red").expect("it is right");
        world.send(Met { one: 0, other: red.to_bits(), place: 9 })?;
        world.destroy(blue)?;
        assert_eq!(world.listen(blue, "met", "on_red"), Err(ListenError::Gone));
        let unknown = Err(ListenError::Unknown { nearest: Some("removed") });
        assert_eq!(world.ignore(red, "remove"), unknown);
        frames(engine, 1);
        assert_eq!(engine.world_mut().ignore(red, "met"), Ok(true));
        Ok::<_, EngineError>(())
    })
    .expect("it boots")
    .expect("there is memory");
    let lines = said(&game, 0);
    assert_eq!(lines.iter().filter(|line| *line == "red\t9").count(), 1, "{lines:#?}");
}

#[test]
fn an_entity_that_goes_is_heard_of_and_forgotten() {
    let game = game(
        "gone = 0
        function on_gone(entity, count) gone = gone + count end
        function update()
            local ghost = Entity.spawn('ghost', Vector3(0, 0, 0))
            Event.listen(ghost, 'removed', 'on_gone')
            Event.listen(ghost, 'met', 'on_gone')
            Entity.destroy(ghost)
            if Game.frame() == 1999 then print('gone', gone) end
        end",
    );
    let data = game.data();
    let options = EngineOptions { subsystems: &ROWS, ..game.options(&data) };
    with_engine(&options, |engine| {
        frames(engine, 1000);
        let bytes = |engine: &Engine<'_, '_>| {
            let memory = engine.memory().subsystem("entities").expect("it is there").stats();
            (memory.live, memory.requested)
        };
        let before = bytes(engine);
        frames(engine, 1000);
        assert_eq!(bytes(engine), before, "listeners of entities that are gone are forgotten");
    })
    .expect("it boots");
    let lines = said(&game, 0);
    assert!(lines.iter().any(|line| line == "gone\t1999"), "{lines:#?}");
}

#[test]
fn a_saved_game_keeps_who_listens() {
    const SCRIPT: &str = "function start()
            Event.listen(Entity.find('red'), 'met', 'on_red')
            Event.listen(Entity.find('blue'), 'met', 'on_blue')
        end
        function update()
            if Game.frame() > 2 then Event.met(Entity.find('red'), nil, Game.frame()) end
        end
        function on_red(one, other, place) print('red', place) end
        function on_blue(one, other, place) print('blue', place) end";
    let game = game(SCRIPT);
    let data = game.data();
    let options = EngineOptions { subsystems: &ROWS, ..game.options(&data) };
    let mut saved = Vec::new();
    with_engine(&options, |engine| {
        frames(engine, 2);
        saved.extend_from_slice(&engine.save().expect("there is memory"));
    })
    .expect("it boots");
    // In this program the functions have other numbers, and another entity listens.
    let other = SCRIPT.replace("Entity.find('red'), 'met', 'on_red'", "blue(), 'met', 'zeta'");
    let other = format!(
        "function blue() return Entity.find('blue') end function zeta() print('zeta') end {other}"
    );
    game.write("main.lua", &other);
    assert_eq!(game.compile(), [""; 0], "it is right");
    with_engine(&options, |engine| {
        frames(engine, 1);
        engine.load(&saved).expect("it is whole");
        frames(engine, 3);
        let again = engine.save().expect("there is memory").to_vec();
        engine.load(&again).expect("it is whole");
        frames(engine, 1);
        engine.world_mut().load_level(id64!("yard"));
        frames(engine, 3);
    })
    .expect("it boots");
    let lines = said(&game, 0);
    let heads = ["red", "blue", "zeta"];
    let found: Vec<_> =
        lines.iter().filter(|line| heads.iter().any(|head| line.starts_with(head))).collect();
    // The entities of the level that begins again are others: `start` says what listens to them.
    assert_eq!(found, ["red\t3", "red\t4", "red\t5"], "{lines:#?}");
}
