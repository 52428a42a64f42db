//! Levels and entities: sources in SJSON with all components that the engine knows.

use std::collections::BTreeMap;
use std::string::{String, ToString};
use std::sync::Arc;
use std::vec::Vec;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_compiler::{CompileFault, Compiler, Compilers, Context};
use loligo_entities::compile::{
    self, CompileFault as EntityFault, ComponentCompiler, DataCompiler, TagCompiler,
    TransformCompiler,
};

use super::{CameraCompiler, ModelCompiler, SunCompiler};

/// The version of levels and entities that is compiled and read here.
pub const LEVEL_VERSION: u32 = 1;

/// Registers the compilers of levels and entities.
pub fn register(compilers: &mut Compilers) {
    compilers.register("level", LevelCompiler);
    compilers.register("entity", LevelCompiler);
}

/// Compiles a level or an entity. What it inherits are the sources of entities: `inherit = "props/tower"` is
/// `props/tower.entity`.
#[derive(Clone, Copy, Debug)]
pub struct LevelCompiler;

impl Compiler for LevelCompiler {
    fn version(&self) -> u32 {
        LEVEL_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileFault> {
        let source = context.source()?;
        let mut inherited: BTreeMap<String, Arc<[u8]>> = BTreeMap::new();
        // What is inherited is known when it is missed; each round reads one source more.
        loop {
            let path = context.source_path();
            let missing = match compiled(path, &source, &inherited) {
                Ok(bytes) => return Ok(bytes),
                Err(Missed::Fault(fault)) => return Err(fault),
                Err(Missed::Source(name, fault)) => (name, fault),
            };
            let (name, fault) = missing;
            let text = context.try_read(&std::format!("{name}.entity"))?;
            inherited.insert(name, text.ok_or(fault)?);
        }
    }
}

/// Why a source was not compiled.
enum Missed {
    Fault(CompileFault),
    /// It inherits a source that was not read yet.
    Source(String, CompileFault),
}

fn compiled(
    path: &str,
    source: &[u8],
    inherited: &BTreeMap<String, Arc<[u8]>>,
) -> Result<Vec<u8>, Missed> {
    const COMPONENTS: [&dyn ComponentCompiler; 6] = [
        &TransformCompiler,
        &TagCompiler,
        &DataCompiler,
        &ModelCompiler,
        &CameraCompiler,
        &SunCompiler,
    ];
    let pages = PageAllocator::new("level pages");
    let heap = HeapAllocator::new("level", &pages);
    let sources = |name: &str| inherited.get(name).map(|text| &**text);
    compile::compile(path, source, &sources, &COMPONENTS, &heap)
        .map(|bytes| bytes.to_vec())
        .map_err(|error| {
            let file = if error.file == path {
                String::new()
            } else {
                std::format!("{}.entity", error.file)
            };
            let text = error.fault.to_string();
            let (reason, remedy) = text.split_once("; ").unwrap_or((&text, "correct it"));
            let fault =
                CompileFault::new(reason, remedy).at(error.line, error.column).in_file(file);
            match error.fault {
                EntityFault::NoSource { name } => Missed::Source(name.to_string(), fault),
                _ => Missed::Fault(fault),
            }
        })
}
