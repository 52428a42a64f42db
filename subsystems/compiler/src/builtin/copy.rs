//! Files that are data already.

use crate::compiler::Compiler;
use crate::context::Context;
use crate::error::CompileError;

/// Takes a source as it is: for texts, and for files that another tool has made.
#[derive(Clone, Copy, Debug, Default)]
pub struct CopyCompiler;

impl Compiler for CopyCompiler {
    fn version(&self) -> u32 {
        1
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        Ok(context.source()?.to_vec())
    }
}
