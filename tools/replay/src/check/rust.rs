//! A Rust program built with other global allocators, from a copy of its sources.
//!
//! A global allocator gets the size of what is freed, and is compiled into the program; so the program
//! itself is rebuilt and nothing is preloaded. What is the user's stays as it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{Candidate, CheckError, Plan, source_copy};
use crate::strategies::{StrategyConfig, emit_global};

/// What the program replaces in the command.
pub(super) const PLACE: &str = "{}";

/// The file of the allocator, next to the program's `main.rs`.
const FILE: &str = "loligo_check_allocator.rs";

/// What is appended to `main.rs`.
const MODULE: &str = "\n#[path = \"loligo_check_allocator.rs\"]\nmod loligo_check_allocator;\n";

const THREAD_HEAP: &str = "\
use loligo_allocators::{PageAllocator, ThreadHeap};
static PAGES: PageAllocator = PageAllocator::new(\"pages\");
#[global_allocator]
static GLOBAL: ThreadHeap<'static> = ThreadHeap::new(\"global\", &PAGES);
";

const LOCKED_HEAP: &str = "\
use loligo_allocators::{HeapAllocator, Locked, PageAllocator};
static PAGES: PageAllocator = PageAllocator::new(\"pages\");
#[global_allocator]
static GLOBAL: Locked<HeapAllocator<'static, PageAllocator>> =
    Locked::new(HeapAllocator::new_in(\"global\", &PAGES));
";

/// The program without the global allocator that it has: what peers are preloaded into, of which it
/// would use nothing otherwise.
pub(super) const SYSTEM: &str = "system";

const SYSTEMS: &str = "\
#[global_allocator]
static GLOBAL: std::alloc::System = std::alloc::System;
";

/// A crate with a program, as Cargo knows it.
struct Package {
    /// The folder of its workspace.
    root: PathBuf,
    /// Its own folder, from there.
    folder: PathBuf,
    /// The name of the program.
    program: String,
    /// The program's `main.rs`, from the workspace's folder.
    main: PathBuf,
}

/// Builds the program of a crate as it is, with our heaps, and with each strategy.
pub(super) fn build(
    plan: &Plan,
    manifest: &Path,
    strategies: &[StrategyConfig],
) -> Result<Vec<Candidate>, CheckError> {
    let cannot = |cause: String| CheckError::Library {
        what: format!("the crate in {}", manifest.display()),
        cause,
    };
    let sources = fs::canonicalize(&plan.sources);
    let sources = sources.map_err(|_| CheckError::NoSources(plan.sources.clone()))?;
    let package = Package::of(manifest).map_err(cannot)?;
    let folder = plan.folder.join("crate");
    fs::create_dir_all(&folder).map_err(CheckError::System)?;
    let folder = fs::canonicalize(folder).map_err(CheckError::System)?;
    let copy = folder.join("source");
    let _ = fs::remove_dir_all(&copy);
    source_copy::make(&package.root, &copy, &folder).map_err(|error| cannot(error.to_string()))?;
    let builder = Builder { folder, copy, package };
    let mut candidates = vec![builder.program("own").map_err(cannot)?];
    let has_allocator = builder.prepare(&sources).map_err(cannot)?;
    let mut codes = codes(strategies).map_err(cannot)?;
    if has_allocator {
        codes.push((SYSTEM.to_owned(), SYSTEMS.to_owned()));
    }
    for (name, code) in codes {
        let file = builder.copy.join(&builder.package.main).with_file_name(FILE);
        // The lints of the program are for its author's code.
        let code = format!("#![allow(warnings, clippy::all, unsafe_code)]\n{code}");
        fs::write(file, code).map_err(|error| cannot(error.to_string()))?;
        candidates.push(builder.program(&name).map_err(cannot)?);
    }
    Ok(candidates)
}

/// Returns the names of our allocators for a Rust program, each with its module.
pub(super) fn codes(strategies: &[StrategyConfig]) -> Result<Vec<(String, String)>, String> {
    let mut codes = vec![
        ("heap".to_owned(), THREAD_HEAP.to_owned()),
        ("locked-heap".to_owned(), LOCKED_HEAP.to_owned()),
    ];
    for strategy in strategies {
        codes.push((strategy.name.clone(), emit_global(strategy, true)?));
    }
    Ok(codes)
}

impl Package {
    /// Asks Cargo for the crate of a manifest or a folder.
    fn of(manifest: &Path) -> Result<Self, String> {
        let manifest =
            if manifest.is_dir() { manifest.join("Cargo.toml") } else { manifest.to_owned() };
        let manifest = fs::canonicalize(&manifest)
            .map_err(|error| format!("{}: {error}", manifest.display()))?;
        let mut ask = cargo();
        ask.args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
            "--manifest-path",
        ]);
        let said = said(ask.arg(&manifest))?;
        let metadata: Value = serde_json::from_str(&said)
            .map_err(|error| format!("`cargo metadata` writes no JSON: {error}"))?;
        Self::read(&metadata, &manifest).ok_or_else(|| {
            "it has no program, or more than one; name the folder of one that has".into()
        })
    }

    fn read(metadata: &Value, manifest: &Path) -> Option<Self> {
        let text = |of: &Value, key: &str| of.get(key)?.as_str().map(str::to_owned);
        let root = PathBuf::from(text(metadata, "workspace_root")?);
        let packages = metadata.get("packages")?.as_array()?;
        let is_it = |one: &&Value| {
            text(one, "manifest_path").is_some_and(|path| Path::new(&path) == manifest)
        };
        let targets = packages.iter().find(is_it)?.get("targets")?.as_array()?;
        let is_program = |one: &&Value| {
            let kinds = one.get("kind").and_then(Value::as_array);
            kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == "bin"))
        };
        let mut programs = targets.iter().filter(is_program);
        let program = programs.next().filter(|_| programs.next().is_none())?;
        let main = PathBuf::from(text(program, "src_path")?);
        Some(Self {
            folder: manifest.parent()?.strip_prefix(&root).ok()?.to_owned(),
            main: main.strip_prefix(&root).ok()?.to_owned(),
            program: text(program, "name")?,
            root,
        })
    }
}

