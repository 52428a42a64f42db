//! A base and the wrappers on it.

use core::alloc::Layout;
use core::fmt;

use loligo_allocators::Allocator;

use crate::limits::Limits;

use super::{Base, Made, Wrapper};

/// The most wrappers of a stack.
const DEPTH_MAX: usize = 3;

/// A base and up to three wrappers, from the lowest up. Shown as `top/../base`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stack {
    base: Base,
    wrappers: [Option<Wrapper>; DEPTH_MAX],
}

impl Stack {
    /// Returns a bare base.
    #[must_use]
    pub const fn of(base: Base) -> Self {
        Self { base, wrappers: [None; DEPTH_MAX] }
    }

    /// Returns this stack with one more wrapper on top.
    ///
    /// # Errors
    ///
    /// The reason, in words, if that order makes no sense (the table of
    /// [`refusal`](Self::refusal)).
    ///
    /// # Panics
    ///
    /// If there are three wrappers already.
    pub fn under(mut self, wrapper: Wrapper) -> Result<Self, &'static str> {
        if let Some(reason) = self.refusal(wrapper) {
            return Err(reason);
        }
        let free = self.wrappers.iter_mut().find(|place| place.is_none());
        *free.expect("a stack has at most three wrappers") = Some(wrapper);
        Ok(self)
    }

    /// Returns why `wrapper` is not on this stack, if it does not.
    #[must_use]
    pub fn refusal(&self, wrapper: Wrapper) -> Option<&'static str> {
        (wrapper.needs_shared() && !self.is_shared()).then_some(
            "the layer below is for a single thread, so the compiler refuses it; put `Locked` \
             around that",
        )
    }

    /// Returns the base.
    #[must_use]
    pub const fn base(&self) -> Base {
        self.base
    }

    /// Returns the wrappers, from the lowest up.
    pub fn wrappers(&self) -> impl DoubleEndedIterator<Item = Wrapper> + '_ {
        self.wrappers.iter().flatten().copied()
    }

    /// Returns the names of its layers, from the top down.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.wrappers().rev().map(Wrapper::name).chain([self.base.name()])
    }

    /// Whether several threads may use its top.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        match self.wrappers().next_back() {
            Some(top) => top.is_shared(),
            None => self.base.is_shared(),
        }
    }

    /// Returns what its top can serve when made for `block`.
    #[must_use]
    pub fn limits(&self, block: Layout) -> Limits {
        let base = self.base.limits(self.base_layout(block));
        let limits = self.wrappers().fold(base, |below, wrapper| wrapper.limits(below));
        if self.base.is_pool() {
            return Limits { size_max: block.size(), align_max: block.align(), ..limits };
        }
        limits
    }

    /// Makes it for blocks of `block` and hands its top to `with`.
    ///
    /// # Panics
    ///
    /// If memory is refused, or something is left in it when `with` has ended.
    pub fn make(&self, block: Layout, with: &mut dyn FnMut(&dyn Allocator)) {
        let wrappers: Vec<Wrapper> = self.wrappers().collect();
        self.base.make(self.base_layout(block), &mut |base| {
            build(&wrappers, base, &mut |top| with(top.local()));
        });
    }

    /// Returns what the lowest wrapper asks of the base for a block of `block` at the top.
    fn base_layout(&self, block: Layout) -> Layout {
        self.wrappers().rev().fold(block, |layout, wrapper| wrapper.layout_for(layout))
    }
}

fn build(wrappers: &[Wrapper], below: Made<'_>, with: &mut dyn FnMut(Made<'_>)) {
    match wrappers.split_first() {
        None => with(below),
        Some((lowest, rest)) => lowest.make(below, &mut |made| build(rest, made, with)),
    }
}

impl fmt::Display for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.names().enumerate() {
            if index > 0 {
                f.write_str("/")?;
            }
            f.write_str(name)?;
        }
        Ok(())
    }
}
