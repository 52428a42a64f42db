//! A source that is saved, until it is seen: found among all sources, compiled, swapped in the game
//! that runs, drawn. And a game that boots, until its first frame is drawn.

use core::fmt::Write as _;
use core::num::NonZeroUsize;
use core::time::Duration;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use loligo_compiler::{CompileObserver, CompileSession, Compilers, Project, Threads};
use loligo_diagnostics::{Level, LogLine, LogSink, StderrSink};
use loligo_engine::{BackEndChoice, EngineOptions, TimeStep, with_engine};
use tempfile::TempDir;

use crate::contender::{Contender, Pass};

/// How long the parts of the way from a source to the picture took, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct SavedParts {
    /// The pause after the system's notice of it, in which programs save more.
    pub notice: u64,
    /// The compile of it, until a game can load it.
    pub compile: u64,
    /// The swap in the game, and the frame that shows it.
    pub frame: u64,
}

impl SavedParts {
    const fn all(&self) -> u64 {
        self.notice + self.compile + self.frame
    }
}

/// How long `loligo run --watch` waits after the system's notice.
const TOGETHER: Duration = Duration::from_millis(5);

/// The saves that a pass measures.
const SAVES: usize = 4;

const FRAME: &str = "targets = { depth = { format = \"depth32f\" } } passes = [ { name = \"main\" \
    color = [ \"window\" ] depth = \"depth\" clear = { color = [ 0 0 0 1 ] depth = 1 } \
    layers = [ { name = \"opaque\" order = \"by_state\" } ] } ]";

const SHADER: &str = "@vertex fn vs_main(@location(0) at: vec3<f32>) -> @builtin(position) vec4<f32> \
    { return vec4(at, 1.0); } @fragment fn fs_main() -> @location(0) vec4<f32> { return vec4(1.0); }";

const CONFIG: &str = "title = \"Many\" level = \"many\" frame = \"many\" window = [ 64 64 ] \
    time_step = { policy = \"each_frame\" step = 0.01 }";

/// The files in a folder.
const IN_A_FOLDER: usize = 200;

/// A project of many resources, of which a thousand at the most are drawn.
#[derive(Debug)]
pub struct ManyResources {
    folder: TempDir,
}

