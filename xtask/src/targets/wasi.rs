//! Tests for WebAssembly: what links them, and Node, which runs them.
//!
//! The target is `wasm32-wasip1`: its standard library has files and a clock, which the test
//! runner needs. It has no threads. Panics unwind, which is not the target's default: a test that
//! fails is then reported, the others still run, and tests that catch a panic run, too. Rust's test
//! runner ignores every test with `#[should_panic]` there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command;
use crate::debian;
use crate::debian_rust::DebianRust;
use crate::outcome::Failure;
use crate::workspace;

/// What the standard library expects of libraries for C and C++, and Debian's wasi-libc lacks: the
/// tag of all exceptions, and functions of threads, none of which can be started (58 is the error
/// that something is not supported). The compiler has no library for this target yet, so the crate
/// is without `core`.
const MISSING: &str = r#"
#![feature(asm_experimental_arch, decl_macro, no_core, rustc_attrs)]
#![allow(internal_features)]
#![crate_type = "rlib"]
#![no_core]
#[rustc_builtin_macro]
macro global_asm() {}
macro returns($name:literal, $parameters:literal, $result:literal) {
    global_asm!(
        concat!(".globl ", $name),
        concat!(".type ", $name, ",@function"),
        concat!($name, ":"),
        concat!(".functype ", $name, " (", $parameters, ") -> (i32)"),
        concat!("i32.const ", $result),
        "end_function",
    );
}
#[rustc_builtin_macro]
macro concat() {}
global_asm!(".globl __cpp_exception", ".tagtype __cpp_exception i32", "__cpp_exception:");
returns!("pthread_attr_init", "i32", "0");
returns!("pthread_attr_setstacksize", "i32, i32", "0");
returns!("pthread_attr_destroy", "i32", "0");
returns!("pthread_create", "i32, i32, i32, i32", "58");
returns!("pthread_join", "i32, i32", "58");
returns!("pthread_detach", "i32", "58");
"#;

/// Unpacks the linker and the library for C, compiles what both lack, and returns the linker with
/// the flags for the compiler.
///
/// # Errors
///
/// [`Failure::Found`] if a package cannot be had, [`Failure::Unable`] if a file cannot be written.
pub(super) fn linker(compiler: &DebianRust) -> Result<(PathBuf, Vec<String>), Failure> {
    // The linker reads what the compiler writes only if both are of one version of LLVM.
    let llvm = debian::dependency("rust-web-llvm", "llvm-");
    let Some(version) = llvm.as_deref().and_then(|llvm| llvm.strip_prefix("llvm-")) else {
        let what = "apt knows of no rust-web-llvm; `apt-get update` fetches the lists of packages";
        return Err(Failure::Found(what.into()));
    };
    let packages = ["wasi-libc", &format!("lld-{version}")];
    let root = debian::unpacked(&packages)?.map_err(Failure::Found)?;
    let library = root.join("usr/lib/wasm32-wasi");
    let missing = missing(compiler)?;
    let flags = vec![
        "-Cpanic=unwind".to_owned(),
        "-Clink-self-contained=no".to_owned(),
        format!("-Lnative={}", library.display()),
        format!("-Clink-arg={}", library.join("crt1-command.o").display()),
        format!("-Clink-arg={}", missing.display()),
    ];
    Ok((root.join(format!("usr/bin/wasm-ld-{version}")), flags))
}

/// Compiles [`MISSING`] and returns the object file.
fn missing(compiler: &DebianRust) -> Result<PathBuf, Failure> {
    let folder = workspace::target().join("xtask/targets");
    let (source, object) = (folder.join("exception_tag.rs"), folder.join("exception_tag.o"));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&source, MISSING))
        .map_err(|error| Failure::io("cannot write a file for the linker", &error))?;
    let mut rustc = compiler.rustc();
    rustc.args(["--target", "wasm32-wasip1", "--emit=obj", "-o"]).arg(&object).arg(&source);
    command::run(&mut rustc)?;
    Ok(object)
}

/// Returns the command that runs a program.
pub(super) fn run(program: &Path) -> Command {
    let mut node = Command::new("node");
    // Where memory grows while Node marks its own objects, it crashes.
    node.args(["--no-warnings", "--no-incremental-marking"]);
    node.arg(workspace::root().join("xtask/src/targets/wasi.mjs"));
    node.arg(program);
    node
}
