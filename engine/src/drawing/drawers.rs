//! What subsystems draw: the drawers of those that have one, and what they may draw with.

use glam::{Affine3A, Vec3};
use loligo_allocators::SharedRef;
use loligo_containers::{Array, BuildKeyHasher, EventStream, GrowError, HashMap, text};
use loligo_ids::{IdString32, IdString64};
use loligo_interface::{
    Drawing, DrawnVertex, MadeDrawer, SkinnedMesh, SubsystemError, SubsystemRow, Viewpoint,
};
use loligo_render::{
    Draw, FrameDescription, Geometry, IndirectArgs, Job, LayerKeys, LayerRef, LayerTakes,
    MeshVertex, RenderContext, RenderWorld, Skinning, Transform, View,
};

use super::back_end::FULL_SCREEN;
use super::drawn_view::DrawnView;
use super::skins::Skins;
use crate::assets::{MaterialData, MeshData, Numbered, Removed, name_of};
use crate::error::EngineError;
use crate::memory::SharedAllocator;

/// The kind of the job that draws triangles of this frame: the number of a material, and vertices.
const TRIANGLES: u32 = loligo_ids::id32!("triangles").hash();

const _: () =
    assert!(size_of::<DrawnVertex>() == size_of::<MeshVertex>(), "shaders see one of them");

/// Returns the state of the material that a job draws with, if it is of those that begin with one.
pub(super) fn state_of_job(job: &Job<'_>) -> Option<u32> {
    let has_state = [FULL_SCREEN, TRIANGLES].contains(&job.kind);
    let state = job.data.first_chunk().filter(|_| has_state)?;
    Some(u32::from_ne_bytes(*state))
}

/// A drawer, and the fault of it that was reported last.
struct Member<'e> {
    name: &'static str,
    made: MadeDrawer<'e>,
    reported: Option<SubsystemError>,
}

/// A mesh or a material that is loaded.
#[derive(Clone, Copy)]
struct Known<T> {
    number: u32,
    what: T,
}

/// What is loaded, by the hashes of its names.
type Names<'e, T> = HashMap<'e, IdString64, Known<T>, BuildKeyHasher, SharedAllocator<'e>>;

/// The drawers of subsystems, in the order of their rows.
pub(crate) struct Drawers<'e> {
    members: Array<'e, Member<'e>, SharedAllocator<'e>>,
    meshes: Names<'e, Geometry>,
    /// With the layer of each.
    materials: Names<'e, IdString64>,
    /// The names of the frame's layers, by their numbers.
    layers: Array<'e, IdString64, SharedAllocator<'e>>,
    /// Where the instances are that were asked for in this frame.
    once: Array<'e, Transform, SharedAllocator<'e>>,
    /// The data of a job, while it is put together.
    bytes: Array<'e, u8, SharedAllocator<'e>>,
    skins: Skins<'e>,
}

impl<'e> Drawers<'e> {
    pub(crate) fn new_in(memory: SharedRef<'e>) -> Self {
        Self {
            members: Array::new_in(memory),
            meshes: HashMap::new_in(memory),
            materials: HashMap::new_in(memory),
            layers: Array::new_in(memory),
            once: Array::new_in(memory),
            bytes: Array::new_in(memory),
            skins: Skins::new_in(memory),
        }
    }

    /// Makes the drawer of a row, if it has one.
    pub(crate) fn try_add(
        &mut self,
        row: &SubsystemRow,
        memory: SharedRef<'e>,
    ) -> Result<(), EngineError> {
        let name = row.name();
        let made = row.make_drawer(memory);
        let made = made.map_err(|error| EngineError::Subsystem { name, error })?;
        if let Some(made) = made {
            self.members.try_push(Member { name, made, reported: None })?;
        }
        Ok(())
    }

    /// Returns where the instances are that were asked for in this frame.
    pub(crate) fn once(&self) -> &[Transform] {
        &self.once
    }

