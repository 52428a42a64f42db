//! The hash of all that a step depends on.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use super::proof::Proof;
use super::shared;
use crate::tree::Tree;
use crate::workspace::{self, Member, Workspace};

/// What every build depends on; of the first two only what its packages need.
const ALWAYS: [&str; 4] = [LOCK, MANIFEST, "rust-toolchain.toml", ".cargo/config.toml"];

const LOCK: &str = "Cargo.lock";
const MANIFEST: &str = "Cargo.toml";

/// The FNV hash of words of eight bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    /// Adds bytes and how many they are.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
        self.mix(bytes.len() as u64);
    }

    fn mix(&mut self, word: u64) {
        // The rotation brings the upper bits, which multiplying mixes, down to the next word's.
        self.0 = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
    }

    pub(super) fn value(self) -> u64 {
        self.0
    }
}

/// Returns the hash of what a step depends on: files, the checks' own code, data, tools.
pub(super) fn hash(proof: &Proof, tree: &Tree, workspace: &Workspace) -> u64 {
    let mut hash = Hash::default();
    let files = files(proof, tree, workspace);
    // A file that went away meanwhile is an empty one.
    let read = |path: &str| std::fs::read(workspace::root().join(path)).unwrap_or_default();
    let lock = String::from_utf8_lossy(&read(LOCK)).into_owned();
    let lock = shared::of_lock(&lock, &packages(&files, workspace));
    for path in &files {
        hash.add(path.as_bytes());
        match *path {
            LOCK => hash.add(lock.text.as_bytes()),
            MANIFEST => hash.add(shared::of_manifest(&workspace.root, &lock.names).as_bytes()),
            path => hash.add(&read(path)),
        }
    }
    if files.iter().any(|path| reads_data(tree, path)) {
        add_data(&workspace::root(), &mut hash);
    }
    for tool in proof.tools {
        let output = Command::new(tool[0]).args(&tool[1..]).current_dir(workspace::root()).output();
        // A tool that is not there is one without a version.
        hash.add(&output.map(|output| output.stdout).unwrap_or_default());
    }
    hash.value()
}

/// Returns the paths of the files that a step depends on, in order.
pub(super) fn files<'t>(proof: &Proof, tree: &'t Tree, workspace: &Workspace) -> BTreeSet<&'t str> {
    let mut folders: BTreeSet<String> = BTreeSet::new();
    for name in proof.packages {
        add_member(workspace, name, true, &mut folders);
    }
    let modules = modules(tree, proof.step);
    let is_input = |path: &str| {
        ALWAYS.contains(&path)
            || folders.iter().any(|folder| is_within(path, folder))
            || proof.paths.iter().any(|place| is_within(path, place))
            || modules.iter().any(|module| {
                let inner = path.strip_prefix("xtask/src/").unwrap_or_default();
                inner.strip_prefix(module.as_str()).is_some_and(|rest| rest.starts_with(['.', '/']))
            })
    };
    tree.sizes().map(|(path, _)| path).filter(|path| is_input(path)).collect()
}

/// Returns the packages whose manifests are among files.
pub(super) fn packages<'w>(files: &BTreeSet<&str>, workspace: &'w Workspace) -> BTreeSet<&'w str> {
    let members = workspace.members.iter();
    let has = |member: &&Member| files.contains(format!("{}/Cargo.toml", member.folder).as_str());
    members.filter(has).map(|member| member.name.as_str()).collect()
}

fn is_within(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Adds the folder of a package and those of all that it depends on; what tests need is of the first
/// alone.
fn add_member(workspace: &Workspace, name: &str, is_tested: bool, folders: &mut BTreeSet<String>) {
    let Some(member) = workspace.member(name) else { return };
    let is_new = folders.insert(member.folder.clone());
    if !is_new && !is_tested {
        return;
    }
    let names = |member: &Member| {
        let lines = workspace.dependencies(member).into_iter();
        let is_needed = |kind| is_tested || kind != "dev-dependencies";
        lines.filter(|line| is_needed(line.kind)).map(|line| line.package).collect::<Vec<_>>()
    };
    for other in names(member) {
        add_member(workspace, &other, false, folders);
    }
}

/// Returns the modules of the automation that a step's own module uses, itself among them.
fn modules(tree: &Tree, step: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::from([step.to_owned()]);
    let mut open = vec![step.to_owned()];
    while let Some(module) = open.pop() {
        let (file, folder) = (format!("xtask/src/{module}.rs"), format!("xtask/src/{module}/"));
        let own = tree.sources().filter(|(path, _)| *path == file || path.starts_with(&folder));
        for (_, text) in own {
            for name in named(text) {
                if tree.has_file(&format!("xtask/src/{name}.rs")) && found.insert(name.clone()) {
                    open.push(name);
                }
            }
        }
    }
    found
}

/// Returns the names after `crate::`, those in braces among them.
fn named(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (_, rest) in text.match_indices("crate::").map(|(at, mark)| text.split_at(at + mark.len()))
    {
        let group = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let list = group.map_or(rest, |(inner, _)| inner);
        let parts = if group.is_some() { list.split(',').collect() } else { vec![list] };
        names.extend(parts.into_iter().map(|part| {
            part.trim_start()
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
                .unwrap_or("")
                .to_owned()
        }));
    }
    names
}

/// Returns `true` if a source reads the data outside the checkout.
fn reads_data(tree: &Tree, path: &str) -> bool {
    path.ends_with(".rs") && tree.text(path).is_some_and(|text| text.contains("LOLIGO_DATA"))
}

/// Adds the names and bytes of the data.
fn add_data(root: &Path, hash: &mut Hash) {
    let folder = std::env::var_os("LOLIGO_DATA").map_or_else(|| root.join("../shared"), Into::into);
    for kind in ["json", "sjson", "traces"] {
        let Ok(entries) = std::fs::read_dir(folder.join(kind)) else { continue };
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            hash.add(path.file_name().unwrap_or_default().as_encoded_bytes());
            hash.add(&std::fs::read(&path).unwrap_or_default());
        }
    }
}
