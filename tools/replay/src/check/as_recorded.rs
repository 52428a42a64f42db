//! A program that allocates as a recording does, built to run under whatever the program itself ran
//! under.
//!
//! It is a process from the start, over the same libraries or with the same global allocator, so that
//! page faults, thresholds and the way into the allocator are those of a program. It writes what it
//! is given and reads it before it frees it: a program that has just walked to a node pays for the
//! cache miss itself, and not the allocator's `free`.

use core::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{Candidate, CheckError, Plan, rust, workspace};
use crate::child;
use crate::strategies::StrategyConfig;
use crate::trace::{Event, Op, Trace};

const PROGRAM: &str = include_str!("as_recorded.rs.txt");

/// The alignment of what C's `malloc` gives, which a recording says of every block of it.
const MALLOC_ALIGN_LOG2: u8 = 4;

/// What nearly every Rust type is aligned to at most; `malloc` is asked for them.
const RUST_ALIGN_LOG2: u8 = 3;

/// The program for each candidate, and its command.
pub(super) struct AsRecorded {
    pub(super) command: String,
    pub(super) candidates: Vec<Candidate>,
    steps: PathBuf,
}

impl Drop for AsRecorded {
    fn drop(&mut self) {
        // Much larger than the recording, and of no use to anybody; a file that stays is no error.
        let _ = fs::remove_file(&self.steps);
    }
}

/// Builds the program for each candidate. The recording is read in a separate process: what the
/// system counts of a child's memory begins with what its parent has.
///
/// # Errors
///
/// [`CheckError`] if it cannot be built, or a file cannot be written, or there is no recording.
pub(super) fn build(
    plan: &Plan,
    all: &[Candidate],
    strategies: &[StrategyConfig],
    read: &dyn Fn() -> Result<Trace, String>,
) -> Result<AsRecorded, CheckError> {
    let folder = plan.folder.join("as-recorded");
    let cannot = |cause: String| CheckError::Library {
        what: "the program that allocates as was recorded".to_owned(),
        cause,
    };
    let sources = fs::canonicalize(&plan.sources);
    let sources = sources.map_err(|_| CheckError::NoSources(plan.sources.clone()))?;
    let mut members = vec![("own".to_owned(), String::new())];
    if plan.manifest.is_some() {
        members.extend(rust::codes(strategies).map_err(cannot)?);
    }
    write(&folder, &sources, &members).map_err(|error| cannot(error.to_string()))?;
    workspace::build(&folder).map_err(cannot)?;
    let folder = fs::canonicalize(folder).map_err(CheckError::System)?;
    let program = |number: usize| folder.join(format!("target/release/as_recorded_{number}"));
    let with_program = |candidate: &Candidate| {
        // What is preloaded is so into the program as it is.
        let number = members.iter().position(|(name, _)| *name == candidate.name).unwrap_or(0);
        Candidate { program: Some(program(number)), ..candidate.clone() }
    };
    let steps = folder.join("steps");
    let slots = child::run(|| Ok(encode(read().and_then(|trace| put_steps(&steps, plan, &trace)))));
    let slots = slots.map_err(CheckError::System)?.and_then(|answer| decode(&answer));
    let died = || Err("the process that reads it has died".to_owned());
    let slots = slots.unwrap_or_else(died).map_err(CheckError::Recording)?;
    let command = format!("{} {} {slots}", rust::PLACE, super::sample::quoted(&steps));
    let candidates = all.iter().map(with_program).collect();
    Ok(AsRecorded { command, candidates, steps })
}

/// Writes the steps of a recording; returns the number of its slots.
fn put_steps(path: &Path, plan: &Plan, trace: &Trace) -> Result<u32, String> {
    let written = write_steps(path, trace, plan.manifest.is_some());
    written.map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(trace.slots)
}

/// Returns an answer as a child sends it: four bytes of a number, or an error after five others.
fn encode(answer: Result<u32, String>) -> Vec<u8> {
    match answer {
        Ok(slots) => slots.to_ne_bytes().to_vec(),
        Err(error) => [b"!!!!!", error.as_bytes()].concat(),
    }
}

