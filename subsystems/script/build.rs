//! Builds LuaJIT so that compiled loops look at hooks: without, nothing stops a script that does
//! not end.
//!
//! The crate of LuaJIT's sources has no place for a flag, but takes the C compiler from the
//! environment.

use std::path::Path;
use std::process::{Command, exit};
use std::{env, io};

#[path = "src/layout.rs"]
mod layout;

/// What has compiled code look at hooks, at the begin of each loop.
const FLAG: &str = "-DLUAJIT_ENABLE_CHECKHOOK";

/// Our own C.
const HOOK: &str = "src/hook.c";
const NUMBERS: &str = "src/numbers.c";
const FIELDS: &str = "src/fields.c";

/// The variable that holds the compiler's command, flags included.
const COMPILER: &str = "STATIC_CC";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={COMPILER}");
    println!("cargo:rerun-if-changed={HOOK}");
    println!("cargo:rerun-if-changed={NUMBERS}");
    println!("cargo:rerun-if-changed={FIELDS}");
    println!("cargo:rerun-if-changed=src/layout.rs");
    if env::var_os(COMPILER).is_some() {
        let luajit = luajit_src::Build::new().build();
        build_hook(luajit.lib_dir());
        luajit.print_cargo_metadata();
        return Ok(());
    }
    let compiler = cc::Build::new().warnings(false).get_compiler();
    let flags = compiler.cflags_env();
    let command = format!("{} {} {FLAG}", compiler.path().display(), flags.to_string_lossy());
    // Once more in an environment that has it.
    let status = Command::new(env::current_exe()?).env(COMPILER, command).status()?;
    exit(status.code().unwrap_or(2));
}

/// Builds our own C, which sees LuaJIT's inside: its headers are in the folder that it was built in,
/// next to that of the library.
fn build_hook(library: &Path) {
    let sources = library.with_file_name("luajit-build").join("src");
    let mut build = cc::Build::new();
    for (name, number) in [
        ("LOLIGO_GLOBAL", layout::GLOBAL as u64),
        ("LOLIGO_BASE", layout::BASE as u64),
        ("LOLIGO_TOP", layout::TOP as u64),
        ("LOLIGO_MEMORY", layout::MEMORY as u64),
        ("LOLIGO_TYPE_SHIFT", u64::from(layout::TYPE_SHIFT)),
        ("LOLIGO_NIL", layout::NIL),
        ("LOLIGO_FALSE", layout::FALSE),
        ("LOLIGO_TRUE", layout::TRUE),
        ("LOLIGO_INTEGER", layout::INTEGER),
    ] {
        build.define(name, &*format!("{number}ULL"));
    }
    build.files([HOOK, NUMBERS, FIELDS]).include(sources).compile("loligo_hook");
}
