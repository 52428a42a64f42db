//! A data folder: one file of a compiled game after the other is spoiled, booted and run, and made
//! right again.

use core::num::NonZeroUsize;
use std::fs;
use std::io;

use loligo_compiler::{Project, Threads};
use loligo_diagnostics::{LogLine, LogSink};
use loligo_engine::{
    BackEndChoice, DisabledSubsystems, EngineOptions, ScriptLimits, ScriptOptions, TimeStep,
    with_engine,
};
use tempfile::TempDir;

use super::project::compilers;
use super::{Seeds, Surface, files};

/// A small game in which something of every type is read.
const SOURCES: [(&str, &str); 7] = [
    (
        "game.config",
        "title = \"Small\" level = \"yard\" frame = \"yard\" script = \"main\" window = [ 64 64 ]",
    ),
    (
        "yard.level",
        "entities = {
            eye = { components = { transform = { position = [ 0 2 8 ] } camera = {} } }
            sun = { components = { transform = {} sun = {} } }
            lamp = { components = { transform = {} light = {} data = { name = \"lamp\" path = [ 1 2 3 ] } tag = [ \"lit\" ] } }
            box = {
                components = { transform = {} model = { mesh = \"box\" material = \"stone\" } }
                children = { lid = { components = { transform = {} model = { mesh = \"box\" material = \"stone\" } } } }
            }
        }",
    ),
    (
        "yard.frame",
        "targets = { shadow = { format = \"depth32f\" size = [ 64 64 ] } }
         views = { sun = { from = \"sun\" } map = { stage = 1 rectangle = [ 0.5 0 0.5 0.5 ] } }
         passes = [
             { name = \"shadow\" view = \"sun\" depth = \"shadow\" clear = { depth = 1 } layers = [ { name = \"shadow\" order = \"by_state\" takes = \"all\" } ] }
             { name = \"main\" color = [ \"window\" ] reads = [ \"shadow\" ] layers = [ { name = \"opaque\" order = \"by_state\" } { name = \"sky\" takes = \"picture\" material = \"sky\" } ] }
         ]",
    ),
    ("box.mesh", "shape = \"box\""),
    (
        "plain.shader",
        "@vertex fn vs_main(@location(0) p: vec3<f32>) -> @builtin(position) vec4<f32> { return vec4(p, 1.0); }
         @vertex fn vs_shadow(@location(0) p: vec3<f32>) -> @builtin(position) vec4<f32> { return vec4(p, 1.0); }
         @fragment fn fs_main() -> @location(0) vec4<f32> { return vec4(1.0); }",
    ),
    ("stone.material", "shader = \"plain\" roughness = 0.5"),
    ("main.lua", "function update(step) Transform.set_xyz(Entity.find('box'), Game.time(), 1, 0) end"),
];

/// Discards the lines of the log.
struct Nowhere;

impl LogSink for Nowhere {
    fn line(&self, _: &LogLine<'_>) {}
}

/// A compiled game.
pub(crate) struct Data {
    folder: TempDir,
    files: Vec<(String, Vec<u8>)>,
}

impl Data {
    pub(crate) fn try_new() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        for (name, text) in SOURCES {
            fs::write(folder.path().join(name), text)?;
        }
        fs::write(folder.path().join("sky.material"), "shader = \"plain\" layer = \"sky\"")?;
        let (data, compilers) = (folder.path().join("data"), compilers());
        let project = Project::new(folder.path(), &data, &compilers);
        let report = project.compile(&Threads::new(NonZeroUsize::MIN)).map_err(io::Error::other)?;
        if let Some(error) = report.errors.first() {
            return Err(io::Error::other(error.to_string()));
        }
        let files = files(&data)?;
        Ok(Self { folder, files })
    }
}

impl Surface for Data {
    fn seeds(&self) -> Seeds {
        // What the program reads of it; the rest is the compiler's.
        let is_read =
            |name: &str| name == "resources" || name == "names" || name.starts_with("blobs/");
        let real: Vec<_> = self.files.iter().filter(|(name, _)| is_read(name)).cloned().collect();
        Seeds {
            harmful: vec![
                ("resources".to_owned(), Vec::new()),
                ("names".to_owned(), b"lolnames".to_vec()),
            ],
            real,
        }
    }

    fn feed(&mut self, what: &str, input: &[u8]) {
        let data = self.folder.path().join("data");
        // The folder is ours, and whatever cannot be written is not fed.
        let _ = fs::write(data.join(what), input);
        let mut without = DisabledSubsystems::default();
        // It is a room that may be left out.
        let _ = without.add("tools");
        let limits = ScriptLimits { has_thread: false, ..ScriptLimits::default() };
        let options = EngineOptions {
            without,
            threads: Some(1),
            back_end: BackEndChoice::Text,
            time_step: Some(TimeStep::EachFrame { step: 16_666_667 }),
            scripts: ScriptOptions { limits: Some(limits), ..ScriptOptions::default() },
            log: &Nowhere,
            ..EngineOptions::new(&data)
        };
        // Errors are right.
        let _ = with_engine(&options, |engine| {
            engine.want_text();
            let _ = engine
                .frame(&mut ())
                .and_then(|()| engine.frame(&mut ()))
                .and_then(|()| engine.finish());
        });
        if let Some((_, bytes)) = self.files.iter().find(|(name, _)| name == what) {
            let _ = fs::write(data.join(what), bytes);
        }
    }
}
