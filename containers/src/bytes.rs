//! Values as bytes: blobs that are read in place, streams, and text.

pub(crate) mod blob;
pub(crate) mod stream;
pub mod text;
