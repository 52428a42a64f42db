//! What an allocator under test can serve.

use core::alloc::Layout;

/// What an allocator under test can serve, so that the suites ask for neither too much nor too
/// little. Start from one of the constructors and change what differs.
///
/// # Examples
///
/// ```
/// use loligo_tests::Limits;
///
/// let frame = Limits { reclaims: false, reports_leaks: false, ..Limits::region(64 << 10) };
/// assert_eq!(frame.size_max, 16 << 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A block of this size at alignment 1 is served by an empty allocator.
    pub size_max: usize,
    /// A small block at this alignment, and at each lesser one, is served by an empty allocator.
    pub align_max: usize,
    /// The bytes after which the allocator refuses; `None` if it grows as long as the machine has
    /// memory.
    pub memory: Option<usize>,
    /// Greater blocks are touched at their ends only, and are neither zeroed nor reallocated, so
    /// that reserved address space stays free of pages.
    pub touch_max: usize,
    /// Whether each freed block makes room again. A frame gives room back only from its end.
    pub reclaims: bool,
    /// Whether `walk` shows the live blocks.
    pub lists: bool,
    /// Whether `walk` shows them in address order within a region. The regions are the live blocks
    /// of the backing, or the whole allocator where it has none.
    pub ordered: bool,
    /// Whether `owns` knows each block, and knows a block of somebody else.
    pub owns: bool,
    /// Whether the counters are kept. False for allocators of other crates.
    pub counts: bool,
    /// Bytes that the allocator reserves within itself, which its backing has not granted.
    pub inside: usize,
    /// Whether a drop with live blocks panics.
    pub reports_leaks: bool,
}

impl Limits {
    /// Returns the limits of a general allocator over one region of `bytes` bytes that is at an
    /// address of at least that alignment.
    #[must_use]
    pub const fn region(bytes: usize) -> Self {
        Self {
            size_max: bytes / 4,
            align_max: largest_power_of_two(bytes / 8),
            memory: Some(bytes),
            touch_max: 1 << 20,
            reclaims: true,
            lists: true,
            ordered: true,
            owns: true,
            counts: true,
            inside: 0,
            reports_leaks: true,
        }
    }

    /// Returns the limits of an allocator that grows from the address space: blocks up to a GiB,
    /// alignments up to 2 MiB.
    #[must_use]
    pub const fn growing() -> Self {
        Self { size_max: 1 << 30, align_max: 2 << 20, memory: None, ..Self::region(1 << 30) }
    }

    /// Returns the limits of an allocator of blocks of one layout, with `memory` bytes for them.
    #[must_use]
    pub const fn fixed(layout: Layout, memory: Option<usize>) -> Self {
        Self { size_max: layout.size(), align_max: layout.align(), memory, ..Self::region(1 << 20) }
    }

    /// Returns these limits without what only the allocators of this family report of themselves:
    /// counters, walks, ownership and leaks.
    #[must_use]
    pub const fn foreign(self) -> Self {
        Self { lists: false, owns: false, counts: false, reports_leaks: false, ..self }
    }
}

/// Returns the greatest power of two that is at most `number`, and at least 1.
const fn largest_power_of_two(number: usize) -> usize {
    if number == 0 { 1 } else { 1 << (usize::BITS - 1 - number.leading_zeros()) }
}
