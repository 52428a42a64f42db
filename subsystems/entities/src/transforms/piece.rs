//! A level cut into pieces, which threads compute side by side.
//!
//! A piece has whole words of marks, so two threads write no cache line of matrices together. What
//! they share they read, but for the marks of the level below: there, threads of neighbouring
//! parents may mark children of one word.

use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

use glam::{Affine3A, Quat, Vec3};

use super::At;
use super::level::{BITS, Columns};
use super::links::Links;
use crate::dense::NONE;
use crate::entity::Entity;
use crate::pose::Pose;

/// The most pieces of a level.
const PIECES_MAX: usize = 16;

/// The marked instances of a piece, at least: 512 take about 7 us, many times what a task does.
const MARKED_MIN: usize = 512;

/// A part of the instances of one depth: see
/// [`Transforms::update_in_pieces`](super::Transforms::update_in_pieces).
///
/// # Threads
///
/// `Send`: pieces may be computed in any order, at the same time.
pub struct TransformPiece<'t> {
    /// Those of the piece.
    entities: &'t [Entity],
    rotations: &'t [Quat],
    positions: &'t [Vec3],
    scales: &'t [Vec3],
    worlds: &'t mut [Affine3A],
    marks: &'t [AtomicU64],
    /// Those of all.
    shared: Shared<'t>,
    is_computed: bool,
}

/// What all pieces of a level read.
#[derive(Clone, Copy)]
struct Shared<'t> {
    ats: &'t [At],
    links: &'t [Links],
    /// The matrices of the level above.
    above: &'t [Affine3A],
    /// The marks of the level below.
    below: &'t [AtomicU64],
}

impl TransformPiece<'_> {
    /// Computes the matrices of the piece, unless that was done.
    pub fn compute(&mut self) {
        if core::mem::replace(&mut self.is_computed, true) {
            return;
        }
        for word in 0..self.marks.len() {
            // Relaxed: what marked them has ended before this level began.
            let mut marks = self.marks[word].load(Ordering::Relaxed);
            while marks != 0 {
                self.compute_one(word * BITS + marks.trailing_zeros() as usize);
                marks &= marks - 1;
            }
        }
    }

    #[inline]
    fn compute_one(&mut self, place: usize) {
        let Shared { ats, links, above, below } = self.shared;
        let own = Pose {
            position: self.positions[place],
            rotation: self.rotations[place],
            scale: self.scales[place],
        };
        let related = links[self.entities[place].index() as usize];
        let parent = match related.parent {
            NONE => None,
            parent => above.get(ats[parent as usize].place()),
        };
        self.worlds[place] = match parent {
            Some(parent) => *parent * own.matrix(),
            None => own.matrix(),
        };
        let mut child = related.first;
        while child != NONE {
            let at = ats[child as usize].place();
            let (word, bit) = (&below[at / BITS], 1 << (at % BITS));
            // Relaxed: the bits are read once all pieces have ended. Most are set once.
            if word.load(Ordering::Relaxed) & bit == 0 {
                word.fetch_or(bit, Ordering::Relaxed);
            }
            child = links[child as usize].next;
        }
    }
}

/// Cuts a level into pieces and shows them to `act`; or does nothing and returns `false`, if too
/// few are marked.
pub(super) fn with_pieces(
    columns: Columns<'_>,
    above: &[Affine3A],
    below: &[AtomicU64],
    (ats, links): (&[At], &[Links]),
    act: impl FnOnce(&mut [TransformPiece<'_>]),
) -> bool {
    let marked = columns.dirty.iter().map(marks_of).sum::<usize>();
    let wanted = (marked / MARKED_MIN).min(PIECES_MAX);
    if wanted < 2 {
        return false;
    }
    let shared = Shared { ats, links, above, below };
    let mut rest = Rest { columns, shared, marked: marked.div_ceil(wanted) };
    let mut pieces: [_; PIECES_MAX] = core::array::from_fn(|at| rest.next(at + 1 >= wanted));
    act(&mut pieces[..wanted]);
    true
}

/// What of a level is not in a piece yet.
struct Rest<'t> {
    columns: Columns<'t>,
    shared: Shared<'t>,
    /// The marked instances of a piece.
    marked: usize,
}

impl<'t> Rest<'t> {
    /// Cuts the next piece off: all that is left, where it is the last.
    fn next(&mut self, is_last: bool) -> TransformPiece<'t> {
        let columns = &mut self.columns;
        let words =
            if is_last { columns.dirty.len() } else { words_of(columns.dirty, self.marked) };
        let rows = (words * BITS).min(columns.entities.len());
        let (worlds, others) = core::mem::take(&mut columns.worlds).split_at_mut(rows);
        columns.worlds = others;
        TransformPiece {
            entities: first_of(&mut columns.entities, rows),
            rotations: first_of(&mut columns.rotations, rows),
            positions: first_of(&mut columns.positions, rows),
            scales: first_of(&mut columns.scales, rows),
            worlds,
            marks: first_of(&mut columns.dirty, words),
            shared: self.shared,
            is_computed: false,
        }
    }
}

/// Returns how many words have `marked` marks at least, or all.
fn words_of(words: &[AtomicU64], marked: usize) -> usize {
    let mut found = 0;
    let is_enough = |word: &AtomicU64| {
        found += marks_of(word);
        found >= marked
    };
    words.iter().position(is_enough).map_or(words.len(), |last| last + 1)
}

/// Returns how many of a word's instances are marked.
fn marks_of(word: &AtomicU64) -> usize {
    // Relaxed: the level is lent to nobody else yet.
    word.load(Ordering::Relaxed).count_ones() as usize
}

/// Takes the first elements of a slice off.
fn first_of<'t, T>(slice: &mut &'t [T], count: usize) -> &'t [T] {
    let (first, rest) = slice.split_at(count);
    *slice = rest;
    first
}

impl fmt::Debug for TransformPiece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransformPiece")
            .field("len", &self.entities.len())
            .field("is_computed", &self.is_computed)
            .finish_non_exhaustive()
    }
}
