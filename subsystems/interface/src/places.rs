//! Where entities are, for a subsystem that does not keep them.

use glam::Affine3A;
use loligo_entities::{Entity, Pose};

/// Reads and sets where entities are. The manager of transforms is another subsystem's, so what
/// moves entities has this.
pub trait Places {
    /// Returns the pose of an entity in the space of its parent; `None` if it has none.
    fn pose(&self, entity: Entity) -> Option<Pose>;

    /// Returns the parent of an entity; `None` if it has none, or where nothing has parents.
    fn parent(&self, entity: Entity) -> Option<Entity> {
        let _ = entity;
        None
    }

    /// Returns the matrix of an entity, as it was computed last; `None` if it has none.
    fn matrix(&self, entity: Entity) -> Option<Affine3A>;

    /// Sets the poses of entities in the spaces of their parents; entities without one are passed
    /// over. O(entities).
    ///
    /// # Panics
    ///
    /// If there are not as many poses as entities.
    fn set_poses(&mut self, entities: &[Entity], poses: &[Pose]);
}
