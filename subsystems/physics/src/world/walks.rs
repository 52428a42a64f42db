//! Characters that walk.

use std::vec::Vec;

use glam::Vec3;
use loligo_allocators::Allocator;
use rapier3d::control::{
    CharacterAutostep, CharacterCollision, CharacterLength, KinematicCharacterController,
};
use rapier3d::parry::query::ShapeCastOptions;
use rapier3d::prelude::{Pose as Placement, SharedShape};

use super::PhysicsWorld;
use super::marks::ShapeMark;
use crate::actor::ActorId;
use crate::cast::CastRules;
use crate::checked::{finite, number};
use crate::error::PhysicsError;
use crate::mover::{Mover, Walk};
use crate::settings::ActorKind;

impl<A: Allocator + ?Sized> PhysicsWorld<'_, A> {
    /// Has a kinematic actor walk by a way, with its first shape: it slides along walls, takes steps,
    /// stays on slopes and on floors that move, and pushes what is dynamic. It is there after the next
    /// step, so call it once before each.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor, it is not kinematic, or a number is refused.
    pub fn walk(&mut self, id: ActorId, mover: &Mover, way: Vec3) -> Result<Walk, PhysicsError> {
        finite("the way", way)?;
        let controller = controller(mover)?;
        if self.actor(id)?.kind() != ActorKind::Kinematic {
            return Err(PhysicsError::Kind { what: "walking", must: "kinematic actors" });
        }
        let missing = PhysicsError::Shape { shape: 0, reason: "there is none to walk with" };
        let handle = *self.body(id)?.colliders().first().ok_or(missing)?;
        let collider = self.simulation.colliders.get(handle).ok_or(missing)?;
        let (form, at) = (collider.shared_shape().clone(), *collider.position());
        let rules = CastRules {
            groups: mover.filter.groups,
            meets: mover.filter.meets,
            ignored: id.to_bits(),
            passes: CastRules::TRIGGERS,
        };
        let ground = self.ground(&form, at, mover, &rules);
        let mut met: Vec<CharacterCollision> = Vec::new();
        let seconds = self.settings.step_seconds;
        let made = controller.move_shape(
            seconds,
            &self.queries(&rules),
            &*form.0,
            &at,
            way,
            |collision| met.push(collision),
        );
        if mover.mass > 0.0 {
            self.push(&controller, mover.mass, &form, &rules, &met);
        }
        let body = self.body_mut(id)?;
        let target = body.position().translation + made.translation;
        body.set_next_kinematic_translation(target);
        Ok(Walk {
            way: made.translation,
            is_grounded: made.grounded,
            is_sliding: made.is_sliding_down_slope,
            ground: ground.filter(|_| made.grounded),
        })
    }

    /// Returns what is below the feet. What is kinematic there carries the character along, which the
    /// controller sees to.
    fn ground(
        &self,
        form: &SharedShape,
        at: Placement,
        mover: &Mover,
        rules: &CastRules,
    ) -> Option<ActorId> {
        let options = ShapeCastOptions::with_max_time_of_impact(mover.gap * 2.0 + mover.snap);
        let queries = self.queries(rules);
        let (handle, _) = queries.cast_shape(&at, -mover.up, &*form.0, options)?;
        let mark = ShapeMark::unpack(self.simulation.colliders.get(handle)?.user_data);
        ActorId::from_bits(mark.actor)
    }

    fn push(
        &mut self,
        controller: &KinematicCharacterController,
        mass: f32,
        form: &SharedShape,
        rules: &CastRules,
        met: &[CharacterCollision],
    ) {
        let (seconds, filter) = (self.settings.step_seconds, self.filter(rules));
        let simulation = &mut self.simulation;
        let mut queries = simulation.broad_phase.as_query_pipeline_mut(
            simulation.narrow_phase.query_dispatcher(),
            &mut simulation.bodies,
            &mut simulation.colliders,
            filter,
        );
        controller.solve_character_collision_impulses(seconds, &mut queries, &*form.0, mass, met);
    }
}

fn controller(mover: &Mover) -> Result<KinematicCharacterController, PhysicsError> {
    finite("the direction away from the ground", mover.up)?;
    number(
        "the length of the direction away from the ground",
        mover.up.length(),
        0.99..=1.01,
        "1",
    )?;
    for slope in [mover.climb, mover.slide] {
        number("a slope", slope, 0.0..=core::f32::consts::FRAC_PI_2, "0 to pi / 2")?;
    }
    for length in [mover.step_height, mover.step_depth, mover.snap] {
        number(
            "the height or depth of a step, or the snap",
            length,
            0.0..=1e3,
            "0 to 1000 metres",
        )?;
    }
    number("the gap", mover.gap, 1e-4..=1.0, "0.0001 to 1 metre")?;
    number("the mass of the mover", mover.mass, 0.0..=1e9, "0 to 1e9 kilograms")?;
    let length = |length: f32| (length > 0.0).then_some(CharacterLength::Absolute(length));
    Ok(KinematicCharacterController {
        up: mover.up.normalize(),
        offset: CharacterLength::Absolute(mover.gap),
        slide: true,
        autostep: length(mover.step_height).map(|max_height| CharacterAutostep {
            max_height,
            min_width: CharacterLength::Absolute(mover.step_depth),
            include_dynamic_bodies: false,
        }),
        max_slope_climb_angle: mover.climb,
        min_slope_slide_angle: mover.slide,
        snap_to_ground: length(mover.snap),
        ..KinematicCharacterController::default()
    })
}
