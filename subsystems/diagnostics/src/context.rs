//! Error contexts: what the program is about, in case it stops.
//!
//! After Niklas Frykholm, "Sensible Error Handling: Part 1" (2012), whose scope variable pushes two
//! pointers on a stack of the thread. Changes:
//!
//! - The stack is of fixed size, so nothing is allocated. What does not fit is counted.
//! - Data is any text, path or number; it is made text when a report is written.
//! - No context can be read after its data is gone: see `docs/decisions/0019-error-contexts.md`.

mod data;
mod guard;
mod stack;
#[cfg(test)]
mod tests;

use core::fmt::{self, Write};
use core::marker::PhantomData;

use crate::fixed_text::FixedText;
use crate::stack_bounds::StackBounds;

pub use data::ContextData;
pub use guard::{ContextPlace, Guard, Slot};
pub use stack::{CONTEXTS_MAX, contexts_lost};

use stack::STACK;

/// How much of a context's data is shown, in bytes.
const DATA_BYTES_MAX: usize = 400;

/// Says what the rest of the scope is about, for the report of an error in it.
///
/// `context!(NAME)` or `context!(NAME, DATA)`: the name is a constant text, the data any
/// [`ContextData`], which is borrowed until the scope ends; a number is copied instead. Both are in
/// the report of any error that stops the program in this scope, below those of the scopes around
/// it.
///
/// In an `async` body a context that is held across an `.await` is in the future rather than on the
/// stack: its name is reported, its data is not. Such a future is not `Send`.
///
/// # Complexity
///
/// O(1): two pointers are stored in a stack of the thread, and one number is set back when the
/// scope ends. Nothing is allocated. A number is copied; of other data only references are followed.
///
/// # Memory
///
/// Each thread has room for [`CONTEXTS_MAX`] contexts, 16 bytes each. A context beyond those is
/// counted instead, and the report says how many there were.
///
/// # Examples
///
/// ```
/// use loligo_diagnostics::{context, contexts};
///
/// fn spawn_unit(name: &str) -> String {
///     context!("When spawning unit", name);
///     contexts().to_string()
/// }
///
/// context!("When spawning level", "big_world");
/// assert_eq!(spawn_unit("big_bird"), "When spawning level: big_world\nWhen spawning unit: big_bird\n");
/// assert_eq!(contexts().to_string(), "When spawning level: big_world\n");
/// ```
#[macro_export]
macro_rules! context {
    ($name:expr $(,)?) => {
        $crate::context!($name, "");
    };
    ($name:expr, $data:expr $(,)?) => {
        let data = &$data;
        let slot = ::core::pin::pin!($crate::expanded::Slot::new(data));
        let _guard = {
            struct Here;
            impl $crate::expanded::ContextPlace for Here {
                const NAME: &'static str = $name;
            }
            // SAFETY: both are locals of the body that this is in, the guard declared after the
            // slot. The macro's hygiene hides their names, so nobody can move or forget them; a
            // future is leaked with all its locals.
            unsafe { slot.as_ref().push(Here) }
        };
    };
}

/// Returns the contexts of this thread, to be shown: a line each, outermost first.
///
/// # Examples
///
/// ```
/// use loligo_diagnostics::{context, contexts};
///
/// context!("When loading", 12);
/// assert_eq!(contexts().to_string(), "When loading: 12\n");
/// ```
#[must_use]
pub fn contexts() -> Contexts {
    Contexts { of_this_thread: PhantomData }
}

/// The contexts of this thread as they are when this is shown, a line each, outermost first.
///
/// Control characters are escaped; of each context's data up to 400 bytes are shown.
///
/// # Complexity
///
/// O(n) for n contexts, and a call of the system.
///
/// # Memory
///
/// Nothing is allocated by this crate. The C library may allocate for a moment, to find the bounds
/// of the stack.
#[derive(Clone, Copy, Debug)]
pub struct Contexts {
    /// Contexts are those of a thread, so this stays there.
    of_this_thread: PhantomData<*const ()>,
}

impl Contexts {
    /// Returns how many there are, those that found no room included.
    #[must_use]
    pub fn count(self) -> usize {
        STACK.with(stack::Stack::depth)
    }

    /// Calls `show` with each as a line without its end, outermost first; those without room as a
    /// last line.
    pub(crate) fn each_line(self, mut show: impl FnMut(&str) -> fmt::Result) -> fmt::Result {
        // Code called by `show` may end contexts that a future on this stack holds, so the depth is
        // asked for again each time, and a line is whole before it is shown.
        let bounds = StackBounds::of_this_thread();
        let mut index = 0;
        while let Some(line) = line(index, bounds) {
            show(line.as_str())?;
            index += 1;
        }
        let lost = self.count().saturating_sub(CONTEXTS_MAX);
        if lost > 0 {
            let mut line = FixedText::<LINE_BYTES_MAX>::new();
            let _ = write!(
                line,
                "(and {lost} inner contexts more than the {CONTEXTS_MAX} that are kept)"
            );
            show(line.as_str())?;
        }
        Ok(())
    }
}

impl fmt::Display for Contexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.each_line(|line| writeln!(f, "{line}"))
    }
}

/// Room for a name and for data.
const LINE_BYTES_MAX: usize = 2 * DATA_BYTES_MAX;

/// Returns the context with this index as text.
fn line(index: usize, bounds: Option<StackBounds>) -> Option<FixedText<LINE_BYTES_MAX>> {
    let mut data = FixedText::<DATA_BYTES_MAX>::new();
    let (name, is_shown) = STACK.with(|stack| stack.show(index, bounds, &mut data))?;
    let mut line = FixedText::new();
    // A name that fills the line leaves no room for data, which the reader sees.
    let _ = line.write_str(name);
    if !is_shown {
        let _ = line.write_str(": (data of a future, not on this stack)");
    } else if !data.as_str().is_empty() {
        let _ = line.write_str(": ");
        for character in data.as_str().chars() {
            let _ = if character.is_control() {
                write!(line, "{}", character.escape_default())
            } else {
                line.write_char(character)
            };
        }
    }
    if data.is_cut() || line.is_cut() {
        // Cut texts take nothing more, so the mark goes onto a copy of what was kept.
        let mut marked = FixedText::new();
        let kept = line.as_str();
        let _ = marked.write_str(&kept[..kept.floor_char_boundary(LINE_BYTES_MAX - MARK.len())]);
        let _ = marked.write_str(MARK);
        return Some(marked);
    }
    Some(line)
}

/// The text at the end of a line that was cut.
const MARK: &str = ".. (cut)";
