//! The pool without its counters: the source of ours, from which the build script takes out what
//! counts. Made again whenever the pool changes, so the two never differ in anything else.

#[expect(
    dead_code,
    unreachable_pub,
    reason = "only what the churn calls is used here, and nothing is published"
)]
mod source {
    include!(concat!(env!("OUT_DIR"), "/uncounted.rs"));
}

pub(crate) use source::pool;

#[path = "../../allocators/src/bookkeeping/sites/with_sites.rs"]
mod with_sites;

/// Replaces the crate's own module, which keeps no sites here either.
mod sites {
    use core::panic::Location;
    use core::ptr::NonNull;

    use loligo_allocators::{Misuse, Report, misuse};

    pub(super) use loligo_allocators::{NoSites, SiteBook};

    pub(super) use super::with_sites::with_sites;

    #[cold]
    #[inline(never)]
    pub(super) fn wrong_free_beside<S: SiteBook>(
        _: &S,
        what: Misuse,
        allocator: &str,
        block: NonNull<u8>,
        bytes: Option<usize>,
        site: &'static Location<'static>,
    ) -> ! {
        let report = Report::new(what, allocator, block.as_ptr()).with_site(site);
        misuse(&bytes.map_or(report, |bytes| report.with_bytes(bytes)))
    }
}

/// Replaces the crate's own module, which the pool calls when it is dropped: without counters it
/// cannot know of a leak.
mod leak {
    use loligo_allocators::Allocator;

    pub(super) fn assert_none(_: &dyn Allocator) {}
}

/// Replaces the crate's own module, which marks nothing here either.
mod mark {
    use core::ptr::NonNull;

    pub(super) fn no_access(_: NonNull<u8>, _: usize) {}

    pub(super) fn undefined(_: NonNull<u8>, _: usize) {}

    pub(super) fn no_access_at(_: *mut u8, _: usize) {}

    pub(super) fn undefined_at(_: *mut u8, _: usize) {}
}
