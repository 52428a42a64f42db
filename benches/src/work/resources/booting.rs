//! The courtyard from its bundle and from loose files, until its first frame is drawn as text.

use super::packed;
use crate::contender::Race;
use crate::work::engine::shows::boot_from;

/// Boots from the bundle, next to files.
pub(crate) fn booting() -> Race {
    let packed = packed();
    let ours = boot_from("loligo", packed.shipped.as_path());
    Race { ours, peers: vec![boot_from("files", packed.data.as_path())], absent: Vec::new() }
}
