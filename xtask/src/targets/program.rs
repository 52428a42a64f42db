//! A program of tests: where Cargo put it, what machine it is for, and what it says.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::outcome::Failure;

/// What a program's first bytes say of the machine that it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Program {
    /// One of Linux.
    Elf {
        /// Those of an address.
        bits: u32,
        /// Whether the highest byte of a number comes first.
        is_big_endian: bool,
    },
    /// One of Windows.
    Windows,
    /// A module of WebAssembly.
    WebAssembly,
}

impl Program {
    /// Reads a program's first bytes.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if it cannot be read, [`Failure::Found`] if it is not a program.
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        let mut head = [0; 6];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
        read.map_err(|error| Failure::io(&format!("cannot read {}", path.display()), &error))?;
        Self::from_head(head).ok_or_else(|| {
            let what = "is not a program of Linux, Windows or WebAssembly";
            Failure::Found(format!("{} {what}", path.display()))
        })
    }

    /// Reads the bytes that a file begins with.
    pub(super) fn from_head(head: [u8; 6]) -> Option<Self> {
        match head {
            [0x7f, b'E', b'L', b'F', class @ 1..=2, order @ 1..=2] => {
                Some(Self::Elf { bits: u32::from(class) * 32, is_big_endian: order == 2 })
            }
            [b'M', b'Z', ..] => Some(Self::Windows),
            [0, b'a', b's', b'm', ..] => Some(Self::WebAssembly),
            _ => None,
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elf { bits, is_big_endian } => {
                let first = if *is_big_endian { "highest" } else { "lowest" };
                write!(f, "Linux, {bits} bits, the {first} byte first")
            }
            Self::Windows => f.write_str("Windows"),
            Self::WebAssembly => f.write_str("WebAssembly"),
        }
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
