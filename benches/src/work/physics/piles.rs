//! The pile of boxes by plain calls of rapier3d: of the version below ours, and of the version before it,
//! whose features are free.

use glam::Vec3;
use loligo_physics::WorldSettings;

use super::scene::{BOXES, DENSITY, FRICTION, HALF, STEPS_BEFORE, place};

/// Defines a module that makes the pile with one version of rapier3d.
macro_rules! pile_of {
    ($(#[$attribute:meta])* $name:ident, $rapier:ident) => {
        $(#[$attribute])*
        pub(super) mod $name {
            use $rapier::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder};

            use super::{BOXES, DENSITY, FRICTION, HALF, STEPS_BEFORE, Vec3, WorldSettings, place};

            /// Returns a world with the settings of ours, and a floor.
            pub(in crate::work::physics) fn world() -> PhysicsWorld {
                let settings = WorldSettings::default();
                let mut world = PhysicsWorld::new();
                world.integration_parameters.dt = settings.step_seconds;
                world.integration_parameters.num_solver_iterations = settings.solver_rounds as usize;
                world.gravity = settings.gravity;
                let floor = RigidBodyBuilder::fixed().translation(Vec3::new(0.0, -0.5, 0.0)).build();
                let floor = world.bodies.insert(floor);
                world.insert_collider(collider(Vec3::new(50.0, 0.5, 50.0)).build(), Some(floor));
                world
            }

            fn collider(half: Vec3) -> ColliderBuilder {
                ColliderBuilder::cuboid(half.x, half.y, half.z).friction(FRICTION).density(DENSITY)
            }

            pub(in crate::work::physics) fn put_boxes(world: &mut PhysicsWorld) {
                for at in 0..BOXES {
                    let body = RigidBodyBuilder::dynamic().translation(place(at));
                    let body = world.bodies.insert(body.can_sleep(false).build());
                    world.insert_collider(collider(Vec3::splat(HALF)).build(), Some(body));
                }
            }

            /// Returns the pile after it has come down.
            pub(in crate::work::physics) fn pile() -> PhysicsWorld {
                let mut world = world();
                put_boxes(&mut world);
                (0..STEPS_BEFORE).for_each(|_| world.step());
                world
            }
        }
    };
}

pile_of!(plain, rapier3d);
pile_of!(
    #[cfg(feature = "peers-all")]
    wide,
    rapier3d_wide
);
