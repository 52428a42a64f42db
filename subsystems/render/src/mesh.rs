//! Compiled meshes, read in place.
//!
//! After Niklas Frykholm, "The Blob and I" (2010): what was compiled is in memory as it is on the
//! disk.
//!
//! # Layout
//!
//! ```text
//! blob header     48 bytes
//! root      | sphere: center, radius | low, high of the box | vertices: offset, count of f32 | indices |
//!           | skin | bones | rests | lods | hysteresis | occluder: two corners |
//!           | targets | weights | firsts | deltas |                                         152 bytes
//! vertices  | position: 3, normal: 3, uv: 2 | ..                                              32 bytes a vertex
//! indices   | 0 1 2 | ..: of the finest level, then of coarser ones                           12 bytes a triangle
//! skin      | bones: 4, weights: 4 | ..                                                       8 bytes a vertex, or none
//! bones     | hash of the name | ..                                                           8 bytes a bone
//! rests     | three rows of a matrix | ..                                                     48 bytes a bone
//! lods      | share, first index | ..                                                         8 bytes a coarser level
//! targets   | hash of the name | ..                                                           4 bytes a target
//! weights   | weight that is in the vertices | ..                                             4 bytes a target
//! firsts    | first delta of the vertex | .. | end                                            4 bytes a vertex, or none
//! deltas    | target, position: 3, normal: 3 | ..                                             28 bytes a delta
//! ```

use bytemuck::{Pod, Zeroable};
use loligo_containers::{Blob, BlobArray, blob_struct};
use loligo_resources::DataError;

use crate::lod::{LODS_MAX, Lod};
use crate::morph::{Morph, MorphDelta, TARGETS_MAX};
use crate::state::Transform;

/// The type of meshes.
pub const MESH_TYPE: &str = "mesh";

/// The version of meshes that is compiled and read here.
pub const MESH_VERSION: u32 = 4;

/// The most bones of a mesh: the number of one is a byte of a vertex.
pub const BONES_MAX: usize = 256;

blob_struct! {
    /// A mesh as it is saved: a blob. [`MeshResource`] reads it.
    pub struct MeshImage {
        /// Center and radius of a sphere around all vertices.
        pub sphere: [f32; 4],
        /// The low corner of the box around all vertices.
        pub low: [f32; 3],
        /// The high corner of the box around all vertices.
        pub high: [f32; 3],
        /// Eight numbers a vertex: a [`MeshVertex`].
        pub vertices: BlobArray<f32>,
        /// Three a triangle.
        pub indices: BlobArray<u32>,
        /// Two words a vertex, a [`SkinVertex`], where bones move it.
        pub skin: BlobArray<u32>,
        /// The hashes of the bones' names.
        pub bones: BlobArray<u64>,
        /// Twelve numbers a bone, row by row: from the mesh at rest to the bone.
        pub rests: BlobArray<f32>,
        /// Two words a coarser level, a [`Lod`].
        pub lods: BlobArray<u32>,
        /// The share of a limit by which a size must be past it before the level changes back.
        pub hysteresis: f32,
        /// The corners of a box that hides what it covers; both the same without one.
        pub occluder: [f32; 6],
        /// The hashes of the names of its targets.
        pub targets: BlobArray<u32>,
        /// The weight of each target that is in the vertices.
        pub weights: BlobArray<f32>,
        /// Where the deltas of each vertex begin, and the end; none without targets.
        pub firsts: BlobArray<u32>,
        /// Seven words a delta, a [`MorphDelta`].
        pub deltas: BlobArray<u32>,
    }
}

/// A vertex as shaders read it: right-handed, metres, y up; the front of a triangle is
/// counter-clockwise.
///
/// # Memory
///
/// 32 bytes without gaps: position at 0, normal at 12, place in the texture at 24.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct MeshVertex {
    /// Where it is, in metres.
    pub position: [f32; 3],
    /// Away from the surface, of length 1.
    pub normal: [f32; 3],
    /// Where in the texture, from 0 at its left upper corner to 1 at its right lower one.
    pub uv: [f32; 2],
}

/// Which bones move a vertex, and how much each.
///
/// # Memory
///
/// 8 bytes: a byte for the number of each of four bones, the first in the lowest bits, and a byte
/// for the weight of each. The weights are 255 together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SkinVertex {
    /// The numbers of the bones.
    pub bones: u32,
    /// Their weights.
    pub weights: u32,
}

