//! `cargo xtask targets`: the tests of tier 0 on machines and systems unlike this one.
//!
//! Where an address has 32 bits, sums wrap that cannot here; where the highest byte comes first, a
//! format that was written by chance in this machine's order shows. Compiling for such a machine
//! finds neither: the tests must run. Where nothing runs them the crates are compiled at least.

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
programs run here as they are, for s390x, whose highest byte comes first, and for AArch64, both in an emulator.
Where nothing here runs the tests, the crates are compiled: for Windows, macOS and WebAssembly with std, for a
Cortex-M4 without. Fails where it cannot do so: a check that is skipped proves nothing.

The compiler is Debian's `rustc-web`, unpacked into target/xtask/debian; what links, and the emulators, are
installed with apt-get where they are missing. Needs Linux on x86-64. Takes some minutes a machine.

Usage: cargo xtask targets [TARGET...]

Without TARGET: i686-unknown-linux-gnu and s390x-unknown-linux-gnu. Others by name: aarch64-unknown-linux-gnu,
x86_64-pc-windows-gnu, aarch64-apple-darwin, wasm32-unknown-unknown, thumbv7em-none-eabihf.

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

/// How tests are built and run.
struct Tests {
    /// What the programs are.
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
    trial: Trial::Tests(Tests {
        program: Program { bits: 32, is_big_endian: false },
        linker: "i686-linux-gnu-gcc",
        packages: &["gcc-i686-linux-gnu", "libc6-dev-i386-cross"],
        emulator: None,
        left_out: &[],
    }),
};

/// What the emulator of other machines does not do.
const NOT_EMULATED: &[(&str, &str)] = &[
    ("every_alignment_up_to_a_terabyte", "the emulator has a table for each page of it"),
    ("a_terabyte_costs_next_to_nothing", "as above"),
    ("is_advised_if_asked", "the emulator hears no advice on pages"),
    ("huge_pages_are_aligned_and_asked_for", "as above"),
    ("a_commit_that_fails_half_way_is_undone", "limits of memory are the emulator's own"),
    ("address_space_runs_out_at_every_page", "as above"),
    ("commits_up_to_the_limit_of_mappings", "as above"),
    ("what_is_freed_is_unmapped", "the list of mappings is the emulator's own"),
];

/// The machine whose highest byte comes first.
const BIG_ENDIAN: Target = Target {
    name: "s390x-unknown-linux-gnu",
    trial: Trial::Tests(Tests {
        program: Program { bits: 64, is_big_endian: true },
        linker: "s390x-linux-gnu-gcc",
        packages: &["gcc-s390x-linux-gnu", "libc6-dev-s390x-cross"],
        emulator: Some(("qemu-s390x", &["qemu-user"])),
        left_out: NOT_EMULATED,
    }),
};

/// The machine of phones and newer Macs, whose memory model is weaker.
const ARM: Target = Target {
    name: "aarch64-unknown-linux-gnu",
    trial: Trial::Tests(Tests {
        program: Program { bits: 64, is_big_endian: false },
        linker: "aarch64-linux-gnu-gcc",
        packages: &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
        emulator: Some(("qemu-aarch64", &["qemu-user"])),
        left_out: NOT_EMULATED,
    }),
};

/// The system with other calls for pages.
const WINDOWS: Target =
    Target { name: "x86_64-pc-windows-gnu", trial: Trial::Compiled { library: "std" } };

const MACOS: Target =
    Target { name: "aarch64-apple-darwin", trial: Trial::Compiled { library: "std" } };

const WEB: Target =
    Target { name: "wasm32-unknown-unknown", trial: Trial::Compiled { library: "std" } };

/// A machine without an operating system, 32 bits and no atomics of 64.
const BARE: Target =
    Target { name: "thumbv7em-none-eabihf", trial: Trial::Compiled { library: "core" } };

const TARGETS: [&Target; 7] = [&NARROW, &BIG_ENDIAN, &ARM, &WINDOWS, &MACOS, &WEB, &BARE];

/// Those that are tried where none is named.
const DEFAULT: [&Target; 2] = [&NARROW, &BIG_ENDIAN];

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
        let linker = (tests.linker, tests.packages);
        for (program, packages) in [linker].into_iter().chain(tests.emulator) {
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
        // Linked statically, so that neither this machine nor the emulator needs libraries of the
        // other.
        cargo
            .env("RUSTFLAGS", "-Ctarget-feature=+crt-static")
            .env_remove("CARGO_ENCODED_RUSTFLAGS");
        let variable =
            format!("CARGO_TARGET_{}_LINKER", self.name.to_uppercase().replace('-', "_"));
        cargo.env(variable, tests.linker);
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

    /// Runs a program of tests and returns how many passed.
    fn run_tests(&self, tests: &Tests, program: &Path) -> Result<u64, Failure> {
        let mut running = match tests.emulator {
            Some((emulator, _)) => {
                let mut emulated = Command::new(emulator);
                // A process that forks while its other threads run hangs in the emulator.
                emulated.arg(program).arg("--test-threads=1");
                emulated
            }
            None => Command::new(program),
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
