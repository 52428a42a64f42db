//! The plain constructors: tables over any allocator, as fields, built by `?`.

use core::mem::MaybeUninit;
use std::vec;

use loligo_allocators::{Allocator, FrameAllocator, HeapAllocator, SharedRef, StaticHeap};

use crate::{
    HoleTable, Id, IdString32, InsertError, PackedTable, RestoreError, ReverseLookupBuilder,
    Secondary, SharedTable,
};

/// The tests share it, so none of them may count its blocks.
static SMALL: StaticHeap<{ 64 << 10 }> = StaticHeap::new("small");

/// Every table by its plain type.
struct World<'m> {
    doors: HoleTable<'m, u32>,
    heights: PackedTable<'m, f32>,
    few: PackedTable<'m, u8>,
    open: Secondary<'m, Id<u32>, bool>,
    names: ReverseLookupBuilder<'m, IdString32>,
    seeded: ReverseLookupBuilder<'m, IdString32>,
}

impl<'m> World<'m> {
    fn new(memory: &'m dyn Allocator) -> Result<Self, InsertError> {
        let mut world = Self {
            doors: HoleTable::new(memory),
            heights: PackedTable::new(memory),
            few: PackedTable::with_limit(1, memory),
            open: Secondary::new(memory),
            names: ReverseLookupBuilder::new(memory),
            seeded: ReverseLookupBuilder::with_seed(memory, 7),
        };
        let door = world.doors.insert(1)?;
        world.open.insert(door, true)?;
        world.heights.insert(2.0)?;
        world.few.insert(3)?;
        Ok(world)
    }
}

/// Makes the tables, and all of it goes back.
fn live_in(memory: &dyn Allocator) {
    let mut world = World::new(memory).expect("there is memory");
    assert!(matches!(world.few.insert(4), Err(InsertError::Full { limit: 1, .. })));
    assert_eq!((world.doors.len(), world.heights.len(), world.open.len()), (1, 1, 1));
    let (plain, seeded) = (world.names.insert("door"), world.seeded.insert("door"));
    assert_ne!(plain.expect("memory"), seeded.expect("memory"), "the seed counts");
    drop(world);
    assert_eq!(memory.stats().live, 0, "the tables keep memory");
}

#[test]
fn tables_are_over_any_allocator_as_fields() {
    static COUNTED: StaticHeap<{ 64 << 10 }> = StaticHeap::new("counted");

    let mut region = vec![MaybeUninit::uninit(); 1 << 20];
    live_in(&HeapAllocator::from_region("heap", &mut region));
    live_in(&FrameAllocator::from_region("frame", &mut region));
    live_in(&COUNTED);
}

#[test]
fn a_result_has_the_plain_type() -> Result<(), RestoreError> {
    let mut doors: HoleTable<'_, u32> = HoleTable::new(&SMALL);
    let door = doors.insert(7).expect("there is memory");
    let mut image = vec![0; doors.saved_len()];
    doors.save(&mut image).expect("it is as long as the image");
    let mut region = vec![MaybeUninit::uninit(); 1 << 20];
    let heap = HeapAllocator::from_region("heap", &mut region);
    let restored: HoleTable<'_, u32> = HoleTable::restore(&image, &heap)?;
    assert_eq!(restored.get(door), Some(&7));
    Ok(())
}

#[test]
fn a_shared_table_is_over_what_threads_share() -> Result<(), InsertError> {
    let memory: SharedRef<'_> = &SMALL;
    let shared: SharedTable<'_, Id<u8>> = SharedTable::new(4, memory)?;
    assert!(shared.create().is_ok(), "there is a slot");
    Ok(())
}
