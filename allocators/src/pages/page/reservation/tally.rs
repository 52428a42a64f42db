//! The one order in which a reservation's pages and its owner's count change.
//!
//! A page is counted twice: in the map of its reservation, and in the bytes that the owner of all
//! reservations has committed. The second count is changed before the lock of the first is
//! released. Otherwise a thread that decommits pages which another has just committed lowers the
//! owner's count before the other has raised it, and the count wraps.
//!
//! Lock order: the map of a reservation, then the owner's state, never the reverse.

use super::PageMap;
use crate::pages::page::State;
use crate::pages::page::system;
use crate::threads::sync::SpinCell;

/// A value that is reached only through its lock. Models use the model checker's lock instead.
pub(super) trait Lock<T> {
    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R;
}

impl<T> Lock<T> for SpinCell<T> {
    #[inline]
    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        Self::with(self, work)
    }
}

/// The first count: that of one reservation.
pub(super) trait Part {
    /// Returns the committed bytes of the reservation.
    fn committed(&self) -> usize;
}

impl Part for PageMap {
    fn committed(&self) -> usize {
        Self::committed(self) * system::page_size()
    }
}

/// The second count: that of the owner.
pub(super) trait Whole {
    /// Returns the committed bytes of all reservations and blocks of the owner.
    fn committed(&mut self) -> &mut usize;
}

impl Whole for State {
    fn committed(&mut self) -> &mut usize {
        &mut self.committed
    }
}

/// Runs `work` on a reservation's pages and changes the owner's count by the same amount.
pub(super) fn change<P: Part, W: Whole, R>(
    part: &impl Lock<P>,
    whole: &impl Lock<W>,
    work: impl FnOnce(&mut P) -> R,
) -> R {
    part.with(|part| {
        let before = part.committed();
        let result = work(part);
        let after = part.committed();
        // While the map is still locked: the next thread to change these pages finds them counted.
        whole.with(|whole| {
            let committed = whole.committed();
            *committed = *committed - before + after;
        });
        result
    })
}
