//! Levels that come in parts: the same world as in one piece, or nothing of them.

use core::fmt::Write as _;

use loligo_allocators::{
    Allocator, FailingAllocator, HeapAllocator, Locked, MemoryGlobals, MemoryOptions,
    PageAllocator, Refusals, StaticHeap,
};
use loligo_containers::EventStream;
use loligo_diagnostics::Log;
use loligo_entities::compile::{ComponentCompiler, compile};
use loligo_entities::{Entity, Pose};
use loligo_ids::{IdString32, id32, id64};

use crate::memory::{MemoryPlan, Room, SharedAllocator, memory_of, with_memory_of};
use crate::subsystems::SUBSYSTEMS;
use crate::world::{LevelSpawned, Spawned, World};

/// What two worlds are compared by: hashes, names, and the children of each entity.
type State = (Vec<(&'static str, u64)>, Vec<(IdString32, Entity)>, Vec<Vec<Entity>>);

/// The seeds of the models.
const SEEDS: core::ops::Range<u64> = 1..40;

/// Frames after which all of a level is there, whatever the budget.
const FRAMES_MAX: usize = 100;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}

/// Writes the source of an entity and those below it.
fn write_entity(out: &mut String, at: usize, children: &[Vec<usize>], random: &mut Random) {
    write!(out, "e{at} = {{ components = {{ ").expect("it is a string");
    for (chance, component) in [
        (1, format!("transform = {{ position = [ {at} 0 1 ] }}")),
        (2, format!("tag = [ \"t{}\" \"t{}\" ]", at % 3, 3 + at % 2)),
        (3, format!("data = {{ n = {} }}", at % 4)),
        (3, "light = { intensity = 2 }".to_owned()),
        (3, "model = { mesh = \"box\" material = \"stone\" }".to_owned()),
    ] {
        if random.below(chance + 1) == 0 {
            write!(out, "{component} ").expect("it is a string");
        }
    }
    out.push_str("} children = { ");
    for child in &children[at] {
        write_entity(out, *child, children, random);
    }
    out.push_str("} } ");
}

/// Returns the source of a level of some entities, and how many there are.
fn level(random: &mut Random) -> (String, usize) {
    let count = 1 + random.below(60);
    let mut children = vec![Vec::new(); count];
    let mut roots = Vec::new();
    for at in 0..count {
        // In lines as well as in bushes.
        match random.below(4) {
            0 => roots.push(at),
            _ if at == 0 => roots.push(at),
            1 => children[at - 1].push(at),
            _ => children[random.below(at)].push(at),
        }
    }
    let mut text = String::from("entities = { ");
    for root in roots {
        write_entity(&mut text, root, &children, random);
    }
    text.push('}');
    (text, count)
}

fn compiled(text: &str) -> Vec<u8> {
    let pages = PageAllocator::new("test pages");
    let heap = HeapAllocator::new_in("test heap", &pages);
    let shared = crate::compile::components();
    let compilers: Vec<&dyn ComponentCompiler> = shared.iter().map(|one| &**one as _).collect();
    let sources: &[(&str, &[u8])] = &[];
    compile("town", text.as_bytes(), sources, &compilers, &heap).expect("it is right").to_vec()
}

/// A world with the level `town`.
struct Town<'m> {
    world: World<'m>,
    log: Log<'m, SharedAllocator<'m>>,
    memory: loligo_allocators::SharedRef<'m>,
    spawned: u32,
    complete: Vec<u32>,
}

