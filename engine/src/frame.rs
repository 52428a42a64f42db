//! The engine: one frame after another.
//!
//! ```text
//! main thread     | window | clock | tools | logic | events | garbage | recorded |    frame N
//! a thread at rest                                          | matrices |
//! render thread   | applied | culled | sorted | drawn | shown |                       frame N - 1
//! ```
//!
//! After "State reflection" by the makers of Stingray, and "Time Step Smoothing" (Bitsquid blog,
//! 2010-10-18).

use core::fmt;
use std::time::Instant;

use loligo_allocators::ArmedAll;
use loligo_containers::{Array, EventStream};
use loligo_diagnostics::{Log, log};
use loligo_interface::Viewpoint;
use loligo_resources::ResourceKey;
use loligo_tasks::Worker;

use crate::assets::Uploads;
use crate::cpu::Workers;
use crate::drawing::{Drawn, GameWindow, Link, Packet, Wanted};
use crate::error::EngineError;
use crate::loading::{Content, StreamedTextures, TextureMemory};
use crate::memory::{FrameGuard, FrameMemory, Memory, SharedAllocator};
use crate::monitoring::Monitoring;
#[cfg(feature = "script")]
use crate::scripts::{ScriptFailures, Scripts};
use crate::time_step::GameClock;
use crate::world::{Logic, SceneView, Want, World};

mod begin;
mod graphed_memory;
mod graphs;
mod player;
mod reload;
mod run;
mod saving;
mod streaming;
mod submit;
mod times;
#[cfg(feature = "tool-server")]
mod tools;
mod unseen;

pub(crate) use begin::EngineParts;
pub use player::ReplayDifference;
pub use times::{FRAMES_MAX, FrameTimes};

use player::Player;

/// From this frame on nothing may reach the global heap, where a guard was given: what is there
/// once is there by then.
pub const ARMED_FROM: u64 = 10;

/// A game that runs: made by [`with_engine`](crate::with_engine).
///
/// # Complexity
///
/// A frame is O(entities that move + meshes that are seen), and what the game's logic takes.
///
/// # Memory
///
/// All from the subsystems of the plan. A frame like the one before it allocates nothing, neither
/// there nor from the global heap.
///
/// # Threads
///
/// It stays on the thread that booted it; frames are drawn on another, at most one frame later.
pub struct Engine<'e, 'm> {
    memory: Memory<'m>,
    /// Empty while a frame runs, which has it then.
    frame_memory: FrameMemory<'m>,
    log: Log<'e, SharedAllocator<'m>>,
    monitoring: Option<&'e Monitoring<'m>>,
    workers: &'e Workers,
    /// The main thread among the threads that run tasks.
    worker: &'e Worker<'e>,
    content: Content<'e, 'm>,
    world: World<'m>,
    clock: GameClock,
    /// Whether the options say how time passes, in place of the game.
    has_own_step: bool,
    /// And which properties are preferred.
    has_own_preference: bool,
    link: Link<'e, 'm>,
    shown: GameWindow<'e>,
    player: Player<'e, 'm>,
    #[cfg(feature = "pads")]
    pads: Option<loligo_platform::Pads>,
    /// What came back from the render thread and serves the next frame.
    spare: Option<Spare<'m>>,
    /// A frame that the renderer could not accept.
    late: Option<Packet<'m, SharedAllocator<'m>>>,
    spare_events: EventStream<'m, SharedAllocator<'m>>,
    /// From where players see the frame.
    watched: Array<'m, Viewpoint, SharedAllocator<'m>>,
    wanted: Wanted,
    text: Array<'m, u8, SharedAllocator<'m>>,
    picture: Array<'m, u8, SharedAllocator<'m>>,
    size: [u32; 2],
    frame: u64,
    /// The number of the world's frame in the first frame here: another where a game was loaded.
    first_frame: u64,
    /// The level that is asked for, and is to come.
    next_level: Option<(ResourceKey, Want)>,
    /// Whether frames go on while resources are loaded.
    loads_in_background: bool,
    /// Whether the level has begun, and is not to be begun by the first frame.
    is_begun: bool,
    /// When the frame before began.
    began: Option<Instant>,
    guard: Option<&'static dyn FrameGuard>,
    armed: Option<ArmedAll<'static>>,
    figures: Figures<'m>,
    #[cfg(feature = "tool-server")]
    recompile: Option<&'e crate::options::Recompile<'e>>,
    /// The folder of the data, which has the names for answers to tools.
    #[cfg(feature = "tool-server")]
    data: &'e std::path::Path,
    #[cfg(feature = "script")]
    scripts: Option<Scripts<'m>>,
    #[cfg(feature = "tool-server")]
    tools: Option<tools::Tools<'m>>,
    #[cfg(feature = "tool-server")]
    lines: &'e crate::log::RecentLines<'e, 'm>,
}

