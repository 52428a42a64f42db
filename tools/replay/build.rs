//! Compiles the recorder that `loligo record` preloads, which no crate may link.

use core::error::Error;
use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../recorder/src");
    let out = PathBuf::from(env::var("OUT_DIR")?).join("recorder.so");
    let of_target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let target = (of_target("OS"), of_target("ARCH"), of_target("ENV"));
    if (&*target.0, &*target.1, &*target.2) != ("linux", "x86_64", "gnu") {
        // Its stubs and numbers are those of one system; on others `loligo record` says so.
        return Ok(std::fs::write(out, [])?);
    }
    let mut rustc = Command::new(env::var("RUSTC")?);
    rustc.args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name", "loligo_recorder"]);
    rustc.args(["-C", "panic=abort", "-C", "opt-level=3", "-C", "lto=fat", "-C", "strip=symbols"]);
    // The unwinder has to find its way through our functions.
    rustc.args(["-C", "force-unwind-tables=yes"]);
    rustc.args(["-D", "warnings", "-D", "unsafe_op_in_unsafe_fn", "-D", "missing_docs"]);
    rustc.arg("--target").arg(env::var("TARGET")?);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg("-C").arg(format!("linker={linker}"));
    }
    rustc.arg("../recorder/src/lib.rs").arg("-o").arg(out);
    let status = rustc.status()?;
    if status.success() { Ok(()) } else { Err(format!("the recorder: rustc {status}").into()) }
}
