//! The state of characters as bytes.
//!
//! ```text
//! u32 | fingerprint of the machine | variables: f32 .. | layers: four slots of 16 bytes ..   little endian
//! ```

use core::error::Error;
use core::fmt;

use loligo_allocators::Allocator;
use loligo_ids::murmur2_32;

use super::Machine;
use super::image::NONE;
use super::machine_table::{MachineTable, MachineView};
use super::machines::Machines;
#[cfg(feature = "subsystem")]
use super::sample::MachineSample;
use super::slot::{LayerSlots, SLOTS, Slot};

/// The bytes of a slot.
const SLOT_BYTES: usize = 16;

/// Saved bytes were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SavedError {
    /// There are too many or too few.
    Length {
        /// How many there are.
        found: usize,
        /// How many a character has.
        expected: usize,
    },
    /// They were saved with another machine: of other variables, states or transitions.
    Machine,
    /// A variable is not finite.
    Variable(usize),
    /// The states of a layer are not some that it can play.
    Layer(usize),
}

impl fmt::Display for SavedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no saved character of this machine: ")?;
        match self {
            Self::Length { found, expected } => {
                write!(f, "{found} bytes where there must be {expected}")?;
            }
            Self::Machine => f.write_str("it is of another machine")?,
            Self::Variable(variable) => write!(f, "variable {variable} is not finite")?,
            Self::Layer(layer) => write!(f, "layer {layer} cannot be in these states")?,
        }
        f.write_str("; reset the character")
    }
}

impl Error for SavedError {}

impl<A: Allocator + ?Sized> Machines<'_, A> {
    /// Returns how many bytes a character is saved as.
    #[must_use]
    pub const fn saved_bytes(&self) -> usize {
        4 + 4 * self.variable_count() + SLOT_BYTES * SLOTS * self.layer_count
    }

    const fn variable_count(&self) -> usize {
        self.row - super::STATE_VARIABLES.len()
    }

    /// Saves a character: its variables, and the states that its layers play.
    ///
    /// # Panics
    ///
    /// If there is no such character, if `bytes` is not of the length of
    /// [`saved_bytes`](Self::saved_bytes), or if the characters were made for another machine.
    pub fn save(&self, table: &MachineTable<'_, '_>, character: usize, bytes: &mut [u8]) {
        self.save_view(&table.view(), character, bytes);
    }

    fn save_view(&self, table: &MachineView<'_, '_>, character: usize, bytes: &mut [u8]) {
        self.check(table);
        assert_eq!(bytes.len(), self.saved_bytes(), "the bytes of a character");
        let variables = &self.rows[character * self.row..][..self.variable_count()];
        let layers = &self.slots[character * self.layer_count..][..self.layer_count];
        let slots = layers.iter().flat_map(|layer| layer.0.iter());
        let slots = slots.flat_map(|slot| {
            let ids = u32::from(slot.state) | u32::from(slot.via) << 16;
            [slot.phase.to_bits(), slot.fade.to_bits(), slot.time.to_bits(), ids]
        });
        let words = core::iter::once(fingerprint(table.machine));
        let words = words.chain(variables.iter().map(|value| value.to_bits())).chain(slots);
        for (place, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
    }

    /// Restores a character that was saved with the same machine. It has no samples until the next step.
    ///
    /// # Errors
    ///
    /// [`SavedError`] if the bytes are not of a character of this machine; nothing was changed then.
    ///
    /// # Panics
    ///
    /// If there is no such character, or if the characters were made for another machine.
    pub fn restore(
        &mut self,
        table: &MachineTable<'_, '_>,
        character: usize,
        bytes: &[u8],
    ) -> Result<(), SavedError> {
        self.restore_view(&table.view(), character, bytes)
    }

    /// As [`restore`](Self::restore), of a view of the table.
    pub(crate) fn restore_view(
        &mut self,
        table: &MachineView<'_, '_>,
        character: usize,
        bytes: &[u8],
    ) -> Result<(), SavedError> {
        let (found, expected) = (bytes.len(), self.saved_bytes());
        if found != expected {
            return Err(SavedError::Length { found, expected });
        }
        let words = bytes.as_chunks::<4>().0;
        let word = |at: usize| u32::from_le_bytes(words[at]);
        if word(0) != fingerprint(table.machine) {
            return Err(SavedError::Machine);
        }
        let variables = 1..1 + self.variable_count();
        let values = variables.clone().map(|at| f32::from_bits(word(at)));
        if let Some(at) = values.clone().position(|value| !value.is_finite()) {
            return Err(SavedError::Variable(at));
        }
        let slots = |layer: usize| {
            LayerSlots(core::array::from_fn(|slot| {
                let at = variables.end + 4 * (layer * SLOTS + slot);
                let number = |at| f32::from_bits(word(at));
                let (phase, fade, time) = (number(at), number(at + 1), number(at + 2));
                let ids = word(at + 3);
                Slot { phase, fade, time, state: ids as u16, via: (ids >> 16) as u16 }
            }))
        };
        let is_wrong = |layer: &usize| !is_played(table, *layer, &slots(*layer));
        if let Some(layer) = (0..self.layer_count).find(is_wrong) {
            return Err(SavedError::Layer(layer));
        }
        self.reset_view(table, character);
        for (place, value) in self.variables_mut(character).iter_mut().zip(values) {
            *place = value;
        }
        for layer in 0..self.layer_count {
            self.slots[character * self.layer_count + layer] = slots(layer);
        }
        Ok(())
    }
}

