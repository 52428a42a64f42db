//! What the render thread does with a frame: applies what has changed, fills contexts on all
//! threads, sorts, draws.
//!
//! After "Parallel rendering" on the BitSquid blog (2009-10-14): contexts are filled in parallel,
//! merged and sorted, and become a list of commands. How the work is cut does not depend on how
//! many threads there are, so a frame is the same with one as with many.

use core::ops::Range;
use std::sync::{Mutex, PoisonError};

use glam::Mat4;
use loligo_allocators::SharedRef;
use loligo_containers::{Array, GrowError};
use loligo_ids::{IdString64, murmur2_64a};
use loligo_interface::SubsystemRow;
use loligo_render::{
    DisplayList, FrameDescription, FrameLights, ItemSorter, LayerTakes, Occlusion, Package,
    Recorded, RenderContext, RenderWorld, SHADOW_MAPS_MAX, SunShadow, View, ViewFrom, ViewRef,
    part_of,
};
use loligo_tasks::Worker;

use super::back_end::{BackEnd, Picture, queue_full_screen};
use super::drawers::Drawers;
use super::drawers::state_of_job;
use super::drawn_view::DrawnView;
use super::packet::{Drawn, Packet, Scene};
use super::texture_table::TextureTable;
use crate::assets::{FrameData, MaterialData, MeshData, Removed, TextureData, TextureLevels};
use crate::cpu::{driver_ns, thread_ns};
use crate::error::{EngineError, RenderError, wrong_frame};
use crate::memory::SharedAllocator;
use crate::world::{OBJECTS_MAX, SceneView, WORLD};

/// The number of parts that the meshes are divided into, each with its own context.
const PIECES: usize = 8;

/// The sorted items from which on several threads make the list: fewer take one less than 10 us.
const LISTED_BY_MANY: usize = 2048;

/// The threads from which on two have nothing else to do: with one such, the pieces cost more than
/// it spares.
const MANY: u32 = 4;

/// The side of a shadow map where the frame has none, by which its matrix is rounded.
const SHADOW_PIXELS: u32 = 2048;

/// Draws frames of one world.
pub(crate) struct Renderer<'e> {
    world: RenderWorld<'e, SharedAllocator<'e>>,
    frame: FrameDescription<'e, SharedAllocator<'e>>,
    /// The views of the frame, by their numbers.
    views: Array<'e, DrawnView, SharedAllocator<'e>>,
    /// Their lights; those of views of the sun are none.
    lights: Array<'e, FrameLights<'e, SharedAllocator<'e>>, SharedAllocator<'e>>,
    /// What is hidden in each, where it says so.
    occlusion: Array<'e, Occlusion<'e, SharedAllocator<'e>>, SharedAllocator<'e>>,
    /// The rows that are seen: for each view, those of each piece.
    visible: Array<'e, Array<'e, u32, SharedAllocator<'e>>, SharedAllocator<'e>>,
    /// One for each of these, and one for jobs that are not meshes.
    contexts: Array<'e, RenderContext<'e, SharedAllocator<'e>>, SharedAllocator<'e>>,
    sorter: ItemSorter<'e, SharedAllocator<'e>>,
    list: DisplayList<'e, SharedAllocator<'e>>,
    /// Its pieces, where several threads make it.
    lists: Array<'e, DisplayList<'e, SharedAllocator<'e>>, SharedAllocator<'e>>,
    /// The numbers of the layers that name a material, and that name, hashed.
    styled: Array<'e, (u8, IdString64), SharedAllocator<'e>>,
    /// The state of that material as it is in this frame, by the number of the layer.
    states: Array<'e, Option<u32>, SharedAllocator<'e>>,
    /// A hash of each material, by its state: frames as text identify materials by it.
    materials: Array<'e, u64, SharedAllocator<'e>>,
    drawers: Drawers<'e>,
    /// Which levels of textures there are.
    textures: TextureTable<'e>,
    back_end: BackEnd<'e>,
}

impl<'e> Renderer<'e> {
    /// Makes a renderer of the frame that a text describes.
    pub(crate) fn try_new(
        frame: &[u8],
        back_end: BackEnd<'e>,
        memory: SharedRef<'e>,
    ) -> Result<Self, RenderError> {
        let frame =
            FrameDescription::try_read_in(frame, memory).map_err(|error| wrong_frame(&error))?;
        let mut lists = Array::try_with_capacity_in(PIECES, memory)?;
        for _ in 0..PIECES {
            lists.try_push(DisplayList::new_in(memory))?;
        }
        let mut renderer = Self {
            world: RenderWorld::new_in(WORLD, OBJECTS_MAX, memory),
            frame,
            views: Array::new_in(memory),
            lights: Array::new_in(memory),
            occlusion: Array::new_in(memory),
            visible: Array::new_in(memory),
            contexts: Array::new_in(memory),
            sorter: ItemSorter::new_in(memory),
            list: DisplayList::new_in(memory),
            lists,
            styled: Array::new_in(memory),
            states: Array::new_in(memory),
            materials: Array::new_in(memory),
            drawers: Drawers::new_in(memory),
            textures: TextureTable::new_in(memory),
            back_end,
        };
        renderer.learn_frame()?;
        Ok(renderer)
    }

