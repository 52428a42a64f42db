//! Compiling what must be, each resource apart from all others.

use core::any::Any;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::OnceLock;
use std::time::Instant;

use loligo_diagnostics::{context, contexts};
use loligo_resources::{DebugName, HEADER_BYTES, ResourceHeader};

use super::selection::Selection;
use crate::cache::{CacheClient, Found, Identity};
use crate::context::{Asked, Context, Shared};
use crate::error::{BuildError, CompileError, ResourceError};
use crate::executor::Executor;
use crate::folder::DataFolder;
use crate::index::{Entry, Index, Output};
use crate::project::Project;
use crate::report::Report;
use crate::select::Wanted;
use crate::walk::Walk;

/// What compiling a resource came to.
pub(super) type Outcome = Result<Result<Made, CompileError>, BuildError>;

/// A resource that was compiled, here or elsewhere.
pub(super) struct Made {
    pub(super) output: Output,
    pub(super) asked: Asked,
    pub(super) is_from_cache: bool,
}

/// What a compile works with.
pub(super) struct Work<'w> {
    pub(super) project: &'w Project<'w>,
    pub(super) shared: Shared<'w>,
    pub(super) executor: &'w dyn Executor,
    pub(super) data: &'w DataFolder<'w>,
    pub(super) old: &'w Index,
    pub(super) selection: &'w Selection,
    pub(super) cache: Option<&'w CacheClient<'w>>,
}

/// Compiles each of some resources that `is_stale` says it of, and returns what is to be remembered
/// of all.
pub(super) fn compile_all(
    work: &Work<'_>,
    wanted: &[usize],
    is_stale: &[bool],
    report: &mut Report,
) -> Result<Vec<Entry>, BuildError> {
    let Work { project, shared, executor, data, old, selection, cache } = *work;
    let parts = Parts { project, shared, data, selection, cache };
    let stale = wanted.iter().zip(is_stale).filter(|(_, is_stale)| **is_stale);
    let stale: Vec<(usize, OnceLock<Outcome>)> =
        stale.map(|(at, _)| (*at, OnceLock::new())).collect();
    executor.run(stale.len(), &|turn| {
        let (at, outcome) = &stale[turn];
        let _ = outcome.set(find_or_compile(parts, *at));
    });
    let mut outcomes = stale.into_iter().map(|(_, outcome)| outcome.into_inner());
    let mut entries = Vec::with_capacity(wanted.len());
    let walk = Walk::new(&old.entries);
    for (at, is_stale) in wanted.iter().zip(is_stale) {
        let (one, recipe) = (&selection.wanted[*at], selection.recipes[*at]);
        let known = walk.find(|entry| entry.name.cmp(&one.name));
        if !is_stale {
            entries.extend(known.cloned());
            continue;
        }
        // An executor that leaves a turn out has left the resource as it was.
        let Some(outcome) = outcomes.next().flatten() else { continue };
        match outcome? {
            Ok(Made { output, asked, is_from_cache }) => {
                report.compiled += usize::from(!is_from_cache);
                report.cached += usize::from(is_from_cache);
                entries.push(Entry {
                    name: one.name.clone(),
                    source: one.source.clone(),
                    recipe,
                    is_failed: false,
                    output: Some(output),
                    dependencies: asked.dependencies,
                    names: asked.names,
                    references: asked.references,
                });
            }
            Err(mut error) => {
                if error.file.is_empty() {
                    error.file = one.source.as_ref().to_owned();
                }
                let kept = known.filter(|entry| entry.output.is_some()).cloned();
                let (resource, is_kept) = (Some(one.name.clone()), kept.is_some());
                report.errors.push(ResourceError { resource, error, is_kept });
                entries.extend(kept.map(|kept| Entry { is_failed: true, ..kept }));
            }
        }
    }
    Ok(entries)
}

/// What all threads of a compile share.
#[derive(Clone, Copy)]
pub(super) struct Parts<'w> {
    pub(super) project: &'w Project<'w>,
    pub(super) shared: Shared<'w>,
    pub(super) data: &'w DataFolder<'w>,
    pub(super) selection: &'w Selection,
    pub(super) cache: Option<&'w CacheClient<'w>>,
}

/// Takes a resource from the cache, or compiles it, and writes its file.
pub(super) fn find_or_compile(parts: Parts<'_>, at: usize) -> Outcome {
    let Parts { project, shared, data, selection, cache } = parts;
    let (one, recipe) = (&selection.wanted[at], selection.recipes[at]);
    if let Some(reason) = project.refused.get(&*one.source) {
        let remedy = "correct the source, or take it out; this is a fault of the compiler, too";
        return Ok(Err(CompileError::new(reason.clone(), remedy)));
    }
    let identity = Identity { name: &one.name, source: &one.source, recipe };
    let trail = match cache.map(|cache| cache.find(identity)) {
        Some(Found::Hit(file, asked)) => {
            let output = data.put_blob(&file)?;
            return Ok(Ok(Made { output, asked, is_from_cache: true }));
        }
        Some(Found::Miss(trail)) => trail,
        None => None,
    };
    let start = Instant::now();
    let (file, asked) = match compile_one(project, shared, one) {
        Ok(made) => made,
        Err(error) => return Ok(Err(error)),
    };
    let took = start.elapsed();
    let output = data.put_blob(&file)?;
    if let (Some(cache), Some(trail)) = (cache, trail) {
        cache.put(trail, &file, &asked, took);
    }
    Ok(Ok(Made { output, asked, is_from_cache: false }))
}

/// Compiles a resource, and returns its file.
fn compile_one(
    project: &Project<'_>,
    shared: Shared<'_>,
    one: &Wanted,
) -> Result<(Vec<u8>, Asked), CompileError> {
    let Some(compiler) = project.compilers.get(&one.name.type_name) else {
        return Err(CompileError::new("the type has no compiler", "register one"));
    };
    let around = contexts().count();
    context!("When compiling", one.source);
    let mut context = Context::new(shared, &one.name, &one.source);
    project.observer.inspect(|observer| observer.begin(&one.source));
    let ran = catch_unwind(AssertUnwindSafe(|| compiler.compile(&mut context)));
    project.observer.inspect(|observer| observer.end(&one.source));
    let payload = match ran {
        Ok(Ok(payload)) => payload,
        Ok(Err(mut error)) => {
            // The contexts of the caller's own thread are removed: another thread might have
            // compiled it.
            error.contexts.drain(..around.min(error.contexts.len()));
            return Err(error);
        }
        Err(panic) => return Err(panicked(&*panic)),
    };
    let mut file = Vec::with_capacity(HEADER_BYTES + payload.len());
    file.resize(HEADER_BYTES, 0);
    file.extend_from_slice(&payload);
    let debug_name = match shared.target.has_debug_names {
        true => DebugName::new(&one.name.name),
        false => DebugName::default(),
    };
    if context.tail() > payload.len() as u64 {
        let remedy = "this is a fault of the compiler; report it with the source";
        return Err(CompileError::new("its tail is longer than its payload", remedy));
    }
    let (key, version, tail) = (one.name.key(), compiler.version(), context.tail());
    let header = ResourceHeader { key, version, debug_name, tail };
    header.write(shared.target.destination.endian, &mut file);
    Ok((file, context.into_asked()))
}

fn panicked(panic: &(dyn Any + Send)) -> CompileError {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let reason = format!("its compiler panicked: {}", text.unwrap_or("without words"));
    CompileError::new(reason, "this is a fault of the compiler; report it with the source")
}
