//! A tree of allocators as a table, as JSON and as a page.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), where a tool shows the
//! allocators of a running game with their memory use. Changes: any set of allocators is arranged
//! as a tree of backings; nothing is allocated to show it; the page is one file for any browser.

use core::fmt;

use crate::contract::allocator::Allocator;

mod html;
mod json;
mod layout;
mod table;
mod text;
mod tree;

#[cfg(test)]
mod tests;

pub use html::OverviewHtml;
pub use json::OverviewJson;
use tree::Tree;

/// A memory overview: the live, granted and reserved memory of a set of allocators, as the tree
/// that they form.
///
/// An allocator is a child of the first listed one that it takes its memory from
/// ([`backing_identity`](Allocator::backing_identity) and [`identity`](Allocator::identity)); one
/// whose backing is not listed is a root. Two that share an identity, such as a lock and its
/// contents, are siblings, and the allocators over them are children of the first. If links form a
/// cycle, all its members and their descendants are roots.
///
/// Displayed, it is a table: for each allocator its name, indented by its depth, live blocks, bytes
/// requested, granted and reserved, the peak of granted bytes, and its budget or `-`. Bytes are
/// written in the largest unit in which their number is at least 1, whole below 1 KiB, with one
/// decimal above it, rounded half up. A `~` before the requested bytes means that the allocator
/// does not record requested bytes and counts granted ones. There are no sums: the reserved bytes
/// of a child are part of the granted bytes of its parent.
///
/// [`json`](Self::json) has exact numbers for other tools, and [`html`](Self::html) is one page
/// with a treemap.
///
/// # Complexity
///
/// For n allocators of depth d: O(n^2 d) for the table and JSON, O(n^3) for the page, each step a
/// call of `stats` or `identity`. Nothing is allocated, and a deep tree takes no more stack.
///
/// # Memory
///
/// Allocates nothing: 16 bytes that refer to the list. Output goes to the formatter piece by piece;
/// the page keeps the shapes of 64 levels on the stack.
///
/// # Threads
///
/// `dyn Allocator` is neither `Send` nor `Sync`, so an overview stays on its thread. Counters that
/// other threads change meanwhile are shown as read.
///
/// # When not to use it
///
/// Every frame: it is a report. A monitor reads the [`Stats`](crate::Stats) of the few allocators
/// that it shows.
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use loligo_allocators::{
///     AllocError, Allocator, FrameAllocator, HeapAllocator, Overview, PageAllocator, ProxyAllocator,
/// };
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("heap", &pages);
/// let sound = ProxyAllocator::new("sound", &heap).with_budget(1 << 20);
/// let frame = FrameAllocator::new_in("mixer frame", 64 << 10, &sound)?;
/// frame.allocate(Layout::new::<[f32; 1000]>())?;
///
/// let all: [&dyn Allocator; 4] = [&pages, &heap, &sound, &frame];
/// let table = Overview::new(&all).to_string();
/// let rows: Vec<&str> = table.lines().collect();
/// assert!(rows[0].starts_with("allocator"));
/// assert!(rows[3].starts_with("    sound") && rows[3].ends_with("1.0 MiB"));
/// assert!(rows[4].starts_with("      mixer frame") && rows[4].contains("3.9 KiB"));
/// # Ok::<(), AllocError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Overview<'a> {
    tree: Tree<'a>,
}

impl<'a> Overview<'a> {
    /// Creates an overview of the given allocators. The order of the list is the order of siblings.
    #[must_use]
    pub const fn new(allocators: &'a [&'a dyn Allocator]) -> Self {
        Self { tree: Tree::new(allocators) }
    }

    /// Returns the overview as JSON: an object whose array `allocators` has an object for each,
    /// parents before children. `id` is its index in the given list, `parent` the id of its parent
    /// or null, `depth` its distance from a root; `name`, `budget` (or null), `exact` and all
    /// counters of [`Stats`](crate::Stats) follow under their own names.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{Overview, PageAllocator};
    ///
    /// let pages = PageAllocator::new("the \"pages\"");
    /// let json = Overview::new(&[&pages]).json().to_string();
    /// assert!(json.contains(r#"{"id": 0, "parent": null, "depth": 0, "name": "the \"pages\"""#));
    /// ```
    #[must_use]
    pub const fn json(&self) -> OverviewJson<'a> {
        OverviewJson { tree: self.tree }
    }

    /// Returns the overview as one HTML page: a treemap, in which each allocator's rectangle is as
    /// large as its reserved bytes and contains its children, its other granted bytes, and its free
    /// bytes; and below it a table of exact numbers.
    ///
    /// The page needs no script and no other file, follows the reader's light or dark theme, and
    /// fits a phone. If children have reserved more than their parent granted, they share its area.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{Overview, PageAllocator};
    ///
    /// let pages = PageAllocator::new("<pages>");
    /// let page = Overview::new(&[&pages]).html().to_string();
    /// assert!(page.starts_with("<!DOCTYPE html>") && page.contains("&lt;pages&gt;"));
    /// ```
    #[must_use]
    pub const fn html(&self) -> OverviewHtml<'a> {
        OverviewHtml { tree: self.tree }
    }
}

impl fmt::Display for Overview<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        table::write(f, self.tree)
    }
}
