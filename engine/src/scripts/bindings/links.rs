//! Parents and children: the trees of transforms, for scripts.

use loligo_entities::Entity;
use loligo_script::{Call, Kind};

use super::{Done, ENTITY, Own, alive, alive_in};
use crate::world::World;

pub(super) const TWO: &[Kind] = &[Kind::Id(ENTITY), Kind::Id(ENTITY)];
pub(super) const ONE: &[Kind] = &[Kind::Id(ENTITY)];

pub(super) fn parent(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let entity = alive_in(world, call)?;
    call.return_optional_id(world.transforms().parent(entity).map(Entity::to_bits));
    Ok(())
}

pub(super) fn link(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let entity = alive_in(world, call)?;
    let parent = alive(world, Own::new(call.id(1)));
    let parent = parent.map_err(|why| call.refuse(format_args!("{why}")))?;
    hang(world, call, entity, Some(parent))
}

pub(super) fn unlink(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let entity = alive_in(world, call)?;
    hang(world, call, entity, None)
}

fn hang(
    world: &mut World<'_>,
    call: &mut Call<'_>,
    entity: Entity,
    parent: Option<Entity>,
) -> Done {
    let linked = world.transforms_mut().link(entity, parent);
    linked.map_err(|error| call.refuse(format_args!("{error}")))
}
