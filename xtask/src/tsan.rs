//! `cargo xtask tsan`: the tests that start threads, under ThreadSanitizer.
//!
//! With the standard library as it is shipped, which is not instrumented, ThreadSanitizer reports
//! right code: it does not see what std's locks and channels order. So std is built with it here.
//! The nightly toolchain's sources of std are a component that may be missing; Debian's compiler
//! has its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command;
use crate::debian_rust::DebianRust;
use crate::outcome::{Failure, Outcome};
use crate::planted;
use crate::workspace;

const USAGE: &str = "\
Builds the allocators, the id tables, the tasks and the standard library with ThreadSanitizer; runs a program with a
planted race, which must be reported, and the same without, which must not; and runs the tests that start
threads, of which none may be. Takes some minutes the first time.

The compiler and its sources are Debian's (`rustc-web`), unpacked into target/xtask/debian. Needs the nightly
toolchain's Cargo as well, and Linux on x86-64; is skipped without.

Usage: cargo xtask tsan

Example:
  cargo xtask tsan
";

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The example with the planted race.
const EXAMPLE: &str = "planted_race";

/// What is looked at: packages, which of their test programs, and how the tests that start threads
/// are called there.
const WATCHED: [(&str, &str, &[&str]); 3] = [
    (
        "loligo-allocators",
        "--lib",
        &[
            "shared_frame::",
            "shared_pool::",
            "shared_proxy::",
            "locked::",
            "global_memory::",
            "memory_globals::",
            "static_heap::",
            "thread_heap::",
            "page::",
        ],
    ),
    ("loligo-ids", "--lib", &["shared_table::"]),
    (
        "loligo-tasks",
        "--test=it",
        &["article::", "elsewhere::", "faults::", "fork::", "graphs::", "order::", "parallel::"],
    ),
];

/// Tests that are left out, each with the reason.
const LEFT_OUT: [(&str, &str); 4] = [
    (
        "page::tests::limits::a_commit_that_fails_half_way_is_undone",
        "it leaves its process so little memory that the sanitizer ends it",
    ),
    ("pages_that_cannot_be_emptied_stay_as_they_were", "under the sanitizer nothing is locked"),
    (
        "page::tests::model::",
        "each has one thread, and pages that mremap moves to where another's were look shared",
    ),
    ("who_is_taken_out_waits_for_handlers_that_read", "its child starts a thread after a fork"),
];

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if the planted race goes unnoticed or another is found.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments {
        [] => check(),
        [help] if help == "--help" || help == "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        [other, ..] => Err(Failure::Unable(format!(
            "tsan takes no argument `{other}`; see `cargo xtask tsan --help`"
        ))),
    }
}

fn check() -> Outcome {
    let compiler = match Compiler::find()? {
        Ok(compiler) => compiler,
        Err(reason) => {
            println!("skipped: {reason}");
            return Ok(());
        }
    };
    let root = workspace::root();
    let mut build = compiler.cargo(&root);
    build.args(["build", "-p", "loligo-allocators", "--example", EXAMPLE]);
    command::build(&mut build, "the standard library and the allocators with ThreadSanitizer")?;
    canary(&compiler.folder.join(TARGET).join("debug/examples").join(EXAMPLE))?;
    for (package, program, tests) in WATCHED {
        let mut test = compiler.cargo(&root);
        test.args(["test", program, "-p", package, "--", "--quiet"]).args(tests);
        planted::leave_out(&mut test, &LEFT_OUT);
        command::build_and_test(&mut test, &format!("tests of {package}"))?;
    }
    Ok(())
}

