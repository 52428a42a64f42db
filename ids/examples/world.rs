//! A small world whose things name each other by ids: removal, undo, saving and loading.
//!
//! Run it with `cargo run -p loligo-ids --example world`.

use core::error::Error;

use loligo_allocators::PageAllocator;
use loligo_ids::{HoleTable, Id, PackedTable, Secondary};

/// Names the kind of thing that an id is of; nothing of it is ever made.
struct ThingTag;
/// 16 bits of index are 65 536 things, 12 of generation 4 095 lives of each slot; 4 bits are left
/// to distinguish one world from another.
type ThingId = Id<ThingTag, u32, 16, 12>;

/// Plain data, so that a table of them can be saved in place. `Option` of an id is plain data, too;
/// zero means "nobody".
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
struct Thing {
    x: f32,
    y: f32,
    /// Whom it follows. When that one is gone, the id says so: there is nothing to be kept up to
    /// date.
    follows: Option<ThingId>,
}

type Things<'a> = HoleTable<'a, Thing, ThingId>;

/// What an editor remembers of a removal: all that it takes to undo it.
struct Removal {
    id: ThingId,
    thing: Thing,
}

fn main() -> Result<(), Box<dyn Error>> {
    let memory = PageAllocator::new("world");
    let mut things = Things::new_in(&memory).with_tag(1);
    // Few things have a name, but those that do are asked for it by id.
    let mut names: Secondary<ThingId, &str> = Secondary::new(&memory);

    let fox = things.insert(Thing { x: 4.0, y: 0.0, follows: None })?;
    let hound = things.insert(Thing { x: 0.0, y: 3.0, follows: Some(fox) })?;
    names.insert(fox, "fox")?;
    names.insert(hound, "hound")?;
    step(&mut things);
    println!("the hound is at {:?}", things.get(hound).map(|thing| (thing.x, thing.y)));

    // The fox goes to ground. The hound's id of it is stale from here on, also when another thing
    // takes the slot.
    let Some(thing) = things.remove(fox) else { return Err("the fox was there".into()) };
    let removal = Removal { id: fox, thing };
    assert!(!things.contains(fox), "gone");
    step(&mut things);

    // Undo: the fox comes back under the id that it had, and the hound is after it again.
    things.insert_at(removal.id, removal.thing)?;
    assert_eq!(names.get(fox), Some(&"fox"), "nobody took its name away");

    // Two things that name each other: the first id is needed before its thing can be made.
    let left = things.reserve_id()?;
    let right = things.insert(Thing { x: 1.0, y: 1.0, follows: Some(left) })?;
    things.fill(left, Thing { x: 2.0, y: 1.0, follows: Some(right) })?;

    // Saved and loaded, the world is the same and continues in the same way, down to the ids of new
    // objects.
    let mut image = vec![0; things.saved_len()];
    things.save(&mut image)?;
    let mut loaded = Things::restore(&image, &memory)?;
    assert_eq!(loaded.get(hound), things.get(hound), "the same hound");
    let next = Thing { x: 0.0, y: 0.0, follows: None };
    assert_eq!(loaded.insert(next)?, things.insert(next)?, "the same next id");
    println!("{} things in {} bytes", loaded.len(), image.len());

    // A damaged byte is detected before anything is used.
    image[200] ^= 4;
    if let Err(error) = Things::restore(&image, &memory) {
        println!("a damaged image: {error}");
    }

    // Objects that are updated often and looked up seldom are packed: a slice to iterate over.
    let mut sparks: PackedTable<f32> = PackedTable::new(&memory);
    sparks.insert_batch([0.5, 0.25, 0.75], |_| ())?;
    sparks.as_mut_slice().iter_mut().for_each(|life| *life -= 0.3);
    sparks.retain(|_, life| *life > 0.0);
    println!("{} sparks are left", sparks.len());
    Ok(())
}

/// Moves everyone who follows someone half the way there.
fn step(things: &mut Things<'_>) {
    // Those who follow and those who are followed are in one table: the ids are copied out first.
    let pairs: Vec<(ThingId, ThingId)> = things
        .iter_with_ids()
        .filter_map(|(id, thing)| thing.follows.map(|followed| (id, followed)))
        .collect();
    for pair in pairs {
        // `None` if the followed one is gone: nothing to do, and nothing went wrong.
        if let Some([thing, followed]) = things.get_many_mut([pair.0, pair.1]) {
            thing.x += (followed.x - thing.x) / 2.0;
            thing.y += (followed.y - thing.y) / 2.0;
        }
    }
}
