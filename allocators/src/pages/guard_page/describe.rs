//! Descriptions of addresses, for reports and debuggers.

use core::fmt;
use core::panic::Location;
use core::ptr::NonNull;

use super::state::{Known, Stage};

/// The place of an address, relative to the block that its pages belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GuardedPlace {
    /// In the block, at this offset.
    Inside(usize),
    /// This many bytes before the block's start; the byte just before it is 1.
    Before(usize),
    /// This many bytes past the block's end; the byte just after the last one is 1.
    Behind(usize),
}

/// The result of [`GuardPageAllocator::describe`](crate::GuardPageAllocator::describe).
///
/// It displays as a sentence, without allocating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GuardedAddress {
    /// The address.
    pub address: *const u8,
    /// Its place.
    pub place: GuardedPlace,
    /// The block that its pages belong to.
    pub block: NonNull<u8>,
    /// The requested size of the block.
    pub bytes: usize,
    /// The site of the block's allocation or last resize.
    pub allocated: &'static Location<'static>,
    /// The site of its free, unless it is live.
    pub freed: Option<&'static Location<'static>>,
}

impl GuardedAddress {
    pub(super) fn new(address: *const u8, known: &Known) -> Self {
        let start = known.block.addr().get();
        let end = start + known.requested();
        let at = address.addr();
        let place = if at < start {
            GuardedPlace::Before(start - at)
        } else if at < end {
            GuardedPlace::Inside(at - start)
        } else {
            GuardedPlace::Behind(at - end + 1)
        };
        let freed = match known.stage {
            Stage::Freed { site, .. } => Some(site),
            Stage::Guarded(_) | Stage::Forwarded => None,
        };
        let (block, bytes, allocated) = (known.block, known.requested(), known.site);
        Self { address, place, block, bytes, allocated, freed }
    }
}

impl fmt::Display for GuardedAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the address {:p} is ", self.address)?;
        match self.place {
            GuardedPlace::Inside(offset) => write!(f, "at offset {offset} of")?,
            GuardedPlace::Before(bytes) => write!(f, "{bytes} before the start of")?,
            GuardedPlace::Behind(bytes) => write!(f, "{bytes} past the end of")?,
        }
        let state = if self.freed.is_some() { "freed" } else { "live" };
        write!(f, " the {state} block {:p} of {} bytes", self.block, self.bytes)?;
        write!(f, ", allocated from {}", self.allocated)?;
        match self.freed {
            Some(site) => write!(f, ", freed from {site}"),
            None => Ok(()),
        }
    }
}
