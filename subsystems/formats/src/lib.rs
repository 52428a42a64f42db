//! Others' files, for compilers of content.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod accessor_view;
mod gltf_file;
mod picture;
mod recording;

pub use accessor_view::AccessorView;
pub use gltf_file::{GltfFile, VisitNode};
pub use picture::Picture;
pub use recording::Recording;

pub use gltf;
