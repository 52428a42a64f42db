//! Changing tasks that have not started.

use crate::error::ChangeError;
use crate::id::TaskId;
use crate::slot::{List, NONE, Phase};
use crate::turn::Turn;

impl Turn<'_, '_> {
    /// Makes an open task the child of another.
    pub(crate) fn add_child(&mut self, parent: TaskId, child: TaskId) -> Result<(), ChangeError> {
        let place = self.pin(parent).ok_or(ChangeError::Dead)?;
        let result = match self.pin(child) {
            Some(index) => {
                let result = self.may_adopt(place, index);
                if result.is_ok() {
                    self.adopt(place, index);
                }
                self.unpin(index);
                result
            }
            None => Err(ChangeError::Dead),
        };
        self.unpin(place);
        result
    }

    fn may_adopt(&self, parent: u32, child: u32) -> Result<(), ChangeError> {
        if parent == child {
            return Err(ChangeError::Itself);
        }
        if self.table.slot(child).parent.get() != NONE {
            return Err(ChangeError::HasParent);
        }
        if self.table.is_within(parent, child) {
            return Err(ChangeError::Circle);
        }
        Ok(())
    }

    /// Gives a held task its dependency.
    pub(crate) fn depends_on(&mut self, id: TaskId, on: TaskId) -> Result<(), ChangeError> {
        let index = self.open(id)?;
        match self.table.slot(index).phase() {
            _ if id == on => Err(ChangeError::Itself),
            Phase::Held => {
                self.block(index, on);
                Ok(())
            }
            Phase::HeldBlocked => Err(ChangeError::HasDependency),
            _ => Err(ChangeError::NotHeld),
        }
    }

    /// Lets a held task start.
    pub(crate) fn start(&mut self, id: TaskId) -> Result<(), ChangeError> {
        let index = self.open(id)?;
        let slot = self.table.slot(index);
        match slot.phase() {
            Phase::HeldBlocked => slot.set_phase(Phase::Blocked),
            Phase::Held => {
                let mut pending = List::EMPTY;
                pending.push(self.table.slots, index);
                self.settle(pending);
            }
            _ => return Err(ChangeError::NotHeld),
        }
        self.state.counts.held -= 1;
        Ok(())
    }

    /// Says that what is done elsewhere is done, or has failed.
    pub(crate) fn complete(&mut self, id: TaskId, failed: bool) -> Result<(), ChangeError> {
        let index = self.open(id)?;
        let slot = self.table.slot(index);
        if slot.phase() != Phase::External {
            return Err(ChangeError::NotExternal);
        }
        if failed {
            let failure = self.state.failures.of(slot.name());
            self.spread(index, failure);
        }
        self.complete_external(index);
        Ok(())
    }

    pub(super) fn complete_external(&mut self, index: u32) {
        self.state.counts.external -= 1;
        self.table.slot(index).set_phase(Phase::Open);
        self.unpin(index);
    }

    /// Returns the place of an open task. What is held, elsewhere or blocked cannot complete as
    /// long as the lock is held; of others nothing but that is asked.
    fn open(&self, id: TaskId) -> Result<u32, ChangeError> {
        if self.table.is_open(id) { Ok(id.index()) } else { Err(ChangeError::Dead) }
    }
}
