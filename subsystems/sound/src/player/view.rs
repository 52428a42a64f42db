//! What plays, for tools.

use loligo_allocators::Allocator;
use loligo_ids::{IdString32, IdString64};

use super::instance::Instance;
use super::part_state::PartState;
use super::{Player, SoundId};

/// A wave of a sound that plays, as tools show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartView {
    /// The sound that it is of.
    pub sound: SoundId,
    /// The name of that.
    pub name: IdString64,
    /// The name of the wave.
    pub wave: IdString64,
    /// The bits of the entity that it is on; 0 for none.
    pub owner: u32,
    /// The bus into which it flows.
    pub bus: IdString32,
    /// Where it is; `None` if it is heard in the middle.
    pub place: Option<[f32; 3]>,
    /// At which second of the wave it is.
    pub seconds: f32,
    /// How loud it is played.
    pub volume: f32,
    /// How loud the louder side hears it; 0 if it is too quiet for a voice, or there is none for it.
    pub loudness: f32,
    /// Whether it has a voice; else it goes on unheard.
    pub has_voice: bool,
    /// Whether its sound is paused.
    pub is_paused: bool,
}

impl<A: Allocator + ?Sized> Player<'_, A> {
    /// Walks over the waves of all sounds that play and have begun, those of a sound one after the other.
    pub fn views(&self) -> impl Iterator<Item = PartView> {
        self.parts.iter().filter_map(|part| {
            let is_going = part.has(PartState::BEGUN) && !part.has(PartState::OVER);
            let sound = SoundId::from_bits(part.sound).filter(|_| is_going)?;
            let instance = self.instances.get(sound)?;
            let rate = self.waves.get(&part.wave)?.info.rate;
            let has_voice = part.voice != 0;
            Some(PartView {
                sound,
                name: instance.name,
                wave: part.wave,
                owner: instance.owner,
                bus: IdString32::from_hash(instance.bus),
                place: instance.has(Instance::PLACED).then_some(instance.place),
                seconds: (part.at as f64 / 4_294_967_296.0 / f64::from(rate)) as f32,
                volume: part.gain * instance.loudness(),
                loudness: if has_voice { part.loudness.max(0.0) } else { 0.0 },
                has_voice,
                is_paused: instance.has(Instance::PAUSED),
            })
        })
    }
}
