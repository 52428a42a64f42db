//! What is heard of sounds: voices are given to parts and taken from them.

use loligo_allocators::Allocator;
use loligo_containers::GrowError;
use loligo_ids::IdString32;

use super::in_space::InSpace;
use super::instance::Instance;
use super::part_state::PartState;
use super::rank::Rank;
use super::start::slot;
use super::voices::Voices;
use super::{Player, SoundId};
use crate::block::BLOCK;
use crate::error::PlayError;
use crate::mixer::{Play, VoiceId};
use crate::space::{Placement, SpaceSettings};

/// The bus of what is on none that there is.
const MASTER: IdString32 = IdString32::new("master");

/// What is quieter gives its voice up: 66 decibels below full scale.
const SILENT: f32 = 0.0005;

/// What is louder gets one: 6 decibels more.
const HEARD: f32 = 0.001;

/// By how much another has to be louder to take a voice: two and a half decibels.
const ADVANTAGE: f32 = 1.33;

/// What is over so soon gets no voice again.
const SOON: f32 = 0.05;

/// Over how many frames a voice that is taken fades out.
const TAKEN: u32 = 2 * BLOCK as u32;

impl<A: Allocator + ?Sized> Player<'_, A> {
    /// Forgets all voices: nothing is heard.
    pub(super) fn be_silent(&mut self) {
        for part in self.parts.iter_mut().filter(|part| part.voice != 0) {
            part.forget_voice();
        }
        (self.stats.voices, self.stats.waiting) = (0, 0);
        self.is_heard = false;
    }

    /// Plays what is heard of some nanoseconds.
    pub(super) fn hear(
        &mut self,
        nanoseconds: u64,
        voices: &mut (dyn Voices + '_),
    ) -> Result<(), GrowError> {
        self.go(nanoseconds);
        self.rank(voices)?;
        self.choose(voices);
        let settings = self.settings();
        let Self { parts, instances, spaces, waves, listeners, stats, .. } = self;
        stats.voices = 0;
        // The voice of the part before, after whose end the next one begins.
        let mut before = None;
        for part in parts.iter_mut() {
            let voice = part.voice();
            let Some(id) = SoundId::from_bits(part.sound) else { continue };
            let Some(instance) = instances.get(id) else { continue };
            let after = core::mem::replace(&mut before, voice);
            // A wave that is over is heard to its end; what was stopped fades out.
            if part.has(PartState::OVER)
                && let Some(voice) = voice.filter(|_| instance.has(Instance::STOPPING))
            {
                stop_voice(part, voice, instance, voices);
            }
            if part.loudness < 0.0 {
                continue;
            }
            let placement = spaces[slot(id)].placement(instance, listeners, &settings);
            let hearing = Hearing::of(part, instance, placement);
            if voice.is_none() {
                let known = waves.get(&part.wave);
                let (from, is_looped) = ((part.from >> 32) as u32, part.has(PartState::LOOPED));
                let open = || voices.open_stream(part.wave, from, is_looped);
                let wave = known.and_then(|known| known.id.or_else(open));
                let after = after.filter(|_| part.has(PartState::JOINS));
                if let Some(wave) = wave {
                    before = hearing.begin(part, instance, Play::new(wave), after, voices);
                }
            } else {
                hearing.go_on(part, instance, voices);
            }
            stats.voices += u32::from(part.voice != 0);
        }
        Ok(())
    }

    /// Has what sounds go on to where it is.
    fn go(&mut self, nanoseconds: u64) {
        let Self { instances, spaces, .. } = self;
        if !core::mem::replace(&mut self.is_heard, true) {
            spaces.iter_mut().for_each(InSpace::stay);
        }
        let seconds = nanoseconds as f32 * 1e-9;
        for (id, instance) in instances.iter_with_ids() {
            if instance.has(Instance::PLACED) {
                spaces[slot(id)].go(instance.place, seconds);
            }
        }
    }

    /// Returns how places are heard.
    fn settings(&self) -> SpaceSettings {
        let speakers = self.speakers.unwrap_or(self.space.speakers);
        SpaceSettings { speakers, ..self.space }
    }

    /// Ranks all parts that are to be heard; the loudness of all others becomes -1.
    fn rank(&mut self, voices: &dyn Voices) -> Result<(), GrowError> {
        let settings = self.settings();
        let Self { parts, instances, spaces, waves, listeners, ranks, .. } = self;
        ranks.clear();
        ranks.try_reserve(parts.len())?;
        for (at, part) in (0_u32..).zip(parts.iter_mut()) {
            if part.voice().is_some_and(|voice| !voices.is_playing(voice)) {
                part.forget_voice();
            }
            let has_voice = part.voice != 0;
            part.loudness = -1.0;
            let Some(id) = SoundId::from_bits(part.sound) else { continue };
            let Some(instance) = instances.get(id) else { continue };
            let is_new = part.has(PartState::NEW);
            let is_going = part.has(PartState::BEGUN)
                && (is_new || !part.has(PartState::OVER))
                && (has_voice || !instance.has(Instance::PAUSED));
            let Some(known) = waves.get(&part.wave).filter(|_| is_going) else { continue };
            let left = f64::from(known.info.frames) - part.at as f64 / 4_294_967_296.0;
            let is_soon = left < f64::from(SOON) * f64::from(known.info.rate);
            if !has_voice && !is_new && is_soon && !part.has(PartState::LOOPED) {
                continue;
            }
            let placement = spaces[slot(id)].placement(instance, listeners, &settings);
            let loudest = placement.gains.into_iter().fold(0.0, f32::max);
            let loudness = loudest * part.gain * instance.loudness();
            // What fades in is as loud as it will be.
            if loudness < if has_voice { SILENT } else { HEARD } {
                continue;
            }
            part.loudness = loudness;
            let loudness = if has_voice { loudness * ADVANTAGE } else { loudness };
            let (group, priority) = (instance.group, instance.priority);
            ranks.try_push(Rank { part: at, group, priority, loudness })?;
        }
        Ok(())
    }

    /// Chooses who has a voice, and takes those of all others.
    fn choose(&mut self, voices: &mut dyn Voices) {
        let Self { parts, ranks, groups, voices_max, stats, .. } = self;
        ranks.sort_unstable_by(Rank::order);
        groups.iter_mut().for_each(|group| group.has = 0);
        let mut left = *voices_max;
        stats.waiting = 0;
        for rank in ranks.iter() {
            let name = IdString32::from_hash(rank.group);
            let group = groups.iter_mut().find(|group| group.name == name);
            let is_full = group.as_ref().is_some_and(|group| group.has >= group.most);
            if left == 0 || is_full {
                let part = &mut parts[rank.part as usize];
                part.loudness = -1.0;
                stats.waiting += 1;
                stats.stolen += u64::from(part.voice != 0);
                continue;
            }
            left -= 1;
            if let Some(group) = group {
                group.has += 1;
            }
        }
        let is_taken = |part: &&mut PartState| part.loudness < 0.0 && !part.has(PartState::OVER);
        for part in parts.iter_mut().filter(is_taken) {
            if let Some(voice) = part.voice() {
                voices.stop(voice, TAKEN);
                part.forget_voice();
            }
        }
    }
}

