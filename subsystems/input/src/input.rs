//! Actions and axes of a player, frame by frame.
//!
//! After Niklas Frykholm, "Managing Coupling Part 2 -- Polling, Callbacks and Events" (2011): input
//! is asked for, once a frame, and what happened between two frames comes as a stream of events.
//! Ours:
//!
//! - A game asks for actions and axes by name; files say which controls these are.
//! - A binding goes down by a press, never by being looked at: so nothing is pressed when a context
//!   is switched on, or the window gets the keyboard, while a key is held.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_ids::IdString32;

use crate::bindings::Bindings;
use crate::control::Control;
use crate::devices::{Devices, PADS_MAX};
use crate::mapping::Mapping;
use crate::mapping_error::MappingError;
use crate::mouse::Mouse;
use crate::state::{Action, Axis};

mod analog;
mod events;
mod routes;
mod validate;

/// The actions and axes of a player.
///
/// ```text
/// bindings | KeyA | KeyD | KeyS, ControlLeft held | KeyS | .. | PadLeftX | ..      sorted by control
/// latches  | which press, which binding | ..                                       what is down now
/// actions  | name, bindings that are down, frame of the last press and release | ..
/// axes     | name, values, motion of a frame | ..
/// ```
///
/// A frame is [`begin_frame`](Self::begin_frame), then [`apply`](Self::apply) with the events since
/// the last one. Names that the mapping does not have are never down, and 0.
///
/// # What counts
///
/// - An action is pressed once, however many of its keys are: it is released when all are up. One
///   that is pressed and released between two frames is both in the next one.
/// - Of the bindings of a control that fit, those in the highest active context count, and of those
///   the ones with the longest chord: `ControlLeft+KeyS` hides `KeyS`. A chord must be held before
///   its last control is pressed, and ends when any of it is released.
/// - Of several keys in one direction of an axis one counts, and opposite ones cancel. A mouse and
///   a wheel add what they did in the frame.
/// - Dead zones of sticks are round, and values begin at 0 at their edge.
/// - When a context is switched off, or another one above hides a control, what is down by it is
///   released. Nothing is pressed until the player presses it.
/// - Without the keyboard's focus everything is released, and no event counts.
///
/// # Complexity
///
/// O(events * log bindings + bindings that they touch), and in a frame in which anything was
/// pressed, released or tilted, O(axes + bindings of pads' axes) for the values. Asking is
/// O(log names).
///
/// # Memory
///
/// 20 bytes a binding, 4 for each held control of a chord, 24 an action, 24 an axis, 4 a context, 8
/// for each binding that is down, a block of 1 KiB for keys that are held, and the text of a frame.
/// Blocks are kept: a frame with no more text and no more that is down than one before allocates
/// nothing.
///
/// # When not to use it
///
/// For a text field, read [`text`](Self::text) and the key events themselves: it needs repeated
/// keys, which are no presses here.
///
/// # Examples
///
/// See the [crate](crate).
///
/// # Invariants
///
/// 1. Each action has as many bindings down as latches lead to it.
/// 2. A latch is of a press that is held, or of an axis of a pad, and of a binding that is there.
/// 3. The context of a latch is active.
pub struct Input<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    actions: Array<'a, Action, A>,
    axes: Array<'a, Axis, A>,
    bindings: Bindings<'a, A>,
    latches: Array<'a, Latch, A>,
    devices: Devices<'a, A>,
    text: Array<'a, u8, A>,
    mouse: Mouse,
    frame: u64,
    pad: Option<u16>,
    is_focused: bool,
    /// Whether values of axes are to be computed again.
    is_stale: bool,
}

/// A binding that is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Latch {
    /// The number of the press; or [`OF_AXIS`] and the number of the pad.
    press: u32,
    binding: u32,
}

/// Set in the press of what an axis holds down.
const OF_AXIS: u32 = 1 << 31;

const _: () = assert!(size_of::<Latch>() == 8, "the doc of `Input` states it");

