//! A machine with all that stepping it needs, in memory of a test.

use core::f32::consts::PI;

use glam::{Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_animation::compile::{RawClip, RawEvent, RawSkeleton, compile_machine, compress};
use loligo_animation::{Clip, ClipTable, Machine, MachineTable, Machines, Skeleton};
use loligo_containers::{BlobBytes, Endian};
use loligo_entities::Pose;
use loligo_ids::IdString32;

use crate::clips::{QUICK, chain};
use crate::memory::with_memory;

/// A clip: its name, its last frame, frames a second, and its events.
pub(crate) type ClipTerms = (&'static str, usize, f32, Vec<(f32, &'static str)>);

/// Returns the samples of a clip that bends its bones and goes a metre along x while it turns.
pub(crate) fn raw_clip(body: &RawSkeleton, (_, last, rate, events): &ClipTerms) -> RawClip {
    let mut samples = Vec::new();
    for frame in 0..=*last {
        let part = frame as f32 / (*last).max(1) as f32;
        let bend = Quat::from_rotation_x(0.3 * (2.0 * PI * part).sin());
        for (bone, bind) in body.bind.iter().enumerate() {
            samples.push(match bone {
                0 => Pose {
                    position: Vec3::new(part, 1.0, 0.5 * part * part),
                    rotation: Quat::from_rotation_y(0.5 * part),
                    ..*bind
                },
                _ => Pose { rotation: bend * bind.rotation, ..*bind },
            });
        }
    }
    let event = |(frame, name): &(f32, &str)| RawEvent {
        frame: *frame,
        name: (*name).into(),
        bone: Some(1),
    };
    RawClip {
        rate: *rate,
        samples,
        events: events.iter().map(event).collect(),
        ..RawClip::default()
    }
}

/// A machine, its table and its characters.
pub(crate) struct MachineRig<'t, 'b, 'a> {
    pub(crate) table: &'t MachineTable<'b, 'a>,
    pub(crate) machines: Machines<'a>,
    pub(crate) clips: &'t [&'t ClipTable<'b, 'a>],
    pub(crate) skeleton: Skeleton<'b>,
}

impl MachineRig<'_, '_, '_> {
    pub(crate) fn set(&mut self, name: &str, value: f32) {
        let variable = self.table.machine().variable(IdString32::new(name));
        self.machines.set(0, variable.expect("a variable"), value);
    }

    pub(crate) fn is_in(&self, layer: usize, name: &str) -> bool {
        let state = self.table.machine().state(layer, IdString32::new(name));
        self.machines.state(0, layer) == state.expect("a state")
    }

    /// Steps, and returns the hashes of events with their weights and how long ago they were.
    pub(crate) fn step(&mut self, seconds: f32) -> Vec<(IdString32, f32, f32)> {
        let mut events = Vec::new();
        self.machines.step(self.table, seconds, |event| {
            events.push((event.name, event.weight, event.seconds_since));
        });
        events
    }

    /// Returns clips, frames and weights of a layer.
    pub(crate) fn samples(&self, layer: usize) -> Vec<(u16, f32, f32)> {
        let samples = self.machines.samples(0, layer).iter();
        samples.map(|sample| (sample.clip, sample.frame, sample.weight)).collect()
    }
}

/// Compiles a machine for a chain of three bones.
pub(crate) fn machine_bytes(source: &str) -> Result<Vec<u8>, String> {
    let compiled = compile_machine(source.as_bytes(), &chain(3), Endian::NATIVE);
    compiled.map(|compiled| compiled.bytes).map_err(|error| error.to_string())
}

/// Compresses clips for a chain of three bones.
pub(crate) fn packed(clips: &[ClipTerms]) -> Vec<Vec<u8>> {
    let body = chain(3);
    let pack = |terms| compress(&body, &raw_clip(&body, terms), &QUICK()).expect("it is whole");
    clips.iter().map(|terms| pack(terms).bytes).collect()
}

/// Runs a test with a machine of bytes.
pub(crate) fn with_bytes(
    bytes: &[u8],
    clips: &[Vec<u8>],
    memory: &dyn Allocator,
    test: impl FnOnce(&mut MachineRig<'_, '_, '_>),
) -> Result<(), String> {
    let aligned = |bytes: &[u8]| BlobBytes::try_copy(bytes, memory).expect("memory");
    let bytes = aligned(bytes);
    let machine = Machine::open(&bytes).map_err(|error| error.to_string())?;
    let body = chain(3);
    let skeleton = aligned(&body.build(Endian::NATIVE).expect("it is whole"));
    let skeleton = Skeleton::open(&skeleton).expect("a skeleton");
    let packed: Vec<_> = clips.iter().map(|bytes| aligned(bytes)).collect();
    let tables = packed.iter().map(|bytes| {
        let clip = Clip::open(bytes).expect("a clip");
        ClipTable::try_new(clip, &skeleton, memory).expect("memory")
    });
    let tables: Vec<_> = tables.collect();
    let clips: Vec<_> = tables.iter().collect();
    let table = MachineTable::try_new(machine, &skeleton, &clips, memory)
        .map_err(|error| error.to_string())?;
    let machines = Machines::try_new(1, &table, memory).expect("memory");
    test(&mut MachineRig { table: &table, machines, clips: &clips, skeleton });
    Ok(())
}

/// Runs a test with a machine of a source.
pub(crate) fn with_machine(
    source: &str,
    clips: &[Vec<u8>],
    test: impl FnOnce(&mut MachineRig<'_, '_, '_>),
) {
    let bytes = machine_bytes(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    with_memory(|memory| with_bytes(&bytes, clips, memory, test)).expect("it can be played");
}