    /// Adds what a subsystem draws, by its row.
    pub(crate) fn join(
        &mut self,
        row: &SubsystemRow,
        memory: SharedRef<'e>,
    ) -> Result<(), EngineError> {
        self.drawers.try_add(row, memory)?;
        self.back_end.join(row, memory)
    }

    /// Makes room for the views of the frame, and learns its layers.
    fn learn_frame(&mut self) -> Result<(), GrowError> {
        let Self { views, lights, occlusion, visible, contexts, frame, styled, states, .. } = self;
        let memory = visible.memory();
        let count = frame.views().len();
        views.try_reserve(count.saturating_sub(views.len()))?;
        while lights.len() < count {
            lights.try_push(FrameLights::new_in(memory))?;
        }
        while occlusion.len() < count {
            occlusion.try_push(Occlusion::new_in(memory))?;
        }
        while visible.len() < count * PIECES {
            visible.try_push(Array::new_in(memory))?;
        }
        while contexts.len() < count * PIECES + 1 {
            contexts.try_push(RenderContext::new_in(memory))?;
        }
        lights.truncate(count);
        occlusion.truncate(count);
        visible.truncate(count * PIECES);
        contexts.truncate(count * PIECES + 1);
        styled.clear();
        for layer in frame.layers() {
            if let Some(material) = layer.material {
                styled.try_push((layer.number, IdString64::new(material)))?;
            }
        }
        states.clear();
        states.try_resize(frame.layers().len(), None)?;
        self.drawers.learn_layers(frame)
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
        self.drawers.read(&packet.drawings, &mut packet.problems);
        self.drawers.morph(&mut self.world);
        let scene = packet.scene;
        self.world.try_remember_lods(self.frame.views().len())?;
        self.look(packet)?;
        self.cull(worker)?;
        self.hide(worker)?;
        self.fill(worker)?;
        self.draw_others(packet);
        self.measure(&scene, &mut packet.sizes)?;
        self.sorter.try_merge(&self.contexts)?;
        self.list(worker)?;
        let recorded = Recorded { frame: &self.frame, list: &self.list, contexts: &self.contexts };
        let picture = Picture {
            recorded,
            world: &self.world,
            once: self.drawers.once(),
            skinning: self.drawers.skinning(),
            views: &self.views,
            lights: &self.lights,
            scene: &scene,
            materials: &self.materials,
            textures: &self.textures,
            wanted: packet.wanted,
        };
        self.back_end.draw(&picture, packet)?;
        let lights = self.lights.first();
        Ok(Drawn {
            meshes: self.world.mesh_count() as u32,
            draws: self.list.draws(),
            seen: self.seen(),
            records: self.list.args().len() as u32,
            lights: lights.map_or(0, |lights| lights.as_slice().len()) as u32,
            lights_left_out: lights.map_or(0, |lights| lights.left_out()) as u32,
            own_ns: 0,
            back_end_ns: 0,
        })
    }

    /// Finds out what each view of the frame sees.
    fn look(&mut self, packet: &Packet<'e, SharedAllocator<'e>>) -> Result<(), GrowError> {
        let Self { world, frame, views, lights, styled, states, drawers, .. } = self;
        for (layer, material) in &**styled {
            // The material may have come, changed or gone since the last frame.
            states[usize::from(*layer)] = drawers.state_of(*material);
        }
        let size = packet.scene.size;
        views.clear();
        for view in frame.views() {
            // The main thread reads the same frame.
            let Some(seen) = packet.views.get(usize::from(view.around)) else { break };
            let own = packet.views.get(usize::from(view.number)).unwrap_or(seen);
            let seen = SceneView { is_drawn: seen.is_drawn && own.is_drawn, ..*seen };
            let pixels = pixels_of(frame, view.around, seen.rectangle, size);
            let is_sun = view.from == ViewFrom::Sun;
            let hides = view.occlusion && !is_sun;
            let own_pixels = pixels_of(frame, view.number, own.rectangle, size);
            let projection = seen.projection(pixels);
            let shadows = shadows(frame, &view, &seen, projection, size);
            let camera = View::new(seen.view(), projection).numbered(view.around, view.stage);
            let culled = match shadows[0] {
                Some((shadow, _)) if is_sun => shadow.view,
                _ => camera,
            };
            // What casts shadow is not lit.
            if !is_sun {
                let both = projection * seen.view();
                lights[views.len()].try_choose(world.lights_on(view.stage), &camera, both)?;
            }
            let rectangle = own.rectangle;
            let lit_by = if is_sun { view.around } else { view.number };
            let view = culled.numbered(view.number, view.stage);
            // What throws a shadow is as detailed as it is seen.
            let view = if is_sun { view.detailed_as(&camera) } else { view };
            views.try_push(DrawnView {
                seen,
                projection,
                shadows,
                view,
                lit_by,
                is_sun,
                hides,
                pixels: own_pixels,
                rectangle,
            })?;
        }
        Ok(())
    }

