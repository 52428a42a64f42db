//! What is in the way: at once, or as a batch on all threads.

use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_entities::Pose;
use loligo_tasks::{WaitError, Worker};
use rapier3d::parry::query::ShapeCastOptions;
use rapier3d::parry::shape::Ball;
use rapier3d::prelude::{
    Collider, ColliderHandle, InteractionTestMode, QueryFilter, QueryFilterFlags, QueryPipeline,
    Ray,
};
use rapier3d::prelude::{Group, InteractionGroups, Pose as Placement, Shape as Form};

use super::PhysicsWorld;
use super::forms::form;
use super::marks::{ShapeMark, placement};
use crate::actor::ActorId;
use crate::cast::{CastHit, CastRules, RayCast};
use crate::checked::{finite, number, pose};
use crate::error::PhysicsError;
use crate::geometry::Geometry;

/// How many casts a task does at least.
const GRAIN: usize = 32;

impl<A: Allocator + ?Sized> PhysicsWorld<'_, A> {
    /// Casts a ray, or a sphere along it, and returns what it meets first; a hit of nothing if it
    /// meets nothing.
    ///
    /// Casts see the world as it was at the end of the last step: what was created, put elsewhere or
    /// disabled since is seen after the next one.
    ///
    /// # Complexity
    ///
    /// About O(log actors).
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if a number is not finite, the direction has no length, or the radius is below
    /// 0.
    pub fn cast_ray(&self, cast: &RayCast) -> Result<CastHit, PhysicsError> {
        let (from, direction) = check(cast)?;
        Ok(self.ray(cast, from, direction))
    }

    /// Casts many rays: one hit for each, in the same order. With a worker all threads help; the
    /// hits are the same.
    ///
    /// A cast that [`cast_ray`](Self::cast_ray) refuses meets nothing.
    ///
    /// # Errors
    ///
    /// [`WaitError`] if a task has panicked. There is a hit for each cast up to the fewer of both
    /// slices.
    pub fn cast_rays(
        &self,
        casts: &[RayCast],
        hits: &mut [CastHit],
        worker: Option<&Worker<'_>>,
    ) -> Result<(), WaitError>
    where
        A: Sync,
    {
        let count = casts.len().min(hits.len());
        let (casts, hits) = (&casts[..count], &mut hits[..count]);
        let each = |first: usize, hits: &mut [CastHit]| {
            within_site(|| {
                for (cast, hit) in casts[first..].iter().zip(hits) {
                    *hit = self.cast_ray(cast).unwrap_or_default();
                }
            });
        };
        match worker {
            Some(worker) => worker.parallel_for_each_mut(&"cast rays", hits, GRAIN, each),
            None => {
                each(0, hits);
                Ok(())
            }
        }
    }

    /// Moves a form from a pose along a way, and returns what it meets first. The form's size is that
    /// of the pose's scale.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if the form or a number is refused.
    pub fn cast_form(
        &self,
        geometry: &Geometry<'_>,
        from: &Pose,
        way: Vec3,
        rules: &CastRules,
    ) -> Result<CastHit, PhysicsError> {
        finite("the way of the cast", way)?;
        let from = pose(from)?;
        let form = form(geometry, from.scale)?;
        let length = way.length();
        let direction = way.try_normalize().unwrap_or(Vec3::Y);
        Ok(self.sweep(&*form.0, placement(&from), direction, length, rules))
    }

    /// Appends the actors that a form overlaps, each once, in the order of their ids.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if the form or a number is refused, or there is no memory.
    pub fn overlap<B: Allocator + ?Sized>(
        &self,
        geometry: &Geometry<'_>,
        at: &Pose,
        rules: &CastRules,
        actors: &mut Array<'_, ActorId, B>,
    ) -> Result<(), PhysicsError> {
        let at = pose(at)?;
        let form = form(geometry, at.scale)?;
        let first = actors.len();
        let queries = self.queries(rules);
        for (_, collider) in queries.intersect_shape(placement(&at), &*form.0) {
            let mark = ShapeMark::unpack(collider.user_data);
            if let Some(id) = ActorId::from_bits(mark.actor) {
                actors.try_push(id)?;
            }
        }
        actors[first..].sort_unstable();
        let mut last = None;
        let mut place = 0;
        actors.retain(|id| {
            let is_new = place < first || last != Some(*id);
            (place, last) = (place + 1, Some(*id));
            is_new
        });
        Ok(())
    }

    fn ray(&self, cast: &RayCast, from: Vec3, direction: Vec3) -> CastHit {
        if cast.radius > 0.0 {
            let ball = Ball::new(cast.radius);
            let at = Placement::from_translation(from);
            return self.sweep(&ball, at, direction, cast.distance, &cast.rules);
        }
        // The nearest without its normal: that walk of the tree compares four numbers at a time, and one
        // normal is computed in place of one for each shape that is nearer than those before it.
        let queries = self.queries(&cast.rules);
        let ray = Ray::new(from, direction);
        let Some((handle, distance)) = queries.cast_ray(&ray, cast.distance, true) else {
            return CastHit::default();
        };
        let Some(collider) = self.simulation.colliders.get(handle) else {
            return CastHit::default();
        };
        let (form, at) = (collider.shape(), collider.position());
        let hit = form.cast_ray_and_get_normal(at, &ray, cast.distance, true);
        let (distance, normal) =
            hit.map_or((distance, Vec3::ZERO), |hit| (hit.time_of_impact, hit.normal));
        let normal = normal.try_normalize().unwrap_or(-direction);
        hit_of(collider, distance, from + direction * distance, normal)
    }

    fn sweep(
        &self,
        form: &dyn Form,
        from: Placement,
        direction: Vec3,
        distance: f32,
        rules: &CastRules,
    ) -> CastHit {
        let options = ShapeCastOptions::with_max_time_of_impact(distance);
        let queries = self.queries(rules);
        let Some((handle, hit)) = queries.cast_shape(&from, direction, form, options) else {
            return CastHit::default();
        };
        // The normal and the place at what was met are those of the world.
        let normal = hit.normal1.try_normalize().unwrap_or(-direction);
        self.hit(handle, hit.time_of_impact, hit.witness1, normal)
    }

    fn hit(&self, handle: ColliderHandle, distance: f32, point: Vec3, normal: Vec3) -> CastHit {
        let collider = self.simulation.colliders.get(handle);
        collider.map_or_else(CastHit::default, |of| hit_of(of, distance, point, normal))
    }

    pub(super) fn queries(&self, rules: &CastRules) -> QueryPipeline<'_> {
        let simulation = &self.simulation;
        simulation.broad_phase.as_query_pipeline(
            simulation.narrow_phase.query_dispatcher(),
            &simulation.bodies,
            &simulation.colliders,
            self.filter(rules),
        )
    }

    pub(super) fn filter<'f>(&self, rules: &CastRules) -> QueryFilter<'f> {
        let flags = [
            (CastRules::TRIGGERS, QueryFilterFlags::EXCLUDE_SENSORS),
            (CastRules::STATIC, QueryFilterFlags::EXCLUDE_FIXED),
            (CastRules::KINEMATIC, QueryFilterFlags::EXCLUDE_KINEMATIC),
            (CastRules::DYNAMIC, QueryFilterFlags::EXCLUDE_DYNAMIC),
        ];
        let flags = flags.into_iter().filter(|(bit, _)| rules.passes & bit != 0);
        let [groups, meets] = [rules.groups, rules.meets].map(Group::from_bits_retain);
        let ignored = ActorId::from_bits(rules.ignored).and_then(|id| self.handle(id).ok());
        QueryFilter {
            flags: flags.fold(QueryFilterFlags::empty(), |all, (_, flag)| all | flag),
            groups: Some(InteractionGroups::new(groups, meets, InteractionTestMode::And)),
            exclude_rigid_body: ignored,
            ..QueryFilter::default()
        }
    }
}

