//! Display lists compared with naive ones, however the items are cut.

use loligo_allocators::Allocator;
use loligo_render::{
    Command, DisplayList, Draw, Geometry, IndirectArgs, ItemSorter, RenderContext, SortItem,
    layer_of,
};
use proptest::prelude::*;

use crate::drawn::check;
use crate::memory::with_memory;

/// A draw, or a job.
#[derive(Clone, Copy, Debug)]
enum Item {
    Draw(u64, Draw),
    Job(u64),
}

/// Few layers, states and meshes, and instances that often follow each other.
fn items() -> impl Strategy<Value = Vec<Item>> {
    let first = prop_oneof![8 => 0..6_u32, 1 => Just(u32::MAX), 1 => Just(u32::MAX - 1)];
    let draw = (0..3_u64, 0..2_u32, 0..2_u32, first, 0..3_u32).prop_map(
        |(layer, state, mesh, first, count)| {
            let geometry = Geometry { index_count: 3 + mesh, first_index: 0, base_vertex: 0 };
            let args = IndirectArgs::new(geometry, first, count);
            Item::Draw(layer << 56 | u64::from(state), Draw { state, args })
        },
    );
    let job = (0..3_u64).prop_map(|layer| Item::Job(layer << 56 | 1));
    prop::collection::vec(prop_oneof![9 => draw, 1 => job], 0..80)
}

fn context<'a>(items: &[Item], memory: &'a dyn Allocator) -> RenderContext<'a> {
    let mut context = RenderContext::new_in(memory);
    for item in items {
        match *item {
            Item::Draw(key, draw) => context.try_draw(key, draw),
            Item::Job(key) => context.try_job(key, 4, b"job"),
        }
        .expect("there is memory");
    }
    context
}

/// What a list should be: for each layer, draws of one state with their records, or a job.
type Naive = Vec<(u8, Option<(u32, Vec<IndirectArgs>)>)>;

fn naive(mut items: Vec<Item>) -> Naive {
    items.sort_by_key(|item| match item {
        Item::Draw(key, _) | Item::Job(key) => *key,
    });
    let mut all = Naive::new();
    for item in items {
        match (item, all.last_mut()) {
            (Item::Job(key), _) => all.push((layer_of(key), None)),
            (Item::Draw(key, draw), Some((layer, Some((state, records)))))
                if *layer == layer_of(key) && *state == draw.state =>
            {
                let (last, next) = (records.last_mut().expect("there is one"), draw.args);
                let [end, next_end] = [*last, next]
                    .map(|args| u64::from(args.first_instance) + u64::from(args.instance_count));
                let fits = next_end <= u64::from(u32::MAX) && end == u64::from(next.first_instance);
                if fits && last.geometry() == next.geometry() {
                    last.instance_count += next.instance_count;
                } else {
                    records.push(next);
                }
            }
            (Item::Draw(key, draw), _) => {
                all.push((layer_of(key), Some((draw.state, vec![draw.args]))));
            }
        }
    }
    all
}

fn told(list: &DisplayList<'_>) -> Naive {
    let (mut all, mut current) = (Naive::new(), 0);
    for command in list.commands() {
        match *command {
            Command::Layer(layer) => current = layer,
            Command::Job { .. } => all.push((current, None)),
            Command::Draws { state, first, count } => {
                let records = list.args()[first as usize..][..count as usize].to_vec();
                all.push((current, Some((state, records))));
            }
        }
    }
    all
}

/// Makes a list of the items cut into ranges of this length.
fn cut<'a>(
    items: &[SortItem],
    len: usize,
    contexts: &[RenderContext<'_>],
    memory: &'a dyn Allocator,
) -> DisplayList<'a> {
    let mut whole = DisplayList::new_in(memory);
    for range in items.chunks(len) {
        let mut part: DisplayList = DisplayList::new_in(memory);
        part.try_append(range, contexts).expect("there is memory");
        part.validate().expect("each part is whole");
        whole.try_append_list(&part).expect("there is memory");
    }
    whole
}

#[test]
fn draws_fold_as_in_a_naive_list_and_ranges_do_not_show() {
    check(&(items(), 0..80_usize), |(items, split)| {
        with_memory(|memory, _| {
            let (one, two) = items.split_at(split.min(items.len()));
            let contexts = [context(one, memory), context(two, memory)];
            let mut sorter: ItemSorter = ItemSorter::new_in(memory);
            let sorted = sorter.try_merge(&contexts).expect("there is memory");
            let mut list: DisplayList = DisplayList::new_in(memory);
            list.try_append(sorted, &contexts).expect("there is memory");
            prop_assert_eq!(list.validate(), Ok(()));
            let draws = items.iter().filter(|item| matches!(item, Item::Draw(..))).count();
            prop_assert_eq!(list.draws(), draws as u64);
            prop_assert_eq!(told(&list), naive(items));
            for len in [1, 2, 3, 7, 80] {
                let parts = cut(sorted, len, &contexts, memory);
                prop_assert_eq!(parts.commands(), list.commands(), "in ranges of {}", len);
                prop_assert_eq!(parts.args(), list.args(), "in ranges of {}", len);
                prop_assert_eq!(parts.draws(), list.draws(), "in ranges of {}", len);
            }
            Ok(())
        })
    });
}

#[test]
#[should_panic(expected = "no package begins at word 0 of context 0, of 0 contexts")]
fn items_of_other_contexts_are_a_broken_contract() {
    let pages = loligo_allocators::PageAllocator::new("pages");
    let memory: &dyn Allocator = &pages;
    let contexts = [context(&[Item::Job(1)], memory)];
    let mut sorter: ItemSorter = ItemSorter::new_in(memory);
    let sorted = sorter.try_merge(&contexts).expect("there is memory");
    let none: [RenderContext; 0] = [];
    let mut list: DisplayList = DisplayList::new_in(memory);
    _ = list.try_append(sorted, &none);
}
