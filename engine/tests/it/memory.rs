//! What a frame may not touch, and what may not be left: each in a separate process, which stops.

use std::process::{Command, Output};

use loligo_allocators::{Allocator as _, Arena as _, GlobalGuard};
use loligo_engine::{
    EngineOptions, FrameMemory, Logic, MemoryPlan, SUBSYSTEMS, SubsystemAllocator, SubsystemMemory,
    World, libraries, with_engine,
};
use loligo_ids::{id32, id64};
use std::alloc::System;

use crate::batches;
use crate::frames::Turning;
use crate::packages;
use crate::support::Game;

/// Disarmed but in the children.
#[global_allocator]
static GUARD: GlobalGuard<System> = GlobalGuard::new("global", System);

/// Says which child this process is.
const CHILD: &str = "LOLIGO_ENGINE_CHILD";

fn is_child(name: &str) -> bool {
    std::env::var_os(CHILD).is_some_and(|child| child == name)
}

/// Runs a test of this program in a separate process.
fn child(test: &str) -> Output {
    let mut child = Command::new(std::env::current_exe().expect("this test"));
    let name = format!("memory::{test}");
    // One thread of tests: what other tests do is not part of a frame.
    child.args(["--exact", &name, "--nocapture", "--test-threads=1"]).env(CHILD, test);
    child.output().expect("it starts")
}

/// Runs frames under the guard.
fn guarded(frames: u64, plan: MemoryPlan, logic: &mut dyn for<'m> Logic<'m>) {
    guarded_game(&Game::new(8), frames, plan, logic);
}

fn guarded_game(game: &Game, frames: u64, plan: MemoryPlan, logic: &mut dyn for<'m> Logic<'m>) {
    let data = game.data();
    let options =
        EngineOptions { guard: Some(&GUARD), threads: Some(3), plan, ..game.options(&data) };
    let options = EngineOptions { background_loading: Some(true), ..options };
    let run = with_engine(&options, |engine| {
        while engine.frames() < frames {
            engine.want_text();
            engine.frame(logic)?;
        }
        engine.finish()?;
        engine.disarm();
        Ok::<_, loligo_engine::EngineError>(engine.frames())
    });
    assert_eq!(run.expect("it boots").expect("frames are drawn"), frames, "all were run");
}

#[test]
fn child_whose_frames_leave_the_global_heap_alone() {
    if is_child("child_whose_frames_leave_the_global_heap_alone") {
        guarded(60, MemoryPlan::new(), &mut Turning::default());
        println!("60 frames; libraries: {:?}", libraries());
    }
}

#[test]
fn child_whose_scripts_have_batches() {
    if is_child("child_whose_scripts_have_batches") {
        let game = batches::game(20, batches::RISE);
        guarded_game(&game, 60, MemoryPlan::new(), &mut Turning::default());
        println!("60 frames of batches");
    }
}

#[test]
fn batches_leave_the_global_heap_alone() {
    let output = child("child_whose_scripts_have_batches");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("60 frames of batches"), "{said}");
}

#[test]
fn frames_from_the_tenth_on_leave_the_global_heap_alone() {
    let output = child("child_whose_frames_leave_the_global_heap_alone");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("60 frames; "), "{said}");
}

/// Has packages loaded in the background and unloaded again and again.
struct Packing;

impl<'m> Logic<'m> for Packing {
    fn update(&mut self, world: &mut World<'m>, _: &FrameMemory<'m>) {
        if world.is_package_loaded(id64!("all")) {
            world.unload_package(id64!("all"));
        } else if world.frame().is_multiple_of(4) {
            world.load_package(id64!("all")).expect("there is memory");
            world.unload_package(id64!("all"));
            world.load_package(id64!("all")).expect("there is memory");
        }
    }
}

#[test]
fn child_that_loads_packages() {
    if is_child("child_that_loads_packages") {
        let game = packages::game("");
        guarded_game(&game, 200, MemoryPlan::new(), &mut Packing);
        println!("200 frames with packages");
    }
}

#[test]
fn packages_are_loaded_without_the_global_heap() {
    let output = child("child_that_loads_packages");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("200 frames with packages"), "{said}");
}

/// Has entities' memory taken and given back in each frame.
struct Writing;

