//! Which bindings a press reaches, and what ends them.

use core::ops::Range;

use loligo_allocators::Allocator;
use loligo_containers::GrowError;

use super::{Input, Latch, OF_AXIS};
use crate::control::Control;
use crate::devices::{Held, NO_PAD};

impl<A: Allocator + ?Sized> Input<'_, A> {
    /// Presses a key or a button.
    pub(super) fn press(&mut self, controls: [Control; 2], pad: u16) -> Result<(), GrowError> {
        let Some(held) = self.devices.press(controls, pad) else { return Ok(()) };
        // A stick may have to be held together with it.
        self.is_stale = true;
        let ranges = self.ranges(controls);
        let ranks = ranges.clone().map(|range| self.bindings.rank(range, &self.devices));
        let Some(rank) = ranks.into_iter().max().flatten() else { return Ok(()) };
        for place in ranges.into_iter().flatten() {
            self.begin_if(place, rank, held.press)?;
        }
        Ok(())
    }

    /// Lets a binding go down if it fits and is of a rank.
    pub(super) fn begin_if(
        &mut self,
        place: usize,
        rank: (u16, u16),
        press: u32,
    ) -> Result<(), GrowError> {
        let Some(binding) = self.bindings.get(place) else { return Ok(()) };
        if binding.rank() != rank || !self.bindings.fits(binding, &self.devices) {
            return Ok(());
        }
        let target = usize::from(binding.target);
        self.latches.try_push(Latch { press, binding: place as u32 })?;
        if let Some(action) = self.actions.get_mut(target) {
            action.begin(self.frame);
        }
        Ok(())
    }

    /// Releases a key or a button.
    pub(super) fn release(&mut self, controls: [Control; 2], pad: u16) {
        if let Some(held) = self.devices.release(controls, pad) {
            self.end_of_release(held);
        }
    }

    /// Ends what a press held down, and the chords that it was a part of.
    fn end_of_release(&mut self, held: Held) {
        self.is_stale = true;
        self.end_where(|input, latch| {
            let Some(binding) = input.bindings.get(latch.binding as usize) else { return true };
            let mut chord = input.bindings.chord(binding).iter();
            latch.press == held.press || chord.any(|control| !input.devices.is_held(*control))
        });
    }

    /// Releases what a pad holds.
    pub(super) fn release_pad(&mut self, pad: u16) {
        let is_its = |held: &&Held| held.pad == pad && pad != NO_PAD;
        while let Some(held) = self.devices.held().iter().find(is_its).copied() {
            self.release(held.controls, pad);
        }
        self.devices.rest(pad);
        self.is_stale = true;
        self.end_where(|_, latch| latch.press == OF_AXIS | u32::from(pad));
    }

    /// Ends what is down in a context that is not active, or by a control that a higher one hides.
    pub(super) fn end_hidden(&mut self) {
        self.end_where(|input, latch| {
            let Some(binding) = input.bindings.get(latch.binding as usize) else { return true };
            let controls = match latch.press & OF_AXIS {
                0 => input.devices.controls(latch.press).unwrap_or([Control::NONE; 2]),
                _ => [binding.control.source(), Control::NONE],
            };
            let ranges = input.ranges(controls);
            let ranks = ranges.map(|range| input.bindings.rank(range, &input.devices));
            let highest = ranks.into_iter().flatten().map(|(context, _)| context).max();
            !input.bindings.is_active(usize::from(binding.context))
                || highest.is_some_and(|highest| highest > binding.context)
        });
    }

    /// Ends latches.
    pub(super) fn end_where(&mut self, is_over: impl Fn(&Self, Latch) -> bool) {
        for at in (0..self.latches.len()).rev() {
            if is_over(self, self.latches[at]) {
                let latch = self.latches.swap_remove(at);
                self.end(latch);
            }
        }
    }

    /// Ends a latch that was taken out.
    pub(super) fn end(&mut self, latch: Latch) {
        let binding = self.bindings.get(latch.binding as usize);
        let target = binding.map_or(usize::MAX, |binding| usize::from(binding.target));
        if let Some(action) = self.actions.get_mut(target) {
            action.end(self.frame);
        }
    }

    /// Returns the places of the bindings of both controls of a key.
    fn ranges(&self, controls: [Control; 2]) -> [Range<usize>; 2] {
        controls.map(|control| match control {
            Control::NONE => 0..0,
            control => self.bindings.of(control),
        })
    }
}