impl SkinVertex {
    /// Returns the numbers of the bones.
    #[must_use]
    pub const fn bones(self) -> [u8; 4] {
        self.bones.to_le_bytes()
    }

    /// Returns the weights of the bones.
    #[must_use]
    pub const fn weights(self) -> [u8; 4] {
        self.weights.to_le_bytes()
    }
}

/// A mesh that was opened.
///
/// # Memory
///
/// The bytes are borrowed and used in place. The object is ten slices and eleven numbers.
///
/// # Examples
///
/// ```
/// use loligo_render::MeshResource;
///
/// let error = MeshResource::open(&[0; 16]).expect_err("it is none");
/// assert!(error.to_string().starts_with("no compiled mesh: "), "{error}");
/// ```
///
/// # Invariants
///
/// 1. There are three indices for each triangle, and each is that of a vertex.
/// 2. All positions, the sphere, the box and the matrices of bones are finite.
/// 3. A skin has one entry for each vertex, of bones that are there, whose weights are 255 together.
/// 4. Coarser levels begin at a triangle each, in order, at shares above 0 of which each is less
///    than the one before.
/// 5. With targets there is the beginning of the deltas of each vertex, in order, and their end;
///    each delta is of a target that is there, and finite, as the weights are.
#[derive(Clone, Copy, Debug)]
pub struct MeshResource<'b> {
    vertices: &'b [MeshVertex],
    indices: &'b [u32],
    skin: &'b [SkinVertex],
    bones: &'b [u64],
    rests: &'b [Transform],
    lods: &'b [Lod],
    sphere: [f32; 4],
    bounds: [[f32; 3]; 2],
    hysteresis: f32,
    occluder: [f32; 6],
    morph: Morph<'b>,
}

