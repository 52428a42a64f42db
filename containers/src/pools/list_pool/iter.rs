//! Visiting lists, by item and by slice.

use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::ptr::NonNull;
use core::slice;

use loligo_allocators::Allocator;

use crate::pools::list_pool::ListPool;
use crate::pools::list_pool::list::{Head, List};
use crate::pools::list_pool::runs::Runs;

impl<T, A: Allocator + ?Sized, const K: usize> ListPool<'_, T, A, K> {
    /// Visits a list's items in order. A list that is gone has none.
    ///
    /// # Complexity
    ///
    /// O(1) an item.
    #[inline]
    pub fn iter(&self, list: List<T>) -> ListIter<'_, T, K> {
        ListIter { now: [].iter(), later: self.chunks(list) }
    }

    /// Visits a list's items in order, to be changed.
    ///
    /// # Complexity
    ///
    /// As [`iter`](Self::iter).
    #[inline]
    pub fn iter_mut(&mut self, list: List<T>) -> ListIterMut<'_, T, K> {
        ListIterMut { now: [].iter_mut(), later: self.chunks_mut(list) }
    }

    /// Visits a list's items in slices: one if it is contiguous, else one a node, all but the last
    /// of `K` items.
    ///
    /// # Complexity
    ///
    /// O(1) a slice.
    #[inline]
    pub fn chunks(&self, list: List<T>) -> ListChunks<'_, T, K> {
        let runs = Self::runs(self.head(list).unwrap_or(Head::EMPTY));
        ListChunks { start: self.nodes.start(), links: self.nodes.links(), runs, lent: PhantomData }
    }

    /// Visits a list's items in slices, to be changed, as [`chunks`](Self::chunks) does.
    ///
    /// # Complexity
    ///
    /// O(1) a slice.
    #[inline]
    pub fn chunks_mut(&mut self, list: List<T>) -> ListChunksMut<'_, T, K> {
        let runs = Self::runs(self.head(list).unwrap_or(Head::EMPTY));
        ListChunksMut {
            start: self.nodes.start(),
            links: self.nodes.links(),
            runs,
            lent: PhantomData,
        }
    }

    /// Returns a list's items as one slice, if it is contiguous or empty; `None` if it is not, or
    /// is gone.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn as_slice(&self, list: List<T>) -> Option<&[T]> {
        let head = self.head(list)?;
        if head.end != 0 && !head.is_together() {
            return None;
        }
        Some(self.chunks(list).next().unwrap_or_default())
    }

    /// Visits all lists that have items, in the order of their slots, each in its slices.
    ///
    /// # Complexity
    ///
    /// O(1) a slice and a slot.
    pub fn chunks_all(&self) -> impl Iterator<Item = (List<T>, &[T])> {
        self.lists().flat_map(|list| self.chunks(list).map(move |chunk| (list, chunk)))
    }

    /// Visits all items of all lists, list by list in the order of their slots.
    ///
    /// # Complexity
    ///
    /// O(1) an item and a slot.
    pub fn iter_all(&self) -> impl Iterator<Item = &T> {
        self.lists().flat_map(|list| self.chunks(list)).flatten()
    }

    /// Returns an item of a list by its place in it.
    ///
    /// # Complexity
    ///
    /// O(1) if the list is contiguous, else O(nodes).
    #[inline]
    #[must_use]
    pub fn get(&self, list: List<T>, at: usize) -> Option<&T> {
        let place = self.runs_from(self.find_list(list)?, at)?.peek(self.nodes.links())?;
        // SAFETY: what runs lead to is alive (invariant 2), and nothing changes it while the pool
        // is borrowed.
        Some(unsafe { self.nodes.place(place).as_ref() })
    }

    /// Returns an item of a list by its place in it, to be changed.
    ///
    /// # Complexity
    ///
    /// As [`get`](Self::get).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, list: List<T>, at: usize) -> Option<&mut T> {
        let place = self.runs_from(self.find_list(list)?, at)?.peek(self.nodes.links())?;
        // SAFETY: what runs lead to is alive (invariant 2), and the pool is borrowed for this
        // alone.
        Some(unsafe { self.nodes.place(place).as_mut() })
    }

    /// Returns the first item of a list that `is_it` says yes to.
    ///
    /// # Complexity
    ///
    /// O(items).
    #[inline]
    pub fn find(&self, list: List<T>, mut is_it: impl FnMut(&T) -> bool) -> Option<&T> {
        self.chunks(list).find_map(|chunk| chunk.iter().find(|item| is_it(item)))
    }

    /// Returns the first item of a list that `is_it` says yes to, to be changed.
    ///
    /// # Complexity
    ///
    /// O(items).
    #[inline]
    pub fn find_mut(&mut self, list: List<T>, mut is_it: impl FnMut(&T) -> bool) -> Option<&mut T> {
        self.chunks_mut(list).find_map(|chunk| chunk.iter_mut().find(|item| is_it(item)))
    }

    /// Returns the place in its list of the first item that `is_it` says yes to.
    ///
    /// # Complexity
    ///
    /// O(items).
    #[inline]
    pub fn position(&self, list: List<T>, is_it: impl FnMut(&T) -> bool) -> Option<usize> {
        self.iter(list).position(is_it)
    }
}

