//! The scopes of puffin, and of tracing with a subscriber that keeps time stamps.

use core::cell::RefCell;
use core::num::NonZeroU64;
use std::sync::Once;

use loligo_monitor::ticks;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::contender::Contender;

use super::frames;

/// Returns the scopes of puffin, which reports them to its global profiler at the end of the
/// outermost scope.
pub(crate) fn puffin() -> Contender {
    let frame = |scopes| {
        puffin::profile_scope!("frame");
        for _ in 0..scopes {
            puffin::profile_scope!("scope");
        }
    };
    puffin::set_scopes_on(true);
    frames("puffin", frame, || puffin::GlobalProfiler::lock().new_frame())
}

std::thread_local! {
    /// What the subscriber has seen on this thread.
    static SEEN: RefCell<Vec<Seen>> = const { RefCell::new(Vec::new()) };
}

/// A beginning or an end: the span and the stamp.
struct Seen {
    span: u64,
    stamp: u64,
}

/// The least that a subscriber for a profiler does: it keeps a stamp for each beginning and end.
struct Stamps;

impl Subscriber for Stamps {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        // The address of what is static about a span says which it is.
        let address = core::ptr::from_ref(attributes.metadata()).addr() as u64;
        Id::from_non_zero_u64(NonZeroU64::new(address).unwrap_or(NonZeroU64::MIN))
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, span: &Id) {
        see(span);
    }

    fn exit(&self, span: &Id) {
        see(span);
    }
}

fn see(span: &Id) {
    SEEN.with_borrow_mut(|seen| seen.push(Seen { span: span.into_u64(), stamp: ticks() }));
}

/// Returns the spans of tracing.
pub(crate) fn tracing() -> Contender {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| match tracing::subscriber::set_global_default(Stamps) {
        Ok(()) => {}
        Err(error) => unreachable!("nothing else here subscribes: {error}"),
    });
    let frame = |scopes| {
        let _frame = tracing::span!(Level::INFO, "frame").entered();
        for _ in 0..scopes {
            let _scope = tracing::span!(Level::INFO, "scope").entered();
        }
    };
    let after = || {
        SEEN.with_borrow_mut(|seen| {
            core::hint::black_box(seen.iter().map(|seen| seen.span ^ seen.stamp).max());
            seen.clear();
        });
    };
    frames("tracing", frame, after)
}
