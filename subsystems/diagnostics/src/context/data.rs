//! The data that a context can show.

use core::fmt::{self, Write};
use std::borrow::Cow;
use std::boxed::Box;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::string::String;
use std::sync::Arc;

/// Data of a context: a text, a path, a number, or a reference to one.
///
/// No other crate can implement it. It is made text while the program is failing, and what is
/// listed here does that without running anybody else's code: it cannot panic, wait for a lock,
/// allocate, or end the context that it is shown for. For an object of yours pass its name or its
/// number.
pub trait ContextData: Shown {}

impl<T: Shown + ?Sized> ContextData for T {}

pub(crate) mod sealed {
    use core::fmt;

    /// What can be shown without running anybody else's code.
    pub trait Shown {
        /// What a context holds of it: a copy of a number, else a reference. References to
        /// references are followed, so a context of a text needs no text in memory to point to.
        type Held<'h>: Copy
        where
            Self: 'h;

        /// Returns what a context holds.
        fn held(&self) -> Self::Held<'_>;

        /// Writes it as text; `out` is a text of fixed size.
        fn show<'h>(held: Self::Held<'h>, out: &mut dyn fmt::Write) -> fmt::Result
        where
            Self: 'h;
    }
}

use sealed::Shown;

/// Implements the trait for numbers and the like, which are copied.
macro_rules! copied {
    ($($type:ty),*) => {$(
        impl Shown for $type {
            type Held<'h> = Self;

            #[inline(always)]
            fn held(&self) -> Self {
                *self
            }

            fn show<'h>(held: Self::Held<'h>, out: &mut dyn Write) -> fmt::Result
            where
                Self: 'h,
            {
                write!(out, "{held}")
            }
        }
    )*};
}

copied!(bool, char, f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

/// Implements the trait for texts, of which the expression is what can be formatted.
macro_rules! text {
    ($($type:ty, $held:ident => $formatted:expr;)*) => {$(
        impl Shown for $type {
            type Held<'h> = &'h Self;

            #[inline(always)]
            fn held(&self) -> &Self {
                self
            }

            fn show<'h>($held: Self::Held<'h>, out: &mut dyn Write) -> fmt::Result
            where
                Self: 'h,
            {
                write!(out, "{}", $formatted)
            }
        }
    )*};
}

text! {
    str, held => held;
    Path, held => held.display();
    OsStr, held => held.display();
}

impl<T: Shown + ?Sized> Shown for &T {
    type Held<'h>
        = T::Held<'h>
    where
        Self: 'h;

    #[inline(always)]
    fn held(&self) -> Self::Held<'_> {
        (**self).held()
    }

    fn show<'h>(held: Self::Held<'h>, out: &mut dyn Write) -> fmt::Result
    where
        Self: 'h,
    {
        T::show(held, out)
    }
}

/// Implements the trait for what leads to something shown and is not followed before.
macro_rules! passed_on {
    ($([$($generics:tt)*] $type:ty => $shown:ty),*) => {$(
        impl<$($generics)*> Shown for $type {
            type Held<'h>
                = &'h Self
            where
                Self: 'h;

            #[inline(always)]
            fn held(&self) -> &Self {
                self
            }

            fn show<'h>(held: Self::Held<'h>, out: &mut dyn Write) -> fmt::Result
            where
                Self: 'h,
            {
                <$shown>::show((**held).held(), out)
            }
        }
    )*};
}

passed_on!(
    ['t, T: Shown + ?Sized] &'t mut T => T,
    [T: Shown + ?Sized] Box<T> => T,
    [T: Shown + ?Sized] Arc<T> => T,
    ['t] Cow<'t, str> => str,
    [] String => str,
    [] PathBuf => Path,
    [] OsString => OsStr
);
