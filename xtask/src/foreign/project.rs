//! The project of a peer's tests: their files, cut out of the peer's, over the adapter.

use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::cut;
use super::examples::{self, Example};
use super::list::List;
use super::peer::{Peer, Unit};
use crate::guests::remove;
use crate::outcome::Failure;
use crate::packages::write;
use crate::workspace;

/// The program of all unit tests.
pub(super) const UNITS: &str = "units";

/// How the names of examples begin.
pub(super) const EXAMPLES: &str = "docs";

/// A project, written.
pub(super) struct Project {
    pub(super) folder: PathBuf,
    /// The programs of tests.
    pub(super) programs: Vec<String>,
    /// Whether there are examples.
    pub(super) has_examples: bool,
    /// The tests that are compiled alone, each with the target that has it: a program, or the
    /// package of examples.
    pub(super) alone: Vec<(String, Alone)>,
}

/// Where a test is compiled alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Alone {
    Program(String),
    Example,
}

impl Project {
    /// Writes the project into `folder`, over what an earlier run left.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if the disk does not allow it, [`Failure::Found`] if a file is not what
    /// it was thought to be.
    pub(super) fn write(
        peer: &Peer,
        from: &Path,
        folder: &Path,
        list: &List,
    ) -> Result<Self, Failure> {
        remove(folder)?;
        let published = read(&from.join("Cargo.toml"))?;
        let published: Table = published
            .parse()
            .map_err(|error| Failure::Found(format!("{}'s manifest: {error}", peer.name)))?;
        write(&folder.join("Cargo.toml"), manifest(peer, &published).as_bytes())?;
        write(&folder.join("src/lib.rs"), b"")?;
        let lock = read(&workspace::root().join("Cargo.lock"))?;
        write(&folder.join("Cargo.lock"), lock.as_bytes())?;
        write_adapter(peer, folder)?;
        let mut project = Self {
            folder: folder.to_owned(),
            programs: Vec::new(),
            has_examples: !peer.examples.is_empty(),
            alone: Vec::new(),
        };
        project.write_programs(peer, from, list)?;
        project.write_examples(peer, from, list)?;
        Ok(project)
    }

    /// Writes the programs of tests without those that cannot be compiled, and each of these in a
    /// program alone.
    fn write_programs(&mut self, peer: &Peer, from: &Path, list: &List) -> Result<(), Failure> {
        let mut programs = Vec::new();
        if !peer.units.is_empty() {
            programs.push((UNITS, units(peer, from)?));
        }
        for program in peer.programs {
            programs.push((program, read(&from.join(format!("tests/{program}.rs")))?));
        }
        let helpers: Vec<&str> = peer.units.iter().flat_map(|unit| unit.helpers).copied().collect();
        for (program, text) in programs {
            let tests =
                cut::Program::read(&text, &helpers).map_err(|what| found(peer, program, &what))?;
            let is_unbuilt =
                |test: &str| list.unbuilt().any(|entry| entry.test == name(program, test));
            let built = tests.without(&is_unbuilt);
            write(&self.folder.join(format!("tests/{program}.rs")), built.as_bytes())?;
            self.programs.push(program.to_owned());
            for test in tests.tests().filter(|test| is_unbuilt(test)) {
                let target = format!("alone_{}", self.alone.len());
                let one = tests.alone(test);
                write(&self.folder.join(format!("tests/{target}.rs")), one.as_bytes())?;
                self.alone.push((name(program, test), Alone::Program(target)));
            }
        }
        Ok(())
    }