impl Town<'_> {
    /// Runs a frame, and notes its events.
    fn frame(&mut self) {
        self.world.begin(0);
        self.world.go_on_with_levels(&self.log);
        let events = self.world.take_events(EventStream::new_in(self.memory));
        for event in events.iter() {
            if let Some(Spawned { count }) = event.get() {
                self.spawned += count;
            } else if let Some(LevelSpawned { entity }) = event.get() {
                self.complete.push(entity);
            }
        }
    }

    fn begin(&mut self) -> Entity {
        let at = Pose::at(glam::Vec3::X);
        self.world.spawn_level(id64!("town"), &at).expect("there is memory").expect("it is there")
    }

    /// Returns what a game can find out, ids included.
    fn state(&mut self) -> State {
        self.world.transforms_mut().update(|_, _| {});
        self.world.forget_dead_names();
        let tags = ["t0", "t1", "t2", "t3", "t4"]
            .map(|tag| self.world.tags().entities(IdString32::new(tag)).to_vec());
        (self.world.state_hashes().collect(), self.world.names.to_vec(), tags.into())
    }

    /// Returns what does not depend on ids, sorted: of each entity its name, that of its parent, its
    /// pose, its tags and a number of its data.
    fn shape(&self) -> Vec<String> {
        let name = |entity| self.world.names.iter().find(|(_, one)| *one == entity);
        let name = |entity| name(entity).map(|(name, _)| *name);
        let mut lines: Vec<_> = self
            .world
            .entities()
            .iter()
            .map(|entity| {
                let transforms = self.world.transforms();
                let parent = transforms.parent(entity).and_then(name);
                let pose = transforms.pose(entity);
                let mut tags: Vec<_> = self.world.tags().tags(entity).collect();
                tags.sort_unstable();
                let data = self.world.data().get(entity);
                let number = data.and_then(|data| data.get_f32(id32!("n")));
                let look = self.world.model(entity).is_some();
                format!("{:?} {parent:?} {pose:?} {tags:?} {number:?} {look}", name(entity))
            })
            .collect();
        lines.sort_unstable();
        lines
    }

    fn validate(&self) {
        self.world.entities().validate().expect("it is whole");
        self.world.transforms().validate().expect("it is whole");
        self.world.tags().validate().expect("it is whole");
        self.world.data().validate().expect("it is whole");
    }
}

