//! Reading what the recorder has written, and making a trace of it.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::raw::{self, Record};
use super::sites::Sites;
use super::stacks::Stacks;
use crate::books::{Block, Books, Summary, Who};
use crate::trace::{Op, TraceWriter};

/// The file of one program in one process.
#[derive(Debug)]
pub(super) struct Raw {
    path: PathBuf,
    /// Tickets that have a record.
    pub(super) tickets: u64,
    began_ns: u64,
    maps_bytes: u64,
    stop: u64,
    /// Where the table of stacks begins; 0 without one.
    stacks_at: u64,
    /// Stacks that found no place in the table.
    pub(super) stacks_lost: u64,
    /// The command line.
    pub(super) program: String,
}

/// Returns the files of each process, in the order in which they were made.
pub(super) fn find(folder: &Path) -> io::Result<BTreeMap<u32, Vec<Raw>>> {
    let mut found: BTreeMap<u32, Vec<(u32, Raw)>> = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let numbers = name.strip_suffix(".raw").and_then(|name| name.split_once('.'));
        let Some((process, number)) = numbers else { continue };
        if let (Ok(process), Ok(number)) = (process.parse(), number.parse())
            && let Some(raw) = open(&path)?
        {
            found.entry(process).or_default().push((number, raw));
        }
    }
    let in_order = found.into_iter().map(|(process, mut files)| {
        files.sort_by_key(|(number, _)| *number);
        (process, files.into_iter().map(|(_, raw)| raw).collect())
    });
    Ok(in_order.collect())
}

/// Begins the recordings that wait for it: those that are there, and by a file those to come.
pub(super) fn start(folder: &Path) -> io::Result<()> {
    File::create(folder.join(raw::STARTED_NAME))?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "raw") {
            let mut file = fs::OpenOptions::new().write(true).open(path)?;
            file.seek(SeekFrom::Start(raw::START_AT as u64))?;
            file.write_all(&1_u64.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Reads a file's head; `None` where its recorder has not got as far as that.
fn open(path: &Path) -> io::Result<Option<Raw>> {
    let mut head = vec![0; raw::MAPS_AT];
    let mut file = File::open(path)?;
    if file.metadata()?.len() < head.len() as u64 {
        return Ok(None);
    }
    file.read_exact(&mut head)?;
    let word = |at: usize| {
        head[at..at + 8].iter().rev().fold(0, |word: u64, &byte| word << 8 | u64::from(byte))
    };
    if word(0) != raw::MAGIC {
        return Ok(None);
    }
    let command = &head[raw::COMMAND_AT..];
    let end = command.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    Ok(Some(Raw {
        path: path.to_owned(),
        tickets: word(raw::TICKETS_AT).min(word(raw::CAPACITY_AT)),
        began_ns: word(raw::BEGAN_AT),
        maps_bytes: word(raw::MAPS_USED_AT).min(raw::MAPS_BYTES as u64),
        stop: word(raw::STOP_AT),
        stacks_at: word(raw::STACKS_AT),
        stacks_lost: word(raw::STACKS_LOST_AT),
        program: String::from_utf8_lossy(&command[..end]).replace('\0', " "),
    }))
}

/// Why a recording has no more events.
const FULL: &str = "its file is full, by --max-events or a limit of the system";
const ENOUGH: &str = "--max-events allows no more; record with a greater number";

impl Raw {
    /// Reports what stopped the recording before the program ended.
    pub(super) fn stopped(&self) -> Option<&'static str> {
        match self.stop {
            0 => None,
            stop if stop == u64::from(raw::STOP_FULL) => Some(FULL),
            _ => Some("the disk of its temporary folder was full"),
        }
    }

    /// Opens the file where a part of it begins.
    fn part(&self, at: usize) -> io::Result<File> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(at as u64))?;
        Ok(file)
    }

    fn stacks(&self) -> io::Result<Option<Stacks>> {
        if self.stacks_at == 0 {
            return Ok(None);
        }
        let at = usize::try_from(self.stacks_at).map_err(|_| io::ErrorKind::InvalidData)?;
        Stacks::read(BufReader::new(self.part(at)?)).map(Some)
    }

    /// Returns the program's file: what is first in its memory. `None` if nothing was recorded.
    pub(super) fn program_file(&self) -> io::Result<Option<String>> {
        Ok(first_file(&self.maps()?))
    }

    /// Returns the maps of the process, the older copies first.
    pub(super) fn maps(&self) -> io::Result<String> {
        let mut maps = Vec::new();
        self.part(raw::MAPS_AT)?.take(self.maps_bytes).read_to_end(&mut maps)?;
        Ok(String::from_utf8_lossy(&maps).into_owned())
    }
}

/// Returns the first file of the oldest copy of the maps, which are in the order of addresses: the
/// program, below all libraries.
fn first_file(maps: &str) -> Option<String> {
    let path = maps.lines().find_map(|line| line.find('/').map(|at| &line[at..]))?;
    Some(path.strip_suffix(" (deleted)").unwrap_or(path).to_owned())
}

