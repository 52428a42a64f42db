//! Checks and reports: damage of the books, changed contents, and wrong frees.

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;

use super::held::{Change, Held};
use super::{LIVE, QuarantineAllocator};
use crate::contract::allocator::Allocator;
use crate::contract::misuse::{Misuse, Report, misuse, wrong_free};

impl<B: Allocator + ?Sized, K: Allocator + ?Sized> QuarantineAllocator<'_, B, K> {
    /// Checks the invariants.
    pub(super) fn validate(&self) -> Result<(), &'static str> {
        self.blocks.validate()?;
        let listed = self.held.iter().all(|(slot, held)| {
            let known = self.blocks.get(held.block);
            known.is_some_and(|known| known.slot == slot && known.granted == held.bytes)
        });
        if !listed {
            return Err("a block in quarantine is not in the table, or not as it is listed");
        }
        let bytes: usize = self.held.iter().map(|(_, held)| held.bytes).sum();
        if bytes != self.held_bytes.get() || bytes > self.bytes_max {
            return Err("the bytes in quarantine are miscounted");
        }
        let (mut waiting, mut live, mut requested, mut granted) = (0, 0, 0, 0);
        self.blocks.for_each(|_, known| {
            if known.slot == LIVE {
                live += 1;
                requested += known.requested();
                granted += known.granted;
            } else {
                waiting += 1;
            }
        });
        let counted = (self.live.get(), self.requested.get(), self.granted.get());
        if waiting == self.held.len() && (live, requested, granted) == counted {
            Ok(())
        } else {
            Err("the counters of a quarantine are not the sums over its table")
        }
    }

    /// Returns the first change in the waiting blocks, the oldest first.
    pub(super) fn first_change(&self) -> Option<Change> {
        self.held.iter().find_map(|(_, held)| held.change())
    }

    /// Reports a free or a resize of an address that is not a live block, or with a wrong layout.
    #[cold]
    #[inline(never)]
    pub(super) fn wrong(
        &self,
        block: NonNull<u8>,
        layout: Option<Layout>,
        site: &'static Location<'static>,
    ) -> ! {
        let what = match self.blocks.get(block) {
            Some(known) if known.slot != LIVE => self.double_free(self.held.at(known.slot), site),
            Some(_) => Misuse::WrongSize,
            None if self.is_inside(block) => Misuse::InteriorFree,
            None if self.left.knows(block) => Misuse::DoubleFree,
            None => Misuse::ForeignFree,
        };
        wrong_free(what, self.name, block, layout.map(|layout| layout.size()), site)
    }

    fn is_inside(&self, address: NonNull<u8>) -> bool {
        let address = address.addr().get();
        let mut inside = false;
        self.blocks.for_each(|start, known| {
            inside |= start < address && address - start < known.granted;
        });
        inside
    }

    fn double_free(&self, held: Held, site: &'static Location<'static>) -> ! {
        let report = Report::new(Misuse::DoubleFree, self.name, held.block.as_ptr());
        misuse(&report.with_bytes(held.layout.size()).with_site(site).with_detail(format_args!(
            "it was freed first from {}, and is in quarantine",
            held.site
        )))
    }

    /// Reports a change. The call that finds it is rarely the one that made it.
    #[cold]
    #[inline(never)]
    pub(super) fn report(&self, change: &Change, site: Option<&'static Location<'static>>) {
        let Change { held, offset, changed } = *change;
        let address = held.block.as_ptr().wrapping_add(offset);
        let plural = if changed == 1 { "" } else { "s" };
        let detail = format_args!(
            "{changed} byte{plural} changed, the first at offset {offset} of a block of {} bytes that \
             was freed from {}; the code called from here has only found it",
            held.bytes, held.site
        );
        let report = Report::new(Misuse::WriteAfterFree, self.name, address).with_detail(detail);
        let report = Report { site, ..report };
        #[cfg(feature = "std")]
        if std::thread::panicking() {
            // A second panic would abort the process before the first one is reported.
            crate::contract::misuse::write_stderr(format_args!("loligo: {report}\n"));
            return;
        }
        misuse(&report)
    }
}
