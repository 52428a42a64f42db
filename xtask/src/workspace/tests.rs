//! Tests of reading the manifests, and a small house that other tests furnish.

use super::*;

/// Returns the files of a house in good order: two crates of tier 0 and a tool.
pub(crate) fn small_house() -> Tree {
    let mut tree = Tree::default();
    let root = "[workspace]\nmembers = [\"allocators\", \"ids\", \"tools/cli\"]\n\
        [workspace.dependencies]\nloligo-allocators = { path = \"allocators\" }\n\
        loligo-ids = { path = \"ids\" }\nloligo-cli = { path = \"tools/cli\" }\nlibc = \"0.2\"\n\
        api = { package = \"allocator-api2\", version = \"0.2\" }\n\
        [workspace.lints.rust]\nunsafe_code = \"deny\"\n";
    tree.insert("Cargo.toml", root.into());
    for (folder, name, tier, rest) in [
        (
            "allocators",
            "loligo-allocators",
            0,
            "[target.'cfg(unix)'.dependencies]\nlibc.workspace = true\n",
        ),
        ("ids", "loligo-ids", 0, "[dependencies]\nloligo-allocators.workspace = true\n"),
        ("tools/cli", "loligo-cli", 5, "[dependencies]\nloligo-ids.workspace = true\n"),
    ] {
        let manifest = format!("{}{rest}", package(name, tier));
        tree.insert(&format!("{folder}/Cargo.toml"), manifest.into());
    }
    tree.insert("allocators/src/lib.rs", b"//! Allocators.\nmod pool;\n".to_vec());
    let pool = "//! Pool.\n//!\n//! After Ada Lovelace, \"Notes\" (1843).\n";
    tree.insert("allocators/src/pool.rs", pool.into());
    tree.insert("ids/src/lib.rs", b"//! Ids.\n".to_vec());
    let cli = "//! The command.\n#![forbid(unsafe_code)]\nfn main() {}\n";
    tree.insert("tools/cli/src/main.rs", cli.into());
    let map = "# Architecture\n`allocators/`, `ids/`, `tools/cli` hold `loligo-allocators`, \
        `loligo-ids` and `loligo-cli`.\n";
    tree.insert("ARCHITECTURE.md", map.into());
    tree
}

/// Returns the head of a manifest in good order.
pub(crate) fn package(name: &str, tier: i64) -> String {
    let mut text = format!("[package]\nname = \"{name}\"\n");
    for key in ["version", "edition", "rust-version", "license", "repository", "authors"] {
        text.push_str(key);
        text.push_str(".workspace = true\n");
    }
    text.push_str(&format!(
        "[package.metadata.loligo]\ntier = {tier}\n[lints]\nworkspace = true\n"
    ));
    text
}

/// Returns the workspace of `tree`.
pub(crate) fn workspace(tree: &Tree) -> Workspace {
    Workspace::read(tree).expect("the manifests can be read")
}

#[test]
fn a_renamed_dependency_is_known_by_its_package() {
    let mut tree = small_house();
    let manifest =
        format!("{}[dev-dependencies]\napi.workspace = true\n", package("loligo-ids", 0));
    tree.insert("ids/Cargo.toml", manifest.into());
    let workspace = workspace(&tree);
    let ids = workspace.member("loligo-ids").expect("it is a member");
    let expected = Dependency {
        key: "api".into(),
        package: "allocator-api2".into(),
        kind: "dev-dependencies",
        inherited: true,
    };
    assert_eq!(workspace.dependencies(ids), [expected]);
}

#[test]
fn dependencies_of_one_platform_are_seen() {
    let tree = small_house();
    let workspace = workspace(&tree);
    let allocators = workspace.member("loligo-allocators").expect("it is a member");
    let keys: Vec<_> = workspace.dependencies(allocators).into_iter().map(|d| d.key).collect();
    assert_eq!(keys, ["libc"]);
}

#[test]
fn a_crate_may_name_itself() {
    let mut tree = small_house();
    let own = "[dev-dependencies]\nloligo-ids = { path = \".\", features = [\"std\"] }\n";
    tree.insert("ids/Cargo.toml", format!("{}{own}", package("loligo-ids", 0)).into());
    let workspace = workspace(&tree);
    let ids = workspace.member("loligo-ids").expect("it is a member");
    assert_eq!(workspace.dependencies(ids), []);
}

#[test]
fn a_missing_manifest_is_named() {
    let mut tree = small_house();
    tree.insert("Cargo.toml", b"[workspace]\nmembers = [\"nowhere\"]\n".to_vec());
    let failure = Workspace::read(&tree).expect_err("there is no such folder");
    assert!(failure.to_string().contains("nowhere/Cargo.toml"), "{failure}");
}

#[test]
fn an_example_tells_which_features_it_needs() {
    let mut tree = small_house();
    let example = "[[example]]\nname = \"maps\"\nrequired-features = [\"hash\"]\n";
    let manifest = format!("{}{example}", package("loligo-ids", 0));
    tree.insert("ids/Cargo.toml", manifest.into());
    let workspace = workspace(&tree);
    let ids = workspace.member("loligo-ids").expect("it is a member");
    assert_eq!(ids.features_of_example("maps"), ["hash"]);
    assert!(ids.features_of_example("others").is_empty(), "one without an entry needs none");
}
