//! Entities that are spawned by name, and levels that are changed, by scripts and by logic.

use glam::Vec3;
use loligo_engine::{Engine, EngineOptions, OptionalSubsystem, with_engine};
use loligo_entities::Pose;
use loligo_ids::{id32, id64};

use crate::support::{Game, frames};

const CANNON: &str = "components = { transform = {} model = { mesh = \"box\" material = \"stone\" } tag = [ \"cannon\" ] }
children = { barrel = { components = { transform = { position = [ 0 1 0 ] } tag = [ \"barrel\" ] } } }";

fn game(script: &str) -> Game {
    let game = Game::new(1);
    game.write("cannon.entity", CANNON);
    game.write(
        "cellar.level",
        "entities = { lamp = { components = { transform = { position = [ 0 9 0 ] } light = {} } } }",
    );
    game.start_with(script);
    game
}

#[test]
fn a_script_spawns_by_name_and_what_it_spawns_is_drawn() {
    let game = game(
        "function start()
            gun = Entity.spawn('cannon', Vector3(3, 0, 0))
            local turned = Quaternion.axis_angle(Vector3(0, 1, 0), math.pi)
            back = Entity.spawn_turned('cannon', Vector3(-3, 0, 0), turned)
            print(Transform.position(gun), Tag.has(gun, 'cannon'), Tag.count('barrel'))
            print(pcall(Entity.spawn, 'canon', Vector3(0, 0, 0)))
        end
        function update()
            if Game.frame() == 2 then Entity.destroy(gun) end
        end",
    );
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        frames(engine, 1);
        let tags = |engine: &Engine<'_, '_>| engine.world().tags().entities(id32!("barrel")).len();
        assert_eq!(tags(engine), 2, "its children are there too");
        engine.finish().expect("it is drawn");
        let drawn = engine.drawn();
        frames(engine, 3);
        assert_eq!(tags(engine), 1, "and goes with it");
        engine.finish().expect("it is drawn");
        assert!(engine.drawn().seen < drawn.seen, "{drawn:?} {:?}", engine.drawn());
    })
    .expect("it boots");
    let log = game.log.all();
    let has = |line: &str| log.iter().any(|said| said.contains(line));
    assert!(has("Vector3[3, 0, 0]\ttrue\t2"), "{log:#?}");
    assert!(has("Entity.spawn: no entity `canon` is loaded; it is the name of a file"), "{log:#?}");
}

#[test]
fn logic_spawns_many_by_name() {
    let game = game("");
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        frames(engine, 1);
        let poses = [1.0, 2.0, 3.0].map(|x| Pose::at(Vec3::new(x, 0.0, 0.0)));
        let world = engine.world_mut();
        let before = world.entities().len();
        assert_eq!(
            world.spawn_all_named(id64!("cannon"), &poses).expect("there is memory"),
            Some(6)
        );
        assert_eq!(world.spawn_all_named(id64!("gun"), &poses).expect("there is none"), None);
        let gun = world.spawn_named(id64!("cannon"), &poses[1]).expect("there is memory");
        let gun = gun.expect("it is loaded");
        assert_eq!(world.transforms().pose(gun).expect("it has one").position.x, 2.0, "the root");
        assert_eq!(world.entities().len(), before + 8);
        frames(engine, 2);
    })
    .expect("it boots");
}

