//! What the render thread does with a frame: applies what has changed, fills contexts on all
//! threads, sorts, draws.
//!
//! After "Parallel rendering" on the BitSquid blog (2009-10-14): contexts are filled in parallel,
//! merged and sorted, and become a list of commands. How the work is cut does not depend on how
//! many threads there are, so a frame is the same with one as with many.

use core::ops::Range;
use std::sync::{Mutex, PoisonError};

use loligo_allocators::SharedRef;
use loligo_containers::{Array, GrowError};
use loligo_ids::{IdString64, murmur2_64a};
use loligo_render::{
    DisplayList, FrameDescription, FrameLights, ItemSorter, Recorded, RenderContext, RenderWorld,
    TargetSize, View,
};
use loligo_tasks::Worker;

use super::back_end::{BackEnd, Picture};
use super::packet::{Drawn, Packet};
use crate::assets::{FrameData, MaterialData, MeshData, TextureData};
use crate::cpu::{driver_ns, thread_ns};
use crate::error::{RenderError, wrong_frame};
use crate::memory::SharedAllocator;
use crate::world::{OBJECTS_MAX, WORLD};

/// The number of parts that the meshes are divided into, each with its own context.
const PIECES: usize = 8;

/// The sorted items from which on several threads make the list: fewer take one less than 10 us.
const LISTED_BY_MANY: usize = 2048;

/// The threads from which on two have nothing else to do: with one such, the pieces cost more than
/// it spares.
const MANY: u32 = 4;

/// The layer that meshes are drawn into once more, as the sun sees them.
const SHADOW_LAYER: &str = "shadow";

/// The side of a shadow map that does not say, by which its matrix is rounded.
const SHADOW_PIXELS: u32 = 2048;

/// Draws frames of one world.
pub(crate) struct Renderer<'e> {
    world: RenderWorld<'e, SharedAllocator<'e>>,
    frame: FrameDescription<'e, SharedAllocator<'e>>,
    visible: Array<'e, Array<'e, u32, SharedAllocator<'e>>, SharedAllocator<'e>>,
    contexts: Array<'e, RenderContext<'e, SharedAllocator<'e>>, SharedAllocator<'e>>,
    sorter: ItemSorter<'e, SharedAllocator<'e>>,
    list: DisplayList<'e, SharedAllocator<'e>>,
    /// Its pieces, where several threads make it.
    lists: Array<'e, DisplayList<'e, SharedAllocator<'e>>, SharedAllocator<'e>>,
    /// Layers that hold one material over the whole picture: the hash of the layer's name, and the
    /// state.
    full: Array<'e, (IdString64, u32), SharedAllocator<'e>>,
    /// A hash of each material, by its state: frames as text identify materials by it.
    materials: Array<'e, u64, SharedAllocator<'e>>,
    back_end: BackEnd<'e>,
}

impl<'e> Renderer<'e> {
    /// Makes a renderer of the frame that a text describes.
    pub(crate) fn try_new(
        frame: &[u8],
        full: &[(IdString64, u32)],
        back_end: BackEnd<'e>,
        memory: SharedRef<'e>,
    ) -> Result<Self, RenderError> {
        let frame =
            FrameDescription::try_read_in(frame, memory).map_err(|error| wrong_frame(&error))?;
        let mut visible = Array::try_with_capacity_in(2 * PIECES, memory)?;
        let mut contexts = Array::try_with_capacity_in(2 * PIECES + 1, memory)?;
        for _ in 0..2 * PIECES {
            visible.try_push(Array::new_in(memory))?;
            contexts.try_push(RenderContext::new_in(memory))?;
        }
        let mut lists = Array::try_with_capacity_in(PIECES, memory)?;
        for _ in 0..PIECES {
            lists.try_push(DisplayList::new_in(memory))?;
        }
        // This one is for jobs that are not meshes.
        contexts.try_push(RenderContext::new_in(memory))?;
        Ok(Self {
            world: RenderWorld::new_in(WORLD, OBJECTS_MAX, memory),
            frame,
            visible,
            contexts,
            sorter: ItemSorter::new_in(memory),
            list: DisplayList::new_in(memory),
            lists,
            full: Array::try_from_slice_in(full, memory)?,
            materials: Array::new_in(memory),
            back_end,
        })
    }

