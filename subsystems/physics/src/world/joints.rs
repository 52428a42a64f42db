//! Joints between actors.

use glam::{Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_entities::Pose;
use rapier3d::prelude::{GenericJoint, GenericJointBuilder, JointAxesMask, JointAxis, MotorModel};

use super::PhysicsWorld;
use super::joint_changes::{JointChange, UNKNOWN, WAITING};
use super::marks::placement;
use crate::actor::ActorId;
use crate::checked::{finite, number, pose};
use crate::error::PhysicsError;
use crate::joint::{Joint, JointDescription, JointId, JointKind, Motor, joint_frame};
use crate::settings::ActorKind;

impl<A: Allocator + ?Sized> PhysicsWorld<'_, A> {
    /// Creates a joint. It is destroyed with either of its actors.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`]: the description is refused, or there is no memory. Nothing was created.
    pub fn create_joint(
        &mut self,
        description: &JointDescription,
    ) -> Result<JointId, PhysicsError> {
        let [first, other] = description.actors;
        let kinds = [self.kind(first)?, self.kind(other)?];
        if first == other || !kinds.contains(&ActorKind::Dynamic) {
            let must = "two actors, of which one at least is dynamic";
            return Err(PhysicsError::Kind { what: "a joint", must });
        }
        let mut made = generic(description)?;
        let joint = Joint {
            handle: WAITING,
            kind: description.kind.number(),
            actors: [first.to_bits(), other.to_bits()],
        };
        let id =
            self.joints.insert(joint).map_err(|error| PhysicsError::insert("joints", error))?;
        made.user_data = id.to_bits().into();
        self.joint_changes.push(JointChange::Link(id.to_bits(), made));
        Ok(id)
    }

    /// Destroys a joint.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn destroy_joint(&mut self, id: JointId) -> Result<(), PhysicsError> {
        let joint = self.joints.remove(id).ok_or(UNKNOWN)?;
        self.unlink(id, &joint);
        Ok(())
    }

    /// Returns `true` if the id names a joint.
    #[must_use]
    pub fn contains_joint(&self, id: JointId) -> bool {
        self.joints.contains(id)
    }

    /// Returns how many joints there are.
    #[must_use]
    pub fn joint_count(&self) -> usize {
        self.joints.len()
    }

    /// Returns the frames of a joint in the spaces of two actors, from a place and an axis in the
    /// world.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor, or a number is not finite.
    pub fn joint_frames(
        &self,
        actors: [ActorId; 2],
        at: Vec3,
        axis: Vec3,
    ) -> Result<[Pose; 2], PhysicsError> {
        finite("the place of the joint", at)?;
        finite("the axis of the joint", axis)?;
        let frame = joint_frame(at, axis);
        let seen = |id| {
            let own = self.pose(id)?;
            let back = own.rotation.inverse();
            let position = back * (frame.position - own.position);
            Ok::<_, PhysicsError>(Pose {
                position,
                rotation: back * frame.rotation,
                scale: Vec3::ONE,
            })
        };
        Ok([seen(actors[0])?, seen(actors[1])?])
    }

    /// Sets what drives a hinge or a slider; `None` for nothing.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such joint, it is of another kind, or a number is refused.
    pub fn set_motor(&mut self, id: JointId, motor: Option<Motor>) -> Result<(), PhysicsError> {
        let axis = self.joint_axis("a motor", id)?;
        let motor = motor.unwrap_or_default();
        check_motor(&motor)?;
        drive(self.generic_mut(id)?, axis, &motor);
        Ok(())
    }

    /// Sets the least and the most that a hinge turns or a slider slides; `None` for no bounds.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such joint, it is of another kind, or a number is refused.
    pub fn set_limits(
        &mut self,
        id: JointId,
        limits: Option<[f32; 2]>,
    ) -> Result<(), PhysicsError> {
        let axis = self.joint_axis("a limit", id)?;
        let joint = self.generic_mut(id)?;
        match limits {
            Some(limits) => {
                check_limits(limits)?;
                joint.set_limits(axis, limits);
            }
            None => joint.limit_axes.remove(axis.into()),
        }
        Ok(())
    }

    /// Returns how far a hinge is turned, in radians from -pi to pi, or a slider has slid, in metres;
    /// the distance of the frames for others.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn joint_place(&self, id: JointId) -> Result<f32, PhysicsError> {
        let record = self.joints.get(id).ok_or(UNKNOWN)?;
        let joint = self.generic(id, record).ok_or(UNKNOWN)?;
        let frame = |actor, local: &rapier3d::prelude::Pose| {
            let actor = ActorId::from_bits(actor).ok_or(UNKNOWN)?;
            Ok::<_, PhysicsError>(*self.body(actor)?.position() * *local)
        };
        let first = frame(record.actors[0], &joint.local_frame1)?;
        let other = frame(record.actors[1], &joint.local_frame2)?;
        let between = first.inv_mul(&other);
        Ok(match record.kind {
            1 => angle(between.rotation),
            2 => between.translation.x,
            _ => between.translation.length(),
        })
    }

    fn joint_axis(&self, what: &'static str, id: JointId) -> Result<JointAxis, PhysicsError> {
        match self.joints.get(id).ok_or(UNKNOWN)?.kind {
            1 => Ok(JointAxis::AngX),
            2 => Ok(JointAxis::LinX),
            _ => Err(PhysicsError::Kind { what, must: "hinges and sliders" }),
        }
    }
}

