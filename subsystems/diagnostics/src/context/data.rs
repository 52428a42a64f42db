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
        type Held<'h>: Held
        where
            Self: 'h;

        /// Returns what a context holds.
        fn held(&self) -> Self::Held<'_>;
    }

    /// What a context holds.
    pub trait Held: Copy {
        /// Writes it as text; `out` is a text of fixed size.
        fn show(self, out: &mut dyn fmt::Write) -> fmt::Result;
    }
}

use sealed::{Held, Shown};

/// Implements the traits for numbers and the like, which are copied.
macro_rules! copied {
    ($($type:ty),*) => {$(
        impl Shown for $type {
            type Held<'h> = Self;

            #[inline(always)]
            fn held(&self) -> Self {
                *self
            }
        }

        impl Held for $type {
            fn show(self, out: &mut dyn Write) -> fmt::Result {
                write!(out, "{self}")
            }
        }
    )*};
}

copied!(bool, char, f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

/// Implements the traits for what a context refers to, and shows by the expression.
macro_rules! referred {
    ($([$($generics:tt)*] $type:ty, |$held:ident, $out:ident| $show:expr;)*) => {$(
        impl<$($generics)*> Shown for $type {
            type Held<'h>
                = &'h Self
            where
                Self: 'h;

            #[inline(always)]
            fn held(&self) -> &Self {
                self
            }
        }

        impl<$($generics)*> Held for &$type {
            fn show(self, $out: &mut dyn Write) -> fmt::Result {
                let $held = self;
                $show
            }
        }
    )*};
}

referred! {
    [] str, |text, out| out.write_str(text);
    [] Path, |path, out| write!(out, "{}", path.display());
    [] OsStr, |text, out| write!(out, "{}", text.display());
    [] String, |text, out| text.as_str().show(out);
    [] PathBuf, |path, out| path.as_path().show(out);
    [] OsString, |text, out| text.as_os_str().show(out);
    ['t] Cow<'t, str>, |text, out| (**text).show(out);
    ['t, T: Shown + ?Sized] &'t mut T, |data, out| (**data).held().show(out);
    [T: Shown + ?Sized] Box<T>, |data, out| (**data).held().show(out);
    [T: Shown + ?Sized] Arc<T>, |data, out| (**data).held().show(out);
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
}
