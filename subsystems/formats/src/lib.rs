//! Others' files, for compilers of content.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod accessor_view;
mod gltf_file;
mod picture;

pub use accessor_view::AccessorView;
pub use gltf_file::{GltfFile, VisitNode};
pub use picture::Picture;

pub use gltf;
