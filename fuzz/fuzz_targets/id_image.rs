//! Images of id tables from any bytes: refused, or a table that is whole, saves the same and goes
//! on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_allocators::Allocator;
use loligo_fuzz::limited;
use loligo_ids::{
    Fifo, FreeList, GenerationEnd, Holes, Id, Lifo, Packed, Retire, Shape, SmallId, Table, TableId,
    Wrap,
};

fn restore<S: Shape, I: TableId, F: FreeList, E: GenerationEnd>(
    bytes: &[u8],
    memory: &dyn Allocator,
) {
    let Ok(mut table) = Table::<S, u32, I, F, E>::restore_in(bytes, memory) else { return };
    table.validate().expect("what was restored is whole");
    let save = |table: &Table<'_, S, u32, I, F, E>| {
        let mut image = vec![0; table.saved_len()];
        table.save(&mut image).expect("the length is right");
        image
    };
    let image = save(&table);
    assert_eq!(image[..152], bytes[..152], "the header is the same but for the checksum");
    let again = Table::<S, u32, I, F, E>::restore_in(&image, memory).expect("just saved");
    assert!(save(&again) == image, "a restored table saves the same");
    for (id, number) in again.iter_with_ids() {
        assert_eq!(table.get(id), Some(number), "{id:?}");
    }
    if let Ok(id) = table.insert(7) {
        assert!(!again.contains(id) && table.remove(id) == Some(7), "{id:?} is new");
    }
    table.clear();
    table.validate().expect("whole when it is empty");
}

fuzz_target!(|bytes: &[u8]| limited::within(1 << 24, |memory| {
    restore::<Holes, SmallId<u32>, Lifo, Retire>(bytes, memory);
    restore::<Packed, SmallId<u32>, Lifo, Retire>(bytes, memory);
    restore::<Holes, SmallId<u32>, Fifo<2>, Wrap>(bytes, memory);
    restore::<Packed, SmallId<u32>, Fifo<2>, Wrap>(bytes, memory);
    restore::<Holes, Id<u32>, Lifo, Retire>(bytes, memory);
    restore::<Packed, Id<u32>, Fifo<2>, Wrap>(bytes, memory);
}));
