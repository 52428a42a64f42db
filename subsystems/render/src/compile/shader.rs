//! Shaders: WGSL, checked by what runs it.

use core::error::Error;

use loligo_compiler::{CompileError, Compiler, Context};
use loligo_containers::{BlobBuilder, blob_field};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Module, ShaderStage, Span};
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use super::build;
use crate::shader::{SHADER_VERSION, ShaderImage, ShaderResource};
use crate::shader_text::check_shader_text;

/// Compiles shaders. A source is WGSL with the entry points `vs_main` for vertices and `fs_main`
/// for pixels, and where it has one, `vs_shadow` for vertices where only depth is drawn. What is
/// bound to it is for the crate that draws to say.
///
/// The text is checked as WebGPU wants it, without extensions, so that it runs wherever that does.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShaderCompiler;

const REMEDY: &str = "correct the shader";

impl Compiler for ShaderCompiler {
    fn version(&self) -> u32 {
        SHADER_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = context.source()?;
        let text = core::str::from_utf8(&source).map_err(|error| {
            let (line, column) = place(&source[..error.valid_up_to()]);
            CompileError::new("this is no UTF-8", "save the file as UTF-8").at(line, column)
        })?;
        check_shader_text(text).map_err(|error| {
            let (line, column) = place(&source[..error.at.min(source.len())]);
            let reported = CompileError::new(error.kind.to_string(), error.kind.remedy());
            reported.at(line, column)
        })?;
        let module = naga::front::wgsl::parse_str(text).map_err(|error| {
            let mut notes = error.notes();
            let labels = error.labels().map(|(_, label)| label).filter(|label| !label.is_empty());
            let reason = labels.fold(error.message().to_string(), |all, label| joined(&all, label));
            let remedy = notes.next().unwrap_or(REMEDY);
            let reported = CompileError::new(one_line(&reason), one_line(remedy));
            at(reported, error.labels().map(|(span, _)| span), text)
        })?;
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::default());
        if let Err(error) = validator.validate(&module) {
            let label = error.spans().last().map(|(_, label)| label.clone());
            let mut reason = error.as_inner().to_string();
            let mut cause = error.as_inner().source();
            while let Some(inner) = cause {
                reason = joined(&reason, &inner.to_string());
                cause = inner.source();
            }
            let reason = joined(&reason, &label.unwrap_or_default());
            let reported = CompileError::new(one_line(&reason), REMEDY);
            return Err(at(reported, error.spans().map(|(span, _)| *span), text));
        }
        let has = |stage, name| has_entry(&module, stage, name);
        let wanted = [
            (ShaderStage::Vertex, ShaderResource::VERTEX, "@vertex"),
            (ShaderStage::Fragment, ShaderResource::FRAGMENT, "@fragment"),
        ];
        for (stage, name, mark) in wanted {
            if !has(stage, name) {
                let reason = format!("there is no entry point `{name}`");
                return Err(CompileError::new(reason, format!("add `{mark} fn {name}(..)`")));
            }
        }
        let has_shadow = has(ShaderStage::Vertex, ShaderResource::SHADOW);
        build(|heap| {
            let mut builder = BlobBuilder::<ShaderImage, _>::try_new_in(context.endian(), heap)?;
            let root = builder.root();
            builder.string(root.at(blob_field!(ShaderImage, text)), text)?;
            builder.set(root.at(blob_field!(ShaderImage, has_shadow)), has_shadow.into());
            Ok(builder.finish().to_vec())
        })
    }
}

fn has_entry(module: &Module, stage: ShaderStage, name: &str) -> bool {
    module.entry_points.iter().any(|entry| entry.stage == stage && entry.name == name)
}

/// Returns the place of the first span that has one, with a column in characters.
fn at(error: CompileError, mut spans: impl Iterator<Item = Span>, text: &str) -> CompileError {
    let Some(range) = spans.find_map(Span::to_range) else { return error };
    let before = text.as_bytes().get(..range.start).unwrap_or_default();
    let (line, column) = place(before);
    error.at(line, column)
}

/// Returns line and column of what follows a text.
fn place(before: &[u8]) -> (u32, u32) {
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    // Bytes that go on with a character are not counted.
    let column = 1 + before[start..].iter().filter(|byte| **byte & 0xC0 != 0x80).count();
    (line as u32, column as u32)
}

fn joined(all: &str, more: &str) -> String {
    if more.is_empty() || all.contains(more) { all.to_string() } else { format!("{all}: {more}") }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
