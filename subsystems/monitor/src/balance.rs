//! Makes scopes nest, whatever was recorded: ends without a beginning are left out, missing ends
//! are made.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::core_number;
use crate::name::Name;

/// How deep scopes are shown. Those further in are counted, and left out.
pub const DEPTH_MAX: usize = 128;

/// A thread's open scopes, and what its next event goes on from.
pub(crate) struct Balance<'a, A: Allocator + ?Sized> {
    /// It has room for [`DEPTH_MAX`] from the start.
    open: Array<'a, Name, A>,
    /// Open scopes that are too far in.
    beyond: u64,
    pub(crate) time_ns: u64,
    pub(crate) core: u32,
    pub(crate) counts: BalanceCounts,
}

/// What was put right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BalanceCounts {
    /// Ends without a beginning.
    pub(crate) stray: u64,
    /// Ends that had to be made.
    pub(crate) cut: u64,
    /// Scopes that were too deep.
    pub(crate) deep: u64,
}

impl<'a, A: Allocator + ?Sized> Balance<'a, A> {
    pub(crate) fn try_new_in(memory: &'a A) -> Result<Self, GrowError> {
        Ok(Self {
            open: Array::try_with_capacity_in(DEPTH_MAX, memory)?,
            beyond: 0,
            time_ns: 0,
            core: core_number::UNKNOWN,
            counts: BalanceCounts::default(),
        })
    }

    /// Begins a scope; returns whether it is to be shown.
    pub(crate) fn enter(&mut self, name: Name) -> bool {
        let shown = self.beyond == 0 && self.open.len() < DEPTH_MAX;
        if !(shown && self.open.try_push(name).is_ok()) {
            self.beyond += 1;
            self.counts.deep += 1;
            return false;
        }
        true
    }

    /// Ends a scope. `same` says whether two names are of one text; `end` is called with each scope
    /// that ends, the innermost first, and whether its end was missing.
    pub(crate) fn leave(
        &mut self,
        name: Name,
        same: impl Fn(Name, Name) -> bool,
        mut end: impl FnMut(Name, bool),
    ) {
        if self.beyond > 0 {
            // Ends of scopes that are not shown; names were not kept, so they are taken to match.
            self.beyond -= 1;
            return;
        }
        let is_it = |open: &Name| *open == name || same(*open, name);
        let Some(index) = self.open.iter().rposition(is_it) else {
            self.counts.stray += 1;
            return;
        };
        while self.open.len() > index {
            if let Some(open) = self.open.pop() {
                let cut = self.open.len() > index;
                self.counts.cut += u64::from(cut);
                end(open, cut);
            }
        }
    }

    /// Ends all scopes, as events were lost or the thread has ended.
    pub(crate) fn cut_all(&mut self, mut end: impl FnMut(Name, bool)) {
        self.beyond = 0;
        while let Some(open) = self.open.pop() {
            self.counts.cut += 1;
            end(open, true);
        }
    }
}
