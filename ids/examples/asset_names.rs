//! A compile step that writes the names of assets to a file next to the compiled data, and a
//! program that shows names if that file exists and hashes if it does not.
//!
//! ```text
//! cargo run -p loligo-ids --example asset_names
//! ```
#![expect(unsafe_code, reason = "a file is mapped, which is unsafe since others may write it")]

use core::error::Error;
use std::fs::{self, File};
use std::path::Path;

use loligo_allocators::StaticHeap;
use loligo_ids::{IdString64, ReverseLookup, ReverseLookupBuilder, id64};
use memmap2::Mmap;

static MEMORY: StaticHeap<{ 1 << 20 }> = StaticHeap::new("asset compiler");

const SOURCES: [&str; 4] = [
    "vegetation/trees/larch_3.mesh",
    "vegetation/trees/larch_4.mesh",
    "textures/bark.dds",
    "units/player.unit",
];

/// What the shipped program asks for. The last one is not among the assets.
const WANTED: [IdString64; 3] =
    [id64!("textures/bark.dds"), id64!("units/player.unit"), id64!("units/enemy.unit")];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (data, names) = (folder.path().join("assets.data"), folder.path().join("assets.names"));

    compile(&data, &names)?;
    println!("in development, with {} bytes of names:", fs::metadata(&names)?.len());
    run(&data, &names)?;

    fs::remove_file(&names)?;
    println!("as shipped, without them:");
    run(&data, &names)
}

/// Writes the ids of all assets as compiled data, and their names to a second file.
fn compile(data: &Path, names: &Path) -> Result<(), Box<dyn Error>> {
    let mut builder = ReverseLookupBuilder::<IdString64, _>::new(&MEMORY);
    let mut compiled = Vec::new();
    for source in SOURCES {
        // Two assets with one hash are an error in the data, which names both.
        let id = builder.insert(source).map_err(|error| error.to_string())?;
        compiled.extend_from_slice(&id.hash().to_le_bytes());
    }
    fs::write(data, compiled)?;
    fs::write(names, &*builder.save()?)?;
    Ok(())
}

/// Looks for the wanted assets. It works with ids; names are for messages alone.
fn run(data: &Path, names: &Path) -> Result<(), Box<dyn Error>> {
    let data = fs::read(data)?;
    let (ids, _) = data.as_chunks();
    let assets: Vec<_> =
        ids.iter().map(|&id| IdString64::from_hash(u64::from_le_bytes(id))).collect();

    let mapped = match File::open(names) {
        // SAFETY: the file belongs to this program, in a folder of unknown name; nothing writes or
        // truncates it while it is mapped.
        Ok(file) => Some(unsafe { Mmap::map(&file) }?),
        Err(_) => None,
    };
    let names = match &mapped {
        Some(bytes) => ReverseLookup::open(bytes)?,
        None => ReverseLookup::default(),
    };
    for id in WANTED {
        let state = if assets.contains(&id) { "loaded" } else { "missing" };
        println!("  {state:8}{}", names.show(id));
    }
    Ok(())
}
