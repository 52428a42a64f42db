//! Merge and sort: one order of what many contexts hold.
//!
//! After "Parallel rendering" on the BitSquid blog (2009), whose second pass makes one sorted
//! stream of all contexts. Change: the packages stay where they are; what is merged and sorted are
//! keys and places.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::context::RenderContext;
use crate::sort_item::SortItem;

mod radix;

/// Merges contexts and sorts their packages by key. It is kept from frame to frame, for its memory.
///
/// Equal keys stay in the order of their contexts, and in a context in the order in which they were
/// added: the order of a frame is the same however its work was divided, as long as the contexts
/// are handed over in one order.
///
/// # Complexity
///
/// O(items) for each 6 bits in which keys differ, at worst: a radix sort. Bits that all keys share
/// cost nothing, and of the others only as many are sorted by as it takes until most keys differ:
/// two digits for keys that are random. Sorted input is seen and left as it is.
///
/// # Memory
///
/// 32 bytes an item, in two blocks that are kept.
///
/// # Threads
///
/// `Send` where the allocator is `Sync`.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_render::{Draw, ItemSorter, RenderContext};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut contexts = [RenderContext::new(&MEMORY), RenderContext::new(&MEMORY)];
/// contexts[0].try_draw(9, Draw::default())?;
/// contexts[1].try_draw(4, Draw::default())?;
/// contexts[1].try_draw(9, Draw::default())?;
///
/// let mut sorter: ItemSorter = ItemSorter::new(&MEMORY);
/// let sorted = sorter.try_merge(&contexts)?;
/// assert_eq!(sorted.iter().map(|item| (item.key(), item.context())).collect::<Vec<_>>(), [(4, 1), (9, 0), (9, 1)]);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
pub struct ItemSorter<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    items: Array<'a, SortItem, A>,
    /// No shorter than the items; what it holds means nothing.
    room: Array<'a, SortItem, A>,
}

impl<'a> ItemSorter<'a> {
    /// Returns a sorter, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> ItemSorter<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { items: Array::new_in(memory), room: Array::new_in(memory) }
    }

    /// Merges what the contexts hold and returns it in the order of the keys.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; what was merged before is still there.
    pub fn try_merge<B: Allocator + ?Sized>(
        &mut self,
        contexts: &[RenderContext<'_, B>],
    ) -> Result<&[SortItem], GrowError> {
        let count = contexts.iter().map(RenderContext::len).sum::<usize>();
        if count > self.room.len() {
            self.room.try_resize(count, SortItem::default())?;
        }
        if count > self.items.len() {
            self.items.try_reserve(count - self.items.len())?;
            self.items.try_resize(count, SortItem::default())?;
        }
        self.items.truncate(count);
        let lists = contexts.iter().map(RenderContext::items);
        radix::merge(lists, &mut self.items, &mut self.room[..count]);
        Ok(&self.items)
    }

    /// Returns what was merged last.
    #[must_use]
    pub fn items(&self) -> &[SortItem] {
        &self.items
    }

    /// Returns how many bytes there is room for.
    #[must_use]
    pub fn bytes(&self) -> usize {
        (self.items.capacity() + self.room.capacity()) * size_of::<SortItem>()
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for ItemSorter<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.items()).finish()
    }
}
