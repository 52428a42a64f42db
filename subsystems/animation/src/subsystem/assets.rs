//! Skeletons, clips and machines that are loaded, by the hashes of their names.

use loligo_allocators::SharedRef;
use loligo_containers::{BlobBytes, SortedMap};
use loligo_ids::IdString64;
use loligo_interface::{ResourceChange, SubsystemError, SubsystemMemory};

use crate::clip::{CLIP_TYPE, Clip, StoredClip, StoredClipError};
use crate::machine::{MACHINE_TYPE, Machine};
use crate::skeleton::{SKELETON_TYPE, Skeleton};

/// Copies, since what is loaded moves.
type Kept<'m, T> = SortedMap<'m, IdString64, T, SubsystemMemory<'m>>;

type Bytes<'m> = BlobBytes<'m, SubsystemMemory<'m>>;

/// All of them. They were verified when they came.
pub(crate) struct Assets<'m> {
    skeletons: Kept<'m, Bytes<'m>>,
    clips: Kept<'m, StoredClip<'m, SubsystemMemory<'m>>>,
    machines: Kept<'m, Bytes<'m>>,
}

impl<'m> Assets<'m> {
    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self {
            skeletons: SortedMap::new_in(memory),
            clips: SortedMap::new_in(memory),
            machines: SortedMap::new_in(memory),
        }
    }

    /// Takes one in, in place of an older one.
    pub(crate) fn put(&mut self, change: &ResourceChange<'_>) -> Result<(), SubsystemError> {
        let memory = self.clips.memory();
        let copied = || BlobBytes::try_copy_in(change.payload, memory);
        let wrong = |what| SubsystemError::Wrong { what, remedy: "compile it again" };
        if change.is_of(SKELETON_TYPE) {
            let copy = copied()?;
            Skeleton::open(&copy).map_err(|_| wrong("it is not a compiled skeleton"))?;
            self.skeletons.try_insert(change.name, copy)?;
        } else if change.is_of(MACHINE_TYPE) {
            let copy = copied()?;
            Machine::open(&copy).map_err(|_| wrong("it is not a compiled machine"))?;
            self.machines.try_insert(change.name, copy)?;
        } else {
            let stored = StoredClip::try_new_in(change.payload, memory);
            let stored = stored.map_err(|error| match error {
                StoredClipError::Memory(error) => SubsystemError::Grow(error),
                StoredClipError::Data(_) => wrong("it is not a compiled clip"),
            })?;
            self.clips.try_insert(change.name, stored)?;
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, type_hash: IdString64, name: IdString64) {
        if type_hash == IdString64::new(SKELETON_TYPE) {
            self.skeletons.remove(&name);
        } else if type_hash == IdString64::new(CLIP_TYPE) {
            self.clips.remove(&name);
        } else if type_hash == IdString64::new(MACHINE_TYPE) {
            self.machines.remove(&name);
        }
    }

    pub(crate) fn skeleton(&self, name: IdString64) -> Option<Skeleton<'_>> {
        Skeleton::read(self.skeletons.get(&name)?).ok()
    }

    pub(crate) fn machine(&self, name: IdString64) -> Option<Machine<'_>> {
        Machine::read(self.machines.get(&name)?).ok()
    }

    pub(crate) fn clip(&self, name: IdString64) -> Option<Clip<'_>> {
        self.clips.get(&name)?.clip()
    }
}
