//! How events are in memory: slots of 16 bytes.
//!
//! ```text
//! slot        | name: 8 bytes     | stamp or value << 4, kind: 8 bytes |
//! block       | run | run | ..                                           4 096 slots, 64 KiB
//! run         | thread's name | thread << 4, Run |                    three slots of head
//!             | -             | slots of the run |
//!             | core's number | stamp << 4, Core |                    where and when it begins
//!             | events of one thread ..          |
//! ```
//!
//! An event is one slot, but a vector, an allocation and a free, which are two. A stamp of 60 bits
//! lasts 7 years at 5 GHz from when the machine was started; it wraps then, and times are wrong
//! until the monitor is recreated.

use crate::name::Name;

/// Bytes of an event; vectors, allocations and frees take two of these.
pub const EVENT_BYTES: usize = size_of::<Slot>();

/// Bytes of a thread's buffer, and of each block of the global one.
pub const BLOCK_BYTES: usize = 64 << 10;

/// Slots of a block; hardly any where nothing is ever recorded.
pub(crate) const SLOTS: usize =
    if cfg!(feature = "recording") { BLOCK_BYTES / EVENT_BYTES } else { 2 * HEAD_SLOTS };

/// Slots of a run before its first event: two of head, and one that says where and when it begins.
pub(crate) const HEAD_SLOTS: usize = 3;

/// Bits of a word that hold the kind.
const KIND_BITS: u32 = 4;

/// Events and heads, distinguished by the lowest bits of the second word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The head of a run: the thread's name and number; the next slot holds its length.
    Run,
    /// The thread runs on the core whose number is in place of the name.
    Core,
    /// A scope begins.
    Enter,
    /// A scope ends.
    Leave,
    /// A frame ends, its number in place of the name.
    Frame,
    /// A whole number.
    Counter,
    /// A float, its bits.
    Float,
    /// Three floats, the first one's bits; the others' are the second word of the next slot.
    Vector,
    /// An allocation, its size in bytes; the next slot's second word is the address.
    Allocate,
    /// A deallocation, its size in bytes; as above.
    Free,
    /// The thread ends, and with it the scopes that it left open.
    Ended,
}

/// All kinds, by their numbers.
const KINDS: [Kind; 11] = [
    Kind::Run,
    Kind::Core,
    Kind::Enter,
    Kind::Leave,
    Kind::Frame,
    Kind::Counter,
    Kind::Float,
    Kind::Vector,
    Kind::Allocate,
    Kind::Free,
    Kind::Ended,
];

/// Sixteen bytes of a block. Aligned, so that four fill a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct Slot {
    pub(crate) name: Name,
    pub(crate) word: u64,
}

impl Slot {
    /// What fills a block before anything is written.
    pub(crate) const EMPTY: Self = Self { name: Name::none(), word: 0 };

    /// Returns the slot of an event with a stamp, or a value, of 60 bits.
    #[inline(always)]
    pub(crate) const fn new(name: Name, kind: Kind, value: u64) -> Self {
        Self { name, word: (value << KIND_BITS) | kind as u64 }
    }

    /// Returns the slot of plain bits that belongs to the one before.
    #[inline(always)]
    pub(crate) const fn bits(word: u64) -> Self {
        Self { name: Name::none(), word }
    }

    /// Returns the kind, `None` if there is no such kind.
    pub(crate) fn kind(self) -> Option<Kind> {
        KINDS.get((self.word & ((1 << KIND_BITS) - 1)) as usize).copied()
    }

    /// Returns the stamp or value.
    pub(crate) const fn value(self) -> u64 {
        self.word >> KIND_BITS
    }

    /// Returns the value, which may be below 0.
    pub(crate) const fn signed(self) -> i64 {
        self.word.cast_signed() >> KIND_BITS
    }

    /// Returns the three slots that a run begins with. Its length is written when it ends.
    pub(crate) const fn head(thread: u32, name: Name, core: u32, stamp: u64) -> [Self; HEAD_SLOTS] {
        [
            Self::new(name, Kind::Run, thread as u64),
            Self::bits(HEAD_SLOTS as u64),
            Self::new(Name::numbered(core), Kind::Core, stamp),
        ]
    }
}

/// The most that a counter may be, and the least of it negated: 60 bits with a sign.
pub(crate) const COUNTER_MAX: i64 = (1 << (63 - KIND_BITS)) - 1;

#[cfg(test)]
mod tests;
