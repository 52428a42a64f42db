//! Many characters of one machine.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_entities::Pose;

use super::event::MachineEvent;
use super::ground_track::Ground;
use super::machine_table::{MachineTable, MachineView};
use super::mix::Mix;
use super::sample::MachineSample;
use super::slot::{LayerSlots, SLOTS};
use super::state_cache::StateCache;
use super::step_layer::StepLayer;

/// Characters of a machine: their variables, the states that they are in, and what is to be sampled for
/// the pose of each.
///
/// # Complexity
///
/// A step is O(states that are played + their transitions + events passed) for each character. Nothing is
/// allocated but for characters that are added.
///
/// # Memory
///
/// For each character a cache line for each layer and 108 bytes of what is kept of its state, 4 bytes a variable and 12 more, 8 bytes a layer, 16 for
/// the way of the root, and 12 for each sample that its layers can have at the same time: four states of up
/// to eight clips.
///
/// # Examples
///
/// See the crate's page.
pub struct Machines<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    pub(super) slots: Array<'a, LayerSlots, A>,
    pub(super) rows: Array<'a, f32, A>,
    pub(super) samples: Array<'a, MachineSample, A>,
    /// How many samples a layer has, and its weight.
    pub(super) layers: Array<'a, (u32, f32), A>,
    ways: Array<'a, Ground, A>,
    /// What is kept of the state of each layer.
    caches: Array<'a, StateCache, A>,
    /// The hash of the table that they are of.
    table: u32,
    pub(super) layer_count: usize,
    pub(super) row: usize,
    samples_max: usize,
}

impl<'a> Machines<'a> {
    /// Makes characters in the first state of each layer, with the defaults of all variables.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_new(
        count: usize,
        table: &MachineTable<'_, '_>,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_new_in(count, &table.view(), memory)
    }
}

impl<'a, A: Allocator + ?Sized> Machines<'a, A> {
    /// As [`try_new`](Machines::try_new), of a view of a table.
    pub(crate) fn try_new_in(
        count: usize,
        table: &MachineView<'_, '_>,
        memory: &'a A,
    ) -> Result<Self, GrowError> {
        let layer_count = table.machine.layers.len();
        let (row, samples_max) = (table.row(), table.samples);
        let mut machines = Self {
            slots: Array::try_with_capacity_in(count.saturating_mul(layer_count), memory)?,
            rows: Array::try_with_capacity_in(count.saturating_mul(row), memory)?,
            samples: Array::try_with_capacity_in(count.saturating_mul(samples_max), memory)?,
            layers: Array::try_with_capacity_in(count.saturating_mul(layer_count), memory)?,
            ways: Array::try_with_capacity_in(count, memory)?,
            caches: Array::try_with_capacity_in(count.saturating_mul(layer_count), memory)?,
            table: table.hash,
            layer_count,
            row,
            samples_max,
        };
        for _ in 0..count {
            machines.try_push_view(table)?;
        }
        Ok(machines)
    }

    /// Adds a character, and returns its number.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing was added then.
    ///
    /// # Panics
    ///
    /// If the characters were made for another machine.
    pub fn try_push(&mut self, table: &MachineTable<'_, '_>) -> Result<usize, GrowError> {
        self.try_push_view(&table.view())
    }

    fn try_push_view(&mut self, table: &MachineView<'_, '_>) -> Result<usize, GrowError> {
        self.check(table);
        self.slots.try_reserve(self.layer_count)?;
        self.rows.try_reserve(self.row)?;
        self.samples.try_reserve(self.samples_max)?;
        self.layers.try_reserve(self.layer_count)?;
        self.ways.try_reserve(1)?;
        self.caches.try_reserve(self.layer_count)?;
        let number = self.ways.len();
        let slots = LayerSlots::new(0);
        self.slots.try_resize((number + 1) * self.layer_count, slots)?;
        self.rows.try_resize((number + 1) * self.row, 0.0)?;
        self.samples.try_resize((number + 1) * self.samples_max, MachineSample::default())?;
        self.layers.try_resize((number + 1) * self.layer_count, (0, 0.0))?;
        self.ways.try_push(Ground::STILL)?;
        self.caches.try_resize((number + 1) * self.layer_count, StateCache::EMPTY)?;
        self.reset_view(table, number);
        Ok(number)
    }