macro_rules! visits {
    (
        $(#[$doc:meta])* $chunks:ident, $(#[$doc_items:meta])* $items:ident,
        $lent:ty, $slice:ty, $item:ty, $iter:ty, $from:path, $as_chunks:ident
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $chunks<'p, T, const K: usize> {
            start: NonNull<T>,
            links: &'p [u32],
            runs: Runs<K>,
            lent: PhantomData<$lent>,
        }

        impl<'p, T, const K: usize> Iterator for $chunks<'p, T, K> {
            type Item = $slice;

            #[inline]
            fn next(&mut self) -> Option<$slice> {
                let run = self.runs.next(self.links)?;
                Some(Self::slice(self.start, run.start, run.end - run.start))
            }

            #[inline]
            fn fold<B, F: FnMut(B, $slice) -> B>(self, init: B, mut fold: F) -> B {
                let start = self.start;
                self.runs.fold(self.links, init, |folded, at, count| fold(folded, Self::slice(start, at, count)))
            }
        }

        impl<T, const K: usize> FusedIterator for $chunks<'_, T, K> {}

        impl<'p, T, const K: usize> $chunks<'p, T, K> {
            /// Returns the slice of a run that came from `runs`.
            #[inline(always)]
            fn slice(start: NonNull<T>, at: u32, count: u32) -> $slice {
                // SAFETY: runs lead to items of the pool's block (invariant 2).
                let place = unsafe { start.add(at as usize) };
                // SAFETY: the items of a run are alive (invariant 2); each run comes once, and the
                // pool is borrowed for as long as the slice is.
                unsafe { $from(place.as_ptr(), count as usize) }
            }
        }

        $(#[$doc_items])*
        #[derive(Debug)]
        pub struct $items<'p, T, const K: usize> {
            now: $iter,
            later: $chunks<'p, T, K>,
        }

        impl<'p, T, const K: usize> Iterator for $items<'p, T, K> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                loop {
                    if let Some(item) = self.now.next() {
                        return Some(item);
                    }
                    self.now = self.later.next()?.into_iter();
                }
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                let items = self.now.len() + self.later.runs.items() as usize;
                (items, Some(items))
            }

            #[inline]
            fn fold<B, F: FnMut(B, $item) -> B>(self, init: B, mut fold: F) -> B {
                let folded = self.now.fold(init, &mut fold);
                self.later.fold(folded, |folded, chunk| {
                    // What is shorter than a node of many items is no matter of known lengths.
                    if K > 8 {
                        return chunk.into_iter().fold(folded, &mut fold);
                    }
                    // Loops of a known length first: lists are too short for others to pay.
                    let (nodes, rest) = chunk.$as_chunks::<K>();
                    let folded = (nodes.into_iter().flatten()).fold(folded, &mut fold);
                    rest.into_iter().fold(folded, &mut fold)
                })
            }
        }

        impl<T, const K: usize> ExactSizeIterator for $items<'_, T, K> {}

        impl<T, const K: usize> FusedIterator for $items<'_, T, K> {}
    };
}

visits!(
    /// The items of a list in slices, returned by [`ListPool::chunks`].
    ListChunks,
    /// The items of a list, returned by [`ListPool::iter`].
    ListIter,
    &'p T, &'p [T], &'p T, slice::Iter<'p, T>, slice::from_raw_parts, as_chunks
);
visits!(
    /// The items of a list in mutable slices, returned by [`ListPool::chunks_mut`].
    ListChunksMut,
    /// The items of a list, mutable, returned by [`ListPool::iter_mut`].
    ListIterMut,
    &'p mut T, &'p mut [T], &'p mut T, slice::IterMut<'p, T>, slice::from_raw_parts_mut,
    as_chunks_mut
);

// SAFETY: it gives out shared references alone.
unsafe impl<T: Sync, const K: usize> Send for ListChunks<'_, T, K> {}
// SAFETY: as above; a shared one cannot be advanced.
unsafe impl<T: Sync, const K: usize> Sync for ListChunks<'_, T, K> {}
// SAFETY: it returns exclusive references to items, of which there are no others while the pool is
// borrowed.
unsafe impl<T: Send, const K: usize> Send for ListChunksMut<'_, T, K> {}
// SAFETY: a shared one cannot be advanced, and shows no item.
unsafe impl<T: Sync, const K: usize> Sync for ListChunksMut<'_, T, K> {}
