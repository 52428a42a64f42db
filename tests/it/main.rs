//! All integration tests, linked once.
#![expect(
    unsafe_code,
    reason = "allocators are driven through their unsafe methods; every block has its argument"
)]

mod buddy;
mod buddy_offsets;
mod collections;
mod compositions;
mod contract;
mod frame;
mod global;
mod heap;
mod locked;
mod matrix;
mod misuse;
mod page;
mod planted;
mod pool;
mod programs;
mod proxy;
mod slab;
mod static_heap;
mod string_hash;
mod subject;
