//! Stack traces: the callers, equal stacks stored once, and memory that runs out.

mod wrapper;

use core::ptr::NonNull;
use std::string::{String, ToString};
use std::vec::Vec;

use super::layout;
use crate::contract::allocator::{AllocError, Allocator};
use crate::testing::test_backing::TestBacking;
use crate::wrappers::trace::TraceAllocator;

/// Allocates a block at a site that both subsystems share.
#[inline(never)]
fn shared(allocator: &dyn Allocator, size: usize) -> Result<NonNull<u8>, AllocError> {
    allocator.allocate(layout(size, 8)).map(NonNull::cast)
}

#[inline(never)]
fn sound_system(allocator: &dyn Allocator) -> Result<NonNull<u8>, AllocError> {
    core::hint::black_box(shared(allocator, 10))
}

#[inline(never)]
fn render_system(allocator: &dyn Allocator) -> Result<NonNull<u8>, AllocError> {
    core::hint::black_box(shared(allocator, 1000))
}

/// Recurses until the stack has more frames than are kept.
#[inline(never)]
fn deep(depth: usize, allocator: &dyn Allocator) -> Result<NonNull<u8>, AllocError> {
    if depth == 0 {
        shared(allocator, 5)
    } else {
        core::hint::black_box(deep(depth - 1, allocator))
    }
}

#[test]
fn one_site_reached_on_two_ways_is_told_apart() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = TraceAllocator::new_in("trace", &backing, &books).with_stacks();
    let mut blocks = Vec::new();
    // If the loop were unrolled, one way would become five.
    for _ in 0..core::hint::black_box(5) {
        blocks.push(sound_system(&trace).expect("there is memory"));
        blocks.push(render_system(&trace).expect("there is memory"));
    }
    for _ in 0..core::hint::black_box(2) {
        blocks.push(deep(40, &trace).expect("there is memory"));
    }
    trace.verify().expect("sound");
    let mut ways = Vec::new();
    trace.walk_sites(&mut |site| ways.push((site.blocks, site.bytes)));
    assert_eq!(ways, [(5, 5000), (5, 50), (2, 10)], "equal stacks are one, others are apart");
    let report = trace.report().to_string();
    let stacks: Vec<String> = split(&report);
    assert_eq!(stacks.len(), 3, "{report}");
    for (stack, names) in stacks.iter().zip([
        ["shared", "render_system"],
        ["shared", "sound_system"],
        ["shared", "deep"],
    ]) {
        // The first frame is the call site; no frame of this library is before it.
        let frames: Vec<&str> = stack.lines().skip(1).map(str::trim_start).collect();
        for (number, (frame, name)) in frames.iter().zip(names).enumerate() {
            assert!(frame.starts_with(&std::format!("{number}: ")), "{report}");
            assert!(frame.contains(name) && frame.contains("stacks.rs:"), "{frame} in\n{report}");
        }
        assert!(frames.len() >= names.len(), "its callers are listed: {report}");
        assert!(!stack.contains("__rust_begin_short_backtrace"), "{report}");
        assert!(!stack.contains("backtrace::"), "the unwinder's own frames are left out\n{report}");
        assert!(!stack.contains("Stack::capture"), "{report}");
    }
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
}

/// Splits a report into groups, each with its frames.
fn split(report: &str) -> Vec<String> {
    let mut groups: Vec<String> = Vec::new();
    for line in report.lines().skip(2) {
        let is_frame = line
            .trim_start()
            .split_once(": ")
            .is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        match groups.last_mut() {
            Some(group) if is_frame => {
                group.push('\n');
                group.push_str(line);
            }
            _ => groups.push(line.to_string()),
        }
    }
    groups
}

#[test]
fn without_the_method_no_stack_is_kept() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = TraceAllocator::new_in("trace", &backing, &books);
    let blocks = [sound_system(&trace), render_system(&trace)];
    let mut sites = 0;
    trace.walk_sites(&mut |_| sites += 1);
    assert_eq!(sites, 1, "both came through one line");
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block.expect("there is memory")) };
    }
}

