//! Parts of resources that are read while they are used.

use loligo_ids::IdString64;

/// A part of the tail of a resource's file that a subsystem wants: of what its compiler has put after the payload, so
/// that it is not loaded with that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TailRead {
    /// The hash of the resource's type.
    pub type_hash: IdString64,
    /// The hash of its name.
    pub name: IdString64,
    /// How many bytes before the end of the file it begins.
    pub from_end: u64,
    /// How many bytes it has.
    pub bytes: u32,
    /// By what the subsystem knows it.
    pub tag: u32,
    /// Whether the frame waits for it: it is there before the next update. Else it comes when it was read.
    pub is_waited_for: bool,
}
