//! Bound functions that take and return values in registers.

use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;

use glam::{Mat4, Quat, Vec3};

use crate::handle;
use crate::kind::{IdKind, Kind};
use crate::lua::lua_CFunction;
use crate::slots::canonical;
use crate::temporaries::{Full, Temporaries};

/// The most arguments of a direct function.
pub(crate) const DIRECT_ARGUMENTS_MAX: usize = 4;

/// The two ways into a direct function; [`Binding::direct`](crate::Binding::direct) makes it.
pub struct Direct<W> {
    pub(crate) plain: lua_CFunction,
    /// Returns the address of a C function: `double (*)(void *, double, ..)`.
    pub(crate) foreign: fn() -> *const c_void,
    host: PhantomData<fn(&mut W)>,
}

impl<W> Direct<W> {
    pub(crate) const fn new(plain: lua_CFunction, foreign: fn() -> *const c_void) -> Self {
        Self { plain, foreign, host: PhantomData }
    }
}

impl<W> Clone for Direct<W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> Copy for Direct<W> {}

impl<W> fmt::Debug for Direct<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Direct").finish_non_exhaustive()
    }
}

/// Where temporaries of a direct function come from and go to.
#[derive(Clone, Copy)]
pub struct Values<'t>(pub(crate) &'t Temporaries<'t>);

impl fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Values").finish_non_exhaustive()
    }
}

/// Why a direct function gives no value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CallError {
    /// The frame had all its temporaries of a kind.
    Full(Kind),
    /// It refuses, for this reason.
    Refused(Reason),
}

/// Why a direct function refuses, with the number that was wrong: a text in which `{}` is replaced
/// by that number.
///
/// # Memory
///
/// 24 bytes, nothing else: a refusal takes no memory.
///
/// # Examples
///
/// ```
/// use loligo_script::Reason;
///
/// let reason = Reason::new("there is no lamp {}; there are four", 7.0);
/// assert_eq!(reason.to_string(), "there is no lamp 7; there are four");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reason {
    text: &'static str,
    number: f64,
}

impl Reason {
    /// Returns a reason.
    #[must_use]
    pub const fn new(text: &'static str, number: f64) -> Self {
        Self { text, number }
    }
}

/// A reason without a number.
impl From<&'static str> for Reason {
    fn from(text: &'static str) -> Self {
        Self { text, number: 0.0 }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text.split_once("{}") {
            Some((before, after)) => write!(f, "{before}{}{after}", self.number),
            None => f.write_str(self.text),
        }
    }
}

/// A kind of ids as a type, for arguments and results of direct functions.
pub trait IdType {
    /// The kind.
    const KIND: IdKind;
}

/// An id of a kind.
pub struct Id<T>(u32, PhantomData<fn(T)>);

impl<T> Id<T> {
    /// Wraps 32 bits.
    #[must_use]
    pub const fn new(bits: u32) -> Self {
        Self(bits, PhantomData)
    }

    /// Returns the 32 bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Id<T> {}

impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Id").field(&self.0).finish()
    }
}

/// What a direct function takes: `f64`, `f32`, `bool`, an [`Id`] or an optional one, a vector, a
/// rotation, a matrix.
pub trait DirectArgument: Sized {
    /// Its kind.
    const KIND: Kind;

    /// Makes it of the number that represents it.
    fn taken(number: f64, values: Values<'_>) -> Self;
}

/// What a direct function returns: what one takes, nothing, or a [`Result`] of these and the reason
/// why it refuses: a text, or a [`Reason`] with a number in it.
pub trait DirectResult: Sized {
    /// Its kind; empty for nothing.
    const KINDS: &'static [Kind];

    /// Makes the number that represents it.
    ///
    /// # Errors
    ///
    /// [`CallError`] if it is a refusal, or there is no room for the temporary.
    fn given(self, values: Values<'_>) -> Result<f64, CallError>;
}

macro_rules! value {
    ([$($T:ident)?] $type:ty, $kind:expr, |$number:ident, $values:ident| $taken:expr, |$value:ident, $to:ident| $given:expr) => {
        impl$(<$T: IdType>)? DirectArgument for $type {
            const KIND: Kind = $kind;

            #[inline]
            fn taken($number: f64, $values: Values<'_>) -> Self {
                $taken
            }
        }

        impl$(<$T: IdType>)? DirectResult for $type {
            const KINDS: &'static [Kind] = &[$kind];

            #[inline]
            fn given(self, $to: Values<'_>) -> Result<f64, CallError> {
                let $value = self;
                $given
            }
        }
    };
}

value!([] f64, Kind::Number, |number, _values| number, |value, _to| Ok(canonical(value)));
value!([] f32, Kind::Number, |number, _values| number as f32, |value, _to| Ok(canonical(
    f64::from(value)
)));
value!([] bool, Kind::Bool, |number, _values| number != 0.0, |value, _to| Ok(f64::from(u8::from(
    value
))));
value!(
    [T] Id<T>, Kind::Id(T::KIND),
    |number, _values| Self::new(handle::bits(number)),
    |value, _to| Ok(handle::pack(T::KIND, value.bits()))
);
value!(
    [T] Option<Id<T>>, Kind::OptionalId(T::KIND),
    |number, _values| (number != 0.0).then(|| Id::new(handle::bits(number))),
    |value, _to| Ok(value.map_or(0.0, |id| handle::pack(T::KIND, id.bits())))
);
value!([] Vec3, Kind::Vector3, |number, values| values.0.vector3(number), |value, to| or_full(
    to.0.add_vector3(value),
    Kind::Vector3
));
value!(
    [] Quat,
    Kind::Quaternion,
    |number, values| values.0.quaternion(number),
    |value, to| or_full(to.0.add_quaternion(value), Kind::Quaternion)
);
value!([] Mat4, Kind::Matrix4x4, |number, values| values.0.matrix(number), |value, to| or_full(
    to.0.add_matrix(value),
    Kind::Matrix4x4
));

fn or_full(added: Result<f64, Full>, kind: Kind) -> Result<f64, CallError> {
    added.map_err(|Full| CallError::Full(kind))
}

impl DirectResult for () {
    const KINDS: &'static [Kind] = &[];

    #[inline]
    fn given(self, _: Values<'_>) -> Result<f64, CallError> {
        Ok(0.0)
    }
}

impl<R: DirectResult> DirectResult for Result<R, &'static str> {
    const KINDS: &'static [Kind] = R::KINDS;

    #[inline]
    fn given(self, values: Values<'_>) -> Result<f64, CallError> {
        self.map_err(|why| CallError::Refused(why.into()))?.given(values)
    }
}

impl<R: DirectResult> DirectResult for Result<R, Reason> {
    const KINDS: &'static [Kind] = R::KINDS;

    #[inline]
    fn given(self, values: Values<'_>) -> Result<f64, CallError> {
        self.map_err(CallError::Refused)?.given(values)
    }
}

/// A function or a closure without captures that can be bound directly: it takes the host and up to
/// four values of [`DirectArgument`], and returns a [`DirectResult`]. A closure names the types of
/// all its parameters.
///
/// Only the type is kept: each call makes a value of it from nothing, on the thread of the machine
/// and as long as the machine lives. So the type must be `'static`, since a borrowed token would
/// outlive what it borrows, and `Send` and `Sync`, since the call may be on another thread than the
/// value that was bound.
pub trait DirectFunction<W, Arguments>: Copy + Send + Sync + 'static {
    /// What it takes.
    const ARGUMENTS: &'static [Kind];
    /// What it returns.
    const RESULTS: &'static [Kind];
    /// The ways in.
    const DIRECT: Direct<W>;
}
