//! Entities with tags: the tags of an entity and the entities with a tag, in memory with a limit.
//!
//! Run it with `cargo run -p loligo-containers --features hashbrown --example objects_by_kind`.

use core::error::Error;

use loligo_allocators::{HeapAllocator, PageAllocator, ProxyAllocator};
use loligo_containers::{BuildIdHasher, HashMap, HashSet, MultiMap};
use loligo_ids::{HoleTable, Id, IdString32, id32};

/// What an entity is, as far as this example cares.
struct Entity {
    name: &'static str,
}

type EntityId = Id<Entity>;

/// Tags and their carriers. Tags are hashed names and carriers ids, so no key is hashed twice.
struct Tags<'a> {
    /// All carriers of a tag, in the order in which they got it.
    carriers: MultiMap<'a, IdString32, EntityId, BuildIdHasher>,
    /// Each pair, to look up whether an entity carries a tag.
    pairs: HashSet<'a, (EntityId, IdString32), BuildIdHasher>,
}

impl Tags<'_> {
    /// Gives an entity a tag; returns whether it is new to it.
    fn add(&mut self, entity: EntityId, tag: IdString32) -> Result<bool, Box<dyn Error>> {
        if !self.pairs.try_insert((entity, tag))? {
            return Ok(false);
        }
        if let Err(error) = self.carriers.try_insert(tag, entity) {
            // Both or neither.
            self.pairs.remove(&(entity, tag));
            return Err(error.into());
        }
        Ok(true)
    }

    /// Forgets an entity that is gone.
    fn forget(&mut self, entity: EntityId) {
        self.pairs.retain(|pair| pair.0 != entity);
        self.carriers.retain(|_, carrier| *carrier != entity);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let memory = ProxyAllocator::new("tags", &heap).with_budget(64 << 10);

    let mut entities: HoleTable<Entity> = HoleTable::new(&memory);
    let [player, orc, lamp] =
        ["player", "orc", "lamp"].map(|name| entities.insert(Entity { name }));
    let (player, orc, lamp) = (player?, orc?, lamp?);
    let mut tags = Tags {
        carriers: MultiMap::with_hasher(BuildIdHasher::new(), &memory),
        pairs: HashSet::with_hasher(BuildIdHasher::new(), &memory),
    };

    tags.add(orc, id32!("enemy"))?;
    tags.add(orc, id32!("flammable"))?;
    tags.add(lamp, id32!("flammable"))?;
    tags.add(player, id32!("flammable"))?;
    assert!(!tags.add(orc, id32!("enemy"))?, "the orc is an enemy already");

    // A fire asks by tag, and burns them in the order in which they became flammable.
    let mut damage: HashMap<EntityId, u32, BuildIdHasher> =
        HashMap::with_hasher(BuildIdHasher::new(), &memory);
    for entity in tags.carriers.values_of(&id32!("flammable")) {
        *damage.try_entry(*entity)?.or_insert(0) += 10;
        println!("{} burns", entities.get(*entity).map_or("nobody", |entity| entity.name));
    }
    assert_eq!(damage.len(), 3, "all three burn");

    // The lamp is destroyed. Its id is refused everywhere, and what was kept of it is dropped.
    entities.remove(lamp);
    tags.forget(lamp);
    let left: Vec<EntityId> = tags.carriers.values_of(&id32!("flammable")).to_vec();
    assert_eq!(left, [orc, player], "in the same order");

    // A level that tags more than there is memory for gets an error, and the tags stay intact.
    let mut added = 0;
    let error = loop {
        let tag = IdString32::new(&format!("checkpoint {added}"));
        match tags.add(player, tag) {
            Ok(_) => added += 1,
            Err(error) => break error,
        }
    };
    println!("{added} tags more, then: {error}");
    assert_eq!(tags.pairs.len(), tags.carriers.len(), "both or neither");
    assert!(tags.pairs.contains(&(player, id32!("flammable"))), "nothing was lost");
    Ok(())
}
