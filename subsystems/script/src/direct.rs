//! Bound functions that take and return values in registers.
//!
//! Each gets two entry points, compiled for it: no table is looked up, no slot is between, and the
//! checks of each argument are known at compile time. All values travel as 64-bit floats, so that
//! the foreign entry points differ in the number of their arguments alone.

use core::ffi::{c_int, c_void};
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use glam::{Mat4, Quat, Vec3};

use crate::entry;
use crate::frame::Frame;
use crate::handle;
use crate::kind::{IdKind, Kind};
use crate::lua::{Lua, Type, lua_CFunction, lua_State, upvalue};
use crate::runtime::{Bound, Failure, Runtime};
use crate::slots::{NAN, canonical};
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

macro_rules! arity {
    ($foreign:ident, $plain:ident, $($type:ident $name:ident $place:literal),*) => {
        impl<W, F, R, $($type),*> DirectFunction<W, ($($type,)*)> for F
        where
            F: Fn(&mut W, $($type),*) -> R + Copy + Send + Sync + 'static,
            R: DirectResult,
            $($type: DirectArgument,)*
        {
            const ARGUMENTS: &'static [Kind] = &[$($type::KIND),*];
            const RESULTS: &'static [Kind] = R::KINDS;
            const DIRECT: Direct<W> = Direct {
                plain: $plain::<W, F, R, $($type),*>,
                foreign: || $foreign::<W, F, R, $($type),*> as *const c_void,
                host: PhantomData,
            };
        }

        /// The way in from compiled code. What is not a number in the end is a failure where the
        /// slots say so.
        ///
        /// # Safety
        ///
        /// `bound` is the address of the [`Bound`] that this function is bound by.
        unsafe extern "C" fn $foreign<W, F, R, $($type),*>(
            bound: *const c_void,
            $($name: f64,)*
        ) -> f64
        where
            F: Fn(&mut W, $($type),*) -> R + Copy + Send + Sync + 'static,
            R: DirectResult,
            $($type: DirectArgument,)*
        {
            // SAFETY: the caller's promise; it is shared alone.
            let bound = unsafe { &*bound.cast::<Bound<W>>() };
            let kinds: &[Kind] = &[$($type::KIND),*];
            let ended = bound.runtime().enter_direct(kinds, &[$($name),*], |host, values| {
                // SAFETY: `Binding::direct` had one of it; the bounds of `F` are those that are
                // asked for.
                let function = unsafe { the::<F>() };
                function(host, $($type::taken($name, values)),*).given(values)
            });
            match ended {
                Ok(number) => number,
                Err(failure) => bound.flag_failure(failure, kinds, &[$($name),*]),
            }
        }

        /// The way in from Lua's stack.
        ///
        /// # Safety
        ///
        /// `state` is what Lua handed in, its memory is that of a [`Runtime`], and the function's
        /// upvalue is the address of its [`Bound`].
        unsafe extern "C-unwind" fn $plain<W, F, R, $($type),*>(state: *mut lua_State) -> c_int
        where
            F: Fn(&mut W, $($type),*) -> R + Copy + Send + Sync + 'static,
            R: DirectResult,
            $($type: DirectArgument,)*
        {
            let kinds: &[Kind] = &[$($type::KIND),*];
            // SAFETY: the caller's promise; nothing was pushed.
            let frame = unsafe { Frame::of(state) }.with_arguments(kinds.len());
            $(
                // SAFETY: there are as many arguments as kinds, at least.
                let number = unsafe { frame.number($place, $type::KIND) };
                let Some($name) = number else {
                    // SAFETY: the caller's promise.
                    unsafe { refuse_type::<W>(state, $place) }
                };
            )*
            // SAFETY: the caller's promise; it is shared alone.
            let runtime = unsafe { &*frame.memory().cast::<Runtime<'_, W>>() };
            let ended = runtime.enter_direct(kinds, &[$($name),*], |host, values| {
                // SAFETY: `Binding::direct` had one of it; the bounds of `F` are those that are
                // asked for.
                let function = unsafe { the::<F>() };
                function(host, $($type::taken($name, values)),*).given(values)
            });
            match ended {
                Ok(number) => frame.push(R::KINDS, number),
                // SAFETY: the caller's promise.
                Err(failure) => unsafe { fail::<W>(state, failure, kinds, &[$($name),*]) },
            }
        }
    };
}

arity!(foreign_none, plain_none,);
arity!(foreign_one, plain_one, A a 0);
arity!(foreign_two, plain_two, A a 0, B b 1);
arity!(foreign_three, plain_three, A a 0, B b 1, C c 2);
arity!(foreign_four, plain_four, A a 0, B b 1, C c 2, D d 3);

/// Returns the one value of a type without any bytes.
///
/// # Safety
///
/// There was one. `Copy` alone would not do: it says that there may be two, not that there may be
/// one later or elsewhere. That follows from `'static`, no lifetime ends the right to have one, and
/// from `Send`, a copy may be anywhere.
#[inline]
unsafe fn the<F: Copy + Send + Sync + 'static>() -> F {
    const { assert!(size_of::<F>() == 0, "a direct function captures nothing") };
    // SAFETY: there is nothing to read, and by the caller's promise such a value can be had.
    unsafe { NonNull::<F>::dangling().read() }
}

