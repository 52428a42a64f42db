//! What heaptrack writes after its own interpreting step, version 3 of its files.
//!
//! ```text
//! v 10400 3             heaptrack 1.4.0, version 3
//! X ./game              the command line
//! s 9 /bin/game         the next string, from 1: its length, its text
//! i 55d0 1 2 3 1a       the next instruction, from 1: address, module; function, file, line
//! t 4 2                 the next trace, from 1: instruction, trace of its caller or 0
//! a 64 7                the next kind of allocation, from 0: bytes, trace
//! + 0                   an allocation of that kind
//! - 0                   a free of a block of that kind
//! c 1f                  milliseconds that have passed
//! ```
//!
//! Numbers are hexadecimal. A file does not contain: threads, alignments, zeroed blocks, and which
//! of the live blocks of one kind is freed; the youngest is taken. A reallocation is a free and an
//! allocation.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, Write};

use super::lines::Lines;
use super::{ConvertErrorKind, Converted};
use crate::books::{Books, Who};
use crate::trace::{Op, TraceWriter, try_push};

/// The version that is known.
const VERSION: &str = "3";

/// The alignment of every block: `malloc`'s.
const ALIGN_LOG2: u8 = 4;

/// How far up the callers of `operator new` are followed.
const CALLERS_MAX: usize = 4;

/// The most callers of a site in its stack; a damaged file can name traces that go in circles.
const STACK_MAX: usize = 128;

const NANOSECONDS: u64 = 1_000_000;

struct Reader<W: Write> {
    books: Books<W>,
    strings: Vec<String>,
    /// Module, function, file and line, each a number from 1 or 0.
    instructions: Vec<Instruction>,
    /// Instruction and caller.
    traces: Vec<(u64, u64)>,
    kinds: Vec<Kind>,
    sites: HashMap<String, u32>,
    /// Those that allocations have, without those that only stacks have.
    sites_of_kinds: HashSet<u32>,
    /// The trace's stacks by parent and site.
    stacks: HashMap<(u32, u32), u32>,
    /// How many blocks there were: each has a number in place of its address.
    blocks: u64,
    time_ns: u64,
}

struct Instruction {
    address: u64,
    module: u64,
    function: u64,
    file: u64,
    line: u64,
}

struct Kind {
    bytes: u64,
    site: u32,
    stack: u32,
    live: Vec<u64>,
}

/// Reads a file and writes a trace.
pub(super) fn convert<R: BufRead>(mut lines: Lines<R>, out: impl Write) -> Converted {
    let unwritable = |error| (None, ConvertErrorKind::Unwritable(error));
    let mut writer = TraceWriter::new(out).map_err(unwritable)?;
    writer.note("recorder", "heaptrack").map_err(unwritable)?;
    let mut reader = Reader {
        books: Books::new(writer),
        strings: Vec::new(),
        instructions: Vec::new(),
        traces: Vec::new(),
        kinds: Vec::new(),
        sites: HashMap::new(),
        sites_of_kinds: HashSet::new(),
        stacks: HashMap::new(),
        blocks: 0,
        time_ns: 1,
    };
    loop {
        let read = match lines.next() {
            Ok(Some(line)) => reader.line(line),
            Ok(None) => break,
            Err(kind) => Err(kind),
        };
        if let Err(kind) = read {
            // Not what reading or writing has refused.
            let of_line = matches!(
                kind,
                ConvertErrorKind::Malformed { .. }
                    | ConvertErrorKind::Unnamed { .. }
                    | ConvertErrorKind::NotLive
            );
            if of_line && lines.is_cut() {
                break;
            }
            return Err((Some(lines.number()), kind));
        }
    }
    let sites = reader.sites_of_kinds.len();
    let (mut summary, _) = reader.books.finish().map_err(unwritable)?;
    summary.sites = sites;
    Ok(summary)
}

impl<W: Write> Reader<W> {
    fn line(&mut self, line: &str) -> Result<(), ConvertErrorKind> {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut words = rest.split_ascii_whitespace();
        let mut number = |wanted| {
            let word = words.next().unwrap_or_default();
            u64::from_str_radix(word, 16).map_err(|_| ConvertErrorKind::Malformed { wanted })
        };
        match kind {
            "v" => match rest.split(' ').nth(1) {
                Some(VERSION) => Ok(()),
                version => Err(ConvertErrorKind::OtherVersion {
                    version: version.unwrap_or("1").to_owned(),
                }),
            },
            "X" => self.books.writer.note("program", rest).map_err(ConvertErrorKind::Unwritable),
            "s" => {
                let text = rest.split_once(' ').map_or("", |(_, text)| text);
                Ok(try_push(&mut self.strings, text.to_owned())?)
            }
            "i" => {
                let address = number("an address")?;
                // Where nothing is known of an address, the line ends.
                let [module, function, file, line] =
                    core::array::from_fn(|_| number("a number").unwrap_or(0));
                let instruction = Instruction { address, module, function, file, line };
                Ok(try_push(&mut self.instructions, instruction)?)
            }
            "t" => {
                let trace = (number("an instruction")?, number("a trace")?);
                Ok(try_push(&mut self.traces, trace)?)
            }
            "a" => {
                let (bytes, trace) = (number("a size")?, number("a trace")?);
                let (site, stack) = self.site_and_stack(trace)?;
                Ok(try_push(&mut self.kinds, Kind { bytes, site, stack, live: Vec::new() })?)
            }
            "+" => self.allocate(number("a kind of allocation")?),
            "-" => self.free(number("a kind of allocation")?),
            "c" => {
                self.time_ns = number("a time")?.saturating_mul(NANOSECONDS).max(1);
                Ok(())
            }
            // Figures of the machine and process, settings, comments.
            "" | "I" | "R" | "A" | "S" | "#" => Ok(()),
            _ => Err(ConvertErrorKind::Malformed { wanted: "one of v X I s i t a + - c R A S #" }),
        }
    }

