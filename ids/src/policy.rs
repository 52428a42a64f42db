//! How a table picks a free slot, and what it does at the end of a slot's generations.
//!
//! After Niklas Frykholm, "Managing Decoupling Part 4 -- The ID Lookup Table" (2011), which says
//! why a free list should be a queue with a least length. Changes: both are chosen by type, the
//! bound is stated exactly and tested, and the end of the generations is not left to chance.

use crate::id::Sealed;

/// How a table picks a free slot: [`Lifo`] or [`Fifo`].
pub trait FreeList: Sealed {
    /// How many slots stay free before one is used again.
    const MIN_FREE: usize;

    /// Whether the slot freed last goes first.
    #[doc(hidden)]
    const LIFO: bool;
}

/// The slot freed last is used first: it is still in the cache. The default.
///
/// Creating and removing in turn uses up the lives of a single slot. An id comes back (with
/// [`Wrap`]) not before C creations, C the lives of a slot.
#[derive(Clone, Copy, Debug)]
pub enum Lifo {}

impl Sealed for Lifo {}

impl FreeList for Lifo {
    const MIN_FREE: usize = 0;
    const LIFO: bool = true;
}

/// The slot freed first is used first, and only while more than `MIN_FREE` are free.
///
/// An id comes back (with [`Wrap`]) not before C (`MIN_FREE` + 1) - `MIN_FREE` creations, C the
/// lives of a slot: the slots of a table wear evenly. A reserved id counts as a creation. Insertion
/// at a given id is outside this bound.
///
/// A table of fixed capacity is full `MIN_FREE` slots early, and its error says so.
#[derive(Clone, Copy, Debug)]
pub enum Fifo<const MIN_FREE: usize = 0> {}

impl<const MIN_FREE: usize> Sealed for Fifo<MIN_FREE> {}

impl<const MIN_FREE: usize> FreeList for Fifo<MIN_FREE> {
    const MIN_FREE: usize = MIN_FREE;
    const LIFO: bool = false;
}

/// What happens when a slot has lived all its lives: [`Retire`], [`Wrap`] or [`Refuse`].
pub trait GenerationEnd: Sealed {
    #[doc(hidden)]
    const END: End;
}

/// The three ends as values.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Retire,
    Wrap,
    Refuse,
}

/// A slot that has lived all its lives is not used again. The default: no id ever comes back, and
/// the table gets smaller by one slot after each C creations in one slot: 16 777 215 with the
/// default id, 4 095 with a [`SmallId`](crate::SmallId).
/// [`TableStats::retired`](crate::TableStats::retired) counts such slots.
#[derive(Clone, Copy, Debug)]
pub enum Retire {}

impl Sealed for Retire {}

impl GenerationEnd for Retire {
    const END: End = End::Retire;
}

/// The slot begins again at generation 1. An id comes back after as many creations as [`Lifo`] and
/// [`Fifo`] say; until then a stale id is refused, after that it may name another object.
#[derive(Clone, Copy, Debug)]
pub enum Wrap {}

impl Sealed for Wrap {}

impl GenerationEnd for Wrap {
    const END: End = End::Wrap;
}

/// An insertion whose turn it is to use a slot that has lived all its lives is an error, and so is
/// every later one until the slot is filled by [`insert_at`](crate::Table::insert_at): for tables
/// that are meant never to get there, so that it shows.
#[derive(Clone, Copy, Debug)]
pub enum Refuse {}

impl Sealed for Refuse {}

impl GenerationEnd for Refuse {
    const END: End = End::Refuse;
}
