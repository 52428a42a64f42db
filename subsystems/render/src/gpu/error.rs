//! What can go wrong while the graphics card is used.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;
use loligo_gpu::GpuError;

/// Why something was not uploaded, or a frame not drawn. What was there before is there still.
#[derive(Debug)]
#[non_exhaustive]
pub enum GpuRenderError {
    /// The graphics card, or a shader.
    Gpu(GpuError),
    /// The allocator had no memory.
    Memory(GrowError),
    /// There is no room for a mesh.
    Full {
        /// Vertices or indices.
        what: &'static str,
        /// How many it has.
        wanted: u64,
        /// How many all meshes together may have.
        limit: u64,
    },
    /// A number is too large.
    Number {
        /// Of what.
        what: &'static str,
        /// The number.
        number: u32,
        /// How many there can be.
        limit: u32,
    },
    /// Nothing was uploaded by that number.
    Nothing {
        /// A material, a shader or a texture.
        what: &'static str,
        /// The number.
        number: u32,
    },
    /// The data are not a valid mesh.
    Mesh {
        /// What is wrong with it.
        why: &'static str,
        /// Where: the number of an index, or of bytes.
        at: u64,
    },
    /// A texture's levels are not as long as its size says.
    Texture {
        /// How many bytes there are.
        bytes: u64,
        /// How many there should be.
        expected: u64,
    },
    /// A mesh that bones are to move has no skin of that many vertices, or there are no bones.
    Skin {
        /// The number of the mesh.
        mesh: u32,
    },
    /// A record of a draw reaches over what was uploaded.
    Record {
        /// The number of the record.
        record: u32,
        /// Indices or instances.
        what: &'static str,
        /// Where it ends.
        end: u64,
        /// How many there are.
        limit: u64,
    },
    /// The display list is not of the frame that was set.
    Frame {
        /// The number of the pass that was not expected.
        pass: u16,
    },
    /// A job is of a kind that this back end does not know, or its data are not.
    Job {
        /// Its kind.
        kind: u32,
        /// How many bytes of data it has.
        bytes: usize,
    },
}

impl fmt::Display for GpuRenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gpu(error) => error.fmt(f),
            Self::Memory(error) => error.fmt(f),
            Self::Full { what, wanted, limit } => write!(
                f,
                "no room for {wanted} {what} of a mesh beside those of the others; the buffer has {limit}, as the options say"
            ),
            Self::Number { what, number, limit } => {
                write!(
                    f,
                    "the number {number} of a {what} is none of the {limit} that there can be"
                )
            }
            Self::Nothing { what, number } => {
                write!(f, "there is no {what} {number}; upload it before something names it")
            }
            Self::Mesh { why, at } => write!(f, "the mesh is damaged: {why} ({at})"),
            Self::Texture { bytes, expected } => write!(
                f,
                "the texture has {bytes} bytes of pixels, and by its size and levels should have {expected}"
            ),
            Self::Skin { mesh } => write!(
                f,
                "mesh {mesh} is to be moved by bones, and has not that many vertices with a skin, or there are no bones; was it \
                 replaced?"
            ),
            Self::Record { record, what, end, limit } => write!(
                f,
                "record {record} of the display list draws {what} up to {end}, and there are {limit}; was a mesh removed?"
            ),
            Self::Frame { pass } => write!(
                f,
                "pass {pass} of the display list is not of the frame that was set; set the frame again when it changes"
            ),
            Self::Job { kind, bytes } => write!(
                f,
                "a job of kind {kind:#010x} with {bytes} bytes is none of the graphics card's; it knows FULLSCREEN with the \
                 number of a material"
            ),
        }
    }
}

impl Error for GpuRenderError {}

impl From<GpuError> for GpuRenderError {
    fn from(error: GpuError) -> Self {
        Self::Gpu(error)
    }
}

impl From<GrowError> for GpuRenderError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}