/// Runs casts of a thread within the site to which an engine charges what the simulation allocates.
fn within_site(work: impl FnOnce()) {
    #[cfg(feature = "subsystem")]
    crate::site::RAPIER.run(work);
    #[cfg(not(feature = "subsystem"))]
    work();
}

fn hit_of(collider: &Collider, distance: f32, point: Vec3, normal: Vec3) -> CastHit {
    let mark = ShapeMark::unpack(collider.user_data);
    CastHit {
        actor: mark.actor,
        entity: mark.entity,
        shape: mark.shape,
        material: mark.material,
        distance,
        point: point.to_array(),
        normal: normal.to_array(),
    }
}

/// Returns where a cast begins and the direction of length 1.
fn check(cast: &RayCast) -> Result<(Vec3, Vec3), PhysicsError> {
    let (from, direction) = (Vec3::from_array(cast.from), Vec3::from_array(cast.direction));
    finite("the beginning of the ray", from)?;
    finite("the direction of the ray", direction)?;
    number("the length of the ray", cast.distance, 0.0..=1e9, "0 to 1e9 metres")?;
    number("the radius of the cast", cast.radius, 0.0..=1e6, "0 to 1e6 metres")?;
    let none = PhysicsError::Number { what: "the direction's length", must: "above 0", found: 0.0 };
    Ok((from, direction.try_normalize().ok_or(none)?))
}
