//! What a player can press, move or turn, as one number.

pub(crate) mod names;

use core::fmt;

use loligo_platform::{KeyCode, KeySymbol, MouseButton, PadAxis, PadButton};

use names::{ANALOG, MOUSE_BUTTONS, PAD_BUTTONS};

/// The bits below the kind.
const NUMBER_BITS: u32 = 24;

const KEY: u32 = 1;
const SYMBOL: u32 = 2;
const MOUSE_BUTTON: u32 = 3;
const PAD_BUTTON: u32 = 4;
/// From here on controls have a value and a direction.
const PAD_AXIS: u32 = 5;
const MOTION: u32 = 6;
const WHEEL: u32 = 7;

/// Directions of each axis: both, positive, negative.
const DIRECTIONS: u32 = 3;

/// A control: a key by its place or by its symbol, a button, or an axis of a mouse, a wheel or a
/// gamepad, whole or in one direction.
///
/// ```text
/// kind: 8 bits | number: 24 bits
///
/// key, symbol, button      the number of the key, of the symbol, of the button
/// axis                     three times the number of the axis, + 1 its positive half, + 2 its negative one
/// ```
///
/// So the controls of an axis follow each other in a sorted array. 0 is no control.
///
/// # Memory
///
/// Four bytes.
///
/// # Examples
///
/// ```
/// use loligo_input::Control;
/// use loligo_platform::KeyCode;
///
/// assert_eq!(Control::from_name("KeyW"), Some(Control::key(KeyCode::KeyW)));
/// let plus = Control::from_name("'+'").expect("the key that types a plus sign");
/// assert_eq!(plus.to_string(), "'+'");
/// assert_eq!(Control::from_name("KeyÄ"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Control(u32);

/// The part of an axis that a control is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Both,
    Plus,
    Minus,
}

/// A control that has a value, by its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Analog {
    Pad(PadAxis),
    Motion,
    Wheel,
}

impl Control {
    /// No control.
    pub(crate) const NONE: Self = Self(0);

    /// The first control of pads' axes, and the first after them.
    pub(crate) const PAD_AXES: [Self; 2] = [Self::new(PAD_AXIS, 0), Self::new(PAD_AXIS + 1, 0)];

    const fn new(kind: u32, number: u32) -> Self {
        Self(kind << NUMBER_BITS | number)
    }

    /// Returns a key by its place.
    #[must_use]
    pub const fn key(code: KeyCode) -> Self {
        Self::new(KEY, code as u32)
    }

    /// Returns a key by its symbol.
    #[must_use]
    pub const fn symbol(symbol: KeySymbol) -> Self {
        Self::new(SYMBOL, symbol.number())
    }

    /// Returns a button of the mouse.
    #[must_use]
    pub const fn mouse_button(button: MouseButton) -> Self {
        Self::new(MOUSE_BUTTON, button as u32)
    }

    /// Returns a button of a gamepad.
    #[must_use]
    pub const fn pad_button(button: PadButton) -> Self {
        Self::new(PAD_BUTTON, button as u32)
    }

    /// Returns a whole axis of a gamepad.
    pub(crate) const fn pad_axis(axis: PadAxis) -> Self {
        Self::new(PAD_AXIS, axis as u32 * DIRECTIONS)
    }

    /// Returns an axis of the mouse, 0 or 1.
    pub(crate) const fn motion(axis: u32) -> Self {
        Self::new(MOTION, axis * DIRECTIONS)
    }

    /// Returns an axis of the wheel, 0 or 1.
    pub(crate) const fn wheel(axis: u32) -> Self {
        Self::new(WHEEL, axis * DIRECTIONS)
    }

    /// Returns the half of a whole axis.
    pub(crate) const fn half(self, direction: Direction) -> Self {
        Self(self.0 + direction as u32)
    }

