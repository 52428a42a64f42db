//! What is wanted, driven on: read in the background or at once, put to use, and unloaded.

use core::time::Duration;
use std::time::Instant;

use loligo_containers::{Array, GrowError, HashSet};
use loligo_diagnostics::{Log, log};
use loligo_entities::EntityResource;
use loligo_ids::IdString64;
use loligo_render::{
    MATERIAL_TYPE, MESH_TYPE, MaterialResource, SHADER_TYPE, ShaderResource, TEXTURE_TYPE,
};
use loligo_resources::{
    DebugName, FileRequest, LoadError, LoadErrorKind, PACKAGE_TYPE, PackageImage, ResourceKey,
};
use loligo_tasks::Worker;

use super::reader::{Done, ReadResult, UNDER_WAY_MAX, read};
use super::store::Stage;
use super::{Content, is_needed};
use crate::assets::{Prepared, TailFile};
use crate::error::EngineError;
use crate::memory::SharedAllocator;
use crate::world::{ENTITY_TYPE, LEVEL_TYPE, MODEL, Model, Want, World};

/// How long a frame uses what was read: what is left is for the next.
const FRAME_TIME: Duration = Duration::from_micros(500);

/// How many files are read on all threads before they are used.
const READ_AT_ONCE: usize = 64;

/// Who hears of what is loaded: the world, once there is one, and the log.
pub(crate) struct Owners<'o, 'l, 'm> {
    pub(crate) world: Option<&'o mut World<'m>>,
    pub(crate) log: &'o Log<'l, SharedAllocator<'m>>,
}

/// Resources by type and name.
type Keys<'m> = Array<'m, ResourceKey, SharedAllocator<'m>>;

