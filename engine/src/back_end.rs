//! Who draws: chosen when the engine boots.
//!
//! The text needs no graphics driver, so a machine without one runs the whole engine but for the picture, and tests
//! compare frames.

use core::error::Error;
use core::fmt;

use glam::Mat4;
use loligo_allocators::Allocator;
use loligo_containers::{Array, EventRecord, GrowError, text};
use loligo_render::{
    FrameDescription, LayerRef, Recorded, RenderContext, RenderWorld, Trace, play,
};

use crate::packet::{Scene, Wanted};

type Room<'e> = dyn Allocator + Sync + 'e;

/// The kind of the job that draws one material over the whole picture; its data is the material's state.
pub(crate) const FULL_SCREEN: u32 = loligo_ids::id32!("fullscreen").hash();

/// Who is to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackEndChoice {
    /// The graphics card, or a driver that computes in its place; text where there is neither.
    #[default]
    Auto,
    /// Text.
    Text,
}

/// All that there is to draw of a frame.
pub(crate) struct Picture<'p, 'e> {
    pub(crate) recorded: Recorded<'p, 'e, Room<'e>, Room<'e>>,
    pub(crate) world: &'p RenderWorld<'e, Room<'e>>,
    pub(crate) scene: &'p Scene,
    /// From the world to the shadow map.
    #[expect(dead_code, reason = "text shows no shadow")]
    pub(crate) shadow: Mat4,
    pub(crate) wanted: Wanted,
}

/// Who draws.
pub(crate) enum BackEnd<'e> {
    /// Nobody: frames are text, where that is wanted.
    Text(core::marker::PhantomData<&'e ()>),
}

impl<'e> BackEnd<'e> {
    pub(crate) fn new(choice: BackEndChoice) -> Self {
        match choice {
            BackEndChoice::Auto | BackEndChoice::Text => Self::Text(core::marker::PhantomData),
        }
    }

    /// Takes in a mesh, a texture, a shader or a material.
    pub(crate) fn upload(
        &mut self,
        record: &EventRecord<'_>,
        frame: &FrameDescription<'e, Room<'e>>,
    ) -> Result<(), BackEndError> {
        match self {
            // Text is written of numbers alone.
            Self::Text(_) => {
                let _ = (record, frame);
                Ok(())
            }
        }
    }

    /// Draws a frame. `text` and `pixels` are filled where they are wanted.
    pub(crate) fn draw(
        &mut self,
        picture: &Picture<'_, 'e>,
        text: &mut Array<'e, u8, Room<'e>>,
        pixels: &mut Array<'e, u8, Room<'e>>,
    ) -> Result<(), BackEndError> {
        text.clear();
        pixels.clear();
        if picture.wanted.text {
            write(picture, text)?;
        }
        match self {
            Self::Text(_) => Ok(()),
        }
    }
}

/// Who draws, in words, for the line that is printed at the start.
impl fmt::Display for BackEnd<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => f.write_str("nobody: a frame is text, and no picture can be had"),
        }
    }
}

/// Queues the drawing of one material over the whole picture.
pub(crate) fn queue_full_screen(
    context: &mut RenderContext<'_, Room<'_>>,
    layer: &LayerRef<'_>,
    state: u32,
) -> Result<(), GrowError> {
    context.try_job(layer.keys().key(state, 0, 0.0), FULL_SCREEN, &state.to_ne_bytes())
}

/// Writes a frame as text.
fn write<'e>(
    picture: &Picture<'_, 'e>,
    out: &mut Array<'e, u8, Room<'e>>,
) -> Result<(), BackEndError> {
    let Picture { recorded, scene, world, .. } = picture;
    let eye = scene.eye.translation;
    let written = text::try_format(
        out,
        format_args!(
            "frame {}: {} x {}, eye {:.3} {:.3} {:.3}, meshes {}\n",
            scene.frame,
            scene.size[0],
            scene.size[1],
            eye.x,
            eye.y,
            eye.z,
            world.mesh_count()
        ),
    );
    let mut sink = Sink(out);
    let mut trace = Trace::new(recorded.frame, &mut sink);
    let drawn = written.is_ok().then(|| play(recorded, &mut trace).and_then(|()| trace.finish()));
    match drawn {
        Some(Ok(())) => Ok(()),
        _ => Err(BackEndError::Text),
    }
}

/// Text that is appended to bytes.
struct Sink<'s, 'e>(&'s mut Array<'e, u8, Room<'e>>);

impl fmt::Write for Sink<'_, '_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        text::try_append(self.0, piece).map_err(|_| fmt::Error)
    }
}

/// Who draws has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackEndError {
    /// There was no memory for the text of a frame.
    Text,
}

impl fmt::Display for BackEndError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("there is no memory for the text of the frame"),
        }
    }
}

impl Error for BackEndError {}
