//! Images of id tables from any bytes: refused, or a table that is whole and saves the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_ids::{HoleTable, PackedTable};

fuzz_target!(|bytes: &[u8]| {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    if let Ok(table) = HoleTable::<u32>::restore(bytes, &heap) {
        table.validate().expect("what was restored is whole");
    }
    if let Ok(table) = PackedTable::<u32>::restore(bytes, &heap) {
        table.validate().expect("what was restored is whole");
    }
});
