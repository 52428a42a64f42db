//! The buses of a mixer, and how they flow.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_ids::IdString32;

use super::bus::{Bus, BusInfo};
use super::meter::{Meter, SILENCE, Weighting};
use crate::block::{Stereo, peak_of};
use crate::effects::{Effect, Working, check, listens_to};
use crate::error::{BusError, BusErrorKind};
use crate::level::decibels;

/// The most buses of a mixer.
const BUSES_MAX: usize = 64;

/// The buses. Each flows into buses before it, so they are computed from the last to the first.
pub(super) struct Buses<'a, A: Allocator + ?Sized> {
    rate: f32,
    /// The pairs of channels of each.
    pairs: usize,
    buses: Array<'a, Node<'a, A>, A>,
    /// What flows into each: its pairs, one after the other.
    blocks: Array<'a, Stereo, A>,
    weighting: Weighting,
    /// Whether it is measured how loud each is.
    is_metered: bool,
}

struct Node<'a, A: Allocator + ?Sized> {
    name: IdString32,
    into: u32,
    /// The gain of the last block, and that of the next.
    gains: [f32; 2],
    peak: f32,
    meter: Meter,
    sends: Array<'a, Sending, A>,
    effects: Array<'a, (Working<'a, A>, Option<u32>), A>,
}

/// Where a bus flows to besides.
#[derive(Clone, Copy)]
struct Sending {
    into: u32,
    /// The gain of the last block, and that of the next.
    gains: [f32; 2],
}

impl<'a, A: Allocator + ?Sized> Buses<'a, A> {
    pub(super) fn try_new(rate: u32, pairs: usize, memory: &'a A) -> Result<Self, BusError> {
        let (buses, blocks) = (Array::new_in(memory), Array::new_in(memory));
        let rate = rate as f32;
        let weighting = Weighting::new(rate);
        let mut buses = Self { rate, pairs, buses, blocks, weighting, is_metered: false };
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
            let gains = [finite_or(send.gain, 0.0); 2];
            sends.try_push(Sending { into, gains }).map_err(BusErrorKind::Memory)?;
        }
        let mut effects = Array::new_in(memory);
        for (index, effect) in bus.effects.iter().enumerate() {
            let listened = self.checked(index, effect)?;
            let working = Working::try_new(effect, self.rate, self.pairs, memory)?;
            effects.try_push((working, listened)).map_err(BusErrorKind::Memory)?;
        }
        let gain = finite_or(bus.gain, 0.0);
        let (gains, meter) = ([gain; 2], Meter::SILENT);
        Ok(Node { name: bus.name, into, gains, peak: 0.0, meter, sends, effects })
    }

    /// Checks the numbers of an effect, and returns the bus that it listens to.
    fn checked(&self, index: usize, effect: &Effect) -> Result<Option<u32>, BusErrorKind> {
        let wrong = |(field, must)| BusErrorKind::Number { effect: index, field, must };
        check(effect).map_err(wrong)?;
        let Some(name) = listens_to(effect) else { return Ok(None) };
        self.index_of(name).map(Some).ok_or(BusErrorKind::Listen(name))
    }

    fn push(&mut self, node: Node<'a, A>) -> Result<(), GrowError> {
        self.blocks.try_reserve(self.pairs)?;
        self.buses.try_push(node)?;
        self.blocks.try_extend_with(self.pairs, |_| Stereo::SILENCE)
    }

    /// Changes an effect of a bus, which becomes the other within a block.
    pub(super) fn set_effect(
        &mut self,
        name: IdString32,
        index: usize,
        effect: &Effect,
    ) -> Result<(), BusError> {
        let failed = |kind| BusError { bus: name, kind };
        let bus = self.index_of(name).ok_or(failed(BusErrorKind::Unknown))?;
        let listened = self.checked(index, effect).map_err(failed)?;
        let working = self.buses[bus as usize].effects.get_mut(index);
        let (working, listens) = working.ok_or(failed(BusErrorKind::NoEffect(index)))?;
        let fixed = |field| failed(BusErrorKind::Fixed { effect: index, field });
        working.set(effect, self.rate).map_err(fixed)?;
        *listens = listened;
        Ok(())
    }

    /// Sets how loud a bus flows into another besides. Returns whether it does at all.
    pub(super) fn set_send(&mut self, name: IdString32, into: IdString32, gain: f32) -> bool {
        let (Some(bus), Some(into)) = (self.index_of(name), self.index_of(into)) else {
            return false;
        };
        let sends = &mut self.buses[bus as usize].sends;
        let Some(send) = sends.iter_mut().find(|send| send.into == into) else { return false };
        send.gains[1] = finite_or(gain, send.gains[1]);
        true
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
            peak_held: bus.meter.peak() * bus.gains[1],
            loudness: (bus.meter.loudness() + decibels(bus.gains[1])).max(SILENCE),
        })
    }

    /// Measures how loud each is from now on, or no longer.
    pub(super) fn set_metered(&mut self, is_metered: bool) {
        if self.is_metered != is_metered {
            self.is_metered = is_metered;
            self.buses.iter_mut().for_each(|bus| bus.meter = Meter::SILENT);
        }
    }

    /// What flows into a bus in this block.
    pub(super) fn block(&mut self, bus: u32) -> &mut [Stereo] {
        let first = bus as usize * self.pairs;
        &mut self.blocks[first..first + self.pairs]
    }

    /// Makes all blocks silent, before voices flow in.
    pub(super) fn begin(&mut self) {
        self.blocks.fill(Stereo::SILENCE);
    }

    /// Has all buses flow, and adds what comes out of the first.
    pub(super) fn flow(&mut self, out: &mut [Stereo]) {
        // Those that are listened to may be computed later: what counts is how loud all were a block ago.
        let peaks: [f32; BUSES_MAX] =
            core::array::from_fn(|index| self.buses.get(index).map_or(0.0, |bus| bus.peak));
        let pairs = self.pairs;
        for (index, bus) in self.buses.iter_mut().enumerate().rev() {
            let (before, from) = self.blocks.split_at_mut(index * pairs);
            let block = &mut from[..pairs];
            for (effect, listened) in &mut bus.effects {
                effect.process(block, listened.map(|bus| peaks[bus as usize]));
            }
            bus.peak = peak_of(block);
            if self.is_metered {
                bus.meter.hear(&self.weighting, block);
            }
            for send in &mut bus.sends {
                let into = &mut before[send.into as usize * pairs..][..pairs];
                into.iter_mut().zip(&*block).for_each(|(into, pair)| into.add(pair, send.gains));
                send.gains[0] = send.gains[1];
            }
            let into = match index {
                0 => &mut *out,
                _ => &mut before[bus.into as usize * pairs..][..pairs],
            };
            into.iter_mut().zip(&*block).for_each(|(into, pair)| into.add(pair, bus.gains));
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
