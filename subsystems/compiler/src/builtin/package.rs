//! Lists of resources that are loaded together.

use std::collections::BTreeSet;

use loligo_containers::{BlobBuilder, GrowError, blob_field};
use loligo_resources::{PACKAGE_VERSION, PackageImage, PackageItem, ResourceKey};
use loligo_sjson::{NodeKind, Options, SyntaxNode, SyntaxTree, Text};

use super::config::{no_memory, unread};
use super::place_of;
use crate::compiler::Compiler;
use crate::context::Context;
use crate::error::CompileError;
use crate::memory::with_heap;

/// Makes packages of SJSON that lists names by type:
///
/// ```text
/// texture = [ "units/door" "gui/*" ]
/// mesh = [ "units/door" ]
/// ```
///
/// `gui/*` means every resource of that type in that folder, though not in its subfolders. A name
/// that no resource has is an error with its line and column.
#[derive(Clone, Copy, Debug, Default)]
pub struct PackageCompiler;

impl Compiler for PackageCompiler {
    fn version(&self) -> u32 {
        PACKAGE_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = context.source()?;
        let items = with_heap(|heap| {
            let tree = SyntaxTree::try_parse_in(&source, &Options::SJSON, heap).map_err(unread)?;
            collect(tree.root(), tree.text(), context)
        })?;
        build(&items, context).map_err(|error| no_memory(&error))
    }
}

fn collect(
    root: SyntaxNode<'_>,
    text: &str,
    context: &mut Context<'_>,
) -> Result<BTreeSet<ResourceKey>, CompileError> {
    let wrong = |node: SyntaxNode<'_>, reason: &str| {
        let (line, column) = place_of(text, node.span().start);
        CompileError::new(reason, "write `type = [ \"name\" \"folder/*\" ]`").at(line, column)
    };
    if root.kind() != NodeKind::Object {
        return Err(wrong(root, "a package is an object of types"));
    }
    let mut items = BTreeSet::new();
    for list in root.children() {
        let type_name = list.key().map(unescaped).unwrap_or_default();
        if list.kind() != NodeKind::Array {
            return Err(wrong(list, "the names of a type are an array"));
        }
        for item in list.children() {
            let Some(name) = item.string().map(unescaped) else {
                return Err(wrong(item, "a name is a string"));
            };
            let place = place_of(text, item.span().start);
            match name.strip_suffix('*') {
                Some(folder) if folder.is_empty() || folder.ends_with('/') => {
                    let folder = folder.strip_suffix('/').unwrap_or(folder);
                    let found = context.resources(folder, &type_name);
                    let found = found.map_err(|error| error.at(place.0, place.1))?;
                    items.extend(found.iter().map(|name| context.refer(&type_name, name, place)));
                }
                _ => {
                    items.insert(context.refer(&type_name, &name, place));
                }
            }
        }
    }
    Ok(items)
}

pub(crate) fn unescaped(text: Text<'_>) -> String {
    let mut string = String::new();
    let Ok(()) = text.unescape(|piece| {
        string.push_str(piece);
        Ok::<(), core::convert::Infallible>(())
    });
    string
}

fn build(items: &BTreeSet<ResourceKey>, context: &Context<'_>) -> Result<Vec<u8>, GrowError> {
    with_heap(|heap| {
        let mut builder = BlobBuilder::<PackageImage, _>::try_new_in(context.endian(), heap)?;
        let list = builder.root().at(blob_field!(PackageImage, resources));
        let places = builder.array(list, items.len())?;
        for (place, item) in places.iter().zip(items) {
            builder.set(place.at(blob_field!(PackageItem, type_hash)), item.type_hash);
            builder.set(place.at(blob_field!(PackageItem, name)), item.name);
        }
        Ok(builder.finish().to_vec())
    })
}
