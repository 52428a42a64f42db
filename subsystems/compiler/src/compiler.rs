//! A compiler of one type of resources.

use crate::context::Context;
use crate::error::CompileError;

/// Makes the payload of a resource of its source.
///
/// What it makes depends on nothing but what it asks its [`Context`] for; the context writes down
/// what was asked, and the compile calls it again when any of that has changed.
pub trait Compiler: Send + Sync {
    /// Returns the version. It changes whenever the same sources give another payload, and then all
    /// of its resources are recompiled; the program that reads them compares it.
    fn version(&self) -> u32;

    /// Makes the payload.
    ///
    /// # Errors
    ///
    /// [`CompileError`] says where and what is wrong. Other resources are compiled all the same.
    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError>;
}
