//! Errors that nobody expected: they stop the program.
//!
//! After Niklas Frykholm, "Sensible Error Handling: Part 1" (2012): callers need not plan for what
//! cannot happen, and what happened all the same is reported at once, with all that is known.
//! Changes: checks stay in release builds, and what a caller expected to go wrong is a `Result`,
//! which [`OrStop`] turns into a stop where it was not expected after all.

use core::cell::Cell;
use core::fmt::{self, Write};
use core::ops::Deref;
use core::panic::Location;

use crate::context::contexts;
use crate::fixed_text::FixedText;
use crate::installed;
use crate::report::Kind;

/// How long a message may be, in bytes.
const MESSAGE_BYTES_MAX: usize = 2_000;

/// Stops the program unless a condition holds.
///
/// `ensure!(CONDITION)` or `ensure!(CONDITION, "message", ..)`: the message is formatted only if
/// the program stops. It is checked in every build. With [`install`](crate::install()) a
/// [`Report`](crate::Report) is written and the program aborted; without, it is a panic whose
/// message holds the expression and the contexts.
///
/// # Complexity
///
/// As long as it holds, the condition and a branch that is predicted. Arguments of the message are
/// copied if they can be, once it does not hold; a name within the text (`"{count}"`) is referred
/// to, for which its variable is in memory and not in a register.
///
/// # Panics
///
/// If the condition does not hold and no report ends the program.
///
/// # Examples
///
/// ```
/// use loligo_diagnostics::{context, ensure};
///
/// fn parse_count(text: &str) -> u32 {
///     ensure!(!text.is_empty(), "a count has digits");
///     text.bytes().map(|digit| u32::from(digit - b'0')).fold(0, |count, digit| 10 * count + digit)
/// }
///
/// context!("When reading", "units.sjson");
/// assert_eq!(parse_count("12"), 12);
/// # let panic = std::panic::catch_unwind(|| parse_count("")).unwrap_err();
/// # assert!(panic.downcast_ref::<String>().unwrap().contains("When reading: units.sjson"));
/// ```
#[macro_export]
macro_rules! ensure {
    // The arguments of a message, one by one: `@message "text" [arguments so far] the others`.
    (@message $text:tt [$($done:tt)*]) => {
        ::core::format_args!($text $($done)*)
    };
    (@message $text:tt [$($done:tt)*] $name:ident = $argument:expr $(, $($rest:tt)*)?) => {
        $crate::ensure!(@message $text
            [$($done)*, $name = $crate::expanded::Argument::new(&$argument).kept()] $($($rest)*)?)
    };
    (@message $text:tt [$($done:tt)*] $argument:expr $(, $($rest:tt)*)?) => {
        $crate::ensure!(@message $text
            [$($done)*, $crate::expanded::Argument::new(&$argument).kept()] $($($rest)*)?)
    };
    ($condition:expr $(,)?) => {
        $crate::ensure!($condition, "")
    };
    ($condition:expr, $text:tt $(, $($arguments:tt)*)?) => {
        if !$condition {
            $crate::expanded::ensure_failed(
                ::core::stringify!($condition),
                $crate::ensure!(@message $text [] $($($arguments)*)?),
            );
        }
    };
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            $crate::expanded::ensure_failed(
                ::core::stringify!($condition),
                ::core::format_args!($($message)+),
            );
        }
    };
}

/// Stops the program at a place that no correct state leads to.
///
/// # Panics
///
/// Always, where no report ends the program.
///
/// # Examples
///
/// ```should_panic
/// use loligo_diagnostics::unreachable_state;
///
/// let lights = 3;
/// match lights {
///     0 | 1 => {}
///     more => unreachable_state!("{more} lights, though the level has one at most"),
/// }
/// ```
#[macro_export]
macro_rules! unreachable_state {
    () => {
        $crate::unreachable_state!("")
    };
    ($($message:tt)+) => {
        $crate::expanded::unreachable_reached(format_args!($($message)+))
    };
}