#[test]
fn books_that_run_out_at_any_point_change_nothing() {
    for nth in 0.. {
        let (backing, books) = (TestBacking::new(), TestBacking::new());
        books.refuse_nth(nth);
        let trace = TraceAllocator::new_in("trace", &backing, &books).with_stacks();
        let mut refused = false;
        let mut blocks = Vec::new();
        for depth in 0..14 {
            for _ in 0..8 {
                let before = trace.stats();
                match deep(depth, &trace) {
                    Ok(block) => blocks.push(block),
                    Err(AllocError) => {
                        refused = true;
                        assert_eq!(trace.stats(), before, "refused: {nth}");
                    }
                }
                trace.verify().expect("sound");
            }
        }
        for block in blocks {
            // SAFETY: the block is live.
            unsafe { trace.deallocate(block) };
        }
        drop(trace);
        assert_eq!(books.stats().live, 0, "refused: {nth}");
        if !refused {
            assert!(nth > 3, "all tables were refused");
            return;
        }
    }
}

#[test]
fn stacks_may_be_kept_from_some_block_on() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = TraceAllocator::new_in("trace", &backing, &books);
    let mut blocks = Vec::new();
    for _ in 0..core::hint::black_box(3) {
        blocks.push(sound_system(&trace).expect("there is memory"));
    }
    let trace = trace.with_stacks();
    for _ in 0..core::hint::black_box(20) {
        blocks.push(sound_system(&trace).expect("there is memory"));
        blocks.push(render_system(&trace).expect("there is memory"));
        trace.verify().expect("sound");
    }
    assert_eq!(trace.books_bytes(), books.stats().granted, "stacks are counted");
    let mut ways = Vec::new();
    trace.walk_sites(&mut |site| ways.push((site.blocks, site.bytes)));
    assert_eq!(ways, [(20, 20_000), (20, 200), (3, 30)], "the first are of their site alone");
    let stacks = split(&trace.report().to_string());
    assert!(stacks[0].contains("render_system") && stacks[1].contains("sound_system"), "named");
    assert_eq!(stacks[2].lines().count(), 1, "no stack was kept of these: {}", stacks[2]);
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
}

/// Allocates on behalf of its caller, whose line is the site.
#[track_caller]
#[inline(never)]
fn ask(allocator: &dyn Allocator) -> NonNull<u8> {
    core::hint::black_box(allocator.allocate(layout(3, 8)).expect("there is memory")).cast()
}

/// Allocates from a line that is on the stack once for each recursion.
#[inline(never)]
fn nest(depth: usize, a: &dyn Allocator) -> NonNull<u8> {
    let block = if depth == 0 { ask(a) } else { nest(depth - 1, a) };
    core::hint::black_box(block)
}

/// Returns the frames of a report's only group, without their numbers.
fn frames_of(trace: &TraceAllocator<'_, TestBacking, TestBacking>) -> Vec<String> {
    let report = trace.report().to_string();
    let [group] = &split(&report)[..] else { panic!("one group: {report}") };
    let frames = group.lines().skip(1).map(|line| line.trim_start().to_string());
    frames.map(|frame| frame.split_once(": ").expect("a number").1.to_string()).collect()
}

#[test]
fn a_stack_is_told_from_its_innermost_call_on() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    for depth in 0..4 {
        let trace = TraceAllocator::new_in("trace", &backing, &books).with_stacks();
        let block = nest(depth, &trace);
        let frames = frames_of(&trace);
        let calls = frames.iter().take_while(|frame| frame.contains("nest, ")).count();
        assert_eq!(calls, depth + 1, "{frames:#?}");
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
}

#[test]
fn a_line_of_that_number_in_another_file_called_nothing() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = TraceAllocator::new_in("trace", &backing, &books).with_stacks();
    let block = wrapper::caller::call(&trace);
    let mut sites = Vec::new();
    trace.walk_sites(&mut |usage| sites.push(usage.site));
    assert_eq!(sites[0].line(), wrapper::LINE, "the call is on the line of the wrapper's");
    let frames = frames_of(&trace);
    assert!(frames[0].contains("caller.rs:"), "the wrapper is before the site: {frames:#?}");
    // SAFETY: the block is live.
    unsafe { trace.deallocate(block) };
}
