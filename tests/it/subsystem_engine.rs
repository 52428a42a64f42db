//! The engine under the suite for subsystems: booted, a few frames, shut down, with requests for
//! memory refused in turn.

use core::alloc::Layout;
use core::num::NonZeroUsize;
use core::ops::Range;
use core::ptr::NonNull;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use loligo_allocators::{
    AllocError, Allocator, Block, Damage, FailingAllocator, HeapAllocator, PageAllocator, Refusals,
    Stats,
};
use loligo_compiler::{Compilers, Project, Threads};
use loligo_diagnostics::{Level, LogLine, LogSink};
use loligo_engine::{BackEndChoice, Engine, EngineError, EngineOptions, TimeStep, with_engine};
use loligo_ids::id32;
use loligo_tests::Violation;
use loligo_tests::conformance::{self, Watch};

/// Bytes of memory for one run.
const BYTES: usize = 24 << 20;

/// The number of requests of a boot within which the content is loaded.
const CONTENT: u64 = 700;

/// Draws which requests are refused.
const SEED: u64 = 20_261_122;

const SOURCES: [(&str, &str); 7] = [
    (
        "game.config",
        "title = \"Yard\" level = \"yard\" frame = \"yard\" script = \"main\" window = [ 64 48 ]\n\
         materials = [ \"brass\" ]",
    ),
    (
        "yard.frame",
        "targets = { depth = { format = \"depth32f\" } }\n\
         passes = [ { name = \"main\" color = [ \"window\" ] depth = \"depth\" clear = { color = [ 0 0 0 1 ] depth = 1 }\n\
         layers = [ { name = \"opaque\" order = \"by_state\" } ] } ]",
    ),
    ("box.mesh", "shape = \"box\""),
    (
        "plain.shader",
        "@vertex fn vs_main(@location(0) at: vec3<f32>) -> @builtin(position) vec4<f32> { return vec4(at, 1.0); }\n\
         @fragment fn fs_main() -> @location(0) vec4<f32> { return vec4(1.0); }",
    ),
    ("stone.material", "shader = \"plain\" layer = \"opaque\""),
    ("brass.material", "shader = \"plain\" layer = \"opaque\""),
    (
        "main.lua",
        "local arm\nfunction start() arm = Entity.find('arm') end\n\
         function update(step)\n  Transform.set_xyz(arm, math.min(Game.frame(), 5), 2, 0)\n\
           if Game.frame() == 2 then Model.set_material(arm, 1, 'brass') Light.set_range(arm, 9) end\n\
           if Game.frame() == 3 then Entity.destroy(Entity.find('post')) end\nend",
    ),
];

