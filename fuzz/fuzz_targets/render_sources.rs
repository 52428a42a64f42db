//! Pictures, models, shaders and other sources from any bytes: compiled, or refused with what to
//! do. The first byte says which type it is.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_compiler::{Compilers, Project, Threads};
use std::fs::write;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let ends = ["png", "glb", "mesh", "texture", "material", "shader", "frame"];
    let end = ends[usize::from(*kind) % ends.len()];
    write(path(&format!("a.{end}")), bytes).expect("it may be made");
    if end == "glb" {
        write(path("b.mesh"), "file = \"a.glb\"").expect("it may be made");
    }
    let mut compilers = Compilers::new();
    loligo_render::compile::register(&mut compilers);
    let data = tempfile::tempdir().expect("a folder");
    let project = Project::new(folder.path(), data.path(), &compilers);
    let report = project
        .compile(&Threads::new(std::num::NonZero::<usize>::MIN))
        .expect("the folders are there");
    for error in &report.errors {
        assert!(!error.to_string().contains("panicked"), "{error}");
        assert!(!error.error.remedy.is_empty(), "{error}");
    }
});
