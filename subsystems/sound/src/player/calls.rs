//! What a game does with sounds that play.

use loligo_allocators::Allocator;
use loligo_containers::ListError;
use loligo_ids::IdString64;

use super::instance::Instance;
use super::part_state::PartState;
use super::start::{finite_or, slot};
use super::{Player, SoundId};
use crate::level::gain_of;
use crate::parameters::Parameter;
use crate::tree::SOUND_TYPE;
use crate::wave::WAVE_TYPE;

/// Where the owner of a sound is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Owner {
    /// It is at a place, and turned somewhere.
    At {
        /// The place, in metres.
        at: [f32; 3],
        /// The direction into which its sounds go, if they go into one.
        toward: [f32; 3],
    },
    /// It is there and has no place.
    Nowhere,
    /// It is not there any more.
    Gone,
}

impl<A: Allocator + ?Sized> Player<'_, A> {
    /// Returns whether a sound plays, or begins with the next step.
    #[must_use]
    pub fn is_playing(&self, sound: SoundId) -> bool {
        self.instances.contains(sound)
    }

    /// Stops a sound within some seconds; `None`: within those of its source.
    ///
    /// As all that names a sound: returns whether it plays; what names one that has ended does nothing and is
    /// counted.
    pub fn stop(&mut self, sound: SoundId, seconds: Option<f32>) -> bool {
        self.change(sound, |instance| stop(instance, seconds))
    }

    /// Stops all sounds of an owner, or all that there are.
    pub fn stop_all(&mut self, owner: Option<u32>, seconds: Option<f32>) {
        for instance in self.instances.iter_mut() {
            if owner.is_none_or(|owner| instance.owner == owner) {
                stop(instance, seconds);
            }
        }
    }

    /// Pauses a sound or lets it go on.
    pub fn set_paused(&mut self, sound: SoundId, is_paused: bool) -> bool {
        self.change(sound, |instance| instance.set(Instance::PAUSED, is_paused))
    }

    /// Sets the decibels that are added to a sound, within some seconds.
    pub fn set_volume(&mut self, sound: SoundId, decibels: f32, seconds: f32) -> bool {
        let gain = gain_of(finite_or(decibels, 0.0).min(48.0));
        self.change(sound, |instance| instance.gain.go(gain, finite_or(seconds, 0.0)))
    }

    /// Sets how fast a sound is.
    pub fn set_speed(&mut self, sound: SoundId, speed: f32) -> bool {
        self.change(sound, |instance| instance.speed = finite_or(speed, instance.speed).max(0.0))
    }

    /// Sets where a sound is.
    pub fn set_place(&mut self, sound: SoundId, at: [f32; 3]) -> bool {
        self.change(sound, |instance| place(instance, at))
    }

    /// Returns where a sound is; `None` if it is in the middle, or has ended.
    #[must_use]
    pub fn place(&self, sound: SoundId) -> Option<[f32; 3]> {
        let instance = self.instances.get(sound)?;
        instance.has(Instance::PLACED).then_some(instance.place)
    }

    /// Sets a parameter of a sound.
    ///
    /// # Errors
    ///
    /// [`ListError`] if there is no memory; all is as before then.
    pub fn set(&mut self, sound: SoundId, parameter: Parameter) -> Result<bool, ListError> {
        if !self.change(sound, |instance| instance.set(Instance::CHANGED, true)) {
            return Ok(false);
        }
        let own = &mut self.parameters_of[slot(sound)];
        self.parameters.try_set(own, parameter).map(|()| true)
    }

    /// Has all parts of a sound go on at a second of their waves: those that have not begun begin there, but for those
    /// that follow others.
    pub fn seek(&mut self, sound: SoundId, seconds: f32) -> bool {
        let to =
            if seconds.is_finite() { seconds.max(0.0) } else { return self.is_playing(sound) };
        let sought = |instance: &mut Instance| {
            if instance.has(Instance::STARTING) {
                instance.sought = to;
            }
        };
        if !self.change(sound, sought) {
            return self.is_playing(sound);
        }
        let Self { parts, waves, .. } = self;
        let is_of =
            |part: &&mut PartState| part.sound == sound.to_bits() && !part.has(PartState::NEXT);
        for part in parts.iter_mut().filter(is_of) {
            if let Some(known) = waves.get(&part.wave) {
                part.seek(to, &known.info);
            }
        }
        true
    }

    /// Returns at which second of its wave the first part of a sound is that has begun.
    #[must_use]
    pub fn position(&self, sound: SoundId) -> Option<f32> {
        let is_of = |part: &&PartState| part.sound == sound.to_bits() && part.has(PartState::BEGUN);
        let part = self.parts.iter().find(is_of)?;
        let rate = self.waves.get(&part.wave)?.info.rate;
        Some((part.at as f64 / 4_294_967_296.0 / f64::from(rate)) as f32)
    }

    /// Returns the name of a sound that plays.
    #[must_use]
    pub fn name(&self, sound: SoundId) -> Option<IdString64> {
        self.instances.get(sound).map(|instance| instance.name)
    }

    /// Sets where the sounds of owners are. Those of owners that are gone are stopped.
    pub fn follow(&mut self, mut of: impl FnMut(u32) -> Owner) {
        for index in 0..self.instances.len() {
            let Some(id) = self.instances.id_at(index) else { continue };
            let instance = &mut self.instances.as_mut_slice()[index];
            if instance.owner == 0 {
                continue;
            }
            match of(instance.owner) {
                Owner::At { at, toward } => {
                    place(instance, at);
                    self.spaces[slot(id)].turn(toward);
                }
                Owner::Nowhere => {}
                Owner::Gone => stop(instance, None),
            }
        }
    }

    /// Calls `each` with the types and names of resources that what plays is of.
    pub fn needs(&self, each: &mut dyn FnMut(&'static str, IdString64)) {
        self.instances.iter().for_each(|instance| each(SOUND_TYPE, instance.name));
        self.parts.iter().for_each(|part| each(WAVE_TYPE, part.wave));
    }

    fn change(&mut self, sound: SoundId, change: impl FnOnce(&mut Instance)) -> bool {
        match self.instances.get_mut(sound) {
            Some(instance) => {
                change(instance);
                true
            }
            None => {
                self.stats.stale += 1;
                false
            }
        }
    }
}

fn stop(instance: &mut Instance, seconds: Option<f32>) {
    // One that fades out already is not made longer.
    if !instance.has(Instance::STOPPING) {
        let seconds = seconds.map_or(instance.fade_out, |seconds| finite_or(seconds, 0.0));
        instance.share.go(0.0, seconds);
        instance.set(Instance::STOPPING, true);
    }
}

fn place(instance: &mut Instance, at: [f32; 3]) {
    if at.iter().all(|number| number.is_finite()) {
        instance.place = at;
        instance.set(Instance::PLACED, true);
    }
}
