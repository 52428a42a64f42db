//! One call of a bound function, as the function sees it.

use core::fmt;
use core::str;

use glam::{Mat4, Quat, Vec3};

use crate::field_value::FieldValue;
use crate::handle;
use crate::kind::{Kind, VECTOR3};
use crate::message::Message;
use crate::slots::{Slots, TextSlot, canonical};
use crate::temporaries::{Full, Temporaries};

/// The most bytes of all texts that one call returns.
pub const RESULT_TEXT_BYTES_MAX: usize = 4096;

/// That a bound function refused. Its reason is kept with the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentError(pub(crate) ());

/// Texts that are returned, copied.
pub(crate) struct ResultTexts {
    bytes: [u8; RESULT_TEXT_BYTES_MAX],
    len: usize,
}

impl ResultTexts {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; RESULT_TEXT_BYTES_MAX], len: 0 }
    }
}

/// The arguments and results of a bound function, while it runs.
///
/// Arguments are numbered from 0. Which kinds they have, says the function's
/// [`Binding`](crate::Binding), and they were checked before: with
/// [`Settings::checks`](crate::Settings::checks) also that ids and temporaries are of their kind,
/// without that alone that they are numbers. Results are returned in order, one for each that the
/// binding has.
///
/// # Panics
///
/// Methods panic where the table says otherwise: an argument that is missing or of another kind, a
/// result of another kind or one too many. The script sees an error.
pub struct Call<'c> {
    slots: &'c mut Slots,
    texts: &'c mut ResultTexts,
    message: &'c mut Message,
    temporaries: &'c Temporaries<'c>,
    arguments: &'static [Kind],
    results: &'static [Kind],
    returned: usize,
}

impl<'c> Call<'c> {
    pub(crate) fn new(
        slots: &'c mut Slots,
        texts: &'c mut ResultTexts,
        message: &'c mut Message,
        temporaries: &'c Temporaries<'c>,
        (arguments, results): (&'static [Kind], &'static [Kind]),
    ) -> Self {
        texts.len = 0;
        Self { slots, texts, message, temporaries, arguments, results, returned: 0 }
    }

    /// Returns how many results there are so far.
    pub(crate) const fn returned(&self) -> usize {
        self.returned
    }

    /// Returns a boolean argument.
    #[must_use]
    #[inline]
    pub fn bool(&self, argument: usize) -> bool {
        self.argument(argument, Kind::Bool) != 0.0
    }

    /// Returns a number.
    #[must_use]
    #[inline]
    pub fn number(&self, argument: usize) -> f64 {
        self.argument(argument, Kind::Number)
    }

    /// Returns a text's bytes, which are in the script's memory.
    #[must_use]
    pub fn bytes(&self, argument: usize) -> &[u8] {
        let _ = self.argument(argument, Kind::Text);
        self.slots.argument_text(argument)
    }

    /// Returns a text.
    ///
    /// # Errors
    ///
    /// [`ArgumentError`] to be passed on, if it is not UTF-8.
    pub fn text(&mut self, argument: usize) -> Result<&str, ArgumentError> {
        let _ = self.argument(argument, Kind::Text);
        if let Err(error) = str::from_utf8(self.slots.argument_text(argument)) {
            return Err(self.refuse(format_args!(
                "argument {} is not UTF-8 from its byte {} on",
                argument + 1,
                error.valid_up_to() + 1
            )));
        }
        Ok(str::from_utf8(self.slots.argument_text(argument)).unwrap_or_default())
    }

    /// Returns the 32 bits of an id.
    ///
    /// # Panics
    ///
    /// If the table has no id there.
    #[must_use]
    pub fn id(&self, argument: usize) -> u32 {
        let kind = self.arguments[argument];
        assert!(matches!(kind, Kind::Id(_)), "argument {argument} is a {}, not an id", kind.name());
        handle::bits(self.slots.arguments[argument])
    }

