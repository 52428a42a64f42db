//! Ids of pages: the number of their region and their own.

/// Bits of a page id that are the page; those above are the region.
pub(super) const PAGE_BITS: u32 = 20;

/// The id of a page.
pub(super) const fn page_id(region: usize, page: u32) -> u32 {
    (region as u32) << PAGE_BITS | page
}

/// Region and page of a page id.
pub(super) const fn split_id(id: u32) -> (usize, u32) {
    ((id >> PAGE_BITS) as usize, id & ((1 << PAGE_BITS) - 1))
}
