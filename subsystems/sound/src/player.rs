//! Sounds that play, by the game's time; what is heard of them is the least of it.

mod calls;
mod event;
mod hearing;
mod in_space;
mod instance;
mod part_state;
mod rank;
mod rays;
mod saved;
mod start;
mod step;
mod view;
mod voices;
mod wave_info;

use core::error::Error;
use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, BlobBytes, GrowError, SortedMap};
use loligo_ids::{Id, IdString32, IdString64, Lifo, PackedTable, Retire};
use loligo_resources::DataError;

pub use calls::Owner;
pub use event::{SoundEvent, SoundEventKind};
#[cfg(feature = "subsystem")]
pub(crate) use in_space::speed;
pub use instance::Instance;
pub use rays::{SOUND_RAYS_MAX, SoundRay};
pub use saved::StateError;
pub use start::SoundStart;
pub use view::PartView;
pub use voices::{ControlledVoices, Voices};
pub use wave_info::WaveInfo;

use crate::mixer::WaveId;
use crate::parameters::{Parameters, SoundParameters};
use crate::plan::{MixerPlan, VOICES_DEFAULT};
use crate::space::{Listener, SpaceSettings, Speakers};
use crate::tree::{Chance, Choices, SoundTree};
use in_space::InSpace;
use part_state::PartState;
use rank::Rank;
use wave_info::KnownWave;

/// The id of a sound that plays.
pub type SoundId = Id<Instance, u32, 14, 18>;

/// The most sounds that play at the same time, heard or not.
pub const SOUNDS_MAX: usize = 16_384;

/// The most listeners.
pub const LISTENERS_MAX: usize = 4;

type Instances<'a, A> = PackedTable<'a, Instance, SoundId, Lifo, Retire, A>;

/// A group of sounds, how many voices it may have and has.
#[derive(Clone, Copy, Debug)]
struct Group {
    name: IdString32,
    most: u32,
    has: u32,
}

/// Plays sounds: trees of waves with parameters.
///
/// All that a game sees, which is when sounds begin and end, where they are and when markers come, follows from
/// the time that [`step`](Self::step) is given. Each part of a sound has a place in its wave that goes on
/// there. Voices of a mixer are given to the parts that are heard most, and taken from those that are not;
/// a part that gets one again is heard from its place on. Without a mixer all is the same, and silent.
///
/// # Memory
///
/// A sound that plays is 156 bytes and 8 for its id, each of its parts 88, and its parameters those of
/// [`Parameters`]. A step allocates nothing once as many have played.
///
/// # Examples
///
/// See `docs/guide/sound.md`.
pub struct Player<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    memory: &'a A,
    sounds: SortedMap<'a, IdString64, BlobBytes<'a, A>, A>,
    waves: SortedMap<'a, IdString64, KnownWave, A>,
    /// What was chosen of sounds before.
    choices: SortedMap<'a, IdString64, Choices, A>,
    instances: Instances<'a, A>,
    /// By the places of ids.
    parameters_of: Array<'a, SoundParameters, A>,
    parameters: Parameters<'a, A>,
    /// What follows from their places, by the places of ids.
    spaces: Array<'a, InSpace, A>,
    space: SpaceSettings,
    /// What a player has chosen in place of what `space` says.
    speakers: Option<Speakers>,
    /// Whether the last step was heard.
    is_heard: bool,
    /// The parts of all sounds: those of one next to each other, in the order of its nodes.
    parts: Array<'a, PartState, A>,
    events: Array<'a, SoundEvent, A>,
    ranks: Array<'a, Rank, A>,
    groups: Array<'a, Group, A>,
    voices_max: u32,
    listeners: Array<'a, Listener, A>,
    chance: Chance,
    /// Whether a sound was defined again, so that what plays of it may be different.
    is_redefined: bool,
    stats: PlayerStats,
}

/// What a player has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayerStats {
    /// The sounds that play.
    pub sounds: u32,
    /// Their parts.
    pub parts: u32,
    /// The parts that have a voice.
    pub voices: u32,
    /// The parts that would be heard, and have no voice since others are heard more.
    pub waiting: u32,
    /// Calls that named a sound that has ended.
    pub stale: u64,
    /// Parts that were not played since there was no such wave.
    pub missing: u64,
    /// Voices that were taken from a part for another.
    pub stolen: u64,
}

/// Why a sound does not play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SoundError {
    /// There is no such sound.
    Unknown(IdString64),
    /// As many sounds play as can.
    Full,
    /// There is no memory.
    Memory(GrowError),
}

impl fmt::Display for SoundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                write!(f, "there is no sound `{name}`; correct the name, or load its package")
            }
            Self::Full => write!(f, "{SOUNDS_MAX} sounds play already; stop some"),
            Self::Memory(error) => write!(f, "no memory for a sound: {error}"),
        }
    }
}

impl Error for SoundError {}

impl From<GrowError> for SoundError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

/// Why bytes are no sound that can be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DefineError {
    /// They are no compiled sound.
    Data(DataError),
    /// There is no memory.
    Memory(GrowError),
}

impl fmt::Display for DefineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(error) => error.fmt(f),
            Self::Memory(error) => write!(f, "no memory for a sound: {error}"),
        }
    }
}

impl Error for DefineError {}

impl From<GrowError> for DefineError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