    /// Draws a frame; what became of it is in the packet.
    pub(crate) fn draw(
        &mut self,
        packet: &mut Packet<'e, SharedAllocator<'e>>,
        worker: &Worker<'_>,
    ) {
        let (began, driver) = (thread_ns(), driver_ns());
        packet.result = self.try_draw(packet, worker).map(|drawn| {
            let back_end_ns = driver_ns() - driver;
            let own_ns = (thread_ns() - began).saturating_sub(back_end_ns);
            Drawn { own_ns, back_end_ns, ..drawn }
        });
    }

    fn try_draw(
        &mut self,
        packet: &mut Packet<'e, SharedAllocator<'e>>,
        worker: &Worker<'_>,
    ) -> Result<Drawn, RenderError> {
        packet.problems.clear();
        self.take_uploads(packet)?;
        self.world.try_apply(&packet.state)?;
        packet.is_taken = true;
        let scene = packet.scene;
        let view = View::new(scene.view(), scene.projection());
        let shadow = scene.shadow(self.shadow_pixels());
        let sun = View::new(shadow.view, shadow.projection);
        self.cull(&view, &sun, worker)?;
        self.fill(&view, &sun, worker)?;
        self.sorter.try_merge(&self.contexts)?;
        self.list(worker)?;
        let recorded = Recorded { frame: &self.frame, list: &self.list, contexts: &self.contexts };
        let lights = FrameLights::new(self.world.lights(), &view);
        let picture = Picture {
            recorded,
            world: &self.world,
            lights: &lights,
            scene: &scene,
            shadow,
            materials: &self.materials,
            wanted: packet.wanted,
        };
        self.back_end.draw(&picture, packet)?;
        Ok(Drawn {
            meshes: self.world.mesh_count() as u32,
            draws: self.list.draws(),
            seen: self.seen(),
            records: self.list.args().len() as u32,
            lights: lights.as_slice().len() as u32,
            lights_left_out: lights.left_out() as u32,
            own_ns: 0,
            back_end_ns: 0,
        })
    }

    /// Returns how many packages were queued for the picture: pieces of meshes that the sun sees
    /// are left out.
    fn seen(&self) -> u64 {
        let (pieces, rest) = self.contexts.split_at(PIECES.min(self.contexts.len()));
        pieces.iter().chain(rest.last()).map(|context| context.len() as u64).sum()
    }

    /// Returns the pixels on a side of the shadow map.
    fn shadow_pixels(&self) -> u32 {
        let map = self.frame.targets().find(|target| target.name == SHADOW_LAYER);
        match map.map(|map| map.size) {
            Some(TargetSize::Pixels([width, _])) => width,
            _ => SHADOW_PIXELS,
        }
    }

    /// Takes meshes, textures, shaders, materials, and a new description of the frame in.
    fn take_uploads(
        &mut self,
        packet: &mut Packet<'e, SharedAllocator<'e>>,
    ) -> Result<(), RenderError> {
        let mut blocks = packet.uploads.blocks.iter();
        for record in packet.uploads.records.iter() {
            if let Some((_, text)) = record.get_with_tail::<FrameData, u8>() {
                self.frame = FrameDescription::try_read_in(text.as_bytes(), self.full.memory())
                    .map_err(|error| wrong_frame(&error))?;
            }
            if let Some(material) = record.get::<MaterialData>() {
                self.take_material(&material)?;
            }
            let has_block =
                record.get::<MeshData>().is_some() || record.get::<TextureData>().is_some();
            let block = if has_block { blocks.next() } else { None };
            let block = block.map_or(&[][..], |block| block);
            self.back_end.upload(&record, block, &self.frame, &mut packet.problems);
        }
        Ok(())
    }

