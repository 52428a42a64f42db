//! Frames: checked, and kept as text.

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_compiler::{CompileError, Compiler, Context, Property};
use std::format;
use std::string::ToString;
use std::vec::Vec;

use crate::frame::{FrameDescription, FrameError};
use crate::material::MATERIAL_TYPE;

/// The type of frames.
pub const FRAME_TYPE: &str = "frame";

/// The version of frames that is compiled and read here.
pub const FRAME_VERSION: u32 = 1;

/// Compiles frames: the payload is the text, which [`FrameDescription`] reads without an error.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameCompiler;

impl Compiler for FrameCompiler {
    fn version(&self) -> u32 {
        FRAME_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = context.source()?;
        let pages = PageAllocator::new("compiler pages");
        let heap = HeapAllocator::new_in("compiler", &pages);
        match FrameDescription::try_read_in(&source, &heap) {
            Ok(frame) => {
                // For messages about layers that the frame has not.
                frame.layers().for_each(|layer| _ = context.name(layer.name));
                refer(&Property::read(&source)?, context)?;
                Ok(source.to_vec())
            }
            Err(FrameError::Syntax(error)) => Err(error.into()),
            Err(FrameError::Memory(error)) => {
                Err(CompileError::new(error.to_string(), "make the frame smaller"))
            }
            Err(error @ FrameError::Invalid { line, column, .. }) => {
                let text = error.to_string();
                let text = text.strip_prefix(&format!("{line}:{column}: ")).unwrap_or(&text);
                // What is wrong and what to do are in one sentence, parted by the first semicolon.
                let (reason, remedy) = text.split_once("; ").unwrap_or((text, "correct it"));
                Err(CompileError::new(reason, remedy).at(line, column))
            }
        }
    }
}

/// Records the materials that layers of a frame name.
fn refer(frame: &Property, context: &mut Context<'_>) -> Result<(), CompileError> {
    for pass in frame.need("passes", "add some")?.items()? {
        for layer in pass.get("layers").map_or(Ok(&[][..]), Property::items)? {
            if let Some(material) = layer.get("material") {
                context.refer(MATERIAL_TYPE, material.string()?, material.place());
            }
        }
    }
    Ok(())
}
