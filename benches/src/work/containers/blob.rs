//! A level of units, as a blob, as rkyv's archive and as native structs. Its types are defined here
//! as each wants them.

use core::hint::black_box;

use loligo_containers::{
    Blob, BlobArray, BlobBuilder, BlobBytes, BlobOption, BlobStr, Endian, blob_field, blob_struct,
};
use rkyv::rancor::Error;
use rkyv::util::AlignedVec;

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};

/// Units of the level: a megabyte, more or less, in each form.
const UNITS: u32 = 20_000;

/// How often a pass does its work.
const TIMES: u32 = 10;

blob_struct! {
    struct BlobLight {
        color: [f32; 3],
        watts: f32,
    }

    struct BlobUnit {
        name: BlobStr,
        position: [f32; 3],
        light: BlobOption<BlobLight>,
    }

    struct BlobLevel {
        units: BlobArray<BlobUnit>,
    }
}

/// What a unit adds, as its native form and as rkyv's.
#[derive(rkyv::Archive, rkyv::Serialize)]
pub(crate) struct Light {
    color: [f32; 3],
    watts: f32,
}

#[derive(rkyv::Archive, rkyv::Serialize)]
pub(crate) struct NativeUnit {
    name: String,
    position: [f32; 3],
    light: Option<Box<Light>>,
}

#[derive(rkyv::Archive, rkyv::Serialize)]
pub(crate) struct Native {
    units: Vec<NativeUnit>,
}

/// A level that a walk goes over: each light counts, and each name by its length.
pub(crate) trait Level: 'static {
    fn new() -> Self;
    fn sum(&self) -> f32;
}

/// Returns a unit's name, as long as names of resources are; rkyv keeps one of up to 8 bytes in the
/// field.
fn name(index: u32) -> String {
    format!("content/units/props/crate_{}", index * 7 % 1000)
}

/// Returns `true` if a unit has a light: one of five.
fn has_light(index: u32) -> bool {
    index.is_multiple_of(5)
}

impl Level for Native {
    fn new() -> Self {
        let units = (0..UNITS).map(|index| NativeUnit {
            name: name(index),
            position: [index as f32, 1.0, 2.0],
            light: has_light(index)
                .then(|| Box::new(Light { color: [1.0; 3], watts: index as f32 })),
        });
        Self { units: units.collect() }
    }

    #[inline(never)]
    fn sum(&self) -> f32 {
        let mut sum = 0.0;
        for unit in &self.units {
            sum += unit.position[0] + unit.name.len() as f32;
            if let Some(light) = &unit.light {
                sum += light.watts * light.color[0];
            }
        }
        sum
    }
}

/// Our blob, opened.
pub(crate) struct Opened {
    blob: Blob<'static, BlobLevel>,
}

impl Level for Opened {
    fn new() -> Self {
        let bytes: &'static BlobBytes<'static, Heap> = Box::leak(Box::new(blob_bytes()));
        Self { blob: Blob::open(bytes).expect("just built") }
    }

    #[inline(never)]
    fn sum(&self) -> f32 {
        let mut sum = 0.0;
        for unit in self.blob.view().at(blob_field!(BlobLevel, units)) {
            let name = unit.at(blob_field!(BlobUnit, name)).text();
            sum += unit.position[0] + name.len() as f32;
            if let Some(light) = unit.at(blob_field!(BlobUnit, light)).part() {
                sum += light.watts * light.color[0];
            }
        }
        sum
    }
}

/// rkyv's archive, checked once and then trusted, as its users may.
pub(crate) struct Rkyv {
    level: &'static ArchivedNative,
}

impl Level for Rkyv {
    fn new() -> Self {
        let bytes: &'static AlignedVec = Box::leak(Box::new(rkyv_bytes()));
        Self { level: rkyv::access::<ArchivedNative, Error>(bytes).expect("just built") }
    }

    #[inline(never)]
    fn sum(&self) -> f32 {
        let mut sum = 0.0;
        for unit in self.level.units.iter() {
            sum += unit.position[0].to_native() + unit.name.len() as f32;
            if let Some(light) = unit.light.as_ref() {
                sum += light.watts.to_native() * light.color[0].to_native();
            }
        }
        sum
    }
}

fn blob_bytes() -> BlobBytes<'static, Heap> {
    let memory = "the machine has memory for a level";
    let mut level =
        BlobBuilder::<BlobLevel, Heap>::try_new_in(Endian::NATIVE, &HEAP).expect(memory);
    let units = level.root().at(blob_field!(BlobLevel, units));
    let units = level.array(units, UNITS as usize).expect(memory);
    for (unit, index) in units.iter().zip(0..) {
        level.string(unit.at(blob_field!(BlobUnit, name)), &name(index)).expect(memory);
        level.set(unit.at(blob_field!(BlobUnit, position)), [index as f32, 1.0, 2.0]);
        if has_light(index) {
            let light = level.option(unit.at(blob_field!(BlobUnit, light))).expect(memory);
            level.set(light.at(blob_field!(BlobLight, color)), [1.0; 3]);
            level.set(light.at(blob_field!(BlobLight, watts)), index as f32);
        }
    }
    level.finish()
}

fn rkyv_bytes() -> AlignedVec {
    rkyv::to_bytes::<Error>(&Native::new()).expect("the machine has memory for a level")
}

/// Goes over a level; an operation is a unit.
pub(crate) fn read<L: Level>(name: &'static str) -> Contender {
    let level = L::new();
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..TIMES {
                black_box(black_box(&level).sum());
            }
        });
        Pass { ns, operations: u64::from(TIMES) * u64::from(UNITS) }
    })
}

/// A way to open the bytes of a level.
#[derive(Clone, Copy)]
pub(crate) enum Opening {
    /// Ours, with the checksum.
    Whole,
    /// Ours, without it.
    Structure,
    /// rkyv's, checked.
    Rkyv,
}

/// Opens a level; an operation is a unit.
pub(crate) fn open(opening: Opening) -> Contender {
    let (ours, theirs) = (blob_bytes(), rkyv_bytes());
    let name = if matches!(opening, Opening::Rkyv) { "rkyv" } else { "Blob" };
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..TIMES {
                let opened = match opening {
                    Opening::Whole => Blob::<BlobLevel>::open(black_box(&ours)).is_ok(),
                    Opening::Structure => {
                        Blob::<BlobLevel>::open_structure(black_box(&ours)).is_ok()
                    }
                    Opening::Rkyv => {
                        rkyv::access::<ArchivedNative, Error>(black_box(&theirs)).is_ok()
                    }
                };
                assert!(opened, "{name} opens what it built");
            }
        });
        Pass { ns, operations: u64::from(TIMES) * u64::from(UNITS) }
    })
}
