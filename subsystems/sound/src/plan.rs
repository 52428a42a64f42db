//! The buses and groups of a game, as data.

mod form;
mod image;
mod verify;

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::Blob;
use loligo_ids::IdString32;
use loligo_resources::DataError;

#[cfg(feature = "compile")]
pub(crate) use form::FORMS;
pub(crate) use form::effect_of;
pub use image::{BusImage, EffectImage, GroupImage, MixerImage, SendImage};
#[cfg(feature = "compile")]
pub(crate) use verify::SPACE;

use crate::effects::{Effect, Limiting};
use crate::error::BusError;
use crate::mixer::{Bus, Mixer, Send};
use crate::space::{SpaceSettings, Speakers};

/// The type of the plan of a mixer; that of a game is `game.mixer`.
pub const MIXER_TYPE: &str = "mixer";

/// The version of plans that is compiled and read here.
pub const MIXER_VERSION: u32 = 3;

/// The most effects of a bus.
pub const EFFECTS_MAX: usize = 8;

/// The most sends of a bus.
pub const SENDS_MAX: usize = 8;

/// The most groups of a game.
pub const GROUPS_MAX: usize = 64;

/// The voices that are heard at the same time where a game does not say.
pub const VOICES_DEFAULT: u32 = 64;

/// The buses of a game, their effects, and how many voices are heard: a view of bytes that were verified
/// once.
///
/// # Invariants
///
/// 1. Each bus names `master` or buses before it, and no two have the same name.
/// 2. All numbers are within the ranges of their effects.
/// 3. There are from 1 to 1024 voices, and each group has at least one.
/// 4. The numbers of space are finite and within their ranges.
#[derive(Clone, Copy)]
pub struct MixerPlan<'b> {
    voices: u32,
    is_for_ears: u32,
    space: [f32; 6],
    buses: &'b [BusImage],
    sends: &'b [SendImage],
    effects: &'b [EffectImage],
    groups: &'b [GroupImage],
    names: &'b str,
}

impl<'b> MixerPlan<'b> {
    /// Opens the payload of a resource of type `mixer`. It must be at a multiple of 16, as that of a loaded
    /// resource is.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, DataError> {
        let blob = Blob::<MixerImage>::open_structure(payload)
            .map_err(|error| DataError::blob(MIXER_TYPE, error))?;
        let image = blob.root();
        let plan = Self {
            voices: image.voices,
            is_for_ears: image.is_for_ears,
            space: image.space,
            buses: blob.array(&image.buses),
            sends: blob.array(&image.sends),
            effects: blob.array(&image.effects),
            groups: blob.array(&image.groups),
            names: blob.str(&image.names),
        };
        verify::verify(&plan)?;
        Ok(plan)
    }

    /// How many voices are heard at the same time.
    #[must_use]
    pub const fn voices(&self) -> u32 {
        self.voices
    }

    /// Walks over the names of buses and their gains, in the order in which a mixer takes them.
    pub fn buses(&self) -> impl Iterator<Item = (IdString32, f32)> + use<'b> {
        self.buses.iter().map(|bus| (bus.name, bus.gain))
    }

    /// Returns the name of a bus as text, by its place; empty where it is not known.
    #[must_use]
    pub fn bus_text(&self, bus: usize) -> &'b str {
        self.names.lines().nth(bus).unwrap_or_default()
    }

    /// Returns how places are heard.
    #[must_use]
    pub fn space(&self) -> SpaceSettings {
        let [sound_speed, doppler, doppler_max, near, occluded_gain, occluded_low_pass] =
            self.space;
        let speakers = if self.is_for_ears == 1 { Speakers::Ears } else { Speakers::Stereo };
        SpaceSettings {
            speakers,
            sound_speed,
            doppler,
            doppler_max,
            near,
            occluded_gain,
            occluded_low_pass,
            ..SpaceSettings::default()
        }
    }

    /// Walks over what buses send: a bus, another one into which it flows as well, and how loud.
    pub fn sends(&self) -> impl Iterator<Item = (IdString32, IdString32, f32)> + use<'b> {
        let all = self.sends;
        let of = move |bus: &'b BusImage| {
            list(bus.sends, all).iter().map(|send| (bus.name, send.into, send.gain))
        };
        self.buses.iter().flat_map(of)
    }

    /// Walks over the names of groups, and how many voices of each are heard at the same time.
    pub fn groups(&self) -> impl Iterator<Item = (IdString32, u32)> + use<'b> {
        self.groups.iter().map(|group| (group.name, group.voices))
    }

    /// Adds all buses to a mixer.
    ///
    /// # Errors
    ///
    /// [`BusError`] of the first bus that it does not take.
    pub fn add_to<A: Allocator + ?Sized>(&self, mixer: &mut Mixer<'_, A>) -> Result<(), BusError> {
        let nothing = Effect::Limiter(Limiting { ceiling: 0.0, ahead: 0.005, release: 0.1 });
        for bus in self.buses {
            let mut effects = [nothing; EFFECTS_MAX];
            let images = list(bus.effects, self.effects);
            for (effect, image) in effects.iter_mut().zip(images) {
                *effect = effect_of(image.kind, image.form, image.listen, image.numbers)
                    .unwrap_or(nothing);
            }
            let mut sends = [Send { into: bus.into, gain: 0.0 }; SENDS_MAX];
            let send_images = list(bus.sends, self.sends);
            for (send, image) in sends.iter_mut().zip(send_images) {
                *send = Send { into: image.into, gain: image.gain };
            }
            mixer.add_bus(&Bus {
                name: bus.name,
                into: bus.into,
                gain: bus.gain,
                effects: &effects[..images.len().min(EFFECTS_MAX)],
                sends: &sends[..send_images.len().min(SENDS_MAX)],
            })?;
        }
        Ok(())
    }
}

/// The elements that a first one and a count name, which are there.
fn list<T>([first, count]: [u32; 2], all: &[T]) -> &[T] {
    &all[first as usize..(first + count) as usize]
}

impl fmt::Debug for MixerPlan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MixerPlan").field("buses", &self.buses.len()).finish_non_exhaustive()
    }
}
