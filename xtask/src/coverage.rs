//! `cargo xtask coverage`: the lines and branches of tier 0 that tests reach.

mod lcov;
mod table;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command;
use crate::debian;
use crate::outcome::{Failure, Outcome};
use crate::tree::Tree;
use crate::workspace;

use lcov::Lines;
use table::Table;

pub(crate) use table::figures;

/// Where the figures are kept.
pub(crate) const KEPT: &str = "tests/coverage.tsv";

const USAGE: &str = "\
Runs the unit tests of tier 0 and the integration tests, compiled to count what is run, and prints by file
the lines and branches that are reached, the worst first. Code of tests does not count.

Branches are counted by the nightly toolchain alone; without it lines are. The counts are read by llvm-cov of
the compiler's own LLVM, from the component `llvm-tools` where that is installed, else from Debian's packages,
which are unpacked into target/xtask/debian. Is skipped where neither is to be had.

Usage: cargo xtask coverage [--write] [--uncovered [FILE]]

Options:
  --write             keeps the figures in tests/coverage.tsv
  --uncovered [FILE]  runs nothing, and prints the lines that the last run did not reach; of the files whose
                      path holds FILE

Example:
  cargo xtask coverage --uncovered allocators/src/blocks/pool
";

/// What is run: all of tier 0, and what is above it to prove it.
const PACKAGES: [&str; 4] =
    ["loligo-allocators", "loligo-ids", "loligo-containers", "loligo-tests"];

/// Whose lines count.
const COUNTED: [&str; 3] = ["allocators/src/", "ids/src/", "containers/src/"];

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a test fails, [`Failure::Unable`] on bad arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => measure(false),
        ["--write"] => measure(true),
        ["--uncovered"] => uncovered(""),
        ["--uncovered", file] => uncovered(file),
        ["--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        [other, ..] => Err(Failure::Unable(format!(
            "coverage takes no argument `{other}`; see `cargo xtask coverage --help`"
        ))),
    }
}

fn folder() -> PathBuf {
    workspace::target().join("xtask/coverage")
}

fn measure(write: bool) -> Outcome {
    let tools = match tools()? {
        Ok(tools) => tools,
        Err(reason) => {
            println!("skipped: no llvm-cov: {reason}");
            return Ok(());
        }
    };
    let raw = folder().join("raw");
    // Counts of an earlier run would be added to those of this one.
    let _ = fs::remove_dir_all(&raw);
    fs::create_dir_all(&raw).map_err(|error| Failure::io("cannot make a folder", &error))?;
    let branches = command::has_nightly();
    if !branches {
        println!("no nightly: lines are counted, branches are not");
    }
    let programs = run_tests(&raw, branches)?;
    let lcov = export(&tools, &raw, &programs)?;
    let kept = folder().join("all.lcov");
    fs::write(&kept, &lcov).map_err(|error| Failure::io("cannot write the counts", &error))?;
    let root = workspace::root();
    let table = Table::of(&counted(&lcov, &root, &Tree::read(&root)?));
    if table.is_empty() {
        return Err(Failure::Found("no line of tier 0 was counted".into()));
    }
    print!("{}", table.shown());
    if write {
        fs::write(root.join(KEPT), table.text())
            .map_err(|error| Failure::io(&format!("cannot write {KEPT}"), &error))?;
        println!("written to {KEPT}");
    }
    Ok(())
}

/// Prints the lines that were not reached.
fn uncovered(file: &str) -> Outcome {
    let kept = folder().join("all.lcov");
    let Ok(lcov) = fs::read_to_string(&kept) else {
        return Err(Failure::Unable("nothing was measured yet: run `cargo xtask coverage`".into()));
    };
    let root = workspace::root();
    let tree = Tree::read(&root)?;
    for (path, lines) in counted(&lcov, &root, &tree) {
        if path.contains(file) {
            let text = tree.text(&path).unwrap_or_default();
            for line in lines.missed() {
                let code = text.lines().nth(line - 1).unwrap_or_default();
                println!("{path}:{line}: {}", code.trim());
            }
        }
    }
    Ok(())
}

/// Returns what was counted of the files of tier 0, without the code of tests.
fn counted(lcov: &str, root: &Path, tree: &Tree) -> Vec<(String, Lines)> {
    let prefix = format!("{}/", root.display());
    let files = lcov::read(lcov).into_iter().filter_map(|(path, mut lines)| {
        let path = path.strip_prefix(&prefix).unwrap_or(&path).replace('\\', "/");
        if !COUNTED.iter().any(|folder| path.starts_with(folder)) || is_of_tests(&path) {
            return None;
        }
        if let Some(end) = tree.text(&path).and_then(tests_from) {
            lines.cut(end);
        }
        Some((path, lines))
    });
    files.collect()
}

