//! The forest: who takes from whom among the allocators listed.

use core::fmt;

use crate::contract::allocator::Allocator;

/// The allocators listed, as a forest by what each takes its memory from.
///
/// Nothing is kept: links are found again whenever they are asked for.
#[derive(Clone, Copy)]
pub(super) struct Tree<'a> {
    all: &'a [&'a dyn Allocator],
}

/// The children of something.
#[derive(Clone, Copy)]
pub(super) enum Below {
    /// The roots.
    Nothing,
    Nobody,
    /// Those that take from the allocator of that identity.
    Of(*const ()),
}

/// A step of a walk through the forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The walk comes to an allocator, that many levels below a root.
    Enter { index: usize, depth: usize },
    /// All that is below it was walked.
    Leave,
}

impl<'a> Tree<'a> {
    pub(super) const fn new(all: &'a [&'a dyn Allocator]) -> Self {
        Self { all }
    }

    /// Returns the number of allocators.
    pub(super) const fn len(self) -> usize {
        self.all.len()
    }

    pub(super) fn get(self, index: usize) -> &'a dyn Allocator {
        self.all[index]
    }

    /// Returns the first allocator listed that `index` takes from. An allocator that shares its
    /// identity with its backing takes from none that is listed.
    fn link(self, index: usize) -> Option<usize> {
        let wanted = self.all[index].backing_identity()?;
        if wanted == self.all[index].identity() {
            return None;
        }
        self.all.iter().position(|other| other.identity() == wanted)
    }

    /// Returns the allocator that `index` is below. None for a root, and where following the links
    /// would never end.
    pub(super) fn parent(self, index: usize) -> Option<usize> {
        let parent = self.link(index)?;
        let mut above = parent;
        for _ in 0..self.all.len() {
            match self.link(above) {
                Some(next) => above = next,
                None => return Some(parent),
            }
        }
        None
    }

    /// Returns the children of `parent`, or the roots where that is none.
    pub(super) fn below(self, parent: Option<usize>) -> Below {
        let Some(parent) = parent else { return Below::Nothing };
        let identity = self.all[parent].identity();
        let first = self.all.iter().position(|other| other.identity() == identity);
        // A member of a circle is a root, and so is all that takes from it.
        let circles = self.parent(parent).is_none() && self.link(parent).is_some();
        if first == Some(parent) && !circles { Below::Of(identity) } else { Below::Nobody }
    }

    /// Returns `true` if an allocator is one of those.
    pub(super) fn is_one(self, index: usize, below: Below) -> bool {
        match below {
            Below::Nothing => self.parent(index).is_none(),
            Below::Nobody => false,
            Below::Of(identity) => {
                let allocator = self.all[index];
                allocator.backing_identity() == Some(identity) && allocator.identity() != identity
            }
        }
    }

    /// Returns the first allocator at or behind `from` that stands directly below `parent`.
    fn child_from(self, parent: Option<usize>, from: usize) -> Option<usize> {
        let below = self.below(parent);
        (from..self.all.len()).find(|&index| self.is_one(index, below))
    }

    /// Walks the forest, each allocator before those below it, in the order listed. It keeps no
    /// stack, so a deep tree costs no more of it than a flat one.
    pub(super) fn walk(self, mut visit: impl FnMut(Step) -> fmt::Result) -> fmt::Result {
        let mut depth = 0;
        let mut next = self.child_from(None, 0);
        while let Some(index) = next {
            visit(Step::Enter { index, depth })?;
            if let Some(child) = self.child_from(Some(index), 0) {
                depth += 1;
                next = Some(child);
                continue;
            }
            let mut leaving = index;
            next = loop {
                visit(Step::Leave)?;
                let parent = self.parent(leaving);
                let sibling = self.child_from(parent, leaving + 1);
                match parent {
                    Some(parent) if sibling.is_none() => {
                        leaving = parent;
                        depth -= 1;
                    }
                    _ => break sibling,
                }
            };
        }
        Ok(())
    }

    /// Calls `visit` with each allocator's number and depth, as [`walk`](Self::walk) comes to them.
    pub(super) fn each(self, mut visit: impl FnMut(usize, usize) -> fmt::Result) -> fmt::Result {
        self.walk(|step| match step {
            Step::Enter { index, depth } => visit(index, depth),
            Step::Leave => Ok(()),
        })
    }
}
