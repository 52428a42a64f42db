//! What a workload asks of many small arrays, ours or a peer's; compiled for each.

use loligo_containers::{ArrayOfArrays, FixedRows, LinkedRows, RowId, Rows};

use crate::memory::{HEAP, Heap};

/// Many small arrays of `u32`.
pub(crate) trait Lists {
    /// What names one of them.
    type Row: Copy;

    /// Returns none, without memory.
    fn new() -> Self;
    /// Adds one without elements. In a new container the names come in the same order each time.
    fn add(&mut self) -> Self::Row;
    /// Appends an element.
    fn push(&mut self, row: Self::Row, element: u32);
    /// Takes the last element off.
    fn pop(&mut self, row: Self::Row) -> Option<u32>;
    /// Reads all elements, row by row.
    fn sum(&self) -> u32;
    /// Returns what it has taken, as the C library's allocator would count it.
    fn bytes(&self) -> usize;
}

/// Adds up the sums of rows so that each row must be summed by itself.
#[inline(always)]
fn mixed(sum: u32, row: &[u32]) -> u32 {
    let own = row.iter().fold(0u32, |own, element| own.wrapping_add(*element));
    sum.rotate_left(1) ^ own
}

/// Ours.
pub(crate) type Arrays = ArrayOfArrays<'static, u32, Heap>;

/// Ours, at most `N` a row.
pub(crate) type Fixed<const N: usize> = FixedRows<'static, u32, N, Heap>;

/// Ours, `K` a node.
pub(crate) type Linked<const K: usize> = LinkedRows<'static, u32, K, Heap>;

/// The calls that our three forms share.
macro_rules! through_rows {
    () => {
        type Row = RowId<u32>;

        fn new() -> Self {
            Self::new_in(&HEAP)
        }

        #[inline(always)]
        fn add(&mut self) -> RowId<u32> {
            self.try_add_row().unwrap_or_else(|_| refused())
        }

        #[inline(always)]
        fn push(&mut self, row: RowId<u32>, element: u32) {
            self.try_push(row, element).unwrap_or_else(|_| refused());
        }

        #[inline(always)]
        fn pop(&mut self, row: RowId<u32>) -> Option<u32> {
            Rows::pop(self, row)
        }

        fn bytes(&self) -> usize {
            Rows::bytes(self)
        }
    };
}

impl Lists for Arrays {
    through_rows!();

    #[inline(never)]
    fn sum(&self) -> u32 {
        self.iter().fold(0, |sum, (_, row)| mixed(sum, row))
    }
}

impl<const N: usize> Lists for Fixed<N> {
    through_rows!();

    #[inline(never)]
    fn sum(&self) -> u32 {
        self.iter().fold(0, |sum, (_, row)| mixed(sum, row))
    }
}

impl<const K: usize> Lists for Linked<K> {
    through_rows!();

    /// Run by run: a row of several nodes is mixed more than once, which costs a cycle each.
    #[inline(never)]
    fn sum(&self) -> u32 {
        let mut sum = 0;
        self.visit_rows(|_, run| sum = mixed(sum, run));
        sum
    }
}

/// Vectors in a vector.
pub(crate) struct Vectors(pub(crate) Vec<Vec<u32>>);

impl Lists for Vectors {
    type Row = u32;

    fn new() -> Self {
        Self(Vec::new())
    }

    #[inline(always)]
    fn add(&mut self) -> u32 {
        self.0.push(Vec::new());
        self.0.len() as u32 - 1
    }

    #[inline(always)]
    fn push(&mut self, row: u32, element: u32) {
        self.0[row as usize].push(element);
    }

    #[inline(always)]
    fn pop(&mut self, row: u32) -> Option<u32> {
        self.0[row as usize].pop()
    }

    #[inline(never)]
    fn sum(&self) -> u32 {
        self.0.iter().fold(0, |sum, row| mixed(sum, row))
    }

    fn bytes(&self) -> usize {
        let inner: usize = self.0.iter().map(|row| super::malloc_bytes(row.capacity() * 4)).sum();
        super::malloc_bytes(self.0.capacity() * size_of::<Vec<u32>>()) + inner
    }
}

/// Compressed rows, which cannot grow: all elements, and where each row begins.
pub(crate) struct Csr {
    begins: Vec<u32>,
    elements: Vec<u32>,
}

impl Csr {
    /// Packs rows of these lengths, with the row's number as each element.
    pub(crate) fn of(lens: &[u32]) -> Self {
        let mut begins = vec![0];
        let mut elements = Vec::new();
        for (row, len) in (0..).zip(lens) {
            elements.extend(core::iter::repeat_n(row, *len as usize));
            begins.push(elements.len() as u32);
        }
        Self { begins, elements }
    }

    #[inline(never)]
    pub(crate) fn sum(&self) -> u32 {
        let rows = self.begins.windows(2);
        rows.fold(0, |sum, ends| mixed(sum, &self.elements[ends[0] as usize..ends[1] as usize]))
    }
}

#[cold]
#[inline(never)]
fn refused() -> ! {
    panic!("a container refused what a workload asked for")
}
