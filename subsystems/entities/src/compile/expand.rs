//! Entities with all that they inherit, one after the other.

use loligo_allocators::Allocator;
use loligo_compiler::nearest;
use loligo_containers::{Array, BlobBytes, Endian, GrowError};
use loligo_diagnostics::context;
use loligo_sjson::NodeKind;

use super::DEPTH_MAX;
use super::component::{ComponentCompiler, Instance, Instances};
use super::config::Config;
use super::error::{CompileError, CompileErrorKind, NameText};
use super::merge::Merged;
use super::place;
use super::source::{Files, Located, Notes, string_in};
use super::write::{NewPart, write_for};
use crate::pose::Pose;
use crate::resource::{ENTITIES_MAX, NO_PARENT};

/// The keys of an entity, and those of a level.
const KEYS: &str = "inherit, components, children";
const LEVEL_KEYS: &str = "entities, instances";

/// What a source is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A level, if it has the key of one.
    Either,
    Entity,
    Level,
}

/// Entities and components as they are found.
pub(super) struct Expansion<'f, 's, 'a> {
    files: &'f Files<'s, 'f>,
    compilers: &'f [&'f dyn ComponentCompiler],
    memory: &'a dyn Allocator,
    notes: &'f dyn Notes<'s>,
    /// Whether the next entity is placed by an instance.
    is_placed: bool,
    parents: Array<'a, u32>,
    names: Array<'a, u32>,
    instances: Array<'a, Instance>,
    words: Array<'a, u32>,
    /// The files that the entity at hand and those around it inherit.
    active: Array<'a, u32>,
}