/// What builds a program again and again.
struct Builder {
    folder: PathBuf,
    /// The copy of the workspace.
    copy: PathBuf,
    package: Package,
}

impl Builder {
    /// Adds the crate of the allocators to the copy, and the module of the allocator to the program;
    /// returns whether it had a global allocator.
    fn prepare(&self, sources: &Path) -> Result<bool, String> {
        let mut add = cargo();
        add.args([
            "add",
            "--offline",
            "--quiet",
            "loligo-allocators",
            "--features",
            "std",
            "--path",
        ]);
        said(add.arg(sources).current_dir(self.copy.join(&self.package.folder)))?;
        let main = self.copy.join(&self.package.main);
        let text =
            fs::read_to_string(&main).map_err(|error| format!("{}: {error}", main.display()))?;
        // These need unsafe code.
        let text = text.replace("forbid(unsafe_code)", "warn(unsafe_code)") + MODULE;
        fs::write(&main, text).map_err(|error| format!("{}: {error}", main.display()))?;
        // One program has one global allocator.
        let modules = main.parent().unwrap_or(&self.copy);
        source_copy::replace_in(modules, "rs", &|text| {
            text.replace("#[global_allocator]", "#[cfg(any())]")
        })
        .map_err(|error| format!("{}: {error}", modules.display()))
    }

    /// Builds the program and keeps it under a name.
    fn program(&self, name: &str) -> Result<Candidate, String> {
        let target = self.folder.join("target");
        let mut build = cargo();
        build.args(["build", "--release", "--quiet", "--offline", "--bin", &self.package.program]);
        build.arg("--target-dir").arg(&target).current_dir(self.copy.join(&self.package.folder));
        said(&mut build)?;
        let built = target.join("release").join(&self.package.program);
        let kept = self.folder.join(format!("{}-{name}", self.package.program));
        fs::copy(&built, &kept).map_err(|error| format!("{}: {error}", built.display()))?;
        Ok(Candidate { name: name.to_owned(), library: None, program: Some(kept) })
    }
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command and returns what it wrote, or why it failed.
fn said(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("`cargo`: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}
