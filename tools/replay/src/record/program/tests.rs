//! Tests of what may be recorded.

use std::os::unix::fs::PermissionsExt;

use super::*;

/// Writes a file that may be run.
fn program(folder: &Path, name: &str, contents: &[u8], mode: u32) -> OsString {
    let path = folder.join(name);
    fs::write(&path, contents).expect("the folder is ours");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("the file is ours");
    path.into()
}

/// Returns this very program with its loader's name changed.
fn with_loader(change: impl Fn(&mut [u8])) -> Vec<u8> {
    let own = std::env::current_exe().expect("there is one");
    let mut bytes = fs::read(own).expect("it can be read");
    let loader = b"/lib64/ld-linux-x86-64.so.2\0";
    let at = bytes.windows(loader.len()).position(|window| window == loader).expect("it has one");
    change(&mut bytes[at..at + loader.len()]);
    bytes
}

#[test]
fn programs_and_scripts_are_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let own = std::env::current_exe().expect("there is one");
    assert_eq!(Program::find(own.as_os_str()).expect("this program").path, own);
    let script = format!("#! {} -x\n", own.display());
    let script = program(folder.path(), "script", script.as_bytes(), 0o755);
    let second = format!("#!{}\n", script.display());
    let second = program(folder.path(), "second", second.as_bytes(), 0o755);
    assert_eq!(Program::find(&second).expect("a script of a script").path, Path::new(&second));
}

#[test]
fn what_cannot_be_recorded_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let refused = |name: &str, contents: &[u8], mode| {
        Program::find(&program(folder.path(), name, contents, mode)).expect_err(name)
    };
    let musl = with_loader(|loader| loader[..14].copy_from_slice(b"/lib64/ld-musl"));
    assert!(matches!(refused("musl", &musl, 0o755), RecordError::NoProgram { .. }));
    let own = fs::read(std::env::current_exe().expect("there is one")).expect("it can be read");
    assert!(matches!(refused("data", &own, 0o644), RecordError::Missing { .. }));
    let mut other = own.clone();
    other[18] = 0xb7;
    let error = refused("arm", &other, 0o755).to_string();
    assert!(error.contains("is a program for another processor; "), "{error}");
    assert!(matches!(refused("cut", &own[..100], 0o755), RecordError::NoProgram { .. }));
    assert!(matches!(refused("empty", b"", 0o755), RecordError::NoProgram { .. }));
    let circle = format!("#!{}\n", folder.path().join("circle").display());
    assert!(matches!(refused("circle", circle.as_bytes(), 0o755), RecordError::NoProgram { .. }));
    // Without the segment that names a loader it counts as linked statically.
    let mut fixed = own;
    let headers = u64::from_le_bytes(fixed[32..40].try_into().expect("eight bytes")) as usize;
    let count = u16::from_le_bytes([fixed[56], fixed[57]]) as usize;
    for header in fixed[headers..].chunks_exact_mut(56).take(count) {
        if header[..4] == [3, 0, 0, 0] {
            header[0] = 4;
        }
    }
    let error = refused("static", &fixed, 0o755);
    assert!(matches!(error, RecordError::Static { .. }), "{error}");
    assert!(error.to_string().contains("loligo_allocators::recording"), "{error}");
}

#[test]
fn programs_of_other_users_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let own = fs::read(std::env::current_exe().expect("there is one")).expect("it can be read");
    let path = program(folder.path(), "mine", &own, 0o4755);
    // One's own runs with one's own rights.
    Program::find(&path).expect("its owner may record it");
    if std::os::unix::fs::chown(&path, Some(12_345), None).is_err() {
        println!("skipped: only root can give a file to another user");
        return;
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4755)).expect("root may");
    let error = Program::find(&path).expect_err("it would run as somebody else");
    assert!(matches!(error, RecordError::SetUser { .. }), "{error}");
}