/// Makes a trace of at most `max_events` events.
pub(super) fn convert(raw: &Raw, out: impl Write, max_events: u64) -> io::Result<Summary> {
    let mut writer = TraceWriter::new(out)?;
    writer.note("program", &raw.program)?;
    writer.note("recorder", concat!("loligo record ", env!("CARGO_PKG_VERSION")))?;
    let maps = raw.maps()?;
    let mut reading = Reading {
        books: Books::new(writer),
        sites: Sites::new(&maps, first_file(&maps).as_deref()),
        stacks: raw.stacks()?,
        lifted: HashMap::new(),
        began_ns: raw.began_ns,
        program_events: 0,
    };
    let mut file = BufReader::with_capacity(raw::RECORD_BYTES << 12, raw.part(raw::RECORDS_AT)?);
    let mut bytes = [0; raw::RECORD_BYTES];
    let mut stopped = raw.stopped();
    for _ in 0..raw.tickets {
        file.read_exact(&mut bytes)?;
        let Some(record) = decode(&bytes) else { continue };
        if reading.books.summary.events >= max_events {
            // The file has room for twice as many, since a reallocation takes two records.
            stopped = Some(ENOUGH);
            break;
        }
        reading.enter(&record)?;
    }
    let Reading { mut books, sites, program_events, .. } = reading;
    if let Some(why) = stopped {
        books.writer.note("stopped", why)?;
    }
    let (mut summary, _) = books.finish()?;
    summary.stopped = stopped;
    summary.sites = sites.count();
    summary.program_events = program_events;
    Ok(summary)
}

fn decode(bytes: &[u8; raw::RECORD_BYTES]) -> Option<Record> {
    let (words, _) = bytes.as_chunks();
    let mut record = [0; 6];
    for (word, bytes) in record.iter_mut().zip(words) {
        *word = u64::from_le_bytes(*bytes);
    }
    Record::of_words(record)
}

/// A recording on its way from addresses to slots and names.
struct Reading<W: Write> {
    books: Books<W>,
    sites: Sites,
    stacks: Option<Stacks>,
    /// What each thread is reallocating, `None` for a block that is not known.
    lifted: HashMap<u32, (u64, Option<Block>)>,
    began_ns: u64,
    /// Events whose call site is in the program's own file.
    program_events: u64,
}

impl<W: Write> Reading<W> {
    fn enter(&mut self, record: &Record) -> io::Result<()> {
        let (address, bytes, align) = (record.address, record.bytes, record.align_log2);
        match record.op {
            raw::OP_ALLOCATE => {
                let who = self.who(record)?;
                self.books.allocate(address, (Op::Allocate, align, bytes), who)
            }
            raw::OP_ALLOCATE_ZEROED => {
                let who = self.who(record)?;
                self.books.allocate(address, (Op::AllocateZeroed, align, bytes), who)
            }
            raw::OP_FREE => {
                let who = self.who(record)?;
                self.books.free(address, who)
            }
            raw::OP_MARK => {
                let who = self.who(record)?;
                self.books.mark(bytes, who)
            }
            raw::OP_LIFT => {
                let block = self.books.lift(address);
                self.lifted.insert(record.thread, (address, block));
                Ok(())
            }
            raw::OP_LAND => self.land(record),
            // None but a newer recorder's, and the recorder is this program's own.
            _ => Ok(()),
        }
    }

    /// The second half of a reallocation. The block has a new place; or at 0 none, because it was
    /// freed by a size of 0, or because there was no memory and it stays where it was.
    fn land(&mut self, record: &Record) -> io::Result<()> {
        // Where the recording began between the two halves, the block is not known.
        let (old, block) = self.lifted.remove(&record.thread).unwrap_or_default();
        let who = self.who(record)?;
        match (record.address, record.bytes, block) {
            (0, 0, Some(block)) => self.books.free_lifted(block, who),
            (0, _, Some(block)) => self.books.put_back(old, block),
            (0, _, None) => Ok(()),
            (address, bytes, Some(block)) => self.books.land(address, block, bytes, who),
            (address, bytes, None) => {
                self.books.summary.strangers += 1;
                self.books.allocate(address, (Op::Allocate, record.align_log2, bytes), who)
            }
        }
    }

    fn who(&mut self, record: &Record) -> io::Result<Who> {
        let writer = &mut self.books.writer;
        let site = self.sites.of(record.site, record.above, writer)?;
        self.program_events += u64::from(self.sites.is_of_program(site));
        let stack = match &mut self.stacks {
            Some(stacks) if record.op != raw::OP_FREE && record.op != raw::OP_MARK => {
                stacks.of(record, site, &mut self.sites, writer)?
            }
            _ => 0,
        };
        Ok(Who {
            thread: record.thread.into(),
            site,
            // Time 0 means that there is no clock.
            time_ns: record.time_ns.saturating_sub(self.began_ns).max(1),
            stack,
        })
    }
}
