//! All integration tests, linked once.
#![expect(
    unsafe_code,
    reason = "allocators are driven through their unsafe methods; every block has its argument"
)]

mod buddy;
mod misuse;
mod planted;
mod pool;
mod subject;
