//! The runs of items that a list is made of, in order.

use core::ops::Range;

/// What is left of a list to visit: ranges of indices of items, with `K` items a node. It reads a
/// node's link when it enters the node, so what is done to the nodes before does not matter to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runs<const K: usize> {
    /// What is left of the run that was entered.
    at: u32,
    stop: u32,
    /// The node where the list continues after that run, if it does.
    link: u32,
    /// How many items follow that run.
    left: u32,
}

impl<const K: usize> Runs<K> {
    const K: u32 = K as u32;

    /// Returns the runs of a list of `len` items that begins in node `first`: one run if its nodes
    /// are contiguous (`together`), else one a node.
    #[inline(always)]
    pub(super) const fn new(first: u32, len: u32, together: bool) -> Self {
        if together || len == 0 {
            return Self { at: first * Self::K, stop: first * Self::K + len, link: first, left: 0 };
        }
        Self { at: 0, stop: 0, link: first, left: len }
    }

    /// Returns how many items are left.
    #[inline]
    pub(super) const fn items(&self) -> u32 {
        self.stop - self.at + self.left
    }

    /// Takes the next run.
    #[inline]
    pub(super) fn next(&mut self, links: &[u32]) -> Option<Range<u32>> {
        self.peek(links)?;
        let run = self.at..self.stop;
        self.at = self.stop;
        Some(run)
    }

    /// Gives all runs that are left to `fold`, by first item and count: quicker than one by one, as
    /// a contiguous list has no loop and a full node has a length known to the compiler.
    ///
    /// The loop counts items and does not wait for the last link, so that a processor that guessed
    /// the number of its turns wrong knows it early, and begins with the next list meanwhile.
    #[inline(always)]
    pub(super) fn fold<B>(
        self,
        links: &[u32],
        init: B,
        mut fold: impl FnMut(B, u32, u32) -> B,
    ) -> B {
        let mut folded = init;
        if self.at != self.stop {
            folded = fold(folded, self.at, self.stop - self.at);
        }
        let (mut node, mut left) = (self.link, self.left);
        while left > Self::K {
            let link = links[node as usize];
            folded = fold(folded, node * Self::K, Self::K);
            node = link;
            left -= Self::K;
        }
        if left > 0 {
            folded = fold(folded, node * Self::K, if K == 1 { 1 } else { left });
        }
        folded
    }

    /// Takes the next item.
    #[inline]
    pub(super) fn next_item(&mut self, links: &[u32]) -> Option<u32> {
        let item = self.peek(links)?;
        self.at += 1;
        Some(item)
    }

    /// Returns the next item.
    #[inline]
    pub(super) fn peek(&mut self, links: &[u32]) -> Option<u32> {
        if self.at == self.stop {
            if self.left == 0 {
                return None;
            }
            let run = if self.left < Self::K { self.left } else { Self::K };
            self.at = self.link * Self::K;
            self.link = links[self.link as usize];
            self.stop = self.at + run;
            self.left -= run;
        }
        Some(self.at)
    }

    /// Skips `items` items; `false` if there are fewer, and then nothing is left.
    #[inline]
    pub(super) fn skip(&mut self, links: &[u32], mut items: u64) -> bool {
        while items > 0 {
            if self.peek(links).is_none() {
                return false;
            }
            let now = items.min(u64::from(self.stop - self.at));
            self.at += now as u32;
            items -= now;
        }
        true
    }
}
