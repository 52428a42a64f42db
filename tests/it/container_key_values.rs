//! Stores of keys and values over every kind of memory, over a mapped file, and compared with an
//! independent reader of JSON.

use std::collections::BTreeMap;
use std::fs;

use loligo_allocators::{
    Allocator, BuddyAllocator, DefaultClasses, FrameAllocator, HeapAllocator, PageAllocator,
    SlabAllocator,
};
use loligo_containers::{
    Array, KeyValues, KeyValuesRef, KeyValuesSet, PathNames, Value, child_key, text,
};
use loligo_ids::IdString32;
use loligo_tests::models::{FailingBacking, NaiveAllocator, Refusals};
use memmap2::Mmap;
use proptest::prelude::*;

/// A value that owns what it has.
#[derive(Clone, Debug, PartialEq)]
enum Owned {
    Bool(bool),
    F32(f32),
    Str(String),
    Array(Vec<f32>),
}

impl Owned {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Bool(value) => Value::Bool(*value),
            Self::F32(value) => Value::F32(*value),
            Self::Str(value) => Value::Str(value),
            Self::Array(value) => Value::Array(value),
        }
    }

    fn json(&self) -> serde_json::Value {
        match self {
            Self::Bool(value) => (*value).into(),
            Self::F32(value) => f64::from(*value).into(),
            Self::Str(value) => value.as_str().into(),
            Self::Array(value) => value.iter().map(|&number| f64::from(number)).collect(),
        }
    }
}

fn finite() -> impl Strategy<Value = f32> {
    any::<f32>().prop_filter("JSON has finite numbers only", |number| number.is_finite())
}

fn any_value() -> impl Strategy<Value = Owned> {
    prop_oneof![
        any::<bool>().prop_map(Owned::Bool),
        finite().prop_map(Owned::F32),
        any::<String>().prop_map(Owned::Str),
        prop::collection::vec(finite(), 0..9).prop_map(Owned::Array),
    ]
}

/// What is done to a store.
#[derive(Clone, Debug)]
enum Step {
    Set(u32, Owned),
    Remove(u32),
    Shrink,
}

fn any_step() -> impl Strategy<Value = Step> {
    let key = || (0..24_u32).prop_map(|number| number.wrapping_mul(0x9e37_79b9));
    prop_oneof![
        8 => (key(), any_value()).prop_map(|(key, value)| Step::Set(key, value)),
        3 => key().prop_map(Step::Remove),
        1 => Just(Step::Shrink),
    ]
}

type Model = BTreeMap<u32, Owned>;

fn assert_same(store: KeyValuesRef<'_>, model: &Model) {
    let wanted = model.iter().map(|(&key, value)| (IdString32::from_hash(key), value.value()));
    assert!(store.iter().eq(wanted), "{store:?} is not {model:?}");
    for (&key, value) in model {
        assert_eq!(store.get(IdString32::from_hash(key)), Some(value.value()), "key {key}");
    }
}

/// Does the steps to a store, to one of a set, and to the model, and compares them after each.
fn run(steps: &[Step], memory: &dyn Allocator) {
    let mut store = KeyValues::new_in(memory);
    let mut set = KeyValuesSet::new_in(memory);
    let mut model = Model::new();
    let ids: Vec<_> = (0..3).map(|_| set.insert(store.view())).collect();
    for step in steps {
        match step {
            Step::Set(key, value) => {
                let key = IdString32::from_hash(*key);
                store.set(key, value.value());
                ids.iter().for_each(|&id| set.set(id, key, value.value()));
                model.insert(key.hash(), value.clone());
            }
            Step::Remove(hash) => {
                let key = IdString32::from_hash(*hash);
                let was_there = model.remove(hash).is_some();
                assert_eq!(store.remove(key), was_there, "{step:?}");
                let removed = ids.iter().all(|&id| set.remove_key(id, key) == was_there);
                assert!(removed, "{step:?}");
            }
            Step::Shrink => {
                store.try_shrink().expect("nothing is refused");
                set.try_shrink().expect("nothing is refused");
            }
        }
        assert_eq!((store.validate(), set.validate()), (Ok(()), Ok(())), "{step:?}");
        assert_same(store.view(), &model);
        ids.iter().for_each(|&id| assert_same(set.get(id).expect("it stays"), &model));
        assert_eq!(store.clone().as_bytes(), store.as_bytes(), "{step:?}");
        let opened = KeyValuesRef::open(store.as_bytes()).expect("it is whole");
        assert_same(opened, &model);
    }
}

/// Returns a store of a thousand keys, some of them with texts, which are more than 64 KiB.
fn large(memory: &dyn Allocator) -> KeyValues<'_> {
    let mut store = KeyValues::new_in(memory);
    for number in 0..1_000_u32 {
        let key = child_key(IdString32::new("large"), &number.to_string());
        if number % 3 == 0 {
            store.set(key, "a text of some length ".repeat(number as usize % 17).as_str());
        } else {
            store.set(key, number as f32);
        }
    }
    store
}

