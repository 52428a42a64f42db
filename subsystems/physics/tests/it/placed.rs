//! Where entities with actors are: below parents, and in levels that come in over many updates.

use core::f32::consts::FRAC_PI_2;

use glam::{Quat, Vec3};
use loligo_entities::{Entity, Pose};
use loligo_interface::Subsystem;
use loligo_physics::STATIC_ACTORS_AN_UPDATE;

use crate::play::{FLOOR, Play, play};

/// A crate within a room, and a lift within it.
const ROOM: &str = r#"components = { transform = { position = [ 0 10 0 ] } }
children = {
    crate = { components = {
        transform = { position = [ 2 0 0 ] } actor = { collision = "crate" template = "box" }
    } }
    lift = { components = {
        transform = { position = [ 8 0 0 ] } actor = { collision = "crate" template = "lift" }
    } }
}"#;

/// Returns where an entity is in the world, by the poses of now.
fn in_world(play: &Play<'_>, entity: Entity) -> Vec3 {
    let own = play.transforms.pose(entity).expect("it is there");
    match play.transforms.parent(entity) {
        Some(parent) => play
            .transforms
            .pose(parent)
            .expect("it is there")
            .matrix()
            .transform_point3(own.position),
        None => own.position,
    }
}

#[test]
fn what_moves_below_a_parent_is_where_the_world_has_it() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        play.spawn(FLOOR);
        let all = play.spawn_all(ROOM);
        let (room, thing) = (all[0], all[1]);
        // The room is turned by a quarter before the actors are made: its x axis is -z of the world.
        play.transforms.set_rotation(room, Quat::from_rotation_y(FRAC_PI_2));
        play.update(30);
        let at = in_world(&play, thing);
        assert!(
            Vec3::new(at.x, 0.0, at.z).distance(Vec3::NEG_Z * 2.0) < 0.01,
            "it falls where it is: {at}"
        );
        assert!(at.y < 9.0 && at.y > 5.0, "and falls: {at}");
        play.update(120);
        let rests = in_world(&play, thing);
        assert!((rests.y - 0.5).abs() < 0.02, "{rests}");
        // It rests where it is, wherever its parent goes.
        let scale = Vec3::splat(2.0);
        let pose = Pose { position: Vec3::new(3.0, 1.0, 0.0), rotation: Quat::IDENTITY, scale };
        play.transforms.set_pose(room, &pose);
        play.update(2);
        let at = in_world(&play, thing);
        assert!(at.distance(rests) < 1e-3, "{at} is {rests}");
        let own = play.transforms.pose(thing).expect("it is there").scale;
        assert_eq!(own, Vec3::ONE, "it is as large as it is to its parent");
    });
}

#[test]
fn what_is_moved_below_a_parent_pushes_where_it_is() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        play.spawn(FLOOR);
        let all = play.spawn_all(ROOM);
        play.transforms.set_position(all[0], Vec3::new(0.0, 0.55, 0.0));
        play.update(60);
        let before = in_world(&play, all[1]);
        // The room takes its lift along against the crate, which is in the world.
        for step in 1..=240 {
            play.transforms.set_position(all[0], Vec3::new(-0.04 * step as f32, 0.55, 0.0));
            play.update(1);
        }
        let after = in_world(&play, all[1]);
        assert!(after.x < before.x - 1.0, "it was pushed from {before} to {after}");
    });
}

/// A level of tiles in a row, with a crate above the last.
fn tiles(count: usize) -> String {
    let mut level = String::from("entities = {\n");
    level += r#"thing = { components = {
        transform = { position = [ 0 1 0 ] } actor = { collision = "crate" template = "box" }
    } }"#;
    for tile in (0..count).rev() {
        level += &format!(
            "t{tile} = {{ components = {{ transform = {{ position = [ {} -0.5 0 ] }}
                actor = {{ collision = \"crate\" template = \"floor\" }} }} }}\n",
            tile as f32 * 1.5
        );
    }
    level + "}"
}

#[test]
fn static_actors_come_in_by_a_stated_number_and_what_moves_waits() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        let count = 2 * STATIC_ACTORS_AN_UPDATE + 100;
        let all = play.spawn_all(&tiles(count));
        let thing = *all.iter().find(|one| play.at(**one).y > 0.0).expect("the crate");
        let mut waiting = Vec::new();
        let mut other = Play::new(memory, project);
        assert_eq!(all, other.spawn_all(&tiles(count)));
        for update in 0..4 {
            if update == 1 {
                // What waits is saved.
                let state = play.saved();
                other.physics.load(&state).expect("it was saved");
                assert!(other.saved() == state, "what was read is what was written");
            }
            play.update(1);
            if update >= 1 {
                other.update(1);
                assert!(play.saved() == other.saved(), "update {update}");
            }
            let mut needs = 0;
            play.physics.needs(&mut |type_name, _| needs += usize::from(type_name == "collision"));
            waiting.push(needs);
        }
        let budget = STATIC_ACTORS_AN_UPDATE;
        assert_eq!(waiting, [budget + 101, 101, 0, 0], "as many in each update");
        assert!(
            play.at(thing).y < 1.0 && play.at(thing).y > 0.9,
            "it did not fall before its floor"
        );
        play.update(60);
        assert!((play.at(thing).y - 0.5).abs() < 0.02, "and rests on it: {}", play.at(thing));
    });
}

#[test]
fn what_waits_may_be_destroyed() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        let all = play.spawn_all(&tiles(STATIC_ACTORS_AN_UPDATE + 50));
        play.update(1);
        play.destroy(&all[10..]);
        play.update(3);
        play.destroy(&all[..10]);
        play.spawn_all(&tiles(20));
        play.update(3);
        let mut needs = 0;
        play.physics.needs(&mut |type_name, _| needs += usize::from(type_name == "collision"));
        assert_eq!(needs, 0, "nothing waits");
    });
}
