//! The suite for allocators over a backing that refuses: every request, one at a time.

use loligo_allocators::Allocator;

use crate::attempt::attempt;
use crate::limits::Limits;
use crate::models::{FailingBacking, NaiveAllocator, Refusals};
use crate::oracle::Oracle;
use crate::programs::{AllocatorOp, run};
use crate::rule::{Rule, Violation, require};

/// Makes an allocator over the backing it is given and hands it to the function it is given.
type OverMaker<'m> = dyn FnMut(&dyn Allocator, &mut dyn FnMut(&dyn Allocator)) + 'm;

/// Runs `program` over a backing that refuses the Nth request, for every N until the program asks
/// for no more, and again over one that refuses the Nth and all after it. Refusals must change
/// nothing, and when the allocator is gone the backing must have everything back.
///
/// `make` builds the allocator over the backing it is given and passes it to the function it is
/// given; where its constructor fails for want of memory it may return without.
///
/// # Panics
///
/// If a rule is broken; the message states N.
///
/// # Examples
///
/// ```
/// use loligo_tests::{Limits, conformance, programs};
/// use loligo_tests::models::{NotingAllocator, NotingFault};
///
/// let program = programs::sample(&programs::Space::new(16, 10, 4), 50, 1);
/// conformance::exhaustion(&Limits::growing(), 1 << 20, &program, |backing, test| {
///     test(&NotingAllocator::new(backing, NotingFault::None));
/// });
/// ```
pub fn exhaustion(
    limits: &Limits,
    backing_bytes: usize,
    program: &[AllocatorOp],
    make: impl FnMut(&dyn Allocator, &mut dyn FnMut(&dyn Allocator)),
) {
    if let Err(broken) = exhaustion_outcome(limits, backing_bytes, program, make) {
        panic!("{broken}");
    }
}

/// As [`exhaustion()`], but returns how many requests were refused in turn.
///
/// # Errors
///
/// [`Violation`] names the rule and N.
pub fn exhaustion_outcome(
    limits: &Limits,
    backing_bytes: usize,
    program: &[AllocatorOp],
    mut make: impl FnMut(&dyn Allocator, &mut dyn FnMut(&dyn Allocator)),
) -> Result<u64, Violation> {
    // A backing that refuses may keep the greatest block from being served in the end.
    let limits = Limits { reclaims: false, ..*limits };
    let mut refused = 0;
    for kind in [Refusals::Nth, Refusals::From] {
        for number in 0.. {
            let refusals = kind(number);
            let asked = one_refusal(&limits, backing_bytes, program, &mut make, refusals).map_err(
                |broken| {
                    Violation::new(
                        broken.rule,
                        format!("with {refusals:?} refused: {}", broken.message),
                    )
                },
            )?;
            if !asked {
                break;
            }
            refused += 1;
        }
    }
    Ok(refused)
}

/// Runs the program once; returns whether anything was refused on order.
fn one_refusal(
    limits: &Limits,
    backing_bytes: usize,
    program: &[AllocatorOp],
    make: &mut OverMaker<'_>,
    refusals: Refusals,
) -> Result<bool, Violation> {
    let memory = NaiveAllocator::new("memory", backing_bytes);
    let failing = FailingBacking::new_in(&memory, refusals);
    let result = attempt(&mut |test| make(&failing, test), &mut |allocator| {
        let mut oracle = Oracle::new(allocator, *limits)?;
        run(program, &mut oracle)?;
        oracle.finish()
    });
    let refused = failing.refused() > 0;
    let stats = memory.stats();
    let result = result.and_then(|()| {
        require(stats.live == 0, Rule::Backing, || {
            format!("{} blocks of {} bytes were not given back", stats.live, stats.requested)
        })?;
        memory.verify().map_err(|damage| Violation::new(Rule::Verify, damage.to_string()))
    });
    if result.is_err() {
        // What was not given back is reported above; the backing must not panic for it too.
        core::mem::forget(memory);
    }
    result.map(|()| refused)
}