    /// Removes a character. The last one takes its number.
    ///
    /// # Panics
    ///
    /// If there is no such character.
    pub fn swap_remove(&mut self, character: usize) {
        let last = self.ways.len() - 1;
        assert!(character <= last, "character {character} of {}", last + 1);
        let (layers, row, samples) = (self.layer_count, self.row, self.samples_max);
        self.slots.copy_within(last * layers.., character * layers);
        self.rows.copy_within(last * row.., character * row);
        self.samples.copy_within(last * samples.., character * samples);
        self.layers.copy_within(last * layers.., character * layers);
        self.caches.copy_within(last * layers.., character * layers);
        self.ways.swap_remove(character);
        self.slots.truncate(last * layers);
        self.rows.truncate(last * row);
        self.samples.truncate(last * samples);
        self.layers.truncate(last * layers);
        self.caches.truncate(last * layers);
    }

    /// Puts a character into the first state of each layer, with the defaults of all variables. It has no
    /// samples until the next step.
    ///
    /// # Panics
    ///
    /// If there is no such character, or if the characters were made for another machine.
    pub fn reset(&mut self, table: &MachineTable<'_, '_>, character: usize) {
        self.reset_view(&table.view(), character);
    }

    /// As [`reset`](Self::reset), of a view of the table.
    pub(crate) fn reset_view(&mut self, table: &MachineView<'_, '_>, character: usize) {
        self.check(table);
        let first = character * self.layer_count;
        for (at, layer) in table.machine.layers.iter().enumerate() {
            self.slots[first + at] = LayerSlots::new(layer.start);
            self.layers[first + at] = (0, 0.0);
        }
        self.forget(character);
        let row = &mut self.rows[character * self.row..];
        for (value, variable) in row.iter_mut().zip(table.machine.variables) {
            *value = variable.default;
        }
        self.ways[character] = Ground::STILL;
    }

