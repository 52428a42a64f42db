//! A level compiled into a blob, written to a file, mapped, and used in place.
//!
//! Run it with `cargo run -p loligo-containers --example mapped_level`.
#![expect(unsafe_code, reason = "mapping a file is unsafe: nobody may change it meanwhile")]

use core::error::Error;
use std::fs::{self, File};
use std::path::Path;

use loligo_allocators::PageAllocator;
use loligo_containers::{
    Blob, BlobArray, BlobBuilder, BlobOption, BlobStr, Endian, blob_field, blob_struct,
};
use loligo_ids::{IdString32, id32};

blob_struct! {
    /// What a light adds to a unit.
    struct Light {
        color: [f32; 3],
        watts: f32,
    }

    /// Something that is in the level.
    struct Unit {
        kind: IdString32,
        position: [f32; 3],
        light: BlobOption<Light>,
    }

    /// The level.
    struct Level {
        name: BlobStr,
        units: BlobArray<Unit>,
        heights: BlobArray<u16>,
    }
}

/// What the compiler of levels does: positions and heights would come from an editor.
fn compile(path: &Path, endian: Endian) -> Result<(), Box<dyn Error>> {
    let memory = PageAllocator::new("level compiler");
    let mut level = BlobBuilder::<Level, _>::try_new(endian, &memory)?;
    let root = level.root();
    level.string(root.at(blob_field!(Level, name)), "harbour")?;
    let units = level.array(root.at(blob_field!(Level, units)), 2000)?;
    for (index, unit) in units.iter().enumerate() {
        let lamp = index % 50 == 0;
        let kind = if lamp { id32!("lamp") } else { id32!("crate") };
        level.set(unit.at(blob_field!(Unit, kind)), kind);
        level.set(unit.at(blob_field!(Unit, position)), [index as f32, 0.0, (index % 40) as f32]);
        if lamp {
            let light = level.option(unit.at(blob_field!(Unit, light)))?;
            level.set(light.at(blob_field!(Light, color)), [1.0, 0.9, 0.7]);
            level.set(light.at(blob_field!(Light, watts)), 60.0 + index as f32 / 50.0);
        }
    }
    let heights: Vec<u16> = (0..256 * 256_u32).map(|at| (at * at % 1021) as u16).collect();
    level.numbers(root.at(blob_field!(Level, heights)), &heights)?;
    fs::write(path, &*level.finish())?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("harbour.level");
    compile(&path, Endian::NATIVE)?;

    let file = File::open(&path)?;
    // SAFETY: the file is in this program's folder, and nothing writes to it any more.
    let map = unsafe { memmap2::Mmap::map(&file) }?;
    let blob = Blob::<Level>::open(&map)?;
    let level = blob.root();
    let units = blob.array(&level.units);
    let lamps = units.iter().filter(|unit| unit.kind == id32!("lamp"));
    let watts: f32 =
        lamps.filter_map(|unit| blob.option(&unit.light)).map(|light| light.watts).sum();
    let highest = blob.array(&level.heights).iter().max();
    println!("level `{}`: {} bytes, mapped", blob.str(&level.name), map.len());
    println!("{} units, lamps of {watts} watts, highest point {highest:?}", units.len());
    assert_eq!(watts, 3180.0, "40 lamps of 60 to 99 watts");

    // What was cut off, changed on the way, or built for another machine is refused.
    let cut = Blob::<Level>::open(&map[..map.len() / 2]).expect_err("half of it is missing");
    println!("half of it:         {cut}");
    let mut bytes = map.to_vec();
    bytes[1000] ^= 1;
    fs::write(&path, &bytes)?;
    let file = File::open(&path)?;
    // SAFETY: as above.
    let map = unsafe { memmap2::Mmap::map(&file) }?;
    println!("one bit changed:    {}", Blob::<Level>::open(&map).expect_err("a bit was changed"));
    let other = if Endian::NATIVE == Endian::Little { Endian::Big } else { Endian::Little };
    compile(&path, other)?;
    let file = File::open(&path)?;
    // SAFETY: as above.
    let map = unsafe { memmap2::Mmap::map(&file) }?;
    println!(
        "other byte order:   {}",
        Blob::<Level>::open(&map).expect_err("not for this machine")
    );
    Ok(())
}