/// Returns what a child sent.
fn decode(answer: &[u8]) -> Option<Result<u32, String>> {
    if let Ok(slots) = answer.try_into() {
        return Some(Ok(u32::from_ne_bytes(slots)));
    }
    let error = answer.get(5..)?;
    Some(Err(String::from_utf8_lossy(error).into_owned()))
}

/// Writes the crates: one for each name and text of an allocator.
fn write(folder: &Path, sources: &Path, members: &[(String, String)]) -> io::Result<()> {
    workspace::begin(folder, sources, "as_recorded", members.len())?;
    for (number, (_, allocator)) in members.iter().enumerate() {
        let source = folder.join(format!("as_recorded_{number}/src"));
        fs::create_dir_all(&source)?;
        let mut manifest = format!(
            "[package]\nname = \"as_recorded_{number}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n"
        );
        if !allocator.is_empty() {
            let path = sources.display().to_string();
            let _ = writeln!(
                manifest,
                "\n[dependencies]\nloligo-allocators = {{ path = {path:?}, features = [\"std\"] }}"
            );
        }
        workspace::put(&source.with_file_name("Cargo.toml"), &manifest)?;
        workspace::put(&source.join("main.rs"), PROGRAM)?;
        workspace::put(&source.join("allocator.rs"), allocator)?;
    }
    Ok(())
}

/// Writes the events as the program reads them, 24 bytes each: size, size before, slot, kind,
/// alignment.
fn write_steps(path: &Path, trace: &Trace, is_rust: bool) -> io::Result<()> {
    let mut out = io::BufWriter::new(fs::File::create(path)?);
    let mut held = vec![0_u64; trace.slots as usize];
    for event in &trace.events {
        let &Event { op, align_log2, slot, bytes, .. } = event;
        let after = if op == Op::Free { 0 } else { bytes };
        let before = core::mem::replace(&mut held[slot as usize], after);
        let kind = match op {
            Op::Allocate => 0,
            Op::Free => 1,
            Op::Reallocate => 2,
            Op::AllocateZeroed => 3,
        };
        let of_malloc = is_rust && align_log2 == MALLOC_ALIGN_LOG2;
        let align_log2 = if of_malloc { RUST_ALIGN_LOG2 } else { align_log2 };
        out.write_all(&bytes.to_ne_bytes())?;
        out.write_all(&before.to_ne_bytes())?;
        out.write_all(&slot.to_ne_bytes())?;
        out.write_all(&[kind, align_log2, 0, 0])?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::{decode, encode, write_steps};
    use crate::trace::{Event, Op, Trace};

    #[test]
    fn steps_have_the_sizes_of_before() {
        let event = |op, slot, bytes| Event { op, align_log2: 4, thread: 0, slot, bytes };
        let events = vec![
            event(Op::Allocate, 0, 40),
            event(Op::AllocateZeroed, 1, 8),
            event(Op::Reallocate, 0, 80),
            event(Op::Free, 0, 0),
        ];
        let trace = Trace::from_events("steps", events).expect("it is valid");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("steps");
        for (is_rust, align) in [(false, 4), (true, 3)] {
            write_steps(&path, &trace, is_rust).expect("a file");
            let bytes = std::fs::read(&path).expect("it is there");
            let steps = bytes.as_chunks::<24>().0.iter().map(|step| {
                let number = |at| u64::from_ne_bytes(*step[at..].first_chunk().expect("8 bytes"));
                (number(0), number(8), step[16], step[20], step[21])
            });
            let expected = [
                (40, 0, 0, 0, align),
                (8, 0, 1, 3, align),
                (80, 40, 0, 2, align),
                (0, 80, 0, 1, align),
            ];
            assert_eq!(steps.collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn answers_of_the_reader_come_back() {
        for answer in [Ok(0), Ok(u32::MAX), Err(String::new()), Err("no file".to_owned())] {
            assert_eq!(decode(&encode(answer.clone())), Some(answer));
        }
        assert_eq!(decode(b"!!"), None);
    }
}