    /// Returns the meshes that bones move in this frame.
    pub(crate) fn skinning(&self) -> Skinning<'_> {
        self.skins.skinning()
    }

    /// Learns the layers of a frame.
    pub(crate) fn learn_layers(
        &mut self,
        frame: &FrameDescription<'_, SharedAllocator<'_>>,
    ) -> Result<(), GrowError> {
        self.layers.clear();
        self.layers.try_extend(frame.layer_names().map(IdString64::new))
    }

    pub(crate) fn take_mesh(&mut self, data: &MeshData, block: &[u32]) -> Result<(), GrowError> {
        self.skins.take_mesh(data, block)?;
        let known = Known { number: data.mesh, what: data.geometry() };
        self.meshes.try_insert(name_of(data.name), known)?;
        Ok(())
    }

    pub(crate) fn take_material(&mut self, data: &MaterialData) -> Result<(), GrowError> {
        let known = Known { number: data.state, what: name_of(data.layer) };
        self.materials.try_insert(name_of(data.name), known)?;
        Ok(())
    }

    /// Returns the state of a material, or of what is in place of one that is not there.
    pub(crate) fn state_of(&self, material: IdString64) -> Option<u32> {
        // Of the placeholders, which have no name, the last is that of materials.
        let found = self.materials.get(&material);
        found.or_else(|| self.materials.get(&name_of([0; 2]))).map(|known| known.number)
    }

    /// Forgets what is gone. O(meshes or materials).
    pub(crate) fn forget(&mut self, removed: &Removed) {
        let is_it =
            |what: Numbered, number: u32| removed.what == what as u32 && removed.number == number;
        self.meshes.retain(|_, mesh| !is_it(Numbered::Mesh, mesh.number));
        self.skins.forget(|mesh| is_it(Numbered::Mesh, mesh));
        self.materials.retain(|_, material| !is_it(Numbered::Material, material.number));
    }

    /// Reads what the subsystems have sent. What is wrong is appended to `problems`.
    pub(crate) fn read(
        &mut self,
        sent: &[EventStream<'e, SharedAllocator<'e>>],
        problems: &mut Array<'e, u8, SharedAllocator<'e>>,
    ) {
        for (member, messages) in self.members.iter_mut().zip(sent) {
            if !messages.is_empty() {
                let read = member.made.read(messages.reader());
                member.note(read, problems);
            }
        }
    }

    /// Has targets move the vertices of the objects of a world, before anything of a frame is drawn.
    pub(crate) fn morph(&mut self, world: &mut RenderWorld<'e, SharedAllocator<'e>>) {
        self.skins.begin_frame();
        world.place_morphed(|mesh, weights| self.skins.morph(mesh, weights));
    }

    /// Draws what views see, after [`morph`](Self::morph): `count` is the number of the first instance of this frame, `states`
    /// are those of the materials that layers have, by the numbers of the layers.
    pub(crate) fn draw(
        &mut self,
        views: &[DrawnView],
        (frame, states): (&FrameDescription<'e, SharedAllocator<'e>>, &[Option<u32>]),
        count: u32,
        context: &mut RenderContext<'e, SharedAllocator<'e>>,
        problems: &mut Array<'e, u8, SharedAllocator<'e>>,
    ) {
        let Self { members, meshes, materials, layers, once, bytes, skins } = self;
        once.clear();
        if members.is_empty() {
            return;
        }
        for member in &mut *members {
            let skinned = member.made.skin(skins);
            member.note(skinned, problems);
        }
        for view in views.iter().filter(|view| view.seen.is_drawn) {
            let from = viewpoint(view);
            let (view, keys) = (&view.view, frame.keys_of(view.view.number));
            for member in &mut *members {
                let mut to = Target {
                    view,
                    keys,
                    frame,
                    states,
                    meshes,
                    materials,
                    skins,
                    layers,
                    once,
                    bytes,
                    count,
                    context,
                };
                let drawn = member.made.draw(&from, &mut to);
                member.note(drawn, problems);
            }
        }
    }
}

