//! What a task does: a function pointer and three words, plain data.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

/// How many words a task has for what its closure captures.
const WORDS: usize = 3;

/// How many bytes a closure may capture.
pub(crate) const BYTES_MAX: usize = WORDS * size_of::<u64>();

type Words = [MaybeUninit<u64>; WORDS];

/// The thread that runs a closure, as an address: a [`Worker`](crate::Worker), which has the table of
/// tasks, which have closures. So that the modules depend on each other in one direction, the type
/// is known only where tasks are made and run, in `hub/worker.rs`.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'c> {
    thread: NonNull<()>,
    borrows: PhantomData<&'c ()>,
}

impl<'c> Caller<'c> {
    /// Returns the address of a thread.
    #[inline]
    pub(crate) fn new<T>(thread: &'c T) -> Self {
        Self { thread: NonNull::from_ref(thread).cast(), borrows: PhantomData }
    }

    /// Returns the thread.
    ///
    /// # Safety
    ///
    /// It was made of a `T`, whose lifetimes are at least `'c`.
    #[inline]
    pub(crate) unsafe fn thread<T>(self) -> &'c T {
        // SAFETY: it is a `T`, says the caller, and is borrowed for 'c.
        unsafe { self.thread.cast().as_ref() }
    }
}

/// A closure of which only its bytes and how to run it are known.
///
/// # Invariants
///
/// 1. `words` hold a value of the type that `run` was made for, which is `Send` and needs no drop.
pub(crate) struct Closure {
    run: unsafe fn(&Words, Caller<'_>),
    words: Words,
}

impl Closure {
    /// Moves a closure in.
    #[inline]
    pub(crate) fn new<F: FnOnce(Caller<'_>) + Send>(work: F) -> Self {
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
    /// What the closure borrows is still there, and `caller` is what it takes it for.
    #[inline]
    pub(crate) unsafe fn call(self, caller: Caller<'_>) {
        // SAFETY: the words hold what `run` was made for (invariant 1), which is used here and not
        // again, as `self` ends; what it borrows is there and `caller` right, says the caller.
        unsafe { (self.run)(&self.words, caller) }
    }
}

/// Takes the closure out of its words and runs it.
///
/// # Safety
///
/// The words hold a valid `F`, which is not used again.
unsafe fn run<F: FnOnce(Caller<'_>)>(words: &Words, caller: Caller<'_>) {
    // SAFETY: the words hold a valid `F`, aligned as `Closure::new` asserts, that nobody uses
    // again.
    let work = unsafe { words.as_ptr().cast::<F>().read() };
    work(caller);
}
