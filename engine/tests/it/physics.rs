//! Actors in a game: they fall, are heard in Lua, pushed, seen as lines, saved and replayed.

use glam::Vec3;
use loligo_engine::{Engine, EngineOptions, with_engine};
use loligo_ids::id32;

use crate::support::{Game, frames, place};

/// Settings with a shape and an actor for floors.
pub(crate) const SETTINGS: &str = "
stay_rate = 4
groups = { ground = { meets = \"*\" } thing = { meets = \"*\" } }
materials = { stone = { friction = 0.8 density = 2600 } wood = { friction = 0.5 density = 600 } }
shapes = {
    floor = { material = \"stone\" group = \"ground\" silent = true }
    crate = { material = \"wood\" group = \"thing\" }
    zone = { material = \"wood\" group = \"ground\" trigger = true }
}
actors = { floor = { kind = \"static\" } crate = { kind = \"dynamic\" } lift = { kind = \"kinematic\" } }
";

const LEVEL: &str = "entities = {
    eye = { components = { transform = { position = [ 0 1 6 ] } camera = {} } }
    ground = { components = {
        transform = { position = [ 0 -0.5 0 ] } actor = { collision = \"floor\" template = \"floor\" }
    } }
    crate = { components = {
        transform = { position = [ 0 2.5 0 ] } actor = { collision = \"crate\" template = \"crate\" }
    } }
    zone = { components = {
        transform = { position = [ 0 1.5 0 ] } actor = { collision = \"zone\" template = \"floor\" }
    } }
    lift = { components = {
        transform = { position = [ 5 0.5 0 ] } actor = { collision = \"crate\" template = \"lift\" }
    } }
}";

fn game(script: &str) -> Game {
    let game = Game::new(1);
    game.write("game.physics", SETTINGS);
    for (name, shape) in [
        ("floor", "template = \"floor\" box = [ 40 1 40 ]"),
        ("crate", "template = \"crate\" box = [ 1 1 1 ]"),
        ("zone", "template = \"zone\" box = [ 0.5 0.5 0.5 ]"),
    ] {
        let source = format!("settings = \"game\" shapes = [ {{ {shape} }} ]");
        game.write(&format!("{name}.collision"), &source);
    }
    game.write("yard.level", LEVEL);
    game.start_with(script);
    game
}

#[test]
fn a_box_falls_and_is_heard() {
    let game = game(
        "local is = function(entity, name) return entity == Entity.find(name) end
        function touch_begin(entity, other, material, other_material, point, normal, impulse)
            local _, up = Vector3.elements(normal)
            print('begin', is(entity, 'ground'), is(other, 'crate'), material == Physics.id('stone'),
                other_material == Physics.id('wood'), up > 0.99, impulse > 0)
        end
        function touch_end(entity, other) print('end', is(entity, 'ground'), is(other, 'crate')) end
        function trigger_enter(trigger, entity) print('enter', is(trigger, 'zone'), is(entity, 'crate')) end
        function trigger_leave(trigger, entity) print('leave', is(trigger, 'zone'), is(entity, 'crate')) end
        function update()
            local crate = Entity.find('crate')
            if Game.frame() == 100 then
                local hit, distance = Physics.cast(Vector3(0, 9, 0), Vector3(0, -20, 0))
                print('cast', hit == crate, math.abs(distance - 8) < 0.05, Physics.is_asleep(crate))
                Physics.impulse(crate, Vector3(0, Physics.mass(crate) * 8, 0))
            elseif Game.frame() == 101 then
                local _, up = Vector3.elements(Physics.velocity(crate))
                print('up', up > 7.5, pcall(Physics.mass, Entity.find('eye')))
            end
        end",
    );
    let data = game.data();
    let runs = [1, 4].map(|threads| {
        let options = EngineOptions { threads: Some(threads), ..game.options(&data) };
        with_engine(&options, |engine| {
            frames(engine, 90);
            let rests = place(engine, id32!("crate"));
            assert!(rests.distance(Vec3::Y * 0.5) < 0.02, "{rests}");
            frames(engine, 40);
            assert!(place(engine, id32!("crate")).y > 2.0, "it was pushed up");
            engine.state_hashes().collect::<Vec<_>>()
        })
        .expect("it boots")
    });
    assert_eq!(runs[0], runs[1], "with four threads");
    let log = game.log.all();
    for (said, count) in [
        ("begin\ttrue\ttrue\ttrue\ttrue\ttrue\ttrue", 2),
        ("end\ttrue\ttrue", 2),
        ("cast\ttrue\ttrue", 2),
        ("up\ttrue\tfalse", 2),
    ] {
        assert_eq!(
            log.iter().filter(|line| line.contains(said)).count(),
            count,
            "{said}: {log:#?}"
        );
    }
    assert!(log.iter().any(|line| line.contains("enter\ttrue\ttrue")), "{log:#?}");
    assert!(log.iter().any(|line| line.contains("leave\ttrue\ttrue")), "{log:#?}");
    assert_eq!(game.log.errors(), [""; 0]);
}

#[test]
fn a_saved_game_of_physics_goes_on_byte_for_byte() {
    let game = game(
        "function update()
            local lift, crate, frame = Entity.find('lift'), Entity.find('crate'), Game.frame()
            if frame > 20 and frame < 120 then
                Transform.set_position(lift, Vector3(5 - 0.05 * (frame - 20), 0.5, 0))
            end
            if frame == 40 then Physics.impulse_at(crate, Vector3(0, 900, 0), Vector3(0.3, 0.5, 0)) end
        end",
    );
    let data = game.data();
    let options = game.options(&data);
    for (before, after) in [(1, 60), (30, 60), (45, 90)] {
        let frame = |engine: &mut Engine<'_, '_>| {
            frames(engine, 1);
            let at = place(engine, id32!("crate")).to_array().map(f32::to_bits);
            (at, engine.state_hashes().collect::<Vec<_>>())
        };
        let (bytes, went_on) = with_engine(&options, |engine| {
            frames(engine, before);
            let bytes = engine.save().expect("there is memory").to_vec();
            (bytes, (0..after).map(|_| frame(engine)).collect::<Vec<_>>())
        })
        .expect("it boots");
        let loaded = with_engine(&options, |engine| {
            engine.load(&bytes).expect("it was saved");
            let again = engine.save().expect("there is memory").to_vec();
            assert!(again == bytes, "what was loaded is saved as the same bytes");
            (0..after).map(|_| frame(engine)).collect::<Vec<_>>()
        })
        .expect("it boots");
        let at = went_on.iter().zip(&loaded).position(|(old, new)| old != new);
        assert_eq!(at, None, "after {before}: {:?}", at.map(|at| (&went_on[at], &loaded[at])));
    }
}

#[test]
fn actors_and_contacts_are_seen_as_lines() {
    const LINE: usize = 32;
    let game = game("function start() Physics.show(true) end");
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        frames(engine, 5);
        // The edges of four boxes.
        assert_eq!(crate::debug_draw::bytes(engine) / LINE, 48);
        frames(engine, 60);
        assert!(crate::debug_draw::bytes(engine) / LINE > 48, "and contacts");
    })
    .expect("it boots");
}

/// What casts and fields are seen as: each frame a ray that hits and one that does not; then more than are
/// seen; then a field.
const SEEN: &str = "
function update()
    local frame, down = Game.frame(), Vector3(0, -20, 0)
    if frame == 2 then Physics.show_casts(true) end
    if frame >= 10 and frame < 20 then
        Physics.cast(Vector3(0, 9, 0), down)
        Physics.is_clear(Vector3(0, -9, 0), down)
    elseif frame >= 20 and frame < 30 then
        for _ = 1, 2000 do Physics.is_clear(Vector3(0, -9, 0), down) end
    elseif frame == 30 then
        Physics.show_casts(false)
        Field.show(true)
    elseif frame >= 30 and frame < 40 then
        Physics.cast(Vector3(0, 9, 0), down)
    elseif frame == 40 then
        Field.show(false)
    end
end";

#[test]
fn casts_and_fields_are_seen_as_lines() {
    const LINE: usize = 32;
    let game = game(SEEN);
    let storm = "
    storm = { components = { transform = { position = [ 0 0 20 ] } field = { field = \"storm\" } } }
    lift =";
    game.write("yard.level", &LEVEL.replacen("lift =", storm, 1));
    game.write("storm.field", "region = { box = [ 8 8 8 ] } strength = [ 0 4 0 ]");
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        let mut lines = |from: usize, to: usize| {
            let counts: Vec<usize> =
                (from..to).map(|_| crate::debug_draw::bytes(engine) / LINE).collect();
            // A frame before and after, as the numbers of frames are those of scripts.
            let middle = &counts[2..counts.len() - 2];
            assert!(middle.iter().all(|count| count == &middle[0]), "{from}: {counts:?}");
            middle[0]
        };
        assert_eq!(lines(0, 10), 0, "nothing is cast");
        assert_eq!(lines(10, 20), 3, "a hit has a normal");
        assert_eq!(lines(20, 30), 1024, "no more are seen");
        assert_eq!(lines(30, 40), 12 + 3 * 64, "a box, and arrows of three lines");
        assert_eq!(lines(40, 50), 0, "nothing is shown");
    })
    .expect("it boots");
}

#[test]
fn a_collision_that_is_loaded_again_changes_what_is_there() {
    let game = game("");
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        frames(engine, 90);
        let crate_at = |engine: &Engine<'_, '_>| place(engine, id32!("crate"));
        assert!(crate_at(engine).distance(Vec3::Y * 0.5) < 0.02, "{}", crate_at(engine));
        let source = "settings = \"game\" shapes = [ { template = \"crate\" box = [ 1 0.4 1 ] } ]";
        game.write("crate.collision", source);
        assert_eq!(game.compile(), [""; 0], "it is right");
        engine.reload(&mut ()).expect("there is memory");
        frames(engine, 90);
        let flat = crate_at(engine);
        assert!(flat.distance(Vec3::Y * 0.2) < 0.02, "{flat}");
    })
    .expect("it boots");
    assert_eq!(game.log.errors(), [""; 0]);
}

#[test]
fn entities_are_destroyed_while_events_are_read() {
    // Both crates and the floor touch each other: what is heard first destroys what later events name.
    let game = game(
        "local heard = 0
        function touch_begin(entity, other)
            heard = heard + 1
            local crate = Entity.find('crate')
            for _, of in pairs({ entity, other }) do
                if of ~= Entity.find('ground') then
                    local ok, why = pcall(Physics.mass, of)
                    print('asked', heard, ok, why)
                    Entity.destroy(of)
                end
            end
        end
        function touch_end(entity, other)
            print('end', pcall(Physics.velocity, other))
        end
        function update()
            if Game.frame() == 80 then print('left', Entity.find('crate'), Entity.find('top'), heard) end
        end",
    );
    let top = "
    top = { components = {
        transform = { position = [ 0 1.5 0 ] } actor = { collision = \"crate\" template = \"crate\" }
    } }
    lift =";
    let level = LEVEL.replace("0 2.5 0", "0 0.499 0").replacen("lift =", top, 1);
    let zone = " ] } actor = { collision = \"zone\"";
    let level = level.replace(&format!("0 1.5 0{zone}"), &format!("0 9 0{zone}"));
    game.write("yard.level", &level);
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    let runs = [1, 4].map(|threads| {
        let options = EngineOptions { threads: Some(threads), ..game.options(&data) };
        with_engine(&options, |engine| {
            frames(engine, 90);
            engine.state_hashes().collect::<Vec<_>>()
        })
        .expect("it boots")
    });
    assert_eq!(runs[0], runs[1], "with four threads");
    let log = game.log.all();
    let said = |text: &str| log.iter().filter(|line| line.contains(text)).count();
    assert!(said("asked\t1\ttrue") >= 2, "{log:#?}");
    assert_eq!(said("left\tnil\tnil"), 2, "{log:#?}");
    // What touches two others is destroyed twice.
    let errors = game.log.errors();
    assert!(errors.iter().all(|line| line.contains("is gone; ask Entity.is_alive")), "{errors:#?}");
}