/// Returns the number that represents an argument on Lua's stack; `None` if it is of another type.
#[inline]
pub(crate) fn number_at(lua: Lua, place: c_int, kind: Kind) -> Option<f64> {
    let is = lua.type_of(place);
    match kind {
        Kind::Bool => (is == Type::Bool).then(|| f64::from(u8::from(lua.bool(place)))),
        Kind::OptionalId(_) if is == Type::Nil => Some(0.0),
        _ => (is == Type::Number).then(|| lua.number(place)),
    }
}

/// Returns the binding of the function that runs.
///
/// # Safety
///
/// `state` is what Lua handed in, and the function's upvalue is the address of its [`Bound`].
unsafe fn bound<'b, W>(state: *mut lua_State) -> (Lua, &'b Bound<W>) {
    // SAFETY: Lua's state is alive while Lua calls; the caller's frames keep the invariants.
    let lua = unsafe { Lua::of(state) };
    // SAFETY: the caller's promise; it is shared alone.
    (lua, unsafe { &*lua.pointer(upvalue(1)).cast::<Bound<W>>() })
}

/// Raises that an argument is of another type than it must be.
///
/// # Safety
///
/// As [`bound`].
#[cold]
#[inline(never)]
unsafe fn refuse_type<W>(state: *mut lua_State, argument: usize) -> ! {
    // SAFETY: the caller's promise.
    let (lua, bound) = unsafe { bound::<W>(state) };
    entry::refuse_argument(lua, bound, argument)
}

/// Raises why a direct function failed.
///
/// # Safety
///
/// As [`bound`].
#[cold]
#[inline(never)]
unsafe fn fail<W>(state: *mut lua_State, failure: Failure, kinds: &[Kind], arguments: &[f64]) -> ! {
    // SAFETY: the caller's promise.
    let (lua, bound) = unsafe { bound::<W>(state) };
    // The failure is dropped there, before the error leaves this frame.
    bound.say_failure(failure, kinds, arguments);
    entry::raise_message(lua, bound.runtime())
}

impl<W> Bound<W> {
    /// Says in the slots that a call failed, and returns what a foreign function returns then.
    #[cold]
    #[inline(never)]
    fn flag_failure(&self, failure: Failure, kinds: &[Kind], arguments: &[f64]) -> f64 {
        self.say_failure(failure, kinds, arguments);
        // SAFETY: by the runtime's invariant 3 nobody else looks at the slots now.
        let slots = unsafe { &mut *self.runtime().slots.get() };
        slots.failed = 1;
        NAN
    }
}
