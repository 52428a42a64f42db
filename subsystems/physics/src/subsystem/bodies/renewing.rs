//! Settings that change while a game runs: live actors are as those of now say.

use loligo_ids::IdString64;
use loligo_interface::SubsystemError;

use super::making::template_of;
use super::{Bodies, Owner};
use crate::actor::ActorId;
use crate::error::PhysicsError;
use crate::settings::{ActorKind, ActorTemplate, Settings, ShapeTemplate};
use crate::subsystem::assets::Assets;
use crate::subsystem::said;

impl Bodies<'_> {
    /// Has live actors be as settings say that have changed: what of their templates, materials and
    /// groups is another. What a script has set stays where the settings did not change it. The kind of an
    /// actor, and whether a shape is a trigger or silent, are those of when it was made.
    pub(crate) fn renew(&mut self, assets: &Assets<'_>) -> Result<(), SubsystemError> {
        let (Some(before), Some(now)) = (assets.settings_before(), assets.settings()) else {
            return Ok(());
        };
        let mut done = Ok(());
        for at in 0..self.owners.len() {
            let Some(owner) = self.owners[at] else { continue };
            let Some(id) = owner.actor else { continue };
            done = done.and(self.renew_one(&owner, id, [&before, &now], assets));
        }
        done.map_err(said)
    }

    fn renew_one(
        &mut self,
        owner: &Owner,
        id: ActorId,
        [before, now]: [&Settings<'_>; 2],
        assets: &Assets<'_>,
    ) -> Result<(), PhysicsError> {
        let world = &mut self.world;
        let mut density_changed = false;
        let mut continuous = [false; 2];
        let [low, high] = owner.collision.map(u64::from);
        let name = IdString64::from_hash(low | high << 32);
        // It has the shapes of another collision until the next update, if that was loaded again.
        let collision = assets.collision_before(name).or_else(|| assets.collision(name));
        let count = world.shape_count(id)?;
        let parts = collision.iter().flat_map(|collision| collision.parts());
        for (shape, part) in (0..count).zip(parts) {
            let templates = (before.shape(part.template), now.shape(part.template));
            let (Some(old), Some(new)) = templates else { continue };
            continuous[0] |= old.has(ShapeTemplate::CONTINUOUS);
            continuous[1] |= new.has(ShapeTemplate::CONTINUOUS);
            if old.filter != new.filter {
                world.set_filter(id, shape, new.filter)?;
            }
            if old.surface != new.surface {
                world.set_surface(id, shape, new.surface)?;
                density_changed = true;
            }
        }
        if world.kind(id)? != ActorKind::Dynamic {
            return Ok(());
        }
        let [old, new] = [before, now].map(|settings| template_of(settings, owner.template));
        if new.mass > 0.0 && (density_changed || old.mass != new.mass) {
            world.set_mass(id, new.mass)?;
        }
        if continuous[0] != continuous[1] {
            world.set_continuous(id, continuous[1])?;
        }
        if old.gravity_scale != new.gravity_scale {
            world.set_gravity_scale(id, new.gravity_scale)?;
        }
        let damping = |of: &ActorTemplate| [of.linear_damping, of.angular_damping];
        if damping(&old) != damping(&new) {
            world.set_damping(id, damping(&new))?;
        }
        let is_sleepless = new.has(ActorTemplate::SLEEPLESS);
        if old.has(ActorTemplate::SLEEPLESS) != is_sleepless {
            world.set_sleepless(id, is_sleepless)?;
        }
        Ok(())
    }
}
