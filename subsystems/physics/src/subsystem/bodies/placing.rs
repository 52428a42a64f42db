//! Where entities and their actors are: the one in spaces of parents, the other in the world.

use glam::Affine3A;
use loligo_entities::{Entity, Pose};
use loligo_interface::{Places, SubsystemError};

use super::Bodies;
use crate::subsystem::said;

/// What moves further than this in a step was put there, and pushes nothing on its way, in metres.
const LEAP: f32 = 2.0;

/// Returns where an entity is in the world; `None` if it has no transform.
pub(crate) fn world_pose(places: &dyn Places, entity: Entity) -> Option<Pose> {
    let own = places.pose(entity)?;
    let Some(parent) = places.parent(entity) else { return Some(own) };
    let matrix = matrix_of(places, parent) * own.matrix();
    let (scale, rotation, position) = matrix.to_scale_rotation_translation();
    Some(Pose { position, rotation: rotation.normalize(), scale })
}

/// Returns the pose that an entity has in the space of its parent where it is at a pose of the world. It
/// stays as large as it is.
fn seen_from_parent(places: &dyn Places, entity: Entity, pose: &Pose) -> Pose {
    let Some(parent) = places.parent(entity) else { return *pose };
    let matrix = matrix_of(places, parent).inverse() * pose.matrix();
    let (scale, rotation, position) = matrix.to_scale_rotation_translation();
    let scale = places.pose(entity).map_or(scale, |own| own.scale);
    let seen = Pose { position, rotation: rotation.normalize(), scale };
    // A parent without an extent has no inverse.
    if position.is_finite() && seen.rotation.is_finite() { seen } else { *pose }
}

/// Returns the matrix of an entity by the poses of now, not by those of the last frame.
fn matrix_of(places: &dyn Places, entity: Entity) -> Affine3A {
    let pose = |entity| places.pose(entity).unwrap_or_default().matrix();
    let (mut matrix, mut at) = (pose(entity), entity);
    while let Some(parent) = places.parent(at) {
        (matrix, at) = (pose(parent) * matrix, parent);
    }
    matrix
}

impl Bodies<'_> {
    /// Has kinematic actors be where their entities are.
    pub(crate) fn follow(&mut self, places: &dyn Places) -> Result<(), SubsystemError> {
        for at in 0..self.followers.len() {
            let entity = self.followers[at];
            let Some(id) = self.find(entity) else { continue };
            let world = &mut self.world;
            // One that walks leads its entity.
            if world.is_written(id) != Ok(false) {
                continue;
            }
            let Some(pose) = world_pose(places, entity) else { continue };
            let here = world.pose(id).map_err(said)?;
            let way = here.position.distance(pose.position);
            let followed = match way > LEAP {
                true => world.teleport(id, &pose),
                false if way > 0.0 || here.rotation != pose.rotation => world.move_to(id, &pose),
                false => Ok(()),
            };
            followed.map_err(said)?;
        }
        Ok(())
    }

    /// Writes where the entities are that the world moves, from where actors are between two steps.
    pub(crate) fn write_places(
        &self,
        moved: &[Entity],
        poses: &mut [Pose],
        share: f32,
        places: &mut dyn Places,
    ) {
        for (entity, pose) in moved.iter().zip(poses.iter_mut()) {
            *pose = seen_from_parent(places, *entity, pose);
        }
        places.set_poses(moved, poses);
        // Parents may have moved, among them those of actors that rest.
        for entity in &self.parented {
            let Some(id) = self.find(*entity) else { continue };
            if let Ok(pose) = self.world.pose_between(id, share) {
                let seen = seen_from_parent(places, *entity, &pose);
                places.set_poses(&[*entity], &[seen]);
            }
        }
    }
}
