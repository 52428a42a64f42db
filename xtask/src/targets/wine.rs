//! Tests for Windows: what the build lacks, and Wine, which runs them.

use std::path::Path;
use std::process::Command;

use crate::command;
use crate::debian_rust::DebianRust;
use crate::outcome::{Failure, Outcome};
use crate::workspace;

/// The compiler for C, which links.
pub(super) const LINKER: &str = "x86_64-w64-mingw32-gcc";

/// Debian's Wine for 64 bits, which is not in the path.
pub(super) const WINE: &str = "/usr/lib/wine/wine64";

/// Compiles what every program for Windows begins and ends with. Rust's packages for Windows have
/// both files, the sources of the standard library have only theirs.
///
/// # Errors
///
/// [`Failure::Found`] if there are no sources, or they cannot be compiled.
pub(super) fn begin_and_end(compiler: &DebianRust, target: &str) -> Outcome {
    let Some((_, sources)) = compiler.library_sources() else {
        return Err(Failure::Found(format!("{target}: rust-web-src has no library/rtstartup")));
    };
    let libraries = compiler.libraries(target);
    std::fs::create_dir_all(&libraries)
        .map_err(|error| Failure::io("cannot make a folder for libraries", &error))?;
    for name in ["rsbegin", "rsend"] {
        let mut rustc = compiler.rustc();
        rustc.args(["--target", target, "--emit=obj", "-o"]);
        rustc.arg(libraries.join(name).with_extension("o"));
        rustc.arg(sources.join("rtstartup").join(name).with_extension("rs"));
        command::run(&mut rustc)?;
    }
    Ok(())
}

/// Returns the command that runs a program, its own Wine next to the build.
///
/// # Errors
///
/// [`Failure::Found`] if the library that Wine lacks cannot be compiled.
pub(super) fn run(program: &Path) -> Result<Command, Failure> {
    let folder = workspace::target().join("xtask/wine");
    let libraries = folder.join("libraries");
    std::fs::create_dir_all(&libraries)
        .map_err(|error| Failure::io("cannot make a folder for Wine", &error))?;
    let source = workspace::root().join("xtask/src/targets/bcryptprimitives.c");
    let mut compile = Command::new(LINKER);
    compile.args(["-shared", "-o"]).arg(libraries.join("bcryptprimitives.dll")).arg(source);
    command::run(compile.arg("-ladvapi32"))?;
    let mut wine = Command::new(WINE);
    wine.arg(program).env("WINEPREFIX", folder.join("prefix")).env("WINEDEBUG", "-all");
    // Wine sees the whole machine as drive Z.
    wine.env("WINEPATH", format!("Z:{}", libraries.display()));
    Ok(wine)
}
