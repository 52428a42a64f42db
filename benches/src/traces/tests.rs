use super::*;

#[test]
fn a_folder_gives_its_traces_once_each_in_order() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for name in ["b.altrace.zst", "a.altrace", "b.altrace", "README.md"] {
        fs::write(folder.path().join(name), b"ALTRACE1").expect("a file for the test");
    }
    let found = in_folder(folder.path()).expect("it can be read");
    assert_eq!(names_of(&found), "a, b");
    assert!(in_folder(&folder.path().join("absent")).is_err());
}

#[test]
fn there_are_always_traces() {
    let traces = Traces::find();
    assert!(!traces.names().is_empty(), "{}", traces.note());
    let first = traces.names().remove(0);
    assert_eq!(traces.open(&first).expect("it is sound").name, first);
}
