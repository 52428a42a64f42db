//! The program to record: where it is, and whether a recorder can be put into it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use object::Endianness;
use object::elf::{EM_X86_64, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader};

use super::RecordError;

/// Scripts may name scripts; the kernel follows four.
const SCRIPTS_MAX: usize = 4;

/// The most of a file's first line that the kernel reads.
const LINE_BYTES_MAX: u64 = 256;

/// A program that a recorder can be put into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub(super) name: OsString,
    pub(super) path: PathBuf,
    /// The program that runs: of a script, what reads it.
    pub(super) file: PathBuf,
}

impl Program {
    /// Finds a program by its path or in the folders of `PATH`, and sees whether it can be
    /// recorded. Of a script it is the program that reads it which must be.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if there is no such program, or one that no recorder can be put into.
    pub fn find(name: &OsStr) -> Result<Self, RecordError> {
        let path = find(name)?;
        let mut file = path.clone();
        for _ in 0..SCRIPTS_MAX {
            check_rights(&file)?;
            match script_reader(&file)? {
                Some(reader) => file = reader,
                None => {
                    check_elf(&file)?;
                    return Ok(Self { name: name.to_owned(), path, file });
                }
            }
        }
        Err(RecordError::NoProgram { program: path, what: "a script of a script of a ..".into() })
    }
}

fn find(name: &OsStr) -> Result<PathBuf, RecordError> {
    let missing = |cause| RecordError::Missing { program: name.into(), cause };
    if name.as_bytes().contains(&b'/') {
        let path = PathBuf::from(name);
        return check_runs(&path).map(|()| path).map_err(missing);
    }
    let mut refusal = io::Error::new(io::ErrorKind::NotFound, "no folder of PATH has it");
    for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        let path = folder.join(name);
        match check_runs(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => refusal = error,
            Err(_) => {}
        }
    }
    Err(missing(refusal))
}

/// Returns `true` if a file may be run.
fn check_runs(path: &Path) -> io::Result<()> {
    let about = fs::metadata(path)?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if about.mode() & 0o111 == 0 {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(())
}

/// Refuses what the system runs in a way that nothing is preloaded.
fn check_rights(path: &Path) -> Result<(), RecordError> {
    let missing = |cause| RecordError::Missing { program: path.to_owned(), cause };
    let about = fs::metadata(path).map_err(missing)?;
    // SAFETY: both only ask.
    let (user, group) = (unsafe { libc::geteuid() }, unsafe { libc::getegid() });
    let other_user = about.mode() & 0o4000 != 0 && about.uid() != user;
    let other_group = about.mode() & 0o2000 != 0 && about.gid() != group;
    if other_user || other_group {
        return Err(RecordError::SetUser { program: path.to_owned() });
    }
    Ok(())
}

/// Returns the program that reads a script, `None` if the file is not a script.
fn script_reader(path: &Path) -> Result<Option<PathBuf>, RecordError> {
    let missing = |cause| RecordError::Missing { program: path.to_owned(), cause };
    let mut line = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LINE_BYTES_MAX).read_to_end(&mut line))
        .map_err(missing)?;
    let Some(line) = line.strip_prefix(b"#!") else { return Ok(None) };
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut words = line.split(|&byte| byte == b' ' || byte == b'\t');
    let reader = words.find(|word| !word.is_empty()).unwrap_or_default();
    let reader = PathBuf::from(OsStr::from_bytes(reader));
    check_runs(&reader).map_err(|cause| RecordError::Missing { program: reader.clone(), cause })?;
    Ok(Some(reader))
}

/// Refuses files that are not dynamically linked programs of this system.
fn check_elf(path: &Path) -> Result<(), RecordError> {
    let missing = |cause| RecordError::Missing { program: path.to_owned(), cause };
    let no_program =
        |what: &str| RecordError::NoProgram { program: path.to_owned(), what: what.to_owned() };
    let file = File::open(path).map_err(missing)?;
    let map = super::files::map(&file).map_err(missing)?;
    if !map.starts_with(b"\x7fELF") {
        return Err(no_program("is neither a program nor a script"));
    }
    let damaged = |_| no_program("is a damaged program");
    let Ok(header) = FileHeader64::<Endianness>::parse(&map[..]) else {
        return Err(no_program("is a program for another processor"));
    };
    let endian = header.endian().map_err(damaged)?;
    if header.e_machine(endian) != EM_X86_64 {
        return Err(no_program("is a program for another processor"));
    }
    let segments = header.program_headers(endian, &map[..]).map_err(damaged)?;
    for segment in segments {
        if let Some(linker) = segment.interpreter(endian, &map[..]).map_err(damaged)? {
            if String::from_utf8_lossy(linker).contains("musl") {
                return Err(no_program("is linked with musl, and the recorder with glibc"));
            }
            return Ok(());
        }
    }
    Err(RecordError::Static { program: path.to_owned() })
}

#[cfg(test)]
mod tests;
