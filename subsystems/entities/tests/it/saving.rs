//! Managers that were saved and loaded go on as the old ones do, and damaged bytes are refused.

use glam::{Quat, Vec3};
use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::Array;
use loligo_entities::{
    ComponentManager, ComponentType, Components, Data, Entities, Entity, Plain, Pose, Tags,
    Transforms,
};
use loligo_ids::IdString32;

const HEALTH: ComponentType = ComponentType::new("health", 10);

/// A world in which a random program makes, moves, links, tags and removes.
struct World<'m> {
    entities: Entities<'m>,
    transforms: Transforms<'m>,
    tags: Tags<'m>,
    data: Data<'m>,
    health: Plain<'m, f32>,
    memory: &'m dyn Allocator,
}

/// A generator of numbers, the same for the same seed.
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

fn tag(number: usize) -> IdString32 {
    IdString32::new(["enemy", "door", "wood", "locked", "burning"][number % 5])
}

impl<'m> World<'m> {
    fn new(memory: &'m dyn Allocator) -> Self {
        Self {
            entities: Entities::new(memory),
            transforms: Transforms::new(memory),
            tags: Tags::new(memory),
            data: Data::new(memory),
            health: Plain::new(HEALTH, memory),
            memory,
        }
    }

    fn any(&self, random: &mut Random) -> Option<Entity> {
        let count = self.entities.len();
        self.entities.iter().nth(random.below(count))
    }

    /// Does a random thing.
    fn act(&mut self, random: &mut Random) {
        let about = self.any(random);
        match (random.below(12), about) {
            (0..=3, _) | (_, None) => {
                let entity = self.entities.create().expect("there is memory");
                let parent = about.filter(|_| random.below(2) == 0);
                let position = Vec3::new(random.below(100) as f32, 0.0, 1.0);
                let _ = self.transforms.try_insert(entity, parent, Pose::at(position));
                if random.below(2) == 0 {
                    self.health.try_insert(entity, random.below(9) as f32).expect("memory");
                }
            }
            (4, Some(entity)) => _ = self.tags.try_add(entity, tag(random.below(5))),
            (5, Some(entity)) => _ = self.tags.remove_tag(entity, tag(random.below(5))),
            (6, Some(entity)) => {
                let key = tag(random.below(5));
                let text = ["", "a", "a longer text"][random.below(3)];
                self.data.try_set(entity, key, text).expect("there is memory");
            }
            (7, Some(entity)) => {
                let numbers = [random.below(9) as f32, 2.5];
                self.data.try_set(entity, tag(1), &numbers[..]).expect("there is memory");
            }
            (8, Some(entity)) => {
                self.transforms.set_rotation(entity, Quat::from_rotation_x(random.below(7) as f32));
            }
            (9, Some(entity)) => {
                let parent = self.any(random);
                let _ = self.transforms.link(entity, parent);
            }
            (10, Some(entity)) => self.destroy(entity),
            (_, Some(entity)) => {
                self.transforms.set_position(entity, Vec3::splat(random.below(50) as f32));
            }
        }
    }

    fn destroy(&mut self, entity: Entity) {
        let Self { entities, transforms, tags, data, health, .. } = self;
        let mut all: [&mut dyn ComponentManager; 4] = [transforms, tags, data, health];
        let mut components = Components::new(&mut all).expect("four types");
        entities.destroy(&[entity], &mut components);
    }

    fn end_frame(&mut self) {
        self.transforms.update(|_, _| {});
    }

    fn saved(&self) -> [Vec<u8>; 5] {
        let mut out = Array::new(self.memory);
        let mut parts = [const { Vec::new() }; 5];
        for (at, part) in parts.iter_mut().enumerate() {
            out.clear();
            match at {
                0 => self.entities.try_save(&mut out),
                1 => self.transforms.try_save(&mut out),
                2 => self.tags.try_save(&mut out),
                3 => self.data.try_save(&mut out),
                _ => self.health.try_save(&mut out),
            }
            .expect("there is memory");
            *part = out.to_vec();
        }
        parts
    }

