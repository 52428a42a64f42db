//! Tests of the list of dependencies.

use super::*;

#[test]
fn a_tree_is_listed_without_what_differs_between_machines() {
    let tree = "0 user v0.0.0 (/somewhere/user)\n1 loligo-allocators v0.1.0 (/elsewhere)\n\
        2 libc v0.2.191\n2 api v1.4.0 (proc-macro)\n\n";
    assert_eq!(normal(tree), "  loligo-allocators 0.1\n    libc 0.2\n    api 1\n");
}

#[test]
fn a_version_is_cut_to_the_part_that_breaks() {
    let cut = [("v1.2.3", "1"), ("v0.2.3", "0.2"), ("v0.0.3", "0.0.3"), ("v2.0.0-rc.1+x", "2")];
    for (version, kept) in cut {
        assert_eq!(breaking_part(version), kept, "{version}");
    }
}

#[test]
fn all_public_features_are_turned_on() {
    let tree = Tree::read(&workspace::root()).expect("the workspace can be read");
    let workspace = Workspace::read(&tree).expect("its manifests can be read");
    let allocators = workspace.member("loligo-allocators").expect("it is a member");
    let [(_, none), (_, default), (_, all)] = mixes(allocators);
    assert_eq!(none, "default-features = false");
    assert_eq!(default, "");
    assert!(all.contains("\"lock_api\"") && !all.contains("\"default\""), "{all}");
}

#[test]
fn only_bless_is_taken() {
    let failure = run(&["--all".to_owned()]).expect_err("there is no such option");
    assert_eq!(failure.status(), 2);
}