/// Returns `true` if a file is compiled for tests alone.
fn is_of_tests(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let file = parts.last().copied().unwrap_or_default();
    file == "tests.rs" || file.starts_with("test_") || parts.contains(&"tests")
}

/// Returns the line in which the tests within a file begin.
fn tests_from(text: &str) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let is_begin = |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].ends_with("mod tests {");
    lines.windows(2).position(is_begin).map(|index| index + 1)
}

/// Runs the tests and returns the programs.
fn run_tests(raw: &Path, branches: bool) -> Result<Vec<PathBuf>, Failure> {
    let target = folder().join("build");
    let mut flags = String::from("-Cinstrument-coverage");
    let mut cargo = if branches {
        flags.push_str(" -Zcoverage-options=branch");
        let mut cargo = command::without_cargo_variables("rustup");
        cargo.args(["run", "nightly", "cargo"]).current_dir(workspace::root());
        cargo
    } else {
        command::cargo(&workspace::root())
    };
    cargo.env("RUSTFLAGS", flags).env("CARGO_TARGET_DIR", &target).env("CARGO_INCREMENTAL", "0");
    cargo.env("LLVM_PROFILE_FILE", raw.join("%p-%8m.profraw")).env("RUST_BACKTRACE", "0");
    cargo.args(["test", "--lib", "--tests"]);
    PACKAGES.iter().for_each(|package| _ = cargo.args(["-p", package]));
    // It boots the engine hundreds of times, which takes half an hour when counted, and shows no
    // line of tier 0 more.
    cargo.args(["--", "--skip", "subsystem_engine"]);
    let what = "building the tests of tier 0 with counters and running them";
    command::announce(&format!("{what}: many minutes; the results come at the end"));
    let output = cargo.output().map_err(|error| Failure::io("cannot run cargo", &error))?;
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(Failure::Found(format!("the tests fail:\n{out}\n{err}")));
    }
    for line in out.lines().filter(|line| line.starts_with("test result: ")) {
        println!("{line}");
    }
    let named = err.lines().filter(|line| line.trim_start().starts_with("Running "));
    let named = named.filter_map(|line| line.trim_end().strip_suffix(')')?.rsplit_once('('));
    let mut programs: Vec<PathBuf> = named.map(|(_, path)| workspace::root().join(path)).collect();
    // The programs that the tests start.
    let children = fs::read_dir(target.join("debug")).into_iter().flatten().flatten();
    programs.extend(children.map(|child| child.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("loligo-tests-") && path.extension().is_none()
    }));
    Ok(programs)
}

/// Returns the counts as text.
fn export(tools: &Tools, raw: &Path, programs: &[PathBuf]) -> Result<String, Failure> {
    let all = folder().join("all.profdata");
    let mut merge = tools.command("llvm-profdata");
    // A child that was stopped has not written its counts to the end.
    merge.args(["merge", "--sparse", "--failure-mode=all", "-o"]).arg(&all).arg(raw);
    command::output(&mut merge)?;
    let mut export = tools.command("llvm-cov");
    export.args(["export", "--format=lcov", "--instr-profile"]).arg(all);
    // The first is given without an option's name, or the first folder would be taken for a
    // program.
    for (index, program) in programs.iter().enumerate() {
        export.args((index > 0).then_some("--object")).arg(program);
    }
    let sources = COUNTED.map(|folder| workspace::root().join(folder));
    command::output(export.arg("--sources").args(sources))
}

/// Where llvm-cov and llvm-profdata are.
struct Tools {
    folder: PathBuf,
    libraries: Option<PathBuf>,
}

impl Tools {
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.folder.join(program));
        if let Some(libraries) = &self.libraries {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        command
    }
}

/// Finds the tools of the compiler's LLVM, or says why they cannot be had.
fn tools() -> Result<Result<Tools, String>, Failure> {
    let mut rustc = command::without_cargo_variables("rustc");
    let said = command::output(rustc.arg("-vV").current_dir(workspace::root()))?;
    let value = |key: &str| said.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    let version = value("LLVM version: ").and_then(|version| version.split('.').next());
    let (Some(version), Some(host)) = (version, value("host: ")) else {
        return Ok(Err("rustc does not report its LLVM".into()));
    };
    let mut rustc = command::without_cargo_variables("rustc");
    let sysroot =
        command::output(rustc.args(["--print", "sysroot"]).current_dir(workspace::root()))?;
    let component = Path::new(sysroot.trim()).join("lib/rustlib").join(host).join("bin");
    if component.join("llvm-cov").is_file() {
        return Ok(Ok(Tools { folder: component, libraries: None }));
    }
    let packages = [format!("libllvm{version}"), format!("llvm-{version}")];
    let packages = packages.each_ref().map(String::as_str);
    Ok(debian::unpacked(&packages)?.map(|root| Tools {
        folder: root.join(format!("usr/lib/llvm-{version}/bin")),
        libraries: Some(root.join("usr/lib/x86_64-linux-gnu")),
    }))
}
