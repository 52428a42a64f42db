//! Debian's compiler that comes with the sources of its standard library.
//!
//! The toolchains of this project lack those sources. Debian's `rustc-web` has them and is newer
//! than ours; it is unpacked next to the build and not installed. With it Cargo builds the standard
//! library itself: for a machine other than this one, or with a sanitizer in it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::debian;
use crate::outcome::Failure;

/// Where the compiler was unpacked.
pub(crate) struct DebianRust {
    root: PathBuf,
}

impl DebianRust {
    /// Unpacks it, or says why it is not to be had.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if a file cannot be written.
    pub(crate) fn find() -> Result<Result<Self, String>, Failure> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return Ok(Err("Debian's rustc-web is set up for Linux on x86-64 alone".into()));
        }
        // On a fresh machine apt knows of no package, and lists that are older than the archive name
        // files that are gone from it. Without a network what is there is tried.
        if !debian::is_unpacked("rustc-web", "rust-web-llvm") {
            debian::updated();
        }
        let Some([std, llvm]) = libraries() else {
            return Ok(Err("apt knows of no rustc-web (Debian 12 and later have it)".into()));
        };
        let packages =
            ["rustc-web", "libstd-rust-web-dev", &std, "rust-web-src", "rust-web-llvm", &llvm];
        Ok(debian::unpacked(&packages)?.map(|root| Self { root }))
    }

    /// Lets Cargo compile with it, the standard library included, for `target`.
    pub(crate) fn compiles(&self, cargo: &mut Command, target: &str) {
        self.compiles_here(cargo);
        cargo.env("CARGO_UNSTABLE_BUILD_STD", "std").env("CARGO_BUILD_TARGET", target);
        cargo.env("CARGO_INCREMENTAL", "0").env("RUST_BACKTRACE", "0");
    }

    /// Lets Cargo compile with it for this machine, with its standard library as it is shipped.
    pub(crate) fn compiles_here(&self, cargo: &mut Command) {
        cargo.env("RUSTC", self.root.join("usr/bin/rustc"));
        self.runs(cargo);
    }

    /// Returns the compiler itself.
    pub(crate) fn rustc(&self) -> Command {
        let mut rustc = Command::new(self.root.join("usr/bin/rustc"));
        self.runs(&mut rustc);
        rustc
    }

    fn runs(&self, command: &mut Command) {
        command.env("RUSTC_BOOTSTRAP", "1");
        command.env("LD_LIBRARY_PATH", self.root.join("usr/lib/x86_64-linux-gnu"));
    }

    /// Returns the folder in which it looks for the libraries of a target.
    pub(crate) fn libraries(&self, target: &str) -> PathBuf {
        self.root.join("usr/lib/rustlib").join(target).join("lib")
    }

    /// Returns its version and the folder with the sources of its standard library.
    pub(crate) fn library_sources(&self) -> Option<(String, PathBuf)> {
        let entries = fs::read_dir(self.root.join("usr/src")).ok()?.flatten();
        let mut versions = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some((name.strip_prefix("rustc-")?.to_owned(), entry.path().join("library")))
        });
        versions.find(|(_, library)| library.is_dir())
    }
}

/// Returns the packages whose names change with the version: its library and LLVM's.
fn libraries() -> Option<[String; 2]> {
    let std = debian::dependency("libstd-rust-web-dev", "libstd-rust-web-")?;
    let llvm = debian::dependency(&std, "libllvm")?;
    Some([std, llvm])
}
