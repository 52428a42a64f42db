//! A game of ten thousand entities that one script moves: in one call for all of them, or in a call
//! for each. In `spawns.rs` entities that are spawned, in `events.rs` events that are heard,
//! in `saves.rs` a world that is saved and loaded.

pub(crate) mod events;
pub(crate) mod inspected;
pub(crate) mod levels;
pub(crate) mod lines;
pub(crate) mod loading;
pub(crate) mod reads;
pub(crate) mod saves;
pub(crate) mod shows;
pub(crate) mod spawns;

use core::num::NonZeroUsize;
use std::fs;

use loligo_compiler::{Compilers, Project, Threads};
use loligo_engine::{
    BackEndChoice, DisabledSubsystems, Engine, EngineOptions, FrameMemory, Logic, TimeStep, World,
    with_engine,
};
use loligo_interface::SubsystemRow;
use tempfile::TempDir;

use crate::clock;
use crate::contender::{Contender, Pass};

const ENTITIES: usize = 10_000;

/// After this number of frames the script is compiled.
const WARM_FRAMES: u64 = 20;

/// The frames of a pass that are measured.
const FRAMES: u64 = 40;

const CONFIG: &str = "title = \"Leaves\" level = \"leaves\" frame = \"leaves\" window = [ 64 64 ] \
    time_step = { policy = \"each_frame\" step = 0.01 } script = \"main\"";

const FRAME: &str = "targets = {} passes = [ { name = \"main\" color = [ \"window\" ] \
    clear = { color = [ 0 0 0 1 ] } layers = [ { name = \"opaque\" order = \"by_state\" } ] } ]";

/// The same work both ways. A script that calls for each entity keeps where it is, as a function
/// that asks makes a vector each time.
const BATCH: &str = "local speeds = {}
    batches = { { call = 'fall', tag = 'leaf', columns = 'position' } }
    function fall(leaves, x, y, z, step)
        for i = 1, #leaves do
            local speed = (speeds[i] or 0) - 10 * step
            speeds[i] = speed
            y[i] = y[i] + speed * step
        end
    end";
const CALLS: &str = "local leaves, xs, ys, zs, speeds = {}, {}, {}, {}, {}
    local count, set_xyz = 0, Transform.set_xyz
    function start()
        count = Tag.count('leaf')
        for i = 1, count do
            leaves[i] = Tag.entity('leaf', i)
            xs[i], ys[i], zs[i] = i % 100, 1000, math.floor(i / 100)
        end
    end
    function update(step)
        for i = 1, count do
            local speed = (speeds[i] or 0) - 10 * step
            speeds[i] = speed
            ys[i] = ys[i] + speed * step
            set_xyz(leaves[i], xs[i], ys[i], zs[i])
        end
    end";

/// What is spawned by name.
const LEAF: &str = "components = { tag = \"leaf\" transform = {} }";

/// A game that was compiled into a folder that goes away.
struct Game {
    folder: TempDir,
}

impl Game {
    fn new(script: &str) -> Self {
        let mut level = String::from("entities = {\n");
        for at in 1..=ENTITIES {
            let (x, z) = (at % 100, at / 100);
            level += &format!(
                "leaf{at} = {{ components = {{ tag = \"leaf\" \
                 transform = {{ position = [ {x} 1000 {z} ] }} }} }}\n"
            );
        }
        level += "}\n";
        Self::with_level(script, &level)
    }

    fn with_level(script: &str, level: &str) -> Self {
        let files = [
            ("game.config", CONFIG),
            ("leaves.frame", FRAME),
            ("leaves.level", level),
            ("leaf.entity", LEAF),
            ("main.lua", script),
        ];
        Self { folder: compiled(files.map(|(name, text)| (name.to_owned(), text.to_owned()))) }
    }

    /// Boots the game and returns the time of its script in a frame.
    fn pass(&self) -> Pass {
        Pass { ns: self.boot(&[], frames), operations: FRAMES }
    }

    /// Boots the game with subsystems, and runs `act`.
    fn boot(
        &self,
        subsystems: &[SubsystemRow],
        act: impl FnOnce(&mut Engine<'_, '_>) -> u64,
    ) -> u64 {
        let data = self.folder.path().join("data");
        let mut without = DisabledSubsystems::default();
        for name in ["monitor", "render", "tools"] {
            assert!(without.add(name).is_ok(), "it can be left out: {name}");
        }
        let options = EngineOptions {
            without,
            subsystems,
            threads: Some(1),
            back_end: BackEndChoice::Text,
            time_step: Some(TimeStep::EachFrame { step: 10_000_000 }),
            ..EngineOptions::new(&data)
        };
        match with_engine(&options, act) {
            Ok(ns) => ns,
            Err(error) => unreachable!("the game boots: {error}"),
        }
    }
}

/// Writes the sources of a game and compiles them into a folder `data` in theirs.
fn compiled(files: impl IntoIterator<Item = (String, String)>) -> TempDir {
    let made = TempDir::with_prefix("loligo-benches-");
    let folder = made.unwrap_or_else(|error| unreachable!("there is a folder: {error}"));
    for (name, text) in files {
        let path = folder.path().join(name);
        let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
        let written = parent.and_then(|()| fs::write(&path, text));
        written.unwrap_or_else(|error| unreachable!("it may be written: {error}"));
    }
    let mut compilers = Compilers::built_in();
    loligo_render::compile::register(&mut compilers);
    loligo_engine::compile::register(&mut compilers);
    compilers.register("lua", loligo_script::LuaCompiler);
    let report = Project::new(folder.path(), &folder.path().join("data"), &compilers)
        .compile(&Threads::new(NonZeroUsize::MIN))
        .unwrap_or_else(|error| unreachable!("it can be compiled: {error}"));
    assert!(report.errors.is_empty(), "the game is right: {:?}", report.errors);
    folder
}

fn frames(engine: &mut Engine<'_, '_>) -> u64 {
    let mut watch = Watch::default();
    while engine.frames() < WARM_FRAMES + FRAMES {
        watch.began = clock::thread_cpu_ns();
        let done = engine.frame(&mut watch);
        assert!(done.is_ok(), "a frame: {done:?}");
    }
    assert_eq!(engine.script_failures().count, 0, "the script is right");
    watch.ns
}

/// Is called when the scripts of a frame are done.
#[derive(Default)]
struct Watch {
    began: u64,
    ns: u64,
}

impl<'m> Logic<'m> for Watch {
    fn update(&mut self, world: &mut World<'m>, _: &FrameMemory<'m>) {
        if world.frame() >= WARM_FRAMES {
            self.ns += clock::thread_cpu_ns() - self.began;
        }
    }
}

/// Returns a contender whose operation is the update of all entities by one call.
pub(crate) fn batch() -> Contender {
    let game = Game::new(BATCH);
    Contender::new("loligo", move || game.pass())
}

/// Returns a contender whose operation is the update of all entities by a call for each.
pub(crate) fn calls() -> Contender {
    let game = Game::new(CALLS);
    Contender::new("a call each", move || game.pass())
}
