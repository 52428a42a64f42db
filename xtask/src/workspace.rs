//! The workspace as its manifests describe it: crates, tiers, features, dependencies.

use std::collections::BTreeSet;
use std::path::PathBuf;

use toml::Table;
use toml::Value;

use crate::outcome::Failure;
use crate::tree::Tree;

/// The root manifest and every member.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The root `Cargo.toml`.
    pub(crate) root: Table,
    /// The members, in the root's order.
    pub(crate) members: Vec<Member>,
}

/// One crate of the workspace.
#[derive(Debug)]
pub(crate) struct Member {
    /// Its folder, from the root.
    pub(crate) folder: String,
    /// Its package name.
    pub(crate) name: String,
    /// Its floor in the house, from `[package.metadata.loligo]`.
    pub(crate) tier: Option<i64>,
    /// Its whole manifest.
    pub(crate) manifest: Table,
}

/// One line of a dependency table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// The key in the table.
    pub(crate) key: String,
    /// The package meant, where `package = ".."` renames it.
    pub(crate) package: String,
    /// The table it is in: `dependencies`, `dev-dependencies` or `build-dependencies`.
    pub(crate) kind: &'static str,
    /// Whether it is written `workspace = true`.
    pub(crate) inherited: bool,
}

/// Returns the folder of the workspace, which is the parent of this package's.
pub(crate) fn root() -> PathBuf {
    let mut folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    folder.pop();
    folder
}

/// Returns the folder that Cargo builds into.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

impl Workspace {
    /// Reads the manifests among `tree`.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if a manifest is missing or is not TOML.
    pub(crate) fn read(tree: &Tree) -> Result<Self, Failure> {
        let root = manifest(tree, "Cargo.toml")?;
        let listed = root
            .get("workspace")
            .and_then(|workspace| workspace.get("members"))
            .and_then(Value::as_array)
            .ok_or_else(|| Failure::Found("Cargo.toml:1: [workspace] lists no members".into()))?;
        let mut members = Vec::new();
        for folder in listed.iter().filter_map(Value::as_str) {
            let manifest = manifest(tree, &format!("{folder}/Cargo.toml"))?;
            let package = manifest.get("package");
            let name = package
                .and_then(|package| package.get("name"))
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned();
            let tier = package
                .and_then(|package| package.get("metadata"))
                .and_then(|metadata| metadata.get("loligo"))
                .and_then(|loligo| loligo.get("tier"))
                .and_then(Value::as_integer);
            members.push(Member { folder: folder.to_owned(), name, tier, manifest });
        }
        Ok(Self { root, members })
    }

    /// Returns the member of this package name.
    pub(crate) fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// Returns the member whose folder holds `path`.
    pub(crate) fn owner(&self, path: &str) -> Option<&Member> {
        self.members.iter().find(|member| {
            path.strip_prefix(&member.folder).is_some_and(|rest| rest.starts_with('/'))
        })
    }

    /// Returns the members of tier 0 that `member` depends on, itself aside, each once.
    pub(crate) fn siblings_below(&self, member: &Member) -> Vec<&Member> {
        let dependencies = self.dependencies(member);
        let names: BTreeSet<&str> =
            dependencies.iter().map(|dependency| dependency.package.as_str()).collect();
        let is_below = |other: &&Member| other.name != member.name;
        self.published()
            .filter(is_below)
            .filter(|other| names.contains(other.name.as_str()))
            .collect()
    }

    /// Returns the crates of the ground floor that a program runs: all but those of macros.
    pub(crate) fn tier_zero(&self) -> impl Iterator<Item = &Member> {
        self.published().filter(|member| !member.is_macros())
    }

    /// Returns the crates of the ground floor, those of macros included.
    pub(crate) fn published(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(|member| member.tier == Some(0))
    }

    /// Returns every line of every dependency table of `member`, those for one platform included. A
    /// crate that names itself, to run its tests with features on, is not a dependency.
    pub(crate) fn dependencies(&self, member: &Member) -> Vec<Dependency> {
        let mut found = Vec::new();
        let targets = member.manifest.get("target").and_then(Value::as_table);
        let tables = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table);
        for table in core::iter::once(&member.manifest).chain(tables) {
            for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
                let Some(lines) = table.get(kind).and_then(Value::as_table) else {
                    continue;
                };
                for (key, value) in lines {
                    let dependency = self.dependency(key, value, kind);
                    if dependency.package != member.name {
                        found.push(dependency);
                    }
                }
            }
        }
        found
    }

    fn dependency(&self, key: &str, value: &Value, kind: &'static str) -> Dependency {
        let inherited = value.get("workspace").and_then(Value::as_bool) == Some(true);
        let stated = if inherited {
            let tables = self.root.get("workspace").and_then(|w| w.get("dependencies"));
            tables.and_then(|table| table.get(key))
        } else {
            Some(value)
        };
        let package = stated.and_then(|stated| stated.get("package")).and_then(Value::as_str);
        Dependency {
            key: key.to_owned(),
            package: package.unwrap_or(key).to_owned(),
            kind,
            inherited,
        }
    }
}

impl Member {
    /// Returns `true` for a crate of macros, which runs in the compiler alone.
    pub(crate) fn is_macros(&self) -> bool {
        let library = self.manifest.get("lib");
        library.and_then(|library| library.get("proc-macro")).and_then(Value::as_bool) == Some(true)
    }

    /// Returns the `[features]` of the crate, each with what it turns on.
    pub(crate) fn features(&self) -> Vec<(String, Vec<String>)> {
        let Some(table) = self.manifest.get("features").and_then(Value::as_table) else {
            return Vec::new();
        };
        let entries = table.iter().map(|(name, value)| {
            let parts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            (name.clone(), parts.map(str::to_owned).collect())
        });
        entries.collect()
    }

    /// Returns the features that an example needs, according to the manifest.
    pub(crate) fn features_of_example(&self, example: &str) -> Vec<String> {
        let examples = self.manifest.get("example").and_then(Value::as_array);
        let mut examples = examples.into_iter().flatten();
        let named = |entry: &&Value| entry.get("name").and_then(Value::as_str) == Some(example);
        let needed = examples.find(named).and_then(|entry| entry.get("required-features"));
        let needed = needed.and_then(Value::as_array).into_iter().flatten();
        needed.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Returns the features that a user may turn on one by one: all but `default` and those that
    /// are internal.
    pub(crate) fn public_features(&self) -> Vec<String> {
        let names = self.features().into_iter().map(|(name, _)| name);
        names.filter(|name| name != "default" && !name.starts_with("__")).collect()
    }
}

fn manifest(tree: &Tree, path: &str) -> Result<Table, Failure> {
    let text = tree
        .text(path)
        .ok_or_else(|| Failure::Found(format!("{path}:1: the manifest is missing")))?;
    text.parse::<Table>().map_err(|error| Failure::Found(format!("{path}: {error}")))
}

#[cfg(test)]
pub(crate) mod tests;