/// How a voice is to be heard.
#[derive(Clone, Copy)]
struct Hearing(Placement);

impl Hearing {
    /// Returns how a part is heard where its sound is.
    fn of(part: &PartState, instance: &Instance, mut placement: Placement) -> Self {
        let gain = part.gain * instance.gain.now;
        placement.gains = placement.gains.map(|side| side * gain);
        placement.speed *= part.speed * instance.speed;
        placement.low_pass = placement.low_pass.map(|low| low.min(part.low_pass));
        Self(placement)
    }

    /// Plays a part from where it was at the beginning of the step. Returns its voice.
    fn begin(
        &self,
        part: &mut PartState,
        instance: &Instance,
        play: Play,
        after: Option<VoiceId>,
        voices: &mut dyn Voices,
    ) -> Option<VoiceId> {
        let rate = voices.rate();
        let frames = |seconds: f32| (f64::from(seconds) * f64::from(rate)) as u32;
        let fade = match part.has(PartState::NEW) {
            true => frames(part.fade),
            false => frames(part.fade - part.age).max(TAKEN),
        };
        let play = Play {
            bus: IdString32::from_hash(instance.bus),
            speed: self.0.speed,
            from: (part.from >> 32) as u32,
            wait: if after.is_some() { 0 } else { voices.wait(part.offset) },
            after,
            fade,
            is_looped: part.has(PartState::LOOPED),
            ..play
        };
        // Without a voice it goes on, and is tried again in the next step.
        let voice = match voices.play(&play) {
            Err(PlayError::NoBus(_)) => voices.play(&Play { bus: MASTER, ..play }).ok()?,
            played => played.ok()?,
        };
        part.forget_voice();
        part.voice = voice.to_bits();
        self.go_on(part, instance, voices);
        Some(voice)
    }

    /// Sends a voice how it is heard now.
    fn go_on(&self, part: &mut PartState, instance: &Instance, voices: &mut dyn Voices) {
        let Some(voice) = part.voice() else { return };
        voices.place(voice, &self.0);
        if part.has(PartState::SOUGHT) {
            voices.seek(voice, (part.from >> 32) as u32);
            part.set(PartState::SOUGHT, false);
        }
        let is_paused = instance.has(Instance::PAUSED);
        if is_paused != part.has(PartState::IS_PAUSED) {
            voices.set_paused(voice, is_paused);
            part.set(PartState::IS_PAUSED, is_paused);
        }
        if instance.has(Instance::STOPPING) {
            stop_voice(part, voice, instance, voices);
        }
    }
}

/// Has a voice fade out with its sound.
fn stop_voice(part: &mut PartState, voice: VoiceId, instance: &Instance, voices: &mut dyn Voices) {
    if part.has(PartState::IS_STOPPING) {
        return;
    }
    part.set(PartState::IS_STOPPING, true);
    let share = &instance.share;
    let seconds = if share.rate > 0.0 { share.now / share.rate } else { 0.0 };
    voices.stop(voice, (seconds * voices.rate() as f32) as u32);
}
