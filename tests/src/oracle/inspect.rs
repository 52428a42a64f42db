//! What the allocator says of itself, against what the oracle knows.

use loligo_allocators::{Allocator, Block, Stats};

use crate::rule::{Rule, Violation, require};

use super::{Live, Oracle};

impl Oracle<'_> {
    /// Checks everything: each block's contents, the walk, ownership, the allocator's own structure
    /// and its counters.
    ///
    /// # Complexity
    ///
    /// O(bytes written).
    ///
    /// # Errors
    ///
    /// [`Violation`] if a rule is broken.
    pub fn check_all(&mut self) -> Result<(), Violation> {
        for key in self.keys().collect::<Vec<_>>() {
            self.check_contents(key)?;
        }
        let stats = self.allocator.stats();
        self.ledger.quiet(&stats, "looking")?;
        self.ledger.check_order(&stats, "looking")?;
        self.check_structure()?;
        self.check_owns()
    }

    /// Checks the walk and the allocator's own structure.
    ///
    /// # Complexity
    ///
    /// O(n log n) for n live blocks.
    ///
    /// # Errors
    ///
    /// [`Violation`] if a rule is broken.
    pub fn check_structure(&self) -> Result<(), Violation> {
        self.allocator.verify().map_err(|damage| {
            Violation::new(Rule::Verify, format!("verify found damage: {damage}"))
        })?;
        if self.limits.lists { self.check_walk() } else { Ok(()) }
    }

    fn check_walk(&self) -> Result<(), Violation> {
        let mut shown = Vec::with_capacity(self.live.len());
        self.allocator.walk(&mut |block: Block| shown.push(block));
        require(shown.len() == self.live.len(), Rule::Walk, || {
            format!("walk shows {} blocks of {}", shown.len(), self.live.len())
        })?;
        let mut sorted: Vec<usize> = shown.iter().map(|block| block.address.addr().get()).collect();
        sorted.sort_unstable();
        sorted.dedup();
        require(sorted.len() == shown.len(), Rule::Walk, || "walk shows a block twice".to_owned())?;
        for block in &shown {
            let live = self.live.get(&block.address.addr().get());
            require(live.is_some_and(|live| is_size_of(block.bytes, live)), Rule::Walk, || {
                format!("walk shows {block:?}, where there is {live:?}")
            })?;
        }
        if self.limits.ordered { self.check_walk_order(&shown) } else { Ok(()) }
    }

    /// Checks that blocks come in address order within each block of the backing, and that no
    /// region comes twice.
    fn check_walk_order(&self, shown: &[Block]) -> Result<(), Violation> {
        let regions = self.allocator.backing().map(regions);
        let mut seen: Vec<usize> = Vec::new();
        let mut last = None;
        for block in shown {
            let address = block.address.addr().get();
            let region = regions.as_ref().and_then(|regions| region_of(regions, address));
            let start = region.unwrap_or(0);
            if seen.last() != Some(&start) {
                require(!seen.contains(&start), Rule::Walk, || {
                    format!("walk comes back to the region {start:#x}")
                })?;
                seen.push(start);
                last = None;
            }
            require(last.is_none_or(|last| last < address), Rule::Walk, || {
                format!("walk shows {address:#x} after {last:x?}")
            })?;
            last = Some(address);
        }
        Ok(())
    }

    fn check_owns(&self) -> Result<(), Violation> {
        if !self.limits.owns {
            return Ok(());
        }
        for live in self.live.values() {
            let first = live.block.as_ptr();
            let last = first.wrapping_add(live.bytes - 1);
            for address in [first, last] {
                require(self.allocator.owns(address), Rule::Owns, || {
                    format!(
                        "owns does not know {address:p} of a live block of {} bytes",
                        live.bytes
                    )
                })?;
            }
        }
        let mine = 0_u8;
        for address in [&raw const mine, core::ptr::null()] {
            require(!self.allocator.owns(address), Rule::Owns, || {
                format!("owns claims {address:p}, which the allocator never had")
            })?;
        }
        Ok(())
    }

    /// Checks that what is reserved came from the backing.
    pub(super) fn check_backing(&self, stats: &Stats) -> Result<(), Violation> {
        let Some(backing) = self.allocator.backing() else {
            return Ok(());
        };
        let granted = backing.stats().granted;
        require(
            !self.limits.counts || stats.reserved <= granted + self.limits.inside,
            Rule::Backing,
            || {
                format!(
                    "{} bytes are reserved of the backing `{}`, which has granted {granted}",
                    stats.reserved,
                    backing.name()
                )
            },
        )
    }
}

/// Whether `bytes`, as a walk shows them, are the block's: as asked or as granted.
fn is_size_of(bytes: usize, live: &Live) -> bool {
    bytes == live.requested || bytes == live.layout.size() || bytes == live.bytes
}

/// The live blocks of a backing allocator, sorted by address.
fn regions(backing: &dyn Allocator) -> Vec<(usize, usize)> {
    let mut regions = Vec::new();
    backing.walk(&mut |block| {
        let start = block.address.addr().get();
        regions.push((start, start + block.bytes));
    });
    regions.sort_unstable();
    regions
}

fn region_of(regions: &[(usize, usize)], address: usize) -> Option<usize> {
    let index = regions.partition_point(|&(start, _)| start <= address).checked_sub(1)?;
    let (start, end) = regions[index];
    (address < end).then_some(start)
}
