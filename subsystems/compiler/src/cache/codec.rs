//! Reading and writing the parts of a record.

use std::sync::Arc;

use loligo_resources::ContentHash;

/// Writes the parts of a record.
#[derive(Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(super) fn u32(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(super) fn u64(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(super) fn hash(&mut self, hash: ContentHash) {
        self.0.extend_from_slice(&hash.0);
    }

    /// Writes a length. What has 4 billion parts is longer than any record that is read.
    pub(super) fn count(&mut self, count: usize) {
        self.u32(u32::try_from(count).unwrap_or(u32::MAX));
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend_from_slice(bytes);
    }
}

/// Reads the parts of a record; none where it is too short or not of the form.
pub(super) struct Reader<'b>(pub(super) &'b [u8]);

impl<'b> Reader<'b> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn hash(&mut self) -> Option<ContentHash> {
        self.array().map(ContentHash)
    }

    pub(super) fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = self.u32()? as usize;
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn text(&mut self) -> Option<Arc<str>> {
        core::str::from_utf8(self.bytes()?).ok().map(Arc::from)
    }

    /// Reads a count, and that number of items, each of which has at least `bytes_min` bytes: a
    /// count that is greater than what follows asks for no memory.
    pub(super) fn list<T>(
        &mut self,
        bytes_min: usize,
        mut item: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = self.u32()? as usize;
        if count > self.0.len() / bytes_min {
            return None;
        }
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(item(self)?);
        }
        Some(items)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }
}
