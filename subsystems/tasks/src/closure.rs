//! What a task does: a function pointer and three words, plain data.

use core::mem::MaybeUninit;

use crate::worker::Worker;

/// How many words a task has for what its closure captures.
const WORDS: usize = 3;

/// How many bytes a closure may capture.
pub(crate) const BYTES_MAX: usize = WORDS * size_of::<u64>();

type Words = [MaybeUninit<u64>; WORDS];

/// A closure of which only its bytes and how to run it are known.
///
/// # Invariants
///
/// 1. `words` hold a value of the type that `run` was made for, which is `Send` and needs no drop.
pub(crate) struct Closure {
    run: unsafe fn(&Words, &Worker<'_>),
    words: Words,
}

impl Closure {
    /// Moves a closure in.
    #[inline]
    pub(crate) fn new<F: FnOnce(&Worker<'_>) + Send>(work: F) -> Self {
        const {
            assert!(
                size_of::<F>() <= BYTES_MAX && align_of::<F>() <= align_of::<u64>(),
                "a task's closure captures at most 24 bytes: capture a reference to the rest"
            );
            assert!(
                !core::mem::needs_drop::<F>(),
                "a task's closure is plain data: capture references in place of what is dropped"
            );
        }
        let mut words = [MaybeUninit::uninit(); WORDS];
        let place = words.as_mut_ptr().cast::<F>();
        // SAFETY: the words are large and aligned enough, as is asserted above.
        unsafe { place.write(work) };
        Self { run: run::<F>, words }
    }

    /// Runs it.
    ///
    /// # Safety
    ///
    /// What the closure borrows is still there.
    #[inline]
    pub(crate) unsafe fn call(self, worker: &Worker<'_>) {
        // SAFETY: the words hold what `run` was made for (invariant 1), which is used here and not
        // again, as `self` ends; what it borrows is there, says the caller.
        unsafe { (self.run)(&self.words, worker) }
    }
}

/// Takes the closure out of its words and runs it.
///
/// # Safety
///
/// The words hold a valid `F`, which is not used again.
unsafe fn run<F: FnOnce(&Worker<'_>)>(words: &Words, worker: &Worker<'_>) {
    // SAFETY: the words hold a valid `F`, aligned as `Closure::new` asserts, that nobody uses
    // again.
    let work = unsafe { words.as_ptr().cast::<F>().read() };
    work(worker);
}
