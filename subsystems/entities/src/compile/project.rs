//! Entities and levels of a project.

use core::cell::{OnceCell, RefCell};
use std::boxed::Box;
use std::collections::HashSet;
use std::string::{String, ToString};
use std::sync::Arc;
use std::vec::Vec;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_compiler::{CompileError, Compiler, Compilers, Context};
use loligo_diagnostics::contexts;

use super::component::ComponentCompiler;
use super::error::{CompileError as EntityError, CompileErrorKind};
use super::expand::Kind;
use super::source::{NamedResource, Sources};
use super::{DataCompiler, TagCompiler, TransformCompiler, compile_as};

/// The type of entities.
pub const ENTITY_TYPE: &str = "entity";

/// The type of levels.
pub const LEVEL_TYPE: &str = "level";

/// The version of both, apart from those of the component types.
const VERSION: u32 = 1;

/// A compiler of a component type that any thread may call.
pub type SharedComponentCompiler = Arc<dyn ComponentCompiler + Send + Sync>;

/// Registers the compilers of the types `entity` and `level`, for the component types that may be
/// named.
///
/// # Examples
///
/// ```
/// use loligo_compiler::Compilers;
/// use loligo_entities::compile::{register, standard};
///
/// let mut compilers = Compilers::built_in();
/// // A game adds its own to these.
/// register(&mut compilers, standard());
/// assert!(compilers.get("level").is_some());
/// ```
pub fn register(compilers: &mut Compilers, components: Vec<SharedComponentCompiler>) {
    let components: Arc<[SharedComponentCompiler]> = components.into();
    let (kind, components_too) = (Kind::Entity, components.clone());
    compilers.register(ENTITY_TYPE, EntityCompiler { kind, components: components_too });
    compilers.register(LEVEL_TYPE, EntityCompiler { kind: Kind::Level, components });
}

/// Returns the compilers of the component types that are here: `transform`, `tag` and `data`.
#[must_use]
pub fn standard() -> Vec<SharedComponentCompiler> {
    [
        Arc::new(TransformCompiler) as SharedComponentCompiler,
        Arc::new(TagCompiler),
        Arc::new(DataCompiler),
    ]
    .into()
}

/// Compiles entities, or levels. What is inherited is the source of an entity of the project.
struct EntityCompiler {
    kind: Kind,
    components: Arc<[SharedComponentCompiler]>,
}

impl Compiler for EntityCompiler {
    /// Of the component types, too: with another one, or another version of one, all is recompiled.
    fn version(&self) -> u32 {
        self.components.iter().fold(VERSION, |version, compiler| {
            let component = compiler.component();
            let told = [component.name.hash(), component.order.cast_unsigned(), compiler.version()];
            loligo_ids::murmur2_32::<[u8]>(bytemuck::cast_slice(&told.map(u32::to_le)), version)
        })
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let text = context.source()?;
        let (path, endian) = (context.source_path(), context.endian());
        let kept = Kept::default();
        let sources = ProjectSources {
            kept: &kept,
            context: RefCell::new(context),
            known: RefCell::default(),
            refused: RefCell::default(),
            contexts: RefCell::default(),
        };
        let compilers: Vec<&dyn ComponentCompiler> =
            self.components.iter().map(|compiler| &**compiler as &dyn ComponentCompiler).collect();
        let pages = PageAllocator::new("compiler pages");
        let heap = HeapAllocator::new_in("compiler", &pages);
        let done = compile_as(self.kind, endian, path, &text, &sources, &compilers, &heap);
        match done {
            Ok(bytes) => Ok(bytes.to_vec()),
            Err(error) => {
                let reported = match sources.refused.take() {
                    Some(refused) => refused.at(error.line, error.column),
                    None => compile_error(&error),
                };
                let reported = match sources.contexts.take() {
                    Some(contexts) => reported.with_contexts(contexts),
                    None => reported,
                };
                let path = if error.file == path { path } else { kept.path_of(error.file) };
                Err(reported.in_file(path))
            }
        }
    }
}

/// Returns what is wrong and what to do, as a compiler reports it.
fn compile_error(error: &EntityError<'_>) -> CompileError {
    let reported = match error.kind {
        CompileErrorKind::Syntax(error) => return error.into(),
        CompileErrorKind::Expected { .. } => {
            CompileError::new(error.kind.to_string(), "write that")
        }
        _ => {
            let text = error.kind.to_string();
            let (reason, remedy) = text.split_once("; ").unwrap_or((&text, "correct it"));
            CompileError::new(reason, remedy)
        }
    };
    reported.at(error.line, error.column)
}

/// Sources that were read, each where it stays as long as all do.
#[derive(Default)]
struct Kept {
    first: OnceCell<Box<KeptSource>>,
}

struct KeptSource {
    name: String,
    path: Arc<str>,
    text: Arc<[u8]>,
    next: OnceCell<Box<Self>>,
}

impl Kept {
    fn iter(&self) -> impl Iterator<Item = &KeptSource> {
        core::iter::successors(self.first.get(), |kept| kept.next.get()).map(|kept| &**kept)
    }

    fn keep(&self, name: &str, path: Arc<str>, text: Arc<[u8]>) -> Option<&KeptSource> {
        let place = self.iter().last().map_or(&self.first, |last| &last.next);
        let next = OnceCell::new();
        Some(
            place.get_or_init(|| Box::new(KeptSource { name: name.to_string(), path, text, next })),
        )
    }

    /// Returns the path of a source by the name that it is inherited by.
    fn path_of<'k>(&'k self, name: &'k str) -> &'k str {
        self.iter().find(|kept| kept.name == name).map_or(name, |kept| &kept.path)
    }
}

/// The sources of a project, as one resource sees them.
struct ProjectSources<'s, 'x, 'c> {
    kept: &'s Kept,
    context: RefCell<&'x mut Context<'c>>,
    /// The resources that were named.
    known: RefCell<HashSet<(&'static str, String)>>,
    /// Why the last source that was asked for could not be read, though it is there.
    refused: RefCell<Option<CompileError>>,
    /// What was done when the first error was found.
    contexts: RefCell<Option<Vec<String>>>,
}

impl<'s> Sources<'s> for ProjectSources<'s, '_, '_> {
    fn source(&self, name: &str) -> Option<&'s [u8]> {
        let mut context = self.context.borrow_mut();
        let found = context.source_of(ENTITY_TYPE, name);
        let read =
            found.and_then(|path| path.map(|path| Ok((context.read(&path)?, path))).transpose());
        match read {
            Ok(Some((text, path))) => Some(&self.kept.keep(name, path, text)?.text),
            Ok(None) => None,
            Err(error) => {
                *self.refused.borrow_mut() = Some(error);
                None
            }
        }
    }

    fn refer(&self, resource: &NamedResource<'s>) {
        // Only the first place is recorded: to find the line of each copy would cost time for every
        // one.
        if self.known.borrow_mut().insert((resource.type_name, resource.name.to_string())) {
            // A reference in another file carries the line of that file.
            let is_own = resource.file == self.context.borrow().source_path();
            let place = if is_own { resource.place() } else { (0, 0) };
            self.context.borrow_mut().refer(resource.type_name, resource.name, place);
        }
    }

    fn failed(&self) {
        let mut told = self.contexts.borrow_mut();
        if told.is_none() {
            *told = Some(contexts().to_string().lines().map(ToString::to_string).collect());
        }
    }
}
