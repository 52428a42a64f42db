//! The back end that draws: chosen when the engine boots.
//!
//! The text needs no graphics driver, so a machine without one runs the whole engine but for the
//! picture, and tests compare frames.

use core::fmt;

use loligo_allocators::SharedRef;
use loligo_containers::{Array, EventRecord, GrowError, text};
use loligo_diagnostics::{Log, log};
use loligo_ids::murmur2_64a;
use loligo_interface::SubsystemRow;
use loligo_render::{
    CardBlocks, FrameDescription, FrameLights, InstanceParameters, LayerRef, Light, Recorded,
    RenderContext, RenderWorld, RowParameters, Skinning, Trace, TraceContents, Transform, play,
};

use super::drawn_view::DrawnView;
use super::game_window::WindowSetup;
use super::packet::{Packet, Scene, Wanted};
use super::texture_table::TextureTable;
use crate::cpu::in_driver;
use crate::error::{BackEndError, EngineError};
use crate::memory::SharedAllocator;
use crate::options::BackEndChoice;
use crate::world::SceneView;

#[cfg(feature = "gpu")]
mod card;

/// The kind of the job that draws one material over the whole picture; its data is the material's
/// state.
pub(super) const FULL_SCREEN: u32 = loligo_ids::id32!("fullscreen").hash();

/// The most lights that the text of a frame lists: the others are in its hash.
const LIGHTS_LISTED: usize = 32;

/// All that there is to draw of a frame.
pub(crate) struct Picture<'p, 'e> {
    pub(crate) recorded: Recorded<'p, 'e, SharedAllocator<'e>, SharedAllocator<'e>>,
    pub(crate) world: &'p RenderWorld<'e, SharedAllocator<'e>>,
    /// Where instances are that are drawn in this frame alone, numbered after the world's.
    pub(crate) once: &'p [Transform],
    /// The meshes that bones move in this frame.
    pub(crate) skinning: Skinning<'p>,
    /// The views of the frame, by their numbers.
    pub(crate) views: &'p [DrawnView],
    /// The lights of each.
    pub(crate) lights: &'p [FrameLights<'e, SharedAllocator<'e>>],
    pub(crate) scene: &'p Scene,
    /// A hash of each material, by its state.
    pub(crate) materials: &'p [u64],
    pub(crate) textures: &'p TextureTable<'e>,
    pub(crate) wanted: Wanted,
}

