//! Writes the pool without its counters, for the row `cost/statistics`, and tells the program how it
//! was built, for the records.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the pool counts with, and what stands there instead. Each must be in the pool once: where
/// it is not, the pool has changed how it counts, and this list must follow.
const COUNTING: [(&str, &str); 3] = [
    (
        "self.allocations_total.set(self.allocations_total.get() + 1);",
        "",
    ),
    (
        "self.requested_total\n            .set(self.requested_total.get() + requested as u64);",
        "let _ = requested;",
    ),
    ("self.frees_total.set(self.frees_total.get() + 1);", ""),
];

/// Where the modules that the pool names are to be found from the copy.
const PATHS: [(&str, &str); 5] = [
    ("crate::allocator::", "loligo_allocators::"),
    ("crate::misuse::", "loligo_allocators::"),
    ("crate::stats::", "loligo_allocators::"),
    ("crate::leak", "crate::uncounted::leak"),
    ("crate::pool::", "crate::uncounted::pool::"),
];

fn main() {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../allocators/src");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed={}", from.join("pool.rs").display());
    println!("cargo::rerun-if-changed={}", from.join("pool").display());
    copy_pool(&from, &out);
    tell_flags();
}

fn copy_pool(from: &Path, out: &Path) {
    let pool = read(&from.join("pool.rs"));
    let pool = COUNTING.iter().fold(pool, |text, (counting, instead)| {
        let times = text.matches(counting).count();
        assert!(
            times == 1,
            "the pool has `{counting}` {times} times and not once: it counts in another way now, so \
             `COUNTING` in benches/build.rs must follow, or `cost/statistics` measures something else"
        );
        text.replace(counting, instead)
    });
    let folder = out.join("pool");
    fs::create_dir_all(&folder).expect("cargo's folder can be written");
    write(&folder.join("mod.rs"), &rerouted(&pool));
    for entry in fs::read_dir(from.join("pool")).expect("the pool's modules") {
        let path = entry.expect("the pool's modules").path();
        let name = path.file_name().expect("files have names");
        if name != "tests.rs" && path.extension().is_some_and(|ending| ending == "rs") {
            write(&folder.join(name), &rerouted(&read(&path)));
        }
    }
    let pool = folder.join("mod.rs");
    let module = format!("#[path = {pool:?}]\npub(crate) mod pool;\n");
    write(&out.join("uncounted.rs"), &module);
}

/// Returns the text with its paths led to where they are found from the copy, and without tests.
fn rerouted(text: &str) -> String {
    let text = text.replace("#[cfg(test)]\nmod tests;\n", "");
    PATHS
        .iter()
        .fold(text, |text, (from, to)| text.replace(from, to))
}

fn tell_flags() {
    let rustc = std::env::var_os("RUSTC").expect("cargo sets it");
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .expect("the compiler tells its version");
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    let variable = |name| std::env::var(name).unwrap_or_default();
    let flags = variable("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " ");
    println!("cargo::rustc-env=LOLIGO_BENCHES_RUSTC={version}");
    println!(
        "cargo::rustc-env=LOLIGO_BENCHES_PROFILE={}",
        variable("PROFILE")
    );
    println!(
        "cargo::rustc-env=LOLIGO_BENCHES_OPT_LEVEL={}",
        variable("OPT_LEVEL")
    );
    println!("cargo::rustc-env=LOLIGO_BENCHES_RUSTFLAGS={flags}");
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
