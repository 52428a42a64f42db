//! SJSON of any shape becomes settings that are read in place.

use std::collections::BTreeMap;

use loligo_containers::{BlobBuilder, GrowError, blob_field};
use loligo_ids::IdString64;
use loligo_resources::{ConfigImage, ConfigKind, ConfigNode};
use loligo_sjson::{Options, ReadError, Value, ValueKind, ValueRef};

use crate::compiler::Compiler;
use crate::context::Context;
use crate::error::CompileError;
use crate::memory::{Heap, with_heap};

/// The version of settings that [`ConfigCompiler`] writes and [`Config`](loligo_resources::Config)
/// reads.
pub const CONFIG_VERSION: u32 = 1;

/// Makes settings of SJSON of any shape: [`Config`](loligo_resources::Config) reads them.
///
/// Keys become hashes, and stay in the table of names. Of a key that comes twice the last value
/// counts. Keys whose hashes are equal are an error.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConfigCompiler;

impl Compiler for ConfigCompiler {
    fn version(&self) -> u32 {
        CONFIG_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = context.source()?;
        with_heap(|heap| {
            let value = Value::try_parse_in(&source, &Options::SJSON, heap).map_err(unread)?;
            let mut flat = Flat::default();
            flat.flatten(value.root(), context)?;
            flat.build(context, heap).map_err(|error| no_memory(&error))
        })
    }
}

pub(crate) fn unread(error: ReadError) -> CompileError {
    match error {
        ReadError::Syntax(error) => error.into(),
        ReadError::Memory(error) => no_memory(&error),
    }
}

pub(super) fn no_memory(error: &GrowError) -> CompileError {
    CompileError::new(error.to_string(), "make the file smaller")
}

/// A value; the values of an array or object follow their parent, as in the image.
struct Node {
    key: IdString64,
    kind: ConfigKind,
    value: u64,
    count: u32,
}

#[derive(Default)]
struct Flat {
    nodes: Vec<Node>,
    text: String,
}

impl Flat {
    /// Lays a document out level by level: the children of a value one after the other.
    fn flatten(
        &mut self,
        root: ValueRef<'_>,
        context: &mut Context<'_>,
    ) -> Result<(), CompileError> {
        self.push(IdString64::default(), root);
        let mut values = vec![root];
        let mut index = 0;
        while index < values.len() {
            let value = values[index];
            let first = values.len();
            match value.kind() {
                ValueKind::Array => {
                    for item in value.items() {
                        self.push(IdString64::default(), item);
                        values.push(item);
                    }
                }
                ValueKind::Object => {
                    for (key, (_, member)) in members(value, context)? {
                        self.push(key, member);
                        values.push(member);
                    }
                }
                _ => {
                    index += 1;
                    continue;
                }
            }
            let node = &mut self.nodes[index];
            (node.value, node.count) = (first as u64, (values.len() - first) as u32);
            index += 1;
        }
        Ok(())
    }

    fn push(&mut self, key: IdString64, value: ValueRef<'_>) {
        let mut count = 0;
        let (kind, value) = match value.kind() {
            ValueKind::Null => (ConfigKind::Null, 0),
            ValueKind::Bool => (ConfigKind::Bool, value.as_bool().unwrap_or_default().into()),
            ValueKind::Number => match (value.as_i64(), value.as_u64()) {
                (Some(number), _) => (ConfigKind::I64, number.cast_unsigned()),
                (None, Some(number)) => (ConfigKind::U64, number),
                _ => (ConfigKind::F64, value.as_f64().unwrap_or_default().to_bits()),
            },
            ValueKind::String => {
                let text = value.as_str().unwrap_or_default();
                let start = self.text.len();
                self.text.push_str(text);
                count = text.len() as u32;
                (ConfigKind::String, start as u64)
            }
            ValueKind::Object => (ConfigKind::Object, 0),
            ValueKind::Array => (ConfigKind::Array, 0),
        };
        self.nodes.push(Node { key, kind, value, count });
    }

    fn build(&self, context: &Context<'_>, heap: &Heap<'_>) -> Result<Vec<u8>, GrowError> {
        let mut builder = BlobBuilder::<ConfigImage, _>::try_new_in(context.endian(), heap)?;
        let root = builder.root();
        let places = builder.array(root.at(blob_field!(ConfigImage, nodes)), self.nodes.len())?;
        for (place, node) in places.iter().zip(&self.nodes) {
            builder.set(place.at(blob_field!(ConfigNode, key)), node.key);
            builder.set(place.at(blob_field!(ConfigNode, value)), node.value);
            builder.set(place.at(blob_field!(ConfigNode, count)), node.count);
            builder.set(place.at(blob_field!(ConfigNode, kind)), node.kind as u32);
        }
        builder.string(root.at(blob_field!(ConfigImage, text)), &self.text)?;
        Ok(builder.finish().to_vec())
    }
}

/// Returns an object's values by the hashes of their keys, the last of each key.
fn members<'v>(
    object: ValueRef<'v>,
    context: &mut Context<'_>,
) -> Result<BTreeMap<IdString64, (&'v str, ValueRef<'v>)>, CompileError> {
    let mut members = BTreeMap::new();
    for (key, value) in object.members() {
        let id = context.name(key);
        if let Some((first, _)) = members.insert(id, (key, value))
            && first != key
        {
            let reason = format!("the keys {first:?} and {key:?} have one hash");
            return Err(CompileError::new(reason, "rename one of them"));
        }
    }
    Ok(members)
}
