//! The runs of items that a list is made of, in order.

use core::ops::Range;

use crate::list_pool::nodes::LAST;

/// What is left of a list to visit: ranges of indices of items. It reads a node's link when it enters the node,
/// so what is done to the nodes behind it does not matter to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runs {
    /// The run that comes next, empty if none does.
    at: u32,
    stop: u32,
    /// Where the list goes on after that run, or [`LAST`] and anything.
    link: u32,
    /// The end of the list's last run.
    end: u32,
    items: u32,
}

impl Runs {
    /// Returns the runs of a list that begins in node `first` and ends before item `end`, with so many items
    /// a node: one run if its nodes lie `together`, else one a node.
    #[inline]
    pub(super) fn new(links: &[u32], items: u32, first: u32, end: u32, together: bool) -> Self {
        if together || end == 0 {
            return Self { at: first * items, stop: end, link: LAST, end, items };
        }
        let mut runs = Self { at: 0, stop: 0, link: first, end, items };
        runs.enter(links);
        runs
    }

    /// Takes the next run.
    #[inline]
    pub(super) fn next(&mut self, links: &[u32]) -> Option<Range<u32>> {
        let run = self.at..self.stop;
        if run.is_empty() {
            return None;
        }
        self.enter(links);
        Some(run)
    }

    /// Takes the next item.
    #[inline]
    pub(super) fn next_item(&mut self, links: &[u32]) -> Option<u32> {
        let item = self.peek()?;
        self.at += 1;
        if self.at == self.stop {
            self.enter(links);
        }
        Some(item)
    }

    /// Returns the next item.
    #[inline]
    pub(super) const fn peek(&self) -> Option<u32> {
        if self.at == self.stop { None } else { Some(self.at) }
    }

    /// Passes so many items; `false` if there are fewer, and then nothing is left.
    pub(super) fn skip(&mut self, links: &[u32], mut items: u64) -> bool {
        loop {
            let run = u64::from(self.stop - self.at);
            if items < run || (items == 0 && run == 0) {
                self.at += items as u32;
                return true;
            }
            items -= run;
            if run == 0 {
                return false;
            }
            self.enter(links);
        }
    }

    /// Goes on to the node that the link leads to.
    #[inline]
    fn enter(&mut self, links: &[u32]) {
        let node = self.link;
        if node & LAST != 0 {
            self.at = self.end;
            self.stop = self.end;
            return;
        }
        self.at = node * self.items;
        self.link = links[node as usize];
        self.stop = if self.link & LAST != 0 { self.end } else { self.at + self.items };
    }
}