    /// Returns the control with a number, if any has it.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        let control = Self(number);
        let low = control.low();
        let is_known = match control.kind() {
            KEY => low > 0 && u16::try_from(low).ok().and_then(KeyCode::from_number).is_some(),
            SYMBOL => low > 0 && KeySymbol::from_number(low).is_some(),
            MOUSE_BUTTON => (low as usize) < MouseButton::ALL.len(),
            PAD_BUTTON => (low as usize) < PadButton::ALL.len(),
            _ => ANALOG.iter().any(|(_, known)| *known == control),
        };
        is_known.then_some(control)
    }

    /// Returns the number: a file holds it.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Returns the control with a name, as files write it.
    ///
    /// # Complexity
    ///
    /// O(names): for mappings that are compiled, not for a frame.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if let Some(symbol) = name.strip_prefix('\'').and_then(|name| name.strip_suffix('\'')) {
            return symbol_of(symbol).map(Self::symbol);
        }
        let place = |names: &[&str]| names.iter().position(|known| *known == name);
        if let Some(number) = place(&MOUSE_BUTTONS) {
            return Some(Self::new(MOUSE_BUTTON, number as u32));
        }
        if let Some(number) = place(&PAD_BUTTONS) {
            return Some(Self::new(PAD_BUTTON, number as u32));
        }
        if let Some((_, control)) = ANALOG.iter().find(|(known, _)| *known == name) {
            return Some(*control);
        }
        KeyCode::from_name(name).filter(|code| *code != KeyCode::Unidentified).map(Self::key)
    }

    const fn kind(self) -> u32 {
        self.0 >> NUMBER_BITS
    }

    const fn low(self) -> u32 {
        self.0 & ((1 << NUMBER_BITS) - 1)
    }

    /// Returns `true` if it is pressed and released, and has no value between.
    #[must_use]
    pub const fn is_digital(self) -> bool {
        self.kind() < PAD_AXIS
    }

    /// Returns what of the player's devices it is a part of: the whole axis for a half of it.
    pub(crate) const fn source(self) -> Self {
        if self.is_digital() { self } else { Self(self.0 - self.low() % DIRECTIONS) }
    }

    /// Returns which part of its axis it is.
    pub(crate) const fn direction(self) -> Direction {
        match self.low() % DIRECTIONS {
            1 => Direction::Plus,
            2 => Direction::Minus,
            _ => Direction::Both,
        }
    }

    /// Returns what its value comes from, if it has one.
    pub(crate) fn analog(self) -> Option<Analog> {
        match self.kind() {
            PAD_AXIS => {
                let axis = u16::try_from(self.low() / DIRECTIONS).ok()?;
                PadAxis::from_number(axis).map(Analog::Pad)
            }
            MOTION => Some(Analog::Motion),
            WHEEL => Some(Analog::Wheel),
            _ => None,
        }
    }

    /// Returns what a value of the axis is in its direction: of a half 0 or more.
    pub(crate) fn directed(self, value: f32) -> f32 {
        match self.direction() {
            Direction::Both => value,
            Direction::Plus => value.max(0.0),
            Direction::Minus => (-value).max(0.0),
        }
    }
}

/// Returns the symbol that is written between quotation marks.
fn symbol_of(text: &str) -> Option<KeySymbol> {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) if !character.is_control() => Some(KeySymbol::from_char(character)),
        _ => {
            let key = KeyCode::from_name(text).filter(|code| *code != KeyCode::Unidentified);
            key.map(KeySymbol::from_key)
        }
    }
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.low() as usize;
        let name = match self.kind() {
            KEY => KeyCode::ALL.get(place).map(|code| code.name()),
            SYMBOL => {
                let symbol = KeySymbol::from_number(self.low()).unwrap_or_default();
                return match (symbol.char(), symbol.key()) {
                    (Some(character), _) => write!(f, "'{character}'"),
                    (None, Some(key)) => write!(f, "'{key}'"),
                    (None, None) => f.write_str("no control"),
                };
            }
            MOUSE_BUTTON => MOUSE_BUTTONS.get(place).copied(),
            PAD_BUTTON => PAD_BUTTONS.get(place).copied(),
            _ => ANALOG.iter().find(|(_, known)| known == self).map(|(name, _)| *name),
        };
        f.write_str(name.unwrap_or("no control"))
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::*;
    use crate::control::names::names;

    #[test]
    fn names_and_numbers_lead_back() {
        for name in names() {
            let control = Control::from_name(name).expect("it is a name");
            assert_eq!(control.to_string(), name);
            assert_eq!(Control::from_number(control.number()), Some(control), "{name}");
        }
        for name in ["'w'", "'+'", "'''", "'ß'", "'Enter'"] {
            let control = Control::from_name(name).expect("it is a symbol");
            assert_eq!(control.to_string(), name);
            assert_eq!(Control::from_number(control.number()), Some(control), "{name}");
        }
        for name in ["", "'", "''", "'ab'", "Unidentified", "'Unidentified'", "keyw", "Pad"] {
            assert_eq!(Control::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn numbers_of_nothing_are_refused() {
        let wrong =
            [0, 1 << 24, 2 << 24, 2 << 24 | 0xd800, 3 << 24 | 5, 4 << 24 | 15, 5 << 24 | 18];
        for number in wrong.into_iter().chain([6 << 24 | 1, 7 << 24 | 6, 8 << 24, u32::MAX]) {
            assert_eq!(Control::from_number(number), None, "{number:#x}");
        }
    }

    #[test]
    fn halves_are_parts_of_an_axis() {
        let up = Control::from_name("PadLeftStickUp").expect("it is a name");
        let whole = Control::from_name("PadLeftY").expect("it is a name");
        assert_eq!((up.source(), up.direction()), (whole, Direction::Plus));
        assert_eq!((up.directed(0.5), up.directed(-0.5)), (0.5, 0.0));
        assert_eq!(up.analog(), Some(Analog::Pad(PadAxis::LeftY)));
    }
}
