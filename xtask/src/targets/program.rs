//! A program of tests: where Cargo put it, what machine it is for, and what it says.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::outcome::Failure;

/// What a program's first bytes say of the machine that it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// Those of an address.
    pub(super) bits: u32,
    /// Whether the highest byte of a number comes first.
    pub(super) is_big_endian: bool,
}

impl Program {
    /// Reads a program's first bytes.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if it cannot be read, [`Failure::Found`] if it is not a program of
    /// Linux.
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        let mut head = [0; 6];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
        read.map_err(|error| Failure::io(&format!("cannot read {}", path.display()), &error))?;
        Self::from_head(head)
            .ok_or_else(|| Failure::Found(format!("{} is no program of Linux", path.display())))
    }

    /// Reads the bytes that every ELF file begins with.
    pub(super) fn from_head(head: [u8; 6]) -> Option<Self> {
        let [0x7f, b'E', b'L', b'F', class, order] = head else { return None };
        let bits = match class {
            1 => 32,
            2 => 64,
            _ => return None,
        };
        let is_big_endian = match order {
            1 => false,
            2 => true,
            _ => return None,
        };
        Some(Self { bits, is_big_endian })
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = if self.is_big_endian { "highest" } else { "lowest" };
        write!(f, "{} bits, the {first} byte first", self.bits)
    }
}

/// Finds the program of the tests in the lines that Cargo writes as JSON.
pub(super) fn path(said: &str) -> Option<PathBuf> {
    said.lines().rev().find_map(|line| {
        let (_, rest) = line.split_once("\"executable\":\"")?;
        rest.split_once('"').map(|(path, _)| PathBuf::from(path))
    })
}

/// Reads how many tests passed from the line that says so.
pub(super) fn passed(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("test result: ok. ")?;
    rest.split_once(" passed")?.0.parse().ok()
}
