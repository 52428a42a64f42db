//! Tests of reading licence expressions.

use super::*;

fn may(expression: &str) -> bool {
    let allowed = ["MIT".to_owned(), "Apache-2.0".to_owned(), "Unicode-3.0".to_owned()];
    permits(expression, &allowed)
}

#[test]
fn one_allowed_choice_is_enough() {
    assert!(may("MIT"));
    assert!(may("GPL-3.0-only OR MIT"));
    assert!(may("Unlicense/MIT"));
    assert!(may("LGPL-2.1 OR (GPL-3.0-only AND MIT) OR Apache-2.0 WITH LLVM-exception"));
}

#[test]
fn all_parts_of_an_and_are_needed() {
    assert!(may("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(!may("MIT AND GPL-3.0-only"));
    assert!(!may("GPL-3.0-only OR MIT AND GPL-2.0-only"));
}

#[test]
fn what_cannot_be_read_is_refused() {
    for broken in ["", "()", "OR", "MIT OR", "MIT MIT", "(MIT", "MIT)", "MIT WITH"] {
        assert!(!may(broken), "`{broken}` is no licence");
    }
}

#[test]
fn a_planted_package_is_found_at_its_line() {
    let mut tree = Tree::default();
    tree.insert("deny.toml", b"[licenses]\nallow = [\"MIT\"]\n".to_vec());
    tree.insert(
        "Cargo.lock",
        b"[[package]]\nname = \"good\"\n[[package]]\nname = \"bad\"\n".to_vec(),
    );
    let lines = ["good v1.0.0|MIT", "bad v1.0.0 (proc-macro)|AGPL-3.0-only", ""];
    let packages = lines.into_iter().filter_map(package).collect();
    let findings = check(&tree, &packages);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!((findings[0].rule, findings[0].line), ("licences", 4));
}

#[test]
fn an_exception_is_for_one_package() {
    let mut tree = Tree::default();
    let text = "[licenses]\nallow = [\"MIT\"]\nexceptions = [{ allow = [\"MPL-2.0\"], crate = \"peer\" }]\n";
    tree.insert("deny.toml", text.as_bytes().to_vec());
    let lines = ["peer v1.0.0|MPL-2.0", "other v1.0.0|MPL-2.0", "good v1.0.0|MIT"];
    let findings = check(&tree, &lines.into_iter().filter_map(package).collect());
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].what.contains("`other` states MPL-2.0"), "{findings:?}");
    let lines = ["peer v1.0.0|GPL-3.0-only"];
    let findings = check(&tree, &lines.into_iter().filter_map(package).collect());
    assert_eq!(findings.len(), 1, "another licence of it is none");
}

#[test]
fn a_line_of_cargo_tree_is_read() {
    let lines = ["a v1.0.0|MIT", "a v1.0.0 (proc-macro)|MIT", "a v1.0.0|MIT (*)"];
    let packages: BTreeSet<_> = lines.into_iter().filter_map(package).collect();
    assert_eq!(packages.len(), 1, "{packages:?}");
    assert_eq!(package(""), None);
}

#[test]
fn without_a_list_nothing_is_allowed() {
    let packages = package("good v1.0.0|MIT").into_iter().collect();
    assert_eq!(check(&Tree::default(), &packages).len(), 1);
}
