//! What a context leaves in the frame of its scope.

use core::fmt;
use core::marker::{PhantomData, PhantomPinned};
use core::pin::Pin;

use super::data::sealed::{Held, Shown};
use super::stack::{STACK, Site};

/// The name of a context, as a type, so that one address identifies both the name and the type of
/// the data.
pub trait ContextPlace {
    /// What the scope is about.
    const NAME: &'static str;
}

/// What a context holds of its data, in the frame of its scope; the stack of the thread points to
/// it.
pub struct Slot<H> {
    data: H,
    /// The stack points to it, so it stays where it is.
    _stays: PhantomPinned,
}

impl<H: Held> Slot<H> {
    /// Returns the slot of a context that is not pushed yet.
    #[inline(always)]
    #[must_use]
    pub fn new<'a, T: Shown<Held<'a> = H> + ?Sized>(data: &'a T) -> Self {
        Self { data: data.held(), _stays: PhantomPinned }
    }

    /// Makes it the innermost context of this thread, until the guard is dropped.
    ///
    /// # Safety
    ///
    /// Guard and slot are locals of one body, the guard declared after the slot. Only the end of
    /// that body, or of the future that it is, ends either: where one is leaked, so is the other.
    #[inline(always)]
    pub unsafe fn push<'s, P: ContextPlace>(self: Pin<&'s Self>, _place: P) -> Guard<'s> {
        let slot = (&raw const self.get_ref().data).cast::<()>();
        let index = STACK.with(|stack| stack.push(Told::<P, H>::SITE, slot));
        Guard { index, _slot: PhantomData, _stays: PhantomData }
    }
}

impl<H> fmt::Debug for Slot<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot").finish_non_exhaustive()
    }
}

/// Ends a context when it is dropped.
///
/// It is apart from the slot so that nothing points to it: its index stays in a register. It has
/// the lifetime of the slot's borrow, in which what the slot holds is valid: because it has a
/// destructor, data that the slot refers to is borrowed until it is dropped.
///
/// ```compile_fail,E0505
/// use loligo_diagnostics::context;
///
/// let name = String::from("big_bird");
/// context!("When spawning unit", name);
/// drop(name); // A report would read it.
/// ```
///
/// # Invariants
///
/// 1. While an entry of the thread's stack has this index and is below its depth, this guard has
///    been made by that thread and not been dropped. It may have been leaked, with its slot.
///
/// It cannot be sent to another thread, so it is dropped where it was made.
#[derive(Debug)]
pub struct Guard<'s> {
    index: usize,
    /// The slot is borrowed until the guard is dropped.
    _slot: PhantomData<&'s ()>,
    /// The entry is the thread's.
    _stays: PhantomData<*const ()>,
}

impl Drop for Guard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        STACK.with(|stack| stack.pop(self.index));
    }
}

/// Joins a place and what is held of the data.
struct Told<P, H>(PhantomData<(P, H)>);

impl<P: ContextPlace, H: Held> Told<P, H> {
    const SITE: &'static Site = &Site::new::<H>(P::NAME);
}
