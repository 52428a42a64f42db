//! Our allocators as libraries to preload, built from source: a workspace of a crate for each.

use std::fs;
use std::io;
use std::path::Path;

use super::{Candidate, CheckError, Plan, workspace};
use crate::strategies::{StrategyConfig, emit_global};

/// What takes the place of the C library's functions, as in `loligo-preload`.
const EXPORTS: &str = include_str!("../../../preload/src/exports.rs");
const COUNTERS: &str = include_str!("../../../preload/src/counters.rs");
const HEAP: &str = include_str!("../../../preload/src/heap.rs");

const LIBRARY: &str = "\
//! `malloc` and its kin over one of our allocators, written by `loligo`.\n\
mod counters;\nmod exports;\nmod heap;\n";

/// What a strategy needs to take the heap's place.
const AS_HEAP: &str = include_str!("as_heap.rs.txt");

/// Builds a library for our heap, and one for each strategy.
pub(super) fn build(
    plan: &Plan,
    strategies: &[StrategyConfig],
) -> Result<Vec<Candidate>, CheckError> {
    let sources = fs::canonicalize(&plan.sources);
    let sources = sources.map_err(|_| CheckError::NoSources(plan.sources.clone()))?;
    let folder = plan.folder.join("libraries");
    let cannot =
        |cause: String| CheckError::Library { what: "the libraries to preload".to_owned(), cause };
    let mut members = vec![("heap".to_owned(), HEAP.to_owned())];
    for strategy in strategies {
        let code = emit_global(strategy, false).map_err(cannot)?;
        members.push((strategy.name.clone(), code + AS_HEAP));
    }
    write(&folder, &sources, &members).map_err(|error| cannot(error.to_string()))?;
    workspace::build(&folder).map_err(cannot)?;
    let release = fs::canonicalize(folder.join("target/release")).map_err(CheckError::System)?;
    let candidate = |(number, (name, _)): (usize, &(String, String))| Candidate {
        name: name.clone(),
        library: Some(release.join(format!("libcheck_{number}.so"))),
        program: None,
    };
    Ok(members.iter().enumerate().map(candidate).collect())
}

/// Writes the crates: one for each name and text of `heap.rs`.
fn write(folder: &Path, sources: &Path, members: &[(String, String)]) -> io::Result<()> {
    workspace::begin(folder, sources, "check", members.len())?;
    for (number, (_, heap)) in members.iter().enumerate() {
        let crate_folder = folder.join(format!("check_{number}"));
        fs::create_dir_all(crate_folder.join("src"))?;
        let manifest = format!(
            "[package]\nname = \"check_{number}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[lib]\n\
             crate-type = [\"cdylib\"]\n\n[dependencies]\nlibc = \"0.2\"\n\
             loligo-allocators = {{ path = {:?}, features = [\"std\"] }}\n",
            sources.display().to_string()
        );
        workspace::put(&crate_folder.join("Cargo.toml"), &manifest)?;
        for (name, text) in
            [("lib", LIBRARY), ("exports", EXPORTS), ("counters", COUNTERS), ("heap", heap)]
        {
            workspace::put(&crate_folder.join(format!("src/{name}.rs")), text)?;
        }
    }
    Ok(())
}
