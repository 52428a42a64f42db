//! Collisions that change while a game runs: live actors get other shapes, and events say what touches no more.

use glam::Vec3;
use loligo_interface::SubsystemError;
use loligo_physics::{TouchBegan, TouchEnded, TriggerEntered};

use crate::play::{CRATE, FLOOR, LIFT, Play, SETTINGS, play, play_with};
use crate::project::TestProject;

const SHAPE: &str = "{ template = \"box\" box = [ 1 1 1 ] }";

/// Compiles a collision again, of some shapes, and hands it to a game.
fn give(play: &mut Play<'_>, name: &str, shapes: &str) {
    let source = format!("settings = \"game\" shapes = [ {shapes} ]");
    let file = format!("{name}.collision");
    let project =
        TestProject::new(&[("game.physics", SETTINGS.as_bytes()), (&*file, source.as_bytes())]);
    project.compile().expect("it is right");
    play.give(&project, "collision", name, true);
}

/// Returns a game in which a crate rests on a floor.
fn rested<'m>(
    memory: loligo_allocators::SharedRef<'m>,
    project: &TestProject,
) -> (Play<'m>, [loligo_entities::Entity; 2]) {
    let mut play = Play::new(memory, project);
    let floor = play.spawn(FLOOR);
    let thing = play.spawn(&CRATE.replace("velocity = [ 1 0 0 ]", ""));
    play.update(240);
    assert!((play.at(thing).y - 0.5).abs() < 0.02, "{}", play.at(thing));
    play.events::<TouchBegan>();
    (play, [floor, thing])
}

/// Takes the touches that have begun and ended.
fn touches(play: &mut Play<'_>) -> [usize; 2] {
    let events = loligo_interface::Subsystem::events(&mut play.physics).expect("it has some");
    let counts = [events.of::<TouchBegan>().count(), events.of::<TouchEnded>().count()];
    events.clear();
    counts
}

#[test]
fn what_rests_falls_on_its_new_shape() {
    play(|memory, project| {
        let (mut play, [_, thing]) = rested(memory, project);
        give(&mut play, "crate", &SHAPE.replace("1 1 1", "1 0.4 1"));
        let before = play.at(thing);
        play.update(1);
        assert!(play.at(thing).distance(before) < 0.01, "it is where it was");
        assert_eq!(touches(&mut play), [0, 1], "it touches nothing");
        play.update(120);
        let now = play.at(thing);
        assert!((now.y - 0.2).abs() < 0.02 && (now.x - before.x).abs() < 0.02, "{now}");
        assert_eq!(touches(&mut play), [1, 0], "and the floor again");
        // It is pushed out of the floor if it grows, and comes to rest on it.
        give(&mut play, "crate", SHAPE);
        play.update(240);
        let now = play.at(thing);
        assert!((now.y - 0.5).abs() < 0.02, "{now}");
    });
}

#[test]
fn a_touch_that_goes_on_is_no_event() {
    play(|memory, project| {
        let (mut play, [_, thing]) = rested(memory, project);
        let before = play.at(thing);
        give(&mut play, "crate", &SHAPE.replace("1 1 1", "3 1 2"));
        play.update(60);
        assert_eq!(touches(&mut play), [0, 0], "it goes on");
        assert!(play.at(thing).distance(before) < 0.02, "{} {before}", play.at(thing));
        // A second shape touches by itself, and its touch ends with it.
        let two = "{ template = \"box\" box = [ 3 1 2 ] } { template = \"box\" position = [ 3 0 0 ] box = [ 1 1 1 ] }";
        give(&mut play, "crate", two);
        play.update(30);
        assert_eq!(touches(&mut play), [1, 0], "one more");
        give(&mut play, "crate", SHAPE);
        play.update(30);
        assert_eq!(touches(&mut play), [0, 1], "one less");
        play.destroy(&[thing]);
        play.update(1);
        assert_eq!(touches(&mut play), [0, 1], "and none");
    });
}

#[test]
fn a_floor_that_shrinks_wakes_what_is_on_it() {
    play(|memory, project| {
        let (mut play, [floor, thing]) = rested(memory, project);
        play.update(240);
        give(&mut play, "floor", "{ template = \"floor\" box = [ 40 0.4 40 ] }");
        play.update(120);
        let (now, ground) = (play.at(thing), play.at(floor));
        assert!((now.y - 0.2).abs() < 0.02, "{now} on {ground}");
    });
}

