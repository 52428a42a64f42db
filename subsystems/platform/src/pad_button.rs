//! Buttons of a gamepad.

use crate::named::named_enum;

named_enum! {
    /// A button of a gamepad, by its place: `South` is A on an Xbox pad and the cross on a
    /// PlayStation one. Triggers are axes, as their travel is measured: see
    /// [`PadAxis`](crate::PadAxis).
    PadButton: u8 {
        South, East, West, North, LeftShoulder, RightShoulder, Select, Start, Mode, LeftStick,
        RightStick, DPadUp, DPadDown, DPadLeft, DPadRight,
    }
}