    /// Returns the 32 bits of an id; `None` for `nil`.
    ///
    /// # Panics
    ///
    /// If the table has no optional id there.
    #[must_use]
    pub fn optional_id(&self, argument: usize) -> Option<u32> {
        let kind = self.arguments[argument];
        let is_right = matches!(kind, Kind::OptionalId(_));
        assert!(is_right, "argument {argument} is a {}, not an optional id", kind.name());
        let number = self.slots.arguments[argument];
        (number != 0.0).then(|| handle::bits(number))
    }

    /// Returns a vector.
    #[must_use]
    #[inline]
    pub fn vector3(&self, argument: usize) -> Vec3 {
        self.temporaries.vector3(self.argument(argument, Kind::Vector3))
    }

    /// Returns a rotation.
    #[must_use]
    #[inline]
    pub fn quaternion(&self, argument: usize) -> Quat {
        self.temporaries.quaternion(self.argument(argument, Kind::Quaternion))
    }

    /// Returns a matrix.
    #[must_use]
    #[inline]
    pub fn matrix(&self, argument: usize) -> Mat4 {
        self.temporaries.matrix(self.argument(argument, Kind::Matrix4x4))
    }

    /// Returns how many elements a table of numbers has, as the script's `#` counts them.
    #[must_use]
    pub fn numbers_len(&self, argument: usize) -> usize {
        let _ = self.argument(argument, Kind::Numbers);
        self.slots.argument_texts[argument].bytes
    }

    /// Copies elements of a table of numbers into a slice, from an index on that begins at 0.
    /// Returns how many: fewer than the slice has room for where the table ends before, or has
    /// something else than a number there.
    ///
    /// # Complexity
    ///
    /// O(numbers).
    pub fn numbers(&self, argument: usize, first: usize, to: &mut [f64]) -> usize {
        let _ = self.argument(argument, Kind::Numbers);
        // SAFETY: the binding has a table of numbers there, so one was put into the slot.
        unsafe { self.slots.argument_numbers(argument, first, to) }
    }

