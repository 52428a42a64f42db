//! The rows of resources: bundles of the courtyard, next to its loose files and to a flat pack in the
//! layout of Godot's PCK, which we write and read ourselves.
//!
//! `read` is a KiB of all files, read whole in the order of the bundle and checked, and `first` the
//! first bytes of a file by chance, of what is open: a block of the bundle is read and decompressed for
//! them, unless it was one of the last eight. `open` is all of it opened, and the first bytes of one
//! file; nothing is to be opened of loose files. All of these are processor time, with the files in the system's
//! memory and memory of ours that was used before.
//!
//! `boot` is a boot of the courtyard from its bundle until its first frame is drawn as text, next to a
//! boot from loose files.
//!
//! `patch` are the bytes of a patch for a script, a material, a mesh and a texture that changed, next to
//! `zstd --patch-from` and `bsdiff`, programs that are run where they are installed (Debian: zstd,
//! bsdiff); they write differences of bytes, which need the old file to be read. `patch-time` is how
//! long each takes.

use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::resources::booting::booting;
use crate::work::resources::patches;
use crate::work::resources::reading::{first_bytes, opening, throughput};

/// Returns the rows of resources.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row =
        |name: &str, unit, aim, measure| Row::new(format!("resources/{name}"), unit, aim, measure);
    let counted = |target, goal| Aim { timed: false, ..Aim::over_peer(target, goal) };
    vec![
        row("read", Unit::Ns, Aim::over_peer(4.0, 1.0), Measure::Race(throughput)),
        row("first", Unit::Us, Aim::over_peer(40.0, 10.0), Measure::Race(first_bytes)),
        row("open", Unit::Us, Aim::over_peer(40.0, 10.0), Measure::Race(opening)),
        row("boot", Unit::Ms, Aim::over_peer(1.2, 1.0), Measure::Race(booting)),
        row("patch", Unit::Mib, counted(20.0, 4.0), Measure::Once(patches::bytes)),
        row("patch-time", Unit::Ms, Aim::over_peer(1.0, 0.1), Measure::Once(patches::time)),
    ]
}
