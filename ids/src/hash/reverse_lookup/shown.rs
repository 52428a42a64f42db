//! An id as people want to see it.
#![forbid(unsafe_code)]

use core::fmt;

use crate::hash::id_string::IdString;

/// An id and its name, where that is known: what
/// [`ReverseLookup::show`](crate::ReverseLookup::show) returns. It prints as the name, else as `#`
/// and the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown<'a, I: IdString> {
    /// The id.
    pub id: I,
    /// Its name.
    pub name: Option<&'a str>,
}

impl<I: IdString> fmt::Display for Shown<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Some(name) => f.pad(name),
            None => write!(f, "#{}", self.id),
        }
    }
}
