//! A village: houses that inherit one another are compiled from SJSON into a level, spawned, moved,
//! asked about and removed; memory at each step.
//!
//! ```sh
//! cargo run -p loligo-entities --features compile --example village
//! ```
#![forbid(unsafe_code)]

use glam::{Quat, Vec3};
use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::path_key;
use loligo_entities::compile::{DataCompiler, TagCompiler, TransformCompiler, compile};
use loligo_entities::{
    ComponentManager, Components, Data, Entities, EntityResource, Pose, Tags, Transforms, Unknown,
};
use loligo_ids::id32;

/// The project's sources, by name.
const SOURCES: &[(&str, &[u8])] = &[
    (
        "house",
        br#"
components = {
    tag = [ "building" ]
    data = { people = 4 burns = true door = { locked = false } }
}
children = {
    roof = { components = { transform = { position = [ 0 3 0 ] } } }
    door = { components = { transform = { position = [ 0 0 1.5 ] } tag = "usable" } }
}"#,
    ),
    (
        "mill",
        br#"
inherit = "house"                       // a house that is called a mill ..
components = {
    tag = [ "building" "mill" ]
    data = { people = 2 door = { locked = true } }
}
children = {
    sails = { components = { transform = { position = [ 0 4 1 ] } tag = "turning" } }
    roof = { components = { transform = { position = [ 0 5 0 ] } } }      // .. and is higher
}"#,
    ),
];

const LEVEL: &[u8] = br#"
entities = {
    anna = { inherit = "house" components = { transform = { position = [ -8 0 2 ] } } }
    bert = { inherit = "house" components = { transform = { position = [ 6 0 -3 ] } } }
    mill = { inherit = "mill"  components = { transform = { position = [ 0 1 -9 ] } } }
    well = { components = { tag = "usable" transform = {} } }
}"#;

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("village", &pages);

    // What a tool does, once.
    let bytes = compile(
        "village.level",
        LEVEL,
        SOURCES,
        &[&TransformCompiler, &TagCompiler, &DataCompiler],
        &heap,
    )
    .map_err(|error| error.to_string())?;
    println!("village.level is {} bytes\n", bytes.len());

    // What the game does, at each start of the level.
    let level = EntityResource::open(&bytes)?;
    let mut entities = Entities::new(&heap);
    let mut transforms = Transforms::new(&heap);
    let mut tags = Tags::new(&heap);
    let mut data = Data::new(&heap);
    let mut managers: [&mut dyn ComponentManager; 3] = [&mut transforms, &mut tags, &mut data];
    let mut components = Components::new(&mut managers)?;
    let spawned = entities.spawn(&level, &[Pose::IDENTITY], &mut components, Unknown::Refuse)?;
    let mill = spawned[level.find(id32!("mill")).expect("the level has a mill")];
    println!("{} entities, {} buildings", spawned.len(), tags.entities(id32!("building")).len());

    let locked = path_key(&["door", "locked"]);
    for building in tags.entities(id32!("building")) {
        let sheet = data.get(*building).expect("buildings have data");
        let people = sheet.get_f32(id32!("people")).unwrap_or(0.0);
        let door = if sheet.get_bool(locked) == Some(true) { "locked" } else { "open" };
        println!("  {people} people behind a door that is {door}");
    }

    // A frame: what turns is turned, and nothing else is computed.
    let mut moved = 0;
    transforms.update(|_, _| moved += 1);
    println!("\nfirst update: {moved} matrices");
    for turning in tags.entities(id32!("turning")) {
        transforms.set_rotation(*turning, Quat::from_rotation_z(0.1));
    }
    moved = 0;
    transforms.update(|_, _| moved += 1);
    println!("with the sails turned: {moved}");
    transforms.set_position(mill, Vec3::new(0.0, 2.0, -9.0));
    moved = 0;
    transforms.update(|_, _| moved += 1);
    println!("with the mill moved: {moved}, as its parts move with it");

    println!("\n{} bytes in {} blocks", heap.stats().granted, heap.stats().live);
    let mut managers: [&mut dyn ComponentManager; 3] = [&mut transforms, &mut tags, &mut data];
    let mut components = Components::new(&mut managers)?;
    println!("the mill goes: {} entities", entities.destroy(&[mill], &mut components));
    println!("{} entities are left", entities.len());
    Ok(())
}
