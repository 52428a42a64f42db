//! Transforms: linked, moved, updated, refused.

use glam::Vec3;
use loligo_entities::{DEPTH_MAX, Entities, Entity, LinkError, Pose, Transforms};

use crate::memory::with_memory;

fn chain(
    entities: &mut Entities<'_>,
    transforms: &mut Transforms<'_>,
    count: usize,
) -> Vec<Entity> {
    let mut chain: Vec<Entity> = Vec::new();
    for _ in 0..count {
        let entity = entities.create().expect("there is memory");
        let parent = chain.last().copied();
        transforms.try_insert(entity, parent, Pose::at(Vec3::X)).expect("there is memory");
        chain.push(entity);
    }
    chain
}

#[test]
fn a_chain_moves_with_its_root_and_only_what_is_below() {
    with_memory(|memory| {
        let mut entities = Entities::new_in(memory);
        let mut transforms = Transforms::new_in(memory);
        let chain = chain(&mut entities, &mut transforms, DEPTH_MAX);
        let mut moved = Vec::new();
        transforms.update(|entity, _| moved.push(entity));
        assert_eq!(moved, chain, "from the root down");
        transforms.set_position(chain[50], Vec3::Y);
        moved.clear();
        transforms.update(|entity, _| moved.push(entity));
        assert_eq!(moved, chain[50..], "what is below, and nothing else");
        let end = transforms.world(chain[63]).expect("it is there").transform_point3(Vec3::ZERO);
        assert_eq!(end, Vec3::new(63.0, 1.0, 0.0));
        moved.clear();
        transforms.update(|entity, _| moved.push(entity));
        assert!(moved.is_empty(), "nothing has moved");
        transforms.validate().expect("it is whole");
    });
}

#[test]
fn links_that_cannot_be_are_refused_and_change_nothing() {
    with_memory(|memory| {
        let mut entities = Entities::new_in(memory);
        let mut transforms = Transforms::new_in(memory);
        let all = chain(&mut entities, &mut transforms, DEPTH_MAX);
        let bare = entities.create().expect("there is memory");
        let (root, last) = (all[0], all[DEPTH_MAX - 1]);
        let at = Pose::IDENTITY;
        let wrong = [
            (transforms.try_insert(root, None, at), LinkError::Taken { entity: root }),
            (transforms.try_insert(bare, Some(last), at), LinkError::TooDeep { levels: 65 }),
            (transforms.try_insert(bare, Some(bare), at), LinkError::NoParent { parent: bare }),
            (transforms.link(bare, None), LinkError::Missing { entity: bare }),
            (transforms.link(root, Some(bare)), LinkError::NoParent { parent: bare }),
            (transforms.link(root, Some(last)), LinkError::TooDeep { levels: 65 }),
            (
                transforms.link(all[3], Some(all[9])),
                LinkError::Ring { entity: all[3], parent: all[9] },
            ),
            (transforms.link(root, Some(root)), LinkError::Ring { entity: root, parent: root }),
        ];
        for (result, error) in wrong {
            assert_eq!(result, Err(error), "{error}");
        }
        let other = chain(&mut entities, &mut transforms, 2);
        let too_deep = transforms.link(root, Some(other[1]));
        assert_eq!(too_deep, Err(LinkError::TooDeep { levels: 66 }));
        for (child, parent) in all[1..].iter().zip(&all) {
            assert_eq!(transforms.parent(*child), Some(*parent));
        }
        transforms.validate().expect("it is whole");
    });
}

#[test]
fn a_subtree_moves_between_levels() {
    with_memory(|memory| {
        let mut entities = Entities::new_in(memory);
        let mut transforms = Transforms::new_in(memory);
        let long = chain(&mut entities, &mut transforms, 5);
        let other = chain(&mut entities, &mut transforms, 3);
        transforms.update(|_, _| {});
        transforms.link(long[2], Some(other[2])).expect("there is room");
        let mut moved = Vec::new();
        transforms.update(|entity, _| moved.push(entity));
        assert_eq!(moved, long[2..], "what hangs elsewhere now");
        let end = transforms.world(long[4]).expect("it is there").transform_point3(Vec3::ZERO);
        assert_eq!(end, Vec3::new(6.0, 0.0, 0.0));
        transforms.link(long[3], None).expect("there is room");
        transforms.update(|_, _| {});
        let end = transforms.world(long[4]).expect("it is there").transform_point3(Vec3::ZERO);
        assert_eq!(end, Vec3::new(2.0, 0.0, 0.0), "on its own");
        assert!(transforms.children(other[2]).eq([long[2]]));
        transforms.validate().expect("it is whole");
    });
}

#[test]
fn runs_are_of_neighbours_in_the_order_that_was_asked_for() {
    with_memory(|memory| {
        let mut entities = Entities::new_in(memory);
        let mut transforms = Transforms::new_in(memory);
        let all: Vec<Entity> =
            (0..6).map(|_| entities.create().expect("there is memory")).collect();
        for (at, entity) in all.iter().enumerate().filter(|(at, _)| *at != 4) {
            let parent = (at == 2).then_some(all[0]);
            let pose = Pose::at(Vec3::splat(at as f32));
            transforms.try_insert(*entity, parent, pose).expect("there is memory");
        }
        transforms.update(|_, _| {});
        // 0 1 3 5 are neighbours on the first depth, 2 is on the second, and 4 has none.
        let asked = [0, 1, 3, 2, 4, 1, 5, 5].map(|at| all[at]);
        let runs: Vec<_> = transforms.runs(&asked).map(|run| (run.first, run.len())).collect();
        assert_eq!(runs, [(0, 3), (3, 1), (5, 1), (6, 1), (7, 1)]);
        for run in transforms.runs(&asked) {
            for index in 0..run.len() {
                let pose = transforms.pose(asked[run.first + index]).expect("it has one");
                assert_eq!((run.positions[index], run.scales[index]), (pose.position, pose.scale));
                assert_eq!(run.rotations[index], pose.rotation);
                let world = transforms.world(asked[run.first + index]).expect("it has one");
                assert_eq!(run.worlds[index], *world);
            }
        }
        assert_eq!(transforms.runs(&[]).count() + transforms.runs(&asked[4..5]).count(), 0);
        transforms.edit_runs(&asked, |mut run| {
            if run.first() == 0 {
                run.set_position(2, Vec3::Y);
                run.set_scale(2, Vec3::ONE * 2.0);
                run.set_rotation(0, glam::Quat::from_rotation_y(1.0));
            }
        });
        let pose = transforms.pose(all[3]).expect("it has one");
        assert_eq!((pose.position, pose.scale), (Vec3::Y, Vec3::ONE * 2.0));
        let mut moved = Vec::new();
        transforms.update(|entity, _| moved.push(entity));
        assert_eq!(moved, [all[0], all[3], all[2]], "what was set, and what is below");
        transforms.validate().expect("it is whole");
    });
}
