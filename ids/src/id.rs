//! The id: an index, a generation and a table's tag in one integer.
//!
//! After Niklas Frykholm, "Managing Decoupling Part 4 -- The ID Lookup Table" (2011), and his
//! "Managing Coupling" (2011) for why ids at all. Changes: the split of the bits is a parameter,
//! ids of different systems are different types, generations start at 1 so that 0 is not an id, and
//! bits that are left over name the table.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

mod repr;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(test)]
mod tests;

pub use repr::Repr;
pub(crate) use repr::Sealed;

/// The name of an object that another system owns.
///
/// ```text
/// | tag of the table | generation          | index          |
/// | what is left: 8  | GENERATION_BITS: 24 | INDEX_BITS: 32 |      low bits on the right
/// ```
///
/// - `Tag` is a type, any type: it keeps the ids of one kind of object from being given to the
///   table of another. Usually it is the object's own type. Nothing of it is stored or asked of it.
/// - `R` is `u64` or `u32`, the memory that an id takes.
/// - `INDEX_BITS` say how many slots a table can have, `GENERATION_BITS` how many lives a slot: C =
///   2^`GENERATION_BITS` - 1, as the generation 0 is never given out. 32 + 24 of 64 bits is the
///   default: as many slots as there is memory for, 16.7 million lives each. [`SmallId`] is 20 + 12
///   of 32 bits, for ids that are stored in great numbers.
/// - Bits above both hold the tag of the table. A table takes one by itself, so an id of another
///   table is refused unless both have the same tag; [`Table::tag`](crate::Table::tag) says when.
///
/// An id is never 0. `Option<Id>` is as small as the id and its `None` is stored as 0, so it is
/// `Option<Id>` that is plain data (`bytemuck::Pod`) and may be in zeroed memory, streams and
/// files. Ids read from such bytes may be wrong in any way: a table answers `None` to them.
///
/// | split | `Id<T, ..>` | slots | lives of a slot | bits for a tag |
/// |---|---|---|---|---|
/// | 32 + 24, the default | `u64, 32, 24` | 4 294 967 296 | 16 777 215 | 8 |
/// | 20 + 12, [`SmallId`] | `u32, 20, 12` | 1 048 576 | 4 095 | 0 |
/// | 16 + 16 | `u32, 16, 16` | 65 536 | 65 535 | 0 |
/// | 22 + 10 | `u32, 22, 10` | 4 194 304 | 1 023 | 0 |
/// | 16 + 12 | `u32, 16, 12` | 65 536 | 4 095 | 4 |
/// | 32 + 32 | `u64, 32, 32` | 4 294 967 296 | 4 294 967 295 | 0 |
/// | 48 + 16 | `u64, 48, 16` | 2^48 | 65 535 | 0 |
///
/// A split that does not fit does not compile:
///
/// ```compile_fail
/// use loligo_ids::Id;
/// let id = Id::<(), u32, 22, 11>::from_bits(1);
/// ```
///
/// # Complexity
///
/// All operations are a few instructions; nothing allocates. `size_of::<R>()` bytes, alignment of
/// `R`.
///
/// # Examples
///
/// ```
/// use loligo_ids::Id;
///
/// struct Effect;
/// struct Sound;
///
/// // Generation 3 of slot 7 in the table with tag 5, as the wire brought it.
/// let id = Id::<Effect>::from_bits(0x05_000003_00000007).expect("a generation is never 0");
/// assert_eq!((id.index(), id.generation(), id.tag()), (7, 3, 5));
/// assert_eq!(size_of::<Option<Id<Effect>>>(), 8);
///
/// fn play(_: Id<Sound>) {}
/// // play(id); does not compile: the id of an effect names no sound.
/// ```
#[repr(transparent)]
pub struct Id<Tag, R: Repr = u64, const INDEX_BITS: u32 = 32, const GENERATION_BITS: u32 = 24> {
    bits: R::NonZero,
    of: PhantomData<fn() -> Tag>,
}