    /// Returns the value of a name in a table of names and values; `None` if the table has none, or is
    /// `nil`.
    ///
    /// # Complexity
    ///
    /// O(names in the table). Allocates nothing.
    #[must_use]
    pub fn field(&self, argument: usize, name: &str) -> Option<FieldValue<'_>> {
        let _ = self.argument(argument, Kind::Fields);
        // SAFETY: the binding has such a table there, so one was put into the slot, or null.
        unsafe { self.slots.argument_field(argument, name) }
    }

    /// Returns `true` if a number of a table is that, and no id or temporary.
    #[must_use]
    pub fn is_plain(&self, number: f64) -> bool {
        handle::unpack(number).is_none()
    }

    /// Returns the vector that a number of a table refers to; `None` if it refers to none, or to
    /// one of a frame that is over.
    #[must_use]
    pub fn vector3_of(&self, number: f64) -> Option<Vec3> {
        let is_one = self.temporaries.check(number, VECTOR3).is_ok();
        is_one.then(|| self.temporaries.vector3(number))
    }

    /// Returns a boolean to the script.
    #[inline]
    pub fn return_bool(&mut self, value: bool) {
        self.result(Kind::Bool, f64::from(u8::from(value)));
    }

    /// Returns a number to the script.
    #[inline]
    pub fn return_number(&mut self, value: f64) {
        self.result(Kind::Number, canonical(value));
    }

    /// Returns an id to the script; its kind is that of the binding's result.
    pub fn return_id(&mut self, id: u32) {
        self.return_optional_id(Some(id));
    }

    /// Returns an id to the script, or `nil` where the binding's result may be that.
    ///
    /// # Panics
    ///
    /// If the table has no id there, or `nil` may not be.
    pub fn return_optional_id(&mut self, id: Option<u32>) {
        let kind = self.results[self.returned];
        let (Kind::Id(marker) | Kind::OptionalId(marker)) = kind else {
            panic!("result {} is a {}, not an id", self.returned, kind.name());
        };
        let is_allowed = id.is_some() || matches!(kind, Kind::OptionalId(_));
        assert!(is_allowed, "result {} is a {}, never nil", self.returned, kind.name());
        self.result(kind, id.map_or(0.0, |id| handle::pack(marker, id)));
    }

    /// Returns a temporary vector to the script.
    ///
    /// # Errors
    ///
    /// [`ArgumentError`] to be passed on, if this frame had too many.
    pub fn return_vector3(&mut self, value: Vec3) -> Result<(), ArgumentError> {
        let added = self.temporaries.add_vector3(value);
        self.temporary(Kind::Vector3, added)
    }

    /// Returns a temporary rotation to the script.
    ///
    /// # Errors
    ///
    /// As [`return_vector3`](Self::return_vector3).
    pub fn return_quaternion(&mut self, value: Quat) -> Result<(), ArgumentError> {
        let added = self.temporaries.add_quaternion(value);
        self.temporary(Kind::Quaternion, added)
    }

    /// Returns a temporary matrix to the script.
    ///
    /// # Errors
    ///
    /// As [`return_vector3`](Self::return_vector3).
    pub fn return_matrix(&mut self, value: Mat4) -> Result<(), ArgumentError> {
        let added = self.temporaries.add_matrix(value);
        self.temporary(Kind::Matrix4x4, added)
    }

    /// Returns a text to the script; Lua keeps equal texts once, and a new one is garbage later.
    ///
    /// # Errors
    ///
    /// [`ArgumentError`] to be passed on, if all texts that the call returns are more than
    /// [`RESULT_TEXT_BYTES_MAX`] bytes.
    pub fn return_text(&mut self, value: &str) -> Result<(), ArgumentError> {
        let (start, end) = (self.texts.len, self.texts.len + value.len());
        let Some(place) = self.texts.bytes.get_mut(start..end) else {
            return Err(self.refuse(format_args!(
                "a text of {} bytes is too long to return; {RESULT_TEXT_BYTES_MAX} is the most",
                value.len()
            )));
        };
        place.copy_from_slice(value.as_bytes());
        self.slots.result_texts[self.returned.min(3)] =
            TextSlot { data: place.as_ptr(), bytes: value.len() };
        self.texts.len = end;
        self.result(Kind::Text, 0.0);
        Ok(())
    }

    /// Says why the function refuses, in less than a thousand bytes; the function's name is put
    /// before. To be returned as an error.
    pub fn refuse(&mut self, why: fmt::Arguments<'_>) -> ArgumentError {
        self.message.set(why);
        ArgumentError(())
    }

    #[inline]
    fn argument(&self, argument: usize, kind: Kind) -> f64 {
        match self.arguments.get(argument) {
            Some(is) if is.is_like(kind) => self.slots.arguments[argument],
            is => wrong("argument", argument, is, kind),
        }
    }

    #[inline]
    fn result(&mut self, kind: Kind, number: f64) {
        let index = self.returned;
        match self.results.get(index) {
            Some(is) if is.is_like(kind) => self.slots.results[index] = number,
            is => wrong("result", index, is, kind),
        }
        self.returned = index + 1;
    }

    fn temporary(&mut self, kind: Kind, added: Result<f64, Full>) -> Result<(), ArgumentError> {
        match added {
            Ok(number) => {
                self.result(kind, number);
                Ok(())
            }
            Err(Full) => {
                let temporaries = self.temporaries;
                Err(self.refuse(format_args!("{}", temporaries.full(kind))))
            }
        }
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("arguments", &self.arguments)
            .field("results", &self.results)
            .field("returned", &self.returned)
            .finish()
    }
}

/// Panics: a bound function does not keep to its row of the table.
#[cold]
#[inline(never)]
fn wrong(what: &str, index: usize, is: Option<&Kind>, kind: Kind) -> ! {
    let is = is.map_or("value that the table does not have", |is| is.name());
    panic!("{what} {index} is a {is}, not a {}", kind.name());
}
