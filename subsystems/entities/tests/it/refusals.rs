//! Memory that runs out at every request.

use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_entities::compile::compile;
use loligo_entities::{EntityResource, Pose};
use loligo_ids::id32;

use crate::memory::{every_refusal, with_memory};
use crate::world::{COMPILERS, World, compiled};

const TOWN: &str = r#"entities = {
    hall = { components = { tag = [ "a" "b" ] data = { k = 1 } health = 1 } children = { bell = {} } }
    shop = { inherit = "shop" components = { tag = [ "b" "c" "d" "e" "f" ] } }
}
instances = [
    { inherit = "shop" positions = [ [ 1 0 0 ] [ 2 0 0 ] ] }
    { ring = { count = 3 radius = 2 } }
    { grid = { count = [ 2 1 2 ] } }
]"#;

const SHOP: (&str, &[u8]) =
    ("shop", br#"components = { data = { k = 2 "\u0041" = "x\ty" } } children = { a = { children = { b = {} } } }"#);

/// What can be seen of a world, but for which ids its entities have.
fn seen(world: &World<'_>) -> String {
    let tags = ["a", "b", "c", "d", "e", "f"];
    format!(
        "{} {} {:?} {} {:?}",
        world.entities.len(),
        world.transforms.len(),
        tags.map(|tag| world.tags.entities(loligo_ids::IdString32::new(tag)).len()),
        world.data.entities().len(),
        world.health.values(),
    )
}

#[test]
fn nothing_is_spawned_in_half() {
    with_memory(|memory| {
        let bytes = compiled(TOWN, &[SHOP], memory);
        let town = EntityResource::open(&bytes).expect("it was compiled");
        let count = every_refusal(|memory| {
            let mut world = World::new(memory);
            let mut result = Ok(());
            for copies in [1, 3, 40] {
                let poses = vec![Pose::at(Vec3::X); copies];
                let before = seen(&world);
                let done = world.spawn(&town, &poses);
                world.validate();
                if let Err(error) = done {
                    assert_eq!(seen(&world), before, "after {error}");
                    result = Err(error);
                    // Where only one request is refused it can be done now.
                    let _ = world.spawn(&town, &poses);
                    world.validate();
                }
            }
            let all: Vec<_> = world.entities.iter().collect();
            assert_eq!(world.destroy(&all), all.len());
            result
        });
        assert!(count > 100, "only {count} requests were refused");
    });
}

#[test]
fn sources_are_compiled_or_refused() {
    let right = with_memory(|memory| compiled(TOWN, &[SHOP], memory).to_vec());
    let count = every_refusal(|memory: &dyn Allocator| {
        let sources: &[(&str, &[u8])] = &[SHOP];
        let bytes = compile("town", TOWN.as_bytes(), sources, &COMPILERS, memory);
        if let Ok(bytes) = &bytes {
            assert_eq!(bytes[..], right[..]);
        }
        bytes.map(drop)
    });
    assert!(count > 100, "only {count} requests were refused");
}

#[test]
fn links_and_changes_are_made_or_refused() {
    every_refusal(|memory| {
        let mut world = World::new(memory);
        let mut last = None;
        for number in 0..70 {
            let entity = world.entities.create().map_err(|error| error.to_string())?;
            let before = seen(&world);
            let parent = if number % 7 == 0 { None } else { last };
            let done = world.transforms.try_insert(entity, parent, Pose::IDENTITY);
            world.validate();
            done.inspect_err(|_| assert_eq!(seen(&world), before))
                .map_err(|error| error.to_string())?;
            if let Some(last) = last {
                let parent = world.transforms.parent(last);
                let done = world.transforms.link(last, None);
                world.validate();
                if let Err(error) = done {
                    assert_eq!(world.transforms.parent(last), parent);
                    return Err(error.to_string());
                }
            }
            let done = world.data.try_set(entity, id32!("k"), "a text of some length");
            world.validate();
            done.map_err(|error| error.to_string())?;
            last = Some(entity);
        }
        Ok(())
    });
}
