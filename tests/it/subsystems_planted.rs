//! Every check of the suite for subsystems can fail: one with a planted fault for each.

use core::alloc::Layout;
use core::cell::Cell;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_tests::Rule;
use loligo_tests::conformance::{self, Outcome};

use crate::GUARD;

/// Bytes of memory for one run.
const BYTES: usize = 64 << 10;

/// What the subsystem does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// Fails in the end with memory enough.
    Fails,
    /// Takes no memory at all.
    TakesNothing,
    /// Has its numbers on the global heap, and says that they are its own.
    ClaimsMore,
    /// Leaves a block when it goes.
    Leaks,
    /// Writes a byte past its block.
    WritesPast,
    /// Uses the global heap besides its allocator.
    UsesGlobalHeap,
    /// Uses the global heap when it goes.
    UsesGlobalHeapInTheEnd,
    /// Keeps its first block where the second is refused in its making.
    KeepsAfterRefusedMaking,
    /// Counts what it was refused.
    ChangesOnRefusal,
    /// Loses the last number when it is refused another.
    LosesOnRefusal,
    /// Says that all is well when it was refused.
    SwallowsRefusal,
    /// Fails for good once it was refused.
    StaysRefused,
    /// Panics where it is refused.
    PanicsOnRefusal,
    /// Leaves a block after it was refused another.
    LeaksOnRefusal,
}

/// Each fault with the check and the rule that catch it.
pub(crate) const CAUGHT: [(Fault, &str, Rule); 14] = [
    (Fault::Fails, "works", Rule::Served),
    (Fault::TakesNothing, "charged", Rule::Charged),
    (Fault::ClaimsMore, "charged", Rule::Charged),
    (Fault::Leaks, "returned", Rule::Backing),
    (Fault::WritesPast, "within_its_blocks", Rule::Panicked),
    (Fault::UsesGlobalHeap, "no_global_heap", Rule::Charged),
    (Fault::UsesGlobalHeapInTheEnd, "no_global_heap", Rule::Charged),
    (Fault::KeepsAfterRefusedMaking, "each_refusal", Rule::Backing),
    (Fault::ChangesOnRefusal, "each_shortage", Rule::Refusal),
    (Fault::LosesOnRefusal, "each_shortage", Rule::Refusal),
    (Fault::SwallowsRefusal, "each_shortage", Rule::Refusal),
    (Fault::StaysRefused, "each_shortage", Rule::Refusal),
    (Fault::PanicsOnRefusal, "each_shortage", Rule::Panicked),
    (Fault::LeaksOnRefusal, "each_shortage", Rule::Backing),
];

/// Two arrays of numbers, of which the second has the first one's squares.
struct Numbers<'a> {
    fault: Fault,
    memory: &'a dyn Allocator,
    numbers: Array<'a, u32>,
    squares: Array<'a, u32>,
    on_global_heap: Vec<u32>,
    asked: u32,
    was_refused: bool,
}

impl<'a> Numbers<'a> {
    fn new(fault: Fault, memory: &'a dyn Allocator) -> Result<Self, GrowError> {
        let capacity = if fault == Fault::TakesNothing { 0 } else { 4 };
        let numbers = Array::try_with_capacity_in(capacity, memory)?;
        let squares = match Array::try_with_capacity_in(capacity, memory) {
            Ok(squares) => squares,
            Err(error) => {
                if fault == Fault::KeepsAfterRefusedMaking {
                    core::mem::forget(numbers);
                }
                return Err(error);
            }
        };
        let on_global_heap = Vec::new();
        Ok(Self { fault, memory, numbers, squares, on_global_heap, asked: 0, was_refused: false })
    }

    fn push(&mut self, number: u32) -> Result<(), GrowError> {
        match self.fault {
            Fault::TakesNothing => return Ok(()),
            Fault::ClaimsMore => {
                self.on_global_heap.push(number);
                self.on_global_heap.reserve(10_000);
                return Ok(());
            }
            Fault::UsesGlobalHeap => drop(vec![number; 3]),
            Fault::PanicsOnRefusal => self.numbers.reserve(1),
            Fault::ChangesOnRefusal => self.asked += 1,
            Fault::StaysRefused if self.was_refused => self.numbers.try_reserve(usize::MAX / 16)?,
            Fault::Fails if number == 19 => self.numbers.try_reserve(usize::MAX / 16)?,
            _ => {}
        }
        let grown = self.numbers.try_reserve(1).and_then(|()| self.squares.try_reserve(1));
        if let Err(error) = grown {
            self.was_refused = true;
            match self.fault {
                Fault::SwallowsRefusal => return Ok(()),
                Fault::LosesOnRefusal => drop(self.numbers.pop()),
                _ => {}
            }
            return Err(error);
        }
        if self.fault == Fault::LeaksOnRefusal && self.was_refused {
            self.leak();
        }
        self.numbers.push(number);
        self.squares.push(number * number);
        Ok(())
    }