    /// Keeps the hash of a material.
    fn take_material(&mut self, material: &MaterialData) -> Result<(), RenderError> {
        let state = material.state as usize;
        while self.materials.len() <= state {
            self.materials.try_push(0)?;
        }
        self.materials[state] = murmur2_64a(bytemuck::bytes_of(material), 0);
        Ok(())
    }

    /// Finds what the camera sees, and what may throw a shadow there.
    fn cull(&mut self, view: &View, shadow: &View, worker: &Worker<'_>) -> Result<(), RenderError> {
        let (world, has_shadow) = (&self.world, self.frame.layer(SHADOW_LAYER).is_some());
        let failed = First::new();
        worker.parallel_for_each_mut(&"cull", &mut self.visible, 1, |first, pieces| {
            for (piece, rows) in (first..).zip(pieces) {
                rows.clear();
                let range = range_of(piece % PIECES, world.mesh_count());
                let seen_by = if piece < PIECES { view } else { shadow };
                if piece < PIECES || has_shadow {
                    failed.keep(world.try_cull(seen_by, range, rows));
                }
            }
        })?;
        failed.result()
    }

    /// Queues what was found.
    fn fill(&mut self, view: &View, sun: &View, worker: &Worker<'_>) -> Result<(), RenderError> {
        let Self { world, frame, visible, contexts, full, .. } = self;
        let shadow = frame.layer(SHADOW_LAYER);
        let failed = First::new();
        let Some((jobs, pieces)) = contexts.split_last_mut() else { return Ok(()) };
        jobs.clear();
        for layer in frame.layers() {
            let name = IdString64::new(layer.name);
            for (_, state) in full.iter().filter(|(own, _)| *own == name) {
                crate::drawing::back_end::queue_full_screen(jobs, &layer, *state)?;
            }
        }
        let (world, frame, visible) = (&*world, &*frame, &*visible);
        worker.parallel_for_each_mut(&"fill contexts", pieces, 1, |first, pieces| {
            for (piece, context) in (first..).zip(pieces) {
                context.clear();
                let rows = &visible[piece];
                failed.keep(match shadow {
                    Some(layer) if piece >= PIECES => {
                        world.try_draw_in(rows, sun, layer.keys(), context)
                    }
                    _ => world.try_draw(rows, view, frame, context),
                });
            }
        })?;
        failed.result()
    }

    /// Makes the list of what was sorted: the same in one piece and in several.
    fn list(&mut self, worker: &Worker<'_>) -> Result<(), RenderError> {
        let Self { sorter, list, lists, contexts, .. } = self;
        let (items, contexts) = (sorter.items(), &**contexts);
        list.clear();
        if items.len() < LISTED_BY_MANY || worker.handle().threads() < MANY {
            return Ok(list.try_append(items, contexts)?);
        }
        let failed = First::new();
        worker.parallel_for_each_mut(&"list", lists, 1, |first, pieces| {
            for (piece, list) in (first..).zip(pieces) {
                list.clear();
                let range = range_of(piece, items.len());
                failed.keep(list.try_append(&items[range], contexts));
            }
        })?;
        failed.result()?;
        Ok(lists.iter().try_for_each(|piece| list.try_append_list(piece))?)
    }
}

/// Returns the rows of a piece: the same whatever there are of threads.
fn range_of(piece: usize, rows: usize) -> Range<usize> {
    piece * rows / PIECES..(piece + 1) * rows / PIECES
}

/// The first error of several threads.
struct First(Mutex<Option<GrowError>>);

impl First {
    const fn new() -> Self {
        Self(Mutex::new(None))
    }

    fn keep(&self, result: Result<(), GrowError>) {
        if let Err(error) = result {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    fn result(self) -> Result<(), RenderError> {
        let first = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        first.map_or(Ok(()), |error| Err(error.into()))
    }
}
