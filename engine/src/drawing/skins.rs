//! The meshes that bones and targets move: what is known of each, and those of a frame.

use glam::{Affine3A, Mat4};
use loligo_allocators::SharedRef;
use loligo_containers::{Array, BuildKeyHasher, GrowError, HashMap};
use loligo_ids::{IdString32, IdString64};
use loligo_interface::{SkinnedMesh as Handle, Skinner, SubsystemError};
use loligo_render::{
    Geometry, MOVED_BY_NONE, MOVED_VERTICES_MAX, MeshVertex, MorphWeights, SkinnedMesh, Skinning,
    Transform,
};

use crate::assets::{MeshData, MeshParts, VERTICES_MAX, name_of};
use crate::memory::SharedAllocator;

/// What is known of a mesh that bones or targets may move.
struct Skin<'e> {
    /// The number of the mesh.
    number: u32,
    vertices: u32,
    geometry: Geometry,
    /// The hashes of the bones' names.
    names: Array<'e, u64, SharedAllocator<'e>>,
    /// What leads from the mesh at rest to each bone.
    rests: Array<'e, Affine3A, SharedAllocator<'e>>,
    /// The hash of the name of each target, and its weight in the mesh at rest.
    targets: Array<'e, (u32, f32), SharedAllocator<'e>>,
}

/// All of them, and those of a frame with their bones.
pub(super) struct Skins<'e> {
    known: HashMap<'e, IdString64, Skin<'e>, BuildKeyHasher, SharedAllocator<'e>>,
    meshes: Array<'e, SkinnedMesh, SharedAllocator<'e>>,
    /// Where the triangles of each are.
    geometries: Array<'e, Geometry, SharedAllocator<'e>>,
    bones: Array<'e, Transform, SharedAllocator<'e>>,
    weights: Array<'e, f32, SharedAllocator<'e>>,
    /// The names of the meshes that are known, by their numbers.
    numbers: Array<'e, Option<IdString64>, SharedAllocator<'e>>,
    /// How many vertices the meshes of the frame have.
    vertices: u32,
}

impl<'e> Skins<'e> {
    pub(super) fn new_in(memory: SharedRef<'e>) -> Self {
        Self {
            known: HashMap::new_in(memory),
            meshes: Array::new_in(memory),
            geometries: Array::new_in(memory),
            bones: Array::new_in(memory),
            weights: Array::new_in(memory),
            numbers: Array::new_in(memory),
            vertices: 0,
        }
    }

    /// Learns the bones and the targets of a mesh, or that it has none any more.
    pub(super) fn take_mesh(&mut self, data: &MeshData, block: &[u32]) -> Result<(), GrowError> {
        let name = name_of(data.name);
        if data.bones == 0 && data.targets == 0 {
            self.known.remove(&name);
            return Ok(());
        }
        let MeshParts { vertices, names: words, rests: rows, morph, .. } = data.parts(block);
        let memory = self.bones.memory();
        let (mut names, mut rests) = (Array::new_in(memory), Array::new_in(memory));
        let mut targets = Array::new_in(memory);
        let own = morph.targets.iter().zip(morph.weights);
        targets.try_extend(own.map(|(target, weight)| (*target, *weight)))?;
        names.try_extend(words.iter().map(|words| name_of(*words).hash()))?;
        rests.try_extend(rows.iter().map(affine))?;
        let (number, geometry) = (data.mesh, data.geometry());
        let vertices = (vertices.len() / VERTEX_WORDS) as u32;
        if self.numbers.len() <= number as usize {
            self.numbers.try_resize(number as usize + 1, None)?;
        }
        self.known.try_insert(name, Skin { number, vertices, geometry, names, rests, targets })?;
        self.numbers[number as usize] = Some(name);
        Ok(())
    }

    /// Forgets meshes that are gone, by their numbers.
    pub(super) fn forget(&mut self, is_gone: impl Fn(u32) -> bool) {
        self.known.retain(|_, skin| !is_gone(skin.number));
    }

    /// Forgets what was moved in the frame before.
    pub(super) fn begin_frame(&mut self) {
        self.meshes.clear();
        self.geometries.clear();
        self.bones.clear();
        self.weights.clear();
        self.vertices = 0;
    }

