//! A patch from one version of the courtyard to the next, next to `zstd --patch-from` and `bsdiff` over
//! flat packs of both versions: over what is not compressed they find most.
//!
//! In the next version a script has another line, a material another roughness, a mesh of the level
//! another size, and a texture is compressed in another way.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Instant;

use loligo_compiler::{GameData, Platform};

use super::{Packed, needed, packed, packed_into, with_heap};
use crate::outcome::Reading;

/// What is changed: the file, and what is appended to it or replaced in it.
const CHANGES: [(&str, &str, &str); 4] = [
    ("scripts/main.lua", "", "\n-- The next version.\n"),
    ("materials/stone.material", "roughness = 0.9", "roughness = 0.75"),
    ("meshes/bench.mesh", "", "\nscale = 1.01\n"),
    // Other blocks of a whole texture.
    ("textures/stone.texture", "\"colors\"", "\"normals\""),
];

/// What a patch is and what it took.
#[derive(Clone, Copy)]
struct Made {
    bytes: u64,
    ns: u64,
}

/// The patches: ours, and those of programs that are installed.
struct Patches {
    ours: Made,
    peers: Vec<(&'static str, Made)>,
    absent: Vec<&'static str>,
}

/// Returns the MiB of each patch.
pub(crate) fn bytes() -> Reading {
    reading(|made| made.bytes as f64 / f64::from(1 << 20))
}

/// Returns the milliseconds that each took.
pub(crate) fn time() -> Reading {
    reading(|made| made.ns as f64 / 1e6)
}

fn reading(figure: impl Fn(Made) -> f64) -> Reading {
    let patches = patches();
    Reading::Raced {
        ours: vec![figure(patches.ours)],
        peers: patches
            .peers
            .iter()
            .map(|(name, made)| ((*name).to_owned(), vec![figure(*made)]))
            .collect(),
        absent: patches.absent.clone(),
    }
}

/// Makes each patch once.
fn patches() -> &'static Patches {
    static PATCHES: OnceLock<Patches> = OnceLock::new();
    PATCHES.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let folder = root.join("target/scoreboard/next");
        let sources = folder.join("sources");
        if sources.exists() {
            needed(fs::remove_dir_all(&sources));
        }
        needed(copy(&root.join("samples/10-courtyard"), &sources));
        for (path, old, new) in CHANGES {
            let path = sources.join(path);
            let text = needed(fs::read_to_string(&path));
            let changed = if old.is_empty() { text + new } else { text.replace(old, new) };
            needed(fs::write(&path, changed));
        }
        let (old, new) = (packed(), packed_into(&sources, &folder));
        made(old, &new, &folder)
    })
}

fn made(old: &Packed, new: &Packed, folder: &Path) -> Patches {
    let place = |name: &str| folder.join(name);
    let patch = place("loligo.bundle");
    let ours = timed(&patch, || {
        with_heap(|heap| {
            let shipped = needed(GameData::open(&old.shipped, Platform::here(), heap));
            let newer = needed(GameData::open(&new.data, Platform::here(), heap));
            needed(newer.patch(&shipped, (folder, "loligo.bundle"), heap));
        });
        Ok(())
    });
    let ours = needed(ours);
    let mut patches = Patches { ours, peers: Vec::new(), absent: Vec::new() };
    let from = |path: &Path| {
        let mut option = std::ffi::OsString::from("--patch-from=");
        option.push(path);
        option
    };
    let (zstd, bsdiff) = (place("zstd.patch"), place("bsdiff.patch"));
    let patch_from = from(&old.flat);
    let runs: [(&'static str, &PathBuf, &str, Vec<&OsStr>); 2] = [
        (
            "zstd --patch-from",
            &zstd,
            "zstd",
            vec![
                "--force".as_ref(),
                "--quiet".as_ref(),
                "--long=31".as_ref(),
                patch_from.as_os_str(),
                new.flat.as_ref(),
                "-o".as_ref(),
                zstd.as_ref(),
            ],
        ),
        ("bsdiff", &bsdiff, "bsdiff", vec![old.flat.as_ref(), new.flat.as_ref(), bsdiff.as_ref()]),
    ];
    for (name, path, program, arguments) in runs {
        let run = || {
            let mut command = Command::new(program);
            command.args(&arguments).stdout(Stdio::null()).stderr(Stdio::null());
            match command.status()? {
                status if status.success() => Ok(()),
                status => Err(io::Error::other(status.to_string())),
            }
        };
        match timed(path, run) {
            Ok(made) => patches.peers.push((name, made)),
            Err(_) => patches.absent.push(name),
        }
    }
    patches
}

/// Runs what writes a file, and returns the file's bytes and how long it took.
fn timed(path: &Path, write: impl FnOnce() -> io::Result<()>) -> io::Result<Made> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let began = Instant::now();
    write()?;
    let ns = began.elapsed().as_nanos() as u64;
    Ok(Made { bytes: fs::metadata(path)?.len(), ns })
}

/// Copies a folder without what begins with a dot.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}
