//! Tests of the files of a project. That it builds is the example's test: the text is the same.

use super::*;

/// This workspace.
fn checkout() -> PathBuf {
    find_checkout(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the tests are in a checkout")
}

#[test]
fn a_project_has_the_text_of_the_example() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("deep/mine");
    write_project(&folder, &checkout()).expect("it can be written");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect(name);
    let program = read("src/main.rs");
    assert!(!program.contains("#![expect"), "the lints of this workspace are its own");
    let lines = EXAMPLE.lines().count() - program.lines().count();
    assert_eq!(lines, 1, "one line is left out and no other");
    assert!(program.contains("Bench::new().global(\"mine\", || Mine).run()"));
    let manifest = read("Cargo.toml");
    let path = checkout().join("tools/bench");
    let path = format!("loligo-bench = {{ path = \"{}\" }}", path.display());
    assert!(manifest.contains(&path), "{manifest}");
    assert!(manifest.contains("\n[workspace]\n"), "it is in no other workspace");
    for name in TAKEN_OVER {
        assert_eq!(read(name), fs::read_to_string(checkout().join(name)).expect(name));
    }
}

#[test]
fn nothing_that_is_there_is_replaced() {
    let place = tempfile::tempdir().expect("a folder");
    fs::create_dir(place.path().join("src")).expect("made");
    fs::write(place.path().join("src/main.rs"), "fn main() {}").expect("written");
    let error = write_project(place.path(), &checkout()).expect_err("it is taken");
    assert!(error.to_string().ends_with("src/main.rs: is there already; name a new folder"));
    assert!(!place.path().join("Cargo.toml").exists(), "nothing was written");
    let text = fs::read_to_string(place.path().join("src/main.rs")).expect("it is there");
    assert_eq!(text, "fn main() {}");
}

#[test]
fn a_folder_without_the_crate_is_no_checkout() {
    let place = tempfile::tempdir().expect("a folder");
    assert_eq!(find_checkout(place.path()), None);
    let error = write_project(&place.path().join("mine"), place.path()).expect_err("no checkout");
    assert!(error.to_string().contains("not a checkout of Loligo: tools/bench is not there"));
    assert!(!place.path().join("mine").exists(), "nothing was written");
}

#[test]
fn a_path_is_quoted_as_toml_wants_it() {
    assert_eq!(toml_text("/srv/a b"), "\"/srv/a b\"");
    assert_eq!(toml_text("q\"b\\c\n"), "\"q\\\"b\\\\c\\u000A\"");
}