/// Makes a world with a level, and looks whether it gives all memory back.
fn with_town<R>(level: &[u8], per_frame: u32, act: impl FnOnce(Town<'_>) -> R) -> R {
    let pages = PageAllocator::new("test pages");
    let heap = Locked::new(HeapAllocator::new_in("test heap", &pages));
    let boot = StaticHeap::<{ MemoryGlobals::BOOT_BYTES }>::new("boot");
    let globals = MemoryGlobals::init(&boot, &MemoryOptions::new()).expect("there is memory");
    let done = with_memory_of(&globals, Some(&heap), &MemoryPlan::new(), &SUBSYSTEMS, |memory| {
        let log = Log::try_new_in(memory_of(&memory, Room::Engine)).expect("there is memory");
        let mut world = World::new_in(false, &memory);
        world.set_spawns_per_frame(per_frame);
        world.levels.put(id64!("town"), level).expect("there is memory");
        let memory = memory_of(&memory, Room::Entities);
        act(Town { world, log, memory, spawned: 0, complete: Vec::new() })
    })
    .expect("there is memory");
    assert_eq!(heap.stats().live, 0, "blocks are left");
    done
}

#[test]
fn any_number_in_a_frame_makes_the_same_world() {
    for seed in SEEDS {
        let random = &mut Random(seed);
        let (text, count) = level(random);
        let bytes = compiled(&text);
        let run = |per_frame: u32| {
            with_town(&bytes, per_frame, |mut town| {
                let root = town.begin();
                let mut frames = 0;
                while town.complete.is_empty() {
                    let alive = town.world.entities().len() - 1;
                    assert!(alive <= (frames + 1) * per_frame as usize, "seed {seed}: {alive}");
                    town.frame();
                    frames += 1;
                    assert!(frames <= FRAMES_MAX, "seed {seed}: it never ends");
                }
                assert_eq!(town.complete, [root.to_bits()], "seed {seed}");
                assert_eq!(town.spawned as usize, count, "seed {seed}");
                // The first part came with the call.
                let parts = count.div_ceil(per_frame as usize);
                assert_eq!(frames, (parts - 1).max(1), "seed {seed}");
                town.frame();
                assert_eq!(town.complete.len(), 1, "seed {seed}: it is said once");
                town.validate();
                (town.state(), town.shape())
            })
        };
        let whole = run(u32::MAX);
        assert_eq!(whole.1.len(), count + 1, "seed {seed}");
        for per_frame in [1, 2, 3, 7, 16, count as u32] {
            assert_eq!(run(per_frame), whole, "seed {seed}, {per_frame} in a frame");
        }
    }
}

#[test]
fn what_is_destroyed_in_between_takes_with_it_what_would_have_come_below() {
    for seed in SEEDS {
        let random = &mut Random(seed);
        let (text, count) = level(random);
        let bytes = compiled(&text);
        let per_frame = 1 + random.below(8) as u32;
        let names: Vec<_> = (0..count).map(|at| IdString32::new(&format!("e{at}"))).collect();
        let mut removed = Vec::new();
        let in_parts = with_town(&bytes, per_frame, |mut town| {
            town.begin();
            for _ in 0..FRAMES_MAX {
                let name = names[random.below(count)];
                // One that has not come yet is not there to be destroyed.
                if random.below(3) == 0
                    && let Some(entity) = town.world.find(name)
                {
                    town.world.destroy(entity).expect("there is memory");
                    removed.push(name);
                }
                if town.complete.is_empty() {
                    town.frame();
                }
            }
            assert_eq!(town.complete.len(), 1, "seed {seed}");
            town.validate();
            town.shape()
        });
        let whole = with_town(&bytes, u32::MAX, |mut town| {
            town.begin();
            for name in &removed {
                let entity = town.world.find(*name);
                entity.map(|entity| town.world.destroy(entity).expect("there is memory"));
            }
            town.shape()
        });
        assert_eq!(in_parts, whole, "seed {seed}, {per_frame} in a frame");
    }
}

#[test]
fn a_root_that_goes_in_between_leaves_nothing() {
    let (text, _) = level(&mut Random(7));
    let bytes = compiled(&text);
    with_town(&bytes, 5, |mut town| {
        let mut before = None;
        for round in 0..1000 {
            let [one, other] = [town.begin(), town.begin()];
            for _ in 0..round % 9 {
                town.frame();
            }
            for root in [other, one] {
                town.world.destroy(root).expect("there is memory");
            }
            town.frame();
            town.complete.clear();
            assert!(town.world.entities().is_empty(), "round {round}");
            assert!(town.world.coming.list_is_empty(), "round {round}");
            // What grows with use has grown by then: the list of names, for one.
            let now = (town.memory.stats().live, town.memory.stats().requested);
            match before {
                None if round == 500 => before = Some(now),
                Some(before) if round == 999 => assert_eq!(now, before),
                _ => {}
            }
        }
    });
}

/// Spawns a level where one request is refused; returns whether any was.
fn spawned(bytes: &[u8], per_frame: u32, refusals: Refusals) -> bool {
    let pages = PageAllocator::new("test pages");
    let heap = Locked::new(HeapAllocator::new_in("test heap", &pages));
    let failing: Locked<FailingAllocator<'_, _>> =
        Locked::new(FailingAllocator::new_in("test memory", Refusals::None, &heap));
    let boot = StaticHeap::<{ MemoryGlobals::BOOT_BYTES }>::new("boot");
    let globals = MemoryGlobals::init(&boot, &MemoryOptions::new()).expect("there is memory");
    with_memory_of(&globals, Some(&failing), &MemoryPlan::new(), &SUBSYSTEMS, |memory| {
        let log = Log::try_new_in(memory_of(&memory, Room::Engine)).expect("there is memory");
        let mut world = World::new_in(false, &memory);
        world.set_spawns_per_frame(per_frame);
        world.levels.put(id64!("town"), bytes).expect("there is memory");
        let memory = memory_of(&memory, Room::Entities);
        let mut town = Town { world, log, memory, spawned: 0, complete: Vec::new() };
        failing.with(|failing| failing.refuse(refusals));
        let root = town.world.spawn_level(id64!("town"), &Pose::IDENTITY);
        if root.is_ok() {
            (0..FRAMES_MAX).for_each(|_| town.frame());
        }
        failing.with(|failing| failing.refuse(Refusals::None));
        let is_there = town.world.names.iter().any(|(_, one)| town.world.entities().is_alive(*one));
        assert_eq!(is_there, town.complete.len() == 1, "{refusals:?}: some of it is there");
        assert_eq!(town.world.entities().is_empty(), !is_there, "{refusals:?}");
        town.validate();
        // The next is as if nothing had been.
        town.complete.clear();
        let root = town.begin();
        (0..FRAMES_MAX).for_each(|_| town.frame());
        assert_eq!(town.complete, [root.to_bits()], "{refusals:?}");
    })
    .expect("there is memory");
    assert_eq!(failing.stats().live, 0, "{refusals:?}: blocks are left");
    failing.with(|failing| failing.refused()) > 0
}

#[test]
fn a_refused_level_is_there_whole_or_not_at_all() {
    let (text, _) = level(&mut Random(7));
    let bytes = compiled(&text);
    for per_frame in [3, u32::MAX] {
        let refused = |number: &usize| spawned(&bytes, per_frame, Refusals::Nth(*number as _));
        let count = (0..10_000).take_while(refused).count();
        assert!((20..10_000).contains(&count), "{count} requests were made");
    }
}
