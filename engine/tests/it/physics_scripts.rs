//! Joints, characters, vehicles, fields and ragdolls of a game, as scripts use them; and what scripts get
//! wrong, by name.

use loligo_engine::{EngineOptions, with_engine};

use crate::physics::SETTINGS;
use crate::support::{Game, frames};

const LEVEL: &str = r#"entities = {
    eye = { components = { transform = { position = [ 0 1 6 ] } camera = {} } }
    ground = { components = {
        transform = { position = [ 0 -0.5 0 ] } actor = { collision = "floor" template = "floor" }
    } }
    post = {
        components = { transform = { position = [ 0 5 -8 ] } actor = { collision = "crate" template = "floor" } }
        children = { door = { components = {
            transform = { position = [ 0 -2 0 ] } actor = { collision = "crate" template = "crate" }
            joint = { kind = "hinge" rotation = [ 0 0 0.7071068 0.7071068 ] limits = [ -90 90 ] }
        } } }
    }
    walker = { components = {
        transform = { position = [ 4 1 0 ] } actor = { collision = "man" template = "lift" } mover = {}
    } }
    car = { components = {
        transform = { position = [ -6 1.2 0 ] } actor = { collision = "crate" template = "crate" }
        vehicle = { wheels = [
            { at = [ 0.6 -0.3 0.6 ] steers = true } { at = [ -0.6 -0.3 0.6 ] steers = true }
            { at = [ 0.6 -0.3 -0.6 ] drives = true } { at = [ -0.6 -0.3 -0.6 ] drives = true }
        ] }
    } }
    storm = { components = { transform = { position = [ 0 0 20 ] } field = { field = "storm" } } }
    hero = { components = { transform = {} ragdoll = { ragdoll = "doll" } } }
}"#;

const STORM: &str =
    r#"region = { sphere = 5 } parameters = { lift = 4 } strength = [ 0 "lift" 0 ]"#;

const SCRIPT: &str = r#"
local function near(a, b) return math.abs(a - b) < 0.1 end
local function refuses(what, call, ...)
    local ok, why = pcall(call, ...)
    print('refused', what, ok, why)
end
function start()
    local post = Entity.find('post')
    refuses('joint', Joint.place, post)
    refuses('mover', Mover.jump, post, 3)
    refuses('vehicle', Vehicle.speed, post)
    refuses('field', Field.get, post, 'lift')
    refuses('ragdoll', Ragdoll.drop, post)
    refuses('group', Physics.group, 'nobody')
end
function update()
    local frame = Game.frame()
    local door, walker = Entity.find('door'), Entity.find('walker')
    local car, storm, hero = Entity.find('car'), Entity.find('storm'), Entity.find('hero')
    if frame == 60 then
        print('joint', Joint.exists(door), near(Joint.place(door), 0))
        Joint.set_target(door, 1, 9000, 3000, 100000)
        print('grounded', Mover.is_grounded(walker), Mover.ground(walker) == Entity.find('ground'))
        Mover.walk(walker, Vector3(2, 0, 0))
        print('wheels', Vehicle.wheels(car), select(3, Vehicle.wheel(car, 1)))
        Vehicle.drive(car, 0, 3000, 0)
        print('field', near(Field.get(storm, 'lift'), 4), Field.get(storm, 'lift') == select(2, Vector3.elements(Field.strength(Vector3(0, 0, 20)))))
        Field.set(storm, 'lift', 9)
        print('changed', near(select(2, Vector3.elements(Field.strength(Vector3(0, 0, 20)))), 9))
        print('held', Ragdoll.is_held(hero))
        refuses('parameter', Field.set, storm, 'left', 1)
        refuses('wheel', Vehicle.wheel, car, 5)
        refuses('bone', Ragdoll.impulse, hero, 'toe', Vector3(0, 1, 0))
        refuses('limits', Joint.set_limits, door, 2, 1)
    elseif frame == 180 then
        print('turned', near(Joint.place(door), 1))
        local x, y, z = Vector3.elements(Mover.velocity(walker))
        print('walks', near(x, 2), near(z, 0))
        print('drives', Vehicle.speed(car) > 1)
        Joint.stop(door)
        Joint.set_limits(door, 0.2, 0.4)
        Mover.walk(walker, Vector3(0, 0, 0))
        Mover.jump(walker, 5)
        Vehicle.drive(car, 0.3, 0, 8000)
    elseif frame == 200 then
        print('jumps', not Mover.is_grounded(walker), Mover.ground(walker))
    elseif frame == 300 then
        print('limited', Joint.place(door) < 0.5, Joint.place(door) > 0.1)
        print('rests', Mover.is_grounded(walker), near(Vehicle.speed(car), 0))
        -- The groups of this game are two: a bit each.
        print('groups', Physics.group('ground'), Physics.group('thing'))
        Joint.destroy(door)
        print('parted', Joint.exists(door))
        Physics.set_filter(walker, 2, 0)
        Physics.set_group(walker, 'thing')
    elseif frame == 400 then
        local _, y = Vector3.elements(Transform.position(door))
        print('fell', y < -4)
    end