impl ManyResources {
    /// Writes the project and compiles it.
    ///
    /// # Panics
    ///
    /// If it cannot be written or compiled.
    #[must_use]
    pub fn new(count: usize) -> Self {
        let made = TempDir::with_prefix("loligo-benches-");
        let folder = made.unwrap_or_else(|error| unreachable!("there is a folder: {error}"));
        let many = Self { folder };
        let mut level = String::from("entities = {\n");
        for number in 0..count {
            let name = material(number);
            if number.is_multiple_of(IN_A_FOLDER) {
                let within = many.path().join(&name);
                let made = within.parent().map_or(Ok(()), fs::create_dir_all);
                made.unwrap_or_else(|error| unreachable!("there is a folder: {error}"));
            }
            many.write(&format!("{name}.material"), &color(0));
            if number < 1000 {
                let _ = writeln!(
                    level,
                    "box{number} = {{ components = {{ transform = {{ position = [ {number} 0 -9 ] }} \
                     model = {{ mesh = \"box\" material = \"{name}\" }} }} }}"
                );
            }
        }
        level.push('}');
        for (name, text) in [
            ("game.config", CONFIG),
            ("many.frame", FRAME),
            ("plain.shader", SHADER),
            ("box.mesh", "shape = \"box\""),
            ("many.level", &level),
        ] {
            many.write(name, text);
        }
        many.compile();
        many
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn data(&self) -> PathBuf {
        self.path().join(".loligo")
    }

    fn write(&self, name: &str, text: &str) {
        let written = fs::write(self.path().join(name), text);
        written.unwrap_or_else(|error| unreachable!("it may be written: {error}"));
    }

    fn compile(&self) {
        let compilers = compilers();
        let report = Project::new(self.path(), &self.data(), &compilers)
            .compile(&Threads::new(NonZeroUsize::MIN))
            .unwrap_or_else(|error| unreachable!("it can be compiled: {error}"));
        assert!(report.errors.is_empty(), "the game is right: {:?}", report.errors);
    }

    /// Saves a material some times while the game runs, and returns how long the way to the picture
    /// took each time.
    ///
    /// # Panics
    ///
    /// If the project cannot be read, or what was saved is not seen.
    #[must_use]
    pub fn save(&self) -> [SavedParts; SAVES] {
        let (data, compilers, written) = (self.data(), compilers(), Written::default());
        let mut project = Project::new(self.path(), &data, &compilers);
        project.set_observer(&written);
        // As the process in which `loligo run --watch` compiles: it stays, with one thread.
        let mut session = CompileSession::new(&project);
        let mut compile = || {
            let report = session.compile(&Threads::new(NonZeroUsize::MIN));
            let report = report.unwrap_or_else(|error| unreachable!("it can be compiled: {error}"));
            assert!(report.errors.is_empty(), "the game is right: {:?}", report.errors);
            written.take()
        };
        compile();
        let options = EngineOptions {
            threads: Some(1),
            back_end: BackEndChoice::Text,
            time_step: Some(TimeStep::EachFrame { step: 10_000_000 }),
            ..EngineOptions::new(&data)
        };
        let run = with_engine(&options, |engine| {
            engine.frame(&mut ())?;
            engine.finish()?;
            let mut all = [SavedParts::default(); SAVES];
            for (save, parts) in (1..).zip(&mut all) {
                self.write(&format!("{}.material", material(7)), &color(save));
                let began = Instant::now();
                thread::sleep(TOGETHER);
                let noticed = Instant::now();
                let compiled = compile().unwrap_or(noticed);
                // What the process does after that does not hold up the game.
                let loading = Instant::now();
                assert_eq!(engine.reload(&mut ())?, 1, "it is swapped");
                engine.frame(&mut ())?;
                engine.finish()?;
                let shown = Instant::now();
                let ns = |took: Duration| took.as_nanos() as u64;
                *parts = SavedParts {
                    notice: ns(noticed - began),
                    compile: ns(compiled - noticed),
                    frame: ns(shown - loading),
                };
            }
            // The next pass begins as this one did.
            self.write(&format!("{}.material", material(7)), &color(0));
            self.compile();
            Ok::<_, loligo_engine::EngineError>(all)
        });
        match run {
            Ok(Ok(all)) => all,
            Ok(Err(error)) | Err(error) => unreachable!("the game runs: {error}"),
        }
    }
}

/// When the tables of a compile were written.
#[derive(Debug, Default)]
struct Written(Mutex<Option<Instant>>);

impl Written {
    fn take(&self) -> Option<Instant> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl CompileObserver for Written {
    fn begin(&self, _: &str) {}

    fn end(&self, _: &str) {}

    fn written(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

fn material(number: usize) -> String {
    format!("materials/{}/{number}", number / IN_A_FOLDER)
}

fn color(shade: u64) -> String {
    format!("shader = \"plain\" layer = \"opaque\" color = [ 1 0.{shade} 0 1 ]")
}

fn compilers() -> Compilers {
    let mut compilers = Compilers::built_in();
    loligo_render::compile::register(&mut compilers);
    loligo_engine::compile::register(&mut compilers);
    compilers.register("lua", loligo_script::LuaCompiler);
    compilers
}

/// Returns a contender whose operation is one save in a project of `count` resources, until it is
/// seen.
pub(crate) fn saved(count: usize) -> Contender {
    let many = ManyResources::new(count);
    Contender::new("loligo", move || {
        let ns = many.save().iter().map(SavedParts::all).sum();
        Pass { ns, operations: SAVES as u64 }
    })
}

/// Compiles the courtyard into a folder that goes away.
pub(super) fn courtyard() -> TempDir {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/10-courtyard");
    let made = TempDir::with_prefix("loligo-benches-");
    let folder = made.unwrap_or_else(|error| unreachable!("there is a folder: {error}"));
    let compilers = compilers();
    let report = Project::new(&sample, folder.path(), &compilers)
        .compile(&Threads::new(NonZeroUsize::MIN))
        .unwrap_or_else(|error| unreachable!("it can be compiled: {error}"));
    assert!(report.errors.is_empty(), "the sample is right: {:?}", report.errors);
    folder
}

/// Returns a contender whose operation is a boot of the courtyard, until its first frame is drawn
/// as text.
pub(crate) fn boot() -> Contender {
    boot_from("loligo", courtyard())
}

/// What is wrong goes to the standard error; what is not, nobody wants between figures.
struct FaultsAlone;

impl LogSink for FaultsAlone {
    fn line(&self, line: &LogLine<'_>) {
        if line.level >= Level::Warning {
            StderrSink.line(line);
        }
    }
}

/// As [`boot`], of a game whose data is in a folder.
pub(crate) fn boot_from(name: &'static str, data: impl AsRef<Path> + 'static) -> Contender {
    Contender::new(name, move || {
        let began = Instant::now();
        let options = EngineOptions {
            back_end: BackEndChoice::Text,
            log: &FaultsAlone,
            ..EngineOptions::new(data.as_ref())
        };
        let run = with_engine(&options, |engine| {
            engine.frame(&mut ())?;
            engine.finish()?;
            Ok::<_, loligo_engine::EngineError>(began.elapsed())
        });
        match run {
            Ok(Ok(took)) => Pass { ns: took.as_nanos() as u64, operations: 1 },
            Ok(Err(error)) | Err(error) => unreachable!("the sample runs: {error}"),
        }
    })
}
