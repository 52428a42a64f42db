//! The state of a player as bytes: all that goes on by the game's time, and nothing of what is heard.

use core::error::Error;
use core::fmt;

use bytemuck::Pod;
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError, ListError, SortedMap};
use loligo_ids::{IdString32, IdString64};

use super::in_space::InSpace;
use super::instance::Instance;
use super::part_state::PartState;
use super::start::slot;
use super::{Instances, Player, SOUNDS_MAX, SoundId};
use crate::parameters::{Parameter, Parameters, SoundParameters};
use crate::tree::{Chance, Choices};

/// Why a state is not loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateError {
    /// It does not hold together.
    Torn,
    /// There is no memory.
    Memory(GrowError),
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Torn => f.write_str("the state of the sounds is torn; save the game again"),
            Self::Memory(error) => write!(f, "no memory for sounds: {error}"),
        }
    }
}

impl Error for StateError {}

impl From<GrowError> for StateError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

impl From<ListError> for StateError {
    fn from(error: ListError) -> Self {
        match error {
            ListError::Grow(error) => Self::Memory(error),
            _ => Self::Torn,
        }
    }
}

/// What was chosen of a sound, as words.
type ChoiceWords = [u64; 8];

impl<A: Allocator + ?Sized> Player<'_, A> {
    /// Appends the state: sounds, their parts and parameters, what was chosen, and the seed. Not what is defined.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn save<B: Allocator + ?Sized>(&self, out: &mut Array<'_, u8, B>) -> Result<(), GrowError> {
        put(out, &self.chance.seed())?;
        put(out, &(self.choices.len() as u32))?;
        for (name, choices) in self.choices.iter() {
            put(out, name)?;
            put(out, &choices.to_words())?;
        }
        let length = self.instances.saved_len();
        put(out, &(length as u32))?;
        let at = out.len();
        out.try_extend_zeroed(length)?;
        // It is as long as it has to be.
        let _ = self.instances.save(&mut out[at..]);
        for (id, _) in self.instances.iter_with_ids() {
            let own = &self.parameters_of[slot(id)];
            put(out, &(self.parameters.iter(own).count() as u32))?;
            for parameter in self.parameters.iter(own) {
                put(out, &[parameter.name.hash(), parameter.as_word().hash()])?;
            }
        }
        put(out, &(self.parts.len() as u32))?;
        self.parts.iter().try_for_each(|part| put(out, &unheard(part)))
    }

    /// Goes on with a state that was saved: with all of it, or nothing has changed.
    ///
    /// # Errors
    ///
    /// [`StateError`] if the bytes are not what was saved, or there is no memory.
    pub fn load(&mut self, state: &[u8]) -> Result<(), StateError> {
        let memory = self.memory;
        let from = &mut Bytes(state);
        let chance = Chance::new(from.plain()?);
        let mut choices = SortedMap::new_in(memory);
        for _ in 0..from.count(size_of::<ChoiceWords>() + 8)? {
            let name: IdString64 = from.plain()?;
            let words: ChoiceWords = from.plain()?;
            choices.try_insert(name, Choices::from_words(&words))?;
        }
        let length = from.plain::<u32>()?;
        let image = from.take(length as usize)?;
        let instances = Instances::restore_in(image, memory).map_err(|_| StateError::Torn)?;
        if instances.limit() != SOUNDS_MAX || !instances.iter().all(Instance::is_sound) {
            return Err(StateError::Torn);
        }
        let (mut parameters, mut parameters_of) =
            (Parameters::new_in(memory), Array::new_in(memory));
        let slots = instances.iter_with_ids().map(|(id, _)| slot(id) + 1).max().unwrap_or(0);
        parameters_of.try_extend_with(slots, |_| SoundParameters::default())?;
        let mut spaces = Array::new_in(memory);
        spaces.try_extend_with(slots, |_| InSpace::default())?;
        for (id, _) in instances.iter_with_ids() {
            for _ in 0..from.count(8)? {
                let [name, word] = from.plain::<[u32; 2]>()?.map(IdString32::from_hash);
                parameters.try_set(&mut parameters_of[slot(id)], Parameter::word(name, word))?;
            }
        }
        let mut parts = Array::new_in(memory);
        for _ in 0..from.count(size_of::<PartState>())? {
            parts.try_push(from.plain::<PartState>()?)?;
        }
        if !from.0.is_empty() || !do_belong(&instances, &parts) {
            return Err(StateError::Torn);
        }
        self.events.clear();
        (self.chance, self.choices, self.instances) = (chance, choices, instances);
        (self.parameters, self.parameters_of, self.parts) = (parameters, parameters_of, parts);
        self.spaces = spaces;
        // What was defined meanwhile may be other sounds than those of the state.
        self.is_redefined = true;
        Ok(())
    }

    /// Returns a hash of the state.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        let mut add = |word: u64| hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01B3);
        add(self.chance.seed());
        for (id, instance) in self.instances.iter_with_ids() {
            add(id.to_bits().into());
            bytemuck::cast::<Instance, [u64; 11]>(*instance).into_iter().for_each(&mut add);
            for parameter in self.parameters.iter(&self.parameters_of[slot(id)]) {
                add(u64::from(parameter.name.hash()) << 32 | u64::from(parameter.as_word().hash()));
            }
        }
        for part in &self.parts {
            bytemuck::cast::<PartState, [u64; 11]>(unheard(part)).into_iter().for_each(&mut add);
        }
        hash
    }
}

/// Returns a part without what is heard of it.
fn unheard(part: &PartState) -> PartState {
    let mut part = *part;
    (part.loudness, part.from, part.offset) = (0.0, 0, 0);
    part.set(PartState::NEW | PartState::JOINS, false);
    part.forget_voice();
    part
}

/// Returns whether parts are those of sounds, next to each other, and as many as each has.
fn do_belong<A: Allocator + ?Sized>(instances: &Instances<'_, A>, parts: &[PartState]) -> bool {
    let mut at = 0;
    let mut found = 0;
    while let Some(first) = parts.get(at) {
        let count = parts[at..].iter().take_while(|part| part.sound == first.sound).count();
        let instance = SoundId::from_bits(first.sound).and_then(|id| instances.get(id));
        if instance.is_none_or(|instance| instance.parts as usize != count) {
            return false;
        }
        (at, found) = (at + count, found + 1);
    }
    let with_parts = instances.iter().filter(|instance| instance.parts > 0).count();
    found == with_parts && parts.iter().all(PartState::is_part)
}

fn put<T: Pod, B: Allocator + ?Sized>(
    out: &mut Array<'_, u8, B>,
    value: &T,
) -> Result<(), GrowError> {
    out.try_extend_from_slice(bytemuck::bytes_of(value))
}

/// The bytes that are left.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], StateError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(StateError::Torn)?;
        self.0 = rest;
        Ok(taken)
    }

    fn plain<T: Pod>(&mut self) -> Result<T, StateError> {
        Ok(bytemuck::pod_read_unaligned(self.take(size_of::<T>())?))
    }

    /// Returns how many follow, each of some bytes.
    fn count(&mut self, bytes: usize) -> Result<u32, StateError> {
        let count = self.plain::<u32>()?;
        if count as usize > self.0.len() / bytes { Err(StateError::Torn) } else { Ok(count) }
    }
}
