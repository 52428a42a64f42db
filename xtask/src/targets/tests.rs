//! Tests of what is said of programs and targets.

use std::path::PathBuf;

use super::program::{Program, passed, path};
use super::{TARGETS, Trial, named};
use crate::tree::Tree;
use crate::workspace;

#[test]
fn a_program_says_what_machine_it_is_for() {
    let narrow = Program::Elf { bits: 32, is_big_endian: false };
    assert_eq!(Program::from_head(*b"\x7fELF\x01\x01"), Some(narrow));
    let big = Program::Elf { bits: 64, is_big_endian: true };
    assert_eq!(Program::from_head(*b"\x7fELF\x02\x02"), Some(big));
    assert_eq!(big.to_string(), "Linux, 64 bits, the highest byte first");
    assert_eq!(Program::from_head(*b"MZ\x90\0\x03\0"), Some(Program::Windows));
    assert_eq!(Program::from_head(*b"\0asm\x01\0"), Some(Program::WebAssembly));
    for head in [b"\x7fELF\x00\x01", b"\x7fELF\x02\x03", b"\x7fELG\x02\x01", b"#!/bin"] {
        assert_eq!(Program::from_head(*head), None, "{head:?}");
    }
}

#[test]
fn this_program_is_for_this_machine() {
    let own = std::env::current_exe().expect("it runs");
    let is_big_endian = cfg!(target_endian = "big");
    if cfg!(target_os = "linux") {
        let found = Program::of(&own).expect("it can be read");
        assert_eq!(found, Program::Elf { bits: usize::BITS, is_big_endian });
    }
    assert!(Program::of(&own.join("nothing")).is_err(), "there is no such file");
}

#[test]
fn the_program_is_the_last_that_cargo_names() {
    let said = "{\"reason\":\"compiler-artifact\",\"executable\":null}\n\
                {\"reason\":\"compiler-artifact\",\"executable\":\"/t/ids-1\",\"fresh\":false}\n\
                {\"reason\":\"build-finished\",\"success\":true}\n";
    assert_eq!(path(said), Some(PathBuf::from("/t/ids-1")));
    assert_eq!(path("{\"executable\":null}"), None);
}

#[test]
fn only_a_run_that_passed_is_counted() {
    assert_eq!(passed("test result: ok. 843 passed; 0 failed; 0 ignored"), Some(843));
    assert_eq!(passed("test result: FAILED. 842 passed; 1 failed"), None);
    assert_eq!(passed("running 843 tests"), None);
}

#[test]
fn targets_are_named() {
    for target in TARGETS {
        assert!(named(target.name).is_ok_and(|found| found.name == target.name));
    }
    let refused = named("i486").err().expect("there is no such target").to_string();
    assert!(refused.contains("i486") && refused.contains("i686-unknown-linux-gnu"), "{refused}");
}

/// A name that no test has any more leaves nothing out.
#[test]
fn what_is_left_out_is_there() {
    let tree = Tree::read(&workspace::root()).expect("the tree can be read");
    let tests: Vec<_> = tree.sources().map(|(_, text)| text).collect();
    for target in TARGETS {
        let Trial::Tests(trial) = &target.trial else { continue };
        for (path, reason) in trial.left_out {
            let name = path.rsplit("::").next().expect("a path has a last part");
            // The end of a name is enough, as it is for the test runner; or all of a module.
            let lines = [format!("{name}()"), format!("mod {name};")];
            let found = tests.iter().any(|text| lines.iter().any(|line| text.contains(line)));
            assert!(found, "{}: no test is named {path}, left out since {reason}", target.name);
        }
    }
}
