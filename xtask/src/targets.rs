//! `cargo xtask targets`: the tests of tier 0 on machines and systems unlike this one.
//!
//! Where an address has 32 bits, sums wrap that cannot here; where the highest byte comes first, a
//! format that was written by chance in this machine's order shows. Compiling for such a machine
//! finds neither: the tests must run. Where nothing runs them the crates are compiled at least.

pub(crate) mod content;
mod list;
mod program;
#[cfg(test)]
mod tests;
mod wasi;
mod wine;

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use list::NARROW;
use list::{DEFAULT, TARGETS};
use program::Program;

use crate::command;
use crate::debian;
use crate::debian_rust::DebianRust;
use crate::outcome::{Failure, Outcome};
use crate::planted;
use crate::tree::Tree;
use crate::workspace::{self, Workspace};

const USAGE: &str = "\
Builds the unit tests of every crate of tier 0 for other machines and runs them: for x86 with 32 bits, whose
programs run here as they are, for s390x, whose highest byte comes first, and for AArch64, both in an emulator,
for Windows in Wine, and for WebAssembly in Node. Where nothing here runs the tests, the crates are compiled: for
macOS and for WebAssembly without a system with std, for a Cortex-M4 without. Fails where it cannot do so: a
check that is skipped proves nothing.

The compiler is Debian's `rustc-web`, unpacked into target/xtask/debian; what links, and what runs the programs,
is installed with apt-get where it is missing. Needs Linux on x86-64. Takes some minutes a machine.

Usage: cargo xtask targets [TARGET...]

Without TARGET: i686-unknown-linux-gnu and s390x-unknown-linux-gnu. Others by name: aarch64-unknown-linux-gnu,
x86_64-pc-windows-gnu, wasm32-wasip1, aarch64-apple-darwin, wasm32-unknown-unknown, thumbv7em-none-eabihf.

Example:
  cargo xtask targets i686-unknown-linux-gnu
";

/// A machine or system unlike this one.
pub(crate) struct Target {
    name: &'static str,
    trial: Trial,
}

/// How far the crates are tried on a target.
enum Trial {
    /// Their tests run.
    Tests(Tests),
    /// They are compiled over this library, `core` alone or `std`.
    Compiled { library: &'static str },
}

/// A program, and Debian's packages that bring it.
type Tool = (&'static str, &'static [&'static str]);

/// How tests are built and run.
struct Tests {
    /// What the programs are.
    program: Program,
    /// What links them: the target's compiler for C. For WebAssembly it is [`wasi::linker`].
    linker: Option<Tool>,
    /// What runs them.
    runner: Runner,
    /// Tests that are left out, each with the reason.
    left_out: &'static [(&'static str, &'static str)],
}

/// What runs programs for a target.
enum Runner {
    /// This machine.
    Here,
    /// An emulator of its processor.
    Emulator(Tool),
    /// Windows' calls on Linux.
    Wine(Tool),
    /// A machine for WebAssembly.
    Node(Tool),
}

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a test fails or cannot be run, [`Failure::Unable`] on bad arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if let [help] = arguments
        && (help == "--help" || help == "-h")
    {
        print!("{USAGE}");
        return Ok(());
    }
    let targets = arguments.iter().map(|name| named(name)).collect::<Result<Vec<_>, _>>()?;
    let targets = if targets.is_empty() { DEFAULT.to_vec() } else { targets };
    let tree = Tree::read(&workspace::root())?;
    check(&Workspace::read(&tree)?, &targets)
}

fn named(name: &str) -> Result<&'static Target, Failure> {
    TARGETS.into_iter().find(|target| target.name == name).ok_or_else(|| {
        let known = TARGETS.map(|target| target.name).join(", ");
        Failure::Unable(format!("there is no target `{name}` here; the targets are {known}"))
    })
}

/// Builds and runs the tests of tier 0 for each of `targets`.
///
/// # Errors
///
/// [`Failure::Found`] if a test fails or cannot be run.
pub(crate) fn check(workspace: &Workspace, targets: &[&Target]) -> Outcome {
    let compiler = DebianRust::find()?.map_err(Failure::Found)?;
    for target in targets {
        if let Trial::Tests(tests) = &target.trial {
            target.install(tests)?;
        }
        for member in workspace.tier_zero() {
            match &target.trial {
                Trial::Tests(tests) => {
                    let program = target.build(&compiler, tests, &member.name)?;
                    let passed = target.run_tests(tests, &program)?;
                    println!("targets: {}: {}: {passed} tests passed", target.name, member.name);
                }
                Trial::Compiled { library } => {
                    target.compile(&compiler, library, &member.name)?;
                    println!("targets: {}: {}: compiled", target.name, member.name);
                }
            }
        }
    }
    Ok(())
}

impl Target {
    /// Compiles a package for it, with the features that `library` allows.
    fn compile(&self, compiler: &DebianRust, library: &str, package: &str) -> Outcome {
        let mut cargo = command::cargo(&workspace::root());
        compiler.compiles(&mut cargo, self.name);
        cargo.args(["check", "--quiet", "--lib", "--package", package]);
        if library == "core" {
            cargo.arg("--no-default-features").env("CARGO_UNSTABLE_BUILD_STD", "core");
        }
        cargo.env("CARGO_TARGET_DIR", workspace::target().join("xtask/targets"));
        cargo.env("RUSTFLAGS", "--deny warnings").env_remove("CARGO_ENCODED_RUSTFLAGS");
        command::run(&mut cargo)
    }

