//! String hashes over every kind of memory, over memory that runs out, and over a mapped file.

use std::collections::BTreeMap;
use std::fs;

use loligo_allocators::{
    Allocator, BuddyAllocator, DefaultClasses, FrameAllocator, HeapAllocator, PageAllocator,
    SlabAllocator,
};
use loligo_ids::{
    IdString, IdString32, IdString64, LookupError, PerfectSeedError, ReverseLookup,
    ReverseLookupBuilder, murmur2_32, perfect_seed_in, preimage_32, preimage_64,
};
use loligo_tests::models::{FailingBacking, NaiveAllocator, Refusals};
use memmap2::Mmap;
use proptest::prelude::*;

fn names(from: usize, count: usize) -> Vec<String> {
    (from..from + count).map(|number| format!("units/larch/{number}.unit")).collect()
}

/// Returns the bytes of a table of these names, made in memory without limits.
fn saved<I: IdString>(names: &[String]) -> Vec<u8> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let mut builder = ReverseLookupBuilder::<I, _>::new_in(&heap);
    for name in names {
        builder.insert(name).expect("these names do not collide");
    }
    builder.save().expect("the system has pages").to_vec()
}

/// Builds a table, merges another into it and saves it, trying again once what is refused, and
/// checking that the refusal changed nothing.
fn build_with_refusals(memory: &dyn Allocator, ours: &[String], theirs: &[u8]) -> Vec<u8> {
    let theirs = ReverseLookup::<IdString32>::open(theirs).expect("it was saved whole");
    let mut builder = ReverseLookupBuilder::<IdString32>::new_in(memory);
    for (count, name) in ours.iter().enumerate() {
        let refused = match builder.insert(name) {
            Ok(id) => {
                assert_eq!(id, IdString32::new(name), "the id of {name}");
                false
            }
            Err(LookupError::Memory(_)) => true,
            Err(other) => panic!("{other}"),
        };
        if refused {
            assert_eq!(builder.len(), count, "a refusal adds nothing");
            assert!(ours[..count].iter().all(|name| has(&builder, name)), "and loses nothing");
            assert!(!has(&builder, name), "nor is the name half there");
            builder.insert(name).expect("refused once alone");
        }
        assert!(has(&builder, name), "{name} was added");
    }
    let before = builder.len();
    if matches!(builder.merge(&theirs), Err(LookupError::Memory(_))) {
        assert_eq!(builder.len(), before, "a merge that is refused adds nothing");
        builder.merge(&theirs).expect("refused once alone");
    }
    let bytes = builder.save().or_else(|_| builder.save());
    bytes.expect("refused once alone").to_vec()
}

fn has<A: Allocator + ?Sized>(
    builder: &ReverseLookupBuilder<'_, IdString32, A>,
    name: &str,
) -> bool {
    builder.get(IdString32::new(name)) == Some(name)
}

#[test]
fn a_builder_survives_every_refusal() {
    let (ours, theirs) = (names(0, 150), names(100, 200));
    let expected = saved::<IdString32>(&names(0, 300));
    let theirs = saved::<IdString32>(&theirs);
    for nth in 0.. {
        let memory = NaiveAllocator::new("memory", 1 << 20);
        let failing = FailingBacking::new_in(&memory, Refusals::Nth(nth));
        let bytes = build_with_refusals(&failing, &ours, &theirs);
        assert_eq!(bytes, expected, "request {nth} refused");
        assert_eq!(memory.stats().live, 0, "request {nth} refused: memory is kept");
        if failing.refused() == 0 {
            assert!(nth > 10, "{nth} requests were refused in turn");
            break;
        }
    }
}

#[test]
fn a_builder_without_memory_stays_as_it_is() {
    let all = names(0, 300);
    for from in 0..20 {
        let memory = NaiveAllocator::new("memory", 1 << 20);
        let failing = FailingBacking::new_in(&memory, Refusals::From(from));
        let mut builder = ReverseLookupBuilder::<IdString32, _>::new_in(&failing);
        let added = all.iter().take_while(|name| builder.insert(name).is_ok()).count();
        assert_eq!(builder.len(), added, "all requests from {from} on refused");
        assert!(all[..added].iter().all(|name| has(&builder, name)), "what was added is there");
        drop(builder);
        assert_eq!(memory.stats().live, 0, "all requests from {from} on refused");
    }
}

#[test]
fn the_search_for_a_seed_survives_every_refusal() {
    // Seed 0 is bad, so that both tables are asked for.
    let mut keys = names(0, 200);
    let mut text = [0; 14];
    let other = preimage_32(murmur2_32(&keys[3], 0), 0, &mut text).expect("it is long enough");
    keys.push(other.to_owned());
    for nth in 0.. {
        let memory = NaiveAllocator::new("memory", 1 << 20);
        let failing = FailingBacking::new_in(&memory, Refusals::Nth(nth));
        let outcome = perfect_seed_in(&keys, 50, &failing);
        assert_eq!(memory.stats().live, 0, "request {nth} refused: memory is kept");
        if failing.refused() == 0 {
            assert!(nth > 0, "the search asks for memory");
            assert_eq!(outcome, Ok(1));
            break;
        }
        assert!(matches!(outcome, Err(PerfectSeedError::Memory(_))), "{outcome:?}");
    }
}

