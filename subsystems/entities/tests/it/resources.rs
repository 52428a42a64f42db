//! Resources that are damaged, by hand and at each byte.

use loligo_allocators::Allocator;
use loligo_containers::BlobBytes;
use loligo_entities::compile::{NewPart, write};
use loligo_entities::{
    ComponentType, EntitiesError, EntityResource, NO_PARENT, Pose, ResourceError, SpawnError,
};

use crate::memory::with_memory;
use crate::world::{HEALTH, World, compiled, no_sources};

const TRANSFORM: ComponentType = ComponentType::TRANSFORM;
const TAG: ComponentType = ComponentType::TAG;
const DATA: ComponentType = ComponentType::DATA;

fn fault(parents: &[u32], names: &[u32], parts: &[NewPart<'_>]) -> Option<EntitiesError> {
    with_memory(|memory| {
        let bytes = write(parents, names, parts, memory).expect("there is memory");
        match EntityResource::open(&bytes) {
            Ok(_) => None,
            Err(ResourceError::Entities(fault)) => Some(fault),
            Err(error) => panic!("{error}"),
        }
    })
}

#[test]
fn entities_that_do_not_fit_together_are_refused() {
    let part = |component: ComponentType, entities| NewPart {
        component: component.name,
        entities,
        data: &[0; 4],
    };
    assert_eq!(fault(&[], &[], &[]), None, "nothing at all is right");
    assert_eq!(fault(&[NO_PARENT], &[], &[]), Some(EntitiesError::Names { count: 1, names: 0 }));
    for parent in [1, 2, NO_PARENT - 1] {
        let wanted = EntitiesError::Parent { entity: 1, parent };
        assert_eq!(fault(&[NO_PARENT, parent], &[0; 2], &[]), Some(wanted));
    }
    let entities: [&[u32]; 3] = [&[0, 0], &[1, 0], &[0, 2]];
    for entities in entities {
        let wanted = EntitiesError::Owners { component: HEALTH.name };
        let parts = [part(HEALTH, entities)];
        assert_eq!(fault(&[NO_PARENT; 2], &[0; 2], &parts), Some(wanted), "{entities:?}");
    }
    let twice = [part(TAG, &[0]), part(TAG, &[1])];
    let wanted = Some(EntitiesError::Order { component: TAG.name });
    assert_eq!(fault(&[NO_PARENT; 2], &[0; 2], &twice), wanted, "one type twice");
    let sorted = [part(TRANSFORM, &[0]), part(DATA, &[0]), part(TAG, &[1]), part(HEALTH, &[])];
    assert_eq!(fault(&[NO_PARENT; 2], &[0; 2], &sorted), None, "in whatever order");
}

fn spawn_error(parents: &[u32], part: NewPart<'_>) -> String {
    with_memory(|memory| {
        let names = vec![0; parents.len()];
        let bytes = write(parents, &names, &[part], memory).expect("there is memory");
        let resource = EntityResource::open(&bytes).expect("what is wrong is within the data");
        let mut world = World::new(memory);
        let error = world.spawn(&resource, &[Pose::IDENTITY; 2]).expect_err("the data are wrong");
        assert!(matches!(error, SpawnError::Component { .. }), "{error}");
        let left = [
            world.entities.len(),
            world.tags.len(),
            world.transforms.len(),
            world.health.len(),
            world.data.entities().len(),
        ];
        assert_eq!(left, [0; 5], "something is left: {error}");
        world.validate();
        error.to_string()
    })
}

#[test]
fn data_that_are_not_a_types_own_are_refused() {
    let two = [NO_PARENT, 0];
    let pose = Pose::IDENTITY.to_words();
    let twice = [pose, pose].concat();
    let wrong: &[(ComponentType, &[u32], &[u32], &str)] = &[
        (TRANSFORM, &[0, 1], &pose, "there are poses for another number"),
        (TRANSFORM, &[0], &pose[..9], "there are poses for another number"),
        (TRANSFORM, &[1], &pose, "the parent has no transform, at instance 0"),
        (TRANSFORM, &[0, 1], &twice[1..], "there are poses for another number"),
        (HEALTH, &[0, 1], &[1], "there are data for another number"),
        (TAG, &[0, 1], &[1], "there are fewer counts than instances"),
        (TAG, &[0, 1], &[1, 2, 7, 8], "its tags are outside of the data, at instance 1"),
        (TAG, &[0, 1], &[1, u32::MAX, 7], "its tags are outside of the data, at instance 1"),
        (TAG, &[0, 1], &[1, 1, 7, 8, 9], "there are more tags than instances have"),
        (DATA, &[0, 1], &[], "the data end within their head"),
        (DATA, &[0, 1], &[u32::MAX, 1], "the data end within their head"),
        (DATA, &[0, 1], &[0, 0], "the data end within their head"),
        (DATA, &[0, 1], &[0, 0, 0], "there is no such store"),
        (DATA, &[0], &[1, 0, 4, 0, 1, 2, 3], "its store lies behind the data"),
        (DATA, &[0], &[1, u32::MAX, u32::MAX, 0], "its store lies behind the data"),
        (DATA, &[0], &[1, 0, 4, 0, 1, 2, 3, 4], "the mark is not that of a store"),
        (DATA, &[0], &[1, 0, 3, 0, 1, 2, 3, 4], "the bytes end within the header"),
    ];
    for (component, entities, data, wanted) in wrong {
        let part = NewPart { component: component.name, entities, data };
        let told = spawn_error(&two, part);
        assert!(told.contains(wanted), "{data:?} is told {told}, not {wanted}");
    }
    // A tree of 65 levels.
    let parents: Vec<u32> = core::iter::once(NO_PARENT).chain(0..64).collect();
    let indices: Vec<u32> = (0..65).collect();
    let poses = pose.repeat(65);
    let part = NewPart { component: TRANSFORM.name, entities: &indices, data: &poses };
    let told = spawn_error(&parents, part);
    assert!(told.contains("a tree has more than 64 levels, at instance 64"), "{told}");
}

/// Changes each byte of a resource in turn: it is refused, by the checksum if by nothing else. Cut
/// anywhere, too.
#[test]
fn every_damaged_byte_is_noticed() {
    with_memory(|memory| {
        let text = r#"components = { tag = "a" data = { b = "c" } } children = { d = {} }"#;
        let good = compiled(text, no_sources(), memory);
        let copied = |bytes: &[u8]| copy(bytes, memory);
        for at in 0..good.len() {
            let mut bytes = good.to_vec();
            bytes[at] ^= 0x40;
            assert!(EntityResource::open(&copied(&bytes)).is_err(), "byte {at} was changed");
            assert!(EntityResource::open(&copied(&good[..at])).is_err(), "cut at {at}");
        }
        EntityResource::open(&copied(&good)).expect("the copy of what is whole is whole");
    });
}

fn copy<'a>(bytes: &[u8], memory: &'a dyn Allocator) -> BlobBytes<'a> {
    BlobBytes::try_copy_in(bytes, memory).expect("there is memory")
}
