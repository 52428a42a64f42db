//! Adding tasks, and changing those that have not started.

use crate::error::{AddError, ChangeError};
use crate::failures::SOUND;
use crate::id::TaskId;
use crate::slot::{ANYWHERE, List, NONE, Phase, Slot};
use crate::state::State;
use crate::task::{Name, PRIORITY_MAX, Task, Work};

impl State {
    /// Adds a task, below `root` unless it names a parent, which then is below `root` itself. What
    /// it does is taken out of `task` if it is added.
    ///
    /// # Safety
    ///
    /// What the task borrows remains valid until it has completed.
    pub(crate) unsafe fn add(
        &mut self,
        task: &mut Task<'_>,
        root: Option<TaskId>,
    ) -> Result<TaskId, AddError> {
        let parent = self.parent_of(task, root)?;
        let affinity = self.affinity_of(task)?;
        let index =
            self.free.pop(&self.slots).ok_or(AddError::Full { capacity: self.capacity() })?;
        let slot = &mut self.slots[index as usize];
        let id = slot.id;
        let (work, external) = match core::mem::replace(&mut task.work, Work::Nothing) {
            Work::Run(closure) => (Some(closure), false),
            Work::Nothing => (None, false),
            Work::Elsewhere => (None, true),
        };
        *slot = Slot {
            work,
            name: task.name,
            id,
            parent,
            next: NONE,
            dependents: NONE,
            open: 1,
            priority: task.priority.min(PRIORITY_MAX),
            affinity,
            phase: if task.held { Phase::Held } else { Phase::Open },
            failure: SOUND,
        };
        if let Some(parent) = parent {
            let parent = self.bits.index(parent);
            self.slots[parent].open += 1;
        }
        self.counts.open += 1;
        self.added_total += 1;
        if external {
            self.slot(index).phase = Phase::External;
            self.counts.external += 1;
            return Ok(id);
        }
        self.counts.held += u32::from(task.held);
        let blocked = task.dependency.is_some_and(|dependency| self.block(index, dependency));
        if !blocked && !task.held {
            self.settle_one(index);
        }
        Ok(id)
    }

    /// Adds an empty task whose children these become; those that have completed are left out.
    pub(crate) fn join(
        &mut self,
        name: Name,
        tasks: &[TaskId],
        root: Option<TaskId>,
    ) -> Result<TaskId, AddError> {
        for &id in tasks {
            let Some(index) = self.index_of(id) else { continue };
            if self.slot(index).parent != root {
                return Err(AddError::HasParent);
            }
        }
        // SAFETY: it borrows nothing.
        let join = unsafe { self.add(&mut Task::external(name), root) }?;
        let place = self.bits.index(join) as u32;
        for &id in tasks {
            match self.index_of(id) {
                // One that is named twice is a child already.
                Some(index) if self.slot(index).parent == root => self.adopt(place, index, root),
                Some(_) => {}
                None => {
                    let failure = self.failures.of_dead(id);
                    self.spread(place, failure);
                }
            }
        }
        self.complete(place);
        Ok(join)
    }

    /// Makes an open task the child of another.
    pub(crate) fn add_child(&mut self, parent: TaskId, child: TaskId) -> Result<(), ChangeError> {
        let place = self.index_of(parent).ok_or(ChangeError::Dead)?;
        let index = self.index_of(child).ok_or(ChangeError::Dead)?;
        if parent == child {
            return Err(ChangeError::Itself);
        }
        if self.slot(index).parent.is_some() {
            return Err(ChangeError::HasParent);
        }
        if self.is_within(parent, child) {
            return Err(ChangeError::Circle);
        }
        self.adopt(place, index, None);
        Ok(())
    }