#[test]
fn any_allocator_will_do() {
    let all = names(0, 2000);
    let expected = saved::<IdString64>(&all);
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let slab = SlabAllocator::<_, DefaultClasses>::new_in("slab", &heap);
    let buddy =
        BuddyAllocator::new_in("buddy", 4 << 20, 128, &pages).expect("the system has pages");
    let frame = FrameAllocator::new_in("frame", 4 << 20, &pages).expect("the system has pages");
    let memories: [&dyn Allocator; 5] = [&pages, &heap, &slab, &buddy, &frame];
    for memory in memories {
        let mut builder = ReverseLookupBuilder::<IdString64>::new_in(memory);
        for name in &all {
            builder.insert(name).unwrap_or_else(|error| panic!("{}: {error}", memory.name()));
        }
        let bytes = builder.save().unwrap_or_else(|error| panic!("{}: {error}", memory.name()));
        assert_eq!(*bytes, expected, "{}", memory.name());
        assert_eq!(perfect_seed_in(&all, 10, memory), Ok(0), "{}", memory.name());
    }
}

#[test]
fn a_mapped_file_is_a_table() {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let path = folder.path().join("assets.names");
    let all = names(0, 5000);
    let mut bytes = saved::<IdString64>(&all);
    fs::write(&path, &bytes).expect("the file is ours");
    {
        let file = fs::File::open(&path).expect("just written");
        // SAFETY: the file is in a folder of this test, and is not written while it is mapped.
        let map = unsafe { Mmap::map(&file) }.expect("a file can be mapped");
        let table = ReverseLookup::<IdString64>::open(&map).expect("it was saved whole");
        assert_eq!(table.len(), all.len());
        for name in &all {
            assert_eq!(table.get(IdString64::new(name)), Some(name.as_str()));
        }
        assert_eq!(table.get(IdString64::new("units/oak.unit")), None);
    }
    let last = bytes.len() - 1;
    bytes[last] ^= 0x20;
    fs::write(&path, &bytes[..]).expect("the file is ours");
    let file = fs::File::open(&path).expect("just written");
    // SAFETY: as above.
    let map = unsafe { Mmap::map(&file) }.expect("a file can be mapped");
    let damage = ReverseLookup::<IdString64>::open(&map).expect_err("a letter has changed");
    assert_eq!(damage.reason, "the checksum is another");
}

/// Any strings go in and come out, in the order of their ids, and any two tables merge into that of
/// all.
fn agrees_with_a_map<I: IdString>(left: &[String], right: &[String]) {
    let model: BTreeMap<I, &str> =
        left.iter().chain(right).map(|name| (I::with_seed(name, 0), name.as_str())).collect();
    let (left, right) = (saved::<I>(left), saved::<I>(right));
    let tables = [&left, &right].map(|bytes| ReverseLookup::<I>::open(bytes).expect("just saved"));
    let memory = NaiveAllocator::new("memory", 1 << 20);
    {
        let mut builder = ReverseLookupBuilder::<I, _>::new_in(&memory);
        for table in &tables {
            builder.merge(table).expect("so few names do not collide");
        }
        let bytes = builder.save().expect("there is enough memory");
        let merged = ReverseLookup::<I>::open(&bytes).expect("just saved");
        assert!(merged.iter().eq(model.iter().map(|(&id, &name)| (id, name))), "{model:?}");
        assert!(model.iter().all(|(&id, &name)| merged.get(id) == Some(name)), "{model:?}");
    }
    assert_eq!(memory.stats().live, 0, "memory is kept");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn any_names_come_back(
        left in prop::collection::vec(any::<String>(), 0..40),
        right in prop::collection::vec(any::<String>(), 0..40),
    ) {
        agrees_with_a_map::<IdString32>(&left, &right);
        agrees_with_a_map::<IdString64>(&left, &right);
    }

    #[test]
    fn any_bytes_are_refused_or_sound(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(ReverseLookup::<IdString32>::open(&bytes).is_err());
        prop_assert!(ReverseLookup::<IdString64>::open(&bytes).is_err());
    }

    #[test]
    fn text_is_found_for_any_hash(hash in any::<u64>(), seed in any::<u64>(), len in 11..80_usize) {
        let mut buffer = [0; 80];
        let text = preimage_64(hash, seed, &mut buffer[..len]).expect("11 characters are enough");
        prop_assert_eq!(loligo_ids::murmur2_64a(text, seed), hash);
        let text = preimage_32(hash as u32, seed as u32, &mut buffer[..len]).expect("as above");
        prop_assert_eq!(murmur2_32(text, seed as u32), hash as u32);
        prop_assert!(text.bytes().all(|byte| byte.is_ascii_graphic()));
    }
}
