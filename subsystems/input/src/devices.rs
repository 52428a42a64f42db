//! What is held of all devices, whatever it is bound to.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_platform::{KeyCode, KeySymbol, PadAxis};

use crate::control::Control;

/// The most keys and buttons that are held at a time; more are not noticed.
pub(crate) const HELD_MAX: usize = 64;

/// The most gamepads; events of others are not noticed.
pub const PADS_MAX: usize = 8;

const AXES: usize = PadAxis::ALL.len();

/// The pad of what is not a pad's.
pub(crate) const NO_PAD: u16 = u16::MAX;

/// A key or a button that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// By its place and by its symbol, as it was pressed: no key stays held when the
    /// layout changes meanwhile.
    pub(crate) controls: [Control; 2],
    /// The number of the press, which no other that is held has.
    pub(crate) press: u32,
    pub(crate) pad: u16,
}

/// Keys and buttons that are held, and where the axes of pads are.
pub(crate) struct Devices<'a, A: Allocator + ?Sized> {
    held: Array<'a, Held, A>,
    axes: [[f32; AXES]; PADS_MAX],
    presses: u32,
}

/// Presses are numbered below this.
const PRESSES: u32 = 1 << 31;

impl<'a, A: Allocator + ?Sized> Devices<'a, A> {
    pub(crate) const fn new_in(memory: &'a A) -> Self {
        Self { held: Array::new_in(memory), axes: [[0.0; AXES]; PADS_MAX], presses: 0 }
    }

    /// Makes room for all that can be held, so that no frame has to.
    pub(crate) fn try_reserve(&mut self) -> Result<(), GrowError> {
        self.held.try_reserve(HELD_MAX - self.held.len().min(HELD_MAX))
    }

    /// Presses a key or a button; `None` if it is held, or too many are.
    pub(crate) fn press(&mut self, controls: [Control; 2], pad: u16) -> Option<Held> {
        if self.position(controls, pad).is_some() || self.held.len() >= HELD_MAX {
            return None;
        }
        self.presses = (self.presses + 1) % PRESSES;
        let held = Held { controls, press: self.presses, pad };
        // Room was made when the mapping was loaded.
        self.held.try_push(held).ok()?;
        Some(held)
    }

    /// Releases a key or a button, and returns it as it was pressed.
    pub(crate) fn release(&mut self, controls: [Control; 2], pad: u16) -> Option<Held> {
        self.position(controls, pad).map(|at| self.held.swap_remove(at))
    }

    /// Finds it by its place, or by its symbol if it has no place.
    fn position(&self, controls: [Control; 2], pad: u16) -> Option<usize> {
        let side = usize::from(controls[0] == Control::NONE);
        let is_it = |held: &Held| {
            held.pad == pad && held.controls[0] == controls[0] && {
                side == 0 || held.controls[1] == controls[1]
            }
        };
        self.held.iter().position(is_it)
    }

    /// Returns what is held.
    pub(crate) fn held(&self) -> &[Held] {
        &self.held
    }

    /// Returns the controls of a press that is held.
    pub(crate) fn controls(&self, press: u32) -> Option<[Control; 2]> {
        self.held.iter().find(|held| held.press == press).map(|held| held.controls)
    }

    /// Returns `true` if a control is held, on any pad.
    pub(crate) fn is_held(&self, control: Control) -> bool {
        self.held.iter().any(|held| held.controls.contains(&control))
    }

    /// Sets an axis of a pad and returns its value of before; `None` of a pad that is not noticed.
    pub(crate) fn set_axis(&mut self, pad: u16, axis: PadAxis, value: f32) -> Option<f32> {
        let place = self.axes.get_mut(usize::from(pad))?.get_mut(axis as usize)?;
        Some(core::mem::replace(place, value))
    }

    /// Returns the values of an axis and of the other one of its stick, pad by pad.
    pub(crate) fn sticks(&self, axis: PadAxis) -> impl Iterator<Item = (f32, Option<f32>)> {
        let other = axis.other_of_stick();
        let value = |axes: &[f32; AXES], axis| axes.get(axis as usize).copied().unwrap_or(0.0);
        self.axes.iter().map(move |axes| (value(axes, axis), other.map(|other| value(axes, other))))
    }

    /// Lets the axes of a pad rest.
    pub(crate) fn rest(&mut self, pad: u16) {
        if let Some(axes) = self.axes.get_mut(usize::from(pad)) {
            *axes = [0.0; AXES];
        }
    }

    /// Releases everything.
    pub(crate) fn clear(&mut self) {
        self.held.clear();
        self.axes = [[0.0; AXES]; PADS_MAX];
    }
}

/// Returns both controls of a key.
pub(crate) fn key(code: KeyCode, symbol: KeySymbol) -> [Control; 2] {
    let code = match code {
        KeyCode::Unidentified => Control::NONE,
        code => Control::key(code),
    };
    let symbol = if symbol == KeySymbol::NONE { Control::NONE } else { Control::symbol(symbol) };
    [code, symbol]
}
