//! The side that records.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, Event};
use loligo_ids::{Fifo, HoleTable, Retire};

use crate::draw::Geometry;
use crate::morph::MorphWeight;
use crate::state::RenderHandle;
use crate::state::error::RecordError;
use crate::state::message::{
    CreateLight, CreateMesh, Destroy, InstanceParameters, Kind, Light, Material, Mesh, PlacedLight,
    SetFlags, SetLight, SetMaterial, SetParameters, SetShape, SetTransform, SetWeight, Shape,
    Transform, are_flags,
};
use crate::state::stream::StateStream;

/// Records what happens to the render objects of a world, on the thread that simulates.
///
/// It gives out handles, writes messages, and at the end of a frame hands all of them over as a
/// [`StateStream`]. When the other side is done with a stream, [`recycle`](Self::recycle) takes it
/// back. It knows which handles are alive, and nothing else of the objects.
///
/// # Complexity
///
/// Each message is O(1) amortised. Once streams and the table have grown to what a frame needs,
/// nothing is allocated.
///
/// # Memory
///
/// For each handle that was ever alive at once, about 9 bytes; and the streams, of which two are
/// enough where one frame is recorded while another is drawn.
///
/// # Threads
///
/// `Send` where the allocator is `Sync`.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_render::{Light, RenderWorld, StateRecorder};
///
/// static MEMORY: StaticHeap<32768> = StaticHeap::new("doc");
/// let mut recorder: StateRecorder = StateRecorder::new(1, 1024, &MEMORY);
/// let mut world: RenderWorld = RenderWorld::new(1, 1024, &MEMORY);
///
/// let lamp = recorder.create_light(&Light { intensity: 40.0, ..Light::default() })?;
/// let stream = recorder.finish();
/// world.try_apply(&stream).expect("it is whole");
/// assert_eq!(world.light(lamp).map(|light| light.intensity), Some(40.0));
///
/// recorder.recycle(stream);
/// recorder.destroy(lamp)?;
/// assert!(recorder.set_light(lamp, &Light::default()).is_err());
/// # Ok::<(), loligo_render::RecordError>(())
/// ```
pub struct StateRecorder<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    /// What each handle names, or nothing where the object is destroyed and the other side does not
    /// know it yet.
    objects: HoleTable<'a, Option<Kind>, RenderHandle, Fifo, Retire, A>,
    stream: StateStream<'a, A>,
    free: Array<'a, StateStream<'a, A>, A>,
    alive: u32,
}

impl<'a> StateRecorder<'a> {
    /// Returns a recorder for the world of that number, for at most `limit` objects. O(1); takes no
    /// memory.
    #[must_use]
    pub fn new(world: u32, limit: u32, memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(world, limit, memory)
    }
}