impl Member<'_> {
    /// Reports a fault, unless it is the one that was reported last.
    fn note(
        &mut self,
        done: Result<(), SubsystemError>,
        problems: &mut Array<'_, u8, SharedAllocator<'_>>,
    ) {
        let Err(error) = done else { return };
        if self.reported != Some(error) {
            self.reported = Some(error);
            // Without memory it cannot be said.
            let _ =
                text::try_format(problems, format_args!("subsystem `{}`: {error}\n", self.name));
        }
    }
}

/// Returns from where a view sees, as drawers know it.
fn viewpoint(view: &DrawnView) -> Viewpoint {
    let (eye, projection) = match view.shadows[0] {
        Some((shadow, _)) if view.is_sun => (Affine3A::from_mat4(shadow.eye), shadow.projection),
        _ => (view.seen.eye, view.projection),
    };
    let mut point = Viewpoint::new(eye, projection, view.pixels);
    (point.number, point.stage) = (view.view.number, view.view.stage);
    point.is_sun = view.is_sun;
    point
}

/// Takes what a drawer draws of a view.
struct Target<'d, 'e> {
    view: &'d View,
    /// What makes the keys of the view's layers.
    keys: &'d [Option<LayerKeys>],
    frame: &'d FrameDescription<'e, SharedAllocator<'e>>,
    states: &'d [Option<u32>],
    meshes: &'d Names<'e, Geometry>,
    materials: &'d Names<'e, IdString64>,
    skins: &'d Skins<'e>,
    layers: &'d [IdString64],
    once: &'d mut Array<'e, Transform, SharedAllocator<'e>>,
    bytes: &'d mut Array<'e, u8, SharedAllocator<'e>>,
    count: u32,
    context: &'d mut RenderContext<'e, SharedAllocator<'e>>,
}

impl<'d> Target<'d, '_> {
    /// Returns what makes the keys of a layer, if the view has it.
    fn keys_of(&self, layer: IdString64) -> Option<LayerKeys> {
        let number = self.layers.iter().position(|own| *own == layer)?;
        *self.keys.get(number)?
    }

    /// Returns what makes the keys of a layer, whatever it takes, if the view has it: other
    /// work may be done in the layer of a sky.
    fn keys_of_any(&self, layer: IdString64) -> Option<LayerKeys> {
        let name = self.layers.iter().position(|own| *own == layer)?;
        let view = Some(self.view.number);
        let is_it = |other: &LayerRef<'_>| {
            usize::from(other.name_number) == name && self.frame.view_of(other) == view
        };
        self.frame.layers().find(is_it).map(|layer| layer.keys())
    }

    /// Returns whether the view is that of the player, or one that draws objects: a view that makes
    /// one picture of others has in it what was drawn over each.
    fn is_of_world(&self) -> bool {
        let number = self.view.number;
        let draws_own = self.keys.iter().any(Option::is_some);
        number == 0 || draws_own || self.frame.others_of(number).next().is_some()
    }

    /// Returns what makes the keys of what belongs to a layer and is drawn with a state, and that
    /// state: those of the layer itself, of layers that take all, and of layers of its name that
    /// have a material.
    fn keys_in(
        &self,
        layer: IdString64,
        state: u32,
    ) -> impl Iterator<Item = (LayerKeys, u32)> + use<'d> {
        let name = self.layers.iter().position(|own| *own == layer);
        let own = self.keys_of(layer).map(|keys| (keys, state));
        let states = self.states;
        let is_of_it = move |other: &LayerRef<'_>| {
            other.takes == LayerTakes::All || name == Some(usize::from(other.name_number))
        };
        let others = self.frame.others_of(self.view.number).filter(is_of_it);
        let others = others.map(move |other| {
            let own = states.get(usize::from(other.number)).copied().flatten();
            (other.keys(), own.unwrap_or(state))
        });
        own.into_iter().chain(others)
    }
}

