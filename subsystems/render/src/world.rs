//! The render world: what the thread that renders knows of the objects.
//!
//! After "State reflection" by the makers of Stingray, whose render world looks a handle up in a
//! table and calls the object. Changes: objects of one type are in columns, so culling walks over
//! four arrays of floats; and a stream is checked as a whole before any of it is done.

use core::fmt;
use core::ops::Range;

use glam::{Mat4, Vec3, Vec4Swizzles};
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::context::RenderContext;
use crate::cull::{Frustum, Spheres};
use crate::draw::{Draw, Geometry, IndirectArgs};
use crate::frame::{FrameDescription, LayerRef, LayerTakes};
use crate::key::LayerKeys;
use crate::lod::{Lod, LodEye, LodSet};
use crate::occlusion::{OCCLUDER_SHARE, Occlusion};
use crate::state::{
    InstanceParameters, Kind, Light, Mesh, RenderHandle, RowParameters, STAGE_SHIFT, Shape,
    Transform,
};

mod apply;
mod columns;
mod details;
mod morphed;
mod rare;
mod sizes;

use columns::{Lights, Meshes};

/// The objects of a world as they are rendered: columns of meshes and of lights, found by handle.
///
/// ```text
/// slots    | handle, kind, row | ..                                   by index of the handle
/// meshes   | x | y | z | radius | transform | triangles | state | ..  a column each; rows without gaps
/// lights   | light | ..
/// ```
///
/// It changes by [`try_apply`](Self::try_apply) alone, between frames; while a frame is made any
/// number of threads read it: each culls a range of rows ([`Frustum::try_cull`] over
/// [`spheres`](Self::spheres)) and queues what it sees into its own context
/// ([`try_draw`](Self::try_draw)).
///
/// A destroyed object's row is taken by the last one.
///
/// # Memory
///
/// 12 bytes a handle that was ever alive, as much again while streams that create or destroy are
/// checked; 120 bytes a mesh, 36 more for one with parameters, 532 for one with weights of targets, one more for each view once a mesh has levels of detail, and 37 bytes a light, in a block for each column, kept.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`.
///
/// # Examples
///
/// [`StateRecorder`](crate::StateRecorder) has one.
///
/// # Invariants
///
/// 1. The slot of an object's index holds its handle, its kind and its row, and that row its
///    handle. All other slots hold no handle.
/// 2. All columns of a kind are equally long.
/// 3. A mesh's sphere in the world is its own sphere, placed; its radius is minus infinity where it
///    is hidden.
pub struct RenderWorld<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    number: u32,
    limit: u32,
    /// The number of the stream that comes next.
    next: u64,
    slots: Array<'a, Slot, A>,
    /// The slots as they would be, while a stream is checked.
    checked: Array<'a, Slot, A>,
    meshes: Meshes<'a, A>,
    lights: Lights<'a, A>,
}

/// The share of the height of a picture from which on an occluder is drawn before others.
const LARGE: f32 = 0.5;

/// Where an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    /// The handle's bits; 0 for none.
    handle: u32,
    row: u32,
    kind: Kind,
}

impl Slot {
    const EMPTY: Self = Self { handle: 0, row: 0, kind: Kind::Mesh };
}

const _: () = assert!(size_of::<Slot>() == 12, "the doc states it");

/// A camera's place, direction and frustum, and which view of a frame it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The number of the view in the frame's description.
    pub number: u8,
    /// The stage that it sees.
    pub stage: u8,
    /// Where it is.
    pub eye: Vec3,
    /// Where it looks, 1 long: depths are measured along it.
    pub forward: Vec3,
    /// What it sees.
    pub frustum: Frustum,
    /// From where it measures how large something is.
    lods: LodEye,
}

impl View {
    /// Returns a camera that is placed by `view`, from the world to the camera, which looks along
    /// -z, and projects by `projection`, to depths from 0 to 1. It is the first view of a frame, and
    /// sees the first stage.
    #[must_use]
    pub fn new(view: Mat4, projection: Mat4) -> Self {
        let camera = view.inverse();
        Self {
            number: 0,
            stage: 0,
            eye: camera.w_axis.xyz(),
            forward: -camera.z_axis.xyz().normalize_or_zero(),
            frustum: Frustum::new(projection * view),
            lods: LodEye::new(camera, projection),
        }
    }

    /// Returns the same as another view of a frame, of a stage.
    #[must_use]
    pub const fn numbered(self, number: u8, stage: u8) -> Self {
        Self { number, stage, lods: LodEye { number, ..self.lods }, ..self }
    }

