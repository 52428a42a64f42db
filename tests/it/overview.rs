//! The memory overview over real allocators: the same numbers in the table, in JSON and on the
//! page.

use core::ptr::NonNull;

use loligo_allocators::{
    Allocator, BuddyAllocator, FrameAllocator, HeapAllocator, Locked, Overview, PoolAllocator,
    ProxyAllocator, ScratchAllocator, TempAllocator,
};
use loligo_tests::models::NaiveAllocator;
use serde_json::Value;

use crate::subject::bytes;

fn take(allocator: &dyn Allocator, count: usize, size: usize) -> Vec<NonNull<u8>> {
    let layout = bytes(size, 8);
    (0..count).map(|_| allocator.allocate(layout).expect("there is room").cast()).collect()
}

fn give_back(allocator: &dyn Allocator, blocks: Vec<NonNull<u8>>) {
    for block in blocks {
        // SAFETY: the block is live and nothing uses it.
        unsafe { allocator.deallocate(block) };
    }
}

#[test]
fn prints_a_table() {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    let sound = ProxyAllocator::new_in("sound", &memory).with_budget(100_000);
    let mixer = FrameAllocator::new_in("mixer", 10_000, &sound).expect("there is room");
    let scratch = ScratchAllocator::new_in("scratch", 4096, &memory).expect("there is room");
    let temp = TempAllocator::<512, _>::new_in("temp", &scratch);
    take(&mixer, 10, 100);
    take(&temp, 2, 100);
    let voices = take(&sound, 3, 1000);
    // The order of the list is that of siblings; a parent can come after its children.
    let all: [&dyn Allocator; 5] = [&temp, &mixer, &scratch, &sound, &memory];
    let wanted = "\
allocator  live  requested   granted  reserved      peak    budget
memory        5   16.7 KiB  16.7 KiB   1.0 MiB  16.7 KiB         -
  scratch     0        0 B       0 B   4.0 KiB       0 B         -
    temp      2      200 B     200 B     512 B     200 B         -
  sound       4  ~12.7 KiB  12.7 KiB  12.7 KiB  12.7 KiB  97.7 KiB
    mixer    10     1000 B    1000 B   9.8 KiB    1000 B         -
~ granted bytes: requested bytes are not recorded";
    assert_eq!(Overview::new(&all).to_string(), wanted);
    give_back(&sound, voices);
}

#[test]
fn says_in_json_what_the_counters_say() {
    let memory = NaiveAllocator::new("the \"memory\"\n\\", 8 << 20);
    let heap = Locked::new(HeapAllocator::new_in("heap", &memory));
    let graphics = ProxyAllocator::new_in("<graphics> & more", &heap).with_budget(1 << 20);
    let pool = PoolAllocator::new_in("pool", bytes(48, 8), &graphics);
    let buddy = BuddyAllocator::new_in("buddy", 64 << 10, 64, &graphics).expect("there is room");
    let blocks = [take(&pool, 100, 48), take(&buddy, 20, 300), take(&heap, 5, 5000)];
    let all: [&dyn Allocator; 5] = [&memory, &heap, &graphics, &pool, &buddy];
    let overview = Overview::new(&all);
    let json: Value = serde_json::from_str(&overview.json().to_string()).expect("it is JSON");
    let rows = json["allocators"].as_array().expect("an array");
    assert_eq!(rows.len(), all.len());
    let parents = [None, Some(0), Some(1), Some(2), Some(2)];
    for (row, (allocator, (id, parent))) in rows.iter().zip(all.iter().zip((0..).zip(parents))) {
        let stats = allocator.stats();
        let budget = allocator.budget().map(|budget| budget as u64);
        assert_eq!(row["id"], Value::from(id));
        assert_eq!(row["parent"], Value::from(parent));
        assert_eq!(row["name"], Value::from(allocator.name()), "names survive");
        assert_eq!(row["budget"], Value::from(budget));
        assert_eq!(row["exact"], Value::from(stats.exact));
        for (key, number) in [
            ("live", stats.live as u64),
            ("requested", stats.requested as u64),
            ("granted", stats.granted as u64),
            ("reserved", stats.reserved as u64),
            ("peak_requested", stats.peak_requested as u64),
            ("peak_granted", stats.peak_granted as u64),
            ("peak_reserved", stats.peak_reserved as u64),
            ("allocations_total", stats.allocations_total),
            ("requested_total", stats.requested_total),
            ("granted_total", stats.granted_total),
        ] {
            assert_eq!(row[key], Value::from(number), "{key} of {}", allocator.name());
        }
    }
    let page = overview.html().to_string();
    assert_eq!(page.matches("class=\"box\"").count(), all.len());
    assert!(page.contains("&lt;graphics&gt; &amp; more") && !page.contains("<graphics>"));
    let [in_pool, in_buddy, in_heap] = blocks;
    give_back(&pool, in_pool);
    give_back(&buddy, in_buddy);
    give_back(&heap, in_heap);
}