    pub(super) fn skinning(&self) -> Skinning<'_> {
        Skinning { meshes: &self.meshes, bones: &self.bones, weights: &self.weights }
    }

    /// Returns the triangles of a mesh that was moved in this frame.
    pub(super) fn geometry(&self, number: u32) -> Option<Geometry> {
        self.geometries.get(number as usize).copied()
    }

    /// Has targets move the vertices of a mesh, by its number, for an object with these weights;
    /// returns where they begin, or `None` where there are none to move or no room for them.
    pub(super) fn morph(&mut self, number: u32, weights: &MorphWeights) -> Option<i32> {
        let name = (*self.numbers.get(number as usize)?)?;
        let skin = self.known.get(&name).filter(|skin| skin.number == number)?;
        let vertices = self.vertices + skin.vertices;
        let has_room = vertices <= MOVED_VERTICES_MAX
            && self.meshes.try_reserve(1).is_ok()
            && self.geometries.try_reserve(1).is_ok()
            && self.weights.try_reserve(skin.targets.len()).is_ok();
        if skin.targets.is_empty() || !has_room {
            return None;
        }
        let (first_vertex, first_weight) = (self.vertices, self.weights.len() as u32);
        let above = |(target, rest): &(u32, f32)| {
            weights.get(IdString32::from_hash(*target)).map_or(0.0, |weight| weight - rest)
        };
        // There is room for all of it.
        self.weights.extend(skin.targets.iter().map(above));
        if self.weights[first_weight as usize..].iter().all(|weight| *weight == 0.0) {
            self.weights.truncate(first_weight as usize);
            return None;
        }
        let base_vertex = (VERTICES_MAX as u32 + first_vertex) as i32;
        self.geometries.push(Geometry { base_vertex, ..skin.geometry });
        self.meshes.push(SkinnedMesh {
            mesh: number,
            first_vertex,
            vertices: skin.vertices,
            first_bone: MOVED_BY_NONE,
            first_weight,
        });
        self.vertices = vertices;
        Some(base_vertex)
    }
}

const VERTEX_WORDS: usize = size_of::<MeshVertex>() / size_of::<u32>();

impl Skinner for Skins<'_> {
    fn bones(&self, mesh: IdString64) -> &[u64] {
        self.known.get(&mesh).map_or(&[], |skin| &skin.names)
    }

    fn skin(
        &mut self,
        mesh: IdString64,
        places: &[Affine3A],
    ) -> Result<Option<Handle>, SubsystemError> {
        let skin = self.known.get(&mesh).filter(|skin| !skin.names.is_empty());
        let Some(skin) = skin else { return Ok(None) };
        if places.len() != skin.rests.len() {
            let what = "a mesh was to be moved by more or fewer bones than it has";
            return Err(SubsystemError::Wrong {
                what,
                remedy: "give one place for each of `bones`",
            });
        }
        let vertices = self.vertices + skin.vertices;
        if vertices > MOVED_VERTICES_MAX {
            let what = "bones move more vertices than a frame has room for, which are 2 097 152";
            return Err(SubsystemError::Wrong { what, remedy: "show fewer, or simpler meshes" });
        }
        self.meshes.try_reserve(1)?;
        self.geometries.try_reserve(1)?;
        self.bones.try_reserve(places.len())?;
        let number = self.meshes.len() as u32;
        let (first_vertex, first_bone) = (self.vertices, self.bones.len() as u32);
        let bones = places.iter().zip(&*skin.rests);
        // There is room for all of it.
        self.bones.extend(bones.map(|(place, rest)| Transform::from(*place * *rest)));
        let base_vertex = (VERTICES_MAX as u32 + first_vertex) as i32;
        self.geometries.push(Geometry { base_vertex, ..skin.geometry });
        self.meshes.push(SkinnedMesh {
            mesh: skin.number,
            first_vertex,
            vertices: skin.vertices,
            first_bone,
            first_weight: MOVED_BY_NONE,
        });
        self.vertices = vertices;
        Ok(Some(Handle { number }))
    }
}

fn affine(from: &Transform) -> Affine3A {
    let [x, y, z] = from.rows;
    Affine3A::from_mat4(Mat4::from_cols_array_2d(&[x, y, z, [0.0, 0.0, 0.0, 1.0]]).transpose())
}
