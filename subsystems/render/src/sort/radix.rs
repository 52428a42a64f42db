//! A stable radix sort from the lowest digit on, over those bits in which keys differ.

use crate::sort::SortItem;

/// The bits of a digit.
const BITS: u32 = 8;

/// The values of a digit.
const VALUES: usize = 1 << BITS;

/// The most digits that a key can have.
const DIGITS_MAX: usize = 64 / BITS as usize;

/// Up to this number, items are sorted by insertion: counting values would take longer.
const FEW: usize = 40;

/// Sorts `items` by key, with `other`, which is as long, for room; returns whether they are in
/// `other` in the end.
pub(super) fn sort(items: &mut [SortItem], other: &mut [SortItem]) -> bool {
    debug_assert_eq!(items.len(), other.len(), "there is room for each item");
    let Some(differing) = differing_bits(items) else { return false };
    if items.len() <= FEW {
        insert_each(items);
        return false;
    }
    let mut shifts = [0; DIGITS_MAX];
    let digits = digits_of(differing, &mut shifts);
    let mut starts = [[0_u32; VALUES]; DIGITS_MAX];
    match digits {
        1 => count::<1>(items, &shifts, &mut starts),
        2 => count::<2>(items, &shifts, &mut starts),
        3 => count::<3>(items, &shifts, &mut starts),
        4 => count::<4>(items, &shifts, &mut starts),
        5 => count::<5>(items, &shifts, &mut starts),
        6 => count::<6>(items, &shifts, &mut starts),
        7 => count::<7>(items, &shifts, &mut starts),
        _ => count::<8>(items, &shifts, &mut starts),
    }
    let (mut from, mut to) = (items, other);
    for (shift, starts) in shifts.iter().zip(&mut starts).take(digits) {
        scatter(from, to, *shift, starts);
        core::mem::swap(&mut from, &mut to);
    }
    digits % 2 == 1
}

/// Returns the bits in which keys differ, or `None` if they are in order.
fn differing_bits(items: &[SortItem]) -> Option<u64> {
    let mut last = items.first()?.key;
    let (mut differing, mut in_order) = (0, true);
    for item in items {
        differing |= item.key ^ last;
        in_order &= last <= item.key;
        last = item.key;
    }
    (!in_order).then_some(differing)
}

/// Finds the digits: the lowest begins at the lowest bit that differs, the next one at the lowest
/// such bit above it, and so on.
fn digits_of(mut differing: u64, shifts: &mut [u32; DIGITS_MAX]) -> usize {
    let mut digits = 0;
    while differing != 0 {
        let shift = differing.trailing_zeros();
        shifts[digits] = shift;
        digits += 1;
        differing = differing.checked_shr(shift + BITS).map_or(0, |rest| rest << (shift + BITS));
    }
    digits
}

/// Counts the values of all digits in one walk, and adds them up to where the items of each value
/// begin.
fn count<const DIGITS: usize>(
    items: &[SortItem],
    shifts: &[u32; DIGITS_MAX],
    starts: &mut [[u32; VALUES]; DIGITS_MAX],
) {
    for item in items {
        for digit in 0..DIGITS {
            starts[digit][value_of(item, shifts[digit])] += 1;
        }
    }
    for starts in starts.iter_mut().take(DIGITS) {
        let mut sum = 0;
        for start in starts {
            let count = *start;
            *start = sum;
            sum += count;
        }
    }
}

/// Moves each item to the place that its digit says.
fn scatter(from: &[SortItem], to: &mut [SortItem], shift: u32, starts: &mut [u32; VALUES]) {
    for item in from {
        let place = &mut starts[value_of(item, shift)];
        to[*place as usize] = *item;
        *place += 1;
    }
}

#[inline(always)]
fn value_of(item: &SortItem, shift: u32) -> usize {
    (item.key >> shift) as usize % VALUES
}

fn insert_each(items: &mut [SortItem]) {
    for end in 1..items.len() {
        let item = items[end];
        let mut at = end;
        while at > 0 && items[at - 1].key > item.key {
            items[at] = items[at - 1];
            at -= 1;
        }
        items[at] = item;
    }
}
