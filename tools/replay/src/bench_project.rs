//! A project that compares a person's own allocator with all others: `loligo bench --new`.
//!
//! The program is the example of the crate `loligo-bench`, so what is written is what the tests run.
//! It depends on a checkout by path and takes over its lock file and its compiler, so that it builds
//! with the crates that were tested, and without a network where the checkout builds without one.

use core::error::Error;
use core::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The example, whose text is the program's.
const EXAMPLE: &str = include_str!("../../bench/examples/bench_own.rs");

/// The folder of the crate in a checkout.
const CRATE: &str = "tools/bench";

/// Files of a checkout that a project takes over.
const TAKEN_OVER: [&str; 2] = ["Cargo.lock", "rust-toolchain.toml"];

/// What is in the project's `.gitignore`.
const IGNORED: &str = "/target\n/loligo-report\n";

/// Returns the checkout that `near` is in, or one of the folders above it is.
#[must_use]
pub fn find_checkout(near: &Path) -> Option<PathBuf> {
    near.ancestors().find(|folder| is_checkout(folder)).map(Path::to_owned)
}

/// Returns `true` if a folder is a checkout that has the crate.
fn is_checkout(folder: &Path) -> bool {
    let manifest = fs::read_to_string(folder.join(CRATE).join("Cargo.toml"));
    manifest.is_ok_and(|text| text.contains("name = \"loligo-bench\""))
}

/// Writes a project into `folder`, which is made, over the checkout `checkout`.
///
/// # Errors
///
/// [`ProjectError`] if the checkout is none, or if the folder has files already or cannot be
/// written to.
pub fn write_project(folder: &Path, checkout: &Path) -> Result<(), ProjectError> {
    if !is_checkout(checkout) {
        return Err(ProjectError::NoCheckout(checkout.to_owned()));
    }
    let fail = |error| ProjectError::File(folder.to_owned(), error);
    let checkout = fs::canonicalize(checkout).map_err(fail)?;
    let crate_path = checkout.join(CRATE);
    let crate_path =
        crate_path.to_str().ok_or_else(|| ProjectError::NoText(checkout.clone()))?.to_owned();
    fs::create_dir_all(folder.join("src")).map_err(fail)?;
    for name in ["Cargo.toml", "src/main.rs"] {
        if fs::symlink_metadata(folder.join(name)).is_ok() {
            return Err(ProjectError::Taken(folder.join(name)));
        }
    }
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).map_err(fail);
    write("Cargo.toml", &manifest(&crate_path))?;
    write("src/main.rs", &program())?;
    write(".gitignore", IGNORED)?;
    for name in TAKEN_OVER {
        match fs::read_to_string(checkout.join(name)) {
            Ok(text) => write(name, &text)?,
            // A checkout without one builds as well, and so does the project.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(fail(error)),
        }
    }
    Ok(())
}

/// Returns the manifest. Its own `[workspace]` keeps it out of a workspace that it may be in.
fn manifest(crate_path: &str) -> String {
    format!(
        "[package]\nname = \"my-bench\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n\
         \n[dependencies]\n# Add the crate of your allocator here.\nloligo-bench = {{ path = {} }}\n\
         \n[workspace]\n\n[profile.release]\ndebug = \"line-tables-only\"\nlto = \"thin\"\n\
         codegen-units = 1\n\n# Its checks are not timed, and would take half of the build.\n\
         [profile.release.package.loligo-tests]\nopt-level = 1\n",
        toml_text(crate_path)
    )
}

/// Returns a text as TOML writes it.
fn toml_text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            control if control.is_control() => {
                quoted.push_str(&format!("\\u{:04X}", u32::from(control)));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns the program: the example without the line that the lints of this workspace want.
fn program() -> String {
    let lines = EXAMPLE.lines().filter(|line| !line.starts_with("#![expect("));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Why no project was written.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProjectError {
    /// The folder is no checkout of Loligo.
    NoCheckout(PathBuf),
    /// The path of the checkout is not UTF-8, which a manifest is.
    NoText(PathBuf),
    /// There is such a file already.
    Taken(PathBuf),
    /// The system refuses.
    File(PathBuf, io::Error),
}

impl fmt::Display for ProjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCheckout(path) => write!(
                f,
                "{}: not a checkout of Loligo: {CRATE} is not there; name one with --checkout DIR",
                path.display()
            ),
            Self::NoText(path) => write!(
                f,
                "{}: the path is not UTF-8, so no manifest can name it; move the checkout",
                path.display()
            ),
            Self::Taken(path) => {
                write!(f, "{}: is there already; name a new folder", path.display())
            }
            Self::File(path, error) => {
                write!(f, "{}: cannot write the project: {error}", path.display())
            }
        }
    }
}

impl Error for ProjectError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::File(_, error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