/// The memory of a frame that was drawn.
struct Spare<'m> {
    uploads: Uploads<'m, SharedAllocator<'m>>,
    views: Array<'m, SceneView, SharedAllocator<'m>>,
    drawings: Array<'m, EventStream<'m, SharedAllocator<'m>>, SharedAllocator<'m>>,
    text: Array<'m, u8, SharedAllocator<'m>>,
    picture: Array<'m, u8, SharedAllocator<'m>>,
    sizes: Array<'m, f32, SharedAllocator<'m>>,
    problems: Array<'m, u8, SharedAllocator<'m>>,
}

/// What frames took.
struct Figures<'m> {
    /// From the beginning of a frame to that of the next.
    frames: FrameTimes<'m, SharedAllocator<'m>>,
    /// Processor time of our threads, without the back end, of usual frames.
    own: FrameTimes<'m, SharedAllocator<'m>>,
    /// The longest of the others.
    unusual_ns: u64,
    /// The processor time of the main thread in the frame that is on its way, and of all workers up
    /// to its begin.
    main_ns: u64,
    workers_ns: u64,
    drawn: Drawn,
    /// The most that a frame had of what is seen.
    most_seen: u64,
}

impl Figures<'_> {
    /// Adds what a frame took of processors on our threads.
    fn add_own(&mut self, is_usual: bool, ns: u64) {
        if is_usual {
            self.own.add(ns);
        } else {
            self.unusual_ns = self.unusual_ns.max(ns);
        }
    }
}

impl<'e, 'm> Engine<'e, 'm> {
    /// Runs a frame.
    ///
    /// The first frame of a game moves it on by no time, and [`Logic::start`] is called before it.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory, or the frame before could not be drawn. The logic has
    /// run all the same, and what the renderer could not receive is sent with a later frame, once
    /// there is memory.
    pub fn frame(&mut self, logic: &mut dyn Logic<'m>) -> Result<(), EngineError> {
        self.frame_memory.reset();
        self.with_frame_memory(logic, Self::run_frame)
    }

    /// Waits until all frames are drawn, and handles the result of the last.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if it could not be drawn.
    pub fn finish(&mut self) -> Result<(), EngineError> {
        match self.link.wait() {
            Some(packet) => self.take_back(packet),
            None => Ok(()),
        }
    }

    /// Asks for the text of the next frame; see [`text`](Self::text).
    pub const fn want_text(&mut self) {
        self.wanted.text = true;
    }

    /// Asks for the pixels of the next frame; see [`picture`](Self::picture).
    pub const fn want_picture(&mut self) {
        self.wanted.picture = true;
    }

    /// Returns the text of the last frame that it was wanted of, once it is drawn: after
    /// [`finish`](Self::finish).
    #[must_use]
    pub fn text(&self) -> &str {
        // Text alone was appended.
        core::str::from_utf8(&self.text).unwrap_or_default()
    }

    /// Returns the pixels of the last frame for which they were requested, once it is drawn: rows
    /// of red, green, blue and opacity. Empty if the back end draws no pictures.
    #[must_use]
    pub fn picture(&self) -> &[u8] {
        &self.picture
    }

