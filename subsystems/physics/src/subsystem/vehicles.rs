//! The manager of the component `vehicle`: actors on wheels.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use loligo_allocators::SharedRef;
use loligo_entities::{Batch, ComponentError, ComponentManager, ComponentType, Entity};
use loligo_interface::SubsystemError;

use super::bodies::Bodies;
use super::records::Records;
use super::said;
use super::saved::{Words, Writer};
use crate::component::{VEHICLE, VEHICLE_WHEELS_MAX, WheelSource};
use crate::error::PhysicsError;
use crate::vehicle::{VehicleId, Wheel, WheelControl};

/// The words of a wheel.
const WORDS: usize = size_of::<WheelSource>() / 4;

/// A vehicle of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct VehicleRecord {
    /// The bits of the id of the vehicle; 0 before it is made.
    vehicle: u32,
    count: u32,
    wheels: [WheelSource; VEHICLE_WHEELS_MAX],
}

impl VehicleRecord {
    pub(crate) fn wheels(&self) -> &[WheelSource] {
        &self.wheels[..self.count as usize]
    }
}

/// The vehicles of a game. One goes with its actor, which the world sees to.
pub(crate) struct Vehicles<'m> {
    records: Records<'m, VehicleRecord>,
    /// How many may have no vehicle yet.
    waiting: usize,
}

impl<'m> Vehicles<'m> {
    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { records: Records::new_in(memory), waiting: 0 }
    }

    /// Returns the vehicle of an entity and its wheels, if its actor is there.
    pub(crate) fn find(
        &self,
        entity: Entity,
        bodies: &Bodies<'_>,
    ) -> Option<(VehicleId, &[WheelSource])> {
        let record = self.records.get(entity)?;
        let id = VehicleId::from_bits(record.vehicle)?;
        bodies.world.contains_vehicle(id).then(|| (id, record.wheels()))
    }

    /// Makes the vehicles whose actors are there. One that cannot be made is dropped.
    pub(crate) fn prepare(&mut self, bodies: &mut Bodies<'_>) -> Result<(), SubsystemError> {
        if self.waiting == 0 {
            return Ok(());
        }
        let (mut made, mut waiting) = (Ok(()), 0);
        self.records.map.retain(|bits, record| {
            if record.vehicle != 0 {
                return true;
            }
            let Some(entity) = Entity::from_bits(*bits) else { return false };
            if bodies.is_waiting(entity) {
                waiting += 1;
                return true;
            }
            match make(entity, record, bodies) {
                Ok(id) => record.vehicle = id.to_bits(),
                Err(error) => {
                    made = made.and(Err(error));
                    return false;
                }
            }
            true
        });
        self.waiting = waiting;
        made
    }

    /// Does what a driver does to the wheels that it is for. Forces are shared among them.
    pub(crate) fn drive(
        &self,
        entity: Entity,
        control: &WheelControl,
        bodies: &mut Bodies<'_>,
    ) -> Option<Result<(), PhysicsError>> {
        let (id, wheels) = self.find(entity, bodies)?;
        let count = |flag| wheels.iter().filter(|wheel| wheel.has(flag)).count().max(1) as f32;
        let [drives, brakes] = [count(WheelSource::DRIVES), count(WheelSource::BRAKES)];
        let part = |wheel: &WheelSource, flag, amount| if wheel.has(flag) { amount } else { 0.0 };
        Some((0..).zip(wheels).try_for_each(|(at, wheel)| {
            let control = WheelControl {
                steering: part(wheel, WheelSource::STEERS, control.steering),
                drive: part(wheel, WheelSource::DRIVES, control.drive / drives),
                brake: part(wheel, WheelSource::BRAKES, control.brake / brakes),
            };
            bodies.world.control_wheel(id, at, &control)
        }))
    }

    pub(crate) fn save(&self, out: &mut Writer<'_, 'm>) -> Result<(), SubsystemError> {
        self.records.save(out)
    }

    pub(crate) fn load(
        from: &mut Words<'_>,
        memory: SharedRef<'m>,
    ) -> Result<Self, SubsystemError> {
        let records: Records<'_, VehicleRecord> = Records::load(from, memory)?;
        let values = records.map.values();
        if values.iter().any(|record| record.count as usize > VEHICLE_WHEELS_MAX) {
            return Err(super::saved::TORN);
        }
        let waiting = values.iter().filter(|record| record.vehicle == 0).count();
        Ok(Self { records, waiting })
    }
}

fn make(
    entity: Entity,
    record: &VehicleRecord,
    bodies: &mut Bodies<'_>,
) -> Result<VehicleId, SubsystemError> {
    let wrong = |what, remedy| SubsystemError::Wrong { what, remedy };
    let actor = bodies.find(entity).ok_or(wrong(
        "an entity has a vehicle and no actor",
        "give it the component `actor` as well, or remove `vehicle`",
    ))?;
    let scale = bodies.world.pose(actor).map_err(said)?.scale;
    let mut wheels = [Wheel::default(); VEHICLE_WHEELS_MAX];
    for (wheel, source) in wheels.iter_mut().zip(record.wheels()) {
        *wheel = Wheel {
            at: Vec3::from_array(source.at) * scale,
            radius: source.radius,
            rest: source.rest,
            travel: source.travel,
            stiffness: source.stiffness,
            compression: source.compression,
            relaxation: source.relaxation,
            force_max: source.force,
            grip: source.grip,
            side_grip: source.side_grip,
        };
    }
    let wheels = &wheels[..record.wheels().len()];
    bodies.world.create_vehicle(actor, wheels).map_err(|error| match error {
        PhysicsError::Kind { .. } => wrong(
            "an entity has a vehicle, and its actor is not dynamic",
            "name a template of the kind `dynamic` in its component `actor`",
        ),
        PhysicsError::Number { what, .. } => wrong(what, "correct the component `vehicle`"),
        error => said(error),
    })
}

/// Reads the components of a batch: how many wheels, and the wheels, each.
fn read<'b>(data: &'b [u32], at: &mut usize) -> Option<&'b [[u32; WORDS]]> {
    let count = *data.get(*at)? as usize;
    if count > VEHICLE_WHEELS_MAX {
        return None;
    }
    let wheels = data.get(*at + 1..)?.get(..count * WORDS)?;
    *at += 1 + wheels.len();
    Some(wheels.as_chunks().0)
}

impl ComponentManager for Vehicles<'_> {
    fn component(&self) -> ComponentType {
        VEHICLE
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let data = batch.data();
        let mut at = 0;
        let are_whole = (0..batch.len()).all(|_| read(data, &mut at).is_some());
        if !are_whole || at != data.len() {
            return Err(ComponentError::data(batch.len(), "the data are not vehicles"));
        }
        let mut at = 0;
        self.records.spawn(batch, |_, instance| {
            if instance == 0 {
                at = 0;
            }
            let mut record = VehicleRecord::zeroed();
            for words in read(data, &mut at).unwrap_or_default() {
                record.wheels[record.count as usize] = bytemuck::cast(*words);
                record.count += 1;
            }
            record
        })?;
        self.waiting += batch.len() * batch.copies();
        Ok(())
    }

    fn remove(&mut self, entities: &[Entity]) {
        self.records.remove(entities);
    }
}
