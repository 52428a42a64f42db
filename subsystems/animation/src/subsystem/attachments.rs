//! Entities that follow a bone of the character that they are children of.

use bytemuck::{Pod, Zeroable};
use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_entities::{Batch, ComponentError, ComponentManager, ComponentType, Entity, Pose};
use loligo_interface::SubsystemMemory;

use super::description::{ATTACH, ATTACH_WORDS};

/// An entity that follows a bone, as it is saved.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Attachment {
    /// The bits of the entity, and those of the character.
    pub(crate) child: u32,
    pub(crate) owner: u32,
    /// The hash of the bone's name.
    pub(crate) bone: u32,
    /// Where it is, as seen from the bone.
    offset: [u32; Pose::WORDS],
}

impl Attachment {
    pub(crate) fn new(child: Entity, owner: Entity, bone: u32, offset: &Pose) -> Self {
        let (child, owner) = (child.to_bits(), owner.to_bits());
        Self { child, owner, bone, offset: offset.to_words() }
    }

    pub(crate) fn offset(&self) -> Pose {
        Pose::from_words(&self.offset)
    }

    /// Returns both entities.
    pub(crate) fn entities(&self) -> Option<(Entity, Entity)> {
        Entity::from_bits(self.child).zip(Entity::from_bits(self.owner))
    }

    /// Returns whether all of it may be used.
    pub(crate) fn is_sound(&self) -> bool {
        let numbers = self.offset.map(f32::from_bits);
        self.entities().is_some() && numbers.iter().all(|number| number.is_finite())
    }
}

/// The manager of the component `attach`: those that follow a bone, in the order in which they began.
///
/// # Memory
///
/// 52 bytes each.
pub(crate) struct Attachments<'m> {
    pub(crate) list: Array<'m, Attachment, SubsystemMemory<'m>>,
}

impl<'m> Attachments<'m> {
    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { list: Array::new_in(memory) }
    }

    /// Has an entity follow a bone; it follows one at most.
    pub(crate) fn attach(&mut self, attachment: Attachment) -> Result<(), ComponentError> {
        self.list.try_reserve(1)?;
        self.list.retain(|of| of.child != attachment.child);
        self.list.push(attachment);
        Ok(())
    }

    /// Has an entity follow no bone any more; `false` if it followed none.
    pub(crate) fn detach(&mut self, child: Entity) -> bool {
        let before = self.list.len();
        self.list.retain(|of| of.child != child.to_bits());
        self.list.len() < before
    }
}

impl ComponentManager for Attachments<'_> {
    fn component(&self) -> ComponentType {
        ATTACH
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let (words, _) = batch.data().as_chunks::<ATTACH_WORDS>();
        if words.len() != batch.len() || batch.data().len() != words.len() * ATTACH_WORDS {
            return Err(ComponentError::data(batch.len(), "there are data for another number"));
        }
        self.list.try_reserve(batch.len() * batch.copies())?;
        for copy in 0..batch.copies() {
            for (at, (child, words)) in batch.owners(copy).zip(words).enumerate() {
                // Without a parent it follows nobody.
                let Some(owner) = batch.parent(copy, at) else { continue };
                let [bone, offset @ ..] = *words;
                self.attach(Attachment::new(child, owner, bone, &Pose::from_words(&offset)))?;
            }
        }
        Ok(())
    }

    fn remove(&mut self, entities: &[Entity]) {
        if !self.list.is_empty() {
            let is_gone = |bits: u32| entities.iter().any(|entity| entity.to_bits() == bits);
            self.list.retain(|of| !is_gone(of.child) && !is_gone(of.owner));
        }
    }
}
