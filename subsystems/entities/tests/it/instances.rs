//! Entities of a level that are placed often.

use glam::{Quat, Vec3};
use loligo_entities::{EntityResource, NO_PARENT, Pose};

use crate::memory::with_memory;
use crate::world::{World, compiled, refused};

const LAMP: (&str, &[u8]) = (
    "lamp",
    br#"components = { transform = { position = [ 0 1 0 ] scale = 2 } tag = "lamp" }
        children = { bulb = { components = { transform = { position = [ 0 0.5 0 ] } health = 3 } } }"#,
);

/// Spawns a level and returns the poses of its entities in their own space.
fn spawned(text: &str) -> Vec<Pose> {
    with_memory(|memory| {
        let bytes = compiled(text, &[LAMP], memory);
        let resource = EntityResource::open(&bytes).expect("it was compiled");
        let mut world = World::new(memory);
        let made = world.spawn(&resource, &[Pose::IDENTITY]).expect("there is memory");
        made.iter().map(|entity| world.transforms.pose(*entity).expect("it has one")).collect()
    })
}

#[test]
fn each_place_has_a_copy_with_all_that_hangs_on_it() {
    with_memory(|memory| {
        let text = r#"entities = { first = {} }
            instances = [ { inherit = "lamp" positions = [ [ 4 0 2 ] [ 7 0 2 ] ] components = { tag = "low" } } ]"#;
        let bytes = compiled(text, &[LAMP], memory);
        let resource = EntityResource::open(&bytes).expect("it was compiled");
        assert_eq!(resource.parents(), [NO_PARENT, NO_PARENT, 1, NO_PARENT, 3]);
        let mut world = World::new(memory);
        let made = world.spawn(&resource, &[Pose::IDENTITY]).expect("there is memory");
        let pose = |at: usize| world.transforms.pose(made[at]).expect("it has one");
        assert_eq!(
            pose(1),
            Pose { position: Vec3::new(4.0, 1.0, 2.0), scale: Vec3::splat(2.0), ..Pose::IDENTITY }
        );
        assert_eq!(pose(3).position, Vec3::new(7.0, 1.0, 2.0));
        assert_eq!((pose(2), pose(4)), (Pose::at(Vec3::Y * 0.5), Pose::at(Vec3::Y * 0.5)));
        let low = world.tags.entities(loligo_ids::id32!("low"));
        assert_eq!(low, [made[1], made[3]], "what is said of the instance is said of each copy");
    });
}

#[test]
fn poses_turn_and_scale_what_is_placed() {
    let poses = spawned(
        r#"instances = [ { inherit = "lamp" poses = [
            { position = [ 1 0 0 ] rotation = [ 0 0 1 0 ] scale = 3 }
            {}
        ] } ]"#,
    );
    // Turned by half a turn around z: what was up is down.
    assert!(poses[0].position.distance(Vec3::new(1.0, -3.0, 0.0)) < 1e-6, "{:?}", poses[0]);
    assert_eq!(poses[0].scale, Vec3::splat(6.0));
    assert_eq!(poses[2].position, Vec3::Y);
}

#[test]
fn a_grid_is_centered_and_varied_by_its_seed_alone() {
    let at = |text: &str| -> Vec<Vec3> {
        spawned(&format!("instances = [ {{ grid = {{ {text} }} }} ]"))
            .iter()
            .map(|pose| pose.position)
            .collect()
    };
    let wanted = [[-1.0, 0.0, 4.0], [1.0, 0.0, 4.0], [-1.0, 0.0, 7.0], [1.0, 0.0, 7.0]];
    let plain = at("count = [ 2 1 2 ] step = [ 2 1 3 ] center = [ 0 0 5.5 ]");
    assert_eq!(plain, wanted.map(Vec3::from_array));
    let varied = "instances = [ { grid = { count = [ 20 1 20 ] jitter = [ 0.25 0 0.25 ] turn = 90 scale = [ 0.5 2 ] seed = ";
    let first = spawned(&format!("{varied} 1 }} }} ]"));
    assert_eq!(first, spawned(&format!("{varied} 1 }} }} ]")), "the same each time");
    assert_ne!(first, spawned(&format!("{varied} 2 }} }} ]")));
    let even = at("count = [ 20 1 20 ]");
    for (pose, even) in first.iter().zip(even) {
        let off = (pose.position - even).abs();
        assert!(off.x <= 0.25 && off.y == 0.0 && off.z <= 0.25, "{pose:?} is not near {even}");
        assert!((0.5..=2.0).contains(&pose.scale.x), "{pose:?}");
        let (axis, angle) = pose.rotation.to_axis_angle();
        assert!(angle.abs() < 1.571 && (axis.y.abs() > 0.999 || angle.abs() < 1e-3), "{pose:?}");
    }
    let spread = first.iter().filter(|pose| pose.scale.x > 1.25).count();
    assert!((120..280).contains(&spread), "{spread} of 400 are larger than the middle");
}

