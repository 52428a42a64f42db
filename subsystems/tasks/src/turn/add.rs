//! Adding tasks with the lock held: those that wait for something, and those of threads that are
//! not the manager's.

use crate::error::AddError;
use crate::failures::SOUND;
use crate::id::TaskId;
use crate::slot::{ANYWHERE, List, NONE, Phase};
use crate::sync::Ordering;
use crate::task::{Name, Task, Work};
use crate::turn::Turn;

impl Turn<'_, '_> {
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
        let affinity = self.affinity_of(task);
        let place = affinity.and_then(|affinity| Ok((self.take_place()?, affinity)));
        let (index, affinity) = match place {
            Ok(place) => place,
            Err(error) => {
                if parent != NONE {
                    self.unpin(parent);
                }
                return Err(error);
            }
        };
        let (work, external) = match core::mem::replace(&mut task.work, Work::Nothing) {
            Work::Run(closure) => (Some(closure), false),
            Work::Nothing => (None, false),
            Work::Elsewhere => (None, true),
        };
        let phase = match (external, task.held) {
            (true, _) => Phase::External,
            (_, true) => Phase::Held,
            _ => Phase::Open,
        };
        let id = self.table.fill(index, task, work, (parent, affinity, phase));
        self.count_added();
        if external {
            self.state.counts.external += 1;
            return Ok(id);
        }
        self.state.counts.held += u32::from(task.held);
        let blocked = task.dependency.is_some_and(|dependency| self.block(index, dependency));
        if !blocked && !task.held {
            let mut pending = List::EMPTY;
            pending.push(self.table.slots, index);
            self.settle(pending);
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
        let parent = root.map_or(NONE, TaskId::index);
        for &id in tasks {
            let Some(index) = self.pin(id) else { continue };
            let its_own = self.table.slot(index).parent.get();
            self.unpin(index);
            if its_own != parent {
                return Err(AddError::HasParent);
            }
        }
        // SAFETY: it borrows nothing.
        let join = unsafe { self.add(&mut Task::external(name), root) }?;
        let place = join.index();
        for &id in tasks {
            match self.pin(id) {
                Some(index) => {
                    // One that is named twice is a child already.
                    if self.table.slot(index).parent.get() == parent {
                        self.adopt(place, index);
                    }
                    self.unpin(index);
                }
                None => self.spread(place, self.state.failures.of_dead(id)),
            }
        }
        self.complete_external(place);
        Ok(join)
    }

    /// Puts a task into the list of its dependency; `false` if that has completed.
    pub(super) fn block(&mut self, index: u32, dependency: TaskId) -> bool {
        let Some(before) = self.watch(dependency) else {
            self.spread(index, self.state.failures.of_dead(dependency));
            return false;
        };
        let first = self.table.slot(before).dependents.replace(index);
        let slot = self.table.slot(index);
        slot.next.set(first);
        slot.set_phase(match slot.phase() {
            Phase::Held => Phase::HeldBlocked,
            _ => Phase::Blocked,
        });
        true
    }

    /// Makes a task, which is pinned, the child of another, which is open. The parent that it had
    /// is the root of a scope, which stays open for the new one.
    pub(super) fn adopt(&mut self, parent: u32, child: u32) {
        // Relaxed: both are open, and stay so until their counts are taken down.
        self.table.slot(parent).open.fetch_add(1, Ordering::Relaxed);
        let slot = self.table.slot(child);
        let root = slot.parent.replace(parent);
        if root != NONE {
            // Never the last: the new parent is a child of the root as well.
            self.table.slot(root).open.fetch_sub(1, Ordering::Relaxed);
        }
        self.spread(parent, slot.failure.get());
    }

    /// Takes a free place.
    pub(crate) fn take_place(&mut self) -> Result<u32, AddError> {
        let (table, batch) = (self.table, self.table.sizes.batch);
        if let Some(index) = self.me.and_then(|me| table.take_place(me)) {
            return Ok(index);
        }
        let taken = self.state.places.take(table.slots, batch);
        let (first, count) = taken.ok_or(AddError::Full { capacity: table.sizes.tasks })?;
        let rest = table.slot(first).next.get();
        match self.me {
            Some(me) => {
                me.local.free.set(rest);
                me.local.free_count.set(count - 1);
            }
            None => {
                self.state.places.loose = rest;
                self.state.places.loose_count = count - 1;
            }
        }
        Ok(first)
    }

    fn count_added(&mut self) {
        match self.me {
            Some(me) => {
                let added = &me.local.added;
                added.set(added.get() + 1);
            }
            None => self.state.added += 1,
        }
    }

    /// Returns the place of a task's parent, to whose open work one was added; `NONE` for none.
    fn parent_of(&mut self, task: &Task<'_>, root: Option<TaskId>) -> Result<u32, AddError> {
        if self.table.board.is_closing() {
            return Err(AddError::Closing);
        }
        let Some(parent) = task.parent.or(root) else {
            return Ok(NONE);
        };
        let index = self.pin(parent).ok_or(AddError::DeadParent)?;
        if let (Some(_), Some(root)) = (task.parent, root)
            && !self.table.is_within(index, root.index())
        {
            self.unpin(index);
            return Err(AddError::OutsideScope);
        }
        Ok(index)
    }

    fn affinity_of(&self, task: &Task<'_>) -> Result<u8, AddError> {
        let external = matches!(task.work, Work::Elsewhere);
        if external && (task.held || task.dependency.is_some() || task.affinity.is_some()) {
            return Err(AddError::External);
        }
        let Some(thread) = task.affinity else {
            return Ok(ANYWHERE);
        };
        let record = self.state.threads.get(usize::from(thread.0));
        match record {
            Some(record) if record.registered => Ok(thread.0),
            _ => Err(AddError::NoSuchThread { thread: thread.0 }),
        }
    }

    /// Marks a task as failed, unless it is already.
    pub(super) fn spread(&mut self, index: u32, failure: u8) {
        let slot = self.table.slot(index);
        if slot.failure.get() == SOUND {
            slot.failure.set(failure);
        }
    }
}