impl<'f, 's, 'a> Expansion<'f, 's, 'a> {
    pub(super) fn new(
        files: &'f Files<'s, 'f>,
        compilers: &'f [&'f dyn ComponentCompiler],
        memory: &'a dyn Allocator,
        notes: &'f dyn Notes<'s>,
    ) -> Self {
        Self {
            files,
            compilers,
            memory,
            notes,
            is_placed: false,
            parents: Array::new_in(memory),
            names: Array::new_in(memory),
            instances: Array::new_in(memory),
            words: Array::new_in(memory),
            active: Array::new_in(memory),
        }
    }

    /// Expands the first file.
    pub(super) fn expand(&mut self, kind: Kind) -> Result<(), CompileError<'s>> {
        let root = self.files.first();
        if !root.is_object() {
            return Err(root.expected("an object"));
        }
        let (entities, instances) = (root.get("entities"), root.get("instances"));
        let is_level = entities.is_some() || instances.is_some();
        if kind == Kind::Entity || (kind == Kind::Either && !is_level) {
            return self.entity(&[root], NO_PARENT, 0, 0);
        }
        for child in root.node.children() {
            let value = root.with(child);
            if !matches!(value.key_text().trim_matches('"'), "entities" | "instances") {
                let kind = CompileErrorKind::Key { key: value.key_text(), known: LEVEL_KEYS };
                return Err(value.key_error(kind));
            }
        }
        if let Some(entities) = entities {
            self.entities(&[entities], NO_PARENT, 0)?;
        }
        instances.map_or(Ok(()), |instances| self.instances(instances))
    }

    /// Expands entities that are placed often, each in its own array.
    fn instances(&mut self, list: Located<'f, 's>) -> Result<(), CompileError<'s>> {
        if list.node.kind() != NodeKind::Array {
            return Err(list.expected("an array of `{ inherit = .. }` with places"));
        }
        for (number, child) in list.node.children().enumerate() {
            context!("In the instances", number);
            let placed = list.with(child);
            let result = match placed.is_object() {
                true => self.placed(&placed),
                false => Err(placed.expected("an object in braces")),
            };
            result.inspect_err(|_| self.notes.failed())?;
        }
        Ok(())
    }

    /// Expands an entity once, and copies it to each place.
    fn placed(&mut self, placed: &Located<'f, 's>) -> Result<(), CompileError<'s>> {
        let places = place::read(placed, self.memory, self.notes)?;
        let (entity, first) = (self.parents.len(), self.instances.len());
        self.is_placed = true;
        self.entity(&[*placed], NO_PARENT, 0, 0)?;
        let transform = self.transform();
        let (entities, end) = (self.parents.len() - entity, self.instances.len());
        let is_root = |instance: &Instance| {
            Some(instance.compiler as usize) == transform && instance.entity as usize == entity
        };
        let Some(root) = self.instances[first..].iter().position(is_root) else {
            return Err(placed.error(CompileErrorKind::Told(
                "what has places has a transform; register a compiler for transforms",
            )));
        };
        let own = self.instances[first + root];
        let mut pose = [0; Pose::WORDS];
        pose.copy_from_slice(&self.words[own.start as usize..own.end as usize]);
        let pose = Pose::from_words(&pose);
        if places.len().saturating_mul(entities).saturating_add(entity) > ENTITIES_MAX {
            return Err(placed.error(CompileErrorKind::TooMany));
        }
        if places.is_empty() {
            self.parents.truncate(entity);
            self.names.truncate(entity);
            self.instances.truncate(first);
        }
        for (copy, place) in places.iter().enumerate() {
            let start = self.words.len();
            self.words.try_extend_from_slice(&place.place(&pose).to_words())?;
            let (start, end_of_words) = words_range(start, self.words.len())?;
            let shift = (copy * entities) as u32;
            for at in (entity..entity + entities).filter(|_| copy > 0) {
                let (parent, name) = (self.parents[at], self.names[at]);
                let parent = if parent == NO_PARENT { parent } else { parent + shift };
                self.parents.try_push(parent)?;
                self.names.try_push(name)?;
            }
            // All copies share the words of all that is not the root's transform.
            for at in first..end {
                let moved =
                    Instance { entity: self.instances[at].entity + shift, ..self.instances[at] };
                let moved = match at == first + root {
                    true => Instance { start, end: end_of_words, ..moved },
                    false => moved,
                };
                match copy {
                    0 => self.instances[at] = moved,
                    _ => self.instances.try_push(moved)?,
                }
            }
        }
        Ok(())
    }

    /// Returns the number of the compiler of transforms.
    fn transform(&self) -> Option<usize> {
        self.compilers.iter().position(|compiler| compiler.name() == "transform")
    }

    /// Writes the resource.
    pub(super) fn write<'b>(
        mut self,
        endian: Endian,
        memory: &'b dyn Allocator,
    ) -> Result<BlobBytes<'b>, CompileError<'s>> {
        let compilers = self.compilers;
        let is_foreign = |place: &Instance| !compilers[place.compiler as usize].is_words();
        if endian != Endian::NATIVE && self.instances.iter().any(is_foreign) {
            return Err(self.files.first().error(CompileErrorKind::Told(
                "a component here is written in the byte order of this machine alone; compile on a machine of the other",
            )));
        }
        // In the order of spawning, and the entities of each type ascending.
        self.instances.sort_unstable_by_key(|instance| {
            let component = compilers[instance.compiler as usize].component();
            (component.order, component.name, instance.entity)
        });
        let mut owners = Array::try_with_capacity_in(self.instances.len(), self.memory)?;
        owners.try_extend(self.instances.iter().map(|instance| instance.entity))?;
        let mut data = Array::new_in(self.memory);
        let mut ends = Array::new_in(self.memory);
        let same = |a: &Instance, b: &Instance| a.compiler == b.compiler;
        for places in self.instances.chunk_by(same) {
            let compiler = compilers[places[0].compiler as usize];
            compiler.pack(&Instances { places, words: &self.words }, &mut data)?;
            ends.try_push((compiler.component().name, places.len(), data.len()))?;
        }
        let mut parts = Array::try_with_capacity_in(ends.len(), self.memory)?;
        let (mut first, mut start) = (0, 0);
        for (component, count, end) in &ends {
            let (entities, data) = (&owners[first..first + count], &data[start..*end]);
            parts.try_push(NewPart { component: *component, entities, data })?;
            (first, start) = (first + count, *end);
        }
        Ok(write_for(endian, &self.parents, &self.names, &parts, memory)?)
    }

    /// Expands the entities of merged objects, in which each has its name.
    fn entities(
        &mut self,
        objects: &[Located<'f, 's>],
        parent: u32,
        depth: u32,
    ) -> Result<(), CompileError<'s>> {
        if let Some(wrong) = objects.iter().find(|object| !object.is_object()) {
            return Err(wrong.expected("an object with the names of entities"));
        }
        let merged = Merged::try_new(objects, self.memory)?;
        for layers in merged.groups() {
            let first = &layers[0];
            if !first.is_object() {
                return Err(first.expected("an entity in braces, or null"));
            }
            if depth >= DEPTH_MAX {
                return Err(first.key_error(CompileErrorKind::TooDeep));
            }
            context!("In the entity", first.key_text());
            let name = self.name_of(first)?;
            let done = self.entity(layers, parent, name, depth);
            done.inspect_err(|_| self.notes.failed())?;
        }
        Ok(())
    }

    /// Expands an entity, its components, and its children.
    fn entity(
        &mut self,
        own: &[Located<'f, 's>],
        parent: u32,
        name: u32,
        depth: u32,
    ) -> Result<(), CompileError<'s>> {
        let mut layers: Array<'_, Located<'f, 's>> = Array::new_in(self.memory);
        layers.try_extend_from_slice(own)?;
        let active = self.active.len();
        self.inherit(&mut layers)?;
        // The keys of the first object that say where it is placed have been read already.
        let is_placed = core::mem::take(&mut self.is_placed);
        check_keys(&layers, if is_placed { &place::KEYS } else { &[] })?;
        let entity = self.parents.len();
        if entity >= ENTITIES_MAX {
            return Err(layers[0].error(CompileErrorKind::TooMany));
        }
        self.parents.try_push(parent)?;
        self.names.try_push(name)?;
        let children = below(&layers, "children", self.memory)?;
        let hangs = parent != NO_PARENT || !children.is_empty() || is_placed;
        self.components(&layers, entity as u32, hangs)?;
        self.entities(&children, entity as u32, depth + 1)?;
        self.active.truncate(active);
        Ok(())
    }

    /// Appends what an entity inherits: the first `inherit` of its objects, what that one inherits,
    /// and so on.
    fn inherit(&mut self, layers: &mut Array<'_, Located<'f, 's>>) -> Result<(), CompileError<'s>> {
        let mut wanted = layers.iter().find_map(|layer| layer.get("inherit"));
        while let Some(inherit) = wanted {
            if inherit.is_null() {
                break;
            }
            let name = match inherit.node.kind() {
                NodeKind::String => string_in(inherit.text, &inherit.node),
                _ => None,
            };
            let what = "the name of a source in quotes, without escapes";
            let name = name.ok_or_else(|| inherit.expected(what))?;
            let Some(root) = self.files.inherited(name) else {
                return Err(inherit.error(CompileErrorKind::NoSource { name }));
            };
            if self.active.contains(&root.file) {
                return Err(inherit.error(CompileErrorKind::Ring { name }));
            }
            if !root.is_object() {
                return Err(root.expected("an object"));
            }
            self.active.try_push(root.file)?;
            layers.try_push(root)?;
            wanted = root.get("inherit");
        }
        Ok(())
    }

    fn components(
        &mut self,
        layers: &[Located<'f, 's>],
        entity: u32,
        hangs: bool,
    ) -> Result<(), CompileError<'s>> {
        let objects = below(layers, "components", self.memory)?;
        if let Some(wrong) = objects.iter().find(|object| !object.is_object()) {
            return Err(wrong.expected("an object with the names of component types"));
        }
        let merged = Merged::try_new(&objects, self.memory)?;
        let transform = self.transform();
        let mut is_placed = false;
        for values in merged.groups() {
            let compiler = self.compiler_of(&values[0])?;
            is_placed |= Some(compiler) == transform;
            self.component(compiler, values, entity)?;
        }
        match transform {
            Some(transform) if hangs && !is_placed => self.component(transform, &[], entity),
            _ => Ok(()),
        }
    }

    fn component(
        &mut self,
        number: usize,
        layers: &[Located<'f, 's>],
        entity: u32,
    ) -> Result<(), CompileError<'s>> {
        let start = self.words.len();
        context!("In the component", self.compilers[number].name());
        let config = Config { layers, memory: self.memory, notes: self.notes };
        let done = self.compilers[number].compile(&config, &mut self.words);
        done.inspect_err(|_| self.notes.failed())?;
        let (start, end) = words_range(start, self.words.len())?;
        let compiler = number as u32;
        Ok(self.instances.try_push(Instance { compiler, entity, start, end })?)
    }

    /// Returns the number of the compiler for a component.
    fn compiler_of(&self, value: &Located<'f, 's>) -> Result<usize, CompileError<'s>> {
        let name = value.node.key().and_then(|key| key.plain()).unwrap_or_default();
        let found = self.compilers.iter().position(|compiler| compiler.name() == name);
        found.ok_or_else(|| {
            let names = self.compilers.iter().map(|compiler| compiler.name());
            let like = nearest(name, names).and_then(NameText::new);
            value.key_error(CompileErrorKind::Component { name: value.key_text(), like })
        })
    }

    /// Returns the hash of an entity's name.
    fn name_of(&self, value: &Located<'f, 's>) -> Result<u32, CompileError<'s>> {
        let Some(key) = value.node.key() else { return Ok(0) };
        let mut text: Array<'_, u8> = Array::new_in(self.memory);
        let appended: Result<(), GrowError> =
            key.unescape(|piece| text.try_extend_from_slice(piece.as_bytes()));
        appended?;
        Ok(loligo_ids::murmur2_32(&text[..], 0))
    }
}