impl Drawing for Target<'_, '_> {
    fn triangles(
        &mut self,
        material: IdString64,
        at: Vec3,
        vertices: &[DrawnVertex],
    ) -> Result<(), SubsystemError> {
        if !vertices.len().is_multiple_of(3) {
            let what = "triangles with one or two vertices too many";
            return Err(SubsystemError::Wrong { what, remedy: "give three for each triangle" });
        }
        let Some(Known { number, what: layer }) = self.materials.get(&material).copied() else {
            return Ok(());
        };
        if vertices.is_empty() {
            return Ok(());
        }
        self.bytes.clear();
        self.bytes.try_extend_from_slice(&number.to_ne_bytes())?;
        self.bytes.try_extend_from_slice(bytemuck::cast_slice(vertices))?;
        let depth = self.view.depth(at);
        for (keys, state) in self.keys_in(layer, number) {
            self.bytes[..size_of::<u32>()].copy_from_slice(&state.to_ne_bytes());
            self.context.try_job(keys.key(state, 0, depth), TRIANGLES, self.bytes)?;
        }
        Ok(())
    }

    fn meshes(
        &mut self,
        mesh: IdString64,
        material: IdString64,
        matrices: &[Affine3A],
    ) -> Result<(), SubsystemError> {
        let (Some(mesh), Some(material)) = (self.meshes.get(&mesh), self.materials.get(&material))
        else {
            return Ok(());
        };
        let geometry = mesh.what;
        let first = self.count + self.once.len() as u32;
        // First, so that no draw is of an instance that is not there.
        self.once.try_extend(matrices.iter().map(|matrix| Transform::from(*matrix)))?;
        for (keys, state) in self.keys_in(material.what, material.number) {
            for (number, matrix) in (first..).zip(matrices) {
                let depth = self.view.depth(matrix.translation.into());
                let args = IndirectArgs::new(geometry, number, 1);
                let key = keys.key(state, args.first_index, depth);
                self.context.try_draw(key, Draw { state, args })?;
            }
        }
        Ok(())
    }

    fn skinned(
        &mut self,
        mesh: SkinnedMesh,
        material: IdString64,
        at: Vec3,
    ) -> Result<(), SubsystemError> {
        let Some(geometry) = self.skins.geometry(mesh.number) else {
            let what = "a mesh that no bones have moved in this frame";
            return Err(SubsystemError::Wrong { what, remedy: "draw what `skin` has returned" });
        };
        let Some(material) = self.materials.get(&material) else { return Ok(()) };
        // Bones have moved it to its place.
        let number = self.count + self.once.len() as u32;
        self.once.try_push(Transform::IDENTITY)?;
        let depth = self.view.depth(at);
        for (keys, state) in self.keys_in(material.what, material.number) {
            let args = IndirectArgs::new(geometry, number, 1);
            let key = keys.key(state, args.first_index, depth);
            self.context.try_draw(key, Draw { state, args })?;
        }
        Ok(())
    }

    fn overlay(&mut self, kind: IdString32, data: &[u8]) -> Result<(), SubsystemError> {
        if !self.is_of_world() {
            return Ok(());
        }
        if let Some(keys) = self.frame.last_of(self.view.number).map(|layer| layer.keys()) {
            // Where depths decide, it is nearest, and what has a state is drawn before it.
            self.context.try_job(keys.last(), kind.hash(), data)?;
        }
        Ok(())
    }

    fn job(
        &mut self,
        layer: IdString64,
        at: Vec3,
        kind: IdString32,
        data: &[u8],
    ) -> Result<(), SubsystemError> {
        if let Some(keys) = self.keys_of_any(layer) {
            let depth = self.view.depth(at);
            self.context.try_job(keys.key(u32::MAX, 0, depth), kind.hash(), data)?;
        }
        Ok(())
    }
}