impl<'m: 'e, 'e> Content<'e, 'm> {
    /// Returns `true` if nothing that is wanted is still to be loaded.
    pub(crate) fn is_idle(&self) -> bool {
        self.under_way == 0 && !self.store.has_wanted()
    }

    /// Loads all that is wanted, on all threads that have nothing else to do, and waits for it.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory. What cannot be had for another reason is logged, and
    /// a placeholder is in its place.
    pub(crate) fn finish(
        &mut self,
        owners: &mut Owners<'_, '_, 'm>,
        worker: &Worker<'_>,
    ) -> Result<(), EngineError> {
        loop {
            self.settle(owners)?;
            if let Some(reader) = self.reader
                && self.under_way > 0
            {
                if let Some(done) = reader.take(true) {
                    self.under_way -= 1;
                    self.arrive(done, owners)?;
                }
                continue;
            }
            if !self.read_at_once(owners, worker)? {
                return Ok(());
            }
        }
    }

    /// Goes on with what is wanted for a part of a frame, and waits for nothing.
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish).
    pub(crate) fn go_on(&mut self, owners: &mut Owners<'_, '_, 'm>) -> Result<(), EngineError> {
        let began = Instant::now();
        self.settle(owners)?;
        loop {
            let done = match self.reader {
                Some(reader) => {
                    self.ask()?;
                    reader.take(false).inspect(|_| self.under_way -= 1)
                }
                None => self.read_next(),
            };
            let Some(done) = done else { break };
            self.arrive(done, owners)?;
            self.settle(owners)?;
            if began.elapsed() > FRAME_TIME {
                break;
            }
        }
        Ok(())
    }

    /// Uses a resource that is loaded and has changed. Returns `false` if nobody has wanted it.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if it cannot be used: what was there before stays.
    pub(crate) fn renew(
        &mut self,
        key: ResourceKey,
        owners: &mut Owners<'_, '_, 'm>,
        worker: &Worker<'_>,
    ) -> Result<bool, EngineError> {
        let Some(wanted) = self.store.find(key) else { return Ok(false) };
        let payload = self.resources.get(key).map_or(&[][..], |resource| resource.payload());
        let file = self.resources.request(key)?.file();
        let is_streamed = self.textures.is_some();
        let tail = TailFile { file, folder: &self.folder, is_streamed };
        let prepared = Prepared::try_new(key, payload, &tail, self.assets.memory())?;
        self.looks.try_push(key)?;
        self.renewed = Some(key);
        let taken = self.take_in(wanted, key, prepared);
        let renewed = taken.and_then(|()| self.finish(owners, worker));
        self.renewed = None;
        renewed.map(|()| true)
    }

    /// Wants to load again what could not be had, where the data has it now.
    pub(crate) fn retry(&mut self) -> Result<(), EngineError> {
        let Self { store, resources, .. } = self;
        Ok(store.retry(|key| resources.request(key).is_ok())?)
    }

    /// Asks the thread that reads for more.
    fn ask(&mut self) -> Result<(), EngineError> {
        let Some(reader) = self.reader else { return Ok(()) };
        while self.under_way < UNDER_WAY_MAX {
            let Some((wanted, key)) = self.store.next_wanted() else { break };
            match self.resources.request(key) {
                Ok(request) => {
                    reader.ask(wanted, request.file());
                    self.under_way += 1;
                }
                Err(error) => {
                    let noted = self.lost.try_push((wanted, error.into()));
                    noted.inspect_err(|_| self.store.unread(wanted))?;
                }
            }
        }
        Ok(())
    }

    /// Reads the next that is wanted on this thread.
    fn read_next(&mut self) -> Option<Done<'m>> {
        let (wanted, key) = self.store.next_wanted()?;
        let memories = [self.layers.memory(), self.assets.memory()];
        let result = match self.resources.request(key) {
            Ok(request) => read(&request.file(), (&self.folder, self.textures.is_some()), memories),
            Err(error) => Err(error.into()),
        };
        Some((wanted, result))
    }

    /// Reads some of what is wanted on all threads; returns whether there was any.
    fn read_at_once(
        &mut self,
        owners: &mut Owners<'_, '_, 'm>,
        worker: &Worker<'_>,
    ) -> Result<bool, EngineError> {
        type Read<'m> = (Want, Result<FileRequest, EngineError>, Option<ReadResult<'m>>);
        let memory = self.layers.memory();
        let memories = [memory, self.assets.memory()];
        let mut reads: Array<'m, Read<'m>, SharedAllocator<'m>> = Array::new_in(memory);
        reads.try_reserve(READ_AT_ONCE)?;
        while reads.len() < READ_AT_ONCE
            && let Some((wanted, key)) = self.store.next_wanted()
        {
            let request = self.resources.request(key).map(|request| request.file());
            // There is room.
            reads.push((wanted, request.map_err(EngineError::from), None));
        }
        let any = !reads.is_empty();
        let (folder, is_streamed) = (self.folder, self.textures.is_some());
        let read_all = |_, reads: &mut [Read<'m>]| {
            for (_, request, result) in reads {
                if let Ok(file) = request {
                    *result = Some(read(file, (&folder, is_streamed), memories));
                }
            }
        };
        let read = worker.parallel_for_each_mut(&"read", &mut reads, 1, read_all);
        let mut failed = read.map_err(EngineError::from);
        for (wanted, request, result) in reads {
            let result = match (request, result) {
                (Err(error), _) => Err(error),
                (_, Some(result)) => result,
                // Another has panicked before it came to this one.
                (Ok(_), None) => {
                    Err(EngineError::Wrong { key: self.store.key(wanted), what: "it was not read" })
                }
            };
            let arrived = self.arrive((wanted, result), owners);
            failed = failed.and(arrived);
        }
        failed.map(|()| any)
    }

    /// Uses what was read, or takes notice that it could not be.
    fn arrive(
        &mut self,
        (wanted, result): Done<'m>,
        owners: &mut Owners<'_, '_, 'm>,
    ) -> Result<(), EngineError> {
        if self.store.drop_unwanted(wanted) {
            return Ok(());
        }
        let key = self.store.key(wanted);
        if let Ok((loaded, _)) = &result
            && self.resources.request(key).is_ok_and(|request| !loaded.is_of(&request.file()))
        {
            // Other data or another variant is wanted since it was asked for.
            self.store.unread(wanted);
            return Ok(());
        }
        let taken = result.and_then(|(loaded, prepared)| {
            self.resources.insert(loaded)?;
            self.take_in(wanted, key, prepared).inspect_err(|_| {
                self.resources.unload(key);
            })
        });
        match taken {
            Ok(()) => Ok(()),
            Err(error) if is_for_memory(&error) => {
                self.store.unread(wanted);
                Err(error)
            }
            Err(error) => {
                report(key, &error, owners);
                self.store.fail(wanted);
                Ok(())
            }
        }
    }

    /// Uses what needs nothing else, and wants what is needed.
    fn take_in(
        &mut self,
        wanted: Want,
        key: ResourceKey,
        prepared: Prepared<'m, SharedAllocator<'m>>,
    ) -> Result<(), EngineError> {
        if self.is_drawn {
            self.put_asset(key, prepared)?;
        }
        let mut needs = Array::new_in(self.layers.memory());
        self.add_needs(key, &mut needs)?;
        match self.store.set_needs(wanted, &needs)? {
            true => Ok(()),
            false => Err(EngineError::Wrong { key, what: ROUND }),
        }
    }

    /// Adds what a resource that is loaded needs, after it was looked into.
    fn add_needs(&mut self, key: ResourceKey, needs: &mut Keys<'m>) -> Result<(), EngineError> {
        let Some(resource) = self.resources.get(key) else { return Ok(()) };
        let (is, payload) = (|name| key.type_hash == IdString64::new(name), resource.payload());
        let bad = |error| EngineError::Content { key, error };
        if is(SHADER_TYPE) && self.is_drawn {
            let text = ShaderResource::open(payload).map_err(bad)?.text;
            self.assets.put_shader(key, resource.debug_name(), text)?;
        } else if is(MATERIAL_TYPE) && self.is_drawn {
            let material = MaterialResource::open(payload).map_err(bad)?;
            needs.try_push(material.shader)?;
            for texture in material.textures.into_iter().flatten() {
                needs.try_push(texture)?;
            }
        } else if is(ENTITY_TYPE) || is(LEVEL_TYPE) {
            let entities = EntityResource::open(payload)?;
            let words = entities.part(MODEL.name).map_or(&[][..], |part| part.data);
            let Ok(models) = bytemuck::try_cast_slice::<u32, Model>(words) else {
                // The manager says so, too, when they are spawned.
                return Err(EngineError::Wrong { key, what: "its models are none" });
            };
            for model in models.iter().filter(|_| self.is_drawn) {
                needs.try_extend_from_slice(&[model.mesh(), model.material()])?;
            }
            let mut pushed = Ok(());
            for list in &self.needs {
                list(&entities, &mut |type_name, name| {
                    if is_needed(type_name, self.is_drawn) {
                        let type_hash = IdString64::new(type_name);
                        pushed =
                            pushed.and_then(|()| needs.try_push(ResourceKey { type_hash, name }));
                    }
                });
            }
            pushed?;
        } else if is(PACKAGE_TYPE) {
            let blob = resource.blob::<PackageImage>();
            let wrong = |error| LoadError { key, kind: LoadErrorKind::NoPackage(error) };
            let blob = blob.map_err(wrong)?;
            for item in blob.array(&blob.root().resources) {
                needs.try_push(item.key())?;
            }
        }
        let mut pushed = Ok(());
        for list in &self.resource_needs {
            list(key.type_hash, payload, &mut |type_name, name| {
                let type_hash = IdString64::new(type_name);
                pushed = pushed.and_then(|()| needs.try_push(ResourceKey { type_hash, name }));
            });
        }
        pushed?;
        // In the order in which they are first named: what has numbers keeps them.
        Ok(dedup(needs)?)
    }

    /// Uses all that has become complete, and unloads what nobody wants any more.
    pub(crate) fn settle(&mut self, owners: &mut Owners<'_, '_, 'm>) -> Result<(), EngineError> {
        while let Some((wanted, error)) = self.lost.pop() {
            self.arrive((wanted, Err(error)), owners)?;
        }
        while let Some((wanted, key, stage)) = self.store.next_complete() {
            match self.put_to_use(key, stage, owners) {
                Ok(()) => {}
                Err(error) if is_for_memory(&error) => {
                    self.store.untake(wanted);
                    return Err(error);
                }
                Err(error) => {
                    report(key, &error, owners);
                    self.store.spoil(wanted);
                    self.resources.unload(key);
                }
            }
        }
        self.unload_gone(owners)?;
        self.show(owners)
    }

    fn put_to_use(
        &mut self,
        key: ResourceKey,
        stage: Stage,
        owners: &mut Owners<'_, '_, 'm>,
    ) -> Result<(), EngineError> {
        let is = |name| key.type_hash == IdString64::new(name);
        let has_placeholders = owners.world.as_ref().is_some_and(|world| world.has_placeholders());
        if has_placeholders && (is(MESH_TYPE) || is(MATERIAL_TYPE)) {
            self.looks.try_push(key)?;
        }
        if stage == Stage::Missing {
            return Ok(());
        }
        let Some(resource) = self.resources.get(key) else { return Ok(()) };
        if is(MATERIAL_TYPE) && self.is_drawn {
            let material = MaterialResource::open(resource.payload());
            let material = material.map_err(|error| EngineError::Content { key, error })?;
            let name = DebugName::new(resource.debug_name());
            let (state, textures) = self.assets.put_material(key, name, &material)?;
            if let Some(streamed) = &mut self.textures {
                streamed.learn(state, textures)?;
            }
            self.are_materials_changed = true;
        } else if let Some(world) = owners.world.as_deref_mut() {
            let is_changed = self.renewed == Some(key);
            world.take_resource(&resource, is_changed, owners.log)?;
        }
        Ok(())
    }

    /// Unloads what nobody wants any more.
    fn unload_gone(&mut self, owners: &mut Owners<'_, '_, 'm>) -> Result<(), EngineError> {
        let (mut count, mut failed) = (0, Ok(()));
        for key in self.store.gone() {
            let texture = self.assets.texture(*key);
            failed =
                self.looks.try_reserve(1).and_then(|()| self.assets.remove(*key)).map(|is_seen| {
                    if is_seen {
                        self.looks.push(*key);
                        self.are_materials_changed = true;
                    }
                });
            if failed.is_err() {
                break;
            }
            if let (Some(streamed), Some(texture)) = (&mut self.textures, texture) {
                streamed.forget(texture);
            }
            if let Some(world) = owners.world.as_deref_mut() {
                world.drop_resource(*key, owners.log);
            }
            self.resources.unload(*key);
            count += 1;
        }
        self.store.forget_gone(count);
        Ok(failed?)
    }

    /// Shows the world which materials there are, and what looks different.
    fn show(&mut self, owners: &mut Owners<'_, '_, 'm>) -> Result<(), EngineError> {
        let Some(world) = owners.world.as_deref_mut() else { return Ok(()) };
        if self.are_materials_changed {
            world.learn(&self.assets, |layer| self.layer(layer))?;
            self.are_materials_changed = false;
        }
        if !self.looks.is_empty() {
            self.looks.sort_unstable();
            world.refresh(&self.looks, &self.assets, |layer| self.layer(layer))?;
            self.looks.clear();
        }
        Ok(())
    }

    /// Wants some resources, and adds them to a list.
    pub(super) fn want_all(
        &mut self,
        keys: &[ResourceKey],
        list: impl Fn(&mut Self) -> &mut Array<'m, Want, SharedAllocator<'m>>,
    ) -> Result<(), GrowError> {
        for key in keys {
            list(self).try_reserve(1)?;
            let wanted = self.store.acquire(*key)?;
            // There is room.
            list(self).push(wanted);
        }
        Ok(())
    }

    /// Wants a resource and waits for it.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if it cannot be had; it is not wanted then.
    pub(crate) fn want_now(
        &mut self,
        key: ResourceKey,
        owners: &mut Owners<'_, '_, 'm>,
        worker: &Worker<'_>,
    ) -> Result<Want, EngineError> {
        let wanted = self.store.acquire(key)?;
        let had = self.finish(owners, worker).and_then(|()| self.check(wanted));
        had.inspect_err(|_| self.store.release(wanted))?;
        Ok(wanted)
    }

    /// Returns an error if a resource that is settled cannot be had.
    pub(crate) fn check(&self, wanted: Want) -> Result<(), EngineError> {
        let key = self.store.key(wanted);
        match self.store.stage(wanted) {
            Stage::Missing => Err(EngineError::Wrong { key, what: MISSING }),
            _ => Ok(()),
        }
    }
}

