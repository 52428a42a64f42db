//! Why a machine cannot be played with some clips.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;
use loligo_ids::{IdString32, IdString64};

/// A machine cannot be played with a skeleton and clips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MachineError {
    /// There is not one clip for each that the machine names.
    Clips {
        /// How many there are.
        found: usize,
        /// How many it names.
        expected: usize,
    },
    /// A clip is for a skeleton with another number of bones.
    Bones {
        /// The clip's name, hashed.
        clip: IdString64,
        /// The bones that it is for.
        found: usize,
        /// The bones of the skeleton.
        expected: usize,
    },
    /// A mark is past the end of a clip.
    Mark {
        /// The clip's name, hashed.
        clip: IdString64,
        /// The last frame of the clip.
        last_frame: u32,
    },
    /// The skeleton has no bone of a mask, or not the root.
    Bone {
        /// The bone's name, hashed.
        bone: IdString32,
    },
    /// There is no memory.
    Memory(GrowError),
}

impl fmt::Display for MachineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clips { found, expected } => write!(
                f,
                "there are {found} clips for {expected} that the machine names; pass one for each, in their \
                 order"
            ),
            Self::Bones { clip, found, expected } => write!(
                f,
                "the clip {clip} is for {found} bones, and the skeleton has {expected}; compile it for this \
                 skeleton"
            ),
            Self::Mark { clip, last_frame } => write!(
                f,
                "the clip {clip} has a mark that is not before its last frame, {last_frame}; name frames of \
                 the clip in the machine's source, and recompile it"
            ),
            Self::Bone { bone } => write!(
                f,
                "the skeleton has no bone {bone}, which the machine names; compile the machine for this \
                 skeleton"
            ),
            Self::Memory(error) => write!(f, "{error}"),
        }
    }
}

impl Error for MachineError {}

impl From<GrowError> for MachineError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}
