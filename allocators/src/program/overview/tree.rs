//! The forest of the listed allocators, by their backings.

use core::fmt;

use crate::contract::allocator::Allocator;

/// The listed allocators, as a forest by their backings.
///
/// No state is kept: links are searched again each time.
#[derive(Clone, Copy)]
pub(super) struct Tree<'a> {
    all: &'a [&'a dyn Allocator],
}

/// Which children to visit.
#[derive(Clone, Copy)]
pub(super) enum Below {
    /// The roots.
    Nothing,
    Nobody,
    /// Those over the allocator with that identity.
    Of(*const ()),
}

/// A step of a walk through the forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The walk reaches an allocator, `depth` levels below a root.
    Enter { index: usize, depth: usize },
    /// All its descendants were visited.
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

    /// Returns the first listed allocator that `index` takes from. An allocator that shares its
    /// identity with its backing has no listed parent.
    fn link(self, index: usize) -> Option<usize> {
        let wanted = self.all[index].backing_identity()?;
        if wanted == self.all[index].identity() {
            return None;
        }
        self.all.iter().position(|other| other.identity() == wanted)
    }

    /// Returns the parent of `index`. None for a root, and where the links form a cycle.
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

    /// Returns the children of `parent`, or the roots if that is `None`.
    pub(super) fn below(self, parent: Option<usize>) -> Below {
        let Some(parent) = parent else { return Below::Nothing };
        let identity = self.all[parent].identity();
        let first = self.all.iter().position(|other| other.identity() == identity);
        // A member of a cycle is a root, and so are its descendants.
        let circles = self.parent(parent).is_none() && self.link(parent).is_some();
        if first == Some(parent) && !circles { Below::Of(identity) } else { Below::Nobody }
    }

    /// Returns `true` if an allocator is one of those children.
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

    /// Returns the first allocator from `from` on that is a child of `parent`.
    fn child_from(self, parent: Option<usize>, from: usize) -> Option<usize> {
        let below = self.below(parent);
        (from..self.all.len()).find(|&index| self.is_one(index, below))
    }

    /// Walks the forest, each allocator before its descendants, in the order listed. It keeps no
    /// stack, so a deep tree needs no more stack than a flat one.
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

    /// Calls `visit` with each allocator's number and depth, in the order of [`walk`](Self::walk).
    pub(super) fn each(self, mut visit: impl FnMut(usize, usize) -> fmt::Result) -> fmt::Result {
        self.walk(|step| match step {
            Step::Enter { index, depth } => visit(index, depth),
            Step::Leave => Ok(()),
        })
    }
}
