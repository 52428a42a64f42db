//! Events of a clip: footsteps, hits, sounds.

use loligo_containers::blob_struct;
use loligo_ids::IdString32;

/// The bone of an event that is of none.
pub(crate) const OF_NO_BONE: u32 = u32::MAX;

blob_struct! {
    /// Something that happens at a frame of a clip.
    ///
    /// # Memory
    ///
    /// 12 bytes.
    pub struct ClipEvent {
        pub(crate) frame: f32,
        pub(crate) name: IdString32,
        pub(crate) bone: u32,
    }
}

impl ClipEvent {
    /// Returns its frame.
    #[inline]
    #[must_use]
    pub const fn frame(&self) -> f32 {
        self.frame
    }

    /// Returns its name, hashed.
    #[must_use]
    pub const fn name(&self) -> IdString32 {
        self.name
    }

    /// Returns the bone that it is of, if it is of one.
    #[must_use]
    pub const fn bone(&self) -> Option<usize> {
        if self.bone == OF_NO_BONE { None } else { Some(self.bone as usize) }
    }
}
