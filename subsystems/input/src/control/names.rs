//! The names of controls, as files write them. Keys have the names of `KeyCode`.

#[cfg(any(feature = "compile", test))]
use loligo_platform::KeyCode;
use loligo_platform::PadAxis;

use crate::control::{Control, Direction};

/// Buttons of the mouse, each at its number.
pub(crate) const MOUSE_BUTTONS: [&str; 5] =
    ["MouseLeft", "MouseRight", "MouseMiddle", "MouseBack", "MouseForward"];

/// Buttons of gamepads, each at its number.
pub(crate) const PAD_BUTTONS: [&str; 15] = [
    "PadSouth",
    "PadEast",
    "PadWest",
    "PadNorth",
    "PadLeftShoulder",
    "PadRightShoulder",
    "PadSelect",
    "PadStart",
    "PadMode",
    "PadLeftStick",
    "PadRightStick",
    "PadDPadUp",
    "PadDPadDown",
    "PadDPadLeft",
    "PadDPadRight",
];

const PLUS: Direction = Direction::Plus;
const MINUS: Direction = Direction::Minus;

/// What has a value. The mouse has no halves: nobody pushes it in one direction only.
pub(crate) const ANALOG: [(&str, Control); 22] = [
    ("MouseX", Control::motion(0)),
    ("MouseY", Control::motion(1)),
    ("WheelX", Control::wheel(0)),
    ("WheelRight", Control::wheel(0).half(PLUS)),
    ("WheelLeft", Control::wheel(0).half(MINUS)),
    ("WheelY", Control::wheel(1)),
    ("WheelUp", Control::wheel(1).half(PLUS)),
    ("WheelDown", Control::wheel(1).half(MINUS)),
    ("PadLeftX", Control::pad_axis(PadAxis::LeftX)),
    ("PadLeftStickRight", Control::pad_axis(PadAxis::LeftX).half(PLUS)),
    ("PadLeftStickLeft", Control::pad_axis(PadAxis::LeftX).half(MINUS)),
    ("PadLeftY", Control::pad_axis(PadAxis::LeftY)),
    ("PadLeftStickUp", Control::pad_axis(PadAxis::LeftY).half(PLUS)),
    ("PadLeftStickDown", Control::pad_axis(PadAxis::LeftY).half(MINUS)),
    ("PadRightX", Control::pad_axis(PadAxis::RightX)),
    ("PadRightStickRight", Control::pad_axis(PadAxis::RightX).half(PLUS)),
    ("PadRightStickLeft", Control::pad_axis(PadAxis::RightX).half(MINUS)),
    ("PadRightY", Control::pad_axis(PadAxis::RightY)),
    ("PadRightStickUp", Control::pad_axis(PadAxis::RightY).half(PLUS)),
    ("PadRightStickDown", Control::pad_axis(PadAxis::RightY).half(MINUS)),
    ("PadLeftTrigger", Control::pad_axis(PadAxis::LeftTrigger)),
    ("PadRightTrigger", Control::pad_axis(PadAxis::RightTrigger)),
];

/// Returns all names, but those of symbols.
#[cfg(any(feature = "compile", test))]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let keys = KeyCode::ALL.iter().filter(|code| **code != KeyCode::Unidentified);
    let buttons = MOUSE_BUTTONS.into_iter().chain(PAD_BUTTONS);
    keys.map(|code| code.name()).chain(buttons).chain(ANALOG.iter().map(|(name, _)| *name))
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::vec::Vec;

    use loligo_platform::{MouseButton, PadButton};

    use super::*;

    #[test]
    fn buttons_are_named_after_the_platform_s() {
        let mouse: Vec<_> =
            MouseButton::ALL.iter().map(|button| format!("Mouse{button}")).collect();
        assert_eq!(mouse, MOUSE_BUTTONS);
        let pad: Vec<_> = PadButton::ALL.iter().map(|button| format!("Pad{button}")).collect();
        assert_eq!(pad, PAD_BUTTONS);
    }

    #[test]
    fn no_name_is_taken_twice() {
        let mut all: Vec<_> = names().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "{all:?}");
    }
}
