//! Components that are plain data, described by a table.

use loligo_containers::{Array, GrowError};
use loligo_ids::IdString32;

use super::component::ComponentCompiler;
use super::config::{Config, Field};
use super::error::CompileError;
use crate::component::ComponentType;
use crate::resource_words::ResourceWords;

/// Compiles components that are plain data: the fields of a table, one after the other. A
/// [`Plain`](crate::Plain) of a struct of the same fields keeps them.
///
/// # Examples
///
/// What an engine draws an entity with:
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_entities::compile::{PlainCompiler, PlainField, PlainKind, compile};
/// use loligo_entities::{ComponentType, EntityResource, ResourceWords};
/// use loligo_ids::IdString64;
///
/// // #[repr(C)] struct Render { mesh: ResourceWords, material: ResourceWords, is_hidden: u32 }
/// const RENDER: PlainCompiler = PlainCompiler {
///     name: "render",
///     component: ComponentType::new("render", 50),
///     fields: &[
///         PlainField { key: "mesh", kind: PlainKind::Resource { type_name: "mesh", is_needed: true } },
///         PlainField { key: "material", kind: PlainKind::Resource { type_name: "material", is_needed: true } },
///         PlainField { key: "hidden", kind: PlainKind::Bool(false) },
///     ],
///     known: "mesh, material, hidden",
/// };
///
/// static MEMORY: StaticHeap<65536> = StaticHeap::new("doc");
/// let text = b"components = { render = { mesh = \"pillar\" material = \"stone\" } }";
/// let bytes = compile("pillar.entity", text, &[][..], &[&RENDER], &MEMORY)?;
/// let resource = EntityResource::open(&bytes).expect("just compiled");
/// let part = resource.part(RENDER.component.name).expect("it has one");
/// let material: ResourceWords = bytemuck::pod_read_unaligned(bytemuck::cast_slice(&part.data[2..4]));
/// assert_eq!(material.name(), Some(IdString64::new("stone")));
/// # Ok::<(), loligo_entities::compile::CompileError<'_>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PlainCompiler {
    /// What sources call the type.
    pub name: &'static str,
    /// The type.
    pub component: ComponentType,
    /// What a component is made of: 32 fields at the most.
    pub fields: &'static [PlainField],
    /// The keys of the fields, as an error names them.
    pub known: &'static str,
}

/// A field of a plain component.
#[derive(Clone, Copy, Debug)]
pub struct PlainField {
    /// What sources call it.
    pub key: &'static str,
    /// What it is.
    pub kind: PlainKind,
}

/// What a field of a plain component is.
#[derive(Clone, Copy, Debug)]
pub enum PlainKind {
    /// A number, and its default: a word.
    Number(f32),
    /// Three numbers, and their defaults: three words.
    Vector([f32; 3]),
    /// Four numbers, and their defaults: four words.
    Quad([f32; 4]),
    /// True or false, and its default: a word, 1 or 0.
    Bool(bool),
    /// A name, of which the 32-bit hash is kept: a word; the default is the empty name.
    Name,
    /// A resource: the two words of [`ResourceWords`]; the default is zero.
    Resource {
        /// Its type.
        type_name: &'static str,
        /// Whether the field is required.
        is_needed: bool,
    },
}

/// The most fields.
const FIELDS_MAX: usize = 32;

impl ComponentCompiler for PlainCompiler {
    fn name(&self) -> &'static str {
        self.name
    }

    fn component(&self) -> ComponentType {
        self.component
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        let mut keys = [""; FIELDS_MAX];
        for (key, field) in keys.iter_mut().zip(self.fields) {
            *key = field.key;
        }
        let count = self.fields.len().min(FIELDS_MAX);
        config.allow(&keys[..count], self.known)?;
        for field in &self.fields[..count] {
            field.compile(config, words)?;
        }
        Ok(())
    }
}

impl PlainField {
    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        let found = config.field(self.key);
        match self.kind {
            PlainKind::Number(default) => {
                let number = found.map_or(Ok(default), |value| value.number())?;
                Ok(words.try_push(number.to_bits())?)
            }
            PlainKind::Vector(default) => {
                let numbers = found.map_or(Ok(default), |value| value.numbers("`[ x y z ]`"))?;
                Ok(words.try_extend_from_slice(&numbers.map(f32::to_bits))?)
            }
            PlainKind::Quad(default) => {
                let what = "an array of four numbers";
                let numbers = found.map_or(Ok(default), |value| value.numbers(what))?;
                Ok(words.try_extend_from_slice(&numbers.map(f32::to_bits))?)
            }
            PlainKind::Bool(default) => {
                let value = found.map_or(Ok(default), |value| value.bool())?;
                Ok(words.try_push(value.into())?)
            }
            PlainKind::Name => {
                let mut text = Array::new_in(config.memory());
                found.map_or(Ok(()), |value| value.string(&mut text))?;
                let name = IdString32::from_hash(loligo_ids::murmur2_32(&text[..], 0));
                Ok(words.try_push(name.hash())?)
            }
            PlainKind::Resource { type_name, is_needed } => {
                let found = if is_needed { Some(config.need(self.key)?) } else { found };
                let name = |value: Field<'_, 's>| config.resource(&value, type_name);
                let name = found.map_or(Ok(ResourceWords::default()), name)?;
                let pushed: Result<(), GrowError> =
                    words.try_extend_from_slice(&[name.low, name.high]);
                Ok(pushed?)
            }
        }
    }
}
