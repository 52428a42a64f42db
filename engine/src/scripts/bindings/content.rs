//! Packages that are loaded and unloaded, levels that are spawned, variants that are preferred.

use loligo_entities::{Entity, Pose};
use loligo_ids::IdString64;
use loligo_resources::PreferenceOrder;
use loligo_script::Call;

use super::{Done, ShownText};
use crate::world::World;

pub(super) fn spawn_level(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let pose = Pose::at(call.vector3(1));
    spawn_at(world, call, &pose)
}

pub(super) fn spawn_level_turned(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let pose = Pose { rotation: call.quaternion(2), ..Pose::at(call.vector3(1)) };
    spawn_at(world, call, &pose)
}

fn spawn_at(world: &mut World<'_>, call: &mut Call<'_>, pose: &Pose) -> Done {
    let name = IdString64::new(call.text(0)?);
    match world.spawn_level(name, pose) {
        Ok(Some(entity)) => {
            call.return_id(Entity::to_bits(entity));
            Ok(())
        }
        Ok(None) => {
            let name = ShownText::new(call.text(0)?);
            Err(call.refuse(format_args!(
                "no level `{name}` is loaded; load a package that has it, and ask Package.is_loaded before"
            )))
        }
        Err(error) => Err(call.refuse(format_args!("{error}"))),
    }
}

pub(super) fn load_package(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let name = IdString64::new(call.text(0)?);
    world.load_package(name).map_err(|error| call.refuse(format_args!("{error}")))
}

pub(super) fn unload_package(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let name = IdString64::new(call.text(0)?);
    let was_wanted = world.unload_package(name);
    call.return_bool(was_wanted);
    Ok(())
}

pub(super) fn is_package_loaded(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let name = IdString64::new(call.text(0)?);
    call.return_bool(world.is_package_loaded(name));
    Ok(())
}

pub(super) fn prefer(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let order = PreferenceOrder::parse(call.text(0)?);
    world.prefer(order.map_err(|error| call.refuse(format_args!("{error}")))?);
    Ok(())
}

pub(super) fn preferred(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    call.return_text(world.preferred().as_str())
}

pub(super) fn flush_packages(world: &mut World<'_>) {
    world.flush_packages();
}