/// The back end that draws.
#[cfg_attr(
    feature = "gpu",
    expect(clippy::large_enum_variant, reason = "there is one, which is stored in the renderer")
)]
pub(crate) enum BackEnd<'e> {
    /// No pictures: frames are text, where that is wanted.
    Text(core::marker::PhantomData<&'e ()>),
    /// A graphics card.
    #[cfg(feature = "gpu")]
    Card(card::Card<'e>),
}

impl<'e> BackEnd<'e> {
    /// Opens the back end, and logs which one it is.
    pub(crate) fn try_new(
        choice: BackEndChoice,
        opened: &WindowSetup,
        memory: SharedRef<'e>,
        log: &Log<'_, SharedAllocator<'_>>,
    ) -> Result<Self, EngineError> {
        const NOBODY: &str = "drawn by nobody: a frame is text, and no picture can be had";
        if choice == BackEndChoice::Text {
            log!(log, Info, "{NOBODY}");
            return Ok(Self::Text(core::marker::PhantomData));
        }
        match Self::try_open(opened, memory, log) {
            Some(back_end) => Ok(back_end),
            None if opened.is_there() => Err(EngineError::NothingToShow {
                why: "no graphics card can be used, and the log says what to do",
            }),
            None if choice == BackEndChoice::Gpu => Err(EngineError::NoPicture),
            None => {
                log!(log, Info, "{NOBODY}");
                Ok(Self::Text(core::marker::PhantomData))
            }
        }
    }

    #[cfg(feature = "gpu")]
    fn try_open(
        opened: &WindowSetup,
        memory: SharedRef<'e>,
        log: &Log<'_, SharedAllocator<'_>>,
    ) -> Option<Self> {
        match card::Card::try_new(opened, memory) {
            Ok(card) => {
                log!(log, Info, "drawn by {card}");
                Some(Self::Card(card))
            }
            Err(error) => {
                log!(log, Info, "no graphics card can be used: {error}");
                None
            }
        }
    }

    #[cfg(not(feature = "gpu"))]
    fn try_open(
        _: &WindowSetup,
        _: SharedRef<'e>,
        log: &Log<'_, SharedAllocator<'_>>,
    ) -> Option<Self> {
        log!(
            log,
            Info,
            "no graphics card can be used: the engine was built without the feature `gpu`"
        );
        None
    }

    /// Returns which textures of blocks are stored as they are: the text believes that all are.
    pub(crate) fn reads_blocks(&self) -> CardBlocks {
        match self {
            Self::Text(_) => CardBlocks::ALL,
            #[cfg(feature = "gpu")]
            Self::Card(card) => card.reads_blocks(),
        }
    }

    /// Adds the kinds of work that a subsystem brings, by its row.
    pub(crate) fn join(
        &mut self,
        row: &SubsystemRow,
        memory: SharedRef<'e>,
    ) -> Result<(), EngineError> {
        match self {
            // A job is text whatever its kind.
            Self::Text(_) => {
                let _ = (row, memory);
                Ok(())
            }
            #[cfg(feature = "gpu")]
            Self::Card(card) => card.join(row, memory),
        }
    }

    /// Uploads a mesh, a texture, a shader, a material or another frame, or removes one. `block` is
    /// what a mesh or a texture consists of. What is wrong with it is
    /// appended to `problems`, and what was there before stays.
    pub(crate) fn upload(
        &mut self,
        record: &EventRecord<'_>,
        block: &[u32],
        frame: &FrameDescription<'e, SharedAllocator<'e>>,
        problems: &mut Array<'e, u8, SharedAllocator<'e>>,
    ) {
        match self {
            // Text is written of numbers alone.
            Self::Text(_) => {
                let _ = (record, block, frame, problems);
            }
            #[cfg(feature = "gpu")]
            Self::Card(card) => {
                if let Err(error) = card.upload(record, block, frame) {
                    // Without memory it cannot be said.
                    let _ = text::try_format(problems, format_args!("{error}\n"));
                }
            }
        }
    }

    /// Draws a frame. The packet's text and picture are filled where they are wanted.
    pub(crate) fn draw(
        &mut self,
        picture: &Picture<'_, 'e>,
        packet: &mut Packet<'e, SharedAllocator<'e>>,
    ) -> Result<(), BackEndError> {
        packet.text.clear();
        packet.picture.clear();
        if picture.wanted.text {
            in_driver(|| write(picture, &mut packet.text))?;
        }
        match self {
            Self::Text(_) => Ok(()),
            #[cfg(feature = "gpu")]
            Self::Card(card) => card.draw(picture, &mut packet.picture).map_err(|error| {
                // Without memory it cannot be said.
                let _ = text::try_format(&mut packet.problems, format_args!("{error}\n"));
                BackEndError::Card
            }),
        }
    }
}

/// Queues the drawing of one material over the whole picture.
pub(crate) fn queue_full_screen(
    context: &mut RenderContext<'_, SharedAllocator<'_>>,
    layer: &LayerRef<'_>,
    state: u32,
) -> Result<(), GrowError> {
    context.try_job(layer.keys().key(state, 0, 0.0), FULL_SCREEN, &state.to_ne_bytes())
}

/// Writes a frame as text.
fn write<'e>(
    picture: &Picture<'_, 'e>,
    out: &mut Array<'e, u8, SharedAllocator<'e>>,
) -> Result<(), BackEndError> {
    let Picture { recorded, scene, world, views, lights, materials, .. } = picture;
    let (Some((player, others)), Some((own, lights))) = (views.split_first(), lights.split_first())
    else {
        return Ok(());
    };
    let eye = player.seen.eye.translation;
    let mut written = text::try_format(
        out,
        format_args!(
            "frame {}: {} x {}, eye {:.3} {:.3} {:.3}, meshes {}\n\
             scene {:016x}, materials {:016x}\n",
            scene.frame,
            scene.size[0],
            scene.size[1],
            eye.x,
            eye.y,
            eye.z,
            world.mesh_count(),
            scene_hash(scene, player),
            murmur2_64a(bytemuck::cast_slice::<u64, u8>(materials), 0),
        ),
    );
    if let Some(budget) = scene.texture_budget {
        written = written.and_then(|()| picture.textures.write(budget, out));
    }
    // A frame without lights is as it always was.
    if !world.lights().is_empty() {
        written = written.and_then(|()| write_lights(own, world.lights().len(), out));
    }
    let others = others.iter().zip(lights);
    for (view, lights) in others.filter(|(view, _)| view.seen.is_drawn && !view.is_sun) {
        let lights = lights.as_slice().len();
        written = written.and_then(|()| write_view(recorded.frame, scene, (view, lights), out));
    }
    if !picture.skinning.meshes.is_empty() {
        let Skinning { meshes, bones, weights } = picture.skinning;
        let (count, hash) =
            (bones.len(), murmur2_64a(bytemuck::cast_slice::<Transform, u8>(bones), 0));
        let line = format_args!("skinned {}: {count} bones, hash {hash:016x}\n", meshes.len());
        written = written.and_then(|()| text::try_format(out, line));
        if !weights.is_empty() {
            let hash = murmur2_64a(bytemuck::cast_slice::<f32, u8>(weights), 0);
            let line = format_args!("weights {}: hash {hash:016x}\n", weights.len());
            written = written.and_then(|()| text::try_format(out, line));
        }
    }
    let RowParameters { numbers, values } = world.parameters();
    if values.len() > 1 {
        let hash = murmur2_64a(bytemuck::cast_slice::<u32, u8>(numbers), 0);
        let hash = murmur2_64a(bytemuck::cast_slice::<InstanceParameters, u8>(values), hash);
        let line = format_args!("parameters of {}: hash {hash:016x}\n", values.len() - 1);
        written = written.and_then(|()| text::try_format(out, line));
    }
    let mut sink = Sink(out);
    let transforms = [world.transforms(), picture.once];
    let contents = TraceContents { transforms, materials };
    let mut trace = Trace::new(recorded.frame, &mut sink).with_contents(contents);
    let drawn = written.is_ok().then(|| play(recorded, &mut trace).and_then(|()| trace.finish()));
    match drawn {
        Some(Ok(())) => Ok(()),
        _ => Err(BackEndError::Text),
    }
}

