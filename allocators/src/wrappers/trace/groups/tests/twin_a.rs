//! A file with a twin of the same text and a name as long: what is in both hashes alike.

use core::panic::Location;

pub(super) fn here() -> &'static Location<'static> {
    Location::caller()
}
