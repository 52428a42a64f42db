//! `cargo xtask outside`: each tier-0 crate as a stranger meets it, alone, from a project outside
//! the workspace.
//!
//! The project depends on the crate as it would be published. Its own library's doc is the crate's
//! README, so that Cargo builds and runs the examples there with nothing at hand but the crate.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::packages::{self, Project};
use crate::tree::Tree;
use crate::workspace::{self, Member, Workspace};

const USAGE: &str = "\
Uses each tier-0 crate from a project outside the workspace: packs it as it would be published,
depends on it alone, without features, with the default ones and with all, builds and runs the
examples of its README and the programs in xtask/outside/CRATE.md, and compares its dependencies
with the list in xtask/outside/CRATE.tree.

Usage: cargo xtask outside [--bless]

Options:
  --bless  writes the lists of dependencies again instead of comparing

Example:
  cargo xtask outside --bless
";

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a crate cannot be used alone, or its dependencies are not those listed.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let bless = match arguments {
        [] => false,
        [one] if one == "--bless" => true,
        [one] if one == "--help" || one == "-h" => {
            print!("{USAGE}");
            return Ok(());
        }
        _ => {
            return Err(Failure::Unable(
                "outside takes --bless and nothing else; see `cargo xtask outside --help`".into(),
            ));
        }
    };
    let workspace = Workspace::read(&Tree::read(&workspace::root())?)?;
    check(&workspace, bless)
}

/// Checks every tier-0 crate.
pub(crate) fn check(workspace: &Workspace, bless: bool) -> Outcome {
    packages::pack(workspace)?;
    let folder = std::env::temp_dir().join(format!("loligo-outside-{}", std::process::id()));
    let result =
        workspace.tier_zero().try_for_each(|member| use_alone(workspace, member, &folder, bless));
    // The folder is ours alone; it does no harm if it remains.
    let _ = fs::remove_dir_all(&folder);
    result
}

/// Uses one crate from projects in `folder`.
fn use_alone(workspace: &Workspace, member: &Member, folder: &Path, bless: bool) -> Outcome {
    let crate_folder = packages::unpacked(workspace, member);
    let readme = fs::read_to_string(crate_folder.join("README.md"))
        .map_err(|error| Failure::io(&format!("{} has no README.md", member.name), &error))?;
    if !readme.contains("```rust") {
        let what = format!("{}/README.md: show an example, opened by ```rust", member.folder);
        return Err(Failure::Found(what));
    }
    let programs = programs(member)?;
    let target = workspace::target().join("xtask/outside");
    let mut listing = String::new();
    for (mix, flags) in mixes(member) {
        let project = folder.join(&member.name).join(mix.replace(' ', "-"));
        let manifest = format!(
            "[dependencies.{}]\npath = {:?}\n{flags}\n{}",
            member.name,
            crate_folder,
            siblings(workspace, member)
        );
        let source = "#![doc = include_str!(\"../README.md\")]\n\
            #[doc = include_str!(\"../programs.md\")]\npub mod programs {}\n";
        let project_of = Project::write(&project, &target, &manifest, source)?;
        packages::write(&project.join("README.md"), readme.as_bytes())?;
        packages::write(&project.join("programs.md"), programs.as_bytes())?;
        println!("-- {}, {mix}", member.name);
        command::run(&mut project_of.cargo(&["test", "--quiet", "--doc"]))?;
        let tree = command::output(&mut project_of.cargo(&[
            "tree",
            "--target",
            "x86_64-unknown-linux-gnu",
            "--edges",
            "normal,build",
            "--prefix",
            "depth",
            "--format",
            " {p}",
            "--no-dedupe",
        ]))?;
        listing.push_str(&format!("{} {mix}\n{}", member.name, normal(&tree)));
    }
    compare(member, &listing, bless)
}

/// Returns the page of programs that users wrote for a crate, which run as its README's examples
/// do; empty where there is none.
fn programs(member: &Member) -> Result<String, Failure> {
    let path = list(member).with_extension("md");
    match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|error| Failure::io(&format!("cannot read {}", shown(&path)), &error)),
    }
}

/// Returns the ways of depending on a crate, each with the lines that the manifest needs for it.
fn mixes(member: &Member) -> [(&'static str, String); 3] {
    let all = member.public_features();
    [
        ("without features", "default-features = false".to_owned()),
        ("with default features", String::new()),
        ("with all features", format!("features = {all:?}")),
    ]
}

/// Returns the tables that give the project the crate's siblings of tier 0, as its user has them,
/// and that let the crate find them before they are published.
fn siblings(workspace: &Workspace, member: &Member) -> String {
    let mut tables = String::new();
    for sibling in workspace.siblings_below(member) {
        let folder = packages::unpacked(workspace, sibling);
        for table in ["dependencies", "patch.crates-io"] {
            tables.push_str(&format!("[{table}.{}]\npath = {folder:?}\n", sibling.name));
        }
    }
    tables
}

/// Compares the dependencies found with those listed, or lists them again.
fn compare(member: &Member, found: &str, bless: bool) -> Outcome {
    let path = list(member);
    if bless {
        println!("wrote {}", shown(&path));
        return packages::write(&path, found.as_bytes());
    }
    let listed = fs::read_to_string(&path).unwrap_or_default();
    if listed == found {
        return Ok(());
    }
    let path = shown(&path);
    println!("{path} lists:\n{listed}\nfound:\n{found}");
    Err(Failure::Found(format!(
        "{path}: the dependencies of {} are not those listed; if they are meant to be, run \
         `cargo xtask outside --bless`",
        member.name
    )))
}

fn list(member: &Member) -> PathBuf {
    workspace::root().join("xtask/outside").join(format!("{}.tree", member.name))
}

/// Returns a path of the workspace from its root.
fn shown(path: &Path) -> String {
    path.strip_prefix(workspace::root()).unwrap_or(path).display().to_string()
}

/// Returns what `cargo tree` lists below the project itself, indented, each version cut to the part
/// whose change breaks users, and without the folders of this machine.
fn normal(tree: &str) -> String {
    let mut lines = String::new();
    for line in tree.lines() {
        let mut words = line.split_whitespace();
        let depth = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let (Some(name), Some(version)) = (words.next(), words.next()) else {
            continue;
        };
        if depth > 0 {
            lines.push_str(&"  ".repeat(depth));
            lines.push_str(&format!("{name} {}\n", breaking_part(version)));
        }
    }
    lines
}

/// Returns `1` of `v1.2.3`, `0.2` of `v0.2.3` and `0.0.3` of `v0.0.3`.
fn breaking_part(version: &str) -> String {
    let version = version.trim_start_matches('v');
    let mut kept = Vec::new();
    for part in version.split(['.', '-', '+']).take(3) {
        kept.push(part);
        if part != "0" {
            break;
        }
    }
    kept.join(".")
}

#[cfg(test)]
mod tests;