    fn allocate(&mut self, kind: u64) -> Result<(), ConvertErrorKind> {
        let who = self.who(kind)?;
        self.blocks += 1;
        let block = self.blocks;
        let kind = self.kind(kind)?;
        try_push(&mut kind.live, block)?;
        let what = (Op::Allocate, ALIGN_LOG2, kind.bytes);
        self.books.allocate(block, what, who).map_err(ConvertErrorKind::Unwritable)
    }

    fn free(&mut self, kind: u64) -> Result<(), ConvertErrorKind> {
        // The freeing site is unknown.
        let who = Who { site: 0, stack: 0, ..self.who(kind)? };
        let block = self.kind(kind)?.live.pop().ok_or(ConvertErrorKind::NotLive)?;
        self.books.free(block, who).map_err(ConvertErrorKind::Unwritable)
    }

    fn who(&mut self, kind: u64) -> Result<Who, ConvertErrorKind> {
        let Kind { site, stack, .. } = *self.kind(kind)?;
        Ok(Who { thread: 0, site, time_ns: self.time_ns, stack })
    }

    fn kind(&mut self, number: u64) -> Result<&mut Kind, ConvertErrorKind> {
        let named = self.kinds.len();
        let unnamed = ConvertErrorKind::Unnamed { what: "kind of allocation", number, named };
        let index = usize::try_from(number).ok();
        index.and_then(|index| self.kinds.get_mut(index)).ok_or(unnamed)
    }

    /// Returns the site of a trace, which is the first that is not C++'s `new`, and its stack.
    fn site_and_stack(&mut self, trace: u64) -> Result<(u32, u32), ConvertErrorKind> {
        let mut name = String::new();
        let mut next = trace;
        for _ in 0..CALLERS_MAX {
            let Some(&(instruction, caller)) = counted(&self.traces, next, "trace")? else { break };
            let Some(at) = counted(&self.instructions, instruction, "instruction")? else { break };
            let found = self.name(at)?;
            let function = self.string(at.function)?;
            let is_wrapper = function.starts_with("operator new") || function.starts_with("_Zn");
            next = caller;
            if !is_wrapper {
                name = found;
                break;
            }
            // It is used unless a better name is found.
            if name.is_empty() {
                name = found;
            }
        }
        if name.is_empty() {
            return Ok((0, 0));
        }
        let site = self.site(name)?;
        self.sites_of_kinds.insert(site);
        let stack = self.stack(site, next)?;
        Ok((site, stack))
    }

    /// Returns the stack of a site with the callers of a trace.
    fn stack(&mut self, site: u32, callers: u64) -> Result<u32, ConvertErrorKind> {
        let mut sites = vec![site];
        let mut next = callers;
        while sites.len() <= STACK_MAX {
            let Some(&(instruction, caller)) = counted(&self.traces, next, "trace")? else { break };
            let Some(at) = counted(&self.instructions, instruction, "instruction")? else { break };
            let name = self.name(at)?;
            sites.push(self.site(name)?);
            next = caller;
        }
        let mut stack = 0;
        for site in sites.into_iter().rev() {
            stack = match self.stacks.get(&(stack, site)) {
                Some(&known) => known,
                None => {
                    let parent = stack;
                    let new = self.books.writer.stack(parent, site);
                    let new = new.map_err(ConvertErrorKind::Unwritable)?;
                    self.stacks.insert((parent, site), new);
                    new
                }
            };
        }
        Ok(stack)
    }

    /// Returns the number of a name, naming it first where it is new.
    fn site(&mut self, name: String) -> Result<u32, ConvertErrorKind> {
        if let Some(&site) = self.sites.get(&name) {
            return Ok(site);
        }
        let site = self.books.writer.site(&name).map_err(ConvertErrorKind::Unwritable)?;
        self.sites.insert(name, site);
        Ok(site)
    }

    fn name(&self, at: &Instruction) -> Result<String, ConvertErrorKind> {
        let (module, function) = (self.string(at.module)?, self.string(at.function)?);
        let file = self.string(at.file)?;
        let module = module.rsplit('/').next().unwrap_or_default();
        Ok(match (file, function) {
            ("", "") => format!("{module}@{:#x}", at.address),
            ("", function) => format!("{module}!{function}@{:#x}", at.address),
            (file, _) => format!("{file}:{}", at.line),
        })
    }

    fn string(&self, number: u64) -> Result<&str, ConvertErrorKind> {
        Ok(counted(&self.strings, number, "string")?.map_or("", |text| text))
    }
}

/// Returns the item that a number refers to, counting from 1; 0 is nothing.
fn counted<'a, T>(
    named: &'a [T],
    number: u64,
    what: &'static str,
) -> Result<Option<&'a T>, ConvertErrorKind> {
    let Some(index) = number.checked_sub(1) else { return Ok(None) };
    let found = usize::try_from(index).ok().and_then(|index| named.get(index));
    found.map(Some).ok_or(ConvertErrorKind::Unnamed { what, number, named: named.len() })
}

#[cfg(test)]
mod tests;
