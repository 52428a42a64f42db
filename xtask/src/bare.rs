//! A check that tier 0 compiles where there is no operating system.
//!
//! A bare-metal target is used if the toolchain has one; the stable one comes without. What always
//! works: a copy of each packed crate in which `target_os = "linux"` and `unix` read
//! `target_os = "none"`, which this machine is not, so that all code for an operating system drops
//! out; built into a static library that is `no_std` and has its own panic handler, which the
//! compiler refuses if std's is there too.

use std::path::{Path, PathBuf};

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::packages::{self, Project};
use crate::workspace::{self, Member, Workspace};

/// Targets without an operating system, 64 and 32 bits.
const TARGETS: [&str; 4] = [
    "x86_64-unknown-none",
    "aarch64-unknown-none",
    "thumbv7em-none-eabihf",
    "riscv32imac-unknown-none-elf",
];

/// A `no_std` library as such a machine would have it.
const SOURCE: &str = "#![no_std]\n\
    #[panic_handler]\nfn panic(_: &core::panic::PanicInfo<'_>) -> ! { loop {} }\n";

/// What the manifest of that library needs.
const MANIFEST: &str =
    "[lib]\ncrate-type = [\"staticlib\"]\n\n[profile.dev]\npanic = \"abort\"\n\n";

/// Checks every tier-0 crate. They have been packed before.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    // What packed them before may have been left out.
    packages::pack(workspace)?;
    let folder = workspace::target().join("xtask/bare");
    canary(&folder)?;
    // Macros run in the compiler, on this system.
    for member in workspace.published().filter(|member| member.is_macros()) {
        let copy = folder.join(&member.name);
        let _ = std::fs::remove_dir_all(&copy);
        packages::copy(&packages::unpacked(workspace, member), &copy, &|text| text)?;
    }
    for member in workspace.tier_zero() {
        let copy = folder.join(&member.name);
        let packed = packages::unpacked(workspace, member);
        // A file that is no longer packed must not stay in the copy.
        let _ = std::fs::remove_dir_all(&copy);
        packages::copy(&packed, &copy, &without_system)?;
        let features = features(member);
        for (name, features) in [("plain", Vec::new()), ("features", features)] {
            build(workspace, &folder, member, name, &features)?;
        }
        on_targets(member)?;
    }
    Ok(())
}

/// Returns `text` as it reads where there is no operating system, manifests included.
fn without_system(text: String) -> String {
    let none = "target_os = \"none\"";
    let text = text.replace("target_os = \"linux\"", none);
    // A packed manifest has this one in quotation marks.
    let text = text.replace("\"cfg(unix)\"", &format!("'cfg({none})'"));
    // Only as a predicate: the name of a module stays.
    [("(unix)", "({})"), ("(unix, ", "({}, "), (", unix)", ", {})")]
        .into_iter()
        .fold(text, |text, (from, to)| text.replace(from, &to.replace("{}", none)))
}

/// Returns the features that need no operating system: all but `std` and those that turn it on.
fn features(member: &Member) -> Vec<String> {
    let all = member.features();
    let needs_std = |name: &String| {
        let mut of_one = all.iter().filter(|(feature, _)| feature == name);
        name == "std" || of_one.any(|(_, parts)| parts.iter().any(|part| part == "std"))
    };
    let mut features = member.public_features();
    features.retain(|feature| !needs_std(feature));
    features.retain(|feature| {
        let needs_global = NEEDS_GLOBAL.contains(&(member.name.as_str(), feature.as_str()));
        if needs_global {
            println!("left out: the feature {feature}, which links a global allocator");
        }
        !needs_global
    });
    features
}

/// Features of packages that name the crate `alloc`, which links a global allocator even where it
/// is never called; such a machine's program brings its own.
const NEEDS_GLOBAL: [(&str, &str); 1] = [("loligo-containers", "hashbrown")];

/// Builds a `no_std` library over the copy, and looks for what must not be among its dependencies.
fn build(
    workspace: &Workspace,
    folder: &Path,
    member: &Member,
    name: &str,
    features: &[String],
) -> Outcome {
    let copy = folder.join(&member.name);
    let mut dependency = format!(
        "[dependencies.{}]\npath = {copy:?}\ndefault-features = false\nfeatures = {features:?}\n",
        member.name
    );
    // What is below it in tier 0 was copied before it.
    for sibling in workspace.siblings_below(member) {
        let copy = folder.join(&sibling.name);
        dependency.push_str(&format!("[patch.crates-io.{}]\npath = {copy:?}\n", sibling.name));
    }
    let source = format!("{SOURCE}use {} as _;\n", member.name.replace('-', "_"));
    let place = folder.join(format!("{}-{name}", member.name));
    let project =
        Project::write(&place, &target(folder), &format!("{MANIFEST}{dependency}"), &source)?;
    // What only other systems compile must be free of warnings as well.
    command::run(project.cargo(&["build", "--quiet"]).env("RUSTFLAGS", "--deny warnings"))?;
    let tree =
        command::output(&mut project.cargo(&["tree", "--prefix", "none", "--format", "{p}"]))?;
    if tree.lines().any(|line| line.starts_with("libc ")) {
        let what = format!("{} names libc where there is no operating system", member.name);
        return Err(Failure::Found(what));
    }
    Ok(())
}

/// Asserts that the check can fail: a library that brings std along must be refused.
fn canary(folder: &Path) -> Outcome {
    let source = format!("{SOURCE}extern crate std;\n");
    let project = Project::write(&folder.join("canary"), &target(folder), MANIFEST, &source)?;
    let output = project
        .cargo(&["build", "--quiet"])
        .output()
        .map_err(|error| Failure::io("cannot run cargo", &error))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() || !said.contains("panic_impl") {
        return Err(Failure::Found(format!(
            "the check is blind: a library with std was not refused for it\n{said}"
        )));
    }
    Ok(())
}

fn target(folder: &Path) -> PathBuf {
    folder.join("target")
}

/// Checks the crate itself on each bare-metal target that the toolchain has.
fn on_targets(member: &Member) -> Outcome {
    let mut checked = 0;
    for target in TARGETS {
        if !is_installed(target)? {
            continue;
        }
        let mut cargo = command::cargo(&workspace::root());
        cargo.args(["check", "--quiet", "--lib", "--package", &member.name]);
        cargo.args(["--no-default-features", "--target", target]);
        command::run(&mut cargo)?;
        checked += 1;
    }
    if checked == 0 {
        println!(
            "skipped: {} on a bare-metal target, since none is installed (`rustup target add {}`)",
            member.name, TARGETS[0]
        );
    }
    Ok(())
}

/// Returns `true` if the toolchain has the core library of `target`.
fn is_installed(target: &str) -> Result<bool, Failure> {
    let mut rustc = std::process::Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", target]);
    rustc.current_dir(workspace::root());
    let folder = command::output(&mut rustc)?;
    Ok(Path::new(folder.trim()).is_dir())
}

#[cfg(test)]
mod tests;