    /// Allocates a block that is never freed.
    fn leak(&self) {
        let _ = self.memory.allocate(Layout::new::<u64>());
    }

    fn claim(&self) -> usize {
        4 * (self.numbers.capacity() + self.squares.capacity() + self.on_global_heap.capacity())
    }

    fn seen(&self) -> (Vec<u32>, Vec<u32>, u32) {
        (self.numbers.to_vec(), self.squares.to_vec(), self.asked)
    }
}

impl Drop for Numbers<'_> {
    fn drop(&mut self) {
        match self.fault {
            Fault::Leaks => self.leak(),
            Fault::UsesGlobalHeapInTheEnd => drop(vec![self.numbers.len(); 3]),
            Fault::WritesPast => {
                if let Ok(block) = self.memory.allocate(Layout::new::<u64>()) {
                    let block = block.cast::<u8>();
                    // SAFETY: none; that is the fault. The bytes belong to the memory of the test.
                    let past = unsafe { block.add(8) };
                    // SAFETY: none; that is the fault.
                    unsafe { past.write(0xa5) };
                    // SAFETY: the block is live and of that layout.
                    unsafe { self.memory.deallocate_sized(block, Layout::new::<u64>()) };
                }
            }
            _ => {}
        }
    }
}

/// What the suite finds in a subsystem with that fault.
fn suite(fault: Fault) -> Vec<Outcome> {
    conformance::subsystem_guarded_outcomes(BYTES, &GUARD, |watch| {
        let mut numbers = watch
            .make(|memory| Numbers::new(fault, memory), Numbers::seen)?
            .claiming(Numbers::claim);
        for number in 0..20 {
            numbers.call(|numbers| numbers.push(number))?;
        }
        Ok(())
    })
}

#[test]
fn the_suite_for_subsystems_catches() {
    let alone = crate::subsystems::ONE_AT_A_TIME.lock();
    let clean = suite(Fault::None);
    assert!(clean.iter().all(|outcome| outcome.result.is_ok()), "{clean:#?}");
    let mut missed = Vec::new();
    for (fault, check, rule) in CAUGHT {
        let outcomes = suite(fault);
        let is_caught = outcomes.iter().any(|outcome| {
            outcome.check == check && outcome.result.as_ref().is_err_and(|it| it.rule == rule)
        });
        if !is_caught {
            missed.push(format!("{fault:?} is not caught by {check}, {rule:?}: {outcomes:#?}"));
        }
    }
    for outcome in &clean {
        if !CAUGHT.iter().any(|&(_, check, _)| check == outcome.check) {
            missed.push(format!("no fault is planted for {}", outcome.check));
        }
    }
    drop(alone);
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Makes some arrays; once it was refused more often than `broken_by` it fails for good.
fn make<'a>(
    memory: &'a dyn Allocator,
    refused: &Cell<u32>,
    broken_by: u32,
) -> Result<Vec<Array<'a, u32>>, &'static str> {
    if refused.get() > broken_by {
        return Err("it is broken");
    }
    let mut all = Vec::new();
    for _ in 0..24 {
        all.push(Array::try_with_capacity(2, memory).map_err(|_| {
            refused.set(refused.get() + 1);
            "it is refused"
        })?);
    }
    Ok(all)
}

/// What a sample does not make again after each refusal is made again in the end.
#[test]
fn a_sample_finds_what_a_refusal_has_left_elsewhere() {
    for broken_by in [0, 3, 20, 23] {
        let refused = Cell::new(0);
        let outcomes = conformance::subsystem_sampled_outcomes(BYTES, 2, 7, |watch| {
            watch.make(|memory| make(memory, &refused, broken_by), Vec::len).map(drop)
        });
        let failed = outcomes.iter().find(|outcome| outcome.check == "each_refusal");
        let violation = failed.and_then(|outcome| outcome.result.as_ref().err());
        let violation = violation.unwrap_or_else(|| panic!("{broken_by}: {outcomes:?}"));
        assert!(violation.message.contains("it is broken"), "{broken_by}: {violation:?}");
    }
}