    fn loaded(parts: &[Vec<u8>; 5], memory: &'m dyn Allocator) -> Self {
        let [entities, transforms, tags, data, health] = parts;
        Self {
            entities: Entities::try_load(entities, memory).expect("saved"),
            transforms: Transforms::try_load(transforms, memory).expect("saved"),
            tags: Tags::try_load(tags, memory).expect("saved"),
            data: Data::try_load(data, memory).expect("saved"),
            health: Plain::try_load(HEALTH, health, memory).expect("saved"),
            memory,
        }
    }

    /// All that a game can see, in the order in which it sees it.
    fn seen(&self) -> String {
        let worlds: Vec<_> = self.transforms.worlds().collect();
        let entities: Vec<_> = self.entities.iter().collect();
        let tags: Vec<_> = (0..5).map(|number| self.tags.entities(tag(number))).collect();
        let own: Vec<Vec<_>> = entities.iter().map(|of| self.tags.tags(*of).collect()).collect();
        let below: Vec<Vec<_>> =
            entities.iter().map(|of| self.transforms.children(*of).collect()).collect();
        format!(
            "{entities:?} {worlds:?} {tags:?} {own:?} {below:?} {:?} {:?}",
            self.data, self.health
        )
    }
}

/// Runs `test` with memory of which nothing may be left.
fn with_memory(test: impl FnOnce(&dyn Allocator)) {
    let pages = PageAllocator::new("test pages");
    let heap = HeapAllocator::new_in("test heap", &pages);
    test(&heap);
    assert_eq!(heap.stats().live, 0, "nothing is left");
}

#[test]
fn a_loaded_world_goes_on_as_the_saved_one_does() {
    for seed in 0..40 {
        println!("seed {seed}");
        with_memory(|memory| {
            let mut random = Random(seed);
            let mut old = World::new(memory);
            for _ in 0..(seed as usize * 9) {
                old.act(&mut random);
            }
            old.end_frame();
            let parts = old.saved();
            let mut new = World::loaded(&parts, memory);
            assert_eq!(new.seen(), old.seen(), "seed {seed}: at once");
            let mut same = random.clone();
            for step in 0..200 {
                old.act(&mut random);
                new.act(&mut same);
                if step % 20 == 0 {
                    old.end_frame();
                    new.end_frame();
                    assert_eq!(new.seen(), old.seen(), "seed {seed}, step {step}");
                }
            }
            for world in [&old, &new] {
                world.entities.validate().expect("whole");
                world.transforms.validate().expect("whole");
                world.tags.validate().expect("whole");
                world.data.validate().expect("whole");
                world.health.validate().expect("whole");
            }
        });
    }
}

#[test]
fn bytes_that_were_changed_or_cut_do_no_harm() {
    with_memory(|memory| {
        let mut random = Random(7);
        let mut world = World::new(memory);
        for _ in 0..120 {
            world.act(&mut random);
        }
        world.end_frame();
        let parts = world.saved();
        for (part, bytes) in parts.iter().enumerate() {
            let load = |bytes: &[u8]| match part {
                0 => Entities::try_load(bytes, memory).map(|of| of.validate().expect("whole")),
                1 => Transforms::try_load(bytes, memory).map(|of| of.validate().expect("whole")),
                2 => Tags::try_load(bytes, memory).map(|of| of.validate().expect("whole")),
                3 => Data::try_load(bytes, memory).map(|of| of.validate().expect("whole")),
                _ => Plain::<f32>::try_load(HEALTH, bytes, memory)
                    .map(|of| of.validate().expect("whole")),
            };
            load(bytes).expect("it was saved");
            for end in 0..bytes.len() {
                let error = load(&bytes[..end]).expect_err("it was cut");
                assert!(!error.to_string().is_empty(), "it says why");
            }
            let mut longer = bytes.clone();
            longer.push(0);
            assert!(load(&longer).is_err(), "part {part}: there is more");
            // A number that is another may be as right as the old one; nothing may break.
            for at in 0..bytes.len() {
                for flip in [1, 0x80, 0xff] {
                    let mut changed = bytes.clone();
                    changed[at] ^= flip;
                    let _ = load(&changed);
                }
            }
        }
    });
}
