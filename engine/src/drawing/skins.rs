//! The meshes that bones move: what is known of each, and those of a frame.

use glam::{Affine3A, Mat4};
use loligo_allocators::SharedRef;
use loligo_containers::{Array, BuildKeyHasher, GrowError, HashMap};
use loligo_ids::IdString64;
use loligo_interface::{SkinnedMesh as Handle, Skinner, SubsystemError};
use loligo_render::{Geometry, MOVED_VERTICES_MAX, SkinnedMesh, Skinning, Transform};

use crate::assets::{MeshData, MeshParts, VERTICES_MAX, name_of};
use crate::memory::SharedAllocator;

/// What is known of a mesh that bones may move.
struct Skin<'e> {
    /// The number of the mesh.
    number: u32,
    vertices: u32,
    geometry: Geometry,
    /// The hashes of the bones' names.
    names: Array<'e, u64, SharedAllocator<'e>>,
    /// What leads from the mesh at rest to each bone.
    rests: Array<'e, Affine3A, SharedAllocator<'e>>,
}

/// All of them, and those of a frame with their bones.
pub(super) struct Skins<'e> {
    known: HashMap<'e, IdString64, Skin<'e>, BuildKeyHasher, SharedAllocator<'e>>,
    meshes: Array<'e, SkinnedMesh, SharedAllocator<'e>>,
    /// Where the triangles of each are.
    geometries: Array<'e, Geometry, SharedAllocator<'e>>,
    bones: Array<'e, Transform, SharedAllocator<'e>>,
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
            vertices: 0,
        }
    }

    /// Learns the bones of a mesh, or that it has none any more.
    pub(super) fn take_mesh(&mut self, data: &MeshData, block: &[u32]) -> Result<(), GrowError> {
        let name = name_of(data.name);
        if data.bones == 0 {
            self.known.remove(&name);
            return Ok(());
        }
        let MeshParts { skin, names: words, rests: rows, .. } = data.parts(block);
        let memory = self.bones.memory();
        let (mut names, mut rests) = (Array::new_in(memory), Array::new_in(memory));
        names.try_extend(words.iter().map(|words| name_of(*words).hash()))?;
        rests.try_extend(rows.iter().map(affine))?;
        let (number, geometry) = (data.mesh, data.geometry());
        let vertices = skin.len() as u32;
        self.known.try_insert(name, Skin { number, vertices, geometry, names, rests })?;
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
        self.vertices = 0;
    }

    pub(super) fn skinning(&self) -> Skinning<'_> {
        Skinning { meshes: &self.meshes, bones: &self.bones }
    }

    /// Returns the triangles of a mesh that was moved in this frame.
    pub(super) fn geometry(&self, number: u32) -> Option<Geometry> {
        self.geometries.get(number as usize).copied()
    }
}

impl Skinner for Skins<'_> {
    fn bones(&self, mesh: IdString64) -> &[u64] {
        self.known.get(&mesh).map_or(&[], |skin| &skin.names)
    }

    fn skin(
        &mut self,
        mesh: IdString64,
        places: &[Affine3A],
    ) -> Result<Option<Handle>, SubsystemError> {
        let Some(skin) = self.known.get(&mesh) else { return Ok(None) };
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
        });
        self.vertices = vertices;
        Ok(Some(Handle { number }))
    }
}

fn affine(from: &Transform) -> Affine3A {
    let [x, y, z] = from.rows;
    Affine3A::from_mat4(Mat4::from_cols_array_2d(&[x, y, z, [0.0, 0.0, 0.0, 1.0]]).transpose())
}
