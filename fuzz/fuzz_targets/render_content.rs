//! Meshes, textures, materials and shaders from any bytes: refused, or all that they lead to can be
//! read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_containers::BlobBytes;
use loligo_fuzz::limited;
use loligo_render::{MaterialResource, MeshResource, ShaderResource, TextureResource};

fuzz_target!(|bytes: &[u8]| limited::within(1 << 20, |memory| {
    let copy = BlobBytes::try_copy_in(bytes, memory).expect("an input is short");
    if let Ok(mesh) = MeshResource::open(&copy) {
        mesh.validate();
    }
    if let Ok(texture) = TextureResource::open(&copy) {
        texture.validate();
    }
    if let Ok(material) = MaterialResource::open(&copy) {
        material.validate();
    }
    if let Ok(shader) = ShaderResource::open(&copy) {
        assert!(shader.text.len() <= bytes.len(), "it lies within the bytes");
    }
}));
