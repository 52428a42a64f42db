//! A compiler that fails in every way that one can: for tests of what becomes of a game then.

use std::process;

use loligo_compiler::{CompileError, Compiler, Context};

/// Compiles sources of type `trial`, which say how it is to fail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrialCompiler;

impl Compiler for TrialCompiler {
    fn version(&self) -> u32 {
        1
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = context.source()?;
        match source.trim_ascii() {
            b"abort" => process::abort(),
            b"loop" => loop {
                core::hint::spin_loop();
            },
            b"hoard" => {
                let mut all: Vec<Vec<u8>> = Vec::new();
                loop {
                    all.push(vec![1; 16 << 20]);
                }
            }
            _ => Ok(source.to_vec()),
        }
    }
}