end"#;

fn game() -> Game {
    let game = Game::new(1);
    game.write("game.physics", SETTINGS);
    for (name, shape) in [
        ("floor", "template = \"floor\" box = [ 80 1 80 ]"),
        ("crate", "template = \"crate\" box = [ 1 1 1 ]"),
        ("man", "template = \"crate\" capsule = { radius = 0.3 height = 1.8 }"),
    ] {
        let source = format!("settings = \"game\" shapes = [ {{ {shape} }} ]");
        game.write(&format!("{name}.collision"), &source);
    }
    game.write("storm.field", STORM);
    let doll =
        "settings = \"game\" bones = { hips = { shape = { template = \"crate\" sphere = 1 } } }";
    game.write("doll.ragdoll", doll);
    game.write("yard.level", LEVEL);
    game.start_with(SCRIPT);
    game
}

#[test]
fn scripts_drive_what_is_in_data_and_are_refused_by_name() {
    let game = game();
    let data = game.data();
    let runs = [1, 4].map(|threads| {
        let options = EngineOptions { threads: Some(threads), ..game.options(&data) };
        with_engine(&options, |engine| {
            frames(engine, 410);
            engine.state_hashes().collect::<Vec<_>>()
        })
        .expect("it boots")
    });
    assert_eq!(runs[0], runs[1], "with four threads");
    let log = game.log.all();
    // What a frame prints is one line of the log.
    let printed: Vec<&str> = log.iter().flat_map(|line| line.split('\n')).collect();
    for said in [
        "joint\ttrue\ttrue",
        "grounded\ttrue\ttrue",
        "wheels\t4\ttrue",
        "field\ttrue\ttrue",
        "changed\ttrue",
        "held\tfalse",
        "turned\ttrue",
        "walks\ttrue\ttrue",
        "drives\ttrue",
        "jumps\ttrue\tnil",
        "limited\ttrue\ttrue",
        "rests\ttrue\ttrue",
        "groups\t1\t2",
        "parted\tfalse",
        "fell\ttrue",
    ] {
        let count = printed.iter().filter(|line| **line == said).count();
        assert_eq!(count, 2, "{said}: {log:#?}");
    }
    for (what, why) in [
        ("joint", "the entity has no joint"),
        ("mover", "the entity is no character"),
        ("vehicle", "the entity is no vehicle"),
        ("field", "the entity has no field"),
        ("ragdoll", "the entity has no ragdoll"),
        ("group", "names no group"),
        ("parameter", "names no parameter of the field"),
        ("wheel", "the vehicle has wheels 1 to 4"),
        ("bone", "names no bone"),
        ("limits", "the upper limit"),
    ] {
        let is_it =
            |line: &&&str| line.contains(&format!("refused\t{what}\tfalse")) && line.contains(why);
        assert_eq!(printed.iter().filter(is_it).count(), 2, "{what}: {log:#?}");
    }
    assert_eq!(game.log.errors(), [""; 0]);
}

#[test]
fn all_of_it_is_saved_byte_for_byte() {
    let game = game();
    let data = game.data();
    let options = game.options(&data);
    for before in [1, 70, 190] {
        let (bytes, went_on) = with_engine(&options, |engine| {
            frames(engine, before);
            let bytes = engine.save().expect("there is memory").to_vec();
            frames(engine, 60);
            (bytes, engine.state_hashes().collect::<Vec<_>>())
        })
        .expect("it boots");
        let loaded = with_engine(&options, |engine| {
            engine.load(&bytes).expect("it was saved");
            let again = engine.save().expect("there is memory").to_vec();
            assert!(again == bytes, "what was loaded is saved as the same bytes");
            frames(engine, 60);
            engine.state_hashes().collect::<Vec<_>>()
        })
        .expect("it boots");
        assert_eq!(went_on, loaded, "after {before}");
    }
}
