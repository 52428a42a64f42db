//! Frames that go on while a package is loaded: what the longest of them takes of the thread that
//! runs the game.

use std::thread;

use loligo_engine::{BackEndChoice, EngineOptions, TimeStep, with_engine};
use loligo_ids::IdString64;
use tempfile::TempDir;

use super::compiled;
use crate::clock;
use crate::contender::{Contender, Pass};

/// What is in the package: materials, and half as many meshes of some hundred triangles.
const MATERIALS: usize = 1_000;

const CONFIG: &str =
    "title = \"Loads\" level = \"start\" frame = \"loads\" window = [ 64 64 ] packages = []";

const FRAME: &str = "targets = {} passes = [ { name = \"main\" color = [ \"window\" ] \
    clear = { color = [ 0 0 0 1 ] } layers = [ { name = \"opaque\" order = \"by_state\" } ] } ]";

const SHADER: &str = "@vertex fn vs_main(@location(0) at: vec3<f32>) -> @builtin(position) vec4<f32> \
    { return vec4(at, 1.0); } @fragment fn fs_main() -> @location(0) vec4<f32> { return vec4(1.0); }";

const START: &str = "entities = { eye = { components = { transform = {} camera = {} } } }";

const PACKAGE: &str = "material = [ \"extra/*\" ] mesh = [ \"extra/*\" ]";

/// Writes the project and compiles it.
fn game() -> TempDir {
    let mut files = vec![
        ("game.config".to_owned(), CONFIG.to_owned()),
        ("loads.frame".to_owned(), FRAME.to_owned()),
        ("plain.shader".to_owned(), SHADER.to_owned()),
        ("extra.package".to_owned(), PACKAGE.to_owned()),
        ("start.level".to_owned(), START.to_owned()),
    ];
    for number in 0..MATERIALS {
        let text = format!("shader = \"plain\" layer = \"opaque\" custom = [ {number} 0 0 0 ]");
        files.push((format!("extra/m{number}.material"), text));
        if number % 2 == 0 {
            files.push((format!("extra/s{number}.mesh"), "shape = \"sphere\"".to_owned()));
        }
    }
    compiled(files)
}

/// Returns a contender whose operation is the longest frame of those in which a package is loaded.
pub(crate) fn longest_frame() -> Contender {
    let folder = game();
    Contender::new("loligo", move || {
        let data = folder.path().join("data");
        let options = EngineOptions {
            back_end: BackEndChoice::Text,
            time_step: Some(TimeStep::EachFrame { step: 10_000_000 }),
            background_loading: Some(true),
            ..EngineOptions::new(&data)
        };
        let run = with_engine(&options, |engine| {
            for _ in 0..20 {
                engine.frame(&mut ())?;
            }
            let package = IdString64::new("extra");
            engine.world_mut().load_package(package)?;
            let mut longest = 0;
            while !engine.world().is_package_loaded(package) {
                let began = clock::thread_cpu_ns();
                engine.frame(&mut ())?;
                longest = longest.max(clock::thread_cpu_ns() - began);
                // The thread that reads is to come to its turn where there is one processor.
                thread::yield_now();
            }
            Ok::<_, loligo_engine::EngineError>(longest)
        });
        match run {
            Ok(Ok(ns)) => Pass { ns, operations: 1 },
            Ok(Err(error)) | Err(error) => unreachable!("the game runs: {error}"),
        }
    })
}
