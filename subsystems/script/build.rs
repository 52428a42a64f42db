//! Builds LuaJIT so that compiled loops look at hooks: without, nothing stops a script that does
//! not end.
//!
//! The crate of LuaJIT's sources has no place for a flag, but takes the C compiler from the
//! environment.

use std::process::{Command, exit};
use std::{env, io};

/// What has compiled code look at hooks, at the begin of each loop.
const FLAG: &str = "-DLUAJIT_ENABLE_CHECKHOOK";

/// The variable that holds the compiler's command, flags included.
const COMPILER: &str = "STATIC_CC";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={COMPILER}");
    if env::var_os(COMPILER).is_some() {
        luajit_src::Build::new().build().print_cargo_metadata();
        return Ok(());
    }
    let compiler = cc::Build::new().warnings(false).get_compiler();
    let flags = compiler.cflags_env();
    let command = format!("{} {} {FLAG}", compiler.path().display(), flags.to_string_lossy());
    // Once more in an environment that has it.
    let status = Command::new(env::current_exe()?).env(COMPILER, command).status()?;
    exit(status.code().unwrap_or(2));
}
