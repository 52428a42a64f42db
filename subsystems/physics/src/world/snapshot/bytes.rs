//! Reading and writing the parts of a snapshot.

use bytemuck::AnyBitPattern;
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use postcard::ser_flavors::Flavor;

use super::SnapshotError;

/// Bytes that are read from the front.
pub(super) struct Source<'b> {
    rest: &'b [u8],
}

impl<'b> Source<'b> {
    pub(super) const fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn plain<T: AnyBitPattern>(
        &mut self,
        part: &'static str,
    ) -> Result<T, SnapshotError> {
        Ok(bytemuck::pod_read_unaligned(self.take(size_of::<T>(), part)?))
    }

    /// Returns a part, whose length is before it.
    pub(super) fn part(&mut self, part: &'static str) -> Result<&'b [u8], SnapshotError> {
        let length: u64 = self.plain(part)?;
        let length = usize::try_from(length).map_err(|_| SnapshotError::Wrong { part })?;
        self.take(length, part)
    }

    pub(super) const fn end(&self) -> Result<(), SnapshotError> {
        match self.rest.is_empty() {
            true => Ok(()),
            false => Err(SnapshotError::Wrong { part: "last bytes" }),
        }
    }

    fn take(&mut self, length: usize, part: &'static str) -> Result<&'b [u8], SnapshotError> {
        let (taken, rest) =
            self.rest.split_at_checked(length).ok_or(SnapshotError::Wrong { part })?;
        self.rest = rest;
        Ok(taken)
    }
}

/// Appends a part, with its length before it.
pub(super) fn put<A: Allocator + ?Sized>(
    out: &mut Array<'_, u8, A>,
    part: &[u8],
) -> Result<(), GrowError> {
    out.try_extend_from_slice(&(part.len() as u64).to_ne_bytes())?;
    out.try_extend_from_slice(part)
}

/// Returns a sum of 64 bits, which is another one if bytes have changed within eight that are aligned:
/// each step maps different sums to different sums.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = 0xCBF2_9CE4_8422_2325_u64;
    let mut mix = |word: u64| {
        sum = (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        sum ^= sum >> 29;
    };
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().for_each(|word| mix(u64::from_le_bytes(*word)));
    rest.iter().for_each(|byte| mix(u64::from(*byte)));
    sum
}

/// Where postcard writes to: the end of an array.
pub(super) struct Sink<'o, 'a, A: Allocator + ?Sized> {
    pub(super) out: &'o mut Array<'a, u8, A>,
    pub(super) refused: Option<GrowError>,
}

impl<A: Allocator + ?Sized> Flavor for &mut Sink<'_, '_, A> {
    type Output = ();

    fn try_push(&mut self, data: u8) -> postcard::Result<()> {
        self.try_extend(&[data])
    }

    fn try_extend(&mut self, data: &[u8]) -> postcard::Result<()> {
        self.out.try_extend_from_slice(data).map_err(|error| {
            self.refused = Some(error);
            postcard::Error::SerializeBufferFull
        })
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}
