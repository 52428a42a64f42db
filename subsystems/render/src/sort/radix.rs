//! A stable radix sort: items are divided by their highest bits, and each part is sorted by as many
//! of its next bits as make most of its keys differ.
//!
//! Both parts of this are known: the division into parts that fit in the cache is the first pass of
//! a sort from the highest digit, and the digits that are not walked are those of a diverting sort.
//! What is particular is that each part looks for the bits in which its own keys differ.

use crate::sort_item::SortItem;

/// Up to this number, items are sorted by insertion: counting values would take longer.
const FEW: usize = 24;

/// From this number on, items are divided into parts first.
const MANY: usize = 4_096;

/// The parts. More of them would be smaller, but each is written to at the same time: with a few
/// dozen, the page of each is found in the first level of the processor's cache of pages.
const PARTS: usize = 32;

/// A part is sorted by this many bits more than its length has: then one key in sixteen, if they
/// are random, still equals its neighbour.
const SPARE_BITS: u32 = 4;

/// The most digits: the narrowest has 6 of 64 bits.
const DIGITS_MAX: usize = 64_usize.div_ceil(6);

/// Merges `lists` into `sorted`, which is as long as all, by key; `room` is as long.
pub(super) fn merge<'c>(
    lists: impl Iterator<Item = &'c [SortItem]> + Clone,
    sorted: &mut [SortItem],
    room: &mut [SortItem],
) {
    debug_assert_eq!(
        lists.clone().map(<[_]>::len).sum::<usize>(),
        sorted.len(),
        "all have a place"
    );
    debug_assert_eq!(room.len(), sorted.len(), "there is room for each item");
    match differing_bits(lists.clone()) {
        Some(differing) if sorted.len() >= MANY => merge_parts(lists, differing, sorted, room),
        differing => {
            append(lists, sorted);
            if differing.is_some() {
                sort(sorted, room);
            }
        }
    }
}

/// Returns the bits in which keys differ, or `None` if they are in order.
fn differing_bits<'c>(lists: impl Iterator<Item = &'c [SortItem]> + Clone) -> Option<u64> {
    let first = lists.clone().flatten().next()?.key;
    let (mut last, mut differing, mut in_order) = (first, 0, true);
    for list in lists {
        for item in list {
            differing |= item.key ^ first;
            in_order &= last <= item.key;
            last = item.key;
        }
    }
    (!in_order).then_some(differing)
}

/// Copies `lists`, one after the other.
fn append<'c>(lists: impl Iterator<Item = &'c [SortItem]>, mut to: &mut [SortItem]) {
    for (number, list) in (0..).zip(lists) {
        let (places, rest) = to.split_at_mut(list.len());
        for (place, item) in places.iter_mut().zip(list) {
            *place = SortItem { context: number, ..*item };
        }
        to = rest;
    }
}

/// Merges `lists`, divided by the highest of the bits that differ, and sorts each part.
fn merge_parts<'c>(
    lists: impl Iterator<Item = &'c [SortItem]> + Clone,
    differing: u64,
    sorted: &mut [SortItem],
    room: &mut [SortItem],
) {
    let shift = (u64::BITS - differing.leading_zeros()).saturating_sub(PARTS.ilog2());
    let mut counts = [0_u32; PARTS];
    for list in lists.clone() {
        list.iter().for_each(|item| counts[value_of::<PARTS>(item, shift)] += 1);
    }
    let mut places = counts;
    make_starts(&mut places);
    for (number, list) in (0..).zip(lists) {
        scatter(list, sorted, shift, &mut places, |item| SortItem { context: number, ..*item });
    }
    let mut rest = sorted;
    for count in counts {
        let (part, others) = rest.split_at_mut(count as usize);
        // All parts share the beginning of the room, which then stays in the cache.
        sort(part, &mut room[..part.len()]);
        rest = others;
    }
}

/// Sorts `items`, with `room` as long.
///
/// The digits of a call cover more bits than the length has, so calls are nested seven deep at
/// most.
fn sort(items: &mut [SortItem], room: &mut [SortItem]) {
    if items.len() <= FEW {
        insert_each(items);
        return;
    }
    let Some(differing) = differing_bits(core::iter::once(&*items)) else { return };
    let wanted = usize::BITS - items.len().leading_zeros() + SPARE_BITS;
    let mut highest = differing;
    while highest.count_ones() > wanted {
        highest &= highest - 1;
    }
    // Two digits, if their bits are next to each other and no wider than the widest.
    match highest.count_ones() {
        ..=12 => sort_by::<64>(items, room, highest),
        13..=16 => sort_by::<256>(items, room, highest),
        _ => sort_by::<2_048>(items, room, highest),
    }
    if highest != differing {
        sort_equal(items, room, highest.trailing_zeros());
    }
}

