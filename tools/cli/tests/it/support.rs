//! Running the command, and small recordings for it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use loligo_replay::trace::{Event, Op, write_trace};
use tempfile::TempDir;

/// A temporary folder in which the command runs.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, contents).expect("the folder may be written");
        path
    }

    /// Writes a small recording.
    pub(crate) fn recording(&self, name: &str) -> PathBuf {
        self.file(name, recording())
    }

    /// Returns the names in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("the folder can be read");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Returns the command, to be run in this folder.
    pub(crate) fn loligo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loligo"));
        command.args(arguments).current_dir(self.0.path());
        command
    }

    /// Runs the command and returns its status, standard output and standard error.
    pub(crate) fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let (code, stdout, stderr) = self.run_with_phases(arguments);
        let said = stderr.split_inclusive('\n').filter(|line| !line.ends_with(" ..\n"));
        let said = said.collect();
        (code, stdout, said)
    }

    /// The same, with the lines that say what is being done.
    pub(crate) fn run_with_phases(&self, arguments: &[&str]) -> (i32, String, String) {
        let Output { status, stdout, stderr } =
            self.loligo(arguments).output().expect("the command runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text in UTF-8");
        let (stdout, stderr) = (text(stdout), text(stderr));
        let Some(code) = status.code() else {
            panic!("it did not end by itself, but by {status}:\n{stdout}\n{stderr}");
        };
        (code, stdout, stderr)
    }

    /// Runs a command that must be refused, sees that nothing was done, and returns the message.
    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        let before = self.names();
        let (code, stdout, stderr) = self.run(arguments);
        assert_eq!(code, 2, "{arguments:?}: {stdout}{stderr}");
        assert_eq!(stdout, "", "{arguments:?}");
        assert_eq!(self.names(), before, "{arguments:?} leaves nothing behind");
        stderr
    }
}

/// Returns a recording of 600 events.
pub(crate) fn recording() -> Vec<u8> {
    let mut events = Vec::new();
    for slot in 0..200 {
        let event = |op, bytes| Event { op, align_log2: 4, thread: 0, slot, bytes };
        let op = if slot % 3 == 0 { Op::AllocateZeroed } else { Op::Allocate };
        events.push(event(op, 20 + u64::from(slot) * 7));
    }
    for slot in 0..200 {
        let event = |op, bytes| Event { op, align_log2: 4, thread: 0, slot, bytes };
        events.push(event(Op::Reallocate, 3000 - u64::from(slot) * 9));
        events.push(event(Op::Free, 0));
    }
    let mut file = Vec::new();
    write_trace(&mut file, &events).expect("a vector takes every write");
    file
}

/// Returns a path as text.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}
