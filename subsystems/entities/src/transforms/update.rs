//! Matrices, level by level, of what is marked: on one thread, or in pieces on several.

use glam::Affine3A;
use loligo_allocators::Allocator;

use super::level::BITS;
use super::links::Links;
use super::piece::{TransformPiece, with_pieces};
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
            update_level(level, above, below, (ats, links), &mut moved);
        }
    }

    /// As [`update`](Self::update), but computes a level of many marked instances in pieces, which
    /// `run` may give to several threads: it calls [`compute`](TransformPiece::compute) of each and
    /// returns when all have. What it leaves out is computed here. Then `moved` is called for each
    /// instance, on this thread and in the same order as without pieces.
    ///
    /// # Complexity
    ///
    /// O(instances computed), and one bit for each other. Allocates nothing.
    pub fn update_in_pieces(
        &mut self,
        mut run: impl FnMut(&mut [TransformPiece<'_>]),
        mut moved: impl FnMut(Entity, &Affine3A),
    ) {
        let Self { levels, ats, links } = self;
        for depth in 0..levels.len() {
            let (above, rest) = levels.split_at_mut(depth);
            let Some((level, below)) = rest.split_first_mut() else { return };
            let above = above.last().map_or(&[][..], Level::worlds);
            let marks = below.first().map_or(&[][..], Level::marks);
            let was_cut = with_pieces(level.columns(), above, marks, (ats, links), |pieces| {
                run(&mut *pieces);
                pieces.iter_mut().for_each(TransformPiece::compute);
            });
            if was_cut {
                report(level, &mut moved);
            } else {
                update_level(level, above, below, (ats, links), &mut moved);
            }
        }
    }
}

/// Computes what is marked of a level, marks the children, and calls `moved` for each.
fn update_level<A: Allocator + ?Sized>(
    level: &mut Level<'_, A>,
    above: &[Affine3A],
    below: &mut [Level<'_, A>],
    (ats, links): (&[At], &[Links]),
    moved: &mut impl FnMut(Entity, &Affine3A),
) {
    for word in 0..level.words() {
        let mut marks = level.take_word(word);
        while marks != 0 {
            let place = word * BITS + marks.trailing_zeros() as usize;
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

/// Calls `moved` for each marked instance of a level that was computed, and takes the marks away.
fn report<A: Allocator + ?Sized>(
    level: &mut Level<'_, A>,
    moved: &mut impl FnMut(Entity, &Affine3A),
) {
    for word in 0..level.words() {
        let mut marks = level.take_word(word);
        while marks != 0 {
            let place = word * BITS + marks.trailing_zeros() as usize;
            marks &= marks - 1;
            moved(level.entities()[place], &level.worlds()[place]);
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
