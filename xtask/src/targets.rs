//! `cargo xtask targets`: the tests of tier 0 on machines unlike this one.
//!
//! Where an address has 32 bits, sums wrap that cannot here; where the highest byte comes first, a
//! format that was written by chance in this machine's order shows. Compiling for such a machine
//! finds neither: the tests must run.

mod program;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::process::Command;

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
programs run here as they are, and for s390x, whose highest byte comes first, in an emulator. Fails where it
cannot run them: a check that is skipped proves nothing.

The compiler is Debian's `rustc-web`, unpacked into target/xtask/debian; what links, and the emulator, are
installed with apt-get where they are missing. Needs Linux on x86-64. Takes some minutes a machine.

Usage: cargo xtask targets [TARGET...]

With TARGET only those: i686-unknown-linux-gnu, s390x-unknown-linux-gnu.

Example:
  cargo xtask targets i686-unknown-linux-gnu
";

/// A machine unlike this one.
pub(crate) struct Target {
    name: &'static str,
    /// What its programs are.
    program: Program,
    /// What links them, which comes with the compiler for C of this name.
    linker: &'static str,
    /// Debian's packages: the compiler, and libc.
    packages: &'static [&'static str],
    /// What runs them, and its package, where this machine does not.
    emulator: Option<(&'static str, &'static [&'static str])>,
    /// Tests that are left out, each with the reason.
    left_out: &'static [(&'static str, &'static str)],
}

/// The machine with addresses of 32 bits.
pub(crate) const NARROW: Target = Target {
    name: "i686-unknown-linux-gnu",
    program: Program { bits: 32, is_big_endian: false },
    linker: "i686-linux-gnu-gcc",
    packages: &["gcc-i686-linux-gnu", "libc6-dev-i386-cross"],
    emulator: None,
    left_out: &[],
};

/// The machine whose highest byte comes first.
const BIG_ENDIAN: Target = Target {
    name: "s390x-unknown-linux-gnu",
    program: Program { bits: 64, is_big_endian: true },
    linker: "s390x-linux-gnu-gcc",
    packages: &["gcc-s390x-linux-gnu", "libc6-dev-s390x-cross"],
    emulator: Some(("qemu-s390x", &["qemu-user"])),
    left_out: &[
        ("every_alignment_up_to_a_terabyte", "the emulator has a table for each page of it"),
        ("a_terabyte_costs_next_to_nothing", "as above"),
        ("is_advised_if_asked", "the emulator hears no advice on pages"),
        ("huge_pages_are_aligned_and_asked_for", "as above"),
        ("a_commit_that_fails_half_way_is_undone", "limits of memory are the emulator's own"),
        ("address_space_runs_out_at_every_page", "as above"),
        ("commits_up_to_the_limit_of_mappings", "as above"),
        ("what_is_freed_is_unmapped", "the list of mappings is the emulator's own"),
    ],
};

const TARGETS: [&Target; 2] = [&NARROW, &BIG_ENDIAN];

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
    let targets = if targets.is_empty() { TARGETS.to_vec() } else { targets };
    let tree = Tree::read(&workspace::root())?;
    check(&Workspace::read(&tree)?, &targets)
}

fn named(name: &str) -> Result<&'static Target, Failure> {
    TARGETS.into_iter().find(|target| target.name == name).ok_or_else(|| {
        let known = TARGETS.map(|target| target.name).join(" and ");
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
        target.install()?;
        for member in workspace.tier_zero() {
            let program = target.build(&compiler, &member.name)?;
            let tests = target.run_tests(&program)?;
            println!("targets: {}: {}: {tests} tests passed", target.name, member.name);
        }
    }
    Ok(())
}

impl Target {
    /// Installs what links and what runs its programs, where it is missing.
    fn install(&self) -> Outcome {
        for (program, packages) in [(self.linker, self.packages)].into_iter().chain(self.emulator) {
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
    fn build(&self, compiler: &DebianRust, package: &str) -> Result<PathBuf, Failure> {
        let mut cargo = command::cargo(&workspace::root());
        compiler.compiles(&mut cargo, self.name);
        cargo.args(["test", "--no-run", "--lib", "--message-format=json", "--package", package]);
        cargo.env("CARGO_TARGET_DIR", workspace::target().join("xtask/targets"));
        // Linked statically, so that neither this machine nor the emulator needs libraries of the
        // other.
        cargo
            .env("RUSTFLAGS", "-Ctarget-feature=+crt-static")
            .env_remove("CARGO_ENCODED_RUSTFLAGS");
        let variable =
            format!("CARGO_TARGET_{}_LINKER", self.name.to_uppercase().replace('-', "_"));
        cargo.env(variable, self.linker);
        let said = command::output(&mut cargo)?;
        let path = program::path(&said).ok_or_else(|| {
            Failure::Found(format!(
                "{}: cargo names no program with the tests of {package}",
                self.name
            ))
        })?;
        let found = Program::of(&path)?;
        if found != self.program {
            let what = format!("{} is for {found}, not for {}", path.display(), self.program);
            return Err(Failure::Found(what));
        }
        Ok(path)
    }

    /// Runs a program of tests and returns how many passed.
    fn run_tests(&self, program: &Path) -> Result<u64, Failure> {
        let mut tests = match self.emulator {
            Some((emulator, _)) => {
                let mut emulated = Command::new(emulator);
                // A process that forks while its other threads run hangs in the emulator.
                emulated.arg(program).arg("--test-threads=1");
                emulated
            }
            None => Command::new(program),
        };
        tests.arg("--quiet").env("RUST_BACKTRACE", "0");
        planted::leave_out(&mut tests, self.left_out);
        let said = command::output(&mut tests)?;
        let passed = said.lines().find_map(program::passed).unwrap_or(0);
        if passed == 0 {
            return Err(Failure::Found(format!("{}: no test ran:\n{said}", self.name)));
        }
        Ok(passed)
    }
}
