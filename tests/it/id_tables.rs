//! Id tables over every kind of memory, and over memory that runs out.

use loligo_allocators::{
    Allocator, BuddyAllocator, DefaultClasses, FrameAllocator, HeapAllocator, PageAllocator,
    ProxyAllocator, SlabAllocator,
};
use loligo_ids::{
    Fifo, FreeList, HoleTable, Holes, Id, InsertError, Lifo, Packed, Retire, Secondary, Shape,
    SharedRepr, SharedTable, SmallId, Table, TableId,
};
use loligo_tests::models::{FailingBacking, NaiveAllocator, Refusals};

enum Unit {}

type Units<'a, S, I, F> = Table<'a, S, [u32; 3], I, F, Retire>;

/// The tag of the tables, where their ids have bits for one: the same in each run.
fn tag<I: TableId>() -> u64 {
    0x77 & ((1 << I::TAG_BITS) - 1)
}

/// Creates and destroys units, which have data in a second array, and finds each by its id. Returns
/// the saved table.
fn live<S, I, F>(memory: &dyn Allocator) -> Result<Vec<u8>, InsertError>
where
    S: Shape,
    I: TableId,
    F: FreeList,
{
    let mut units = Units::<S, I, F>::new_in(memory).with_tag(tag::<I>());
    let mut names: Secondary<'_, I, String> = Secondary::new_in(memory);
    let mut ids = Vec::new();
    for number in 0..400 {
        let id = units.insert([number; 3])?;
        names.insert(id, number.to_string())?;
        ids.push((id, number));
        if number % 3 == 2 {
            let (gone, number) = ids.swap_remove(number as usize * 7919 % ids.len());
            assert_eq!(units.remove(gone), Some([number; 3]), "{}", memory.name());
            assert_eq!(names.remove(gone), Some(number.to_string()), "{}", memory.name());
        }
    }
    for &(id, number) in &ids {
        assert_eq!(units.get(id), Some(&[number; 3]), "{}", memory.name());
        assert_eq!(names.get(id), Some(&number.to_string()), "{}", memory.name());
    }
    units.validate().unwrap_or_else(|damage| panic!("{}: {damage}", memory.name()));
    let mut image = vec![0; units.saved_len()];
    units.save(&mut image).expect("the length is right");
    let mut restored = Units::<S, I, F>::restore_in(&image, memory)
        .map_err(|_| InsertError::Memory { slots: 0, bytes: 0 })?;
    assert_eq!(restored.insert([0; 3])?, units.insert([0; 3])?, "{}", memory.name());
    Ok(image)
}

/// Makes and ends ids of a shared table.
fn share<I: TableId<Repr: SharedRepr>>(memory: &dyn Allocator) -> Result<(), InsertError> {
    let mut shared: SharedTable<'_, I, Retire, dyn Allocator + '_> =
        SharedTable::new_in(300, memory)?;
    let ids: Vec<_> = (0..300).map(|_| shared.create().expect("a slot is left")).collect();
    assert!(ids.iter().all(|&id| shared.remove(id)), "{}", memory.name());
    shared.collect();
    shared.validate().unwrap_or_else(|damage| panic!("{}: {damage}", memory.name()));
    Ok(())
}

/// Runs all of it, in turn.
fn all(memory: &dyn Allocator) -> Result<[Vec<u8>; 6], InsertError> {
    share::<Id<Unit>>(memory)?;
    share::<SmallId<Unit>>(memory)?;
    Ok([
        live::<Holes, Id<Unit>, Lifo>(memory)?,
        live::<Holes, Id<Unit>, Fifo<5>>(memory)?,
        live::<Packed, Id<Unit>, Lifo>(memory)?,
        live::<Packed, Id<Unit>, Fifo<5>>(memory)?,
        live::<Holes, SmallId<Unit>, Fifo<5>>(memory)?,
        live::<Packed, SmallId<Unit>, Lifo>(memory)?,
    ])
}

#[test]
fn any_allocator_will_do() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let expected = all(&heap).expect("the system has pages");
    assert_eq!(heap.stats().live, 0, "nothing is kept");
    let slab = SlabAllocator::<_, DefaultClasses>::new_in("slab", &heap);
    let buddy =
        BuddyAllocator::new_in("buddy", 4 << 20, 128, &pages).expect("the system has pages");
    let frame = FrameAllocator::new_in("frame", 4 << 20, &pages).expect("the system has pages");
    let proxy = ProxyAllocator::new_in("proxy", &pages);
    let memories: [&dyn Allocator; 5] = [&pages, &slab, &buddy, &frame, &proxy];
    for memory in memories {
        let before = memory.stats().live;
        let images = all(memory).unwrap_or_else(|error| panic!("{}: {error}", memory.name()));
        assert!(images == expected, "{}: the same history, the same bytes", memory.name());
        // A frame frees what is not at its end when it is reset.
        if memory.name() != "frame" {
            assert_eq!(memory.stats().live, before, "{}: nothing is kept", memory.name());
        }
    }
}

#[test]
fn every_refusal_is_survived() {
    for nth in 0.. {
        let memory = NaiveAllocator::new("memory", 1 << 20);
        let failing = FailingBacking::new_in(&memory, Refusals::Nth(nth));
        let outcome = all(&failing);
        assert_eq!(memory.stats().live, 0, "request {nth} refused: memory is kept");
        if failing.refused() == 0 {
            assert!(outcome.is_ok() && nth > 20, "{nth} requests were refused in turn");
            break;
        }
        // Growing in place may be refused where a new block is then had.
        if let Err(error) = outcome {
            assert!(matches!(error, InsertError::Memory { .. }), "request {nth}: {error}");
        }
    }
}

#[test]
fn a_refused_insertion_changes_nothing() {
    for from in 0..6 {
        let memory = NaiveAllocator::new("memory", 1 << 20);
        let failing = FailingBacking::new_in(&memory, Refusals::From(from));
        let mut units: HoleTable<'_, u32> = HoleTable::new_in(&failing);
        let ids: Vec<_> = (0..500).map_while(|number| units.insert(number).ok()).collect();
        assert!(ids.len() < 500, "requests from {from} on were refused");
        assert!(units.insert_batch(0..500, |_| ()).is_err(), "so is a batch");
        assert_eq!(units.len(), ids.len(), "of which nothing came in");
        assert!(units.iter().copied().eq(0..ids.len() as u32), "all as it was");
        units.validate().expect("whole");
        drop(units);
        assert_eq!(memory.stats().live, 0, "requests from {from} on refused: memory is kept");
    }
}