#[test]
fn speed_turning_and_joints_stay() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        let flying = CRATE.replace("velocity = [ 1 0 0 ]", "velocity = [ 1 5 0 ] spin = [ 0 0 2 ]");
        let thing = play.spawn(&flying);
        let hung = r#"components = {
            transform = { position = [ 0 30 0 ] } actor = { collision = "crate" template = "floor" }
        } children = { low = { components = {
            transform = { position = [ 0 -2 0 ] } actor = { collision = "crate" template = "box" }
            joint = { kind = "hinge" position = [ 0 2 0 ] }
        } } }"#;
        let hung = play.spawn_all(hung);
        let lift = play.spawn(LIFT);
        play.update(10);
        let step = |play: &mut Play<'_>, count| {
            let before = play.at(thing);
            play.update(count);
            (play.at(thing) - before) * 60.0 / count as f32
        };
        let before = step(&mut play, 1);
        // Its centre is elsewhere now; that moves in a circle around the place where the other was.
        give(&mut play, "crate", "{ template = \"box\" position = [ 1 0 0 ] box = [ 1 1 1 ] }");
        let after = step(&mut play, 1);
        let fall = Vec3::new(0.0, -9.81 / 60.0, 0.0);
        assert!((after - before - fall).length() < 0.15, "{before} {after}");
        play.update(200);
        let low = play.transforms.pose(hung[1]).expect("it is there").position;
        assert!((low.length() - 2.0).abs() < 0.1, "it hangs on its joint: {low}");
        assert_eq!(play.at(lift), Vec3::new(9.0, 1.0, 0.0), "what the game moves stays");
    });
}

#[test]
fn what_is_refused_changes_nothing_and_is_named() {
    play(|memory, project| {
        let (mut play, [_, thing]) = rested(memory, project);
        let before = play.at(thing);
        let mesh = "{ template = \"box\" mesh = { vertices = [ [ 0 0 0 ] [ 1 0 0 ] [ 0 0 1 ] ] triangles = [ [ 0 1 2 ] ] } }";
        give(&mut play, "crate", mesh);
        play.try_update(1);
        let [SubsystemError::Wrong { what, .. }] = &play.errors[..] else {
            panic!("{:?}", play.errors);
        };
        assert!(what.contains("do not move by themselves"), "{what}");
        play.update(60);
        assert!(play.at(thing).distance(before) < 0.01, "it has the shape that it had");
        assert_eq!(touches(&mut play), [0, 0], "and touches what it did");
    });
}

#[test]
fn a_shape_that_becomes_a_trigger_ends_its_touch() {
    let settings = SETTINGS.replace(
        "shapes = {",
        "shapes = { gate = { material = \"wood\" group = \"thing\" trigger = true }",
    );
    play_with(&[("game.physics", settings.as_bytes())], |memory, project| {
        let mut play = Play::new(memory, project);
        play.spawn(FLOOR);
        let gate = play.spawn(&LIFT.replace("9 1 0", "0 0.7 0"));
        let thing = play.spawn(&CRATE.replace("0 3 0", "0 1.7 0").replace("1 0 0", "0 0 0"));
        play.update(60);
        assert!((play.at(thing).y - 1.7).abs() < 0.05, "it is on the gate");
        play.events::<TouchBegan>();
        let source = "settings = \"game\" shapes = [ { template = \"gate\" box = [ 1 1 1 ] } ]";
        let project = TestProject::new(&[
            ("game.physics", settings.as_bytes()),
            ("crate.collision", source.as_bytes()),
        ]);
        project.compile().expect("it is right");
        play.give(&project, "collision", "crate", true);
        // The crate itself moves, so it cannot be a trigger: that is said, and it stays as it is.
        play.try_update(1);
        assert_eq!(play.errors.len(), 1, "{:?}", play.errors);
        let events = loligo_interface::Subsystem::events(&mut play.physics).expect("it has some");
        let ended: Vec<TouchEnded> = events.of().collect();
        let entered: Vec<TriggerEntered> = events.of().collect();
        assert_eq!((ended.len(), entered.len()), (1, 1), "{ended:?} {entered:?}");
        assert_eq!((entered[0].trigger, entered[0].entity), (gate.to_bits(), thing.to_bits()));
        play.update(60);
        assert!((play.at(thing).y - 0.5).abs() < 0.05, "it has fallen through the gate");
    });
}

#[test]
fn new_shapes_are_as_large_as_their_entity() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        play.spawn(FLOOR);
        let large = CRATE.replace("0 3 0 ]", "0 1.1 0 ] scale = [ 2 2 2 ]");
        let thing = play.spawn(&large.replace("1 0 0", "0 0 0"));
        play.update(90);
        assert!((play.at(thing).y - 1.0).abs() < 0.02, "{}", play.at(thing));
        give(&mut play, "crate", &SHAPE.replace("1 1 1", "1 0.4 1"));
        play.update(120);
        assert!((play.at(thing).y - 0.4).abs() < 0.02, "{}", play.at(thing));
    });
}