/// Writes how a view sees the world, besides the player's.
fn write_view<'e>(
    frame: &FrameDescription<'_, SharedAllocator<'_>>,
    scene: &Scene,
    (view, lights): (&DrawnView, usize),
    out: &mut Array<'e, u8, SharedAllocator<'e>>,
) -> Result<(), text::FormatError> {
    let [x, y, z] = view.seen.eye.translation.to_array();
    let [left, top, width, height] = view.rectangle;
    text::try_format(
        out,
        format_args!(
            "view {}: eye {x:.3} {y:.3} {z:.3}, part {left} {top} {width} {height}, stage {}, \
             scene {:016x}, lights {lights}\n",
            frame.view_name(view.view.number),
            view.view.stage,
            scene_hash(scene, view),
        ),
    )
}

/// Returns a hash of how the scene is seen and lit, to the bit: the camera, the sun, and the
/// matrices of both.
fn scene_hash(scene: &Scene, view: &DrawnView) -> u64 {
    let DrawnView { seen, projection, shadows, .. } = view;
    let SceneView { eye, camera, sun, sun_direction, .. } = seen;
    let time = &scene.time;
    let matrices = [seen.view(), *projection].map(|matrix| matrix.to_cols_array());
    let seen = [eye.matrix3.x_axis, eye.matrix3.y_axis, eye.matrix3.z_axis, eye.translation]
        .map(|column| column.to_array());
    let direction = sun_direction.to_array();
    let seen = [
        bytemuck::cast_slice(&seen),
        bytemuck::cast_slice(&matrices),
        bytemuck::bytes_of(camera),
        bytemuck::bytes_of(sun),
        bytemuck::cast_slice(&direction),
        bytemuck::bytes_of(time),
    ];
    let hash = seen.iter().fold(0, |hash, part: &&[u8]| murmur2_64a(*part, hash));
    shadows.iter().flatten().fold(hash, |hash, (shadow, part)| {
        let map = shadow.view_projection.to_cols_array();
        let hash = murmur2_64a(bytemuck::bytes_of(&map), hash);
        let [left, top, width, height] = *part;
        let numbers = [left, top, width, height, shadow.pixel_metres];
        murmur2_64a(bytemuck::bytes_of(&numbers), hash)
    })
}

/// Writes the lights that a frame is lit by, and how many it is not.
fn write_lights(
    lights: &FrameLights<'_, SharedAllocator<'_>>,
    all: usize,
    out: &mut Array<'_, u8, SharedAllocator<'_>>,
) -> Result<(), text::FormatError> {
    let (seen, left_out) = (lights.seen(), lights.left_out());
    text::try_format(
        out,
        format_args!("lights {all}: seen {seen}, left out for want of room {left_out}\n"),
    )?;
    let listed = lights.as_slice().iter().take(LIGHTS_LISTED);
    for Light { position: [x, y, z], range, color: [r, g, b], intensity } in listed {
        text::try_format(
            out,
            format_args!(
                "  light at {x:.3} {y:.3} {z:.3}, range {range}, color {r} {g} {b}, intensity {intensity}\n"
            ),
        )?;
    }
    let Some(others) = lights.as_slice().get(LIGHTS_LISTED..).filter(|others| !others.is_empty())
    else {
        return Ok(());
    };
    let hash = murmur2_64a(bytemuck::cast_slice::<Light, u8>(others), 0);
    text::try_format(out, format_args!("  and {} lights, hash {hash:016x}\n", others.len()))
}

/// Text that is appended to bytes.
struct Sink<'s, 'e>(&'s mut Array<'e, u8, SharedAllocator<'e>>);

impl fmt::Write for Sink<'_, '_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        text::try_append(self.0, piece).map_err(|_| fmt::Error)
    }
}
