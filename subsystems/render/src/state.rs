//! State reflection: what the main thread does to render objects, as messages to the thread that
//! renders.
//!
//! After "State reflection" by the makers of Stingray: the main thread and the render thread share
//! no state; changes are recorded as messages with a header into a stream, which is handed over
//! once a frame and recycled afterwards. Changes:
//!
//! - A handle has a generation, and is used again only when the stream with its destruction has
//!   come back: until then the other side may still draw the object.
//! - Messages hold values and no pointers, so a stream can be kept, sent and refused: one that is
//!   damaged changes nothing on the other side.
//! - Objects of one type are in columns, in place of an object each.

mod error;
mod message;
mod recorder;
mod stream;

pub use error::{RecordError, StateError, StateErrorKind};
pub use message::{
    InstanceParameters, Light, MESH_HIDDEN, Mesh, RowParameters, Transform, layer_on,
};
pub use recorder::StateRecorder;
pub use stream::StateStream;

pub(crate) use message::{Kind, Material, Message, PlacedLight, STAGE_SHIFT, Shape};

use loligo_ids::SmallId;

/// What a [`RenderHandle`] names: a mesh or a light.
#[derive(Clone, Copy, Debug)]
pub struct RenderObject;

/// The name of a render object on both sides: 20 bits of index, 12 of generation.
pub type RenderHandle = SmallId<RenderObject>;