    /// Returns the width and height of the picture: the window's, where there is one.
    #[must_use]
    pub const fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Returns the world.
    #[must_use]
    pub const fn world(&self) -> &World<'m> {
        &self.world
    }

    /// Returns the world, to be changed.
    pub const fn world_mut(&mut self) -> &mut World<'m> {
        &mut self.world
    }

    /// Returns how many frames were run.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frame
    }

    /// Returns `true` if the player, a tool or the game has asked for the end.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.world.is_over()
    }

    /// Runs Lua between two frames, as the console of a tool does, and returns what it returns as text.
    ///
    /// # Errors
    ///
    /// What is wrong, with its place: the error of the script, or that there are no scripts.
    #[cfg(all(feature = "script", feature = "tool-server"))]
    pub fn run_script(&mut self, code: &str) -> Result<String, String> {
        let Self { scripts, world, log, .. } = self;
        let Some(scripts) = scripts else { return Err(tools::NO_SCRIPTS.into()) };
        let mut answer = String::new();
        match scripts.run(world, code, &mut answer, log) {
            Ok(()) => Ok(answer),
            Err(fmt::Error) => Err(answer),
        }
    }

    /// Returns how often the game's scripts failed: loads and calls, and not what tools asked for.
    #[cfg(feature = "script")]
    #[must_use]
    pub fn script_failures(&self) -> ScriptFailures {
        self.scripts.as_ref().map_or_else(ScriptFailures::default, Scripts::failures)
    }

    /// Returns the handle by which another thread stops scripts that do not end, after a time
    /// limit; nothing where there are no scripts.
    #[cfg(feature = "script")]
    pub fn script_watch(&mut self) -> Option<loligo_script::Watch> {
        self.scripts.as_mut().map(Scripts::watch)
    }

    /// Returns what became of the frame that was drawn last.
    #[must_use]
    pub const fn drawn(&self) -> Drawn {
        self.figures.drawn
    }

    /// Returns whether frames were drawn, and nothing could be seen in any of them.
    #[must_use]
    pub const fn is_blank(&self) -> bool {
        self.link.is_drawn() && self.frame > 0 && self.figures.most_seen == 0
    }

    /// Returns how long frames took, from the beginning of one to that of the next.
    pub const fn frame_times(&mut self) -> &mut FrameTimes<'m, SharedAllocator<'m>> {
        &mut self.figures.frames
    }

    /// Returns what frames took of processors on our threads, without what draws: a graphics API,
    /// or a driver that computes pictures. Not among them are frames before [`ARMED_FROM`], and
    /// those whose text or picture was asked for: see [`unusual_own_ns`](Self::unusual_own_ns).
    pub const fn own_times(&mut self) -> &mut FrameTimes<'m, SharedAllocator<'m>> {
        &mut self.figures.own
    }

    /// Returns the most that an unusual frame took of processors on our threads, in nanoseconds: in
    /// those before [`ARMED_FROM`] the whole world is sent to the renderer and memory grows to what
    /// it will be, and a picture that is asked for is copied whole.
    #[must_use]
    pub const fn unusual_own_ns(&self) -> u64 {
        self.figures.unusual_ns
    }

    /// Returns the memory of all subsystems.
    #[must_use]
    pub const fn memory(&self) -> Memory<'m> {
        self.memory
    }

    /// Returns how much of the budget for textures is held, where there is one: see
    /// [`GameSettings::texture_budget`](crate::GameSettings::texture_budget).
    #[must_use]
    pub fn texture_memory(&self) -> Option<TextureMemory> {
        self.content.textures.as_ref().map(StreamedTextures::held)
    }

    /// Lets this thread and all others reach the global heap again, before what happens at the end
    /// of a program.
    pub fn disarm(&mut self) {
        self.armed = None;
        self.guard = None;
    }
}

impl fmt::Debug for Engine<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("frame", &self.frame)
            .field("world", &self.world)
            .field("drawn", &self.figures.drawn)
            .finish_non_exhaustive()
    }
}

impl Drop for Engine<'_, '_> {
    fn drop(&mut self) {
        self.disarm();
        // What is under way holds memory; it comes back first.
        drop(self.link.wait());
        let frames = self.frame;
        log!(self.log, Debug, "the engine shuts down after {frames} frames");
    }
}