impl<'a> Player<'a> {
    /// Returns a player that knows no sounds.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_new(seed: u64, memory: &'a (dyn Allocator + 'a)) -> Result<Self, GrowError> {
        Self::try_new_in(seed, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Player<'a, A> {
    /// As [`try_new`](Player::try_new), over any allocator.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_new_in(seed: u64, memory: &'a A) -> Result<Self, GrowError> {
        let mut listeners = Array::new_in(memory);
        listeners.try_reserve(LISTENERS_MAX)?;
        Ok(Self {
            memory,
            sounds: SortedMap::new_in(memory),
            waves: SortedMap::new_in(memory),
            choices: SortedMap::new_in(memory),
            instances: Instances::with_limit_in(SOUNDS_MAX, memory).with_tag(0),
            parameters_of: Array::new_in(memory),
            parameters: Parameters::new_in(memory),
            spaces: Array::new_in(memory),
            space: SpaceSettings::default(),
            speakers: None,
            is_heard: false,
            parts: Array::new_in(memory),
            events: Array::new_in(memory),
            ranks: Array::new_in(memory),
            groups: Array::new_in(memory),
            voices_max: VOICES_DEFAULT,
            listeners,
            chance: Chance::new(seed),
            is_redefined: false,
            stats: PlayerStats::default(),
        })
    }

    /// Takes a sound in, in place of an older one of that name. What plays of that follows its curves from the
    /// next step on, and has the waves that it has.
    ///
    /// # Errors
    ///
    /// [`DefineError`] if the payload is no compiled sound, or there is no memory; all is as before then.
    pub fn define(&mut self, name: IdString64, payload: &[u8]) -> Result<(), DefineError> {
        let copy = BlobBytes::try_copy_in(payload, self.memory)?;
        SoundTree::open(&copy).map_err(DefineError::Data)?;
        if self.sounds.try_insert(name, copy)?.is_some() {
            self.is_redefined = true;
            // What was chosen of the one before may be another node of this.
            self.choices.remove(&name);
        }
        Ok(())
    }

    /// Gives a sound up. What plays of it goes on as it is.
    pub fn undefine(&mut self, name: IdString64) {
        self.sounds.remove(&name);
    }

    /// Takes a wave in: how long it is, and its samples in a mixer, if they are in one. What plays of an older one
    /// goes on in this. One that is not in a mixer is heard by [`Voices::open_stream`].
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn define_wave(
        &mut self,
        name: IdString64,
        info: WaveInfo,
        id: Option<WaveId>,
    ) -> Result<(), GrowError> {
        self.waves.try_insert(name, KnownWave { info, id }).map(|_| ())
    }

    /// Gives a wave up, and returns its id in the mixer. Parts of it are over in the next step.
    pub fn undefine_wave(&mut self, name: IdString64) -> Option<WaveId> {
        self.waves.remove(&name).and_then(|known| known.id)
    }

    /// Returns the samples of a wave in the mixer.
    #[must_use]
    pub fn wave(&self, name: IdString64) -> Option<WaveId> {
        self.waves.get(&name).and_then(|known| known.id)
    }

    /// Takes what `moved` returns for the samples of each wave, which are in another mixer then. What is heard
    /// begins there in the next step, where it is.
    pub fn move_waves(&mut self, mut moved: impl FnMut(WaveId) -> Option<WaveId>) {
        for (_, known) in self.waves.iter_mut() {
            known.id = known.id.and_then(&mut moved);
        }
        self.be_silent();
    }

    /// Takes the number of voices, the groups and the space of a plan.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn set_plan(&mut self, plan: &MixerPlan<'_>) -> Result<(), GrowError> {
        self.groups.clear();
        self.voices_max = plan.voices();
        self.space = plan.space();
        for (name, most) in plan.groups() {
            self.groups.try_push(Group { name, most, has: 0 })?;
        }
        Ok(())
    }

    /// Sets by what is listened, in place of what the plan says: a setting of the one who plays. It is
    /// not saved.
    pub fn set_speakers(&mut self, speakers: Speakers) {
        self.speakers = Some(speakers);
    }

    /// Sets who hears; the first [`LISTENERS_MAX`] count. Those that are not finite are passed over.
    pub fn set_listeners(&mut self, listeners: impl IntoIterator<Item = Listener>) {
        self.listeners.clear();
        let listeners = listeners.into_iter().filter(Listener::is_finite);
        for listener in listeners.take(LISTENERS_MAX) {
            // There is room.
            let _ = self.listeners.try_push(listener);
        }
    }

    /// Returns who hears.
    #[must_use]
    pub fn listeners(&self) -> &[Listener] {
        &self.listeners
    }

    /// Returns what happened since the last call, and forgets it.
    pub fn take_events(&mut self, mut each: impl FnMut(SoundEvent)) {
        self.events.iter().for_each(|event| each(*event));
        self.events.clear();
    }

    /// Returns what was counted.
    #[must_use]
    pub fn stats(&self) -> PlayerStats {
        PlayerStats {
            sounds: self.instances.len() as u32,
            parts: self.parts.len() as u32,
            ..self.stats
        }
    }

    /// Returns the sound of a name.
    fn tree(&self, name: IdString64) -> Option<SoundTree<'_>> {
        self.sounds.get(&name).and_then(|bytes| SoundTree::open_verified(bytes).ok())
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Player<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
