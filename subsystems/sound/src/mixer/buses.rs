//! The buses of a mixer, and how they flow.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_ids::IdString32;

use super::bus::{Bus, BusInfo};
use crate::block::Stereo;
use crate::effects::{Working, check, listens_to};
use crate::error::{BusError, BusErrorKind};

/// The most buses of a mixer.
const BUSES_MAX: usize = 64;

/// The buses. Each flows into buses before it, so they are computed from the last to the first.
pub(super) struct Buses<'a, A: Allocator + ?Sized> {
    rate: f32,
    buses: Array<'a, Node<'a, A>, A>,
    /// What flows into each.
    blocks: Array<'a, Stereo, A>,
}

struct Node<'a, A: Allocator + ?Sized> {
    name: IdString32,
    into: u32,
    /// The gain of the last block, and that of the next.
    gains: [f32; 2],
    peak: f32,
    sends: Array<'a, (u32, f32), A>,
    effects: Array<'a, (Working<'a, A>, Option<u32>), A>,
}

impl<'a, A: Allocator + ?Sized> Buses<'a, A> {
    pub(super) fn try_new(rate: u32, memory: &'a A) -> Result<Self, BusError> {
        let mut buses =
            Self { rate: rate as f32, buses: Array::new_in(memory), blocks: Array::new_in(memory) };
        let master = Bus::new(IdString32::new("master"));
        let node =
            buses.node(&master, 0, memory).map_err(|kind| BusError { bus: master.name, kind })?;
        buses.push(node).map_err(|error| BusError::memory(master.name, error))?;
        Ok(buses)
    }

    /// Adds a bus, or fails and changes nothing.
    pub(super) fn add(&mut self, bus: &Bus<'_>, memory: &'a A) -> Result<(), BusError> {
        let failed = |kind| BusError { bus: bus.name, kind };
        if self.index_of(bus.name).is_some() {
            return Err(failed(BusErrorKind::Twice));
        }
        if self.buses.len() == BUSES_MAX {
            return Err(failed(BusErrorKind::Full));
        }
        let into = self.index_of(bus.into).ok_or(failed(BusErrorKind::Parent(bus.into)))?;
        let node = self.node(bus, into, memory).map_err(failed)?;
        self.push(node).map_err(|error| BusError::memory(bus.name, error))
    }

    /// Returns a bus that is at work.
    fn node(&self, bus: &Bus<'_>, into: u32, memory: &'a A) -> Result<Node<'a, A>, BusErrorKind> {
        let mut sends = Array::new_in(memory);
        for send in bus.sends {
            let into = self.index_of(send.into).ok_or(BusErrorKind::Send(send.into))?;
            let gain = finite_or(send.gain, 0.0);
            sends.try_push((into, gain)).map_err(BusErrorKind::Memory)?;
        }
        let mut effects = Array::new_in(memory);
        for (index, effect) in bus.effects.iter().enumerate() {
            check(effect).map_err(|(field, must)| BusErrorKind::Number {
                effect: index,
                field,
                must,
            })?;
            let listened = match listens_to(effect) {
                Some(name) => Some(self.index_of(name).ok_or(BusErrorKind::Listen(name))?),
                None => None,
            };
            let working = Working::try_new(effect, self.rate, memory)?;
            effects.try_push((working, listened)).map_err(BusErrorKind::Memory)?;
        }
        let gain = finite_or(bus.gain, 0.0);
        Ok(Node { name: bus.name, into, gains: [gain; 2], peak: 0.0, sends, effects })
    }

    fn push(&mut self, node: Node<'a, A>) -> Result<(), GrowError> {
        self.blocks.try_reserve(1)?;
        self.buses.try_push(node)?;
        self.blocks.try_push(Stereo::SILENCE)
    }

    pub(super) fn index_of(&self, name: IdString32) -> Option<u32> {
        self.buses.iter().position(|bus| bus.name == name).map(|index| index as u32)
    }

    pub(super) fn set_gain(&mut self, name: IdString32, gain: f32) -> bool {
        let Some(bus) = self.buses.iter_mut().find(|bus| bus.name == name) else { return false };
        bus.gains[1] = finite_or(gain, bus.gains[1]);
        true
    }

    pub(super) fn info(&self, name: IdString32) -> Option<BusInfo> {
        self.iter().find(|bus| bus.name == name)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = BusInfo> {
        self.buses.iter().map(|bus| BusInfo {
            name: bus.name,
            into: self.buses[bus.into as usize].name,
            gain: bus.gains[1],
            peak: bus.peak,
        })
    }

    /// What flows into a bus in this block.
    pub(super) fn block(&mut self, bus: u32) -> &mut Stereo {
        &mut self.blocks[bus as usize]
    }

    /// Makes all blocks silent, before voices flow in.
    pub(super) fn begin(&mut self) {
        self.blocks.fill(Stereo::SILENCE);
    }

    /// Has all buses flow, and writes what comes out of the first.
    pub(super) fn flow(&mut self, out: &mut Stereo) {
        // Those that are listened to may be computed later: what counts is how loud all were a block ago.
        let peaks: [f32; BUSES_MAX] =
            core::array::from_fn(|index| self.buses.get(index).map_or(0.0, |bus| bus.peak));
        for (index, bus) in self.buses.iter_mut().enumerate().rev() {
            let (before, from) = self.blocks.split_at_mut(index);
            let block = &mut from[0];
            for (effect, listened) in &mut bus.effects {
                effect.process(block, listened.map(|bus| peaks[bus as usize]));
            }
            bus.peak = block.peak();
            for (into, gain) in &bus.sends {
                before[*into as usize].add(block, [*gain; 2]);
            }
            let into = if index == 0 { &mut *out } else { &mut before[bus.into as usize] };
            into.add(block, bus.gains);
            bus.gains[0] = bus.gains[1];
        }
    }
}

impl BusError {
    pub(super) const fn memory(bus: IdString32, error: GrowError) -> Self {
        Self { bus, kind: BusErrorKind::Memory(error) }
    }
}

/// A number from outside, or another one where it is none.
pub(super) fn finite_or(number: f32, other: f32) -> f32 {
    if number.is_finite() { number } else { other }
}