/// Returns the angle of a rotation around x.
fn angle(rotation: Quat) -> f32 {
    let sign = if rotation.w < 0.0 { -1.0 } else { 1.0 };
    2.0 * libm::atan2f(rotation.x * sign, rotation.w * sign)
}

fn generic(description: &JointDescription) -> Result<GenericJoint, PhysicsError> {
    let frames = [pose(&description.frames[0])?, pose(&description.frames[1])?];
    let made = match description.kind {
        JointKind::Fixed => GenericJointBuilder::new(JointAxesMask::LOCKED_FIXED_AXES),
        JointKind::Hinge => GenericJointBuilder::new(JointAxesMask::LOCKED_REVOLUTE_AXES),
        JointKind::Slider => GenericJointBuilder::new(JointAxesMask::LOCKED_PRISMATIC_AXES),
        JointKind::Ball => GenericJointBuilder::new(JointAxesMask::LOCKED_SPHERICAL_AXES),
        JointKind::Spring { rest, stiffness, damping } => {
            number("the rest of the spring", rest, 1e-4..=1e6, "0.0001 to 1e6 metres")?;
            number("the stiffness of the spring", stiffness, 0.0..=1e12, "0 to 1e12")?;
            number("the damping of the spring", damping, 0.0..=1e12, "0 to 1e12")?;
            GenericJointBuilder::new(JointAxesMask::empty())
                .coupled_axes(JointAxesMask::LIN_AXES)
                .motor_position(JointAxis::LinX, rest, stiffness, damping)
                .motor_model(JointAxis::LinX, MotorModel::ForceBased)
        }
    };
    let mut made = made
        .local_frame1(placement(&frames[0]))
        .local_frame2(placement(&frames[1]))
        .contacts_enabled(description.collides)
        .build();
    let axes: &[JointAxis] = match description.kind {
        JointKind::Hinge => &[JointAxis::AngX],
        JointKind::Slider => &[JointAxis::LinX],
        JointKind::Ball => &[JointAxis::AngX, JointAxis::AngY, JointAxis::AngZ],
        JointKind::Fixed | JointKind::Spring { .. } => &[],
    };
    if let Some(limits) = description.limits {
        check_limits(limits)?;
        if axes.is_empty() {
            let must = "hinges, sliders and balls";
            return Err(PhysicsError::Kind { what: "a limit", must });
        }
        for axis in axes {
            made.set_limits(*axis, limits);
        }
    }
    if let Some(motor) = description.motor {
        check_motor(&motor)?;
        let ([axis], true) =
            (axes, matches!(description.kind, JointKind::Hinge | JointKind::Slider))
        else {
            return Err(PhysicsError::Kind { what: "a motor", must: "hinges and sliders" });
        };
        drive(&mut made, *axis, &motor);
    }
    Ok(made)
}

fn drive(joint: &mut GenericJoint, axis: JointAxis, motor: &Motor) {
    // That of accelerations divides by the inertia of a body around itself, not around the joint.
    joint.set_motor_model(axis, MotorModel::ForceBased);
    joint.set_motor(axis, motor.place, motor.speed, motor.stiffness, motor.damping);
    joint.set_motor_max_force(axis, motor.force_max);
    if motor.stiffness == 0.0 && motor.damping == 0.0 {
        joint.motor_axes.remove(axis.into());
    }
}

fn check_motor(motor: &Motor) -> Result<(), PhysicsError> {
    number("the speed of the motor", motor.speed, -1e6..=1e6, "-1e6 to 1e6")?;
    number("the place of the motor", motor.place, -1e6..=1e6, "-1e6 to 1e6")?;
    number("the stiffness of the motor", motor.stiffness, 0.0..=1e12, "0 to 1e12")?;
    number("the damping of the motor", motor.damping, 0.0..=1e12, "0 to 1e12")?;
    number("the force of the motor", motor.force_max, 0.0..=f32::MAX, "0 or above")
}

fn check_limits(limits: [f32; 2]) -> Result<(), PhysicsError> {
    number("the lower limit", limits[0], -1e6..=1e6, "-1e6 to 1e6")?;
    number("the upper limit", limits[1], limits[0]..=1e6, "the lower limit to 1e6")
}