#[test]
fn any_allocator_will_do() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let slab = SlabAllocator::<_, DefaultClasses>::new_in("slab", &heap);
    let buddy =
        BuddyAllocator::new_in("buddy", 4 << 20, 128, &pages).expect("the system has pages");
    let frame = FrameAllocator::new_in("frame", 16 << 20, &pages).expect("the system has pages");
    let wanted = large(&heap);
    assert!(wanted.as_bytes().len() > 1 << 16, "beyond what 16 bits place");
    let memories: [&dyn Allocator; 5] = [&pages, &heap, &slab, &buddy, &frame];
    for memory in memories {
        let store = large(memory);
        assert_eq!(store, wanted, "{}", memory.name());
        let mut set = KeyValuesSet::new_in(memory);
        let ids: Vec<_> = (0..20).map(|_| set.insert(store.view())).collect();
        assert!(ids.iter().all(|&id| set.get(id) == Some(wanted.view())), "{}", memory.name());
        assert_eq!(set.validate(), Ok(()), "{}", memory.name());
    }
}

#[test]
fn a_mapped_file_is_a_store() {
    let pages = PageAllocator::new("pages");
    let store = large(&pages);
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let path = folder.path().join("large.sheet");
    fs::write(&path, store.as_bytes()).expect("the file is ours");
    let file = fs::File::open(&path).expect("just written");
    // SAFETY: the file is in a folder of this test, and is not written while it is mapped.
    let map = unsafe { Mmap::map(&file) }.expect("a file can be mapped");
    assert_eq!(KeyValuesRef::open(&map), Ok(store.view()));
    let cut = &map[..map.len() - 4];
    let error = KeyValuesRef::open(cut).expect_err("the end is missing");
    assert_eq!((error.offset, error.reason), (4, "the store is not as long as its bytes"));
}

#[test]
fn a_store_survives_every_refusal() {
    let pages = PageAllocator::new("pages");
    let wanted = large(&pages);
    for nth in 0.. {
        let memory = NaiveAllocator::new("memory", 1 << 20);
        let failing = FailingBacking::new_in(&memory, Refusals::Nth(nth));
        {
            let mut store = KeyValues::new_in(&failing);
            for (key, value) in wanted.view().iter() {
                let before = store.len();
                if store.try_set(key, value).is_err() {
                    assert_eq!((store.len(), store.validate()), (before, Ok(())));
                    store.try_set(key, value).expect("refused once alone");
                }
            }
            assert_eq!(store, wanted, "request {nth} refused");
        }
        assert_eq!(memory.stats().live, 0, "request {nth} refused: memory is kept");
        if failing.refused() == 0 {
            assert!(nth > 5, "{nth} requests were refused in turn");
            break;
        }
    }
}

/// Any object of objects of values, two deep; a name of the outer one is not read as a hash.
fn any_object() -> impl Strategy<Value = BTreeMap<String, BTreeMap<String, Owned>>> {
    let inner = prop::collection::btree_map(any::<String>(), any_value(), 1..6);
    let name = any::<String>().prop_filter("it looks like a hash", |name| !name.starts_with('#'));
    prop::collection::btree_map(name, inner, 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn stores_do_what_maps_do(steps in prop::collection::vec(any_step(), 0..120)) {
        let memory = NaiveAllocator::new("memory", 1 << 20);
        run(&steps, &memory);
        prop_assert_eq!(memory.stats().live, 0);
    }

    #[test]
    fn any_json_comes_back(object in any_object()) {
        let wanted: serde_json::Value = object
            .iter()
            .map(|(name, inner)| {
                let inner = inner.iter().map(|(name, value)| (name.clone(), value.json()));
                (name.clone(), inner.collect())
            })
            .collect::<serde_json::Map<_, _>>()
            .into();
        let json = serde_json::to_vec_pretty(&wanted).expect("it is finite");
        let memory = NaiveAllocator::new("memory", 1 << 20);
        {
            let mut names = PathNames::new_in(&memory);
            let store = KeyValues::try_from_json_with_in(&json, &mut names, &memory);
            let store = store.unwrap_or_else(|error| panic!("{error}"));
            for (outer, inner) in &object {
                for (name, value) in inner {
                    let key = child_key(IdString32::new(outer), name);
                    prop_assert_eq!(store.get(key), Some(value.value()));
                }
            }
            let mut out = Array::new_in(&memory);
            store.view().try_write_json(&names, &mut out).expect("there is memory");
            let written = text::view(&out).expect("it is text");
            let known: serde_json::Value = serde_json::from_str(written).expect("it is JSON");
            prop_assert!(same(&known, &wanted), "{} is not {}", known, wanted);
        }
        prop_assert_eq!(memory.stats().live, 0);
    }

    #[test]
    fn any_bytes_are_refused_or_read(mut words in prop::collection::vec(any::<u32>(), 0..40), honest in 0..3) {
        // Random headers are refused at once; with a good one the rest is seen.
        if honest > 0 && words.len() >= 4 {
            words[0] = u32::from_le_bytes(*b"lkv1");
            words[1] = 4 * words.len() as u32;
            words[2] %= 8;
            words[3] %= 16;
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        if let Ok(store) = KeyValuesRef::open(&bytes) {
            prop_assert!(store.iter().count() == store.len());
        }
    }
}

/// Returns `true` if two values are the same, numbers to 32 bits.
fn same(one: &serde_json::Value, other: &serde_json::Value) -> bool {
    use serde_json::Value as Json;
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => {
            one.as_f64().map(|x| x as f32) == other.as_f64().map(|x| x as f32)
        }
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(name, one)| other.get(name).is_some_and(|other| same(one, other)))
        }
        _ => one == other,
    }
}
