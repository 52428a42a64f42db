//! Vehicles by wheels that are rays.

use std::vec::Vec;

use glam::{Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_entities::Pose;
use rapier3d::control::{DynamicRayCastVehicleController as Controller, WheelTuning};

use super::PhysicsWorld;
use super::marks::ShapeMark;
use crate::actor::ActorId;
use crate::cast::CastRules;
use crate::checked::{finite, number};
use crate::error::PhysicsError;
use crate::settings::ActorKind;
use crate::vehicle::{Vehicle, VehicleId, Wheel, WheelControl, WheelState};

/// The most wheels of a vehicle.
const WHEELS_MAX: usize = 64;
const UNKNOWN: PhysicsError = PhysicsError::Unknown { what: "vehicle" };
const NO_WHEEL: PhysicsError =
    PhysicsError::Number { what: "the wheel", must: "one that the vehicle has", found: f32::NAN };

/// The controllers of the simulation by slots of vehicles; those of empty slots are `None`.
pub(crate) type Controllers = Vec<Option<Controller>>;

impl<A: Allocator + ?Sized> PhysicsWorld<'_, A> {
    /// Puts a dynamic actor on wheels. Up is its y axis and forwards its z axis. The vehicle is
    /// destroyed with the actor.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`]: the actor is not dynamic, a number is refused, or there is no memory.
    pub fn create_vehicle(
        &mut self,
        actor: ActorId,
        wheels: &[Wheel],
    ) -> Result<VehicleId, PhysicsError> {
        if self.kind(actor)? != ActorKind::Dynamic {
            return Err(PhysicsError::Kind { what: "a vehicle", must: "dynamic actors" });
        }
        number("the count of wheels", wheels.len() as f32, 1.0..=WHEELS_MAX as f32, "1 to 64")?;
        wheels.iter().try_for_each(check)?;
        let mut controller = Controller::new(self.handle(actor)?);
        (controller.index_up_axis, controller.index_forward_axis) = (1, 2);
        for wheel in wheels {
            // What does not swing has twice the root of the stiffness.
            let critical = 2.0 * libm::sqrtf(wheel.stiffness);
            let tuning = WheelTuning {
                suspension_stiffness: wheel.stiffness,
                suspension_compression: wheel.compression * critical,
                suspension_damping: wheel.relaxation * critical,
                max_suspension_travel: wheel.travel,
                side_friction_stiffness: wheel.side_grip,
                friction_slip: wheel.grip,
                max_suspension_force: wheel.force_max,
            };
            controller.add_wheel(wheel.at, -Vec3::Y, -Vec3::X, wheel.rest, wheel.radius, &tuning);
        }
        let id = self
            .vehicles
            .insert(Vehicle { actor: actor.to_bits() })
            .map_err(|error| PhysicsError::insert("vehicles", error))?;
        let slot = id.index() as usize;
        if self.controllers.len() <= slot {
            self.controllers.resize_with(slot + 1, || None);
        }
        self.controllers[slot] = Some(controller);
        Ok(id)
    }

    /// Takes the wheels off.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn destroy_vehicle(&mut self, id: VehicleId) -> Result<(), PhysicsError> {
        self.vehicles.remove(id).ok_or(UNKNOWN)?;
        self.controllers[id.index() as usize] = None;
        Ok(())
    }

    /// Returns `true` if the id names a vehicle.
    #[must_use]
    pub fn contains_vehicle(&self, id: VehicleId) -> bool {
        self.vehicles.contains(id)
    }

    /// Sets what the driver does to a wheel from the next step on.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such vehicle or wheel, or a number is refused.
    pub fn control_wheel(
        &mut self,
        id: VehicleId,
        wheel: u32,
        control: &WheelControl,
    ) -> Result<(), PhysicsError> {
        number("the steering", control.steering, -1.6..=1.6, "-1.6 to 1.6 radians")?;
        number("the drive", control.drive, -1e9..=1e9, "-1e9 to 1e9 newton")?;
        number("the brake", control.brake, 0.0..=1e9, "0 to 1e9 newton seconds")?;
        let actor = self.vehicle_actor(id)?;
        let controller = self.controllers[id.index() as usize].as_mut().ok_or(UNKNOWN)?;
        let wheel = controller.wheels_mut().get_mut(wheel as usize).ok_or(NO_WHEEL)?;
        let is_changed = (wheel.steering, wheel.engine_force, wheel.brake)
            != (control.steering, control.drive, control.brake);
        (wheel.steering, wheel.engine_force, wheel.brake) =
            (control.steering, control.drive, control.brake);
        if is_changed { self.wake(actor) } else { Ok(()) }
    }

    /// Returns where a wheel is, and what it does.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such vehicle or wheel.
    pub fn wheel(&self, id: VehicleId, wheel: u32) -> Result<WheelState, PhysicsError> {
        let body = self.pose(self.vehicle_actor(id)?)?;
        let controller = self.controllers[id.index() as usize].as_ref().ok_or(UNKNOWN)?;
        let wheel = controller.wheels().get(wheel as usize).ok_or(NO_WHEEL)?;
        let info = wheel.raycast_info();
        let turned = Quat::from_rotation_y(wheel.steering) * Quat::from_rotation_x(wheel.rotation);
        let ground = info.ground_object.and_then(|handle| self.simulation.colliders.get(handle));
        let mark = ground.map(|collider| ShapeMark::unpack(collider.user_data));
        Ok(WheelState {
            pose: Pose {
                position: wheel.center(),
                rotation: body.rotation * turned,
                scale: Vec3::ONE,
            },
            is_grounded: info.is_in_contact,
            ground: mark.and_then(|mark| ActorId::from_bits(mark.actor)),
            contact: info.contact_point_ws,
            load: wheel.wheel_suspension_force,
        })
    }

    /// Returns how fast a vehicle goes forwards, in metres a second.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn vehicle_speed(&self, id: VehicleId) -> Result<f32, PhysicsError> {
        let actor = self.vehicle_actor(id)?;
        Ok(self.velocity(actor)?.dot(self.pose(actor)?.rotation * Vec3::Z))
    }

    fn vehicle_actor(&self, id: VehicleId) -> Result<ActorId, PhysicsError> {
        let vehicle = self.vehicles.get(id).ok_or(UNKNOWN)?;
        ActorId::from_bits(vehicle.actor).ok_or(UNKNOWN)
    }

    /// Has springs and tyres act, before a step, in the order of slots. Those that sleep or are
    /// disabled do nothing.
    pub(super) fn drive(&mut self) {
        for slot in 0..self.controllers.len() {
            let Some(mut controller) = self.controllers[slot].take() else { continue };
            let body = self.simulation.bodies.get(controller.chassis);
            if body.is_some_and(|body| body.is_enabled() && !body.is_sleeping()) {
                let rules = CastRules::SOLID;
                let mut filter = self.filter(&rules);
                filter.exclude_rigid_body = Some(controller.chassis);
                let simulation = &mut self.simulation;
                let queries = simulation.broad_phase.as_query_pipeline_mut(
                    simulation.narrow_phase.query_dispatcher(),
                    &mut simulation.bodies,
                    &mut simulation.colliders,
                    filter,
                );
                controller.update_vehicle(self.settings.step_seconds, queries);
            }
            self.controllers[slot] = Some(controller);
        }
    }

    /// Drops the vehicles of an actor that is about to go.
    pub(super) fn forget_vehicles(&mut self, actor: ActorId) {
        let controllers = &mut self.controllers;
        self.vehicles.retain(|id, vehicle| {
            let is_kept = vehicle.actor != actor.to_bits();
            if !is_kept {
                controllers[id.index() as usize] = None;
            }
            is_kept
        });
    }
}

fn check(wheel: &Wheel) -> Result<(), PhysicsError> {
    finite("the place of a wheel", wheel.at)?;
    number("the radius of a wheel", wheel.radius, 1e-3..=1e3, "0.001 to 1000 metres")?;
    number("the rest of a spring", wheel.rest, 1e-3..=1e3, "0.001 to 1000 metres")?;
    number("the travel of a spring", wheel.travel, 0.0..=1e3, "0 to 1000 metres")?;
    number("the stiffness of a spring", wheel.stiffness, 0.0..=1e6, "0 to 1e6")?;
    number("the force of a spring", wheel.force_max, 0.0..=1e12, "0 to 1e12 newton")?;
    for share in [wheel.compression, wheel.relaxation, wheel.grip, wheel.side_grip] {
        number("the damping or the grip of a wheel", share, 0.0..=1e4, "0 to 10 000")?;
    }
    Ok(())
}
