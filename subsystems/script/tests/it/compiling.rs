//! The compiler of the type `lua`.

use core::num::NonZeroUsize;
use std::fs;
use std::path::Path;

use loligo_compiler::{Compilers, Project, Report, Threads};
use loligo_script::LuaCompiler;

fn compile(folder: &Path, files: &[(&str, &[u8])]) -> Report {
    let sources = folder.join("sources");
    fs::create_dir_all(&sources).unwrap();
    for (path, contents) in files {
        fs::write(sources.join(path), contents).unwrap();
    }
    let mut compilers = Compilers::built_in();
    compilers.register("lua", LuaCompiler);
    let threads = Threads::new(NonZeroUsize::new(2).unwrap());
    Project::new(&sources, &folder.join("data"), &compilers).compile(&threads).unwrap()
}

#[test]
fn what_is_lua_is_taken_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let source = b"-- A door.\nlocal other = require 'other'\nreturn { name = '\xff' }\n";
    let report = compile(folder.path(), &[("door.lua", source), ("other.lua", b"return 1")]);
    assert_eq!(report.errors, []);
    assert_eq!(report.compiled, 2);
    let is_there = |entry: fs::DirEntry| {
        entry.path().is_file()
            && fs::read(entry.path()).unwrap().windows(source.len()).any(|part| part == source)
    };
    let mut folders = vec![folder.path().join("data")];
    let mut found = false;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                found |= is_there(entry);
            }
        }
    }
    assert!(found, "no file holds the text");
}

#[test]
fn what_is_no_lua_is_refused_with_its_place() {
    for (source, line, column, reason) in [
        ("local x = = 2", 1, 11, "unexpected symbol near '='"),
        ("local a = 1\nlocal y = a == == 2\n", 2, 16, "unexpected symbol near '=='"),
        ("if x then\n  y()\n", 3, 1, "'end' expected (to close 'if' at line 1) near '<eof>'"),
        ("return 'open\n", 1, 8, "unfinished string near ''open'"),
        ("goto nowhere", 1, 13, "undefined label 'nowhere'"),
        ("é = 'é' é(", 1, 11, "unexpected symbol near '<eof>'"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let report = compile(folder.path(), &[("door.lua", source.as_bytes())]);
        let [error] = &report.errors[..] else { panic!("{source}: {:?}", report.errors) };
        let error = &error.error;
        assert_eq!(error.file, "door.lua");
        assert_eq!(
            (error.reason.as_str(), error.line, error.column),
            (reason, line, column),
            "{source}"
        );
    }
}

#[test]
fn bytecode_and_missing_modules_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let files: [(&str, &[u8]); 2] =
        [("bytecode.lua", b"\x1bLJ\x02"), ("door.lua", b"\nlocal a = require 'nowhere'")];
    let report = compile(folder.path(), &files);
    let texts: Vec<_> = report.errors.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts.iter().any(|text| text.starts_with("bytecode.lua: it is bytecode")), "{texts:?}");
    assert!(texts.iter().any(|text| text.starts_with("door.lua:2:11: ")), "{texts:?}");
}
