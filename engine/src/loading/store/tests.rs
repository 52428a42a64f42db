//! Random sequences compared with a model: what must be there is what can be reached from what is wanted.

use std::collections::{BTreeMap, BTreeSet};

use loligo_allocators::{
    Allocator as _, FailingAllocator, HeapAllocator, Locked, PageAllocator, Refusals,
};
use loligo_ids::IdString64;

use super::*;

fn key(number: u64) -> ResourceKey {
    ResourceKey { type_hash: IdString64::from_hash(1), name: IdString64::from_hash(number) }
}

/// A generator of numbers (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// What resources there are, and what each needs: those of lower numbers alone.
struct Files {
    needs: BTreeMap<u64, Vec<ResourceKey>>,
}

impl Files {
    fn new(numbers: &mut Numbers) -> Self {
        let mut needs = BTreeMap::new();
        for number in 1..40_u64 {
            // Some are missing.
            if number % 7 != 3 {
                needs.insert(number, Self::some_below(number, numbers));
            }
        }
        Self { needs }
    }

    fn some_below(number: u64, numbers: &mut Numbers) -> Vec<ResourceKey> {
        let some = (0..numbers.below(4)).map(|_| numbers.below(number)).filter(|need| *need > 0);
        some.collect::<BTreeSet<_>>().into_iter().map(key).collect()
    }

    /// Returns all that can be reached.
    fn reached(&self, store: &Store<'_>, wanted: &[Want]) -> BTreeSet<ResourceKey> {
        let mut open: Vec<_> = wanted.iter().map(|one| store.key(*one)).collect();
        let mut reached = BTreeSet::new();
        while let Some(one) = open.pop() {
            if reached.insert(one) {
                open.extend(self.needs.get(&one.name.hash()).into_iter().flatten());
            }
        }
        reached
    }
}

/// What is used: what has become complete and did not go.
#[derive(Default)]
struct Used(BTreeSet<ResourceKey>);

impl Used {
    /// Takes notice of all that has become complete and gone.
    fn follow(&mut self, store: &mut Store<'_>, files: &Files) {
        while let Some((wanted, key, stage)) = store.next_complete() {
            assert_eq!(store.stage(wanted), stage);
            assert_eq!(files.needs.contains_key(&key.name.hash()), stage == Stage::Complete);
            if stage == Stage::Complete {
                let needs = files.needs[&key.name.hash()].iter();
                for need in needs.filter(|need| files.needs.contains_key(&need.name.hash())) {
                    assert!(self.0.contains(need), "what {key} needs comes before it");
                }
                self.0.insert(key);
            }
        }
        for gone in store.gone() {
            // It may have gone before it was complete.
            self.0.remove(gone);
        }
        store.forget_gone(store.gone().len());
    }
}

fn play(seed: u64) {
    println!("seed {seed}");
    let mut numbers = Numbers(seed * 2 + 1);
    let mut files = Files::new(&mut numbers);
    let pages = PageAllocator::new("pages of a test");
    let heap = Locked::new(HeapAllocator::new_in("heap of a test", &pages));
    let mut store = Store::new_in(&heap);
    let (mut wanted, mut reading, mut used) = (Vec::new(), Vec::new(), Used::default());
    for _ in 0..400 {
        match numbers.below(9) {
            0..=1 => wanted.push(store.acquire(key(1 + numbers.below(39))).expect("memory")),
            2..=3 if !wanted.is_empty() => {
                let at = numbers.below(wanted.len() as u64) as usize;
                store.release(wanted.swap_remove(at));
            }
            4..=5 => reading.extend(store.next_wanted()),
            6..=7 if !reading.is_empty() => {
                let at = numbers.below(reading.len() as u64) as usize;
                let (one, key): (Want, ResourceKey) = reading.swap_remove(at);
                if !store.drop_unwanted(one) {
                    match files.needs.get(&key.name.hash()) {
                        Some(needs) => assert!(store.set_needs(one, needs).expect("memory")),
                        None => store.fail(one),
                    }
                }
            }
            8 => {
                // One that is there changes.
                let number = 1 + numbers.below(39);
                let found =
                    store.find(key(number)).filter(|one| store.stage(*one) == Stage::Complete);
                if let Some(one) = found {
                    let needs = Files::some_below(number, &mut numbers);
                    assert!(store.set_needs(one, &needs).expect("memory"));
                    files.needs.insert(number, needs);
                }
            }
            _ => {}
        }
        used.follow(&mut store, &files);
        store.validate();
    }
    while let Some((one, key)) = reading.pop().or_else(|| store.next_wanted()) {
        if !store.drop_unwanted(one) {
            match files.needs.get(&key.name.hash()) {
                Some(needs) => assert!(store.set_needs(one, needs).expect("memory")),
                None => store.fail(one),
            }
        }
    }
    used.follow(&mut store, &files);
    let reached = files.reached(&store, &wanted);
    let there = |key: &&ResourceKey| files.needs.contains_key(&key.name.hash());
    assert_eq!(used.0, reached.iter().filter(there).copied().collect());
    assert!(wanted.iter().all(|one| store.is_settled(*one)), "nothing waits for ever");
    wanted.into_iter().for_each(|one| store.release(one));
    used.follow(&mut store, &files);
    assert_eq!(used.0.len(), 0, "what nobody wants is gone");
    assert_eq!(store.all_complete().count(), 0);
}

