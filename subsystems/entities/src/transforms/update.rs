//! Matrices, level by level, of what is marked.

use glam::Affine3A;
use loligo_allocators::Allocator;

use super::{At, Level, Transforms};
use crate::dense::NONE;
use crate::entity::Entity;

impl<A: Allocator + ?Sized> Transforms<'_, A> {
    /// Computes the matrices of all whose pose was set or that were linked, and of all below them;
    /// calls `moved` for each.
    ///
    /// # Complexity
    ///
    /// O(instances computed), and one bit for each other. Allocates nothing.
    pub fn update(&mut self, mut moved: impl FnMut(Entity, &Affine3A)) {
        let Self { levels, ats, links } = self;
        for depth in 0..levels.len() {
            let (above, rest) = levels.split_at_mut(depth);
            let Some((level, below)) = rest.split_first_mut() else { return };
            let above = above.last().map_or(&[][..], Level::worlds);
            for word in 0..level.words() {
                let mut marks = level.take_word(word);
                while marks != 0 {
                    let place = word * u64::BITS as usize + marks.trailing_zeros() as usize;
                    marks &= marks - 1;
                    let entity = level.entities()[place];
                    let own = links[entity.index() as usize];
                    let parent = match own.parent {
                        NONE => None,
                        parent => above.get(ats[parent as usize].place()),
                    };
                    moved(entity, level.compute(place, parent));
                    let mut child = own.first;
                    while child != NONE {
                        mark(below, ats[child as usize]);
                        child = links[child as usize].next;
                    }
                }
            }
        }
    }
}

/// Marks a child, which is on the first of the levels below.
#[inline]
fn mark<A: Allocator + ?Sized>(below: &mut [Level<'_, A>], at: At) {
    if let Some(level) = below.first_mut() {
        level.mark(at.place());
    }
}
