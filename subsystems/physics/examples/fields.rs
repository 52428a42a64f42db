//! Asks some fields for 10 000 places, as particles of a frame do, and prints how long that takes.
//!
//! ```text
//! cargo run --release -p loligo-physics --example fields
//! ```

use core::error::Error;
use std::time::Instant;

use glam::{Quat, Vec3};
use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_containers::{BlobBytes, Endian};
use loligo_ids::IdString64;
use loligo_physics::compile::compile_field;
use loligo_physics::{Field, FieldQuery, FieldScratch, Fields};

const PLACES: usize = 10_000;

const SOURCES: [(&str, &str); 4] = [
    ("gravity", "strength = [ 0 -9.81 0 ]"),
    ("wind", "wind = { speed = 6 }"),
    ("vortex", "vortex = {} region = { box = [ 20 20 20 ] }"),
    ("explosion", "explosion = { radius = 10 } seconds = 0"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("fields", &pages);
    let mut scratch = FieldScratch::try_new(&heap)?;
    let place = |at: usize| {
        let [x, y, z] = [at * 7919 % 2003, at * 104_729 % 1009, at * 1_299_709 % 1511];
        Vec3::new(x as f32 / 50.0 - 20.0, y as f32 / 50.0 - 10.0, z as f32 / 50.0 - 15.0)
    };
    let places: Vec<Vec3> = (0..PLACES).map(place).collect();
    let velocities = vec![Vec3::X; PLACES];
    let mut out = vec![Vec3::ZERO; PLACES];
    let mut all: Fields<'_> = Fields::new(&heap);
    for (name, source) in SOURCES {
        let mut fields: Fields<'_> = Fields::new(&heap);
        let bytes = compile_field(source.as_bytes(), Endian::NATIVE);
        let bytes = BlobBytes::try_copy(&bytes.map_err(|error| error.to_string())?, &heap)?;
        let field = Field::open(&bytes)?;
        for fields in [&mut fields, &mut all] {
            fields.define(IdString64::new(name), &field)?;
            fields.add(IdString64::new(name), Vec3::ZERO, Quat::IDENTITY, u32::MAX, 0.0)?;
        }
        report(name, &fields, &places, &velocities, &mut out, &mut scratch);
    }
    report("all four", &all, &places, &velocities, &mut out, &mut scratch);
    Ok(())
}

/// Prints the shortest of several queries, and how many places have a strength.
fn report(
    name: &str,
    fields: &Fields<'_>,
    places: &[Vec3],
    velocities: &[Vec3],
    out: &mut [Vec3],
    scratch: &mut FieldScratch<'_>,
) {
    let query = FieldQuery { velocities: Some(velocities), ..FieldQuery::at(places, 0.5) };
    let mut shortest = f64::MAX;
    for _ in 0..50 {
        let start = Instant::now();
        fields.query(&query, out, scratch);
        shortest = shortest.min(start.elapsed().as_secs_f64());
    }
    let strong = out.iter().filter(|strength| **strength != Vec3::ZERO).count();
    println!("{name:<10} {:6.3} ms, {strong} of {PLACES} places reached", shortest * 1000.0);
}
