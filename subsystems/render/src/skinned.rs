//! Meshes that bones and targets move.

use glam::{Vec3, Vec4};

use crate::mesh::{MeshVertex, SkinVertex};
use crate::morph::Morph;
use crate::state::Transform;

/// What [`SkinnedMesh::first_bone`] is without bones, and [`SkinnedMesh::first_weight`] without
/// targets.
pub const MOVED_BY_NONE: u32 = u32::MAX;

/// The most vertices that bones and targets move in a frame: 64 MiB of them.
pub const MOVED_VERTICES_MAX: u32 = 1 << 21;

/// A mesh with a skin or targets, as they move it in a frame: a back end computes its vertices before the
/// first pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkinnedMesh {
    /// The number of the mesh.
    pub mesh: u32,
    /// The number of its first vertex among those that are moved in this frame.
    pub first_vertex: u32,
    /// How many vertices it has.
    pub vertices: u32,
    /// The number of its first bone among those of this frame; with [`MOVED_BY_NONE`] its vertices
    /// are in the mesh's own space.
    pub first_bone: u32,
    /// The number of its first weight among those of this frame, of which it has one for each
    /// target; with [`MOVED_BY_NONE`] no target moves it.
    pub first_weight: u32,
}

/// The meshes that bones and targets move in a frame, the bones, and the weights.
#[derive(Clone, Copy, Debug, Default)]
pub struct Skinning<'s> {
    /// The meshes. Each has the vertices after those of the one before.
    pub meshes: &'s [SkinnedMesh],
    /// What each bone moves vertices by: from the mesh at rest to the world.
    pub bones: &'s [Transform],
    /// By how much the weight of each target is above that of the mesh.
    pub weights: &'s [f32],
}

impl Skinning<'_> {
    /// Returns how many vertices all meshes have together.
    #[must_use]
    pub fn vertices(&self) -> u64 {
        let end = |mesh: &SkinnedMesh| u64::from(mesh.first_vertex) + u64::from(mesh.vertices);
        self.meshes.iter().map(end).max().unwrap_or(0)
    }
}

/// Moves vertices by bones, as a graphics card does. Bones that are not there leave a vertex where
/// it is.
///
/// # Complexity
///
/// O(vertices). Allocates nothing.
///
/// # Panics
///
/// If there are fewer entries of the skin, or places for vertices, than vertices.
///
/// # Examples
///
/// ```
/// use glam::{Affine3A, Vec3};
/// use loligo_render::{MeshVertex, SkinVertex, skin_vertices};
///
/// let vertices = [MeshVertex { normal: [0.0, 1.0, 0.0], ..MeshVertex::default() }];
/// // Half by each of two bones.
/// let skin = [SkinVertex { bones: 0x0100, weights: 0x7f80 }];
/// let up = |metres| Affine3A::from_translation(Vec3::Y * metres).into();
/// let mut moved = vertices;
/// skin_vertices(&vertices, &skin, &[up(0.0), up(2.0)], &mut moved);
/// assert!((moved[0].position[1] - 1.0).abs() < 0.01, "{moved:?}");
/// ```
pub fn skin_vertices(
    vertices: &[MeshVertex],
    skin: &[SkinVertex],
    bones: &[Transform],
    moved: &mut [MeshVertex],
) {
    let (skin, moved) = (&skin[..vertices.len()], &mut moved[..vertices.len()]);
    for ((vertex, skin), moved) in vertices.iter().zip(skin).zip(moved) {
        let [x, y, z] = rows_of(*skin, bones);
        let at = Vec3::from(vertex.position).extend(1.0);
        let normal = Vec3::from(vertex.normal).extend(0.0);
        let turned = Vec3::new(x.dot(normal), y.dot(normal), z.dot(normal));
        *moved = MeshVertex {
            position: [x.dot(at), y.dot(at), z.dot(at)],
            normal: turned.normalize_or(Vec3::Y).to_array(),
            uv: vertex.uv,
        };
    }
}

/// Moves vertices by targets, as a graphics card does. `weights` are by how much those of the targets
/// are above the mesh's; missing ones are 0.
///
/// # Complexity
///
/// O(vertices + deltas). Allocates nothing.
///
/// # Panics
///
/// If there are fewer entries of the targets, or places for vertices, than vertices.
///
/// # Examples
///
/// ```
/// use loligo_render::{MeshVertex, Morph, MorphDelta, morph_vertices};
///
/// let vertices = [MeshVertex { normal: [0.0, 1.0, 0.0], ..MeshVertex::default() }];
/// let up = MorphDelta { target: 0, position: [0.0, 2.0, 0.0], normal: [0.0; 3] };
/// let morph = Morph { firsts: &[0, 1], deltas: &[up], ..Morph::default() };
/// let mut moved = vertices;
/// morph_vertices(&vertices, &morph, &[0.5], &mut moved);
/// assert_eq!(moved[0].position, [0.0, 1.0, 0.0]);
/// ```
pub fn morph_vertices(
    vertices: &[MeshVertex],
    morph: &Morph<'_>,
    weights: &[f32],
    moved: &mut [MeshVertex],
) {
    let (ends, moved) = (&morph.firsts[..=vertices.len()], &mut moved[..vertices.len()]);
    for ((vertex, range), moved) in vertices.iter().zip(ends.windows(2)).zip(moved) {
        let mut position = Vec3::from(vertex.position);
        let mut normal = Vec3::from(vertex.normal);
        let deltas = morph.deltas.get(range[0] as usize..range[1] as usize).unwrap_or_default();
        for delta in deltas {
            let weight = weights.get(delta.target as usize).copied().unwrap_or(0.0);
            position += Vec3::from(delta.position) * weight;
            normal += Vec3::from(delta.normal) * weight;
        }
        *moved = MeshVertex {
            position: position.to_array(),
            normal: normal.normalize_or(Vec3::Y).to_array(),
            uv: vertex.uv,
        };
    }
}

/// Returns the mean of the bones that move a vertex.
fn rows_of(skin: SkinVertex, bones: &[Transform]) -> [Vec4; 3] {
    let mut sum = [Vec4::ZERO; 3];
    for (bone, weight) in skin.bones().into_iter().zip(skin.weights()) {
        let bone = bones.get(usize::from(bone)).copied().unwrap_or(Transform::IDENTITY);
        for (row, own) in sum.iter_mut().zip(bone.rows) {
            *row += Vec4::from(own) * (f32::from(weight) / 255.0);
        }
    }
    sum
}
