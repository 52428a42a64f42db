//! Why a clip cannot be compressed.

use core::error::Error;
use core::fmt;
use std::string::String;

use loligo_containers::GrowError;

use crate::clip::{Channel, FRAMES_MAX};
use crate::skeleton::BONES_MAX;

/// A skeleton or a clip cannot be compressed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CompressError {
    /// There is no bone, or there are too many.
    Bones(usize),
    /// A list of the skeleton has another length than that of its bones.
    Lists {
        /// The list.
        list: &'static str,
        /// Its length.
        found: usize,
        /// The number of bones.
        bones: usize,
    },
    /// A bone's parent does not come before it.
    Parent {
        /// The bone's name.
        bone: String,
    },
    /// Two bones have the same name, or the same hash of a name.
    NameTwice {
        /// The second bone's name.
        bone: String,
    },
    /// A number of a bone is not finite, or a rotation has no length.
    Number {
        /// The bone's name.
        bone: String,
        /// The frame; none where it is the bind pose.
        frame: Option<usize>,
    },
    /// There is no sample, or there are too many.
    Frames(usize),
    /// The frames a second are not from 0.001 to 10000.
    Rate(f32),
    /// The samples are not a pose for each frame.
    Samples {
        /// The number of samples.
        found: usize,
        /// What there should be.
        expected: usize,
    },
    /// A jump is of a bone or a frame that is not there.
    Jump {
        /// The bone.
        bone: usize,
        /// The frame.
        frame: usize,
    },
    /// An event is of a bone or a frame that is not there.
    Event {
        /// Its name.
        name: String,
        /// Its frame.
        frame: f32,
        /// Its bone.
        bone: Option<usize>,
        /// The last frame of the clip.
        last: usize,
    },
    /// Keys of 48 bits at all frames are not exact enough.
    Bound {
        /// The bone whose skin is furthest off.
        bone: String,
        /// How far, in metres.
        error: f32,
        /// The bound, in metres.
        bound: f32,
        /// What moves the widest of the bone and those above.
        widest: Option<(Channel, String)>,
    },
    /// There is no memory.
    Memory(GrowError),
}

impl fmt::Display for CompressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bones(count) => {
                write!(f, "the skeleton has {count} bones; 1 to {BONES_MAX} are possible")
            }
            Self::Lists { list, found, bones } => {
                write!(f, "`{list}` has {found} elements; give one for each of the {bones} bones")
            }
            Self::Parent { bone } => {
                write!(f, "the parent of bone `{bone}` does not come before it; sort the bones")
            }
            Self::NameTwice { bone } => {
                write!(f, "two bones are called `{bone}`, or hash to the same; rename one")
            }
            Self::Number { bone, frame: Some(frame) } => write!(
                f,
                "bone `{bone}` is not at a finite place in frame {frame}; export the clip again"
            ),
            Self::Number { bone, frame: None } => write!(
                f,
                "bone `{bone}` is not at a finite place in the bind pose; export the model again"
            ),
            Self::Frames(count) => write!(
                f,
                "the clip has {count} frames; 1 to {} are possible: cut it, or sample it less often",
                FRAMES_MAX + 1
            ),
            Self::Rate(rate) => {
                write!(f, "the clip has {rate} frames a second; 0.001 to 10000 are possible")
            }
            Self::Samples { found, expected } => write!(
                f,
                "the clip has {found} samples; give {expected}, one for each bone and frame"
            ),
            Self::Jump { bone, frame } => write!(
                f,
                "bone {bone} is to jump in frame {frame}; name a bone and a frame that there are"
            ),
            Self::Event { name, frame, bone, last } => {
                write!(f, "the event `{name}` is at frame {frame}")?;
                bone.map_or(Ok(()), |bone| write!(f, " of bone {bone}"))?;
                write!(f, "; name one of the bones, and one of the frames 0 to {last}")
            }
            Self::Bound { bone, error, bound, widest } => {
                write!(
                    f,
                    "the skin at bone `{bone}` is {} cm off with the most exact keys; allow more than \
                     {} cm",
                    error * 100.0,
                    bound * 100.0
                )?;
                match widest {
                    Some((Channel::Position, bone)) => {
                        write!(f, ", or take the way out of `{bone}` and give it to the entity")
                    }
                    Some((_, bone)) => write!(f, ", or let `{bone}` move less in one clip"),
                    None => Ok(()),
                }
            }
            Self::Memory(error) => write!(f, "{error}"),
        }
    }
}

impl Error for CompressError {}

impl From<GrowError> for CompressError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}
