//! Gamepads, by gilrs.

use core::fmt;

use gilrs::ev::filter::axis_dpad_to_button;
use gilrs::{Axis, Button, EventType, Filter as _, Gilrs, GilrsBuilder};
use loligo_allocators::Allocator;
use loligo_containers::{EventStream, GrowError};

use crate::input_events::{PadAxisInput, PadButtonInput, PadConnected, PadDisconnected};
use crate::pad_axis::PadAxis;
use crate::pad_button::PadButton;
use crate::pads_error::PadsError;
use crate::reason::Reason;

/// The gamepads of the system, connected at any time.
///
/// # Memory
///
/// gilrs takes it from the program's global allocator, in all calls and in a thread that it may
/// start: a program that guards its heap exempts them.
///
/// # Examples
///
/// ```no_run
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::EventStream;
/// use loligo_platform::Pads;
///
/// static MEMORY: StaticHeap<65536> = StaticHeap::new("input");
/// let mut events: EventStream = EventStream::new(&MEMORY);
/// let mut pads = Pads::try_new()?;
/// // Once a frame:
/// events.clear();
/// pads.poll(&mut events)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Pads {
    gilrs: Gilrs,
}

impl Pads {
    /// Begins to listen to gamepads.
    ///
    /// # Errors
    ///
    /// [`PadsError`]: the system does not let the program listen.
    pub fn try_new() -> Result<Self, PadsError> {
        // Dead zones are those of the game's mapping, so gilrs cuts nothing off.
        let gilrs = GilrsBuilder::new().with_default_filters(false).build();
        match gilrs {
            Ok(gilrs) => Ok(Self { gilrs }),
            Err(error) => Err(PadsError { why: Reason::new(&error) }),
        }
    }

    /// Appends what has happened since the last call.
    ///
    /// # Complexity
    ///
    /// O(events).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for an event. It is lost; the others wait for the next
    /// call.
    pub fn poll<A: Allocator + ?Sized>(
        &mut self,
        events: &mut EventStream<'_, A>,
    ) -> Result<(), GrowError> {
        while let Some(event) =
            self.gilrs.next_event().filter_ev(&axis_dpad_to_button, &mut self.gilrs)
        {
            self.gilrs.update(&event);
            // Pads are numbered in the order in which they come: 65536 never do.
            let pad = usize::from(event.id) as u16;
            push(pad, event.event, events)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Pads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pads").finish_non_exhaustive()
    }
}

/// Appends an event of a pad.
fn push<A: Allocator + ?Sized>(
    pad: u16,
    event: EventType,
    events: &mut EventStream<'_, A>,
) -> Result<(), GrowError> {
    let mut button = |pressed: Button, is_pressed| match button(pressed) {
        Some(button) => events.try_push(PadButtonInput { pad, button, is_pressed }),
        None => Ok(()),
    };
    match event {
        EventType::ButtonPressed(pressed, _) => button(pressed, true),
        EventType::ButtonReleased(released, _) => button(released, false),
        EventType::ButtonChanged(changed, value, _) => match trigger(changed) {
            Some(axis) => events.try_push(PadAxisInput { pad, axis, value }),
            None => Ok(()),
        },
        EventType::AxisChanged(changed, value, _) => match axis(changed) {
            Some(axis) => events.try_push(PadAxisInput { pad, axis, value }),
            None => Ok(()),
        },
        EventType::Connected => events.try_push(PadConnected { pad }),
        EventType::Disconnected => events.try_push(PadDisconnected { pad }),
        _ => Ok(()),
    }
}

const fn button(button: Button) -> Option<PadButton> {
    Some(match button {
        Button::South => PadButton::South,
        Button::East => PadButton::East,
        Button::West => PadButton::West,
        Button::North => PadButton::North,
        Button::LeftTrigger => PadButton::LeftShoulder,
        Button::RightTrigger => PadButton::RightShoulder,
        Button::Select => PadButton::Select,
        Button::Start => PadButton::Start,
        Button::Mode => PadButton::Mode,
        Button::LeftThumb => PadButton::LeftStick,
        Button::RightThumb => PadButton::RightStick,
        Button::DPadUp => PadButton::DPadUp,
        Button::DPadDown => PadButton::DPadDown,
        Button::DPadLeft => PadButton::DPadLeft,
        Button::DPadRight => PadButton::DPadRight,
        _ => return None,
    })
}

/// Returns the axis of a button whose travel is measured.
const fn trigger(button: Button) -> Option<PadAxis> {
    match button {
        Button::LeftTrigger2 => Some(PadAxis::LeftTrigger),
        Button::RightTrigger2 => Some(PadAxis::RightTrigger),
        _ => None,
    }
}

const fn axis(axis: Axis) -> Option<PadAxis> {
    match axis {
        Axis::LeftStickX => Some(PadAxis::LeftX),
        Axis::LeftStickY => Some(PadAxis::LeftY),
        Axis::RightStickX => Some(PadAxis::RightX),
        Axis::RightStickY => Some(PadAxis::RightY),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use loligo_allocators::StaticHeap;

    use super::*;

    #[test]
    fn connections_are_appended_with_their_pad() {
        static MEMORY: StaticHeap<65536> = StaticHeap::new("test");
        let mut events: EventStream = EventStream::new(&MEMORY);
        push(3, EventType::Connected, &mut events).expect("there is memory");
        push(3, EventType::Disconnected, &mut events).expect("there is memory");
        push(3, EventType::Dropped, &mut events).expect("there is memory");
        let connected: Vec<PadConnected> = events.of().collect();
        let disconnected: Vec<PadDisconnected> = events.of().collect();
        assert_eq!((connected.len(), disconnected.len()), (1, 1), "{events:?}");
        assert_eq!((connected[0].pad, disconnected[0].pad), (3, 3));
    }

    #[test]
    fn triggers_are_axes_and_shoulders_are_buttons() {
        assert_eq!(button(Button::LeftTrigger), Some(PadButton::LeftShoulder));
        assert_eq!((button(Button::LeftTrigger2), button(Button::Unknown)), (None, None));
        assert_eq!(trigger(Button::RightTrigger2), Some(PadAxis::RightTrigger));
        assert_eq!((trigger(Button::South), axis(Axis::DPadX)), (None, None));
        assert_eq!(axis(Axis::RightStickY), Some(PadAxis::RightY));
    }
}