impl<'a, A: Allocator + ?Sized> StateRecorder<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub fn new_in(world: u32, limit: u32, memory: &'a A) -> Self {
        Self {
            objects: HoleTable::with_limit_in(limit as usize, memory),
            stream: StateStream::new_in(world, memory),
            free: Array::new_in(memory),
            alive: 0,
        }
    }

    /// Creates a mesh.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if there is no handle, no memory, or the flags are invalid.
    pub fn create_mesh(&mut self, mesh: &Mesh) -> Result<RenderHandle, RecordError> {
        refuse_flags(mesh.flags)?;
        self.create(Kind::Mesh, |handle| CreateMesh { handle, what: *mesh })
    }

    /// Creates a light.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if there is no handle or no memory.
    pub fn create_light(&mut self, light: &Light) -> Result<RenderHandle, RecordError> {
        self.create_light_on(0, light)
    }

    /// Creates a light that lights what is on a stage.
    ///
    /// # Errors
    ///
    /// As [`create_light`](Self::create_light).
    pub fn create_light_on(
        &mut self,
        stage: u8,
        light: &Light,
    ) -> Result<RenderHandle, RecordError> {
        let what = PlacedLight { light: *light, stage: stage.into() };
        self.create(Kind::Light, |handle| CreateLight { handle, what })
    }

    /// Destroys an object. Its handle names nothing from now on, and its index is used again only
    /// after the stream with this message has come back.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the handle names nothing, or there is no memory.
    pub fn destroy(&mut self, handle: RenderHandle) -> Result<(), RecordError> {
        let bits = handle.to_bits();
        let object = self.objects.get_mut(handle).filter(|object| object.is_some());
        let object = object.ok_or(RecordError::NoObject { handle: bits })?;
        self.stream.events.try_push(Destroy { handle: bits, what: [] })?;
        *object = None;
        self.stream.destroyed += 1;
        self.alive -= 1;
        Ok(())
    }

    /// Moves a mesh.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the handle names no mesh, or there is no memory.
    #[inline]
    pub fn set_transform(
        &mut self,
        handle: RenderHandle,
        transform: &Transform,
    ) -> Result<(), RecordError> {
        self.tell(Kind::Mesh, handle, |handle| SetTransform { handle, what: *transform })
    }

    /// Changes a mesh's triangles, the sphere around it and the number of its details,
    /// which is [`Mesh::details`].
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the handle names no mesh, or there is no memory.
    pub fn set_shape(
        &mut self,
        handle: RenderHandle,
        geometry: Geometry,
        sphere: [f32; 4],
        details: u32,
    ) -> Result<(), RecordError> {
        let what = Shape { geometry, sphere, details };
        self.tell(Kind::Mesh, handle, |handle| SetShape { handle, what })
    }

    /// Changes the state that a mesh is drawn with, and its layer.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the handle names no mesh, or there is no memory.
    pub fn set_material(
        &mut self,
        handle: RenderHandle,
        state: u32,
        layer: u32,
    ) -> Result<(), RecordError> {
        let what = Material { state, layer };
        self.tell(Kind::Mesh, handle, |handle| SetMaterial { handle, what })
    }

    /// Changes the parameters of a mesh; with [`InstanceParameters::NEUTRAL`] it has none.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the handle names no mesh, or there is no memory.
    pub fn set_parameters(
        &mut self,
        handle: RenderHandle,
        parameters: &InstanceParameters,
    ) -> Result<(), RecordError> {
        self.tell(Kind::Mesh, handle, |handle| SetParameters { handle, what: *parameters })
    }

    /// Changes the weight of one target of a mesh; the others stay as they are.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the handle names no mesh, or there is no memory.
    pub fn set_weight(
        &mut self,
        handle: RenderHandle,
        weight: MorphWeight,
    ) -> Result<(), RecordError> {
        self.tell(Kind::Mesh, handle, |handle| SetWeight { handle, what: weight })
    }

    /// Hides a mesh by [`MESH_HIDDEN`](crate::MESH_HIDDEN), or shows it by 0.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the handle names no mesh, the flags are invalid, or there is no memory.
    pub fn set_flags(&mut self, handle: RenderHandle, flags: u32) -> Result<(), RecordError> {
        refuse_flags(flags)?;
        self.tell(Kind::Mesh, handle, |handle| SetFlags { handle, what: flags })
    }

    /// Changes a light, which is on the first stage from now on.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the handle names no light, or there is no memory.
    pub fn set_light(&mut self, handle: RenderHandle, light: &Light) -> Result<(), RecordError> {
        self.set_light_on(handle, 0, light)
    }

    /// Changes a light, and moves it to a stage.
    ///
    /// # Errors
    ///
    /// As [`set_light`](Self::set_light).
    pub fn set_light_on(
        &mut self,
        handle: RenderHandle,
        stage: u8,
        light: &Light,
    ) -> Result<(), RecordError> {
        let what = PlacedLight { light: *light, stage: stage.into() };
        self.tell(Kind::Light, handle, |handle| SetLight { handle, what })
    }

    /// Returns `true` if a handle names an object.
    #[must_use]
    pub fn contains(&self, handle: RenderHandle) -> bool {
        self.objects.get(handle).is_some_and(Option::is_some)
    }

    /// Returns how many objects there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.alive as usize
    }

    /// Returns `true` if there are no objects.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.alive == 0
    }

    /// Returns how many indices are kept back until the other side has seen that their objects are
    /// gone.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.objects.len() - self.len()
    }

    /// Ends the frame: returns what was recorded, and goes on in a stream that has come back, or in
    /// a new one. O(1); takes no memory.
    #[must_use = "the other side never hears of what is in it otherwise"]
    pub fn finish(&mut self) -> StateStream<'a, A> {
        let memory = self.free.memory();
        let (world, number) = (self.stream.world, self.stream.number + 1);
        let mut next = self.free.pop().unwrap_or_else(|| StateStream::new_in(world, memory));
        next.number = number;
        core::mem::replace(&mut self.stream, next)
    }

    /// Takes a stream back that the other side is done with: its memory serves another frame, and
    /// the indices of what it destroyed are free for new handles.
    ///
    /// Where there is no memory to keep the stream it is dropped.
    ///
    /// # Complexity
    ///
    /// O(messages) if any of them destroys an object, else O(1).
    ///
    /// # Panics
    ///
    /// If the stream is another world's.
    pub fn recycle(&mut self, mut stream: StateStream<'a, A>) {
        let (world, other) = (self.stream.world, stream.world);
        assert_eq!(world, other, "a recorder was given another world's stream");
        if stream.destroyed > 0 {
            for destroyed in stream.events.of::<Destroy>() {
                let handle = RenderHandle::from_bits(destroyed.handle);
                handle.and_then(|handle| self.objects.remove(handle));
            }
        }
        stream.events.clear();
        stream.destroyed = 0;
        // Without a place for it, its block goes back to the allocator.
        _ = self.free.try_push(stream);
    }

    /// Checks the recorder's own structure.
    ///
    /// # Complexity
    ///
    /// O(handles).
    ///
    /// # Errors
    ///
    /// What is wrong, in words.
    pub fn validate(&self) -> Result<(), &'static str> {
        self.objects.validate().map_err(|_| "the table of handles is damaged")?;
        let alive = self.objects.iter().filter(|object| object.is_some()).count();
        if alive == self.len() { Ok(()) } else { Err("another number of objects is alive") }
    }

    fn create<E: Event>(
        &mut self,
        kind: Kind,
        message: impl FnOnce(u32) -> E,
    ) -> Result<RenderHandle, RecordError> {
        // The message first: a handle that was given up would have lost a generation.
        self.stream.events.try_reserve(2 * size_of::<u32>() + size_of::<E>())?;
        let handle = self.objects.insert(Some(kind))?;
        self.stream.events.try_push(message(handle.to_bits()))?;
        self.alive += 1;
        Ok(handle)
    }

    #[inline]
    fn tell<E: Event>(
        &mut self,
        kind: Kind,
        handle: RenderHandle,
        message: impl FnOnce(u32) -> E,
    ) -> Result<(), RecordError> {
        let bits = handle.to_bits();
        if self.objects.get(handle) != Some(&Some(kind)) {
            return Err(RecordError::NoObject { handle: bits });
        }
        Ok(self.stream.events.try_push(message(bits))?)
    }
}

fn refuse_flags(flags: u32) -> Result<(), RecordError> {
    if are_flags(flags) { Ok(()) } else { Err(RecordError::Flags { flags }) }
}

impl<A: Allocator + ?Sized> fmt::Debug for StateRecorder<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateRecorder")
            .field("alive", &self.alive)
            .field("waiting", &self.waiting())
            .field("stream", &self.stream)
            .field("free", &self.free.len())
            .finish()
    }
}