/// An id of 32 bits: a million slots of 4 095 lives each, and no bits for a tag.
///
/// Half the memory of an [`Id`] in the objects that hold it and in the table, which has a word for
/// each slot. An id of another table with the same `Tag` type is not refused. Where a slot may be
/// used more than 4 095 times in a run, read [`TableStats::retired`](crate::TableStats::retired),
/// or take [`Wrap`](crate::Wrap).
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_ids::{HoleTable, SmallId};
///
/// struct Spark;
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut sparks: HoleTable<Spark, SmallId<Spark>> = HoleTable::new(&MEMORY);
/// let spark = sparks.insert(Spark)?;
/// assert_eq!((size_of_val(&spark), spark.tag()), (4, 0));
/// # Ok::<(), loligo_ids::InsertError>(())
/// ```
pub type SmallId<Tag> = Id<Tag, u32, 20, 12>;

impl<Tag, R: Repr, const INDEX_BITS: u32, const GENERATION_BITS: u32>
    Id<Tag, R, INDEX_BITS, GENERATION_BITS>
{
    const FITS: () = {
        assert!(INDEX_BITS > 0, "an id needs at least one bit for the index");
        assert!(GENERATION_BITS > 0, "an id needs at least one bit for the generation");
        assert!(INDEX_BITS < 64 && GENERATION_BITS < 64, "the split does not fit the integer");
        assert!(INDEX_BITS + GENERATION_BITS <= R::BITS, "the split does not fit the integer");
    };

    /// Returns the id that `bits` represent: what [`to_bits`](Self::to_bits) returned.
    ///
    /// `None` if they are not an id, since the generation is 0. Whether the id names an object,
    /// only the table can say.
    #[inline]
    #[must_use]
    pub fn from_bits(bits: R) -> Option<Self> {
        let () = Self::FITS;
        if bits.wide() & <Self as TableId>::GENERATION_MASK == 0 {
            return None;
        }
        Some(Self { bits: bits.non_zero()?, of: PhantomData })
    }

    /// Returns the bits, to store or to send. Never 0.
    #[inline]
    #[must_use]
    pub fn to_bits(self) -> R {
        R::of(self.bits)
    }

    /// Returns the slot's number, which the id has for life: an index for parallel arrays that have
    /// a place for every slot.
    #[inline]
    #[must_use]
    pub fn index(self) -> R {
        R::narrow(self.to_bits().wide() & <Self as TableId>::INDEX_MASK)
    }

    /// Returns which life of the slot this is, from 1 on.
    #[inline]
    #[must_use]
    pub fn generation(self) -> R {
        let () = Self::FITS;
        R::narrow((self.to_bits().wide() & <Self as TableId>::GENERATION_MASK) >> INDEX_BITS)
    }

    /// Returns the tag of the table that made the id; 0 where no bits are left for one.
    #[inline]
    #[must_use]
    pub fn tag(self) -> R {
        R::narrow(tag_of::<Self>(self.to_bits().wide()))
    }
}

/// What a table needs to know of its ids: implemented by every [`Id`] and by nothing else.
pub trait TableId: Sealed + Copy + Eq + Ord + Hash + fmt::Debug + Send + Sync + Sized {
    /// The integer that the id is.
    type Repr: Repr;

    /// How many bits name the slot.
    const INDEX_BITS: u32;

    /// How many bits name the slot's life.
    const GENERATION_BITS: u32;

    /// The bits of the index.
    #[doc(hidden)]
    const INDEX_MASK: u64 = (1 << Self::INDEX_BITS) - 1;

    /// The generation 1, where it is in the id.
    #[doc(hidden)]
    const GENERATION_ONE: u64 = 1 << Self::INDEX_BITS;

    /// The bits of the generation, which are those of the last one, too.
    #[doc(hidden)]
    const GENERATION_MASK: u64 = ((1 << Self::GENERATION_BITS) - 1) << Self::INDEX_BITS;

    /// How many bits are left for the tag of a table.
    const TAG_BITS: u32 = Self::Repr::BITS - Self::INDEX_BITS - Self::GENERATION_BITS;

    /// How many lives a slot has: C.
    const GENERATIONS: u64 = (1 << Self::GENERATION_BITS) - 1;

