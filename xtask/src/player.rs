//! `cargo xtask player`: the program that games are shipped with, and the licences of what is in it.

use core::fmt::Write as _;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::workspace;

const USAGE: &str = "\
Builds the program that games are shipped with, optimised, and gathers the licences of all that is in it.

Usage: cargo xtask player DIR [--with FEATURES]

Writes DIR/loligo-player and DIR/loligo-player.licences.txt, which `loligo export --player DIR/loligo-player` takes.

Options:
  --with FEATURES   what else is in it: `device` plays on audio devices, `pads` reads gamepads. On Linux building
                    these needs headers: those of ALSA (Debian: libasound2-dev) and of libudev (libudev-dev)

Example:
  cargo xtask player target/player --with device,pads
";

/// The program, and the features that it is built with.
const PROGRAM: &str = "loligo-player";
const BUILT: [&str; 4] = ["--package", "loligo-engine", "--locked", "--features"];
const FEATURES: &str = "script,window";

/// Those that it may have as well.
const MORE: [&str; 2] = ["device", "pads"];

/// How the names of files begin that have the terms of a licence.
const TERMS: [&str; 6] = ["licen", "copying", "copyright", "notice", "unlicense", "ofl"];

/// The longest of such files that is taken; what is longer is none.
const TERMS_BYTES_MAX: u64 = 256 << 10;

/// Runs the command.
///
/// # Errors
///
/// [`Failure`] if it cannot be built, or the licences of a package are not to be found.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (folder, more) = match arguments {
        [folder] => (folder, ""),
        [folder, option, more] if option == "--with" => (folder, more.as_str()),
        _ => return Err(Failure::Unable(format!("name a folder\n\n{USAGE}"))),
    };
    let features = features(more)?;
    if folder == "--help" || folder == "-h" {
        print!("{USAGE}");
        return Ok(());
    }
    let root = workspace::root();
    let text = licences(&root, &features)?;
    let build = ["build", "--release", "--bin", PROGRAM];
    command::build(command::cargo(&root).args(build).args(BUILT).arg(&features), "the program")?;
    let metadata = metadata(&root)?;
    let target = metadata["target_directory"].as_str().unwrap_or("target");
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let folder = Path::new(folder);
    let io = |what: &str, error: std::io::Error| Failure::io(&format!("cannot {what}"), &error);
    fs::create_dir_all(folder).map_err(|error| io("make the folder", error))?;
    fs::copy(Path::new(target).join("release").join(&name), folder.join(&name))
        .map_err(|error| io("copy the program", error))?;
    fs::write(folder.join(format!("{PROGRAM}.licences.txt")), text)
        .map_err(|error| io("write the licences", error))?;
    println!("{}", folder.join(name).display());
    Ok(())
}

/// Returns the features that it is built with.
fn features(more: &str) -> Result<String, Failure> {
    let mut all = String::from(FEATURES);
    for feature in more.split(',').filter(|feature| !feature.is_empty()) {
        if !MORE.contains(&feature) {
            let known = MORE.join("` and `");
            return Err(Failure::Unable(format!("--with {feature}: there are `{known}`")));
        }
        all = all + "," + feature;
    }
    Ok(all)
}

/// Returns the licences of all packages in the program as text.
fn licences(root: &Path, features: &str) -> Result<String, Failure> {
    let arguments = ["tree", "--edges", "normal", "--prefix", "none", "--format", "{p}|{l}"];
    let listing = command::output(command::cargo(root).args(arguments).args(BUILT).arg(features))?;
    let metadata = metadata(root)?;
    let folders = folders(&metadata);
    let used: BTreeSet<&str> = listing.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    let mut text = String::from("This program has the following packages in it.\n");
    for line in used {
        let Some((package, licence)) = line.split_once('|') else { continue };
        let mut words = package.split_whitespace();
        let (name, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let version = version.trim_start_matches('v');
        // Ours are all under the licences of the repository, which are there once.
        if name.starts_with("loligo-") && name != "loligo-engine" {
            continue;
        }
        let own = root.to_owned();
        let folder = folders.get(&(name.to_owned(), version.to_owned()));
        let folder = if name == "loligo-engine" { Some(&own) } else { folder };
        // Writing to a string cannot fail.
        let _ = write!(text, "\n\n==== {name} {version}, {licence}\n");
        let terms = folder.map_or(String::new(), |folder| terms(folder, 1));
        text.push_str(&terms);
    }
    Ok(text)
}

/// Returns the files with terms in a folder, and in those in it to a depth.
fn terms(folder: &Path, depth: u32) -> String {
    let mut text = String::new();
    let entries = fs::read_dir(folder).map(|entries| entries.flatten().collect::<Vec<_>>());
    let mut entries = entries.unwrap_or_default();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().to_lowercase());
        if path.is_dir() && depth > 0 && !name.starts_with('.') && name != "target" {
            text.push_str(&terms(&path, depth - 1));
        }
        let is_terms = path.is_file() && TERMS.iter().any(|begin| name.starts_with(begin));
        let is_short = entry.metadata().is_ok_and(|found| found.len() <= TERMS_BYTES_MAX);
        if is_terms && is_short && !name.ends_with(".rs") {
            text.push('\n');
            text.push_str(&fs::read_to_string(&path).unwrap_or_default());
        }
    }
    text
}

/// Returns the folder of each package by name and version.
fn folders(metadata: &Value) -> BTreeMap<(String, String), PathBuf> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let folder = |package: &Value| {
        let text = |key: &str| package[key].as_str().map(str::to_owned);
        let folder = PathBuf::from(text("manifest_path")?).parent()?.to_owned();
        Some(((text("name")?, text("version")?), folder))
    };
    packages.filter_map(folder).collect()
}

/// Asks Cargo for all packages.
fn metadata(root: &Path) -> Result<Value, Failure> {
    let arguments = ["metadata", "--format-version", "1", "--locked"];
    let text = command::output(command::cargo(root).args(arguments))?;
    serde_json::from_str(&text).map_err(|error| Failure::Unable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::{FEATURES, TERMS, features, licences, workspace};

    #[test]
    fn what_else_is_in_it_is_named() {
        let of = |more: &str| features(more).map_err(|failure| failure.to_string());
        assert_eq!(of(""), Ok("script,window".to_owned()));
        assert_eq!(of("device,pads"), Ok("script,window,device,pads".to_owned()));
        let error = of("device,compile").expect_err("a game has no compiler");
        assert!(error.contains("--with compile: there are `device` and `pads`"), "{error}");
    }

    #[test]
    fn every_package_of_the_program_has_its_terms() {
        let text =
            licences(&workspace::root(), FEATURES).unwrap_or_else(|failure| panic!("{failure}"));
        assert!(text.contains("==== lz4_flex 0.14") && text.contains("==== loligo-engine "));
        for part in text.split("\n==== ").skip(1) {
            let (head, terms) = part.split_once('\n').unwrap_or((part, ""));
            assert!(!head.starts_with("loligo-compiler"), "a game has no compiler in it");
            // Some packages have the name of their licence alone.
            assert!(head.contains(", ") && !head.ends_with(", "), "{head}: {}", terms.len());
        }
        assert!(TERMS.iter().all(|begin| begin.chars().all(|of| of.is_ascii_lowercase())));
    }
}
