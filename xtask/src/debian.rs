//! Programs from Debian's packages: unpacked next to the build, or installed where that is allowed.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::outcome::Failure;
use crate::workspace;

/// Unpacks packages into a folder below `target/xtask/debian` named after the first, and returns
/// where; or says why they cannot be had. What was unpacked before is used again if nothing is
/// missing; otherwise all is unpacked again, so that no files of two versions meet.
///
/// # Errors
///
/// [`Failure::Unable`] if a folder cannot be made.
pub(crate) fn unpacked(packages: &[&str]) -> Result<Result<PathBuf, String>, Failure> {
    let set = packages[0];
    let folder = folder(set);
    let (debs, root) = (folder.join("debs"), folder.join("root"));
    if !packages.iter().all(|package| is_unpacked(set, package)) && folder.is_dir() {
        fs::remove_dir_all(&folder)
            .map_err(|error| Failure::io("cannot empty a folder", &error))?;
    }
    for path in [&debs, &root] {
        fs::create_dir_all(path).map_err(|error| Failure::io("cannot make a folder", &error))?;
    }
    if !cfg!(target_os = "linux") {
        return Ok(Err("the packages are Debian's".into()));
    }
    for package in packages {
        if is_unpacked(set, package) {
            continue;
        }
        println!("unpacking Debian's {package}");
        let mut download = Command::new("apt-get");
        download.args(["download", package]).current_dir(&debs);
        if !quiet(&mut download) {
            return Ok(Err(format!("`apt-get download {package}` does not work here")));
        }
        let Some(deb) = newest(&debs, package) else {
            return Ok(Err(format!("apt-get has left no file of {package}")));
        };
        let mut unpack = Command::new("dpkg");
        if !quiet(unpack.arg("-x").arg(deb).arg(&root)) {
            return Ok(Err(format!("`dpkg -x` cannot unpack {package}")));
        }
        fs::write(mark(set, package), "")
            .map_err(|error| Failure::io("cannot write a file", &error))?;
    }
    Ok(Ok(root))
}

/// Returns `true` if a package of a set, named after its first, was unpacked before.
pub(crate) fn is_unpacked(set: &str, package: &str) -> bool {
    mark(set, package).is_file()
}

/// The file that says that a package was unpacked.
fn mark(set: &str, package: &str) -> PathBuf {
    folder(set).join(format!("debs/{package}.unpacked"))
}

fn folder(set: &str) -> PathBuf {
    workspace::target().join("xtask/debian").join(set)
}

/// Installs a package where this may be done without asking, and returns whether that went well.
pub(crate) fn installed(package: &str) -> bool {
    println!("{package} is missing; trying apt-get install");
    updated() && apt_get(&["install", "--yes", "--no-install-recommends", package])
}

/// Fetches the lists of packages where this may be done without asking, and returns whether that
/// went well.
pub(crate) fn updated() -> bool {
    apt_get(&["update"])
}

fn apt_get(arguments: &[&str]) -> bool {
    let mut command = Command::new("apt-get");
    quiet(command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Returns the packages that a package depends on, whose names begin so.
pub(crate) fn dependency(package: &str, begins: &str) -> Option<String> {
    let mut ask = Command::new("apt-cache");
    let output = ask.args(["depends", package]).stderr(Stdio::null()).output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let names = said.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    let name = names.map(str::trim).find(|name| name.starts_with(begins));
    name.map(str::to_owned)
}

fn newest(debs: &PathBuf, package: &str) -> Option<PathBuf> {
    let begins = format!("{package}_");
    let files = fs::read_dir(debs).ok()?.flatten();
    let own = files.filter(|file| file.file_name().to_string_lossy().starts_with(&begins));
    own.max_by_key(|file| file.metadata().and_then(|data| data.modified()).ok())
        .map(|file| file.path())
}

fn quiet(command: &mut Command) -> bool {
    let tried = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}