#[test]
fn a_ring_turns_its_copies_away_from_the_center() {
    let poses = spawned("instances = [ { ring = { count = 4 radius = 2 center = [ 1 0 0 ] } } ]");
    let wanted = [[3.0, 0.0, 0.0], [1.0, 0.0, -2.0], [-1.0, 0.0, 0.0], [1.0, 0.0, 2.0]];
    for (pose, wanted) in poses.iter().zip(wanted.map(Vec3::from_array)) {
        assert!(pose.position.distance(wanted) < 1e-5, "{pose:?} is not at {wanted}");
        let out = (wanted - Vec3::X).normalize();
        assert!((pose.rotation * Vec3::X).distance(out) < 1e-5, "{pose:?}");
        assert!(pose.rotation.angle_between(Quat::IDENTITY) <= 3.15, "{pose:?}");
    }
    assert_eq!(poses.len(), 4);
}

#[test]
fn no_place_is_no_entity_and_ten_thousand_are_few_lines() {
    assert!(spawned(r#"instances = [ { inherit = "lamp" positions = [] } ]"#).is_empty());
    assert!(
        spawned(r#"instances = [ { inherit = "lamp" grid = { count = [ 0 1 9 ] } } ]"#).is_empty()
    );
    let poses = spawned(r#"instances = [ { inherit = "lamp" grid = { count = [ 100 1 50 ] } } ]"#);
    assert_eq!(poses.len(), 10_000, "a lamp and its bulb each");
}

#[test]
fn what_is_wrong_with_places_has_its_place() {
    let is = |text: &str, wanted: &str| assert_eq!(refused(text, &[LAMP]), wanted, "{text}");
    let one_of = "an instance has one of `positions`, `poses`, `grid` and `ring`; write which";
    is("instances = [ {} ]", &format!("test:1:15: {one_of}"));
    is("instances = [ { positions = [] grid = {} } ]", &format!("test:1:15: {one_of}"));
    is(
        "instances = {}",
        "test:1:13: expected an array of `{ inherit = .. }` with places, found `{}`",
    );
    is("instances = [ 1 ]", "test:1:15: expected an object in braces, found `1`");
    is(
        "instances = [ { positions = [ [ 1 2 ] ] } ]",
        "test:1:31: expected a position `[ x y z ]`, found `[ 1 2 ]`",
    );
    is("instances = [ { grid = {} } ]", "test:1:24: there is no `count` here; add it");
    is(
        "instances = [ { grid = { count = [ 2 1 0.5 ] } } ]",
        "test:1:34: these are no whole numbers; write how many along x, y and z",
    );
    is(
        "instances = [ { grid = { count = [ 1e9 1e9 1e9 ] } } ]",
        "test:1:34: more than 1048576 entities; make several levels",
    );
    is(
        "instances = [ { ring = { count = 1e9 radius = 1 } } ]",
        "test:1:34: this is no number of entities; write a whole one",
    );
    is(
        r#"instances = [ { inherit = "lamp" grid = { count = [ 1024 1 1024 ] } } ]"#,
        "test:1:15: more than 1048576 entities; make several levels",
    );
    is(
        "entities = { a = { grid = {} } }",
        "test:1:20: the key `grid` means nothing here; the keys are inherit, components, children",
    );
}