/// Returns the range of an instance's words, as it is stored.
fn words_range<'s>(start: usize, end: usize) -> Result<(u32, u32), CompileError<'s>> {
    match (u32::try_from(start), u32::try_from(end)) {
        (Ok(start), Ok(end)) => Ok((start, end)),
        _ => Err(GrowError::Length { wanted: end as u64, limit: u64::from(u32::MAX) }.into()),
    }
}

/// Returns the values of a key in each of some objects, up to the first that is null.
fn below<'f, 's, 'm>(
    layers: &[Located<'f, 's>],
    key: &str,
    memory: &'m dyn Allocator,
) -> Result<Array<'m, Located<'f, 's>>, CompileError<'s>> {
    let mut values = Array::new_in(memory);
    for value in layers.iter().filter_map(|layer| layer.get(key)) {
        if value.is_null() {
            break;
        }
        values.try_push(value)?;
    }
    Ok(values)
}

/// Refuses keys that mean nothing in an entity.
fn check_keys<'s>(layers: &[Located<'_, 's>], more: &[&str]) -> Result<(), CompileError<'s>> {
    for (at, layer) in layers.iter().enumerate() {
        for child in layer.node.children() {
            let key = child.key().and_then(|key| key.plain()).unwrap_or_default();
            let is_more = at == 0 && more.contains(&key);
            if !is_more && !matches!(key, "inherit" | "components" | "children") {
                let value = layer.with(child);
                let key = value.key_text();
                return Err(value.key_error(CompileErrorKind::Key { key, known: KEYS }));
            }
        }
    }
    Ok(())
}
