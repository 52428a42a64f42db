//! Compilers of meshes, textures, materials, shaders and frames: for tools, enabled by the feature
//! `compile`.
//!
//! A game is built without the feature and reads what these have made:
//! [`MeshResource`](crate::MeshResource), [`TextureResource`](crate::TextureResource),
//! [`MaterialResource`](crate::MaterialResource), [`ShaderResource`](crate::ShaderResource),
//! [`FrameDescription`](crate::FrameDescription).
//!
//! After "Our Tool Architecture" on the BitSquid blog (2010): the compiler of a type is a part of
//! the engine, and is kept in the same crate as the code that reads its data.
//!
//! # Sources
//!
//! ```text
//! // stone.texture                     a `stone.png` alone is a texture, too: all keys have
//! defaults
//! image = "textures/stone.png"         // the PNG; without, the one in the same folder with its
//! name
//! color = "srgb"                       // or "linear": normals, roughness, masks
//! wrap = "repeat"                      // or "clamp", "mirror"
//!
//! // stone.material
//! shader = "shaders/standard"          // required
//! texture = "textures/stone"           // none
//! color = [ 1 1 1 1 ]                  // linear; multiplies the texture's
//! roughness = 0.8   metallic = 0   emission = 0
//! custom = [ 0 0 0 0 ]                 // for shaders of the game
//! casts_shadow = true
//! layer = "opaque"                     // a layer of the frame
//!
//! // door.mesh, of a file
//! file = "models/house.glb"            // or .gltf
//! node = "door"                        // or: mesh = "door"; without both, the whole scene
//! scale = 1   offset = [ 0 0 0 ]   uv_scale = [ 1 1 ]
//!
//! // pillar.mesh, of a shape: see [`MeshCompiler`]
//! shape = "cylinder"   radius = 0.4   height = 3   uv_scale = [ 2 3 ]
//! ```
//!
//! Sources that come with the program are in each project's folder `core`, unless it has its own
//! there: shaders, a frame, plain materials, shapes.
//!
//! A `.shader` is WGSL, and a `.frame` is what [`FrameDescription`](crate::FrameDescription) reads.

#[cfg(feature = "astc")]
mod astc;
mod blocks;
mod built_in;
mod faces;
mod frame;
mod geometry;
mod gltf_material;
mod heights;
mod lods;
mod material;
mod mesh;
mod mips;
mod model;
mod morphs;
mod shader;
mod shape;
mod skins;
mod texture;

pub use frame::{FRAME_TYPE, FRAME_VERSION, FrameCompiler};
pub use material::MaterialCompiler;
pub use mesh::MeshCompiler;
pub use shader::ShaderCompiler;
pub use texture::TextureCompiler;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_compiler::{CompileError, Compilers};
use loligo_containers::GrowError;
use std::vec::Vec;

use crate::{MATERIAL_TYPE, MESH_TYPE, SHADER_TYPE, TEXTURE_TYPE};

/// Registers all compilers of this crate: `frame`, `material`, `mesh`, `shader`, `texture`, and
/// files that end in `png` as textures, and the sources of the folder `core`.
///
/// # Examples
///
/// ```
/// use loligo_compiler::Compilers;
///
/// let mut compilers = Compilers::built_in();
/// loligo_render::compile::register(&mut compilers);
/// assert!(compilers.get("texture").is_some());
/// ```
pub fn register(compilers: &mut Compilers) {
    compilers.register(FRAME_TYPE, FrameCompiler);
    compilers.register(MATERIAL_TYPE, MaterialCompiler);
    compilers.register(MESH_TYPE, MeshCompiler);
    compilers.register(SHADER_TYPE, ShaderCompiler);
    compilers.register(TEXTURE_TYPE, TextureCompiler);
    compilers.register_end("png", TEXTURE_TYPE);
    for (path, text) in built_in::SOURCES {
        compilers.register_source(path, text);
    }
}

/// The heap that a blob is built on: one for each, so that compilers that work at the same time
/// share none.
type Heap<'a> = HeapAllocator<'a, PageAllocator>;

/// Builds a blob.
fn build(
    work: impl FnOnce(&Heap<'_>) -> Result<Vec<u8>, GrowError>,
) -> Result<Vec<u8>, CompileError> {
    let pages = PageAllocator::new("compiler pages");
    let heap = HeapAllocator::new_in("compiler", &pages);
    work(&heap).map_err(|error| CompileError::new(std::format!("{error}"), "make it smaller"))
}
