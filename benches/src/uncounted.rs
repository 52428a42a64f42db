//! The pool without its counters: the source of ours, from which the build script takes out what
//! counts. Made anew whenever the pool changes, so the two never differ in anything else.

#[expect(
    dead_code,
    unreachable_pub,
    reason = "only what the churn calls is used here, and nothing is published"
)]
mod source {
    include!(concat!(env!("OUT_DIR"), "/uncounted.rs"));
}

pub(crate) use source::pool;

/// Stands for the crate's own, which the pool calls when it is dropped: without counters it cannot
/// know of a leak.
mod leak {
    use loligo_allocators::Allocator;

    pub(super) fn assert_none(_: &dyn Allocator) {}
}