impl<'a> Input<'a> {
    /// Returns an input without a mapping, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> Input<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self {
            actions: Array::new_in(memory),
            axes: Array::new_in(memory),
            bindings: Bindings::new_in(memory),
            latches: Array::new_in(memory),
            devices: Devices::new_in(memory),
            text: Array::new_in(memory),
            mouse: Mouse { position: [0.0; 2], delta: [0.0; 2], wheel: [0.0; 2] },
            frame: 1,
            pad: None,
            is_focused: true,
            is_stale: false,
        }
    }

    /// Loads a mapping: the payload of a resource of type `input`, at a multiple of 16 as that of a
    /// loaded resource is. The bytes are not used afterwards.
    ///
    /// Everything is released. Contexts of the same name as before stay active or not, so that a
    /// file can be changed while the game runs.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates.
    ///
    /// # Errors
    ///
    /// [`MappingError`] if they are not a mapping, or there is no memory. Nothing has changed.
    pub fn load(&mut self, payload: &[u8]) -> Result<(), MappingError> {
        let mapping = Mapping::open(payload)?;
        let memory = self.actions.memory();
        let bindings = Bindings::try_new(&mapping, &self.bindings, memory)?;
        let (mut actions, mut axes) = (Array::new_in(memory), Array::new_in(memory));
        actions.try_extend(mapping.actions.iter().map(|name| Action::new(*name)))?;
        axes.try_extend(mapping.axes.iter().map(|name| Axis::new(*name)))?;
        self.devices.try_reserve()?;
        self.release_all();
        (self.actions, self.axes, self.bindings) = (actions, axes, bindings);
        Ok(())
    }

    /// Returns the names of all contexts, lowest first, and whether each is active.
    pub fn contexts(&self) -> impl Iterator<Item = (IdString32, bool)> {
        self.bindings.contexts()
    }

    /// Returns `true` if a control is bound to anything, in any context. O(log bindings).
    #[must_use]
    pub fn binds(&self, control: Control) -> bool {
        !self.bindings.of(control).is_empty()
    }

    /// Begins a frame: nothing is pressed, released, moved or typed in it yet. O(1).
    pub fn begin_frame(&mut self) {
        self.frame += 1;
        self.text.clear();
        (self.mouse.delta, self.mouse.wheel) = ([0.0; 2], [0.0; 2]);
    }

    /// Returns `true` if any control of an action is down.
    #[must_use]
    pub fn is_down(&self, action: IdString32) -> bool {
        self.action(action).is_some_and(|action| action.down > 0)
    }

    /// Returns `true` if an action was pressed in this frame.
    #[must_use]
    pub fn pressed(&self, action: IdString32) -> bool {
        self.action(action).is_some_and(|action| action.pressed == self.frame)
    }

    /// Returns `true` if an action was released in this frame.
    #[must_use]
    pub fn released(&self, action: IdString32) -> bool {
        self.action(action).is_some_and(|action| action.released == self.frame)
    }

    /// Returns the value of an axis: from -1 to 1 by keys and sticks, times the scales of its
    /// bindings, and what mouse and wheel did in the frame.
    #[must_use]
    pub fn value(&self, axis: IdString32) -> f32 {
        let place = self.axes.binary_search_by_key(&axis, |axis| axis.name);
        place.map_or(0.0, |place| self.axes[place].value(self.frame))
    }

    /// Returns `true` if the mapping has an action of a name: `false` of one that is misspelt.
    #[must_use]
    pub fn has_action(&self, name: IdString32) -> bool {
        self.action(name).is_some()
    }

    /// Returns `true` if the mapping has an axis of a name.
    #[must_use]
    pub fn has_axis(&self, name: IdString32) -> bool {
        self.axes.binary_search_by_key(&name, |axis| axis.name).is_ok()
    }

    /// Returns the mouse, whatever it is bound to. O(1).
    #[must_use]
    pub const fn mouse(&self) -> Mouse {
        self.mouse
    }

    /// Returns what was typed in this frame.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    #[must_use]
    pub fn text(&self) -> &str {
        // Whole characters alone were appended.
        core::str::from_utf8(&self.text).unwrap_or_default()
    }

    /// Returns whether a context is active, or `None` if there is none of that name. O(contexts).
    #[must_use]
    pub fn is_context_active(&self, name: IdString32) -> Option<bool> {
        self.bindings.context(name).map(|place| self.bindings.is_active(place))
    }

    /// Switches a context on or off, and returns whether there is one of that name.
    ///
    /// What is down and does not count any more is released in this frame. Nothing is pressed.
    ///
    /// # Complexity
    ///
    /// O(what is down * log bindings + axes + bindings of pads' axes). Allocates nothing.
    pub fn set_context(&mut self, name: IdString32, is_active: bool) -> bool {
        let Some(place) = self.bindings.context(name) else { return false };
        if self.bindings.is_active(place) != is_active {
            self.bindings.set_active(place, is_active);
            self.end_hidden();
            self.is_stale = true;
            self.settle();
        }
        true
    }

    /// Listens to one gamepad only, or to all; a game for several players has an input for each.
    /// What other pads hold is released.
    pub fn set_pad(&mut self, pad: Option<u16>) {
        self.pad = pad;
        for other in 0..PADS_MAX as u16 {
            if !self.listens_to(other) {
                self.release_pad(other);
            }
        }
        self.settle();
    }

    /// Releases everything, as a lost focus does.
    pub fn release_all(&mut self) {
        while let Some(latch) = self.latches.pop() {
            self.end(latch);
        }
        self.devices.clear();
        self.is_stale = true;
        self.settle();
    }

    fn action(&self, name: IdString32) -> Option<&Action> {
        let place = self.actions.binary_search_by_key(&name, |action| action.name);
        place.ok().map(|place| &self.actions[place])
    }

    const fn listens_to(&self, pad: u16) -> bool {
        match self.pad {
            Some(only) => only == pad,
            None => true,
        }
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Input<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input")
            .field("actions", &self.actions.len())
            .field("axes", &self.axes.len())
            .field("bindings", &self.bindings.len())
            .field("down", &self.latches.len())
            .finish_non_exhaustive()
    }
}