#[test]
fn a_script_spawns_many_in_one_call() {
    let game = game(
        "function spawned(count) print('spawned', count) end
        function start()
            print('numbers', Entity.spawn_many('cannon', { 1, 2, 3, 4, 5, 6 }), Tag.count('barrel'))
            local second = Tag.entity('cannon', 2)
            print('second', Transform.position(second))
            print('vectors', Entity.spawn_many('cannon', { Vector3(7, 8, 9) }))
            print('third', Transform.position(Tag.entity('cannon', 3)))
            print('none', Entity.spawn_many('cannon', {}), Entity.spawn_many('cannon', { n = 7 }))
            local many = {}
            for i = 1, 3000 do many[i] = i end
            print('many', Entity.spawn_many('cannon', many))
            print('last', Transform.position(Tag.entity('cannon', 1003)))
            for _, positions in ipairs({
                { 1, 2 }, { 1, 2, 'x' }, { 1, 0 / 0, 3 }, { 1, 2, 1e300 }, { Vector3(1, 2, 3), 4 },
                { Entity.find('hub') },
            }) do
                print(pcall(Entity.spawn_many, 'cannon', positions))
            end
            many[1500] = true
            print(pcall(Entity.spawn_many, 'cannon', many))
            print(pcall(Entity.spawn_many, 'canon', { 1, 2, 3 }))
            print(pcall(Entity.spawn_many, 'cannon', 5))
            print('at the end', Tag.count('cannon'))
            kept = { Vector3(1, 2, 3) }
        end
        function update()
            if Game.frame() == 1 then print('old', pcall(Entity.spawn_many, 'cannon', kept)) end
        end",
    );
    let data = game.data();
    with_engine(&game.options(&data), |engine| frames(engine, 2)).expect("it boots");
    let log = game.log.all().join("\n");
    for line in [
        "numbers\t4\t2",
        "second\tVector3[4, 5, 6]",
        "vectors\t2",
        "third\tVector3[7, 8, 9]",
        "none\t0\t0",
        "many\t2000",
        "last\tVector3[2998, 2999, 3000]",
        "2 numbers are no multiple of 3",
        "positions have no number at index 3",
        "the position at index 1 is infinite or no number",
        "a Vector3 of this frame at index 2",
        "a Vector3 of this frame at index 1",
        "positions have no number at index 1500",
        "Entity.spawn_many: no entity `canon` is loaded",
        "Entity.spawn_many: argument 2 must be a table of numbers, and is a number",
        "at the end\t1003",
        "old\tfalse\tEntity.spawn_many: positions have something else",
        "spawned\t4",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
}

#[test]
fn levels_are_changed_and_begun_again() {
    let game = game(
        "starts = 0
        function start() starts = starts + 1; print('start', starts, Entity.find('lamp') ~= nil) end
        function update()
            if Game.frame() == 3 then Entity.destroy(Entity.find('hub')) Level.restart() end
            if Game.frame() == 6 then Level.load('cellar') end
            if Game.frame() == 9 then Level.load('attic') end
            if Game.frame() == 4 or Game.frame() == 12 then
                print('at', Game.frame(), Entity.count(), Entity.find('hub') ~= nil)
            end
        end",
    );
    let data = game.data();
    for is_drawn in [true, false] {
        let mut options = game.options(&data);
        if !is_drawn {
            options.without.add(OptionalSubsystem::Render.name()).expect("it may be left out");
        }
        let before = game.log.all().len();
        with_engine(&EngineOptions { ..options }, |engine| frames(engine, 15)).expect("it boots");
        let log = &game.log.all()[before..];
        let has = |line: &str| log.iter().any(|said| said.contains(line));
        assert!(has("start\t1\tfalse") && has("start\t2\tfalse"), "{log:#?}");
        assert!(has("at\t4\t5\ttrue"), "all is there again: {log:#?}");
        assert!(has("start\t3\ttrue") && has("at\t12\t1\tfalse"), "the cellar: {log:#?}");
        assert!(has("the game goes on with the level that it has"), "{log:#?}");
        assert!(!has("start\t4"), "there is no attic: {log:#?}");
    }
}

#[test]
fn an_entity_that_changes_or_comes_while_the_game_runs_is_spawned_as_it_is_now() {
    let game = game("function update() end");
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        frames(engine, 1);
        game.write("cannon.entity", "components = { transform = {} tag = [ \"cannon\" \"new\" ] }");
        game.write("lamp.entity", "components = { transform = {} light = {} }");
        assert_eq!(game.compile(), [""; 0], "it is right");
        engine.reload(&mut ()).expect("there is memory");
        let world = engine.world_mut();
        for name in [id64!("cannon"), id64!("lamp")] {
            let made = world.spawn_named(name, &Pose::IDENTITY).expect("there is memory");
            assert!(made.is_some(), "it is loaded");
        }
        assert_eq!(world.tags().entities(id32!("new")).len(), 1);
        assert_eq!(world.lights().len(), 1);
    })
    .expect("it boots");
}

#[test]
fn an_entity_whose_mesh_is_missing_is_a_cube_and_the_game_runs_on() {
    let game = game("function start() print(pcall(Entity.spawn, 'ghost', Vector3(0, 0, 0))) end");
    game.write(
        "ghost.entity",
        "components = { transform = {} model = { mesh = \"sheet\" material = \"stone\" } }",
    );
    // The compiler says so as well, and keeps the entity.
    let _ = game.compile();
    let data = game.data();
    let booted = with_engine(&game.options(&data), |engine| {
        frames(engine, 2);
        game.write("sheet.mesh", "shape = \"plane\"");
        assert_eq!(game.compile(), [""; 0], "it is right now");
        engine.reload(&mut ()).expect("there is memory");
        frames(engine, 1);
        engine.finish().expect("it is drawn");
        assert_eq!(engine.drawn().meshes, 4, "the ghost is drawn as it is now");
    });
    let log = game.log.all();
    booted.unwrap_or_else(|error| panic!("{error}: {log:#?}"));
    let said = log.iter().filter(|line| line.contains("(sheet)")).collect::<Vec<_>>();
    assert_eq!(said.len(), 1, "{log:#?}");
    assert!(said[0].ends_with("a checkered cube is in its place"), "{said:?}");
    assert!(log.iter().any(|line| line.starts_with("true\tEntity")), "it is spawned: {log:#?}");
}
