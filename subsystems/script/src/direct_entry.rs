//! The ways into direct functions.
//!
//! Each function gets two, compiled for it: no table is looked up, no slot is between, and the checks
//! of each argument are known at compile time. All values travel as 64-bit floats, so that the
//! foreign ones differ in the number of their arguments alone.

use core::ffi::{c_int, c_void};
use core::ptr::NonNull;

use crate::direct::{Direct, DirectArgument, DirectFunction, DirectResult};
use crate::entry;
use crate::frame::Frame;
use crate::kind::Kind;
use crate::lua::{Lua, lua_State, upvalue};
use crate::runtime::{Bound, Failure, Runtime};
use crate::slots::NAN;

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
            const DIRECT: Direct<W> = Direct::new(
                $plain::<W, F, R, $($type),*>,
                || $foreign::<W, F, R, $($type),*> as *const c_void,
            );
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
