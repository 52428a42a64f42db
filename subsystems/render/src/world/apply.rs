//! Applying a stream: checked as a whole, then done.

use loligo_allocators::Allocator;
use loligo_containers::{EventReader, GrowError};
use loligo_ids::IdString32;

use crate::state::{Kind, Message, RenderHandle, StateError, StateErrorKind, StateStream};
use crate::world::{RenderWorld, Slot};

/// What a stream needs room for.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    slots: usize,
    meshes: usize,
    lights: usize,
    parameters: usize,
    weights: usize,
    /// Whether anything is created or destroyed.
    changes_slots: bool,
}

impl<A: Allocator + ?Sized> RenderWorld<'_, A> {
    /// Applies the messages of a stream, which must be the next one of this world.
    ///
    /// # Complexity
    ///
    /// O(messages), and O(slots) if any creates or destroys. Allocates where there are more objects
    /// than ever before.
    ///
    /// # Errors
    ///
    /// [`StateError`] with the offset of the first message that is wrong, and why, or if there is
    /// no memory; the world is as it was.
    pub fn try_apply<B: Allocator + ?Sized>(
        &mut self,
        stream: &StateStream<'_, B>,
    ) -> Result<(), StateError> {
        let (is_for, world) = (stream.world(), self.number);
        if is_for != world {
            return Err(at(0, StateErrorKind::World { is_for, world }));
        }
        let (number, next) = (stream.number(), self.next);
        if number != next {
            return Err(at(0, StateErrorKind::Sequence { number, next }));
        }
        self.try_apply_bytes(stream.as_bytes())?;
        self.next += 1;
        Ok(())
    }

    /// Applies the messages in the bytes of a stream, from any source. It is up to the caller that
    /// it is the next one.
    ///
    /// # Complexity
    ///
    /// As [`try_apply`](Self::try_apply). No size and no index is believed: memory is asked for as
    /// much as there are messages that create, and slots up to the world's limit.
    ///
    /// # Errors
    ///
    /// As [`try_apply`](Self::try_apply).
    pub fn try_apply_bytes(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let reader = EventReader::open(bytes)
            .map_err(|error| at(error.offset, StateErrorKind::Framing(error.kind)))?;
        let needs = self.needs(reader)?;
        self.try_reserve(needs).map_err(|error| at(0, StateErrorKind::Memory(error)))?;
        if needs.changes_slots {
            self.checked.clear();
            self.checked.extend_from_slice(&self.slots);
            self.checked.resize(needs.slots, Slot::EMPTY);
            check_changing(reader, &mut self.checked)?;
        } else {
            check(reader, &self.slots)?;
        }
        self.slots.resize(needs.slots, Slot::EMPTY);
        for record in reader {
            // It was read before.
            if let Ok((handle, message)) = Message::read(&record) {
                self.apply(handle, &message);
            }
        }
        Ok(())
    }

    /// Reads all messages and finds out what they need.
    fn needs(&self, reader: EventReader<'_>) -> Result<Needs, StateError> {
        let mut needs = Needs { slots: self.slots.len(), ..Needs::default() };
        let mut offset = 0;
        for record in reader {
            let (handle, message) = Message::read(&record).map_err(|kind| at(offset, kind))?;
            message.check().map_err(|kind| at(offset, kind))?;
            let limit = self.limit;
            let index = RenderHandle::from_bits(handle).map(|handle| handle.index());
            let index = index.filter(|index| *index < limit);
            let index = index.ok_or(at(offset, StateErrorKind::Handle { handle, limit }))?;
            match message {
                Message::CreateMesh(_) => needs.meshes += 1,
                Message::CreateLight(_) => needs.lights += 1,
                Message::SetParameters(_) => needs.parameters += 1,
                Message::SetWeight(_) => needs.weights += 1,
                _ => {}
            }
            if let Message::CreateMesh(_) | Message::CreateLight(_) = message {
                needs.slots = needs.slots.max(index as usize + 1);
                needs.changes_slots = true;
            }
            needs.changes_slots |= matches!(message, Message::Destroy);
            offset += record.as_bytes().len() as u64;
        }
        Ok(needs)
    }

    fn try_reserve(&mut self, needs: Needs) -> Result<(), GrowError> {
        self.meshes.try_reserve(needs.meshes)?;
        self.meshes.parameters.try_reserve(needs.parameters)?;
        self.meshes.morphed.try_reserve(needs.weights)?;
        self.lights.try_reserve(needs.lights)?;
        self.slots.try_reserve(needs.slots - self.slots.len())?;
        if needs.changes_slots {
            self.checked.try_reserve(needs.slots.saturating_sub(self.checked.len()))?;
        }
        Ok(())
    }

    /// Does what a message says that was checked, with room that was made.
    fn apply(&mut self, handle: u32, message: &Message) {
        let index = index_of(handle);
        let row = self.slots[index].row as usize;
        match message {
            Message::CreateMesh(mesh) => {
                let row = self.meshes.handles.len() as u32;
                self.slots[index] = Slot { handle, row, kind: Kind::Mesh };
                self.meshes.push(handle, mesh);
            }
            Message::CreateLight(light) => {
                let row = self.lights.handles.len() as u32;
                self.slots[index] = Slot { handle, row, kind: Kind::Light };
                self.lights.push(handle, light);
            }
            Message::Destroy => {
                let moved = match self.slots[index].kind {
                    Kind::Mesh => self.meshes.swap_remove(row),
                    Kind::Light => self.lights.swap_remove(row),
                };
                if let Some(moved) = moved {
                    self.slots[index_of(moved)].row = row as u32;
                }
                self.slots[index] = Slot::EMPTY;
            }
            Message::SetTransform(transform) => {
                self.meshes.transforms[row] = *transform;
                self.meshes.place(row);
            }
            Message::SetShape(shape) => {
                self.meshes.shapes[row] = *shape;
                self.meshes.details.forget(row);
                self.meshes.place(row);
            }
            Message::SetMaterial(material) => self.meshes.materials[row] = *material,
            Message::SetFlags(flags) => {
                self.meshes.flags[row] = *flags;
                self.meshes.place(row);
            }
            Message::SetLight(light) => self.lights.set(row, light),
            Message::SetParameters(parameters) => self.meshes.parameters.set(row, parameters),
            Message::SetWeight(weight) => {
                let mut morphed = self.meshes.morphed.get(row);
                // What there is no room for was refused where it was recorded.
                morphed.weights.set(IdString32::from_hash(weight.target), weight.weight);
                self.meshes.morphed.set(row, &morphed);
            }
        }
    }
}