/// Where an error that can happen was not to happen here.
///
/// A missing file is expected where a person names it, and an error to return. It is not where the
/// program looks for its own data: there is nothing that a caller could do about it.
pub trait OrStop<T> {
    /// Returns what there is, or stops the program with `message` and the error.
    ///
    /// # Panics
    ///
    /// If there is an error, or nothing, and no report ends the program.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_diagnostics::OrStop;
    ///
    /// let bundle: Result<u32, &str> = Ok(7);
    /// assert_eq!(bundle.or_stop("the game's own bundle must be there; install it again"), 7);
    /// ```
    fn or_stop(self, message: &str) -> T;
}

impl<T, E: fmt::Display> OrStop<T> for Result<T, E> {
    #[inline]
    #[track_caller]
    fn or_stop(self, message: &str) -> T {
        match self {
            Ok(value) => value,
            Err(error) => stop(Kind::Stopped, format_args!("{message}: {error}")),
        }
    }
}

impl<T> OrStop<T> for Option<T> {
    #[inline]
    #[track_caller]
    fn or_stop(self, message: &str) -> T {
        match self {
            Some(value) => value,
            None => stop(Kind::Stopped, format_args!("{message}")),
        }
    }
}

/// An argument of a message.
///
/// Its [`kept`](Self::kept) is called in the branch that stops. Once it is inlined there, nothing
/// refers to the variable itself, which can stay in a register where the program goes on.
#[derive(Debug)]
pub struct Argument<'a, T: ?Sized>(NotCopied<'a, T>);

/// An argument that cannot be copied, or a type of which nothing is known. The compiler looks for a
/// method here if [`Argument::kept`] does not fit.
#[derive(Debug)]
pub struct NotCopied<'a, T: ?Sized>(&'a T);

impl<'a, T: ?Sized> Argument<'a, T> {
    /// Returns an argument of this value.
    #[inline(always)]
    #[must_use]
    pub const fn new(value: &'a T) -> Self {
        Self(NotCopied(value))
    }
}

impl<T: Copy> Argument<'_, T> {
    /// Returns a copy.
    #[inline(always)]
    #[must_use]
    pub const fn kept(&self) -> T {
        *self.0.0
    }
}

impl<'a, T: ?Sized> Deref for Argument<'a, T> {
    type Target = NotCopied<'a, T>;

    #[inline(always)]
    fn deref(&self) -> &NotCopied<'a, T> {
        &self.0
    }
}

impl<'a, T: ?Sized> NotCopied<'a, T> {
    /// Returns the reference.
    #[inline(always)]
    #[must_use]
    pub const fn kept(&self) -> &'a T {
        self.0
    }
}

/// Stops for a condition that does not hold.
#[cold]
#[inline(never)]
#[track_caller]
pub fn ensure_failed(expression: &'static str, message: fmt::Arguments<'_>) -> ! {
    stop(Kind::Ensure { expression }, message)
}

/// Stops for a place that was reached.
#[cold]
#[inline(never)]
#[track_caller]
pub fn unreachable_reached(message: fmt::Arguments<'_>) -> ! {
    stop(Kind::UnreachableState, message)
}

std::thread_local! {
    /// What this thread is about to panic for, and where.
    static STOPPING: Cell<Option<(Kind, &'static Location<'static>)>> = const { Cell::new(None) };
}

/// Returns why this thread panics at this place, if it does so by a macro of this crate.
pub(crate) fn stopping_at(place: Option<&Location<'_>>) -> Option<Kind> {
    let (kind, at) = STOPPING.take()?;
    (place == Some(at)).then_some(kind)
}

/// Panics with the message; the panic hook has the rest.
///
/// The message is formatted here, so that a panic in a `Display` of the caller becomes a separate
/// panic, with a report. Within the hook it would end the program without one.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn stop(kind: Kind, message: fmt::Arguments<'_>) -> ! {
    let mut text = FixedText::<MESSAGE_BYTES_MAX>::new();
    // What does not fit is cut.
    let _ = text.write_fmt(message);
    if !installed::is_installed() {
        let before = if text.as_str().is_empty() { "" } else { "\n" };
        let _ = write!(text, "{before}{kind}\n{}", contexts());
    }
    STOPPING.set(Some((kind, Location::caller())));
    panic!("{}", text.as_str());
}

#[cfg(test)]
mod tests;
