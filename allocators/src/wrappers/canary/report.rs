//! Reports of damaged guards and of addresses that are not blocks.

use core::fmt::{self, Display};
use core::panic::Location;
use core::ptr::{self, NonNull};

use crate::contract::allocator::Allocator;
use crate::contract::misuse::{Misuse, Report, misuse, wrong_free};

use super::CanaryAllocator;
use super::guard::{self, BEFORE, BEHIND, Span};
use super::header::{HEADER, Header, block_of, header_of};

/// The text of `verify` for changed bytes after a block.
pub(super) const OVER: &str = "overrun: bytes past a block's end were changed";
/// The text of `verify` for changed bytes before a block.
pub(super) const UNDER: &str = "underrun: bytes before a block were changed";
/// The text of `verify` for a damaged header with an intact guard after it.
pub(super) const HEADER_CHANGED: &str =
    "the header of a block was changed, not the bytes next to it";

type Site = &'static Location<'static>;

/// Where an address is, according to the list of live blocks.
enum Place {
    /// A block starts there.
    Start,
    /// It is inside a block or in the words around it.
    Inside,
    /// The list is broken at this header, so the place is unknown.
    Lost(NonNull<Header>),
    /// No live block is there.
    Nowhere,
}

impl<B: Allocator + ?Sized> CanaryAllocator<'_, B> {
    /// Derives the secret from this allocator's current address and its fields.
    #[cold]
    #[inline(never)]
    pub(super) fn make_secret(&self) {
        let own = ptr::from_ref(self).addr() as u64;
        let other = self.name.as_ptr().addr() as u64;
        let mixed = (own ^ other.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // Never zero, which means that there is none yet.
        self.secret.set((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1);
    }

    /// Reports a live block whose header is intact and whose guards are not.
    #[cold]
    #[inline(never)]
    pub(super) fn breached(&self, block: NonNull<u8>, site: Site) -> ! {
        // SAFETY: the caller found that the header holds.
        let at = unsafe { header_of(block) };
        // SAFETY: as above.
        let shape = unsafe { Header::read(at) }.shape();
        // SAFETY: the header holds, so this is a live block of that shape.
        let over = unsafe { guard::behind(block, shape.size) };
        // SAFETY: as above.
        let under = unsafe { guard::before(block, shape.pad()) };
        let report = |kind| {
            Report::new(kind, self.name, block.as_ptr()).with_bytes(shape.size).with_site(site)
        };
        match (over, under) {
            (None, Some(span)) => misuse(&report(Misuse::Underrun).with_detail(format_args!(
                "{} before its start; the block has {} bytes",
                Changed(span, BEFORE + shape.pad()),
                shape.size
            ))),
            (Some(span), None) => misuse(&report(Misuse::Overrun).with_detail(format_args!(
                "{} past its end; the block has {} bytes",
                Changed(span, BEHIND),
                shape.size
            ))),
            (Some(over), Some(under)) => {
                misuse(&report(Misuse::Overrun).with_detail(format_args!(
                    "{} past its end, and {} before its start; the block has {} bytes",
                    Changed(over, BEHIND),
                    Changed(under, BEFORE + shape.pad()),
                    shape.size
                )))
            }
            (None, None) => misuse(&report(Misuse::Damaged)),
        }
    }

    /// Reports an address without an intact header.
    #[cold]
    #[inline(never)]
    pub(super) fn unknown(&self, block: NonNull<u8>, told: Option<usize>, site: Site) -> ! {
        let free = |kind| wrong_free(kind, self.name, block, told, site);
        if !self.backing.owns(block.as_ptr()) {
            free(Misuse::ForeignFree);
        }
        // SAFETY: the header was read before, so there is one address.
        let at = unsafe { header_of(block) };
        // SAFETY: the backing has memory there, and under the same promise of the caller as now,
        // that this is a block, the header was read before.
        let dead = unsafe { Header::read(at) }.is_dead(at, self.secret.get());
        match self.place(block) {
            Place::Start => self.header_damaged(block, told, site),
            Place::Inside => free(Misuse::InteriorFree),
            Place::Nowhere | Place::Lost(_) if dead => free(Misuse::DoubleFree),
            Place::Nowhere => free(Misuse::ForeignFree),
            Place::Lost(other) => {
                let report = Report::new(Misuse::Damaged, self.name, block.as_ptr());
                misuse(&report.with_site(site).with_detail(format_args!(
                    "neither its header holds nor that of the block {:p}, so it is unknown \
                     whether this is a block",
                    block_of(other)
                )))
            }
        }
    }

    /// Reports a block whose header was found damaged while another block was allocated or freed.
    #[cold]
    #[inline(never)]
    pub(super) fn neighbour_damaged(&self, at: NonNull<Header>, site: Site) -> ! {
        self.header_damaged(block_of(at), None, site)
    }

    /// Reports a free or a resize with a wrong size; a size of zero counts as one byte.
    #[cold]
    #[inline(never)]
    pub(super) fn other_size(
        &self,
        block: NonNull<u8>,
        told: Option<usize>,
        size: usize,
        site: Site,
    ) {
        if told != Some(0) || size != 1 {
            wrong_free(Misuse::WrongSize, self.name, block, told, site);
        }
    }

    /// Reports a live block with a damaged header; its size is therefore unknown.
    fn header_damaged(&self, block: NonNull<u8>, told: Option<usize>, site: Site) -> ! {
        // SAFETY: the block is live, so its guard is before it.
        let under = unsafe { guard::before(block, 0) };
        let kind = if under.is_some() { Misuse::Underrun } else { Misuse::Damaged };
        let report = Report::new(kind, self.name, block.as_ptr()).with_site(site);
        let report = Report { bytes: told, ..report };
        match under {
            Some(span) => misuse(&report.with_detail(format_args!(
                "{} before its start, and the {HEADER} bytes of its header before those",
                Changed(span, BEFORE)
            ))),
            None => misuse(&report.with_detail(format_args!(
                "its header was changed, {BEFORE} to {} bytes before its start, and not the bytes \
                 between",
                BEFORE + HEADER
            ))),
        }
    }

    /// Looks for an address on the list of live blocks.
    fn place(&self, address: NonNull<u8>) -> Place {
        let mut at = NonNull::new(self.head.get());
        while let Some(here) = at {
            let block = block_of(here);
            if block == address {
                return Place::Start;
            }
            // SAFETY: invariant 1: it is the header of a live block.
            let header = unsafe { Header::read(here) };
            if !header.is_sealed(here, self.secret.get()) {
                return Place::Lost(here);
            }
            let shape = header.shape();
            let start = block.addr().get() - shape.front;
            if address.addr().get().wrapping_sub(start) < shape.total {
                return Place::Inside;
            }
            at = NonNull::new(header.next);
        }
        Place::Nowhere
    }
}

/// The changed bytes of a guard of the given size, as text; the byte next to the block is byte 1.
struct Changed(Span, usize);

impl Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(span, guarded) = self;
        write!(f, "{} of {guarded} guard bytes changed, ", span.changed)?;
        let (near, far) = (span.near + 1, span.far + 1);
        if near == far { write!(f, "byte {near}") } else { write!(f, "bytes {near} to {far}") }
    }
}