/// Sorts `items` by the digits that cover `bits`, from the lowest on; a digit has `VALUES`.
fn sort_by<const VALUES: usize>(items: &mut [SortItem], room: &mut [SortItem], bits: u64) {
    let mut shifts = [0; DIGITS_MAX];
    let digits = digits_of(bits, VALUES.ilog2(), &mut shifts);
    let (pairs, last) = shifts[..digits].as_chunks::<2>();
    for [low, high] in pairs {
        // Both are counted in one walk: the order of the items is of no account.
        let mut counts = [[0_u32; VALUES]; 2];
        for item in &*items {
            counts[0][value_of::<VALUES>(item, *low)] += 1;
            counts[1][value_of::<VALUES>(item, *high)] += 1;
        }
        counts.iter_mut().for_each(make_starts);
        scatter(items, room, *low, &mut counts[0], |item| *item);
        scatter(room, items, *high, &mut counts[1], |item| *item);
    }
    if let [shift] = last {
        let mut counts = [0_u32; VALUES];
        items.iter().for_each(|item| counts[value_of::<VALUES>(item, *shift)] += 1);
        make_starts(&mut counts);
        scatter(items, room, *shift, &mut counts, |item| *item);
        items.copy_from_slice(room);
    }
}

/// Finds the digits: the lowest begins at the lowest of the bits, the next one at the lowest of
/// those above it, and so on. Returns how many there are.
fn digits_of(mut bits: u64, width: u32, shifts: &mut [u32; DIGITS_MAX]) -> usize {
    let mut digits = 0;
    while bits != 0 {
        let shift = bits.trailing_zeros();
        shifts[digits] = shift;
        digits += 1;
        bits = bits.checked_shr(shift + width).map_or(0, |rest| rest << (shift + width));
    }
    digits
}

/// Replaces each count by where the items of its value begin. In place: a copy of the counts of
/// 2 048 values is 8 KiB.
fn make_starts<const VALUES: usize>(counts: &mut [u32; VALUES]) {
    let mut sum = 0;
    for place in counts {
        let count = *place;
        *place = sum;
        sum += count;
    }
}

/// Moves each item to the place that its digit says.
#[inline(always)]
fn scatter<const VALUES: usize>(
    from: &[SortItem],
    to: &mut [SortItem],
    shift: u32,
    places: &mut [u32; VALUES],
    moved: impl Fn(&SortItem) -> SortItem,
) {
    let mut place_of = |item: &SortItem| {
        let place = &mut places[value_of::<VALUES>(item, shift)];
        *place += 1;
        *place as usize - 1
    };
    // By four, so that the places of the next items need not wait for the stores of these.
    let (fours, rest) = from.as_chunks::<4>();
    for four in fours {
        let at = [&four[0], &four[1], &four[2], &four[3]].map(&mut place_of);
        for (item, at) in four.iter().zip(at) {
            to[at] = moved(item);
        }
    }
    for item in rest {
        to[place_of(item)] = moved(item);
    }
}

#[inline(always)]
fn value_of<const VALUES: usize>(item: &SortItem, shift: u32) -> usize {
    (item.key >> shift) as usize % VALUES
}

/// Sorts the items that are equal from the bit `low` on, and are in order by these bits, by the
/// bits below.
fn sort_equal(items: &mut [SortItem], room: &mut [SortItem], low: u32) {
    let mut at = 1;
    while at < items.len() {
        if items[at - 1].key <= items[at].key {
            at += 1;
            continue;
        }
        let high = items[at].key >> low;
        let is_equal = |item: &SortItem| item.key >> low == high;
        let begin = at - items[..at].iter().rev().take_while(|item| is_equal(item)).count();
        let end = at + items[at..].iter().take_while(|item| is_equal(item)).count();
        sort(&mut items[begin..end], &mut room[begin..end]);
        at = end + 1;
    }
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
