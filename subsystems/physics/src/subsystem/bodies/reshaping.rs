//! Collisions that change while a game runs: live actors get their shapes.

use loligo_ids::IdString64;
use loligo_interface::SubsystemError;

use super::making::template_of;
use super::{Bodies, Owner};
use crate::actor::ActorId;
use crate::collision::Collision;
use crate::settings::ActorKind;
use crate::subsystem::assets::Assets;
use crate::subsystem::said;

impl Bodies<'_> {
    /// Gives live actors the shapes of collisions that were loaded again since the last update, with what
    /// the settings of now say of them. An actor for which they are refused keeps those that it has.
    pub(crate) fn reshape(&mut self, assets: &mut Assets<'_>) -> Result<(), SubsystemError> {
        if !assets.has_replaced() {
            return Ok(());
        }
        let mut done = Ok(());
        for at in 0..self.owners.len() {
            let Some(owner) = self.owners[at] else { continue };
            let [low, high] = owner.collision.map(u64::from);
            let name = IdString64::from_hash(low | high << 32);
            // One that is not loaded any more changes nothing.
            if let Some(id) = owner.actor
                && let Some(before) = assets.collision_before(name)
                && let Some(now) = assets.collision(name)
            {
                done = done.and(self.reshape_one(&owner, id, [&before, &now], assets));
            }
        }
        assets.forget_replaced();
        done
    }

    fn reshape_one(
        &mut self,
        owner: &Owner,
        id: ActorId,
        [before, now]: [&Collision<'_>; 2],
        assets: &Assets<'_>,
    ) -> Result<(), SubsystemError> {
        let Some(settings) = assets.settings() else { return Ok(()) };
        let (mut shapes, is_continuous) = self.shapes_of(now, &settings)?;
        let world = &mut self.world;
        // What a script has set stays where the collision does not say something else.
        let templates =
            before.parts().zip(now.parts()).map(|(old, new)| [old.template, new.template]);
        for (number, (shape, [old, new])) in (0..).zip(shapes.iter_mut().zip(templates)) {
            if old == new
                && let Ok(filter) = world.shape_filter(id, number)
            {
                shape.filter = filter;
            }
        }
        let template = template_of(&settings, owner.template);
        let weighs = world.mass(id).map_err(said)?;
        // Where its template states a mass, it keeps the one it has: a script may have set another.
        let stated = if weighs > 0.0 { weighs } else { template.mass };
        let mass = (template.mass > 0.0).then_some(stated);
        world.set_shapes(id, &shapes, mass).map_err(said)?;
        match world.kind(id) {
            Ok(ActorKind::Dynamic) => world.set_continuous(id, is_continuous).map_err(said),
            _ => Ok(()),
        }
    }
}
