//! Axes of a gamepad.

use crate::named::named_enum;

named_enum! {
    /// An axis of a gamepad. Sticks go from -1 to 1, with 1 to the right and up; triggers go from
    /// 0 to 1.
    PadAxis: u16 { LeftX, LeftY, RightX, RightY, LeftTrigger, RightTrigger }
}

impl PadAxis {
    /// Returns the other axis of the same stick, if it is one of a stick.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_platform::PadAxis;
    ///
    /// assert_eq!(PadAxis::LeftX.other_of_stick(), Some(PadAxis::LeftY));
    /// assert_eq!(PadAxis::LeftTrigger.other_of_stick(), None);
    /// ```
    #[must_use]
    pub const fn other_of_stick(self) -> Option<Self> {
        match self {
            Self::LeftX => Some(Self::LeftY),
            Self::LeftY => Some(Self::LeftX),
            Self::RightX => Some(Self::RightY),
            Self::RightY => Some(Self::RightX),
            Self::LeftTrigger | Self::RightTrigger => None,
        }
    }
}
