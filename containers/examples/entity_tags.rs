//! Tags for entities: each entity has a few, and all entities with a tag are found at once.
//!
//! After the component that Niklas Frykholm's "Allocation Adventures 2: Arrays of Arrays" (2015)
//! asks for. Tags are hashes of their names. Both directions are arrays of arrays: entity to tags,
//! and tag to entities.
//!
//! Run it with `cargo run -p loligo-containers --example entity_tags`.

use core::error::Error;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::{Array, ArrayOfArrays, RowError, RowId};
use loligo_ids::{IdString32, id32};

const PLAYER: IdString32 = id32!("player");
const ENEMY: IdString32 = id32!("enemy");
const CONSUMABLE: IdString32 = id32!("consumable");
const CONTAINER: IdString32 = id32!("container");
const BURNING: IdString32 = id32!("burning");

/// An entity is known here by the row of its tags.
type Entity = RowId<IdString32>;

/// The tags of all entities, and the entities of all tags.
struct TagComponent<'a> {
    tags: ArrayOfArrays<'a, IdString32>,
    entities: ArrayOfArrays<'a, Entity>,
    /// Each tag with the row of its entities. A game has few tags, so this is searched from end to
    /// end.
    known: Array<'a, (IdString32, RowId<Entity>)>,
}

impl<'a> TagComponent<'a> {
    fn new_in(memory: &'a dyn Allocator) -> Self {
        Self {
            tags: ArrayOfArrays::new(memory),
            entities: ArrayOfArrays::new(memory),
            known: Array::new(memory),
        }
    }

    fn spawn(&mut self, tags: &[IdString32]) -> Result<Entity, RowError> {
        let entity = self.tags.try_add_row()?;
        for tag in tags {
            self.add(entity, *tag)?;
        }
        Ok(entity)
    }

    /// Tags an entity; `false` if it had the tag.
    fn add(&mut self, entity: Entity, tag: IdString32) -> Result<bool, RowError> {
        if self.has(entity, tag) {
            return Ok(false);
        }
        let row = match self.row_of(tag) {
            Some(row) => row,
            None => {
                self.known.try_reserve(1)?;
                let row = self.entities.try_add_row()?;
                self.known.try_push((tag, row))?;
                row
            }
        };
        // Room on both sides first: if the second is refused the first has not changed.
        self.entities.try_reserve(row, 1)?;
        self.tags.try_push(entity, tag)?;
        self.entities.try_push(row, entity)?;
        Ok(true)
    }

    /// Takes a tag off an entity; `false` if it did not have it.
    fn remove(&mut self, entity: Entity, tag: IdString32) -> bool {
        let Some(at) = self.tags.row(entity).and_then(|tags| tags.iter().position(|t| *t == tag))
        else {
            return false;
        };
        // The order of tags means nothing, so the last one may take the place.
        self.tags.swap_remove(entity, at);
        self.forget(entity, tag);
        true
    }

    fn destroy(&mut self, entity: Entity) {
        while let Some(tag) = self.tags.pop(entity) {
            self.forget(entity, tag);
        }
        self.tags.remove_row(entity);
    }

    fn has(&self, entity: Entity, tag: IdString32) -> bool {
        self.tags.row(entity).is_some_and(|tags| tags.contains(&tag))
    }

    /// Returns all entities with a tag: a slice, ready to be walked.
    fn with(&self, tag: IdString32) -> &[Entity] {
        self.row_of(tag).map_or(&[], |row| &self.entities[row])
    }

    fn row_of(&self, tag: IdString32) -> Option<RowId<Entity>> {
        self.known.iter().find(|(known, _)| *known == tag).map(|(_, row)| *row)
    }

    fn forget(&mut self, entity: Entity, tag: IdString32) {
        let Some(row) = self.row_of(tag) else { return };
        if let Some(at) = self.entities[row].iter().position(|other| *other == entity) {
            self.entities.swap_remove(row, at);
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("tags", &pages);
    {
        let mut component = TagComponent::new_in(&heap);
        let hero = component.spawn(&[PLAYER])?;
        let mut world = Vec::new();
        for number in 0..2000_u32 {
            let tags: &[IdString32] = match number % 4 {
                0 => &[ENEMY],
                1 => &[CONSUMABLE],
                2 => &[CONTAINER, CONSUMABLE],
                _ => &[],
            };
            world.push(component.spawn(tags)?);
        }
        let blocks = heap.stats().live;
        println!("{} entities and their tags are in {blocks} blocks", component.tags.len());
        assert_eq!(blocks, 5, "two for each direction and one for the list of tags");

        // Every seventh entity catches fire; half of the burning enemies do not survive it.
        for entity in world.iter().step_by(7) {
            component.add(*entity, BURNING)?;
        }
        let fallen: Vec<Entity> = component
            .with(BURNING)
            .iter()
            .copied()
            .filter(|entity| component.has(*entity, ENEMY))
            .step_by(2)
            .collect();
        for entity in &fallen {
            component.destroy(*entity);
        }
        println!(
            "{} burn, {} enemies are left of 500, {} fell",
            component.with(BURNING).len(),
            component.with(ENEMY).len(),
            fallen.len()
        );
        assert_eq!(component.with(ENEMY).len() + fallen.len(), 500, "each enemy stands or fell");

        // An id of the fallen names nothing, also when another entity has taken the place.
        let newcomer = component.spawn(&[ENEMY])?;
        let is_gone = |entity: &Entity| *entity != newcomer && !component.has(*entity, ENEMY);
        assert!(fallen.iter().all(is_gone), "an id came back to life");

        assert!(component.remove(hero, PLAYER), "the hero was the player");
        assert!(!component.has(hero, PLAYER), "and is not any more");
        let twice = [component.add(hero, BURNING)?, component.add(hero, BURNING)?];
        assert_eq!(twice, [true, false], "a tag is there once");

        // Between levels: everything moves together, every id stays.
        let before = component.tags.bytes() + component.entities.bytes();
        component.tags.try_compact()?;
        component.entities.try_compact()?;
        let after = component.tags.bytes() + component.entities.bytes();
        println!("compacted from {before} to {after} bytes");
        assert!(after < before, "{after} bytes of {before}");
        assert!(component.has(hero, BURNING) && component.has(newcomer, ENEMY), "ids stay");

        // A copy for the replay: two copies of memory, in which the same ids hold.
        let saved = component.tags.try_clone(&heap)?;
        component.destroy(hero);
        assert_eq!(saved.row(hero), Some(&[BURNING][..]), "the copy is apart");
    }
    assert_eq!(heap.stats().live, 0, "all memory went back");
    Ok(())
}