    /// Returns how many packages were queued for pictures: pieces of meshes that the sun sees are
    /// left out.
    fn seen(&self) -> u64 {
        let pictures = self.views.iter().zip(self.contexts.chunks(PIECES));
        let pictures = pictures.filter(|(view, _)| !view.is_sun).flat_map(|(_, pieces)| pieces);
        pictures.chain(self.contexts.last()).map(|context| context.len() as u64).sum()
    }

    /// Takes meshes, textures, shaders, materials, and a new description of the frame in.
    fn take_uploads(
        &mut self,
        packet: &mut Packet<'e, SharedAllocator<'e>>,
    ) -> Result<(), RenderError> {
        let mut blocks = packet.uploads.blocks.iter();
        for record in packet.uploads.records.iter() {
            if let Some((_, text)) = record.get_with_tail::<FrameData, u8>() {
                self.frame = FrameDescription::try_read_in(text.as_bytes(), self.lists.memory())
                    .map_err(|error| wrong_frame(&error))?;
                self.learn_frame()?;
            }
            let mesh = record.get::<MeshData>();
            let has_block = mesh.is_some()
                || record.get::<TextureData>().is_some()
                || record.get::<TextureLevels>().is_some();
            let block = if has_block { blocks.next() } else { None };
            let block = block.map_or(&[][..], |block| block);
            if let Some(material) = record.get::<MaterialData>() {
                self.take_material(&material)?;
                self.drawers.take_material(&material)?;
            } else if let Some(mesh) = mesh {
                self.drawers.take_mesh(&mesh, block)?;
                let lods = mesh.parts(block).lods;
                self.world.try_set_lods(mesh.mesh, mesh.all(), lods, mesh.hysteresis)?;
                self.world.try_set_occluder(mesh.mesh, mesh.occluder())?;
            } else if let Some(removed) = record.get::<Removed>() {
                self.drawers.forget(&removed);
            }
            self.textures.take(&record)?;
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
        // What it looks like, and not what it is called.
        let looks = &bytemuck::bytes_of(material)[..core::mem::offset_of!(MaterialData, name)];
        self.materials[state] = murmur2_64a(looks, 0);
        Ok(())
    }

    /// Queues what subsystems draw.
    fn draw_others(&mut self, packet: &mut Packet<'e, SharedAllocator<'e>>) {
        let Self { world, frame, views, contexts, drawers, states, .. } = self;
        if let Some(context) = contexts.last_mut() {
            let count = world.mesh_count() as u32;
            drawers.draw(views, (frame, states), count, context, &mut packet.problems);
        }
    }

    /// Measures how large the material of each state is in the pictures, where that is wanted. What
    /// is not a mesh of the world, or has a layer's material, may be as large as the picture.
    fn measure(
        &self,
        scene: &Scene,
        sizes: &mut Array<'e, f32, SharedAllocator<'e>>,
    ) -> Result<(), GrowError> {
        sizes.clear();
        if scene.texture_budget.is_none() || !scene.is_measured {
            return Ok(());
        }
        sizes.try_resize(self.materials.len(), 0.0)?;
        let views = self.views.iter().zip(self.visible.chunks(PIECES));
        for (view, pieces) in views.filter(|(view, _)| !view.is_sun && view.seen.is_drawn) {
            let [_, height] = view.pixels;
            for rows in pieces {
                self.world.measure(rows, &view.view, height as f32, sizes);
            }
        }
        let others = self.contexts.last().into_iter().flat_map(RenderContext::packages);
        let others = others.filter_map(|(_, package)| match package {
            Package::Draw(draw) => Some(draw.state),
            Package::Job(job) => state_of_job(&job),
        });
        for state in self.states.iter().flatten().copied().chain(others) {
            if let Some(size) = sizes.get_mut(state as usize) {
                *size = f32::INFINITY;
            }
        }
        Ok(())
    }

    /// Finds what each view sees.
    fn cull(&mut self, worker: &Worker<'_>) -> Result<(), RenderError> {
        let (world, views) = (&self.world, &*self.views);
        let failed = First::new();
        worker.parallel_for_each_mut(&"cull", &mut self.visible, 1, |first, pieces| {
            for (piece, rows) in (first..).zip(pieces) {
                rows.clear();
                let view = views.get(piece / PIECES).filter(|view| view.seen.is_drawn);
                if let Some(DrawnView { view, .. }) = view {
                    let range = range_of(piece % PIECES, world.mesh_count());
                    failed.keep(world.try_cull(view, range, rows));
                }
            }
        })?;
        failed.result()
    }

    /// Leaves out what is hidden, in views that say so.
    fn hide(&mut self, worker: &Worker<'_>) -> Result<(), RenderError> {
        let Self { world, frame, views, occlusion, visible, .. } = self;
        let is_wanted = |view: &DrawnView| view.hides && view.seen.is_drawn;
        if !world.has_occluders() || !views.iter().any(is_wanted) {
            return Ok(());
        }
        let (world, frame, views, failed) = (&*world, &*frame, &**views, First::new());
        let rows = &*visible;
        worker.parallel_for_each_mut(&"occluders", occlusion, 1, |first, pictures| {
            for (view, picture) in (first..).zip(pictures) {
                picture.end();
                let Some(drawn) = views.get(view).filter(|view| is_wanted(view)) else { continue };
                failed.keep(picture.try_begin(drawn.seen.view(), drawn.projection));
                for rows in &rows[view * PIECES..(view + 1) * PIECES] {
                    world.draw_occluders(rows, &drawn.view, frame, picture);
                }
            }
        })?;
        failed.result()?;
        let occlusion = &*occlusion;
        worker.parallel_for_each_mut(&"hide", visible, 1, |first, pieces| {
            for (piece, rows) in (first..).zip(pieces) {
                if views.get(piece / PIECES).is_some_and(is_wanted) {
                    occlusion[piece / PIECES].retain_seen(&world.spheres(), rows);
                }
            }
        })?;
        Ok(())
    }

    /// Queues what was found.
    fn fill(&mut self, worker: &Worker<'_>) -> Result<(), RenderError> {
        let Self { world, frame, views, visible, contexts, styled, states, .. } = self;
        let failed = First::new();
        let Some((jobs, pieces)) = contexts.split_last_mut() else { return Ok(()) };
        jobs.clear();
        for layer in styled.iter().filter_map(|(number, _)| frame.layer_at(*number)) {
            let view = frame.view_of(&layer).and_then(|view| views.get(usize::from(view)));
            let is_drawn = view.is_some_and(|view| view.seen.is_drawn);
            if let Some(state) = states[usize::from(layer.number)]
                && layer.takes == LayerTakes::Picture
                && is_drawn
            {
                queue_full_screen(jobs, &layer, state)?;
            }
        }
        let (world, frame, visible, views) = (&*world, &*frame, &*visible, &**views);
        let states = &**states;
        worker.parallel_for_each_mut(&"fill contexts", pieces, 1, |first, pieces| {
            for (piece, context) in (first..).zip(pieces) {
                context.clear();
                let Some(DrawnView { view, .. }) = views.get(piece / PIECES) else { continue };
                let rows = &visible[piece];
                failed.keep(world.try_draw(rows, view, frame, context));
                for layer in frame.others_of(view.number) {
                    let state = states[usize::from(layer.number)];
                    failed.keep(world.try_draw_in(rows, view, &layer, state, context));
                }
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

/// Returns how the sun sees what a view sees, by each view of the sun around it: the finest first.
/// That of a view of the sun is its own.
fn shadows(
    frame: &FrameDescription<'_, SharedAllocator<'_>>,
    view: &ViewRef<'_>,
    seen: &SceneView,
    projection: Mat4,
    size: [u32; 2],
) -> [Option<(SunShadow, [f32; 4])>; SHADOW_MAPS_MAX] {
    let mut shadows = [None; SHADOW_MAPS_MAX];
    let is_sun = view.from == ViewFrom::Sun;
    let is_map = |map: &ViewRef<'_>| match is_sun {
        true => map.number == view.number,
        false => map.from == ViewFrom::Sun && map.around == view.around,
    };
    for (shadow, map) in shadows.iter_mut().zip(frame.views().filter(is_map)) {
        let [pixels, _] = pixels_of(frame, map.number, map.rectangle, size);
        *shadow = Some((seen.shadow(map.reach, projection, pixels), map.rectangle));
    }
    if shadows[0].is_none() {
        let shadow = seen.shadow([0.0, 1.0], projection, SHADOW_PIXELS);
        shadows[0] = Some((shadow, [0.0, 0.0, 1.0, 1.0]));
    }
    shadows
}

/// Returns how many pixels a view has: of the part of its first target that it draws.
fn pixels_of(
    frame: &FrameDescription<'_, SharedAllocator<'_>>,
    view: u8,
    rectangle: [f32; 4],
    size: [u32; 2],
) -> [u32; 2] {
    let [_, _, width, height] = part_of(rectangle, frame.pixels_of(view, size));
    [width, height]
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
