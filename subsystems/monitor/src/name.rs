//! Names of what is recorded.

use core::fmt;
use core::ptr;

/// A name of a scope, a counter, a value or a heap: one word.
///
/// A static name is the address of a static text, so that recording it costs a constant. A name
/// that is made at run time is put into the monitor's table first
/// ([`Monitor::try_name`](crate::Monitor::try_name)), and is its number there.
///
/// # Examples
///
/// ```
/// use loligo_monitor::{Name, name};
///
/// const UPDATE: Name = Name::new(&"update");
/// assert_eq!(UPDATE.as_static(), Some("update"));
/// assert_eq!(name!("draw").as_static(), Some("draw"));
/// ```
///
/// # Invariants
///
/// 1. It is null, or the address of a static text, or an address without provenance whose lowest
///    bit is set.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Name(*const &'static str);

// SAFETY: what it points to is static and never changes (invariant 1).
unsafe impl Send for Name {}
// SAFETY: as above.
unsafe impl Sync for Name {}

impl Name {
    /// Returns the name that a static text is. [`name!`](crate::name!) is the short form.
    #[must_use]
    pub const fn new(text: &'static &'static str) -> Self {
        const { assert!(align_of::<&str>() >= 2, "the lowest bit of an address marks numbers") };
        Self(ptr::from_ref(text))
    }

    /// Returns no name: for slots that hold something else.
    pub(crate) const fn none() -> Self {
        Self(ptr::null())
    }

    /// Returns the name of a number of a table; it must be below 2^31.
    pub(crate) const fn numbered(number: u32) -> Self {
        Self(ptr::without_provenance(((number as usize) << 1) | 1))
    }

    /// Returns the number that [`numbered`](Self::numbered) was given.
    pub(crate) fn number(self) -> Option<u32> {
        (self.0.addr() & 1 == 1).then(|| (self.0.addr() >> 1) as u32)
    }

    /// Returns the text of a static name, `None` for one of a table.
    #[must_use]
    pub fn as_static(self) -> Option<&'static str> {
        if self.0.is_null() || self.number().is_some() {
            return None;
        }
        // SAFETY: it is neither null nor a number, so it is the address of a static text (invariant
        // 1).
        Some(unsafe { *self.0 })
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.as_static(), self.number()) {
            (Some(text), _) => write!(f, "Name({text:?})"),
            (None, Some(number)) => write!(f, "Name(number {number})"),
            (None, None) => f.write_str("Name(none)"),
        }
    }
}

/// Makes a [`Name`] of a constant text; a constant itself.
///
/// # Examples
///
/// ```
/// use loligo_monitor::name;
///
/// assert_eq!(name!("physics").as_static(), Some("physics"));
/// ```
#[macro_export]
macro_rules! name {
    ($text:expr) => {
        const { $crate::Name::new(&$text) }
    };
}