    /// Returns the same that draws each object with the level of detail that it has in another
    /// view: that of the sun, with the levels that the camera sees.
    #[must_use]
    pub const fn detailed_as(self, other: &Self) -> Self {
        Self { lods: other.lods, ..self }
    }

    /// Returns how far in front of the camera a point is.
    #[inline]
    #[must_use]
    pub fn depth(&self, point: Vec3) -> f32 {
        (point - self.eye).dot(self.forward)
    }
}

impl<'a> RenderWorld<'a> {
    /// Returns an empty world of that number, for at most `limit` objects: what its recorder was
    /// given. O(1); takes no memory.
    #[must_use]
    pub fn new(number: u32, limit: u32, memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(number, limit, memory)
    }
}

impl<'a, A: Allocator + ?Sized> RenderWorld<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub fn new_in(number: u32, limit: u32, memory: &'a A) -> Self {
        Self {
            number,
            limit,
            next: 0,
            slots: Array::new_in(memory),
            checked: Array::new_in(memory),
            meshes: Meshes::new_in(memory),
            lights: Lights::new_in(memory),
        }
    }

    /// Returns how many meshes there are: their rows are the numbers below.
    #[must_use]
    pub fn mesh_count(&self) -> usize {
        self.meshes.handles.len()
    }

    /// Returns the mesh that a handle names. O(1).
    #[must_use]
    pub fn mesh(&self, handle: RenderHandle) -> Option<Mesh> {
        Some(self.meshes.mesh(self.row(handle, Kind::Mesh)?))
    }

    /// Returns the row of a mesh, until the next stream. O(1).
    #[must_use]
    pub fn mesh_row(&self, handle: RenderHandle) -> Option<usize> {
        self.row(handle, Kind::Mesh)
    }

    /// Returns the handle of a mesh by its row. O(1).
    #[must_use]
    pub fn mesh_at(&self, row: usize) -> Option<RenderHandle> {
        self.meshes.handles.get(row).and_then(|handle| RenderHandle::from_bits(*handle))
    }

    /// Returns the parameters of a mesh, by its row. O(1).
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn parameters_at(&self, row: usize) -> InstanceParameters {
        self.meshes.parameters.get(row)
    }

    /// Returns the parameters of all meshes that have some.
    #[must_use]
    pub fn parameters(&self) -> RowParameters<'_> {
        let parameters = &self.meshes.parameters;
        RowParameters { numbers: parameters.numbers(), values: parameters.values() }
    }

    /// Sets the coarser levels of meshes whose [`Mesh::details`] is this number plus 1: `all` are their
    /// triangles, of all levels together; without `lods` they have one. `hysteresis` is the share of
    /// a limit by which a size must be past it before the level changes back.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    pub fn try_set_lods(
        &mut self,
        number: u32,
        all: Geometry,
        lods: &[Lod],
        hysteresis: f32,
    ) -> Result<(), GrowError> {
        let set = (!lods.is_empty()).then(|| LodSet::new(all, lods, hysteresis));
        self.meshes.details.try_set_lods(number, set)
    }

    /// Sets the box of a mesh, between two corners, that hides what it covers, for the objects
    /// whose [`Mesh::details`] is this number plus 1; without one they hide nothing.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    pub fn try_set_occluder(
        &mut self,
        number: u32,
        corners: Option<[Vec3; 2]>,
    ) -> Result<(), GrowError> {
        self.meshes.details.try_set_occluder(number, corners)
    }

    /// Returns `true` if a mesh has a box that hides something. O(meshes that have details).
    #[must_use]
    pub fn has_occluders(&self) -> bool {
        self.meshes.details.has_occluders()
    }

    /// Draws the boxes of those meshes of `rows` that a view draws in layers without blending: of
    /// those alone that are at least [`OCCLUDER_SHARE`](crate::OCCLUDER_SHARE) of the picture high.
    ///
    /// # Complexity
    ///
    /// O(rows), and O(pixels) for each box.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn draw_occluders<B: Allocator + ?Sized, C: Allocator + ?Sized>(
        &self,
        rows: &[u32],
        view: &View,
        frame: &FrameDescription<'_, C>,
        picture: &mut Occlusion<'_, B>,
    ) {
        let (keys, stage) = (frame.keys_of(view.number), u32::from(view.stage) << STAGE_SHIFT);
        let meshes = &self.meshes;
        // The large ones first: they hide many of the others.
        for (is_first, sizes) in [(true, LARGE..f32::INFINITY), (false, OCCLUDER_SHARE..LARGE)] {
            for row in rows.iter().map(|row| *row as usize) {
                let details = meshes.details.get(meshes.shapes[row].details);
                let Some(corners) = details.and_then(|details| details.occluder) else { continue };
                let layer = (meshes.materials[row].layer ^ stage) as usize;
                let is_solid = matches!(keys.get(layer), Some(Some(keys)) if !keys.is_blended());
                let center = Vec3::new(meshes.x[row], meshes.y[row], meshes.z[row]);
                let size = view.lods.size(center, meshes.radius[row]);
                let is_wanted = is_solid && sizes.contains(&size);
                if is_wanted && (is_first || !picture.hides(center, meshes.radius[row])) {
                    picture.draw_box(&meshes.transforms[row], corners);
                }
            }
        }
    }

    /// Makes room for the levels that objects have in each of the first `views` views, if any mesh
    /// has levels. Without it levels are chosen without hysteresis. O(meshes) for a view that is
    /// new, O(views) otherwise.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_remember_lods(&mut self, views: usize) -> Result<(), GrowError> {
        let rows = self.mesh_count();
        self.meshes.details.try_remember(views, rows)
    }

    /// Returns where all meshes are, by row: what a draw's instances number. `bytemuck::cast_slice`
    /// makes bytes of them.
    #[must_use]
    pub fn transforms(&self) -> &[Transform] {
        &self.meshes.transforms
    }

    /// Returns the spheres around all meshes, by row. Those of hidden ones are never seen.
    #[must_use]
    pub fn spheres(&self) -> Spheres<'_> {
        let Meshes { x, y, z, radius, .. } = &self.meshes;
        Spheres { x, y, z, radius }
    }

    /// Returns the light that a handle names. O(1).
    #[must_use]
    pub fn light(&self, handle: RenderHandle) -> Option<Light> {
        self.lights.lights.get(self.row(handle, Kind::Light)?).copied()
    }

    /// Returns all lights.
    #[must_use]
    pub fn lights(&self) -> &[Light] {
        &self.lights.lights
    }

    /// Returns the lights that light a stage. O(lights).
    pub fn lights_on(&self, stage: u8) -> impl Iterator<Item = &Light> {
        let lights = self.lights.lights.iter().zip(&*self.lights.stages);
        lights.filter(move |(_, own)| **own == stage).map(|(light, _)| light)
    }

    /// Appends the rows of those meshes in `range` that a view sees, in order.
    ///
    /// # Complexity
    ///
    /// O(range).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all of the range; nothing has changed.
    ///
    /// # Panics
    ///
    /// If there are no such rows.
    pub fn try_cull<B: Allocator + ?Sized>(
        &self,
        view: &View,
        range: Range<usize>,
        visible: &mut Array<'_, u32, B>,
    ) -> Result<(), GrowError> {
        view.frustum.try_cull(&self.spheres(), range, visible)
    }

    /// Queues a draw for each mesh of `rows` that is on the view's stage: its instance is its row,
    /// its key that of its layer in the view. A mesh whose layer the view has not is left out.
    ///
    /// # Complexity
    ///
    /// O(rows).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if the context has no memory for all; nothing has changed.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn try_draw<B: Allocator + ?Sized, C: Allocator + ?Sized>(
        &self,
        rows: &[u32],
        view: &View,
        frame: &FrameDescription<'_, C>,
        context: &mut RenderContext<'_, B>,
    ) -> Result<(), GrowError> {
        context.try_reserve(rows.len())?;
        let (keys, stage) = (frame.keys_of(view.number), u32::from(view.stage) << STAGE_SHIFT);
        for row in rows {
            // On another stage the number is larger than that of any layer.
            let layer = (self.meshes.materials[*row as usize].layer ^ stage) as usize;
            if let Some(Some(keys)) = keys.get(layer) {
                let state = self.meshes.materials[*row as usize].state;
                self.queue(*row, view, *keys, state, context);
            }
        }
        Ok(())
    }

    /// As [`try_draw`](Self::try_draw), but for one layer of
    /// [`others_of`](FrameDescription::others_of): all that are on the view's stage where it takes
    /// all, for a shadow map, say, with the view of the sun. With a `state` they are drawn with
    /// that material.
    ///
    /// # Complexity
    ///
    /// O(rows).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if the context has no memory for all; nothing has changed.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn try_draw_in<B: Allocator + ?Sized>(
        &self,
        rows: &[u32],
        view: &View,
        layer: &LayerRef<'_>,
        state: Option<u32>,
        context: &mut RenderContext<'_, B>,
    ) -> Result<(), GrowError> {
        context.try_reserve(rows.len())?;
        let (keys, stage) = (layer.keys(), u32::from(view.stage));
        let name = (layer.takes == LayerTakes::Own).then_some(u32::from(layer.name_number));
        for row in rows {
            let own = self.meshes.materials[*row as usize].layer;
            let is_of_layer = name.is_none_or(|name| own ^ (stage << STAGE_SHIFT) == name);
            if own >> STAGE_SHIFT == stage && is_of_layer {
                let state = state.unwrap_or(self.meshes.materials[*row as usize].state);
                self.queue(*row, view, keys, state, context);
            }
        }
        Ok(())
    }

    /// Returns how many bytes there is room for.
    #[must_use]
    pub fn bytes(&self) -> usize {
        (self.slots.capacity() + self.checked.capacity()) * size_of::<Slot>()
            + self.meshes.bytes()
            + self.lights.bytes()
    }

    /// Checks the world's own structure.
    ///
    /// # Complexity
    ///
    /// O(slots + objects).
    ///
    /// # Errors
    ///
    /// What is wrong, in words.
    pub fn validate(&self) -> Result<(), &'static str> {
        self.meshes.validate()?;
        self.lights.validate()?;
        let mut found = 0;
        for (index, slot) in self.slots.iter().enumerate().filter(|(_, slot)| slot.handle != 0) {
            found += 1;
            let handle = RenderHandle::from_bits(slot.handle).ok_or("a slot holds no handle")?;
            if handle.index() as usize != index {
                return Err("a handle is in another one's slot");
            }
            let handles = match slot.kind {
                Kind::Mesh => &self.meshes.handles,
                Kind::Light => &self.lights.handles,
            };
            if handles.get(slot.row as usize) != Some(&slot.handle) {
                return Err("the row of a slot is another object's");
            }
        }
        let rows = self.meshes.handles.len() + self.lights.handles.len();
        if found == rows { Ok(()) } else { Err("objects and slots differ in number") }
    }

    /// Queues a draw of one mesh, for which there is room.
    #[inline]
    fn queue<B: Allocator + ?Sized>(
        &self,
        row: u32,
        view: &View,
        keys: LayerKeys,
        state: u32,
        context: &mut RenderContext<'_, B>,
    ) {
        let (meshes, at) = (&self.meshes, row as usize);
        let center = Vec3::new(meshes.x[at], meshes.y[at], meshes.z[at]);
        let Shape { mut geometry, details, .. } = meshes.shapes[at];
        if details != 0 {
            geometry = self.detailed(row, view, center);
            if geometry.index_count == 0 {
                return;
            }
        }
        let depth = view.depth(center);
        let args = IndirectArgs::new(geometry, row, 1);
        context.push_draw(keys.key(state, args.first_index, depth), Draw { state, args });
    }

    /// Returns the triangles of a mesh in the level of detail that it has in a view, where targets
    /// have moved them. Not inlined: most meshes have one level and no targets.
    #[inline(never)]
    fn detailed(&self, row: u32, view: &View, center: Vec3) -> Geometry {
        let (meshes, at) = (&self.meshes, row as usize);
        let Shape { geometry, details, .. } = meshes.shapes[at];
        let lods = meshes.details.get(details).and_then(|detail| detail.lods.as_ref());
        let Some(lods) = lods else {
            // A mesh with targets has no levels.
            let moved = meshes.morphed.find(at).and_then(|morphed| morphed.base_vertex);
            return moved.map_or(geometry, |base_vertex| Geometry { base_vertex, ..geometry });
        };
        let size = view.lods.size(center, meshes.radius[at]);
        lods.geometry(meshes.details.choose(lods, view.lods.number, row, size), geometry)
    }

    fn row(&self, handle: RenderHandle, kind: Kind) -> Option<usize> {
        let slot = self.slots.get(handle.index() as usize)?;
        (slot.handle == handle.to_bits() && slot.kind == kind).then_some(slot.row as usize)
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for RenderWorld<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenderWorld")
            .field("number", &self.number)
            .field("next", &self.next)
            .field("meshes", &self.mesh_count())
            .field("lights", &self.lights.lights.len())
            .finish()
    }
}
