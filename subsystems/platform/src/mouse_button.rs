//! Buttons of a mouse.

use crate::named::named_enum;

named_enum! {
    /// A button of a mouse. Others than these five are not reported.
    MouseButton: u8 { Left, Right, Middle, Back, Forward }
}
