//! Many small arrays of `u32`, with lengths drawn at random from 0 to a maximum.

mod build;
mod lists;
mod mix;
mod size;
mod whole;

pub(crate) use build::{ordered, scattered};
pub(crate) use lists::{Arrays, Csr, Fixed, Linked, Lists, Vectors};
pub(crate) use mix::push_pop;
pub(crate) use size::{built, compacted, malloc_bytes};
pub(crate) use whole::{copy, walk};

use crate::random::Random;

/// About how many operations a pass is.
const OPERATIONS: u32 = 400_000;

/// How long rows are: drawn for each row by its seed, the same for every contender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lens {
    /// How many rows there are.
    pub(crate) rows: u32,
    /// How long a row is at least; each length from here to `most` is as likely.
    pub(crate) least: u32,
    /// How long a row is at most.
    pub(crate) most: u32,
    /// One row of the given number of is longer: 16 times its length and 16 more. None with 0.
    pub(crate) long: u32,
}

impl Lens {
    /// Returns rows of every length up to one.
    pub(crate) const fn up_to(most: u32, rows: u32) -> Self {
        Self { rows, least: 0, most, long: 0 }
    }

    /// Returns the length of each row.
    pub(crate) fn draw(self) -> Vec<u32> {
        let mut random = Random::new(41);
        let lens = (0..self.rows).map(|row| {
            let len = self.least + random.below(self.most - self.least + 1);
            if self.is_long(row) { (len + 1) * 16 } else { len }
        });
        lens.collect()
    }

    /// Returns how long a row may become.
    pub(crate) fn most_of(self, row: u32) -> u32 {
        if self.is_long(row) { (self.most + 1) * 16 } else { self.most }
    }

    fn is_long(self, row: u32) -> bool {
        self.long > 0 && row.is_multiple_of(self.long)
    }

    /// Returns a row's number for each element, in random order.
    fn scatter(self) -> Vec<u32> {
        let lens = self.draw();
        let mut order: Vec<u32> = (0..self.rows)
            .zip(lens)
            .flat_map(|(row, len)| core::iter::repeat_n(row, len as usize))
            .collect();
        Random::new(42).shuffle(&mut order);
        order
    }
}

/// Returns a container with rows filled in random order, and its rows.
pub(crate) fn filled<L: Lists>(lens: Lens) -> (L, Vec<L::Row>) {
    let mut lists = L::new();
    let rows: Vec<L::Row> = (0..lens.rows).map(|_| lists.add()).collect();
    for row in lens.scatter() {
        lists.push(rows[row as usize], row);
    }
    (lists, rows)
}