#[test]
fn what_is_there_is_what_is_wanted_and_needed() {
    (1..200).for_each(play);
}

#[test]
fn a_package_in_itself_is_left_out() {
    let pages = PageAllocator::new("pages of a test");
    let heap = Locked::new(HeapAllocator::new_in("heap of a test", &pages));
    let mut store = Store::new_in(&heap);
    let first = store.acquire(key(1)).expect("memory");
    assert_eq!(store.next_wanted(), Some((first, key(1))));
    assert!(store.set_needs(first, &[key(2)]).expect("memory"));
    let (second, _) = store.next_wanted().expect("it is needed");
    assert!(!store.set_needs(second, &[key(1)]).expect("memory"), "the first has it in itself");
    assert!(store.is_settled(first), "and waits for nothing");
    assert!(!store.set_needs(first, &[key(1)]).expect("memory"), "nor in itself");
    store.validate();
    store.release(first);
    assert_eq!(store.gone().len(), 2);
}

#[test]
fn packages_in_each_other_without_end_are_left_out_at_last() {
    let pages = PageAllocator::new("pages of a test");
    let heap = Locked::new(HeapAllocator::new_in("heap of a test", &pages));
    let mut store = Store::new_in(&heap);
    let first = store.acquire(key(1)).expect("memory");
    let depth = (1..1000).take_while(|number| {
        let (one, _) = store.next_wanted().expect("it is needed");
        store.set_needs(one, &[key(number + 1)]).expect("memory")
    });
    assert!((DEPTH_MAX as usize..100).contains(&depth.count()));
    assert!(store.is_settled(first));
    store.validate();
}

#[test]
fn what_was_missing_is_used_when_it_comes() {
    let pages = PageAllocator::new("pages of a test");
    let heap = Locked::new(HeapAllocator::new_in("heap of a test", &pages));
    let mut store = Store::new_in(&heap);
    let material = store.acquire(key(5)).expect("memory");
    let (one, _) = store.next_wanted().expect("it is wanted");
    assert!(store.set_needs(one, &[key(1)]).expect("memory"));
    let (texture, _) = store.next_wanted().expect("it is needed");
    store.fail(texture);
    let all = |store: &mut Store<'_>| {
        core::iter::from_fn(|| store.next_complete())
            .map(|(_, key, stage)| (key, stage))
            .collect::<Vec<_>>()
    };
    assert_eq!(all(&mut store), [(key(1), Stage::Missing), (key(5), Stage::Complete)]);
    store.retry(|_| false).expect("memory");
    assert_eq!(store.next_wanted(), None, "it is not there yet");
    store.retry(|_| true).expect("memory");
    assert_eq!(store.next_wanted(), Some((texture, key(1))));
    assert!(!store.is_settled(material));
    assert!(store.set_needs(texture, &[]).expect("memory"));
    assert_eq!(all(&mut store), [(key(1), Stage::Complete), (key(5), Stage::Complete)]);
    store.validate();
}

#[test]
fn a_refused_request_changes_nothing() {
    for nth in 0..60 {
        let pages = PageAllocator::new("pages of a test");
        let heap = Locked::new(HeapAllocator::new_in("heap of a test", &pages));
        let failing: Locked<FailingAllocator<'_, _>> =
            Locked::new(FailingAllocator::new_in("memory of a test", Refusals::Nth(nth), &heap));
        let mut store = Store::new_in(&failing);
        let again = |act: &mut dyn FnMut(&mut Store<'_>) -> bool, store: &mut Store<'_>| {
            if !act(store) {
                store.validate();
                assert!(act(store), "only one is refused");
            }
            store.validate();
        };
        let mut first = None;
        again(
            &mut |store| {
                first = store.acquire(key(9)).ok();
                first.is_some()
            },
            &mut store,
        );
        let (one, _) = store.next_wanted().expect("it is wanted");
        let needs = [1, 2, 3, 4, 5, 6].map(key);
        again(&mut |store| store.set_needs(one, &needs).is_ok(), &mut store);
        while let Some((need, _)) = store.next_wanted() {
            again(&mut |store| store.set_needs(need, &[]).is_ok(), &mut store);
        }
        assert_eq!(core::iter::from_fn(|| store.next_complete()).count(), 7, "refused: {nth}");
        store.release(first.expect("it was acquired"));
        assert_eq!(store.gone().len(), 7);
        drop(store);
        assert_eq!(failing.stats().live, 0);
    }
}