const LEVEL: &str = "entities = {
    eye = { components = { transform = { position = [ 0 1 14 ] } camera = {} } }
    hub = {
        components = { transform = {} model = { mesh = \"box\" material = \"stone\" } tag = [ \"turns\" ] data = { k = 1 } }
        children = { arm = { components = {
            transform = { position = [ 2 0 0 ] } model = { mesh = \"box\" material = \"stone\" } light = {}
        } } }
    }
    post = { components = { transform = {} model = { mesh = \"box\" material = \"stone\" } light = {} } }
}";

/// The project, compiled once.
fn data() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in SOURCES.into_iter().chain([("yard.level", LEVEL)]) {
        fs::write(folder.path().join(name), text).expect("the folder may be written");
    }
    let mut compilers = Compilers::built_in();
    loligo_render::compile::register(&mut compilers);
    loligo_engine::compile::register(&mut compilers);
    compilers.register("lua", loligo_script::LuaCompiler);
    let out = folder.path().join("data");
    let project = Project::new(folder.path(), &out, &compilers);
    let report = project.compile(&Threads::new(NonZeroUsize::MIN)).expect("it can be compiled");
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    folder
}

/// The first error that was logged: a script that is refused memory stops its call, and the game
/// logs that and continues.
#[derive(Default)]
struct Heard(Mutex<Option<String>>);

impl LogSink for Heard {
    fn line(&self, line: &LogLine<'_>) {
        if line.level == Level::Error {
            let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert_with(|| line.text.to_owned());
        }
    }
}

fn options<'o>(
    data: &'o Path,
    memory: &'o OneAtATime<'o>,
    log: &'o Heard,
    threads: u32,
) -> EngineOptions<'o> {
    EngineOptions {
        memory: Some(memory),
        threads: Some(threads),
        back_end: BackEndChoice::Text,
        time_step: Some(TimeStep::EachFrame { step: 16_666_667 }),
        log,
        ..EngineOptions::new(data)
    }
}

/// A whole life: returns the text of the last frame, and how much there is of the world. What was
/// logged as an error is one, so that nothing is lost in silence.
fn live(
    data: &Path,
    memory: &dyn Allocator,
    threads: u32,
    is_stubborn: bool,
) -> Result<String, String> {
    let (memory, log) = (OneAtATime::new(memory), Heard::default());
    let shown = with_engine(&options(data, &memory, &log, threads), |engine| {
        assert!(memory.stats().live > 0, "it lives in the memory that it was given");
        frames(engine, is_stubborn)
    });
    assert_eq!(memory.stats().live, 0, "blocks of an engine that is gone");
    let heard = log.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    let shown = shown.and_then(|shown| shown).map_err(|error| error.to_string())?;
    heard.map_or(Ok(shown), Err)
}

fn frames(engine: &mut Engine<'_, '_>, is_stubborn: bool) -> Result<String, EngineError> {
    let mut last = Ok(());
    for frame in 0..6 {
        if frame == 5 {
            engine.want_text();
        }
        let done = engine.frame(&mut ());
        if !is_stubborn {
            done?;
        } else if done.is_err() {
            last = done;
        }
    }
    engine.finish()?;
    last?;
    let world = engine.world();
    assert!(world.find(id32!("arm")).is_some(), "the level was spawned, or it did not boot");
    Ok(format!("{} entities\n{}", world.entities().len(), engine.text()))
}

/// The result of a game that continues after errors.
struct CaughtUp {
    /// What is drawn in the end, without the frame's number and time.
    drawn: String,
    /// The frames that failed.
    failed: u64,
    /// The requests for memory of its frames, those of its boot left out.
    requests: Range<u64>,
}

/// A game of eleven frames with the given number of requests refused; `None` if it did not boot, or
/// a script was refused.
fn caught_up(data: &Path, refusals: Refusals) -> Option<CaughtUp> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let failing = FailingAllocator::new_in("test memory", refusals, &heap);
    let (memory, log) = (OneAtATime::new(&failing), Heard::default());
    let shown = with_engine(&options(data, &memory, &log, 1), |engine| {
        let (booted, mut failed) = (failing.requests(), 0);
        let mut frame =
            |engine: &mut Engine<'_, '_>| failed += u64::from(engine.frame(&mut ()).is_err());
        for _ in 0..8 {
            frame(engine);
        }
        engine.want_text();
        for _ in 0..3 {
            frame(engine);
        }
        engine.finish().expect("what is refused once is had the next time");
        let (_, drawn) = engine.text().split_once("meshes").expect("it says how many there are");
        CaughtUp { drawn: drawn.to_owned(), failed, requests: booted..failing.requests() }
    });
    let heard = log.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    shown.ok().filter(|_| heard.is_none())
}

#[test]
fn what_a_refused_frame_leaves_untold_is_told_later() {
    let folder = data();
    let data = folder.path().join("data");
    let whole = caught_up(&data, Refusals::None).expect("nothing is refused");
    assert!(whole.drawn.starts_with(" 2"), "the post is gone:\n{}", whole.drawn);
    let mut late = 0;
    for number in whole.requests {
        if let Some(CaughtUp { drawn, failed, .. }) = caught_up(&data, Refusals::Nth(number)) {
            assert_eq!(drawn, whole.drawn, "request {number} was refused: {failed} frames failed");
            late += failed;
        }
    }
    assert!(late > 0, "no frame failed, so none was made good");
}

#[test]
fn a_boot_that_is_refused_once_leaves_nothing() {
    let folder = data();
    let data = folder.path().join("data");
    let whole = caught_up(&data, Refusals::None).expect("nothing is refused");
    assert!(whole.requests.start > CONTENT, "{:?} are those of its frames", whole.requests);
    // The suite draws some of these requests; one of the others was a request whose refusal lost
    // the place of a mesh.
    let booted = |number: &u64| caught_up(&data, Refusals::Nth(*number)).is_some();
    let booted = (0..CONTENT).filter(booted).count();
    println!("{booted} of {CONTENT} games booted all the same");
}

/// Holds lives to the suite.
fn conforms(script: impl FnMut(&Watch<'_>) -> Result<(), Violation>, count: u64) {
    println!("{count} requests are refused in each way, drawn by the seed {SEED}");
    let outcomes = conformance::subsystem_sampled_outcomes(BYTES, count, SEED, script);
    let failed: Vec<_> = outcomes.iter().filter(|outcome| outcome.result.is_err()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert_eq!(
        outcomes.len(),
        6,
        "every check was made but that of the global heap, which booting uses"
    );
}

#[test]
fn an_engine_that_stops_at_its_first_error_conforms() {
    let folder = data();
    let data = folder.path().join("data");
    let script = |watch: &Watch<'_>| {
        let text = watch.make(|memory| live(&data, memory, 1, false), String::clone)?;
        assert!(text.contains("meshes 2"), "the post is gone:\n{}", *text);
        assert!(text.contains("lights 1"), "so is its light:\n{}", *text);
        Ok(())
    };
    conforms(script, 600);
}

#[test]
fn an_engine_that_goes_on_after_errors_leaves_nothing_and_stops_nothing() {
    let folder = data();
    let data = folder.path().join("data");
    // The game must notice what a lost frame left undone: the test only requires that nothing
    // panics, hangs or leaks.
    let script =
        |watch: &Watch<'_>| watch.make(|memory| live(&data, memory, 1, true), |_| ()).map(drop);
    conforms(script, 300);
}

#[test]
fn an_engine_of_three_threads_conforms() {
    let folder = data();
    let data = folder.path().join("data");
    let script = |watch: &Watch<'_>| {
        watch.make(|memory| live(&data, memory, 3, false), String::clone).map(drop)
    };
    conforms(script, 150);
}

/// Memory that knows no threads, for several: one call at a time.
struct OneAtATime<'a> {
    memory: &'a dyn Allocator,
    lock: Mutex<()>,
}

