//! The scope in which wgpu runs: where a program charges what wgpu allocates.

use core::fmt;
use core::mem;
use core::ops::{Deref, DerefMut};
use std::sync::OnceLock;

/// What a program wraps around each call of wgpu. It must run the work that it is given, once,
/// before it returns.
pub type ScopeHook = fn(work: &mut dyn FnMut());

static HOOK: OnceLock<ScopeHook> = OnceLock::new();

/// Sets what is wrapped around each call of wgpu, on whichever thread: there the program exempts
/// its `GlobalGuard`, or charges the global heap to a proxy of wgpu's. Without one, wgpu is called
/// as it is. It is set once; returns whether this was the first time.
///
/// wgpu allocates from the program's global allocator in every call: making and dropping of
/// objects, each command of an encoder, submitting. All of these, dropping included, go through the
/// hook. Graphics drivers allocate by `malloc`, which no Rust allocator sees.
///
/// # Complexity
///
/// Afterwards an indirect call for each call of wgpu.
///
/// # Examples
///
/// ```
/// use std::alloc::System;
///
/// use loligo_allocators::GlobalGuard;
///
/// #[global_allocator]
/// static GUARD: GlobalGuard<System> = GlobalGuard::new("global", System);
///
/// loligo_gpu::set_scope(|work| GUARD.exempt(work));
/// ```
pub fn set_scope(hook: ScopeHook) -> bool {
    HOOK.set(hook).is_ok()
}

/// Calls wgpu.
///
/// # Panics
///
/// If the program's hook does not run the work.
pub(crate) fn scope<R>(work: impl FnOnce() -> R) -> R {
    let Some(hook) = HOOK.get() else { return work() };
    let (mut work, mut result) = (Some(work), None);
    hook(&mut || {
        if let Some(work) = work.take() {
            result = Some(work());
        }
    });
    result.expect("the hook of set_scope returned without having run the work that it was given")
}

/// Something of wgpu's, dropped in the scope.
pub(crate) struct Kept<T>(State<T>);

enum State<T> {
    There(T),
    /// Within `drop` and [`Kept::take`] alone.
    Gone,
}

impl<T> Kept<T> {
    pub(crate) const fn new(what: T) -> Self {
        Self(State::There(what))
    }

    /// Takes it out, to be used up within the scope.
    pub(crate) fn take(mut self) -> T {
        match mem::replace(&mut self.0, State::Gone) {
            State::There(what) => what,
            State::Gone => unreachable!("what is kept goes with its keeper"),
        }
    }
}

impl<T> Deref for Kept<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.0 {
            State::There(what) => what,
            State::Gone => unreachable!("what is kept goes with its keeper"),
        }
    }
}

impl<T> DerefMut for Kept<T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.0 {
            State::There(what) => what,
            State::Gone => unreachable!("what is kept goes with its keeper"),
        }
    }
}

impl<T> Drop for Kept<T> {
    fn drop(&mut self) {
        if matches!(self.0, State::There(_)) {
            scope(|| self.0 = State::Gone);
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Kept<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
