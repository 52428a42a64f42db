//! Crates are asked for, and found, in one version.

use std::path::Path;

use serde_json::json;
use toml::Table;

use super::{dependent, manifest_path};

#[test]
fn the_sources_are_of_one_version_each() {
    let crates = [("rayon", "1.12.0"), ("rayon-core", "1.13.0")];
    let manifest: Table = dependent(&crates).parse().expect("it is TOML");
    let dependencies = manifest["dependencies"].as_table().expect("it is a table");
    assert_eq!(dependencies.len(), crates.len());
    assert_eq!(dependencies["rayon-core"].as_str(), Some("=1.13.0"));
    assert!(manifest.contains_key("workspace"), "it is in no other workspace");
}

#[test]
fn the_very_version_of_a_crate_is_found() {
    let package = |version: &str| {
        json!({ "name": "rayon", "version": version,
            "manifest_path": format!("/registry/rayon-{version}/Cargo.toml") })
    };
    let metadata = json!({ "packages": [package("1.0.0"), package("1.12.0")] });
    let path = "/registry/rayon-1.12.0/Cargo.toml";
    let found = manifest_path(&metadata, "rayon", "1.12.0");
    assert_eq!(found.as_deref(), Some(Path::new(path)));
    assert_eq!(manifest_path(&json!({ "packages": [package("1.0.0")] }), "rayon", "1.12.0"), None);
}