impl<'b> MeshResource<'b> {
    /// Opens the payload of a resource of type `mesh`. It must be at a multiple of 16, as that of a
    /// loaded resource does.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates nothing and believes no length.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, DataError> {
        let blob = Blob::<MeshImage>::open_structure(payload)
            .map_err(|error| DataError::blob(MESH_TYPE, error))?;
        let wrong = |field, must, found| DataError::part(MESH_TYPE, field, must, found);
        let image = blob.root();
        let numbers = blob.array(&image.vertices);
        let Ok(vertices) = bytemuck::try_cast_slice::<f32, MeshVertex>(numbers) else {
            return Err(wrong("vertices", "eight numbers each", numbers.len() as u64));
        };
        let indices = blob.array(&image.indices);
        if !indices.len().is_multiple_of(3) {
            return Err(wrong("indices", "three for each triangle", indices.len() as u64));
        }
        if let Some(index) = indices.iter().max()
            && *index as usize >= vertices.len()
        {
            return Err(wrong("indices", "those of vertices", u64::from(*index)));
        }
        if let Some(at) = vertices.iter().position(|vertex| !is_finite(&vertex.position)) {
            return Err(wrong("vertices", "at finite positions, all of them", at as u64));
        }
        let is_bounded =
            is_finite(&image.sphere) && is_finite(&image.low) && is_finite(&image.high);
        if !is_bounded || image.sphere[3] < 0.0 {
            let radius = u64::from(image.sphere[3].to_bits());
            return Err(wrong(
                "sphere",
                "finite, as the box, with a radius that is not negative",
                radius,
            ));
        }
        let bounds = [image.low, image.high];
        let (bones, rests) = (blob.array(&image.bones), blob.array(&image.rests));
        if bones.len() > BONES_MAX {
            return Err(wrong("bones", "256 at the most", bones.len() as u64));
        }
        let rests = open_rests(rests, bones.len())
            .map_err(|found| wrong("rests", "twelve finite numbers a bone", found))?;
        let skin = open_skin(blob.array(&image.skin), vertices.len(), bones.len())
            .map_err(|(must, found)| wrong("skin", must, found))?;
        let lods = open_lods(blob.array(&image.lods), indices.len())
            .map_err(|(must, found)| wrong("lods", must, found))?;
        let (sphere, hysteresis) = (image.sphere, image.hysteresis);
        if !(0.0..1.0).contains(&hysteresis) {
            let found = u64::from(hysteresis.to_bits());
            return Err(wrong("hysteresis", "a part of 1", found));
        }
        let occluder = image.occluder;
        if !is_finite(&occluder) {
            return Err(wrong("occluder", "of finite corners", 0));
        }
        let deltas = bytemuck::try_cast_slice(blob.array(&image.deltas)).unwrap_or_default();
        let (targets, weights) = (blob.array(&image.targets), blob.array(&image.weights));
        let morph = Morph { targets, weights, firsts: blob.array(&image.firsts), deltas };
        check_morph(&morph, vertices.len())
            .map_err(|(part, must, found)| wrong(part, must, found))?;
        Ok(Self {
            vertices,
            indices,
            skin,
            bones,
            rests,
            lods,
            sphere,
            bounds,
            hysteresis,
            occluder,
            morph,
        })
    }

    /// Returns two corners of a box that hides what it covers, if the mesh has one.
    #[must_use]
    pub fn occluder(&self) -> Option<[[f32; 3]; 2]> {
        let [a, b, c, x, y, z] = self.occluder;
        ([a, b, c] != [x, y, z]).then_some([[a, b, c], [x, y, z]])
    }

    /// Returns the vertices.
    #[must_use]
    pub const fn vertices(&self) -> &'b [MeshVertex] {
        self.vertices
    }

    /// Returns the indices of the vertices, three for each triangle, of the finest level.
    #[must_use]
    pub fn indices(&self) -> &'b [u32] {
        let end = self.lods.first().map_or(self.indices.len(), |lod| lod.first_index as usize);
        &self.indices[..end]
    }

    /// Returns the indices of all levels, the finest first.
    #[must_use]
    pub const fn all_indices(&self) -> &'b [u32] {
        self.indices
    }

    /// Returns the coarser levels: where in [`all_indices`](Self::all_indices) each begins.
    #[must_use]
    pub const fn lods(&self) -> &'b [Lod] {
        self.lods
    }

    /// Returns the share of a limit by which a size must be past it before the level changes back.
    #[must_use]
    pub const fn hysteresis(&self) -> f32 {
        self.hysteresis
    }

    /// Returns which bones move each vertex; nothing where none do.
    #[must_use]
    pub const fn skin(&self) -> &'b [SkinVertex] {
        self.skin
    }

    /// Returns the hashes of the bones' names.
    #[must_use]
    pub const fn bones(&self) -> &'b [u64] {
        self.bones
    }

    /// Returns, for each bone, what leads from the mesh at rest to it: a bone's place in the world
    /// times that is what it moves vertices by.
    #[must_use]
    pub const fn rests(&self) -> &'b [Transform] {
        self.rests
    }

    /// Returns its targets, which move its vertices.
    #[must_use]
    pub const fn morph(&self) -> Morph<'b> {
        self.morph
    }

    /// Returns center and radius of a sphere around all vertices: what
    /// [`Mesh::sphere`](crate::Mesh) is to be.
    #[must_use]
    pub const fn sphere(&self) -> [f32; 4] {
        self.sphere
    }

    /// Returns the low and the high corner of the box around all vertices.
    #[must_use]
    pub const fn bounds(&self) -> [[f32; 3]; 2] {
        self.bounds
    }

    /// Asserts the invariants.
    ///
    /// # Panics
    ///
    /// If one does not hold.
    pub fn validate(&self) {
        assert!(self.indices.len().is_multiple_of(3), "{} indices", self.indices.len());
        for index in self.indices {
            let count = self.vertices.len();
            assert!((*index as usize) < count, "index {index} of {count} vertices");
        }
        for vertex in self.vertices {
            assert!(vertex.position.iter().all(|number| number.is_finite()), "{vertex:?}");
        }
        assert_eq!(self.bones.len(), self.rests.len(), "{self:?}");
        for vertex in self.skin {
            let sum: u32 = vertex.weights().into_iter().map(u32::from).sum();
            let are_there = vertex.bones().iter().all(|bone| usize::from(*bone) < self.bones.len());
            assert!(sum == 255 && are_there, "{vertex:?}");
        }
        assert!(are_lods(self.lods, self.indices.len()), "{:?}", self.lods);
        assert_eq!(
            check_morph(&self.morph, self.vertices.len()),
            Ok(()),
            "{:?}",
            self.morph.targets
        );
        let bounds = self.bounds.iter().flatten().chain(&self.sphere);
        assert!(bounds.clone().all(|number| number.is_finite()), "{self:?}");
    }
}