#[cfg(feature = "subsystem")]
impl<A: Allocator + ?Sized> Machines<'_, A> {
    /// Calls `each` with the words of the only character: what [`save`](Self::save) writes, and after
    /// it what is to be sampled.
    pub(crate) fn each_word(&self, fingerprint: u32, each: &mut dyn FnMut(u32)) {
        each(fingerprint);
        self.rows[..self.variable_count()].iter().for_each(|value| each(value.to_bits()));
        for slot in self.slots.iter().flat_map(|layer| layer.0.iter()) {
            let ids = u32::from(slot.state) | u32::from(slot.via) << 16;
            [slot.phase.to_bits(), slot.fade.to_bits(), slot.time.to_bits(), ids]
                .into_iter()
                .for_each(&mut *each);
        }
        let mut samples = 0;
        for (count, weight) in &self.layers {
            each(*count);
            each(weight.to_bits());
            samples += *count as usize;
        }
        for sample in &self.samples[..samples] {
            each(u32::from(sample.clip) | u32::from(sample.layer) << 16);
            each(sample.frame.to_bits());
            each(sample.weight.to_bits());
        }
    }

    /// Restores the only character of such words; `false` if they are not of this machine.
    pub(crate) fn restore_words(&mut self, table: &MachineView<'_, '_>, bytes: &[u8]) -> bool {
        let Some((state, rest)) = bytes.split_at_checked(self.saved_bytes()) else { return false };
        let words = rest.as_chunks::<4>().0;
        let word = |at: usize| words.get(at).map_or(0, |word| u32::from_le_bytes(*word));
        let number = |at: usize| f32::from_bits(word(at));
        let layers = self.layer_count;
        let counts = (0..layers).map(|layer| word(2 * layer) as usize);
        let samples: usize = counts.fold(0, usize::saturating_add);
        let is_whole = samples <= self.samples.len()
            && words.len() == 2 * layers + 3 * samples
            && (0..layers).all(|layer| (0.0..=1.0).contains(&number(2 * layer + 1)));
        let sample = |at: usize| {
            let first = 2 * layers + 3 * at;
            let (clip, layer) = (word(first) as u16, (word(first) >> 16) as u16);
            MachineSample { clip, layer, frame: number(first + 1), weight: number(first + 2) }
        };
        let clips = table.clips.len();
        let is_sound = |of: MachineSample| {
            usize::from(of.clip) < clips && of.frame.is_finite() && (0.0..=1.0).contains(&of.weight)
        };
        if !is_whole || !(0..samples).all(|at| is_sound(sample(at))) {
            return false;
        }
        if self.restore_view(table, 0, state).is_err() {
            return false;
        }
        for (at, layer) in self.layers.iter_mut().enumerate() {
            *layer = (word(2 * at), number(2 * at + 1));
        }
        for (at, place) in self.samples[..samples].iter_mut().enumerate() {
            *place = sample(at);
        }
        true
    }
}

/// Returns what changes when states mean something else.
pub(crate) fn fingerprint(machine: &Machine<'_>) -> u32 {
    let variables = machine.variables.iter().map(|variable| variable.name.hash());
    let states = machine.states.iter().flat_map(|state| [state.name.hash(), state.parts.into()]);
    let transitions = machine.transitions.iter().map(|transition| u32::from(transition.to));
    let words = variables.chain(states).chain(transitions);
    words.fold(0, |hash, word| murmur2_32(&word.to_le_bytes(), hash))
}

/// Returns `true` if a layer can play these states.
fn is_played(table: &MachineView<'_, '_>, layer: usize, slots: &LayerSlots) -> bool {
    let machine = &table.machine;
    let (states, len) = (machine.states_of(layer), slots.len());
    let is_state = |(at, slot): (usize, &Slot)| {
        let state = usize::from(slot.state);
        if !states.contains(&state) {
            return false;
        }
        let parts = f32::from(machine.states[state].parts);
        let transition = slot.transition().map(|at| machine.transitions.get(at));
        let (is_known, is_linked) = match transition {
            None => (true, false),
            Some(None) => (false, false),
            Some(Some(transition)) => {
                (transition.to == slot.state, transition.is_synchronised != 0)
            }
        };
        // States in step have as many parts, and the same phase.
        let has_pair = !is_linked
            || slots.0[..len].get(at + 1).is_none_or(|other| {
                let other_state = machine.states.get(usize::from(other.state));
                other_state
                    .is_some_and(|other| f32::from(other.parts) == parts && other.is_looping != 0)
                    && other.phase == slot.phase
            });
        is_known
            && has_pair
            && (0.0..=parts).contains(&slot.phase)
            && (0.0..=1.0).contains(&slot.fade)
            && (0.0..=f32::MAX).contains(&slot.time)
    };
    let is_rest_free = slots.0[len..].iter().all(|slot| slot.state == NONE);
    len > 0 && is_rest_free && slots.0[..len].iter().enumerate().all(is_state)
}
