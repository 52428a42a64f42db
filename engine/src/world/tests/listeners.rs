//! Who listens to which events of which entity, compared with a model.

use std::collections::BTreeSet;

use loligo_allocators::{HeapAllocator, Locked, PageAllocator};
use loligo_containers::Array;
use loligo_entities::Entity;

use crate::world::listeners::{FUNCTIONS_MAX, Listeners};

/// Ids of a first generation have a bit above their index.
const INDEX_BITS: u32 = <Entity as loligo_ids::TableId>::INDEX_BITS;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % u64::from(end)) as u32
    }
}

/// Returns who listens, with the names of functions.
fn listed(listeners: &Listeners<'_>) -> BTreeSet<(u32, u32, String)> {
    let named = |(kind, entity, function): &(u32, u32, u32)| {
        let name = listeners.function(*function as usize).expect("it has a name");
        (*kind, *entity, name.to_owned())
    };
    listeners.list.iter().map(named).collect()
}

#[test]
fn listeners_are_those_of_the_model() {
    for seed in 0..50 {
        let pages = PageAllocator::new("test pages");
        let heap = Locked::new(HeapAllocator::new_in("test heap", &pages));
        let random = &mut Random(seed);
        let mut model = BTreeSet::new();
        let mut listeners = Listeners::new_in(&heap);
        for _ in 0..400 {
            let (kind, entity) = (random.below(3), 1 << INDEX_BITS | random.below(200));
            match random.below(8) {
                0 => {
                    let is_it = |of: &(u32, u32, String)| (of.0, of.1) == (kind, entity);
                    let was_there = model.iter().any(is_it);
                    model.retain(|of| !is_it(of));
                    assert_eq!(listeners.remove(kind, entity), was_there, "seed {seed}");
                }
                1 => {
                    // Each third entity is gone.
                    let is_alive = |bits: u32| !bits.is_multiple_of(3);
                    let before = listeners.list.len();
                    listeners.forget(|entity| is_alive(entity.to_bits()));
                    if listeners.list.len() < before {
                        model.retain(|of| is_alive(of.1));
                    }
                }
                _ => {
                    let name = format!("on_{}", random.below(5));
                    let number = listeners.number_of(&name).expect("there is memory");
                    listeners.add((kind, entity, number)).expect("there is memory");
                    model.insert((kind, entity, name));
                }
            }
            assert_eq!(listed(&listeners), model, "seed {seed}");
            assert!(listeners.list.is_sorted_by(|a, b| a < b), "seed {seed}");
            assert!((0..3).all(|kind| listeners.hear(kind) == model.iter().any(|of| of.0 == kind)));
        }
        let mut saved = Array::new_in(&heap as &(dyn loligo_allocators::Allocator + Sync));
        listeners.try_save(|_| true, &mut saved).expect("there is memory");
        let mut other = Listeners::new_in(&heap);
        other.number_of("on_4").expect("there is memory");
        let loaded = other.try_load(&saved).expect("it is whole");
        assert_eq!(listed(&loaded), model, "seed {seed}");
        assert_eq!(loaded.function(0), Some("on_4"), "seed {seed}: numbers stay");
        for end in 0..saved.len() {
            // What ends after a whole listener is a shorter list.
            if let Ok(loaded) = other.try_load(&saved[..end]) {
                assert!(listed(&loaded).is_subset(&model), "seed {seed}");
            }
            let mut damaged = saved.to_vec();
            damaged[end] ^= 1 << random.below(8);
            // All of it is checked, whatever it is.
            if let Ok(loaded) = other.try_load(&damaged) {
                listed(&loaded);
            }
        }
    }
}

#[test]
fn names_that_are_too_many_are_refused() {
    let pages = PageAllocator::new("test pages");
    let heap = Locked::new(HeapAllocator::new_in("test heap", &pages));
    let mut listeners = Listeners::new_in(&heap);
    for number in 0..FUNCTIONS_MAX {
        assert_eq!(listeners.number_of(&format!("f{number}")), Ok(number as u32));
    }
    let error = listeners.number_of("one more").expect_err("there are enough");
    assert_eq!(
        error.to_string(),
        "1024 functions listen to entities already; let one function serve many entities"
    );
    assert_eq!(listeners.number_of("f7"), Ok(7));
}
