//! What the fuzz targets share: bytes become a program, and a program runs under its oracle; types that
//! readers of bytes read, and the memory that they get.
#![forbid(unsafe_code)]

pub mod effect;
pub mod events;
pub mod formula;
pub mod json;
pub mod knight;
pub mod limited;

use core::alloc::Layout;

use loligo_allocators::Allocator;
use loligo_tests::compose::{Base, Stack, Wrapper};
use loligo_tests::programs::{self, Space};
use loligo_tests::{Limits, Oracle};

/// Blocks of the pools, and so the size for which stacks are made.
const BLOCK: Layout = Layout::new::<[u128; 4]>();

/// Runs the bytes as a program on one of `bases`, which the first byte picks.
pub fn run_base(bases: &[Base], bytes: &[u8]) {
    if let Some((&first, program)) = bytes.split_first() {
        run_stack(&Stack::of(bases[usize::from(first) % bases.len()]), program);
    }
}

/// Runs the bytes as a program on a stack of a base and up to two wrappers, which the first three bytes
/// pick.
pub fn run_wrapped(bytes: &[u8]) {
    let Some((&[base, lower, upper], program)) = bytes.split_first_chunk() else { return };
    let mut stack = Stack::of(Base::ALL[usize::from(base) % Base::ALL.len()]);
    for wrapper in [lower, upper] {
        let wrapper = Wrapper::ALL[usize::from(wrapper) % Wrapper::ALL.len()];
        stack = stack.under(wrapper).unwrap_or(stack);
    }
    run_stack(&stack, program);
}

fn run_stack(stack: &Stack, program: &[u8]) {
    stack.make(BLOCK, &mut |allocator| run(allocator, stack.limits(BLOCK), program));
}

/// Runs the bytes as a program on an allocator.
///
/// # Panics
///
/// If a rule is broken: that is what the fuzzer looks for.
pub fn run(allocator: &dyn Allocator, limits: Limits, bytes: &[u8]) {
    let program = programs::from_bytes(bytes, &Space::past(&limits));
    let outcome = Oracle::new(allocator, limits).and_then(|mut oracle| {
        programs::run(&program, &mut oracle)?;
        oracle.finish()
    });
    outcome.unwrap_or_else(|broken| panic!("{broken}"));
}
