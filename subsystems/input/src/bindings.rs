//! The bindings of a mapping, sorted, and which contexts are active.

use core::ops::Range;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_ids::IdString32;

use crate::control::Control;
use crate::devices::Devices;
use crate::mapping::{Binding, Mapping};

/// What a game plays by.
///
/// # Memory
///
/// 20 bytes a binding, 4 for each control of a chord, 4 a context.
pub(crate) struct Bindings<'a, A: Allocator + ?Sized> {
    sorted: Array<'a, Binding, A>,
    chords: Array<'a, Control, A>,
    contexts: Array<'a, IdString32, A>,
    /// A bit for each context.
    active: u32,
}

impl<'a, A: Allocator + ?Sized> Bindings<'a, A> {
    pub(crate) const fn new_in(memory: &'a A) -> Self {
        Self {
            sorted: Array::new_in(memory),
            chords: Array::new_in(memory),
            contexts: Array::new_in(memory),
            active: 0,
        }
    }

    /// Copies those of a mapping. Contexts that `before` has too are active as they are there.
    pub(crate) fn try_new(
        mapping: &Mapping<'_>,
        before: &Self,
        memory: &'a A,
    ) -> Result<Self, GrowError> {
        let mut new = Self::new_in(memory);
        new.sorted.try_extend(mapping.bindings())?;
        new.chords.try_extend(mapping.chords())?;
        new.contexts.try_extend(mapping.contexts().map(|(name, _)| name))?;
        for (place, (name, is_active)) in mapping.contexts().enumerate() {
            let known = before.context(name).map(|place| before.is_active(place));
            new.set_active(place, known.unwrap_or(is_active));
        }
        Ok(new)
    }

    pub(crate) fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Returns the place of a context.
    pub(crate) fn context(&self, name: IdString32) -> Option<usize> {
        self.contexts.iter().position(|other| *other == name)
    }

    /// Returns all contexts, lowest first, and whether each is active.
    pub(crate) fn contexts(&self) -> impl Iterator<Item = (IdString32, bool)> {
        self.contexts.iter().enumerate().map(|(place, name)| (*name, self.is_active(place)))
    }

    pub(crate) const fn is_active(&self, context: usize) -> bool {
        self.active & (1 << context) != 0
    }

    pub(crate) const fn set_active(&mut self, context: usize, is_active: bool) {
        self.active = self.active & !(1 << context) | (is_active as u32) << context;
    }

    pub(crate) fn get(&self, place: usize) -> Option<&Binding> {
        self.sorted.get(place)
    }

    /// Returns the places of the bindings of a source. O(log bindings).
    pub(crate) fn of(&self, source: Control) -> Range<usize> {
        let start = self.sorted.partition_point(|binding| binding.control.source() < source);
        let rest = &self.sorted[start..];
        let count = rest.iter().take_while(|binding| binding.control.source() == source).count();
        start..start + count
    }

    /// Returns the places of all bindings of pads' axes. O(log bindings).
    pub(crate) fn of_pad_axes(&self) -> Range<usize> {
        let [first, end] = Control::PAD_AXES;
        let place = |control| self.sorted.partition_point(|binding| binding.control < control);
        place(first)..place(end)
    }

    /// Returns the controls that must be held for a binding to fit.
    pub(crate) fn chord(&self, binding: &Binding) -> &[Control] {
        let start = usize::from(binding.chord);
        self.chords.get(start..start + usize::from(binding.held)).unwrap_or_default()
    }

    /// Returns `true` if the context of a binding is active and its chord is held.
    pub(crate) fn fits<B: Allocator + ?Sized>(
        &self,
        binding: &Binding,
        devices: &Devices<'_, B>,
    ) -> bool {
        self.is_active(usize::from(binding.context))
            && self.chord(binding).iter().all(|control| devices.is_held(*control))
    }

    /// Returns the highest rank of the bindings in a range that fit: the first one's.
    pub(crate) fn rank<B: Allocator + ?Sized>(
        &self,
        range: Range<usize>,
        devices: &Devices<'_, B>,
    ) -> Option<(u16, u16)> {
        let mut bindings = self.sorted.get(range).unwrap_or_default().iter();
        bindings.find(|binding| self.fits(binding, devices)).map(Binding::rank)
    }
}
