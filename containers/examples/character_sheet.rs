//! Character sheets: from JSON to a store, a level's changes merged in, a thousand of them in one
//! block, saved and read in place.
//!
//! Run it with `cargo run -p loligo-containers --example character_sheet`.

#![expect(unsafe_code, reason = "a file is mapped")]

use core::error::Error;
use std::fs;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::{Array, KeyValues, KeyValuesRef, KeyValuesSet, PathNames, path_key, text};
use loligo_ids::{IdString32, id32};

/// Hashed by the compiler: the game has no strings of them.
const NAME: IdString32 = id32!("name");
const HEALTH: IdString32 = path_key(&["stats", "health"]);
const MANA: IdString32 = path_key(&["stats", "mana"]);
const DRUNK: IdString32 = path_key(&["status_effects", "drunk"]);
const WAYPOINTS: IdString32 = path_key(&["ai", "waypoints"]);

/// What the editor wrote for a character.
const HERO: &str = r#"{
    "name": "The One",
    "stats": { "health": 100, "mana": 200 },
    "status_effects": { "drunk": true, "delirious": true },
    "ai": { "waypoints": [0, 0.5, 12, 4] }
}"#;

/// What a level changes: setting keys is all that can happen, so merging has one meaning.
const CURSED_LEVEL: &str = r#"{ "stats": { "mana": 20 }, "status_effects": { "cursed": true } }"#;

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("sheets", &pages);

    // The tool reads JSON and keeps the names; two paths with one hash would be refused here.
    let mut names = PathNames::new(&heap);
    let mut hero = KeyValues::try_from_json_with(HERO.as_bytes(), &mut names, &heap)?;
    let level = KeyValues::try_from_json_with(CURSED_LEVEL.as_bytes(), &mut names, &heap)?;
    hero.try_merge(level.view())?;
    assert_eq!(hero.get_f32(MANA), Some(20.0), "the level says so");
    assert_eq!(hero.get_f32(HEALTH), Some(100.0), "the level says nothing of it");

    // The game asks by hash.
    println!(
        "{} has {} health, {} mana, and is {}",
        hero.get_str(NAME).unwrap_or("nobody"),
        hero.get_f32(HEALTH).unwrap_or(0.0),
        hero.get_f32(MANA).unwrap_or(0.0),
        if hero.get_bool(DRUNK) == Some(true) { "drunk" } else { "sober" },
    );
    println!("  and walks along {:?}", hero.get_array(WAYPOINTS).unwrap_or_default());

    // Sobering up sets one key; a longer name leaves its old words as garbage, which is reclaimed
    // here.
    hero.try_set(DRUNK, false)?;
    hero.try_set(NAME, "The One who came back")?;
    hero.try_shrink()?;
    println!("{} keys in one block of {} bytes", hero.len(), hero.as_bytes().len());

    save_and_load(&hero)?;
    a_thousand(&heap)?;

    let mut json = Array::new(&heap);
    hero.view().try_write_json(&names, &mut json)?;
    let written = text::view(&json)?;
    println!("the tool sees {written}");
    let back = KeyValues::try_from_json(written.as_bytes(), &heap)?;
    assert_eq!(back, hero, "nothing is lost");

    // A shipped game has no names, and still writes all that it has.
    json.clear();
    hero.view().try_write_json(&PathNames::new(&heap), &mut json)?;
    println!("the game sees {}", text::view(&json)?);
    let back = KeyValues::try_from_json(&json, &heap)?;
    assert_eq!(back, hero, "nothing is lost, not even without names");
    Ok(())
}

/// A saved store is its block in place. It is read where the file was loaded or mapped, once it is
/// checked.
fn save_and_load(hero: &KeyValues<'_, impl Allocator + ?Sized>) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("hero.sheet");
    fs::write(&path, hero.as_bytes())?;
    let file = fs::File::open(&path)?;
    // SAFETY: the file belongs to this program, and nothing else writes to it.
    let mapped = unsafe { memmap2::Mmap::map(&file) }?;
    let loaded = KeyValuesRef::open(&mapped)?;
    assert_eq!(loaded, hero.view(), "what was saved is what is read");

    // Bytes in a vector can have any alignment, so this one is of words.
    let mut damaged: Vec<u32> = bytemuck::cast_slice(&mapped).to_vec();
    damaged[2] = 200;
    match KeyValuesRef::open(bytemuck::cast_slice(&damaged)) {
        Ok(_) => return Err("a damaged sheet was taken".into()),
        Err(error) => println!("a damaged sheet is refused: {error}"),
    }
    Ok(())
}

/// A thousand entities with a single float: one block, and no more than 24 bytes for each.
fn a_thousand(heap: &dyn Allocator) -> Result<(), Box<dyn Error>> {
    let mut template = KeyValues::new(heap);
    template.try_set(HEALTH, 40.0)?;
    let mut sheets = KeyValuesSet::new(heap);
    let mut ids = Vec::new();
    for _ in 0..1_000 {
        ids.push(sheets.try_insert(template.view())?);
    }
    let bytes = sheets.bytes() as f64 / 1_000.0;
    println!("a thousand goblins take {bytes:.1} bytes each");
    assert!(bytes <= 24.0, "{bytes} bytes");

    // One of them gets more than the others have; they stay as small as they were.
    sheets.try_set(ids[7], NAME, "Grishnak")?;
    sheets.try_set(ids[7], HEALTH, 400.0)?;
    assert!(sheets.remove(ids[8]), "slain");
    let chief = sheets.get(ids[7]).ok_or("the chief is alive")?;
    assert_eq!(chief.get_str(NAME), Some("Grishnak"), "he has a name now");
    assert_eq!(chief.get_f32(HEALTH), Some(400.0), "and grew stronger");
    assert!(sheets.get(ids[8]).is_none(), "its id names nothing");
    Ok(())
}
