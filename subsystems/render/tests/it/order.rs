//! Merging and sorting compared with std's stable sort, and keys with the values that they encode.

use loligo_render::{Draw, ItemSorter, LayerKeys, Order, RenderContext, layer_of};
use proptest::prelude::*;

use crate::drawn::check;
use crate::memory::with_memory;

/// Sorts keys, a list for each context; returns the keys and contexts, and the same by std.
fn both(lists: &[Vec<u64>]) -> [Vec<(u64, u32)>; 2] {
    with_memory(|memory, _| {
        let contexts: Vec<RenderContext> = lists
            .iter()
            .map(|keys| {
                let mut context = RenderContext::new_in(memory);
                for key in keys {
                    context.try_draw(*key, Draw::default()).expect("there is memory");
                }
                context
            })
            .collect();
        let mut expected: Vec<(u64, u32)> = lists
            .iter()
            .enumerate()
            .flat_map(|(number, keys)| keys.iter().map(move |key| (*key, number as u32)))
            .collect();
        expected.sort_by_key(|(key, _)| *key);
        let mut sorter: ItemSorter = ItemSorter::new_in(memory);
        // The second time it uses what it has.
        sorter.try_merge(&contexts[..contexts.len() / 2]).expect("there is memory");
        let sorted = sorter.try_merge(&contexts).expect("there is memory");
        [sorted.iter().map(|item| (item.key(), item.context())).collect(), expected]
    })
}

#[test]
fn merged_and_sorted_is_what_std_sorts() {
    let lists = prop::collection::vec(prop::collection::vec(any::<u64>(), 0..120), 0..6);
    // Bits that all keys share, from all to none.
    let masks = prop_oneof![
        Just(u64::MAX),
        Just(0),
        any::<u64>(),
        (0..64_u32, 0..64_u32).prop_map(|(a, b)| 1 << a | 1 << b),
        Just(0xff00_0000_0000_00ff),
    ];
    check(&(lists, masks, any::<u64>()), |(mut lists, mask, shared)| {
        lists.iter_mut().flatten().for_each(|key| *key = *key & mask | shared & !mask);
        let [ours, stds] = both(&lists);
        prop_assert_eq!(ours, stds);
        Ok(())
    });
}

/// Keys of one of several kinds, each of which takes another way through the sort.
fn keys_of(kind: usize, random: u64, at: u64) -> u64 {
    match kind {
        // All bits.
        0 => random,
        // A few values of the high bits, and the low ones among many equal.
        1 => (random & 3) << 62 | random >> 48,
        // Many equal keys, and some that differ from those in the lowest bits alone.
        2 => 0xabcd << 48 | if random.is_multiple_of(50) { random >> 58 } else { 7 },
        // Bits far from each other: a digit for each.
        3 => random & 0x8101_0101_0101_0101,
        // One bit each.
        4 => 1 << (random % 64),
        // Floats of a depth, most of them of one exponent.
        5 => u64::from((1.0 + (random % 100_000) as f32 * 0.01).to_bits()) << 25 | random >> 62,
        // In order but for a few.
        _ => {
            if random.is_multiple_of(100) {
                random >> 40
            } else {
                at
            }
        }
    }
}

#[test]
fn many_items_are_what_std_sorts() {
    // About the number from which on items are divided, and far above it.
    let counts = prop_oneof![4_090..4_100_usize, 0..300_usize, 10_000..20_000_usize];
    // A context of one item says which of equal ones it is.
    let lengths = prop_oneof![Just(1), 1..5_000_usize];
    check(&(counts, lengths, 0..7_usize, any::<u64>()), |(count, length, kind, seed)| {
        let mut state = seed | 1;
        let keys: Vec<u64> = (0..count as u64)
            .map(|at| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                keys_of(kind, state.wrapping_mul(0x2545_f491_4f6c_dd1d), at)
            })
            .collect();
        let lists: Vec<Vec<u64>> = keys.chunks(length).map(<[u64]>::to_vec).collect();
        let [ours, stds] = both(&lists);
        prop_assert_eq!(ours, stds);
        Ok(())
    });
}

#[test]
fn equal_keys_stay_in_the_order_of_contexts_and_within() {
    let lists: Vec<Vec<u64>> =
        (0..5).map(|list| (0..50).map(|at| (at * 7 + list) % 3).collect()).collect();
    let [ours, stds] = both(&lists);
    assert_eq!(ours, stds);
    with_memory(|memory, _| {
        let mut contexts: [RenderContext; 3] = [(); 3].map(|()| RenderContext::new_in(memory));
        for at in 0..300_u32 {
            let draw = Draw { state: at, ..Draw::default() };
            contexts[at as usize / 100].try_draw(u64::from(at % 2), draw).expect("there is memory");
        }
        let mut sorter: ItemSorter = ItemSorter::new_in(memory);
        let sorted = sorter.try_merge(&contexts).expect("there is memory");
        let mut list: loligo_render::DisplayList = loligo_render::DisplayList::new_in(memory);
        list.try_append(sorted, &contexts).expect("there is memory");
        let states: Vec<u32> = list
            .commands()
            .iter()
            .filter_map(|command| match command {
                loligo_render::Command::Draws { state, .. } => Some(*state),
                _ => None,
            })
            .collect();
        let expected: Vec<u32> = (0..300).step_by(2).chain((1..300).step_by(2)).collect();
        assert_eq!(states, expected);
    });
}

#[test]
fn keys_are_ordered_as_their_layers_say() {
    let depth = prop_oneof![
        0.0..1.0_f32,
        0.0..10_000.0_f32,
        Just(f32::INFINITY),
        Just(-3.0),
        Just(f32::NAN)
    ];
    let item = (any::<u8>(), any::<u32>(), depth, any::<u32>());
    check(&(item.clone(), item, 0..3_usize), |(a, b, order)| {
        let order = Order::ALL[order];
        let [one, two] = [a, b].map(|(layer, state, depth, mesh)| {
            LayerKeys::new(layer, order).key(state, mesh, depth)
        });
        prop_assert_eq!([layer_of(one), layer_of(two)], [a.0, b.0]);
        // 17 bits of a depth count.
        let near = |depth: f32| if depth > 0.0 { depth.to_bits() >> 7 } else { 0 };
        let [(near_a, near_b), (far_a, far_b)] = [(near(a.2), near(b.2)), (near(b.2), near(a.2))];
        let expected = a.0.cmp(&b.0).then(match order {
            Order::FrontToBack => near_a.cmp(&near_b).then(a.1.cmp(&b.1)),
            Order::BackToFront => far_a.cmp(&far_b).then(a.1.cmp(&b.1)),
            Order::ByState => a.1.cmp(&b.1).then((a.3 % (1 << 24)).cmp(&(b.3 % (1 << 24)))),
        });
        prop_assert_eq!(one.cmp(&two), expected);
        Ok(())
    });
}

#[test]
fn depths_differ_where_a_person_would_see_it() {
    let keys = LayerKeys::new(0, Order::FrontToBack);
    for metres in [0.1_f32, 1.0, 10.0, 100.0, 1_000.0] {
        assert!(keys.key(0, 0, metres) < keys.key(0, 0, metres * 1.000_02), "at {metres} m");
    }
    assert_eq!(keys.key(3, 0, f32::NAN), keys.key(3, 0, 0.0), "what is no number counts as 0");
}