/// Runs the example rightly, and with its race.
fn canary(example: &Path) -> Outcome {
    let run = |arguments: &[&str]| {
        let output = Command::new(example).args(arguments).output();
        let output = output.map_err(|error| Failure::io("cannot run the example", &error))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok((said.contains("ThreadSanitizer: data race"), output.status.success(), said))
    };
    let (reported, succeeded, said) = run(&[])?;
    if reported || !succeeded {
        let what = format!("ThreadSanitizer reports a program without a race:\n{said}");
        return Err(Failure::Found(what));
    }
    let (reported, succeeded, said) = run(&["race"])?;
    if !reported || succeeded {
        return Err(Failure::Found(format!("ThreadSanitizer misses the planted race:\n{said}")));
    }
    println!("ThreadSanitizer: 1 planted fault reported, and none where there is none");
    Ok(())
}

/// A compiler that has the sources of its standard library, and what its programs are linked with.
pub(crate) struct Compiler {
    debian: DebianRust,
    /// The nightly toolchain's libraries and linker.
    nightly: PathBuf,
    /// Where is built.
    folder: PathBuf,
}

impl Compiler {
    /// Finds it, or says why it cannot be had.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if a file cannot be written.
    pub(crate) fn find() -> Result<Result<Self, String>, Failure> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return Ok(Err(format!("ThreadSanitizer is set up for {TARGET} alone")));
        }
        if !command::has_nightly() {
            return Ok(Err(
                "no nightly (`rustup toolchain install nightly --profile minimal`)".into()
            ));
        }
        let mut rustc = command::without_cargo_variables("rustup");
        let sysroot =
            command::output(rustc.args(["run", "nightly", "rustc", "--print", "sysroot"]))?;
        let nightly = Path::new(sysroot.trim()).join("lib/rustlib").join(TARGET);
        if !nightly.join("lib/librustc-nightly_rt.tsan.a").is_file() {
            return Ok(Err("the nightly toolchain has no ThreadSanitizer".into()));
        }
        let debian = match DebianRust::find()? {
            Ok(debian) => debian,
            Err(reason) => return Ok(Err(reason)),
        };
        let folder = workspace::target().join("xtask/tsan");
        let compiler = Self { debian, nightly, folder };
        compiler.write_linker()?;
        Ok(Ok(compiler))
    }

    /// Writes a script that calls the linker. Libraries must come after the sanitizer's, and the
    /// linker must be the toolchain's: GNU ld takes what the sanitizer intercepts in libc for
    /// undefined.
    fn write_linker(&self) -> Outcome {
        let folder = self.folder.join("bin");
        let io = |error| Failure::io("cannot write what calls the linker", &error);
        fs::create_dir_all(&folder).map_err(io)?;
        let cc = folder.join("cc");
        let text = format!(
            "#!/bin/sh\nexec /usr/bin/cc \"$@\" -B{}/bin/gcc-ld -fuse-ld=lld -lpthread -ldl -lrt \
             -lresolv -lc\n",
            self.nightly.display()
        );
        fs::write(&cc, text).map_err(io)?;
        if !Command::new("chmod").arg("+x").arg(&cc).status().is_ok_and(|status| status.success()) {
            return Err(Failure::Unable("cannot make the linker's script a program".into()));
        }
        Ok(())
    }

    /// Returns Cargo, which builds the workspace at `root` and std with the sanitizer.
    pub(crate) fn cargo(&self, root: &Path) -> Command {
        let mut command = command::without_cargo_variables("rustup");
        command.args(["run", "nightly", "cargo"]).current_dir(root);
        let runtime = self.nightly.join("lib/librustc-nightly_rt.tsan.a");
        let flags = format!(
            "-Zsanitizer=thread -Zexternal-clangrt -Clink-arg=-Wl,--whole-archive \
             -Clink-arg={} -Clink-arg=-Wl,--no-whole-archive -Clink-arg=-lstdc++ -Clink-arg=-lm",
            runtime.display()
        );
        command.env("RUSTFLAGS", flags).env("CARGO_TARGET_DIR", &self.folder);
        self.debian.compiles(&mut command, TARGET);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = [self.folder.join("bin")];
        let paths = own.into_iter().chain(std::env::split_paths(&path));
        if let Ok(path) = std::env::join_paths(paths) {
            command.env("PATH", path);
        }
        command
    }
}