// SAFETY: the memory of the suite belongs to no thread: it is cells and a separate region. Each
// call of it is made under the lock, and the thread that made the memory waits meanwhile for the
// engine, in `with_engine`.
unsafe impl Sync for OneAtATime<'_> {}

impl<'a> OneAtATime<'a> {
    fn new(memory: &'a dyn Allocator) -> Self {
        Self { memory, lock: Mutex::new(()) }
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// SAFETY: blocks come from the memory as they are.
unsafe impl Allocator for OneAtATime<'_> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let _alone = self.lock();
        self.memory.allocate(layout)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        let _alone = self.lock();
        // SAFETY: the caller's promise, passed on.
        unsafe { self.memory.deallocate(block) }
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        let _alone = self.lock();
        // SAFETY: the caller's promise, passed on.
        unsafe { self.memory.deallocate_sized(block, layout) }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let _alone = self.lock();
        // SAFETY: the caller's promise, passed on.
        unsafe { self.memory.resize_in_place(block, old, new) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        let _alone = self.lock();
        // SAFETY: the caller's promise, passed on.
        unsafe { self.memory.allocated_size(block) }
    }

    fn stats(&self) -> Stats {
        let _alone = self.lock();
        self.memory.stats()
    }

    fn name(&self) -> &str {
        self.memory.name()
    }

    fn owns(&self, address: *const u8) -> bool {
        let _alone = self.lock();
        self.memory.owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        let _alone = self.lock();
        self.memory.walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        let _alone = self.lock();
        self.memory.verify()
    }
}
