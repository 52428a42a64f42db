//! Writes the pool without its counters, for the row `cost/statistics`, compiles the peer that is
//! C++, and passes the program how it was built, for the records.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the pool counts with. A test of the library sees to it that the copy counts nothing.
const COUNTERS: [&str; 5] =
    ["unheld_total", "unmarked_total", "carved_total", "marked_total", "shortfall_total"];

/// Where the modules that the pool names are to be found from the copy.
const PATHS: [(&str, &str); 7] = [
    ("crate::contract::allocator::", "loligo_allocators::"),
    ("crate::contract::misuse::", "loligo_allocators::"),
    ("crate::bookkeeping::sites::", "crate::uncounted::sites::"),
    ("crate::contract::stats::", "loligo_allocators::"),
    ("crate::contract::leak", "crate::uncounted::leak"),
    ("crate::bookkeeping::mark", "crate::uncounted::mark"),
    ("crate::blocks::pool::", "crate::uncounted::pool::"),
];

/// What follows from the counters, as it is without them.
const DERIVED: [(&str, &str); 2] = [
    ("self.allocations_total() - self.live() as u64", "0"),
    ("self.marked_total.get() - chunk.marked()", "self.marked_total.get()"),
];

fn main() {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../allocators/src/blocks");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed={}", from.join("pool.rs").display());
    println!("cargo::rerun-if-changed={}", from.join("pool").display());
    copy_pool(&from, &out);
    #[cfg(feature = "peers-all")]
    compile_std_map();
    tell_flags();
}

#[cfg(feature = "peers-all")]
fn compile_std_map() {
    const SOURCE: &str = "src/peers/id_tables/std_map.cc";
    println!("cargo::rerun-if-changed={SOURCE}");
    cc::Build::new().cpp(true).std("c++17").file(SOURCE).compile("loligo_std_map");
}

fn copy_pool(from: &Path, out: &Path) {
    let folder = out.join("pool");
    // What an earlier pool had and this one has not must not stay.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("cargo's folder can be written");
    let main = folder.join("mod.rs");
    write(&main, &uncounted(&read(&from.join("pool.rs"))));
    for entry in fs::read_dir(from.join("pool")).expect("the pool's modules") {
        let path = entry.expect("the pool's modules").path();
        let name = path.file_name().expect("files have names");
        if name != "tests.rs" && path.extension().is_some_and(|ending| ending == "rs") {
            write(&folder.join(name), &uncounted(&read(&path)));
        }
    }
    let module = format!("#[path = {main:?}]\npub(crate) mod pool;\n");
    write(&out.join("uncounted.rs"), &module);
}

/// Returns the text with every write to a counter taken out and what follows from counters as it is
/// without, without tests, and with its paths led to where they are found from the copy.
fn uncounted(text: &str) -> String {
    let mut text = text.replace("#[cfg(test)]\nmod tests;\n", "");
    for counter in COUNTERS {
        text = without_writes(&text, counter);
    }
    DERIVED.iter().chain(&PATHS).fold(text, |text, (from, to)| text.replace(from, to))
}

/// Turns `self.COUNTER.set(value)` into `let _ = Some(value)`, which costs nothing, wherever the
/// formatter broke the line.
fn without_writes(text: &str, counter: &str) -> String {
    let name = format!("self.{counter}");
    let mut out = String::with_capacity(text.len());
    for (index, part) in text.split(&name).enumerate() {
        match part.trim_start().strip_prefix(".set(") {
            Some(value) if index > 0 => {
                out.push_str("let _ = Some(");
                out.push_str(value);
            }
            _ => {
                if index > 0 {
                    out.push_str(&name);
                }
                out.push_str(part);
            }
        }
    }
    out
}

fn tell_flags() {
    let rustc = std::env::var_os("RUSTC").expect("cargo sets it");
    let version =
        Command::new(rustc).arg("--version").output().expect("the compiler prints its version");
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    let variable = |name| std::env::var(name).unwrap_or_default();
    let flags = variable("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " ");
    println!("cargo::rustc-env=LOLIGO_BENCHES_RUSTC={version}");
    println!("cargo::rustc-env=LOLIGO_BENCHES_PROFILE={}", variable("PROFILE"));
    println!("cargo::rustc-env=LOLIGO_BENCHES_OPT_LEVEL={}", variable("OPT_LEVEL"));
    println!("cargo::rustc-env=LOLIGO_BENCHES_RUSTFLAGS={flags}");
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
