//! Resources that come with the program: what a game is drawn by that brings no frame and no shaders.
//!
//! A project has them in its folder `core`, where its own files win: see
//! `docs/decisions/0039-built-in-resources.md`.

/// A source and its path in a project, both from one name.
macro_rules! sources {
    ($($path:literal),+ $(,)?) => {
        &[$(($path, include_bytes!(concat!("../../", $path)))),+]
    };
}

/// All of them: path, text.
pub(super) const SOURCES: &[(&str, &[u8])] = sources![
    "core/standard.frame",
    "core/bloom.frame",
    "core/cascades.frame",
    "core/shaders/standard.shader",
    "core/shaders/sky.shader",
    "core/shaders/panorama.shader",
    "core/shaders/tonemap.shader",
    "core/shaders/shrink.shader",
    "core/shaders/spread.shader",
    "core/shaders/normals.shader",
    "core/materials/sky.material",
    "core/materials/tonemap.material",
    "core/materials/shrink.material",
    "core/materials/shrink_bright.material",
    "core/materials/spread.material",
    "core/materials/glow.material",
    "core/materials/normals.material",
    "core/materials/white.material",
    "core/materials/gray.material",
    "core/materials/black.material",
    "core/materials/red.material",
    "core/materials/yellow.material",
    "core/materials/green.material",
    "core/materials/blue.material",
    "core/meshes/box.mesh",
    "core/meshes/plane.mesh",
    "core/meshes/sphere.mesh",
    "core/meshes/cylinder.mesh",
    "core/meshes/cone.mesh",
];
