//! What an event is, and the header before it.

use bytemuck::{CheckedBitPattern, NoUninit};

use crate::error::GrowError;

/// Bytes of the unit in which streams are laid out.
pub(super) const WORD: usize = size_of::<u32>();

/// Words of a header.
pub(super) const HEADER_WORDS: u32 = 2;

/// Bytes of a header.
pub(super) const HEADER_BYTES: usize = HEADER_WORDS as usize * WORD;

/// A plain struct that can be in an [`EventStream`](crate::EventStream).
///
/// It has no padding (`NoUninit`), so no byte of the program's memory is sent that was not meant,
/// and is read back from any bits (`AnyBitPattern`) or from checked ones (`CheckedBitPattern`, for
/// structs with a `bool` or an enum): bytemuck derives both.
///
/// # Examples
///
/// ```
/// use bytemuck::{CheckedBitPattern, NoUninit};
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{Event, EventStream};
/// use loligo_ids::id32;
///
/// #[derive(Clone, Copy, Debug, PartialEq, NoUninit, CheckedBitPattern)]
/// #[repr(u32)]
/// enum Ground {
///     Grass = 1,
///     Gravel = 2,
/// }
///
/// #[derive(Clone, Copy, Debug, PartialEq, NoUninit, CheckedBitPattern)]
/// #[repr(C)]
/// struct FootDown {
///     unit: u32,
///     ground: Ground,
/// }
/// impl Event for FootDown {
///     const TYPE: u32 = id32!("foot_down").hash();
/// }
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut steps: EventStream = EventStream::new(&MEMORY);
/// steps.push(FootDown { unit: 3, ground: Ground::Gravel });
/// // Bits that are no ground are no event.
/// steps.try_push_bytes(FootDown::TYPE, &[0; 8])?;
/// let read: Vec<FootDown> = steps.of().collect();
/// assert_eq!(read, [FootDown { unit: 3, ground: Ground::Gravel }]);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
///
/// With the feature `derive`, `#[derive(Event)]` gives a type the hash of its name.
#[diagnostic::on_unimplemented(
    note = "with the feature `derive` of loligo-containers, add `#[derive(Event)]` to `{Self}`"
)]
pub trait Event: NoUninit + CheckedBitPattern {
    /// The number that names the type: one of an enum of the program, or the hash of a name, by
    /// which streams of systems that know nothing of each other can be joined.
    const TYPE: u32;
}

/// Returns an event's size.
pub(super) const fn size<E: Event>() -> u32 {
    assert!(size_of::<E>() < u32::MAX as usize, "an event is shorter than 4 GiB");
    size_of::<E>() as u32
}

/// Returns the header of a record: as it is in memory, the type comes first.
#[inline(always)]
pub(super) const fn header(kind: u32, size: u32) -> u64 {
    let (kind, size) = (kind as u64, size as u64);
    if cfg!(target_endian = "little") { size << 32 | kind } else { kind << 32 | size }
}

/// Returns the header of an event without a tail.
pub(super) const fn type_and_size<E: Event>() -> u64 {
    header(E::TYPE, size::<E>())
}

/// Returns the type that a header states.
#[inline(always)]
pub(super) const fn kind_of(header: u64) -> u32 {
    if cfg!(target_endian = "little") { header as u32 } else { (header >> 32) as u32 }
}

/// Returns the size that a header states.
#[inline(always)]
pub(super) const fn size_of_payload(header: u64) -> u32 {
    if cfg!(target_endian = "little") { (header >> 32) as u32 } else { header as u32 }
}

/// Returns the bytes that a record takes whose payload is this long.
#[inline(always)]
pub(super) const fn record_bytes(size: u32) -> u64 {
    HEADER_BYTES as u64 + ((size as u64 + (WORD as u64 - 1)) & !(WORD as u64 - 1))
}

/// Returns the size of a payload of two parts, if a header can state it.
pub(super) fn payload_bytes(first: usize, second: usize) -> Result<u32, GrowError> {
    let wanted = (first as u64).saturating_add(second as u64);
    let limit = u64::from(u32::MAX);
    u32::try_from(wanted).map_err(|_| GrowError::Length { wanted, limit })
}
