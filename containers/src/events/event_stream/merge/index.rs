//! An index of records that are being merged: a key and a place each, merged in place of them.

use core::hint::select_unpredictable;
use core::mem::MaybeUninit;

use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::error::GrowError;
use crate::events::event_stream::reader::{EventReader, EventRecord, first};

#[cfg(test)]
mod tests;

/// How many bytes of a record are copied at once, if its stream has as many.
pub(super) const USUAL: usize = 64;

/// A record: its key, and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'s, K> {
    key: K,
    /// How long the record is.
    bytes: u32,
    /// [`USUAL`] bytes of the stream from the record on, if it has as many and the record is no
    /// longer; else the record.
    from: &'s [u8],
}

impl<'s, K> Entry<'s, K> {
    /// Returns how long the record is, and bytes from its beginning on, at least as many.
    #[inline(always)]
    pub(super) const fn record(&self) -> (usize, &'s [u8]) {
        (self.bytes as usize, self.from)
    }
}

/// Reads the keys of all records of several streams and returns their entries in the order of the
/// keys; those of an earlier stream come first.
///
/// A key that is less than the one before it in its stream counts as equal to that. So each stream
/// is in order, and such a record comes right after the one before it.
pub(super) fn try_index<'s, 'a, K: Ord + Copy, A: Allocator + ?Sized>(
    sources: &[EventReader<'s>],
    key: &mut impl FnMut(&EventRecord<'_>) -> K,
    memory: &'a A,
) -> Result<Array<'a, Entry<'s, K>, A>, GrowError> {
    let mut entries = Array::new_in(memory);
    let mut ends = Array::try_with_capacity_in(sources.len(), memory)?;
    for stream in sources {
        try_read(*stream, key, &mut entries)?;
        ends.try_push(entries.len())?;
    }
    if ends.len() > 1 {
        let mut other = Array::try_with_capacity_in(entries.len(), memory)?;
        while ends.len() > 1 {
            other.clear();
            let pairs = merge_pairs(&entries, &mut ends, other.spare_capacity_mut());
            ends.truncate(pairs);
            // SAFETY: there is room for all entries, and each pair has written to all its places.
            unsafe { other.set_len(entries.len()) };
            core::mem::swap(&mut entries, &mut other);
        }
    }
    Ok(entries)
}

/// Appends the entries of a stream.
fn try_read<'s, K: Ord + Copy, A: Allocator + ?Sized>(
    stream: EventReader<'s>,
    key: &mut impl FnMut(&EventRecord<'_>) -> K,
    entries: &mut Array<'_, Entry<'s, K>, A>,
) -> Result<(), GrowError> {
    let mut rest = stream.as_bytes();
    let mut last = None;
    while let Some((record, behind)) = first(rest) {
        let record_key = key(&record);
        let key = last.map_or(record_key, |last| record_key.max(last));
        last = Some(key);
        let bytes = record.as_bytes().len();
        let usual = if bytes <= USUAL { rest.get(..USUAL) } else { None };
        let from = usual.unwrap_or(record.as_bytes());
        entries.try_push(Entry { key, bytes: bytes as u32, from })?;
        rest = behind;
    }
    Ok(())
}

/// Merges runs of entries two at a time, sets where the merged ones end, and returns how many there
/// are. A last run without another is copied.
fn merge_pairs<'s, K: Ord + Copy>(
    entries: &[Entry<'s, K>],
    ends: &mut [usize],
    out: &mut [MaybeUninit<Entry<'s, K>>],
) -> usize {
    let pairs = ends.len().div_ceil(2);
    let mut start = 0;
    for pair in 0..pairs {
        let middle = ends[2 * pair];
        let end = ends.get(2 * pair + 1).copied().unwrap_or(middle);
        merge_two(&entries[start..middle], &entries[middle..end], &mut out[start..end]);
        ends[pair] = end;
        start = end;
    }
    pairs
}

/// Merges two runs that are in order to as many places, all of which it writes to, from both ends at once: the choices at one end do not wait for
/// those at the other, and none is a branch.
///
/// An order that contradicts itself gives some order, and may repeat entries or lose some.
fn merge_two<'s, 'r, K: Ord + Copy>(
    mut left: &'r [Entry<'s, K>],
    mut right: &'r [Entry<'s, K>],
    mut out: &mut [MaybeUninit<Entry<'s, K>>],
) {
    assert_eq!(left.len() + right.len(), out.len(), "all entries have a place");
    loop {
        let steps = left.len().min(right.len()) / 2;
        if steps == 0 {
            break;
        }
        let count = out.len();
        let (mut taken, mut kept) = (0, left.len());
        for step in 0..steps {
            // SAFETY: a step takes one entry at each end, so `taken` and `step - taken` are at most
            // `step`, which is less than half the length of either run.
            let a = unsafe { left.get_unchecked(step - taken) };
            // SAFETY: as above.
            let b = unsafe { right.get_unchecked(taken) };
            let is_right = b.key < a.key;
            // SAFETY: there are as many places as entries, and twice as many entries as steps.
            let place = unsafe { out.get_unchecked_mut(step) };
            place.write(*select_unpredictable(is_right, b, a));
            taken += usize::from(is_right);
            // SAFETY: of the run at least `left.len() - step` entries are kept, more than half.
            let a = unsafe { left.get_unchecked(kept - 1) };
            // SAFETY: as above, of all entries that are kept.
            let b = unsafe { right.get_unchecked(count - step - kept - 1) };
            let is_left = b.key < a.key;
            // SAFETY: as above.
            let place = unsafe { out.get_unchecked_mut(count - step - 1) };
            place.write(*select_unpredictable(is_left, a, b));
            kept -= usize::from(is_left);
        }
        right = &right[taken..count - steps - kept];
        left = &left[steps - taken..kept];
        out = &mut out[steps..count - steps];
    }
    for place in out {
        let is_right = match (left.first(), right.first()) {
            (Some(a), Some(b)) => b.key < a.key,
            (a, _) => a.is_none(),
        };
        let run = if is_right { &mut right } else { &mut left };
        let (first, rest) = run.split_first().expect("there are as many entries as places");
        place.write(*first);
        *run = rest;
    }
}
