//! What scripts make entities by.

use loligo_containers::Array;
use loligo_entities::Pose;
use loligo_ids::IdString64;
use loligo_resources::DebugName;
use loligo_script::{ArgumentError, Call};

use glam::Vec3;

use super::Done;
use crate::memory::SharedAllocator;
use crate::world::World;

/// Numbers that are copied at a time: whole positions.
const PIECE: usize = 3 * 64;

pub(super) fn spawn(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let position = call.vector3(1);
    spawn_at(world, call, &Pose::at(position))
}

pub(super) fn spawn_turned(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let (position, rotation) = (call.vector3(1), call.quaternion(2));
    spawn_at(world, call, &Pose { position, rotation, ..Pose::IDENTITY })
}

fn spawn_at(world: &mut World<'_>, call: &mut Call<'_>, pose: &Pose) -> Done {
    let name = IdString64::new(call.text(0)?);
    match world.spawn_named(name, pose) {
        Ok(Some(entity)) => {
            call.return_id(entity.to_bits());
            Ok(())
        }
        Ok(None) => Err(not_loaded(call)),
        Err(error) => Err(call.refuse(format_args!("{error}"))),
    }
}

pub(super) fn spawn_many(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let name = IdString64::new(call.text(0)?);
    let mut poses = world.take_poses();
    let spawned = match take_positions(call, &mut poses) {
        Ok(()) => match world.spawn_all_named(name, &poses) {
            Ok(Some(count)) => {
                call.return_number(count as f64);
                Ok(())
            }
            Ok(None) => Err(not_loaded(call)),
            Err(error) => Err(call.refuse(format_args!("{error}"))),
        },
        Err(refused) => Err(refused),
    };
    world.put_back_poses(poses);
    spawned
}

/// Refuses a name, the first argument.
fn not_loaded(call: &mut Call<'_>) -> ArgumentError {
    match call.text(0) {
        Ok(name) => {
            let name = DebugName::new(name);
            call.refuse(format_args!(
                "no entity `{name}` is loaded; it is the name of a file without `.entity`, with its folders"
            ))
        }
        Err(refused) => refused,
    }
}

/// Adds a pose for each position of the second argument.
fn take_positions(call: &mut Call<'_>, poses: &mut Array<'_, Pose, SharedAllocator<'_>>) -> Done {
    let count = call.numbers_len(1);
    let mut piece = [0.0; PIECE];
    call.numbers(1, 0, &mut piece[..1]);
    let are_vectors = !call.is_plain(piece[0]);
    if !are_vectors && !count.is_multiple_of(3) {
        return Err(call.refuse(format_args!(
            "positions are x, y and z of each, and {count} numbers are no multiple of 3"
        )));
    }
    let reserved = poses.try_reserve(if are_vectors { count } else { count / 3 });
    reserved.map_err(|error| call.refuse(format_args!("{error}")))?;
    let mut done = 0;
    while done < count {
        let wanted = PIECE.min(count - done);
        let len = call.numbers(1, done, &mut piece[..wanted]);
        let numbers = &piece[..len];
        let wrong = if are_vectors {
            numbers.iter().position(|number| match call.vector3_of(*number) {
                Some(position) => put(position, poses),
                None => true,
            })
        } else {
            let wrong = numbers.as_chunks().0.iter().position(|position: &[f64; 3]| {
                put(Vec3::from_array(position.map(|number| number as f32)), poses)
            });
            wrong.map(|at| 3 * at)
        };
        if let Some(at) = wrong {
            return Err(refuse_position(call, done + at + 1, are_vectors));
        }
        if len < wanted {
            let index = done + len + 1;
            return Err(call.refuse(format_args!("positions have no number at index {index}")));
        }
        done += len;
    }
    Ok(())
}

/// Adds a pose; returns `true` if the position is none.
#[inline]
fn put(position: Vec3, poses: &mut Array<'_, Pose, SharedAllocator<'_>>) -> bool {
    poses.push(Pose::at(position));
    !position.is_finite()
}

#[cold]
fn refuse_position(call: &mut Call<'_>, index: usize, is_vector: bool) -> ArgumentError {
    if is_vector {
        return call.refuse(format_args!(
            "positions have something else than a Vector3 of this frame at index {index}, or one that is infinite or no number"
        ));
    }
    call.refuse(format_args!("the position at index {index} is infinite or no number"))
}
