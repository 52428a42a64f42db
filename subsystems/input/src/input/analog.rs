//! What has a value: axes of pads, the motion of the mouse, the wheel.

use loligo_allocators::Allocator;
use loligo_containers::GrowError;
use loligo_platform::PadAxis;

use super::{Input, OF_AXIS};
use crate::control::{Analog, Control};
use crate::dead_zone::{axial, radial};
use crate::devices::Devices;
use crate::mapping::Binding;

/// An action that a stick or a trigger holds down goes up at this part of the value that it went
/// down at, so that a hand that trembles presses once.
const RELEASE: f32 = 0.8;

impl<A: Allocator + ?Sized> Input<'_, A> {
    /// An axis of a pad has a new value.
    pub(super) fn tilt(&mut self, pad: u16, axis: PadAxis, value: f32) -> Result<(), GrowError> {
        let value = if value.is_finite() { value.clamp(-1.0, 1.0) } else { 0.0 };
        let Some(before) = self.devices.set_axis(pad, axis, value) else { return Ok(()) };
        self.is_stale = true;
        let range = self.bindings.of(Control::pad_axis(axis));
        let press = OF_AXIS | u32::from(pad);
        self.end_where(|input, latch| {
            let place = latch.binding as usize;
            let binding = input.bindings.get(place).filter(|_| range.contains(&place));
            latch.press == press
                && binding.is_some_and(|binding| scaled(binding, value) < binding.edge * RELEASE)
        });
        let Some(rank) = self.bindings.rank(range.clone(), &self.devices) else { return Ok(()) };
        for place in range {
            let Some(binding) = self.bindings.get(place) else { continue };
            let is_action = usize::from(binding.target) < self.actions.len();
            let is_crossed =
                scaled(binding, before) < binding.edge && scaled(binding, value) >= binding.edge;
            let is_down = self
                .latches
                .iter()
                .any(|latch| latch.press == press && latch.binding as usize == place);
            if is_action && is_crossed && !is_down {
                self.begin_if(place, rank, press)?;
            }
        }
        Ok(())
    }

    /// The mouse was moved or the wheel turned, on one of their axes.
    pub(super) fn move_by(&mut self, source: Control, amount: f32) {
        if amount == 0.0 {
            return;
        }
        let range = self.bindings.of(source);
        let Some(rank) = self.bindings.rank(range.clone(), &self.devices) else { return };
        for place in range {
            let Some(binding) = self.bindings.get(place) else { continue };
            let motion = scaled(binding, amount);
            let target = usize::from(binding.target);
            if binding.rank() != rank
                || motion == 0.0
                || !self.bindings.fits(binding, &self.devices)
            {
                continue;
            }
            let actions = self.actions.len();
            if let Some(action) = self.actions.get_mut(target) {
                if motion > 0.0 && action.down == 0 {
                    action.begin(self.frame);
                    action.end(self.frame);
                }
            } else if let Some(axis) = self.axes.get_mut(target - actions) {
                axis.add(motion, self.frame);
            }
        }
    }

    /// Computes the values of axes, if anything has changed.
    pub(super) fn settle(&mut self) {
        if !core::mem::take(&mut self.is_stale) {
            return;
        }
        self.axes.iter_mut().for_each(|axis| axis.rest());
        for latch in &*self.latches {
            let Some(binding) = self.bindings.get(latch.binding as usize) else { continue };
            let place = usize::from(binding.target).checked_sub(self.actions.len());
            if let Some(axis) = place.and_then(|place| self.axes.get_mut(place)) {
                axis.hold(binding.scale);
            }
        }
        let all = self.bindings.of_pad_axes();
        let mut start = all.start;
        while let Some(first) = self.bindings.get(start).filter(|_| start < all.end) {
            let range = self.bindings.of(first.control.source());
            start = range.end;
            let rank = self.bindings.rank(range.clone(), &self.devices);
            for place in range {
                let Some(binding) = self.bindings.get(place) else { continue };
                let target = usize::from(binding.target).checked_sub(self.actions.len());
                let Some(axis) = target.and_then(|target| self.axes.get_mut(target)) else {
                    continue;
                };
                if Some(binding.rank()) == rank && self.bindings.fits(binding, &self.devices) {
                    axis.hold(stick(binding, &self.devices));
                }
            }
        }
    }
}

/// Returns a value in the direction of a binding, scaled.
fn scaled(binding: &Binding, value: f32) -> f32 {
    binding.control.directed(value) * binding.scale
}

/// Returns the value of a binding of a pad's axis: of the pad that is tilted most.
fn stick<A: Allocator + ?Sized>(binding: &Binding, devices: &Devices<'_, A>) -> f32 {
    let Some(Analog::Pad(axis)) = binding.control.analog() else { return 0.0 };
    let shaped = devices.sticks(axis).map(|(value, other)| match other {
        Some(other) => scaled(binding, radial([value, other], binding.edge)),
        None => scaled(binding, axial(value, binding.edge)),
    });
    shaped.fold(0.0, |most, value| if value.abs() > most.abs() { value } else { most })
}