/// What is said of a package in itself.
const ROUND: &str = "a package that it needs has it in itself, or there are more than 64 in each \
                     other; take it out of the other";

/// What is said of a resource whose error is in the log already.
const MISSING: &str = "it cannot be loaded; the line before says why";

/// Returns whether an error is for lack of memory, so that it goes well once there is some.
const fn is_for_memory(error: &EngineError) -> bool {
    match error {
        EngineError::Grow(_) => true,
        EngineError::Load(error) => matches!(error.kind, LoadErrorKind::Memory(_)),
        _ => false,
    }
}

/// Logs why a resource cannot be had, and what is in its place.
fn report(key: ResourceKey, error: &EngineError, owners: &Owners<'_, '_, '_>) {
    let is = |name| key.type_hash == IdString64::new(name);
    let instead = if is(MESH_TYPE) {
        "; a checkered cube is in its place"
    } else if is(MATERIAL_TYPE) || is(SHADER_TYPE) || is(TEXTURE_TYPE) {
        "; what it is for is magenta"
    } else if is(ENTITY_TYPE) {
        "; it cannot be spawned"
    } else {
        ""
    };
    log!(owners.log, Error, "{error}{instead}");
}

/// Removes what is in a list twice, but for the first time.
fn dedup(keys: &mut Keys<'_>) -> Result<(), GrowError> {
    let mut known = HashSet::try_with_capacity_in(keys.len(), keys.memory())?;
    // There is room.
    keys.retain(|key| known.insert(*key));
    Ok(())
}