    /// Returns the number of characters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ways.len()
    }

    /// Returns `true` if there is no character.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ways.is_empty()
    }

    /// Sets a variable of a character: [`Machine::variable`](super::Machine::variable) has the number.
    /// What is not finite is 0.
    ///
    /// # Panics
    ///
    /// If there is no such character or variable.
    #[inline]
    pub fn set(&mut self, character: usize, variable: usize, value: f32) {
        let value = if value.is_finite() { value } else { 0.0 };
        let end = self.row - super::STATE_VARIABLES.len();
        let own = &mut self.rows[character * self.row..][..end][variable];
        if own.to_bits() != value.to_bits() {
            *own = value;
            self.forget(character);
        }
    }

    /// Forgets what follows from the variables of a character.
    fn forget(&mut self, character: usize) {
        let caches = &mut self.caches[character * self.layer_count..][..self.layer_count];
        caches.iter_mut().for_each(StateCache::clear);
    }

    /// Returns the value of a variable of a character.
    ///
    /// # Panics
    ///
    /// If there is no such character or variable.
    #[must_use]
    pub fn get(&self, character: usize, variable: usize) -> f32 {
        let end = self.row - super::STATE_VARIABLES.len();
        self.rows[character * self.row..][..end][variable]
    }

    /// Returns the variables of a character, in the order of their numbers.
    ///
    /// # Panics
    ///
    /// If there is no such character.
    pub fn variables_mut(&mut self, character: usize) -> &mut [f32] {
        self.forget(character);
        let end = self.row - super::STATE_VARIABLES.len();
        &mut self.rows[character * self.row..][..end]
    }

    /// Returns the number of the state that a layer of a character is in: the newest, where one is faded
    /// in over others.
    ///
    /// # Panics
    ///
    /// If there is no such character or layer.
    #[must_use]
    pub fn state(&self, character: usize, layer: usize) -> usize {
        usize::from(self.layer_slots(character, layer).0[0].state)
    }

    /// Returns which part of its lap the state of a layer is at, from 0 to 1.
    ///
    /// # Panics
    ///
    /// If there is no such character or layer.
    #[must_use]
    pub fn phase(&self, table: &MachineTable<'_, '_>, character: usize, layer: usize) -> f32 {
        let slot = &self.layer_slots(character, layer).0[0];
        slot.phase / f32::from(table.machine.states[usize::from(slot.state)].parts)
    }

    /// Puts a layer of a character into a state at once, at a part of its lap.
    ///
    /// # Panics
    ///
    /// If there is no such character, or no such state in the layer.
    pub fn enter(
        &mut self,
        table: &MachineTable<'_, '_>,
        (character, layer): (usize, usize),
        state: usize,
        phase: f32,
    ) {
        let states = table.machine.states_of(layer);
        assert!(states.contains(&state), "state {state} of {states:?}");
        let parts = f32::from(table.machine.states[state].parts);
        let mut slots = LayerSlots::new(state as u16);
        slots.0[0].phase = phase.clamp(0.0, 1.0 - f32::EPSILON).max(0.0) * parts;
        self.slots[character * self.layer_count + layer] = slots;
    }

    /// Steps all characters by some seconds, and calls `visit` with each event that one of them passes: by
    /// character and layer. What is not above 0 is a step in which only conditions are tried.
    ///
    /// # Panics
    ///
    /// If the characters were made for another machine.
    pub fn step(
        &mut self,
        table: &MachineTable<'_, '_>,
        seconds: f32,
        mut visit: impl FnMut(MachineEvent),
    ) {
        let (view, mut older) = (table.view(), [Mix::EMPTY; SLOTS - 1]);
        self.check(&view);
        for character in 0..self.len() {
            self.step_checked(&view, character, seconds, &mut older, &mut visit);
        }
    }

    /// Steps one character: see [`step`](Self::step).
    ///
    /// # Panics
    ///
    /// If there is no such character, or if the characters were made for another machine.
    pub fn step_one(
        &mut self,
        table: &MachineTable<'_, '_>,
        character: usize,
        seconds: f32,
        visit: impl FnMut(MachineEvent),
    ) {
        self.step_view(&table.view(), character, seconds, visit);
    }

    /// As [`step_one`](Self::step_one), of a view of the table.
    pub(crate) fn step_view(
        &mut self,
        table: &MachineView<'_, '_>,
        character: usize,
        seconds: f32,
        mut visit: impl FnMut(MachineEvent),
    ) {
        self.check(table);
        self.step_checked(table, character, seconds, &mut [Mix::EMPTY; SLOTS - 1], &mut visit);
    }

    fn step_checked(
        &mut self,
        table: &MachineView<'_, '_>,
        character: usize,
        seconds: f32,
        older: &mut [Mix; SLOTS - 1],
        visit: &mut impl FnMut(MachineEvent),
    ) {
        if self.table != table.hash {
            self.caches.iter_mut().for_each(StateCache::clear);
            self.table = table.hash;
        }
        let seconds = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
        let samples = &mut self.samples[character * self.samples_max..][..self.samples_max];
        let row = &mut self.rows[character * self.row..][..self.row];
        let first = character * self.layer_count;
        let mut count = 0;
        for layer in 0..self.layer_count {
            let mut step = StepLayer {
                table,
                slots: &mut self.slots[first + layer],
                row,
                character,
                layer,
                cache: &mut self.caches[first + layer],
                older,
                has_root: layer == 0 && table.root().is_some(),
                way: Ground::STILL,
                visit: &mut *visit,
            };
            let found = step.step(seconds, &mut samples[count..]);
            let (weight, way) = (step.weight(), step.way);
            self.layers[first + layer] = (found as u32, weight);
            if layer == 0 {
                self.ways[character] = way;
            }
            count += found;
        }
    }

    /// Returns what is to be sampled for a layer of a character.
    ///
    /// # Panics
    ///
    /// If there is no such character or layer.
    #[must_use]
    pub fn samples(&self, character: usize, layer: usize) -> &[MachineSample] {
        let layers = &self.layers[character * self.layer_count..][..self.layer_count];
        let before: u32 = layers[..layer].iter().map(|(count, _)| count).sum();
        let first = character * self.samples_max + before as usize;
        &self.samples[first..first + layers[layer].0 as usize]
    }

    /// Returns the weight of a layer of a character in the last step, from 0 to 1.
    ///
    /// # Panics
    ///
    /// If there is no such character or layer.
    #[must_use]
    pub fn layer_weight(&self, character: usize, layer: usize) -> f32 {
        self.layers[character * self.layer_count..][..self.layer_count][layer].1
    }

    /// Returns how far the root of a character moved in the last step, as seen from where it was. It is the
    /// first layer's; nothing if the machine has no root.
    ///
    /// # Panics
    ///
    /// If there is no such character.
    #[must_use]
    pub fn way(&self, character: usize) -> Pose {
        self.ways[character].pose()
    }

    /// Returns the bytes of all characters.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.slots)
            + size_of_val(&*self.rows)
            + size_of_val(&*self.samples)
            + size_of_val(&*self.layers)
            + size_of_val(&*self.ways)
            + size_of_val(&*self.caches)
    }

    fn layer_slots(&self, character: usize, layer: usize) -> &LayerSlots {
        &self.slots[character * self.layer_count..][..self.layer_count][layer]
    }

    pub(super) fn check(&self, table: &MachineView<'_, '_>) {
        let found = (table.machine.layers.len(), table.row(), table.samples);
        let own = (self.layer_count, self.row, self.samples_max);
        assert_eq!(own, found, "the characters were made for another machine");
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Machines<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (characters, layers) = (self.len(), self.layer_count);
        f.debug_struct("Machines")
            .field("characters", &characters)
            .field("layers", &layers)
            .finish_non_exhaustive()
    }
}
