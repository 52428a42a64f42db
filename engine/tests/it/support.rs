//! A small project, compiled into a folder that goes away, and engines that run it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use glam::Vec3;
use loligo_compiler::{CompileError, Compiler, Compilers, Context, Project, Threads};
use loligo_diagnostics::{Level, LogLine, LogSink};
use loligo_engine::{BackEndChoice, Engine, EngineOptions, TimeStep};
use loligo_entities::compile::{PlainCompiler, SharedComponentCompiler};
use loligo_ids::IdString32;

/// A sixtieth of a second.
pub(crate) const STEP: TimeStep = TimeStep::EachFrame { step: 16_666_667 };

/// Keeps what is logged.
#[derive(Default)]
pub(crate) struct Lines(Mutex<Vec<(Level, String)>>);

impl Lines {
    pub(crate) fn all(&self) -> Vec<String> {
        self.from(Level::Debug)
    }

    /// Those that say that something failed.
    pub(crate) fn errors(&self) -> Vec<String> {
        self.from(Level::Error)
    }

    /// Those that say that something is wrong.
    pub(crate) fn errors_and_warnings(&self) -> Vec<String> {
        self.from(Level::Warning)
    }

    /// Those that matter as much as a level, or more.
    fn from(&self, least: Level) -> Vec<String> {
        let lines = self.0.lock().expect("nobody panics with it");
        lines.iter().filter(|(level, _)| *level >= least).map(|(_, text)| text.clone()).collect()
    }
}

impl LogSink for Lines {
    fn line(&self, line: &LogLine<'_>) {
        self.0.lock().expect("nobody panics with it").push((line.level, line.text.to_owned()));
    }
}

/// A project and its data.
pub(crate) struct Game {
    folder: tempfile::TempDir,
    pub(crate) log: Lines,
}

impl Game {
    /// A level of `side` times `side` boxes, of which the middle one turns another around it.
    pub(crate) fn new(side: u32) -> Self {
        let game = Self { folder: tempfile::tempdir().expect("a folder"), log: Lines::default() };
        game.write("game.config", CONFIG);
        game.write("yard.frame", FRAME);
        game.write("box.mesh", "shape = \"box\"");
        game.write("plain.shader", SHADER);
        game.write("stone.material", "shader = \"plain\" layer = \"opaque\"");
        game.write("sky.material", "shader = \"plain\" layer = \"sky\" casts_shadow = false");
        game.write("yard.level", &level(side));
        assert_eq!(game.compile(), [""; 0], "it is right");
        game
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::write(self.sources().join(path), text).expect("the folder may be written");
    }

    /// Gives it a script, and compiles it.
    pub(crate) fn start_with(&self, script: &str) {
        self.write("main.lua", script);
        let config = fs::read_to_string(self.sources().join("game.config")).expect("written");
        self.write("game.config", &format!("{config}\nscript = \"main\""));
        assert_eq!(self.compile(), [""; 0], "it is right");
    }

    /// Adds the skeleton, the mesh and the file of the walker of `30-parade`.
    pub(crate) fn add_walker(&self) {
        let file = sample("30-parade").join("models/walker.gltf");
        fs::copy(file, self.sources().join("walker.gltf")).expect("the sample has it");
        self.write("walker.skeleton", "file = \"walker.gltf\"");
        self.write("walker.mesh", "file = \"walker.gltf\"");
    }

    pub(crate) fn sources(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join(".loligo")
    }

    /// Compiles it, and returns what is wrong.
    pub(crate) fn compile(&self) -> Vec<String> {
        self.compile_by(&compilers())
    }

    /// Compiles it by compilers that look at no setting: as other tools may, what the engine reads
    /// is not checked.
    pub(crate) fn compile_unchecked(&self) -> Vec<String> {
        let mut compilers = compilers();
        compilers.register("config", loligo_compiler::ConfigCompiler);
        self.compile_by(&compilers)
    }

    /// Compiles it with components and types of the game's own; the types keep their sources as they are.
    pub(crate) fn compile_with(&self, own: &[PlainCompiler], types: &[&str]) -> Vec<String> {
        let mut compilers = compilers();
        let mut components = loligo_engine::compile::components();
        components.extend(own.iter().map(|own| Arc::new(*own) as SharedComponentCompiler));
        loligo_entities::compile::register(&mut compilers, components);
        for name in types {
            compilers.register(name, Whole);
        }
        self.compile_by(&compilers)
    }

    fn compile_by(&self, compilers: &Compilers) -> Vec<String> {
        compile_folder(self.sources(), &self.data(), compilers)
    }