    /// Gives a held task its dependency.
    pub(crate) fn depends_on(&mut self, id: TaskId, on: TaskId) -> Result<(), ChangeError> {
        let index = self.index_of(id).ok_or(ChangeError::Dead)?;
        match self.slot(index).phase {
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
        let index = self.index_of(id).ok_or(ChangeError::Dead)?;
        match self.slot(index).phase {
            Phase::HeldBlocked => self.slot(index).phase = Phase::Blocked,
            Phase::Held => {
                let mut pending = List::EMPTY;
                pending.push(&mut self.slots, index);
                self.settle(pending);
            }
            _ => return Err(ChangeError::NotHeld),
        }
        self.counts.held -= 1;
        Ok(())
    }

    /// Says that what is done elsewhere is done, or has failed.
    pub(crate) fn complete_external(
        &mut self,
        id: TaskId,
        failed: bool,
    ) -> Result<(), ChangeError> {
        let index = self.index_of(id).ok_or(ChangeError::Dead)?;
        if self.slot(index).phase != Phase::External {
            return Err(ChangeError::NotExternal);
        }
        if failed {
            let name = self.slot(index).name;
            let failure = self.failures.of(name);
            self.spread(index, failure);
        }
        self.complete(index);
        Ok(())
    }

    fn complete(&mut self, index: u32) {
        self.counts.external -= 1;
        self.slot(index).phase = Phase::Open;
        let mut pending = List::EMPTY;
        self.close_item(index, &mut pending);
        self.settle(pending);
    }

    /// Puts a task into the list of its dependency; `false` if that has completed.
    fn block(&mut self, index: u32, dependency: TaskId) -> bool {
        let Some(before) = self.index_of(dependency) else {
            let failure = self.failures.of_dead(dependency);
            self.spread(index, failure);
            return false;
        };
        let first = core::mem::replace(&mut self.slot(before).dependents, index);
        let slot = self.slot(index);
        slot.next = first;
        slot.phase = match slot.phase {
            Phase::Held => Phase::HeldBlocked,
            _ => Phase::Blocked,
        };
        true
    }

    /// Makes a task, whose parent is `root`, the child of another, which `root` then stays open
    /// for.
    fn adopt(&mut self, parent: u32, child: u32, root: Option<TaskId>) {
        let id = self.slot(parent).id;
        self.slot(parent).open += 1;
        self.slot(child).parent = Some(id);
        if let Some(root) = root {
            // Never the last: the new parent is a child of the root as well.
            let root = self.bits.index(root);
            self.slots[root].open -= 1;
        }
        let failure = self.slot(child).failure;
        self.spread(parent, failure);
    }

    fn parent_of(&self, task: &Task<'_>, root: Option<TaskId>) -> Result<Option<TaskId>, AddError> {
        if self.closing {
            return Err(AddError::Closing);
        }
        let parent = task.parent.or(root);
        if parent.is_some_and(|parent| !self.is_open(parent)) {
            return Err(AddError::DeadParent);
        }
        if let (Some(parent), Some(root)) = (task.parent, root)
            && !self.is_within(parent, root)
        {
            return Err(AddError::OutsideScope);
        }
        Ok(parent)
    }

    fn affinity_of(&self, task: &Task<'_>) -> Result<u8, AddError> {
        let external = matches!(task.work, Work::Elsewhere);
        if external && (task.held || task.dependency.is_some() || task.affinity.is_some()) {
            return Err(AddError::External);
        }
        let Some(thread) = task.affinity else {
            return Ok(ANYWHERE);
        };
        let record = self.threads.get(usize::from(thread.0));
        match record {
            Some(record) if record.registered => Ok(thread.0),
            _ => Err(AddError::NoSuchThread { thread: thread.0 }),
        }
    }

    /// Returns `true` if an open task is `outer` or below it.
    pub(super) fn is_within(&self, id: TaskId, outer: TaskId) -> bool {
        let parent = |id: &TaskId| self.slots[self.bits.index(*id)].parent;
        core::iter::successors(Some(id), parent).any(|id| id == outer)
    }

    fn capacity(&self) -> u32 {
        self.slots.len() as u32
    }
}
