//! Actors that are made: a stated number of static ones in each update, in the order of their spawns.

use loligo_containers::Array;
use loligo_entities::{Entity, Pose};
use loligo_ids::IdString32;
use loligo_interface::{Places, SubsystemError, SubsystemMemory};

use super::placing::world_pose;
use super::{Bodies, Owner, Pending, STATIC_ACTORS_AN_UPDATE};
use crate::actor::{ActorDescription, Shape};
use crate::collision::Collision;
use crate::settings::{ActorKind, ActorTemplate, Settings, ShapeTemplate};
use crate::subsystem::assets::Assets;
use crate::subsystem::said;
use crate::subsystem::saved::TORN;

impl<'m> Bodies<'m> {
    /// Makes the actors of entities that are new, where these are: as many as an update makes.
    pub(crate) fn prepare(
        &mut self,
        assets: &Assets<'_>,
        places: &dyn Places,
    ) -> Result<(), SubsystemError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        // They are checked where they are opened, so once for all.
        let settings = assets.settings();
        let mut made = self.sort_new(settings.as_ref());
        let (mut count, mut statics) = (0, 0);
        while let Some(pending) = self.pending.get(count).copied() {
            let is_static = kind_of(settings.as_ref(), &pending) == ActorKind::Static;
            if is_static && statics == STATIC_ACTORS_AN_UPDATE {
                break;
            }
            statics += usize::from(is_static);
            count += 1;
            made = made.and(self.make(&pending, settings.as_ref(), assets, places));
        }
        self.pending.drain(..count);
        self.sorted = self.pending.len();
        made
    }

    /// Puts the static ones of what was spawned since the last update first.
    fn sort_new(&mut self, settings: Option<&Settings<'_>>) -> Result<(), SubsystemError> {
        let mut moving = Array::new_in(self.memory());
        let first = self.sorted;
        moving.try_reserve(self.pending.len() - first)?;
        let mut place = 0;
        self.pending.retain(|pending| {
            place += 1;
            let stays = place <= first || kind_of(settings, pending) == ActorKind::Static;
            // There is room for all.
            stays || moving.try_push(*pending).is_err()
        });
        Ok(self.pending.try_extend_from_slice(&moving)?)
    }

    fn make(
        &mut self,
        pending: &Pending,
        settings: Option<&Settings<'_>>,
        assets: &Assets<'_>,
        places: &dyn Places,
    ) -> Result<(), SubsystemError> {
        let entity = Entity::from_bits(pending.entity).ok_or(TORN)?;
        let index = entity.index() as usize;
        // It is put back once the actor is there.
        self.owners[index] = None;
        let wrong = |what, remedy| SubsystemError::Wrong { what, remedy };
        let source = &pending.source;
        let settings = settings
            .ok_or(wrong("there are actors and no settings of physics", "write `game.physics`"))?;
        let template = template_of(settings, source.template);
        let pose = world_pose(places, entity).ok_or(wrong(
            "an entity with an actor has no transform",
            "give it the component `transform`",
        ))?;
        let missing =
            wrong("an actor has no collision that is loaded", "compile the project again");
        let name = source.collision.name().ok_or(missing)?;
        let collision = assets.collision(name).ok_or(missing)?;
        let (shapes, is_continuous) = self.shapes_of(&collision, settings)?;
        let description = ActorDescription {
            entity: Some(entity),
            velocity: source.velocity.into(),
            turning: source.spin.into(),
            mass: (template.mass > 0.0).then_some(template.mass),
            gravity_scale: template.gravity_scale,
            damping: template.linear_damping,
            turning_damping: template.angular_damping,
            is_continuous,
            is_asleep: template.has(ActorTemplate::ASLEEP),
            is_sleepless: template.has(ActorTemplate::SLEEPLESS),
            ..ActorDescription::new(template.kind, pose, &shapes)
        };
        self.parented.try_reserve(1)?;
        self.followers.try_reserve(1)?;
        let id = self.world.create_actor(&description).map_err(said)?;
        self.owners[index] = Some(Owner { actor: Some(id), ..Owner::waiting(entity, source) });
        let list = match template.kind {
            ActorKind::Kinematic => Some(&mut self.followers),
            ActorKind::Dynamic if pending.has_parent != 0 => Some(&mut self.parented),
            ActorKind::Dynamic | ActorKind::Static => None,
        };
        if let Some(list) = list
            && let Err(at) = list.binary_search(&entity)
        {
            // There is room.
            list.try_insert(at, entity)?;
        }
        match source.is_disabled {
            0 => Ok(()),
            _ => self.world.set_enabled(id, false).map_err(said),
        }
    }

    /// Returns the shapes of a collision with what their templates say, and whether one is continuous.
    pub(super) fn shapes_of<'b>(
        &self,
        collision: &Collision<'b>,
        settings: &Settings<'_>,
    ) -> Result<(Array<'m, Shape<'b>, SubsystemMemory<'m>>, bool), SubsystemError> {
        let mut shapes = Array::new_in(self.memory());
        let mut is_continuous = false;
        for part in collision.parts() {
            let of = settings.shape(part.template).ok_or(SubsystemError::Wrong {
                what: "a shape has a template that the settings do not have",
                remedy: "compile the project again",
            })?;
            is_continuous |= of.has(ShapeTemplate::CONTINUOUS);
            let pose =
                Pose { position: part.position, rotation: part.rotation, scale: glam::Vec3::ONE };
            shapes.try_push(shape_of(Shape { pose, ..Shape::new(part.geometry) }, &of))?;
        }
        Ok((shapes, is_continuous))
    }

    /// Drops what waits and was removed.
    pub(super) fn forget_pending(&mut self) {
        let owners = &self.owners;
        let (first, mut place, mut kept) = (self.sorted, 0, 0);
        self.pending.retain(|pending| {
            place += 1;
            let is_kept = Entity::from_bits(pending.entity).is_some_and(|entity| {
                let owner = owners.get(entity.index() as usize).copied().flatten();
                owner.is_some_and(|owner| owner.entity == entity && owner.actor.is_none())
            });
            kept += usize::from(is_kept && place <= first);
            is_kept
        });
        self.sorted = kept;
    }
}

/// Returns a shape with what its template says.
pub(crate) fn shape_of<'d>(shape: Shape<'d>, of: &ShapeTemplate) -> Shape<'d> {
    Shape {
        filter: of.filter,
        surface: of.surface,
        is_trigger: of.has(ShapeTemplate::TRIGGER),
        sends_touches: !of.has(ShapeTemplate::SILENT),
        ..shape
    }
}

/// Returns the kind that an actor will be of.
fn kind_of(settings: Option<&Settings<'_>>, pending: &Pending) -> ActorKind {
    settings.map_or(ActorKind::Static, |of| template_of(of, pending.source.template).kind)
}

/// Returns the template of a name; without one, something dynamic.
pub(crate) fn template_of(settings: &Settings<'_>, name: u32) -> ActorTemplate {
    let name = IdString32::from_hash(name);
    settings.actor(name).unwrap_or(ActorTemplate {
        name,
        kind: ActorKind::Dynamic,
        flags: 0,
        mass: 0.0,
        linear_damping: 0.0,
        angular_damping: 0.0,
        gravity_scale: 1.0,
    })
}