    /// Options of an engine whose frames are text and whose steps are all alike.
    pub(crate) fn options<'o>(&'o self, data: &'o Path) -> EngineOptions<'o> {
        options(data, &self.log)
    }
}

/// Options of an engine whose frames are text and whose steps are all alike.
pub(crate) fn options<'o>(data: &'o Path, log: &'o Lines) -> EngineOptions<'o> {
    EngineOptions {
        back_end: BackEndChoice::Text,
        time_step: Some(STEP),
        log,
        ..EngineOptions::new(data)
    }
}

/// Returns the folder of a sample.
pub(crate) fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples").join(name)
}

/// Compiles a sample into a folder.
pub(crate) fn compile_sample(name: &str, data: &Path) {
    compile_to(&sample(name), data);
}

/// Compiles a project into a folder.
pub(crate) fn compile_to(sources: &Path, data: &Path) {
    let wrong = compile_folder(sources, data, &compilers());
    assert_eq!(wrong, [""; 0], "{} is right", sources.display());
}

fn compile_folder(sources: &Path, data: &Path, compilers: &Compilers) -> Vec<String> {
    let project = Project::new(sources, data, compilers);
    let one = Threads::new(core::num::NonZeroUsize::MIN);
    let report = project.compile(&one).expect("it can be compiled");
    report.errors.iter().map(ToString::to_string).collect()
}

/// Runs frames.
pub(crate) fn frames(engine: &mut Engine<'_, '_>, count: usize) {
    for _ in 0..count {
        engine.frame(&mut ()).expect("a frame");
    }
}

/// Returns where an entity of the level is.
pub(crate) fn place(engine: &Engine<'_, '_>, name: IdString32) -> Vec3 {
    let entity = engine.world().find(name).expect("the level has it");
    engine.world().transforms().world(entity).expect("it is somewhere").translation.into()
}

/// Keeps a source as it is.
struct Whole;

impl Compiler for Whole {
    fn version(&self) -> u32 {
        1
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        Ok(context.source()?.to_vec())
    }
}

const CONFIG: &str = "
title = \"Yard\"
level = \"yard\"
frame = \"yard\"
window = [ 640 360 ]
time_step = { policy = \"smoothed\" longest = 0.1 }
";

const SHADER: &str = "
@vertex fn vs_main(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> { return vec4(position, 1.0); }
@vertex fn vs_shadow(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> { return vec4(position, 1.0); }
@fragment fn fs_main() -> @location(0) vec4<f32> { return vec4(1.0); }
";

const FRAME: &str = "
targets = { shadow = { format = \"depth32f\" size = [ 512 512 ] } depth = { format = \"depth32f\" } }
views = { sun = { from = \"sun\" } }
passes = [
    { name = \"shadow\" view = \"sun\" depth = \"shadow\" clear = { depth = 1 } layers = [ { name = \"shadow\" order = \"by_state\" takes = \"all\" } ] }
    {
        name = \"main\" color = [ \"window\" ] depth = \"depth\" clear = { color = [ 0 0 0 1 ] depth = 1 } reads = [ \"shadow\" ]
        layers = [ { name = \"opaque\" order = \"by_state\" } { name = \"sky\" takes = \"picture\" material = \"sky\" } ]
    }
]
";

fn level(side: u32) -> String {
    let mut text = String::from(
        "entities = {
            eye = { components = { transform = { position = [ 0 6 14 ] rotation = [ -0.1950903 0 0 0.9807853 ] } camera = { far = 200 } } }
            sun = { components = { transform = { rotation = [ -0.3826834 0 0 0.9238795 ] } sun = {} } }
            hub = {
                components = { transform = { position = [ 0 2 0 ] } model = { mesh = \"box\" material = \"stone\" } tag = [ \"turns\" ] }
                children = { arm = { components = { transform = { position = [ 2 0 0 ] } model = { mesh = \"box\" material = \"stone\" } } } }
            }\n",
    );
    for number in 0..side * side {
        let (x, z) = (f64::from(number % side) * 2.0, f64::from(number / side) * -2.0);
        text.push_str(&format!(
            "box{number} = {{ components = {{ transform = {{ position = [ {x:?} 0.5 {z:?} ] }} model = {{ mesh = \"box\" \
             material = \"stone\" }} }} }}\n"
        ));
    }
    text.push('}');
    text
}

pub(crate) fn compilers() -> Compilers {
    let mut compilers = Compilers::built_in();
    loligo_render::compile::register(&mut compilers);
    loligo_engine::compile::register(&mut compilers);
    compilers.register("lua", loligo_script::LuaCompiler);
    compilers
}
