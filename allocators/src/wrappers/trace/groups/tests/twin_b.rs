//! One of two files with equal text and names of equal length: both hashes use only these.

use core::panic::Location;

pub(super) fn here() -> &'static Location<'static> {
    Location::caller()
}
