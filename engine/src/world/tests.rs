//! Spawning where memory runs out, at each place in turn.

mod levels;
mod listeners;
mod reloads;

use loligo_allocators::{
    Allocator, FailingAllocator, HeapAllocator, Locked, MemoryGlobals, MemoryOptions,
    PageAllocator, Refusals, StaticHeap,
};
use loligo_containers::EventStream;
use loligo_entities::compile::{ComponentCompiler, TagCompiler, TransformCompiler, compile};
use loligo_entities::{EntityResource, Pose};
use loligo_ids::id32;

use super::{NAMES_KEPT, Spawned, World};
use crate::error::EngineError;
use crate::memory::{MemoryPlan, Room, memory_of, with_memory_of};
use crate::subsystems::SUBSYSTEMS;

/// A parent with a child, and an entity without either.
const YARD: &str = "entities = {
    hub = { components = { transform = {} tag = [ \"turns\" ] } children = { arm = { components = { transform = {} } } } }
    post = {}
}";

const COMPILERS: [&dyn ComponentCompiler; 2] = [&TagCompiler, &TransformCompiler];

/// The number of copies, more than are removed at once.
const COPIES: usize = 100;

/// Spawns twice where one request is refused; returns whether any was.
fn spawned_twice(yard: &EntityResource<'_>, refusals: Refusals) -> bool {
    let pages = PageAllocator::new("test pages");
    let heap = Locked::new(HeapAllocator::new_in("test heap", &pages));
    let failing: Locked<FailingAllocator<'_, _>> =
        Locked::new(FailingAllocator::new_in("test memory", refusals, &heap));
    let boot = StaticHeap::<{ MemoryGlobals::BOOT_BYTES }>::new("boot");
    let globals = MemoryGlobals::init(&boot, &MemoryOptions::new()).expect("there is memory");
    let run = with_memory_of(&globals, Some(&failing), &MemoryPlan::new(), &SUBSYSTEMS, |memory| {
        let mut world = World::new_in(false, &memory);
        for before in [0, 3 * COPIES] {
            let poses = [Pose::IDENTITY; COPIES];
            if world.spawn(yard, &poses).is_err() {
                assert_eq!(world.entities().len(), before, "{refusals:?}: entities are left");
                assert_eq!(world.names.len(), before, "{refusals:?}: names are left");
                assert_eq!(
                    world.transforms().len(),
                    before / 3 * 2,
                    "{refusals:?}: so are transforms"
                );
                assert_eq!(world.tags().entities(id32!("turns")).len(), before / 3, "{refusals:?}");
                world.spawn(yard, &poses).expect("the one request was refused");
            }
            assert_eq!(world.entities().len(), before + 3 * COPIES, "{refusals:?}");
            let arm = world.find(id32!("arm")).expect("it was spawned, and has its name");
            assert!(world.transforms().contains(arm), "{refusals:?}: the name is another's");
        }
        let events = world.take_events(EventStream::new_in(memory_of(&memory, Room::Entities)));
        let told: Vec<u32> = events.of::<Spawned>().map(|spawned| spawned.count).collect();
        assert_eq!(told, [300, 300], "{refusals:?}: an event for entities that are not there");
        world.replace_all(|_| Err(EngineError::Script)).expect_err("nothing was spawned");
        assert_eq!(world.entities().len(), 6 * COPIES, "{refusals:?}: what was there stays");
        let poses = [Pose::IDENTITY; 1];
        // The one that is to be refused may be among these.
        let replace = |world: &mut World<'_>| {
            world.replace_all(|world| world.spawn(yard, &poses).map(|_| ()))
        };
        if replace(&mut world).is_err() {
            assert_eq!(world.entities().len(), 6 * COPIES, "{refusals:?}: what was there stays");
            replace(&mut world).expect("the one request was refused");
        }
        assert_eq!((world.entities().len(), world.names.len()), (3, 3), "{refusals:?}");
        let arm = world.find(id32!("arm")).expect("it was spawned, and has its name");
        assert!(world.transforms().contains(arm), "{refusals:?}: the name is another's");
    });
    // Else the allocators of the subsystems were refused.
    assert!(run.is_ok() || failing.with(|failing| failing.refused()) > 0, "{refusals:?}");
    assert_eq!(failing.stats().live, 0, "{refusals:?}: blocks are left");
    failing.with(|failing| failing.refused()) > 0
}

#[test]
fn a_refused_spawn_leaves_no_entity_no_name_and_no_event() {
    let pages = PageAllocator::new("test pages");
    let heap = HeapAllocator::new_in("test heap", &pages);
    let sources: &[(&str, &[u8])] = &[];
    let bytes = compile("yard", YARD.as_bytes(), sources, &COMPILERS, &heap).expect("it is right");
    let yard = EntityResource::open(&bytes).expect("it was compiled");
    let refused = (0..10_000).take_while(|number| spawned_twice(&yard, Refusals::Nth(*number)));
    let refused = refused.count();
    assert!((20..10_000).contains(&refused), "{refused} requests were made");
}

#[test]
fn the_names_of_entities_that_are_gone_are_not_kept_for_ever() {
    let pages = PageAllocator::new("test pages");
    let heap = HeapAllocator::new_in("test heap", &pages);
    let sources: &[(&str, &[u8])] = &[];
    let bytes = compile("yard", YARD.as_bytes(), sources, &COMPILERS, &heap).expect("it is right");
    let yard = EntityResource::open(&bytes).expect("it was compiled");
    let boot = StaticHeap::<{ MemoryGlobals::BOOT_BYTES }>::new("boot");
    let globals = MemoryGlobals::init(&boot, &MemoryOptions::new()).expect("there is memory");
    with_memory_of(&globals, None, &MemoryPlan::new(), &SUBSYSTEMS, |memory| {
        let mut world = World::new_in(false, &memory);
        let mut most = 0;
        for _ in 0..10_000 {
            world.spawn(&yard, &[Pose::IDENTITY]).expect("there is memory");
            let roots = ["hub", "post"]
                .map(|name| world.find(loligo_ids::IdString32::new(name)).expect("it was spawned"));
            for root in roots {
                world.destroy(root).expect("there is memory");
            }
            let _ = world.take_events(EventStream::new_in(memory_of(&memory, Room::Entities)));
            most = most.max(world.names.len());
        }
        assert!(world.entities().is_empty(), "all were removed");
        assert!(most <= 2 * NAMES_KEPT, "{most} names of 3 entities at a time");
    })
    .expect("there is memory");
}
