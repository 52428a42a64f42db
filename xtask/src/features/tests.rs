//! Tests of mixing and sorting features.

use super::*;
use crate::workspace::tests::{package as manifest, small_house, workspace};

#[test]
fn each_pair_and_all_once() {
    let names = ["a", "b", "c", "d"].map(str::to_owned);
    let listed = mixes(&names);
    let all: BTreeSet<_> = listed.iter().cloned().collect();
    assert_eq!((listed.len(), all.len()), (12, 12), "none, 4 alone, 6 pairs, all");
    assert!(all.contains(&Vec::new()) && all.contains(names.as_slice()), "none and all");
    assert_eq!(mixes(&names[..2]).len(), 4, "of two features the pair is all");
}

#[test]
fn what_reaches_a_heavy_package_is_heavy() {
    let mut tree = small_house();
    let ids = "[features]\njemalloc = [\"dep:jem\"]\nlight = []\n\
        [dependencies]\njem = { package = \"tikv-jemallocator\", version = \"0\", optional = true }\n";
    tree.insert("ids/Cargo.toml", format!("{}{ids}", manifest("loligo-ids", 0)).into());
    let cli = "[features]\nall = [\"peers\"]\npeers = [\"loligo-ids?/jemalloc\"]\nround = [\"round\"]\n\
        few = [\"loligo-ids/light\"]\n[dependencies]\nloligo-ids.workspace = true\n";
    tree.insert("tools/cli/Cargo.toml", format!("{}{cli}", manifest("loligo-cli", 5)).into());
    let (light, heavy) = light_and_heavy(&workspace(&tree));
    assert_eq!(light, ["loligo-ids/light", "loligo-cli/few", "loligo-cli/round"]);
    assert_eq!(heavy, ["loligo-ids/jemalloc", "loligo-cli/all", "loligo-cli/peers"]);
}