/// Returns whether all numbers are finite: a sum of products with zero is zero unless one of the
/// factors is not, and needs no branch.
fn is_finite(numbers: &[f32]) -> bool {
    numbers.iter().map(|number| number * 0.0).sum::<f32>() == 0.0
}

/// Opens what leads to this number of bones; returns what was found where it is wrong.
fn open_rests(numbers: &[f32], bones: usize) -> Result<&[Transform], u64> {
    match bytemuck::try_cast_slice::<f32, Transform>(numbers) {
        Ok(found) if found.len() == bones && is_finite(numbers) => Ok(found),
        _ => Err(numbers.len() as u64),
    }
}

/// Opens the skin of a mesh with this number of vertices and of bones; returns what it must be, and what was
/// found.
fn open_skin(
    words: &[u32],
    vertices: usize,
    bones: usize,
) -> Result<&[SkinVertex], (&'static str, u64)> {
    let Ok(skin) = bytemuck::try_cast_slice::<u32, SkinVertex>(words) else {
        return Err(("two words a vertex", words.len() as u64));
    };
    if !(skin.is_empty() || skin.len() == vertices) {
        return Err(("of all vertices or of none", skin.len() as u64));
    }
    for vertex in skin {
        if vertex.bones().iter().any(|bone| usize::from(*bone) >= bones) {
            return Err(("of bones that are there", u64::from(vertex.bones)));
        }
        if vertex.weights().into_iter().map(u32::from).sum::<u32>() != 255 {
            return Err(("of weights that are 255 together", u64::from(vertex.weights)));
        }
    }
    Ok(skin)
}

/// Checks the targets of a mesh with this number of vertices; returns what of them must be what, and
/// what was found.
fn check_morph(
    morph: &Morph<'_>,
    vertices: usize,
) -> Result<(), (&'static str, &'static str, u64)> {
    let Morph { targets, weights, firsts, deltas } = *morph;
    if targets.len() > TARGETS_MAX {
        return Err(("targets", "256 at the most", targets.len() as u64));
    }
    if weights.len() != targets.len() || !weights.iter().all(|weight| weight.is_finite()) {
        return Err(("weights", "a finite one of each target", weights.len() as u64));
    }
    let count = if targets.is_empty() { 0 } else { vertices + 1 };
    let is_in_order = firsts.is_sorted() && firsts.first().is_none_or(|first| *first == 0);
    let end = firsts.last().map_or(0, |end| *end as usize);
    if firsts.len() != count || !is_in_order || end != deltas.len() {
        return Err(("firsts", "in order, one a vertex, and the end", firsts.len() as u64));
    }
    let is_wrong = |delta: &MorphDelta| {
        let mut numbers = delta.position.iter().chain(&delta.normal);
        delta.target as usize >= targets.len() || !numbers.all(|number| number.is_finite())
    };
    match deltas.iter().position(is_wrong) {
        None => Ok(()),
        Some(at) => Err(("deltas", "finite, of targets that are there", at as u64)),
    }
}

/// Opens the coarser levels of a mesh with this number of indices; returns what they must be, and
/// what was found.
fn open_lods(words: &[u32], indices: usize) -> Result<&[Lod], (&'static str, u64)> {
    match bytemuck::try_cast_slice::<u32, Lod>(words) {
        Ok(lods) if lods.len() <= LODS_MAX && are_lods(lods, indices) => Ok(lods),
        _ => Err(("levels in order, each of a share and a triangle", words.len() as u64)),
    }
}

fn are_lods(lods: &[Lod], indices: usize) -> bool {
    let is_one = |lod: &Lod| {
        let first = lod.first_index as usize;
        lod.share > 0.0 && lod.share.is_finite() && first <= indices && first.is_multiple_of(3)
    };
    let follows =
        |pair: &[Lod]| pair[1].share < pair[0].share && pair[1].first_index >= pair[0].first_index;
    lods.iter().all(is_one) && lods.windows(2).all(follows)
}

const _: () = assert!(size_of::<MeshVertex>() == 32, "its doc states it");
const _: () = assert!(size_of::<SkinVertex>() == 8, "its doc states it");
