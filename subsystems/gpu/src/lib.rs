//! The graphics card, by wgpu.
#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate std;

mod binding;
mod buffer;
mod compute;
mod encoder;
mod error;
mod format;
mod gpu;
mod job;
mod pipeline;
#[cfg(feature = "png")]
mod png_file;
mod scope;
mod shader;
#[cfg(feature = "surface")]
mod surface;
mod texture;

pub use binding::{BindGroup, BindLayout, Bound, SLOTS_MAX, Slot};
pub use buffer::{Buffer, BufferUse};
pub use compute::{ComputePipeline, GROUPS_MAX};
pub use encoder::{ColorTarget, DepthTarget, Encoder, Pass, PassTargets};
pub use error::{GpuError, Message, ShaderError};
pub use format::Format;
pub use gpu::{AdapterChoice, Gpu, GpuInfo, GpuOptions};
pub use job::{CardJob, JobPass};
pub use pipeline::{Blend, DepthUse, Pipeline, PipelineDescription, VertexAttribute, VertexLayout};
#[cfg(feature = "png")]
pub use png_file::{PngError, write_png};
pub use scope::{ScopeHook, set_scope};
pub use shader::Shader;
#[cfg(feature = "surface")]
pub use surface::{Surface, SurfaceTarget};
pub use texture::{Sampler, SamplerKind, Texture, TextureDescription};
