//! Fields that are asked for 10 000 places.

use core::hint::black_box;

use glam::{Quat, Vec3};
use loligo_containers::{BlobBytes, Endian};
use loligo_ids::IdString64;
use loligo_physics::compile::compile_field;
use loligo_physics::{Field, FieldQuery, FieldScratch, Fields};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};

/// The places of a frame.
const PLACES: usize = 10_000;

/// How often they are asked for in a pass.
const QUERIES: u64 = 20;

/// A wind everywhere, and a vortex that reaches about half of the places.
const SOURCES: [(&str, &str); 2] = [
    ("wind", "wind = { speed = 6 }"),
    ("vortex", "vortex = { core = 2 } region = { box = [ 28 20 24 ] }"),
];

/// Returns the time of a query of 10 000 places, all of them in a wind and half of them in a vortex.
pub(crate) fn fields() -> Contender {
    let mut fields: Fields<'static, Heap> = Fields::new_in(&HEAP);
    for (name, source) in SOURCES {
        let bytes = compile_field(source.as_bytes(), Endian::NATIVE).expect("it is right");
        let bytes = BlobBytes::try_copy_in(&bytes, &HEAP).expect("there is memory");
        let name = IdString64::new(name);
        fields.define(name, &Field::open(&bytes).expect("it is whole")).expect("there is memory");
        fields.add(name, Vec3::ZERO, Quat::IDENTITY, u32::MAX, 0.0).expect("it is defined");
    }
    let mut scratch = FieldScratch::try_new_in(&HEAP).expect("there is memory");
    let places: Vec<Vec3> = (0..PLACES).map(place).collect();
    let mut out = vec![Vec3::ZERO; PLACES];
    let mut time = 0.0;
    Contender::new("loligo", move || {
        let ns = clock::time(|| {
            for _ in 0..QUERIES {
                fields.query(&FieldQuery::at(&places, time), &mut out, &mut scratch);
                black_box(&out);
                time += 1.0 / 60.0;
            }
        });
        Pass { ns, operations: QUERIES }
    })
}

/// Returns a place in a box of 40 by 20 by 30 metres, the same in each run.
fn place(at: usize) -> Vec3 {
    let [x, y, z] = [at * 7919 % 2003, at * 104_729 % 1009, at * 1_299_709 % 1511];
    Vec3::new(x as f32 / 50.0 - 20.0, y as f32 / 50.0 - 10.0, z as f32 / 50.0 - 15.0)
}
