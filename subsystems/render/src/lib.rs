//! Rendering as data, without a graphics API.
#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "std", test))]
extern crate std;

mod backend;
#[cfg(feature = "compile")]
pub mod compile;
mod context;
mod cull;
mod display_list;
mod draw;
mod frame;
#[cfg(feature = "gpu")]
pub mod gpu;
mod key;
mod lights;
mod lod;
mod material;
mod mesh;
mod morph;
mod occlusion;
mod placeholder;
mod shader;
mod shader_text;
mod skinned;
mod sort;
mod sort_item;
mod state;
mod sun;
mod texture;
mod texture_packing;
mod texture_tail;
mod trace;
mod world;

pub use backend::{Backend, Recorded, play};
pub use context::{Job, Package, RenderContext};
pub use cull::{Frustum, Spheres};
pub use display_list::{Command, DisplayList};
pub use draw::{Draw, Geometry, IndirectArgs};
pub use frame::{
    COLORS_MAX, Clear, FrameDescription, FrameError, FrameErrorKind, LAYERS_MAX, LayerRef,
    LayerTakes, PLAYER, PassRef, SHADOW_MAPS_MAX, STAGES_MAX, TargetFormat, TargetRef, TargetSize,
    VIEWS_MAX, ViewFrom, ViewRef, WINDOW, part_of,
};
pub use key::{LayerKeys, Order, layer_of};
pub use lights::{FrameLights, LIGHT_BINS, LIGHT_TILES, LIGHTS_MAX};
pub use lod::{LODS_MAX, Lod, LodSet};
pub use loligo_resources::{DataError, DataErrorKind};
pub use material::{
    MATERIAL_TYPE, MATERIAL_VERSION, MaterialImage, MaterialResource, MaterialTexture,
};
pub use mesh::{
    BONES_MAX, MESH_TYPE, MESH_VERSION, MeshImage, MeshResource, MeshVertex, SkinVertex,
};
pub use morph::{Morph, MorphDelta, MorphWeight, MorphWeights, OBJECT_WEIGHTS_MAX, TARGETS_MAX};
pub use occlusion::{OCCLUDER_SHARE, OCCLUSION_PIXELS, Occlusion};
pub use placeholder::{
    PLACEHOLDER_COLOR, PLACEHOLDER_INDICES, PLACEHOLDER_PIXELS, PLACEHOLDER_SHADER,
    PLACEHOLDER_SPHERE, PLACEHOLDER_VERTICES, placeholder_cube, placeholder_texture,
};
pub use shader::{SHADER_TYPE, SHADER_VERSION, ShaderImage, ShaderResource};
pub use shader_text::{SHADER_BYTES_MAX, ShaderTextError, ShaderTextErrorKind, check_shader_text};
pub use skinned::{
    MOVED_BY_NONE, MOVED_VERTICES_MAX, SkinnedMesh, Skinning, morph_vertices, skin_vertices,
};
pub use sort::ItemSorter;
pub use sort_item::SortItem;
pub use state::{
    InstanceParameters, Light, MESH_HIDDEN, Mesh, RecordError, RenderHandle, RenderObject,
    RowParameters, StateError, StateErrorKind, StateRecorder, StateStream, Transform, layer_on,
};
pub use sun::SunShadow;
pub use texture::{
    TEXTURE_TYPE, TEXTURE_VERSION, TextureImage, TextureLevel, TextureResource, TextureWrap,
};
pub use texture_packing::{CardBlocks, TEXTURE_FRONT_SIDE, TEXTURE_SIDE_MAX, TexturePacking};
pub use texture_tail::TextureTail;
pub use trace::{Trace, TraceContents};
pub use world::{RenderWorld, View};