impl<'m> Logic<'m> for Writing {
    fn update(&mut self, world: &mut World<'m>, _: &FrameMemory<'m>) {
        const TEXT: &str =
            "a text that is longer in each frame than it was in the frame before, for sixty frames";
        let hub = world.find(id32!("hub")).expect("the level has one");
        let text = &TEXT[..world.frame() as usize];
        world.data_mut().try_set(hub, id32!("text"), text).expect("there is memory");
    }
}

#[test]
fn child_whose_subsystems_are_on_the_systems_heap() {
    if is_child("child_whose_subsystems_are_on_the_systems_heap") {
        let mut plan = MemoryPlan::new();
        let memory = SubsystemMemory { allocator: SubsystemAllocator::System, budget: None };
        (0..SUBSYSTEMS.len()).for_each(|subsystem| plan.set_subsystem(subsystem, memory));
        guarded(60, plan, &mut Writing);
        println!("60 frames on the system's heap");
    }
}

#[test]
fn the_systems_heap_serves_subsystems_while_the_guard_is_armed() {
    let output = child("child_whose_subsystems_are_on_the_systems_heap");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("60 frames on the system's heap"), "{said}");
}

/// Keeps in each frame, until the next, more than the first chunk of the frame's memory holds.
#[derive(Default)]
struct Passing {
    reserved: Vec<usize>,
}

impl<'m> Logic<'m> for Passing {
    fn update(&mut self, world: &mut World<'m>, memory: &FrameMemory<'m>) {
        assert_eq!(memory.stats().live, 0, "what the frame before left is gone");
        let numbers = memory.alloc_slice_fill_with(100_000, |index| index as u64 + world.frame());
        assert_eq!(numbers[99_999], 99_999 + world.frame(), "the last");
        self.reserved.push(memory.stats().reserved);
    }
}

#[test]
fn the_memory_of_what_dies_with_a_frame_is_there_again_in_the_next() {
    let game = Game::new(3);
    let mut logic = Passing::default();
    with_engine(&game.options(&game.data()), |engine| {
        (0..8).for_each(|_| engine.frame(&mut logic).expect("a frame"));
        engine.finish().expect("it is drawn");
    })
    .expect("it boots");
    let [first, .., last] = logic.reserved[..] else { panic!("eight frames") };
    assert!(first > 800_000, "it has grown: {first}");
    assert_eq!(first, last, "no frame takes more than the first");
}

/// Takes a box in its twelfth frame.
struct Careless;

impl<'m> Logic<'m> for Careless {
    fn update(&mut self, world: &mut World<'m>, _: &FrameMemory<'m>) {
        if world.frame() == 12 {
            careless_box(world.frame());
        }
    }
}

#[inline(never)]
fn careless_box(frame: u64) {
    drop(core::hint::black_box(Box::new(frame)));
}

#[test]
fn child_that_takes_a_box_in_a_frame() {
    if is_child("child_that_takes_a_box_in_a_frame") {
        guarded(60, MemoryPlan::new(), &mut Careless);
    }
}

#[test]
fn a_frame_that_reaches_the_global_heap_stops_the_program_with_a_stack_trace() {
    let output = child("child_that_takes_a_box_in_a_frame");
    assert!(!output.status.success(), "it stops");
    let said = String::from_utf8_lossy(&output.stderr);
    for part in ["`global` was reached by armed code", "careless_box", "8 bytes"] {
        assert!(said.contains(part), "`{part}` in:\n{said}");
    }
}

#[test]
fn child_that_leaves_a_block() {
    if is_child("child_that_leaves_a_block") {
        let game = Game::new(1);
        let data = game.data();
        let booted = with_engine(&game.options(&data), |engine| {
            let script = engine.memory().subsystem("script").expect("it is a subsystem");
            let words = loligo_containers::Array::try_from_slice_in(&[1_u32; 10], script);
            core::mem::forget(words.expect("there is memory"));
        });
        panic!("a block was left, and the engine went down: {booted:?}");
    }
}

#[test]
fn a_block_that_is_left_stops_the_program_by_its_room() {
    let output = child("child_that_leaves_a_block");
    assert!(!output.status.success(), "it stops");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("script") && said.contains("1 live block"), "{said}");
    assert!(!said.contains("and the engine went down"), "{said}");
}
