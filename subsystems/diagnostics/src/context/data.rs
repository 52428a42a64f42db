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
        /// Writes it as text; `out` is a text of fixed size.
        fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result;
    }
}

use sealed::Shown;

/// Implements the trait for types that core shows.
macro_rules! shown {
    ($($type:ty),*) => {$(
        impl Shown for $type {
            fn show(&self, out: &mut dyn Write) -> fmt::Result {
                write!(out, "{self}")
            }
        }
    )*};
}

shown!(bool, char, str, f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

/// Implements the trait for what leads to something shown.
macro_rules! passed_on {
    ($([$($generics:tt)*] $type:ty),*) => {$(
        impl<$($generics)*> Shown for $type {
            fn show(&self, out: &mut dyn Write) -> fmt::Result {
                (**self).show(out)
            }
        }
    )*};
}

passed_on!(
    ['t, T: Shown + ?Sized] &'t T,
    ['t, T: Shown + ?Sized] &'t mut T,
    [T: Shown + ?Sized] Box<T>,
    [T: Shown + ?Sized] Arc<T>,
    ['t] Cow<'t, str>,
    [] String,
    [] PathBuf,
    [] OsString
);

impl Shown for Path {
    fn show(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{}", self.display())
    }
}

impl Shown for OsStr {
    fn show(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{}", self.display())
    }
}