/// Checks that each message is about an object that is there, where none is created or destroyed.
fn check(reader: EventReader<'_>, slots: &[Slot]) -> Result<(), StateError> {
    let mut offset = 0;
    for record in reader {
        let (handle, message) = Message::read(&record).map_err(|kind| at(offset, kind))?;
        let slot = slots.get(index_of(handle)).copied().unwrap_or(Slot::EMPTY);
        is_about(&message, handle, slot).map_err(|kind| at(offset, kind))?;
        offset += record.as_bytes().len() as u64;
    }
    Ok(())
}

/// Checks the same, and that what is created is not there yet, changing the slots as the messages
/// say.
fn check_changing(reader: EventReader<'_>, slots: &mut [Slot]) -> Result<(), StateError> {
    let mut offset = 0;
    for record in reader {
        let (handle, message) = Message::read(&record).map_err(|kind| at(offset, kind))?;
        let slot = slots.get_mut(index_of(handle));
        let Some(slot) = slot else {
            return Err(at(offset, StateErrorKind::NoObject { handle }));
        };
        match message {
            Message::CreateMesh(_) | Message::CreateLight(_) if slot.handle != 0 => {
                return Err(at(offset, StateErrorKind::Taken { handle, by: slot.handle }));
            }
            Message::CreateMesh(_) => *slot = Slot { handle, row: 0, kind: Kind::Mesh },
            Message::CreateLight(_) => *slot = Slot { handle, row: 0, kind: Kind::Light },
            _ => {
                is_about(&message, handle, *slot).map_err(|kind| at(offset, kind))?;
                if let Message::Destroy = message {
                    *slot = Slot::EMPTY;
                }
            }
        }
        offset += record.as_bytes().len() as u64;
    }
    Ok(())
}

/// Checks that a message is about what is in a slot.
fn is_about(message: &Message, handle: u32, slot: Slot) -> Result<(), StateErrorKind> {
    if slot.handle != handle {
        return Err(StateErrorKind::NoObject { handle });
    }
    match message.about() {
        Some(kind) if kind != slot.kind => Err(StateErrorKind::Kind { handle }),
        _ => Ok(()),
    }
}

/// Returns the index of a handle whose bits were checked.
fn index_of(handle: u32) -> usize {
    RenderHandle::from_bits(handle).map_or(usize::MAX, |handle| handle.index() as usize)
}

const fn at(offset: u64, kind: StateErrorKind) -> StateError {
    StateError { offset, kind }
}
