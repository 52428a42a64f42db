//! What players do, as events of a stream.
//!
//! After Niklas Frykholm, "Managing Coupling Part 2 -- Polling, Callbacks and Events" (2011): the
//! platform appends plain structs to an `EventStream`, and knows nothing of its readers. So a
//! stream that was recorded, or written by a test, is as good as one of a real keyboard.

use bytemuck::{AnyBitPattern, CheckedBitPattern, NoUninit};
use loligo_containers::Event;

use crate::key_code::KeyCode;
use crate::key_symbol::KeySymbol;
use crate::mouse_button::MouseButton;
use crate::pad_axis::PadAxis;
use crate::pad_button::PadButton;

/// A key was pressed or released, or repeats because it is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, CheckedBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct KeyInput {
    /// The key by its place.
    pub code: KeyCode,
    /// Whether it was pressed.
    pub is_pressed: bool,
    /// Whether the system repeats the press of a key that is held.
    pub is_repeat: bool,
    /// The key by the player's layout.
    pub symbol: KeySymbol,
}

/// A button of the mouse was pressed or released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, CheckedBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct MouseButtonInput {
    /// The button.
    pub button: MouseButton,
    /// Whether it was pressed.
    pub is_pressed: bool,
}

/// The mouse was moved, or its cursor was.
///
/// Systems report both separately: one event has a `delta` and the position of before, the next
/// one no `delta` and the new position.
#[derive(Clone, Copy, Debug, Default, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct MouseMotion {
    /// How far the mouse itself was moved, in the mouse's units, to the right and down.
    pub delta: [f32; 2],
    /// Where its cursor is, in pixels from the left upper corner of the window.
    pub position: [f32; 2],
}

/// The wheel was turned.
#[derive(Clone, Copy, Debug, Default, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct MouseWheel {
    /// How many lines the view goes to the right and up; parts of a line from a touchpad.
    pub lines: [f32; 2],
}

/// A button of a gamepad was pressed or released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, CheckedBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct PadButtonInput {
    /// The number of the pad, from 0 on.
    pub pad: u16,
    /// The button.
    pub button: PadButton,
    /// Whether it was pressed.
    pub is_pressed: bool,
}

/// An axis of a gamepad has a new value.
#[derive(Clone, Copy, Debug, PartialEq, CheckedBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct PadAxisInput {
    /// The number of the pad, from 0 on.
    pub pad: u16,
    /// The axis.
    pub axis: PadAxis,
    /// Its value, without a dead zone: from -1 to 1, of a trigger from 0 to 1.
    pub value: f32,
}

/// A gamepad was connected. All of its buttons are up and its axes at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct PadConnected {
    /// The number of the pad, from 0 on.
    pub pad: u16,
}

/// A gamepad was disconnected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct PadDisconnected {
    /// The number of the pad.
    pub pad: u16,
}

/// A character was typed, by the rules of the player's layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, CheckedBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct TextInput {
    /// The character; no control character.
    pub character: char,
}

/// The window has the keyboard now, or no more. What is released in between is not reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, CheckedBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct FocusChange {
    /// Whether it has it.
    pub is_focused: bool,
}

/// The types of all of these events.
pub const INPUT_EVENT_TYPES: [u32; 10] = [
    KeyInput::TYPE,
    MouseButtonInput::TYPE,
    MouseMotion::TYPE,
    MouseWheel::TYPE,
    PadButtonInput::TYPE,
    PadAxisInput::TYPE,
    PadConnected::TYPE,
    PadDisconnected::TYPE,
    TextInput::TYPE,
    FocusChange::TYPE,
];

#[cfg(test)]
mod tests {
    use loligo_allocators::StaticHeap;
    use loligo_containers::{Event, EventStream};
    use std::vec::Vec;

    use super::*;

    #[test]
    fn no_two_events_have_the_same_number() {
        let mut types = INPUT_EVENT_TYPES;
        types.sort_unstable();
        assert!(types.windows(2).all(|pair| pair[0] != pair[1]), "{types:?}");
    }

    #[test]
    fn wrong_bits_are_no_event() {
        static MEMORY: StaticHeap<65536> = StaticHeap::new("test");
        let mut stream: EventStream = EventStream::new(&MEMORY);
        let code = KeyCode::KeyA;
        let symbol = KeySymbol::from_char('a');
        let key = KeyInput { code, is_pressed: true, is_repeat: false, symbol };
        stream.push(key);
        stream.push(TextInput { character: 'a' });
        stream.try_push_bytes(KeyInput::TYPE, &[0xff; 8]).expect("there is memory");
        stream.try_push_bytes(TextInput::TYPE, &0xd800_u32.to_ne_bytes()).expect("as above");
        stream.try_push_bytes(FocusChange::TYPE, &[2]).expect("as above");
        assert_eq!(stream.of().collect::<Vec<KeyInput>>(), [key]);
        assert_eq!(stream.of().collect::<Vec<TextInput>>(), [TextInput { character: 'a' }]);
        assert_eq!(stream.of::<FocusChange>().count(), 0, "2 is neither true nor false");
    }
}
