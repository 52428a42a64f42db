//! A small project, compiled into a folder that goes away, and engines that run it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_compiler::{CompileFault, Compiler, Compilers, Context, Project, Threads};
use loligo_containers::{BlobBuilder, blob_field};
use loligo_diagnostics::{LogLine, LogSink};
use loligo_engine::compile::{CameraCompiler, ModelCompiler, SunCompiler};
use loligo_engine::{BackEndChoice, EngineOptions, TimeStep};
use loligo_entities::compile::{DataCompiler, TagCompiler, TransformCompiler, compile};
use loligo_ids::IdString64;
use loligo_render::{MaterialImage, MeshImage, ShaderImage};

/// A sixtieth of a second.
pub(crate) const STEP: TimeStep = TimeStep::Fixed { step: 16_666_667 };

/// Keeps what is logged.
#[derive(Default)]
pub(crate) struct Lines(Mutex<Vec<String>>);

impl Lines {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().expect("nobody panics with it").clone()
    }
}

impl LogSink for Lines {
    fn line(&self, line: &LogLine<'_>) {
        self.0.lock().expect("nobody panics with it").push(line.text.to_owned());
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
        game.write("plain.shader", "@vertex fn vs_main() {}");
        game.write("stone.material", "shader = \"plain\" layer = \"opaque\"");
        game.write("sky.material", "shader = \"plain\" layer = \"sky\"");
        game.write("yard.level", &level(side));
        assert_eq!(game.compile(), [""; 0], "it is right");
        game
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::write(self.sources().join(path), text).expect("the folder may be written");
    }

    pub(crate) fn sources(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join(".loligo")
    }

    /// Compiles it, and returns what is wrong.
    pub(crate) fn compile(&self) -> Vec<String> {
        let compilers = compilers();
        let data = self.data();
        let project = Project::new(self.sources(), &data, &compilers);
        let one = Threads::new(core::num::NonZeroUsize::MIN);
        let report = project.compile(&one).expect("it can be compiled");
        report.errors.iter().map(ToString::to_string).collect()
    }

    /// Options of an engine whose frames are text and whose steps are all alike.
    pub(crate) fn options<'o>(&'o self, data: &'o Path) -> EngineOptions<'o> {
        EngineOptions {
            back_end: BackEndChoice::Text,
            time_step: Some(STEP),
            log: &self.log,
            ..EngineOptions::new(data)
        }
    }
}

const CONFIG: &str = "
title = \"Yard\"
level = \"yard\"
frame = \"yard\"
window = [ 640 360 ]
time_step = { policy = \"smoothed\" longest = 0.1 }
full_screen = { sky = \"sky\" }
";

const FRAME: &str = "
targets = { shadow = { format = \"depth32f\" size = [ 512 512 ] } depth = { format = \"depth32f\" } }
passes = [
    { name = \"shadow\" depth = \"shadow\" clear = { depth = 1 } layers = [ { name = \"shadow\" order = \"by_state\" } ] }
    {
        name = \"main\" color = [ \"window\" ] depth = \"depth\" clear = { color = [ 0 0 0 1 ] depth = 1 } reads = [ \"shadow\" ]
        layers = [ { name = \"opaque\" order = \"by_state\" } { name = \"sky\" order = \"by_state\" } ]
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

fn compilers() -> Compilers {
    let mut compilers = Compilers::built_in();
    compilers.register("frame", loligo_compiler::CopyCompiler);
    compilers.register("level", LevelCompiler);
    compilers.register("mesh", BoxCompiler);
    compilers.register("material", FlatCompiler);
    compilers.register("shader", TextCompiler);
    compilers
}

struct LevelCompiler;

impl Compiler for LevelCompiler {
    fn version(&self) -> u32 {
        1
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileFault> {
        let (source, pages) = (context.source()?, PageAllocator::new("pages"));
        let heap = HeapAllocator::new("heap", &pages);
        let components: [&dyn loligo_entities::compile::ComponentCompiler; 6] = [
            &TransformCompiler,
            &TagCompiler,
            &DataCompiler,
            &ModelCompiler,
            &CameraCompiler,
            &SunCompiler,
        ];
        match compile(context.source_path(), &source, &[][..], &components, &heap) {
            Ok(bytes) => Ok(bytes.to_vec()),
            Err(error) => {
                Err(CompileFault::new(error.fault.to_string(), "").at(error.line, error.column))
            }
        }
    }
}

/// A box, whatever the source says.
struct BoxCompiler;

impl Compiler for BoxCompiler {
    fn version(&self) -> u32 {
        loligo_render::MESH_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileFault> {
        let _ = context.source()?;
        let pages = PageAllocator::new("pages");
        let heap = HeapAllocator::new("heap", &pages);
        let mut builder =
            BlobBuilder::<MeshImage, _>::try_new_in(context.endian(), &heap).expect("memory");
        let root = builder.root();
        let vertices: Vec<f32> = (0..24 * 8).map(|at| (at % 7) as f32 * 0.1).collect();
        let indices: Vec<u32> = (0..36).map(|at| at * 2 / 3).collect();
        builder.set(root.at(blob_field!(MeshImage, sphere)), [0.0, 0.0, 0.0, 0.9]);
        builder.numbers(root.at(blob_field!(MeshImage, vertices)), &vertices).expect("memory");
        builder.numbers(root.at(blob_field!(MeshImage, indices)), &indices).expect("memory");
        Ok(builder.finish().to_vec())
    }
}

/// A material of one layer.
struct FlatCompiler;

impl Compiler for FlatCompiler {
    fn version(&self) -> u32 {
        loligo_render::MATERIAL_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileFault> {
        let source = context.source()?;
        let text = String::from_utf8_lossy(&source);
        let layer = text.split("layer = \"").nth(1).and_then(|rest| rest.split('"').next());
        let Some(layer) = layer else {
            return Err(CompileFault::new("there is no layer", "name one").at(1, 1));
        };
        let pages = PageAllocator::new("pages");
        let heap = HeapAllocator::new("heap", &pages);
        let mut builder =
            BlobBuilder::<MaterialImage, _>::try_new_in(context.endian(), &heap).expect("memory");
        let root = builder.root();
        builder.set(root.at(blob_field!(MaterialImage, shader)), IdString64::new("plain"));
        builder.set(root.at(blob_field!(MaterialImage, layer)), IdString64::new(layer));
        builder
            .set(root.at(blob_field!(MaterialImage, casts_shadow)), u32::from(layer == "opaque"));
        Ok(builder.finish().to_vec())
    }
}

/// A shader's text.
struct TextCompiler;

impl Compiler for TextCompiler {
    fn version(&self) -> u32 {
        loligo_render::SHADER_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileFault> {
        let source = context.source()?;
        let pages = PageAllocator::new("pages");
        let heap = HeapAllocator::new("heap", &pages);
        let mut builder =
            BlobBuilder::<ShaderImage, _>::try_new_in(context.endian(), &heap).expect("memory");
        let root = builder.root();
        let text = core::str::from_utf8(&source).expect("a test's shader is text");
        builder.string(root.at(blob_field!(ShaderImage, text)), text).expect("memory");
        Ok(builder.finish().to_vec())
    }
}