    /// How many slots the index can name.
    const SLOTS: u64 = 1 << Self::INDEX_BITS;

    /// As [`Id::from_bits`].
    #[doc(hidden)]
    fn checked(bits: u64) -> Option<Self>;

    /// As [`Id::from_bits`], for bits whose generation is known not to be 0.
    ///
    /// # Safety
    ///
    /// The bits are not 0.
    #[doc(hidden)]
    unsafe fn unchecked(bits: u64) -> Self;

    /// As [`Id::to_bits`].
    #[doc(hidden)]
    fn bits(self) -> u64;
}

/// Returns the tag of bits.
#[inline]
#[expect(clippy::arithmetic_side_effects, reason = "each is below 64")]
pub(crate) fn tag_of<I: TableId>(bits: u64) -> u64 {
    bits.checked_shr(I::INDEX_BITS + I::GENERATION_BITS).unwrap_or(0)
}

impl<Tag, R: Repr, const INDEX_BITS: u32, const GENERATION_BITS: u32> TableId
    for Id<Tag, R, INDEX_BITS, GENERATION_BITS>
{
    type Repr = R;
    const INDEX_BITS: u32 = {
        let () = Self::FITS;
        INDEX_BITS
    };
    const GENERATION_BITS: u32 = {
        let () = Self::FITS;
        GENERATION_BITS
    };

    #[inline]
    fn checked(bits: u64) -> Option<Self> {
        Self::from_bits(R::narrow(bits))
    }

    #[inline]
    unsafe fn unchecked(bits: u64) -> Self {
        // SAFETY: the caller's promise.
        Self { bits: unsafe { R::narrow_unchecked(bits) }, of: PhantomData }
    }

    #[inline]
    fn bits(self) -> u64 {
        R::of(self.bits).wide()
    }
}

impl<Tag, R: Repr, const I: u32, const G: u32> Sealed for Id<Tag, R, I, G> {}

impl<Tag, R: Repr, const I: u32, const G: u32> Clone for Id<Tag, R, I, G> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<Tag, R: Repr, const I: u32, const G: u32> Copy for Id<Tag, R, I, G> {}

impl<Tag, R: Repr, const I: u32, const G: u32> PartialEq for Id<Tag, R, I, G> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}

impl<Tag, R: Repr, const I: u32, const G: u32> Eq for Id<Tag, R, I, G> {}

impl<Tag, R: Repr, const I: u32, const G: u32> PartialOrd for Id<Tag, R, I, G> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By tag, then generation, then index. The order means nothing to the table.
impl<Tag, R: Repr, const I: u32, const G: u32> Ord for Id<Tag, R, I, G> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.bits.cmp(&other.bits)
    }
}

impl<Tag, R: Repr, const I: u32, const G: u32> Hash for Id<Tag, R, I, G> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits.hash(state);
    }
}

/// `Id(7v3)` for generation 3 of slot 7, `Id(7v3@2)` in the table with tag 2.
impl<Tag, R: Repr, const I: u32, const G: u32> fmt::Debug for Id<Tag, R, I, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({}v{}", self.index(), self.generation())?;
        if self.tag() != R::default() {
            write!(f, "@{}", self.tag())?;
        }
        f.write_str(")")
    }
}

// SAFETY: an id is one integer that is not zero, so `Option` of it has `None` as all zeros.
unsafe impl<Tag, R: Repr, const I: u32, const G: u32> bytemuck::ZeroableInOption
    for Id<Tag, R, I, G>
{
}

// SAFETY: `Option` of a transparent wrapper around a `NonZero` integer has the integer's size, no
// padding, and a meaning for every bit pattern; nothing relies on the generation of an id not being
// 0.
unsafe impl<Tag: 'static, R: Repr, const I: u32, const G: u32> bytemuck::PodInOption
    for Id<Tag, R, I, G>
{
}

// SAFETY: a transparent wrapper around a `NonZero` integer has no uninitialised bytes.
unsafe impl<Tag: 'static, R: Repr, const I: u32, const G: u32> bytemuck::NoUninit
    for Id<Tag, R, I, G>
{
}