    /// Writes the examples, and those that cannot be compiled into another package.
    fn write_examples(&mut self, peer: &Peer, from: &Path, list: &List) -> Result<(), Failure> {
        let mut all = Vec::new();
        for file in peer.examples {
            let source = read(&from.join("src").join(file))?;
            let name = file.trim_end_matches(".rs").replace('/', "_");
            all.extend(examples::of(&name, &source));
        }
        let is_unbuilt = |example: &Example| {
            let name = name(EXAMPLES, &example.name);
            list.unbuilt().any(|entry| entry.test == name)
        };
        let (unbuilt, built): (Vec<_>, Vec<_>) = all.into_iter().partition(is_unbuilt);
        for (package, examples) in [(EXAMPLES, &built), ("alone", &unbuilt)] {
            let folder = self.folder.join(package);
            let head = "//! Examples.\n#![allow(dead_code)]\n\n".to_owned();
            let (old, edition) = peer.old;
            let edition = |example: &Example| old.contains(&&*example.name).then_some(edition);
            let functions = examples.iter().map(|example| example.function(edition(example)));
            let functions: String = functions.collect();
            write(&folder.join("src/lib.rs"), (head + &functions).as_bytes())?;
            let library = peer.library();
            let manifest = format!(
                "[package]\nname = \"{package}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
                 [dependencies]\n{library} = {{ path = \"../adapter\" }}\n{}\n{}",
                peer.added,
                features(peer)
            );
            write(&folder.join("Cargo.toml"), manifest.as_bytes())?;
        }
        let unbuilt = unbuilt.iter().map(|example| name(EXAMPLES, &example.name));
        self.alone.extend(unbuilt.map(|name| (name, Alone::Example)));
        Ok(())
    }
}

/// Returns the name of a test in the lists.
pub(super) fn name(program: &str, test: &str) -> String {
    if program == UNITS { test.to_owned() } else { format!("{program}::{test}") }
}

/// Returns a program of the unit tests of every file, each in a module as in the peer.
fn units(peer: &Peer, from: &Path) -> Result<String, Failure> {
    let library = peer.library();
    let mut text =
        format!("#[macro_use]\nextern crate {library};\nuse {library}::*;\n{}\n", peer.root);
    for unit in peer.units {
        let source = read(&from.join("src").join(unit.file))?;
        let found = |what: &str| found(peer, unit.file, what);
        let Unit { prelude, is_whole, .. } = unit;
        let tests = if *is_whole {
            source
        } else {
            let modules = cut::modules(&source).map_err(|what| found(&what))?;
            if modules.is_empty() {
                return Err(found("it has no module of tests"));
            }
            modules.join("\n")
        };
        let module = unit.module();
        let body = format!("#[allow(unused_imports)] use {library}::*;\n{prelude}\n{tests}");
        text.push_str(&format!("\nmod {module} {{\n{body}\n}}\n"));
    }
    Ok(text)
}

/// Writes the crate that has the peer's name.
fn write_adapter(peer: &Peer, folder: &Path) -> Result<(), Failure> {
    let (library, root) = (peer.library(), workspace::root());
    let path = root.join("tests/foreign").display().to_string();
    let manifest = format!(
        "[package]\nname = \"{library}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nloligo-foreign = {{ path = {path:?} }}\n"
    );
    write(&folder.join("adapter/Cargo.toml"), manifest.as_bytes())?;
    let source = format!("pub use loligo_foreign::{library}::*;\n{}", peer.shim);
    write(&folder.join("adapter/src/lib.rs"), source.as_bytes())
}

/// Returns the manifest of the tests, with the peer's edition and what its tests depend on.
fn manifest(peer: &Peer, published: &Table) -> String {
    let edition = published.get("package").and_then(|package| package.get("edition"));
    let edition = edition.and_then(Value::as_str).unwrap_or("2015");
    let mut needed = Table::new();
    if let Some(stated) = published.get("dev-dependencies").and_then(Value::as_table) {
        for (name, line) in stated {
            if !peer.unneeded.contains(&name.as_str()) {
                needed.insert(name.clone(), line.clone());
            }
        }
    }
    let needed = needed.iter().map(|(name, line)| format!("{name} = {}\n", inline(line)));
    let needed: String = needed.collect();
    let library = peer.library();
    format!(
        "[package]\nname = \"foreign-tests\"\nversion = \"0.0.0\"\nedition = \"{edition}\"\n\n\
         [workspace]\nmembers = [\"docs\", \"alone\"]\n\n\
         [dependencies]\n{library} = {{ path = \"adapter\" }}\n\n\
         [dev-dependencies]\n{needed}{}\n\
         {}",
        peer.added,
        features(peer)
    )
}

/// Returns the features that tests ask for, which all are on.
fn features(peer: &Peer) -> String {
    let names: String = peer.features.iter().map(|name| format!("{name} = []\n")).collect();
    format!("[features]\ndefault = {:?}\n{names}", peer.features)
}

/// Writes a value of a manifest in one line.
fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(is_so) => is_so.to_string(),
        Value::Datetime(time) => time.to_string(),
        Value::Array(values) => {
            let values: Vec<_> = values.iter().map(inline).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Table(table) => {
            let lines = table.iter().map(|(name, value)| format!("{name} = {}", inline(value)));
            format!("{{ {} }}", lines.collect::<Vec<_>>().join(", "))
        }
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path)
        .map_err(|error| Failure::io(&format!("cannot read {}", path.display()), &error))
}

fn found(peer: &Peer, file: &str, what: &str) -> Failure {
    Failure::Found(format!("{} {}: {file}: {what}", peer.name, peer.version))
}
