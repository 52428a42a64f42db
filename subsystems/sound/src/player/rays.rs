//! Walls between sounds and those who hear them: what is to be asked of a physics, and its answers.

use glam::Vec3;
use loligo_allocators::Allocator;

use super::instance::Instance;
use super::start::slot;
use super::{Player, SoundId};

/// The most rays of a step. Where more are wanted, sounds take turns.
pub const SOUND_RAYS_MAX: usize = 64;

/// What is nearer to a listener occludes nothing, in metres: it is the listener's own body.
const FROM: f32 = 0.5;

/// What is nearer to a sound occludes nothing: it is what sounds, or what it is on.
const TO: f32 = 0.25;

/// A ray from a listener to a sound: whether there is a wall between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoundRay {
    /// The sound.
    pub sound: SoundId,
    /// Whose it is: the number of [`SoundStart::owner`](super::SoundStart::owner), which is no wall.
    pub owner: u32,
    /// Where it begins.
    pub from: [f32; 3],
    /// Where it ends.
    pub to: [f32; 3],
}

impl<A: Allocator + ?Sized> Player<'_, A> {
    /// Calls `each` with the rays that are to be asked now: of sounds that walls occlude, from the nearest
    /// listener, where it is near enough to hear them. `turn` is a number that counts steps.
    ///
    /// They follow from the game alone, whether anyone hears it or not. A subsystem that knows of walls answers by
    /// [`occlude`](Self::occlude), a step later or whenever it wants; without an answer all is heard.
    ///
    /// # Complexity
    ///
    /// O(sounds * listeners). Allocates nothing.
    pub fn ask_rays(&self, turn: u64, mut each: impl FnMut(SoundRay)) {
        let count = self.rays().count();
        let first = match count > SOUND_RAYS_MAX {
            true => (turn.wrapping_mul(SOUND_RAYS_MAX as u64) % count as u64) as usize,
            false => 0,
        };
        // After the last comes the first one again, each once.
        let all = self.rays().skip(first).chain(self.rays().take(first));
        all.take(SOUND_RAYS_MAX).for_each(&mut each);
    }

    /// Takes how much of the way to a sound is walls: 0 is none, 1 is all of it. It becomes so within an
    /// eighth of a second.
    ///
    /// As all that names a sound: returns whether it plays.
    pub fn occlude(&mut self, sound: SoundId, share: f32) -> bool {
        // An answer that comes too late is not a mistake, so it is not counted as one.
        let is_playing = self.is_playing(sound);
        if is_playing {
            self.spaces[slot(sound)].occlude(share);
        }
        is_playing
    }

    fn rays(&self) -> impl Iterator<Item = SoundRay> {
        self.instances.iter_with_ids().filter_map(|(sound, instance)| {
            let is_wanted = self.spaces[slot(sound)].occluded > 0.0
                && instance.has(Instance::PLACED)
                && !instance.has(Instance::STARTING);
            if !is_wanted {
                return None;
            }
            let place = Vec3::from_array(instance.place);
            let ways = self.listeners.iter().map(|listener| (listener.at, place - listener.at));
            let nearest = ways.min_by(|(_, a), (_, b)| a.dot(*a).total_cmp(&b.dot(*b)));
            let (from, way) = nearest?;
            let distance = libm::sqrtf(way.dot(way));
            if distance <= FROM + TO || distance >= instance.distance[1] {
                return None;
            }
            let along = way / distance;
            let (from, to) = (from + along * FROM, place - along * TO);
            let (owner, from, to) = (instance.owner, from.to_array(), to.to_array());
            Some(SoundRay { sound, owner, from, to })
        })
    }
}