    /// Installs what links and what runs its programs, where it is missing.
    fn install(&self, tests: &Tests) -> Outcome {
        for (program, packages) in tests.linker.into_iter().chain(tests.runner.tool()) {
            let is_there = command::answers(program)
                || (packages.iter().all(|package| debian::installed(package))
                    && command::answers(program));
            if !is_there {
                return Err(Failure::Found(format!(
                    "{}: there is no `{program}`; `apt-get install {}` brings it",
                    self.name,
                    packages.join(" ")
                )));
            }
        }
        Ok(())
    }

    /// Builds the unit tests of a package, and returns the program.
    fn build(
        &self,
        compiler: &DebianRust,
        tests: &Tests,
        package: &str,
    ) -> Result<PathBuf, Failure> {
        let mut cargo = command::cargo(&workspace::root());
        compiler.compiles(&mut cargo, self.name);
        cargo.args(["test", "--no-run", "--lib", "--message-format=json", "--package", package]);
        cargo.env("CARGO_TARGET_DIR", workspace::target().join("xtask/targets"));
        self.link(compiler, tests, &mut cargo)?;
        let said = command::output(&mut cargo)?;
        let path = program::path(&said).ok_or_else(|| {
            Failure::Found(format!(
                "{}: cargo names no program with the tests of {package}",
                self.name
            ))
        })?;
        let found = Program::of(&path)?;
        if found != tests.program {
            let what = format!("{} is for {found}, not for {}", path.display(), tests.program);
            return Err(Failure::Found(what));
        }
        Ok(path)
    }

    /// Lets Cargo link for it.
    fn link(&self, compiler: &DebianRust, tests: &Tests, cargo: &mut Command) -> Outcome {
        if tests.program == Program::Windows {
            wine::begin_and_end(compiler, self.name)?;
        }
        let (linker, flags) = match tests.linker {
            // Linked statically, so that neither this machine nor what runs the program needs
            // libraries of the other.
            Some((linker, _)) => (linker.into(), vec!["-Ctarget-feature=+crt-static".into()]),
            None => wasi::linker(compiler)?,
        };
        let upper = self.name.to_uppercase().replace('-', "_");
        cargo.env(format!("CARGO_TARGET_{upper}_LINKER"), linker);
        // Flags are parted by a character that no path has.
        cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")).env_remove("RUSTFLAGS");
        Ok(())
    }

    /// Runs a program of tests and returns how many passed.
    fn run_tests(&self, tests: &Tests, program: &Path) -> Result<u64, Failure> {
        let mut running = match tests.runner {
            Runner::Here => Command::new(program),
            Runner::Emulator((emulator, _)) => {
                let mut emulated = Command::new(emulator);
                // A process that forks while its other threads run hangs in the emulator.
                emulated.arg(program).arg("--test-threads=1");
                emulated
            }
            Runner::Wine(_) => wine::run(program)?,
            Runner::Node(_) => wasi::run(program),
        };
        running.arg("--quiet").env("RUST_BACKTRACE", "0");
        planted::leave_out(&mut running, tests.left_out);
        let said = command::output(&mut running)?;
        let passed = said.lines().find_map(program::passed).unwrap_or(0);
        if passed == 0 {
            return Err(Failure::Found(format!("{}: no test ran:\n{said}", self.name)));
        }
        Ok(passed)
    }
}

impl Runner {
    /// Returns the program that has to be there.
    fn tool(&self) -> Option<Tool> {
        match self {
            Self::Here => None,
            Self::Emulator(tool) | Self::Wine(tool) | Self::Node(tool) => Some(*tool),
        }
    }
}
