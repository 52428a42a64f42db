//! Kinds of work that others brought.

use loligo_allocators::{Allocator, Own};
use loligo_containers::Array;
use loligo_gpu::{CardJob, Gpu};

use crate::backend::Recorded;
use crate::context::Package;
use crate::display_list::{Command, package_of};
use crate::gpu::error::GpuRenderError;

/// What does the work of each kind.
pub(super) struct Jobs<'a, A: Allocator + ?Sized> {
    all: Array<'a, (u32, Own<'a, dyn CardJob + 'a, A>), A>,
}

impl<'a, A: Allocator + ?Sized> Jobs<'a, A> {
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self { all: Array::new_in(memory) }
    }

    /// Adds a kind, in place of an older one of that number.
    pub(super) fn try_add(
        &mut self,
        kind: u32,
        job: Own<'a, dyn CardJob + 'a, A>,
    ) -> Result<(), GpuRenderError> {
        match self.all.iter_mut().find(|(own, _)| *own == kind) {
            Some((_, old)) => *old = job,
            None => self.all.try_push((kind, job))?,
        }
        Ok(())
    }

    pub(super) fn get(&mut self, kind: u32) -> Option<&mut (dyn CardJob + 'a)> {
        let found = self.all.iter_mut().find(|(own, _)| *own == kind);
        found.map(|(_, job)| &mut **job)
    }

    /// Has all of them make ready for a frame. O(commands), nothing where there is no kind.
    pub(super) fn prepare<B: Allocator + ?Sized, C: Allocator + ?Sized>(
        &mut self,
        gpu: &Gpu,
        recorded: &Recorded<'_, '_, B, C>,
    ) -> Result<(), GpuRenderError> {
        if self.all.is_empty() {
            return Ok(());
        }
        for command in recorded.list.commands() {
            if let Command::Job { context, package } = *command
                && let Package::Job(job) = package_of(context, package, recorded.contexts)
                && let Some(own) = self.get(job.kind)
            {
                own.prepare(gpu, job.data)?;
            }
        }
        Ok(())
    }
}
