//! When a recording begins.

use core::time::Duration;

/// When a recording begins. Blocks that are live then are not known: their frees are counted and
/// left out, and a reallocation counts as an allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum After {
    /// With the program.
    #[default]
    Nothing,
    /// When the program sets the mark of this value by `loligo_frame_mark`.
    Mark(u64),
    /// After as many allocations, frees and reallocations.
    Events(u64),
    /// After a time.
    Time(Duration),
}
