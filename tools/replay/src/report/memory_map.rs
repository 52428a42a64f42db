//! Memory in address order: what is live in each stretch, and the gaps between live blocks.

use core::ops::Range;

/// The most cells that a strip has.
pub(super) const CELLS_MAX: usize = 240;

/// Memory that an allocator holds and the live blocks in it, both as addresses in ascending order.
/// Blocks outside of all regions are left out of every figure.
#[derive(Clone, Debug, Default)]
pub(super) struct Occupancy {
    pub(super) regions: Vec<Range<usize>>,
    pub(super) blocks: Vec<Range<usize>>,
}

/// The free bytes between live blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gaps {
    pub(super) total: usize,
    pub(super) largest: usize,
}

impl Occupancy {
    /// Returns the bytes of all regions.
    pub(super) fn reserved(&self) -> usize {
        self.regions.iter().map(|region| region.end - region.start).sum()
    }

    /// Measures the runs of bytes that no live block covers; a run ends with its region.
    ///
    /// # Complexity
    ///
    /// O(blocks + regions).
    pub(super) fn gaps(&self) -> Gaps {
        let mut gaps = Gaps::default();
        let mut add = |bytes: usize| {
            gaps.total += bytes;
            gaps.largest = gaps.largest.max(bytes);
        };
        let mut blocks = self.blocks.iter().peekable();
        for region in &self.regions {
            let mut cursor = region.start;
            while let Some(block) = blocks.next_if(|block| block.start < region.end) {
                add(block.start.saturating_sub(cursor));
                cursor = cursor.max(block.end);
            }
            add(region.end.saturating_sub(cursor));
        }
        gaps
    }

    /// Lays the regions one after the other, cuts them into cells of `bytes_per_cell` bytes and
    /// returns the live share of each cell as a letter, 0 to z. The last cell may be shorter.
    ///
    /// # Complexity
    ///
    /// O(blocks + regions + cells).
    pub(super) fn cells(&self, bytes_per_cell: usize) -> String {
        let reserved = self.reserved();
        let mut live = vec![0; reserved.div_ceil(bytes_per_cell)];
        let mut blocks = self.blocks.iter().peekable();
        let mut before = 0;
        for region in &self.regions {
            while let Some(block) = blocks.next_if(|block| block.start < region.end) {
                let inside = block.start.max(region.start)..block.end.min(region.end);
                if !inside.is_empty() {
                    let place = |address: usize| address - region.start + before;
                    spread(place(inside.start)..place(inside.end), bytes_per_cell, &mut live);
                }
            }
            before += region.end - region.start;
        }
        live.iter()
            .enumerate()
            .map(|(index, live)| {
                letter(*live, bytes_per_cell.min(reserved - index * bytes_per_cell))
            })
            .collect()
    }
}

/// Adds the bytes of a stretch to the cells that it is in.
fn spread(mut stretch: Range<usize>, bytes_per_cell: usize, live: &mut [usize]) {
    while !stretch.is_empty() {
        let cell = stretch.start / bytes_per_cell;
        let end = stretch.end.min((cell + 1) * bytes_per_cell);
        live[cell] += end - stretch.start;
        stretch.start = end;
    }
}

/// Returns a share as a digit of base 36; 0 only for none, z only for all.
fn letter(live: usize, whole: usize) -> char {
    let share = if live == 0 {
        0
    } else if live >= whole {
        35
    } else {
        1 + (live as u128 * 34 / whole as u128) as u32
    };
    char::from_digit(share, 36).unwrap_or('z')
}

#[cfg(test)]
mod tests;
