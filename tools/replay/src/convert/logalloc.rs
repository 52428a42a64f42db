//! Logs of Firefox's logalloc: `PROCESS [THREAD] FUNCTION(ARGUMENTS)[=RESULT]`, a line a call.
//!
//! A log does not contain call sites and times. Its lines are in the order in which calls ended, so
//! where one thread reallocates and another is given the old place at once, the log has that
//! allocation first; the old block then counts as freed there.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};

use super::lines::Lines;
use super::{ConvertErrorKind, Converted};
use crate::books::{Books, Who};
use crate::trace::{Op, TraceWriter};

/// The alignment of a block that was asked for without one.
const ALIGN_LOG2: u8 = 4;

/// A page, on whose boundary `valloc` allocates.
const PAGE_LOG2: u8 = 12;

/// As many processes are named in an error.
const NUMBERS_SHOWN: usize = 16;

/// A call.
struct Call {
    process: u64,
    thread: u64,
    what: What,
}

enum What {
    Allocate { op: Op, align_log2: u8, bytes: u64, block: u64 },
    Reallocate { old: u64, bytes: u64, block: u64 },
    Free { block: u64 },
    Nothing,
}

/// Reads a log and writes a trace.
pub(super) fn convert<R: BufRead>(
    mut lines: Lines<R>,
    process: Option<u64>,
    out: impl Write,
) -> Converted {
    let unwritable = |error| (None, ConvertErrorKind::Unwritable(error));
    let mut writer = TraceWriter::new(out).map_err(unwritable)?;
    writer.note("recorder", "logalloc").map_err(unwritable)?;
    let mut books = Books::new(writer);
    let mut processes = BTreeSet::new();
    loop {
        let call = match lines.next() {
            Ok(Some(line)) => parse(line),
            Ok(None) => break,
            Err(kind) => return Err((Some(lines.number()), kind)),
        };
        let Some(call) = call else {
            if lines.is_cut() {
                break;
            }
            let kind = ConvertErrorKind::Malformed { wanted: "PROCESS THREAD FUNCTION(..)=RESULT" };
            return Err((Some(lines.number()), kind));
        };
        if processes.len() < NUMBERS_SHOWN {
            processes.insert(call.process);
        }
        if process.is_none_or(|process| process == call.process) {
            enter(&mut books, &call).map_err(unwritable)?;
        }
    }
    match process {
        None if processes.len() > 1 => {
            Err((None, ConvertErrorKind::Processes { numbers: processes.into_iter().collect() }))
        }
        Some(process) if books.summary.events == 0 => {
            Err((None, ConvertErrorKind::NoProcess { process }))
        }
        _ => books.finish().map(|(summary, _)| summary).map_err(unwritable),
    }
}

fn enter<W: Write>(books: &mut Books<W>, call: &Call) -> io::Result<()> {
    let who = Who { thread: call.thread, ..Who::default() };
    match call.what {
        // No memory: nothing has changed.
        What::Allocate { block: 0, .. } | What::Nothing | What::Free { block: 0 } => Ok(()),
        What::Allocate { op, align_log2, bytes, block } => {
            books.allocate(block, (op, align_log2, bytes), who)
        }
        What::Free { block } => books.free(block, who),
        What::Reallocate { old: 0, block: 0, .. } => Ok(()),
        What::Reallocate { old: 0, bytes, block } => {
            books.allocate(block, (Op::Allocate, ALIGN_LOG2, bytes), who)
        }
        What::Reallocate { old, bytes: 0, block: 0 } => books.free(old, who),
        What::Reallocate { block: 0, .. } => Ok(()),
        What::Reallocate { old, bytes, block } => match books.lift(old) {
            Some(lifted) => books.land(block, lifted, bytes, who),
            None => {
                books.summary.strangers += 1;
                books.allocate(block, (Op::Allocate, ALIGN_LOG2, bytes), who)
            }
        },
    }
}

/// Reads a line.
fn parse(line: &str) -> Option<Call> {
    let (head, rest) = line.trim_end().split_once('(')?;
    let (arguments, result) = rest.split_once(')')?;
    let mut words = head.split(' ');
    let process = words.next()?.parse().ok()?;
    let (thread, function) = match (words.next()?, words.next()) {
        (thread, Some(function)) => (thread.parse().ok()?, function),
        (function, None) => (process, function),
    };
    if words.next().is_some() {
        return None;
    }
    let arguments: Vec<&str> = arguments.split(',').collect();
    Some(Call { process, thread, what: what(function, &arguments, result)? })
}

fn what(function: &str, arguments: &[&str], result: &str) -> Option<What> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let block = || address(result.strip_prefix('=')?);
    let allocate =
        |op, align_log2, bytes| Some(What::Allocate { op, align_log2, bytes, block: block()? });
    match (function, arguments) {
        ("malloc", &[bytes]) => allocate(Op::Allocate, ALIGN_LOG2, number(bytes)?),
        ("calloc", &[count, bytes]) => {
            let bytes = number(count)?.saturating_mul(number(bytes)?);
            allocate(Op::AllocateZeroed, ALIGN_LOG2, bytes)
        }
        ("posix_memalign" | "aligned_alloc" | "memalign", &[align, bytes]) => {
            let align_log2 = number(align)?.checked_ilog2().unwrap_or(0) as u8;
            allocate(Op::Allocate, align_log2, number(bytes)?)
        }
        ("valloc", &[bytes]) => allocate(Op::Allocate, PAGE_LOG2, number(bytes)?),
        ("realloc", &[old, bytes]) => {
            Some(What::Reallocate { old: address(old)?, bytes: number(bytes)?, block: block()? })
        }
        ("free", &[block]) if result.is_empty() => Some(What::Free { block: address(block)? }),
        ("jemalloc_stats", &[""]) => Some(What::Nothing),
        _ => None,
    }
}

/// Reads an address, `(nil)` as glibc prints null, or a number as logalloc's own `munge` puts it.
fn address(text: &str) -> Option<u64> {
    match text.trim() {
        "(nil)" | "0" | "#0" => Some(0),
        text => match text.strip_prefix('#') {
            Some(number) => number.parse().ok(),
            None => u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok(),
        },
    }
}

#[cfg(test)]
mod tests;
