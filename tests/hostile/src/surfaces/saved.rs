//! What a saved game has of each manager: the sections, without the checksum over all of them, which
//! would find every change first.

use std::io;

use glam::Vec3;
use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::Array;
use loligo_entities::{ComponentType, Data, Entities, Plain, Pose, SpawnError, Tags, Transforms};
use loligo_ids::IdString32;

use super::{Seeds, Surface};

const HEALTH: ComponentType = ComponentType::new("health", 10);

/// The sections of a small world.
pub(crate) struct Saved {
    real: Vec<(String, Vec<u8>)>,
}

impl Saved {
    pub(crate) fn try_new() -> io::Result<Self> {
        let pages = PageAllocator::new("seeds");
        let heap = HeapAllocator::new_in("seeds", &pages);
        sections(&heap).map(|real| Self { real }).map_err(io::Error::other)
    }
}

impl Surface for Saved {
    fn seeds(&self) -> Seeds {
        // Counts of things that are not there.
        let many = [u32::MAX, 64, 1 << 30].map(|count| count.to_ne_bytes().repeat(40));
        let of = |what: &str| many.clone().map(|bytes| (what.to_owned(), bytes));
        let harmful = ["transforms", "tags", "data", "health"].into_iter().flat_map(of);
        Seeds { harmful: harmful.collect(), real: self.real.clone() }
    }

    fn feed(&mut self, what: &str, input: &[u8]) {
        let pages = PageAllocator::new("fed");
        let heap = HeapAllocator::new_in("fed", &pages);
        let memory: &dyn Allocator = &heap;
        // Errors are right; what is loaded must be whole, and bear to be changed.
        let is_whole = match what {
            "entities" => Entities::try_load(input, memory).ok().is_none_or(|mut all| {
                let _ = all.create();
                all.validate().is_ok()
            }),
            "transforms" => Transforms::try_load(input, memory).ok().is_none_or(|mut all| {
                all.update(|_, _| {});
                all.validate().is_ok()
            }),
            "tags" => Tags::try_load(input, memory).ok().is_none_or(|mut all| {
                let first = all.owners().first().copied();
                first.map(|first| all.remove_tag(first, IdString32::new("enemy")));
                all.validate().is_ok()
            }),
            "data" => Data::try_load(input, memory).ok().is_none_or(|all| all.validate().is_ok()),
            _ => Plain::<f32>::try_load(HEALTH, input, memory)
                .ok()
                .is_none_or(|all| all.validate().is_ok()),
        };
        assert!(is_whole, "what was loaded is whole");
    }
}

/// Makes a world, and saves it.
fn sections(memory: &dyn Allocator) -> Result<Vec<(String, Vec<u8>)>, SpawnError> {
    let mut entities = Entities::new(memory);
    let mut transforms = Transforms::new(memory);
    let mut tags = Tags::new(memory);
    let mut data = Data::new(memory);
    let mut health = Plain::new(HEALTH, memory);
    let mut parent = None;
    for number in 0..40_u8 {
        let entity = entities.create()?;
        let position = Vec3::splat(number.into());
        // There is memory, and each is new.
        let _ = transforms.try_insert(entity, parent, Pose::at(position));
        let _ = tags.try_add(entity, IdString32::new("enemy"));
        let _ = tags.try_add(entity, IdString32::new("small"));
        data.try_set(entity, IdString32::new("name"), "Goblin")?;
        health.try_insert(entity, f32::from(number))?;
        parent = (number % 5 != 0).then_some(entity);
    }
    transforms.update(|_, _| {});
    let mut sections = Vec::new();
    for what in ["entities", "transforms", "tags", "data", "health"] {
        let mut out = Array::new(memory);
        match what {
            "entities" => entities.try_save(&mut out),
            "transforms" => transforms.try_save(&mut out),
            "tags" => tags.try_save(&mut out),
            "data" => data.try_save(&mut out),
            _ => health.try_save(&mut out),
        }?;
        sections.push((what.to_owned(), out.to_vec()));
    }
    Ok(sections)
}
