//! `loligo sjson`.

use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use loligo_sjson::{EditError, Edits, Options, Path, Style, SyntaxTree};

use crate::MEMORY;
use crate::print::{print, say};

mod source;
mod tree;

use source::{Source, SourceError};

/// Reads, checks, formats and edits SJSON, and converts it to and from JSON.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Sjson {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  loligo sjson check levels/*.sjson
  loligo sjson format level.sjson
  loligo sjson to-json level.sjson | jq .

FILE may be `-` for standard input. docs/reference/sjson.md describes SJSON.
Exit status: 0 all went well, 1 a check found something, 2 it could not be done.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Says what is wrong in files: file, line, column, what was expected, what to do
    #[command(after_help = "Example:
  loligo sjson check units/*.unit levels/*.level

Exit status: 0 nothing is wrong, 1 something is, 2 a file cannot be read.")]
    Check(Check),
    /// Writes each thing in its one place; comments stay
    #[command(after_help = "Examples:
  loligo sjson format level.sjson
  loligo sjson format --write units/*.unit

A file is replaced whole or not at all, and not touched if it is in its form already.")]
    Format(Format),
    /// Prints SJSON as JSON
    #[command(after_help = "Examples:
  loligo sjson to-json level.sjson | jq .units
  loligo sjson to-json --compact - < level.sjson

Comments are left out; numbers keep their digits.")]
    ToJson(ToJson),
    /// Prints JSON as SJSON; what is not strict JSON is refused
    #[command(after_help = "Example:
  curl https://example.org/data.json | loligo sjson from-json -")]
    FromJson(OneFile),
    /// Prints a value as it is written
    #[command(after_help = "Examples:
  loligo sjson get level.sjson units/3/name
  loligo sjson get level.sjson units/3/name --text

A path is made of keys and of indices from 0 on; `/` in a key is written ~1, and ~ is ~0.")]
    Get(Get),
    /// Prints the file with one value changed and every other byte as it was
    #[command(after_help = "Examples:
  loligo sjson set level.sjson units/3/position/0 -1.5
  loligo sjson set level.sjson units/3/name '\"gate\"' > changed.sjson
  loligo sjson set --write level.sjson fog '{ near = 10 far = 250 }'
  loligo sjson set --insert level.sjson units/- '{ name = \"gate\" }'

VALUE is SJSON: text has quotes of its own. A path that leads nowhere is refused, so that a slip changes nothing; with
--insert the last key of it may be new, and `-` is the place after the last item of an array.")]
    Set(Set),
}

#[derive(Debug, Args)]
struct Check {
    /// Files, or `-`
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Accept strict JSON alone
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Format {
    /// A file, or `-`; with --write as many as you like
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Write the files instead of printing
    #[arg(long)]
    write: bool,
}

#[derive(Debug, Args)]
struct ToJson {
    /// A file, or `-`
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// On one line
    #[arg(long)]
    compact: bool,
}

#[derive(Debug, Args)]
struct OneFile {
    /// A file, or `-`
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Debug, Args)]
struct Get {
    /// A file, or `-`
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Keys and indices with `/` between
    #[arg(value_name = "PATH")]
    path: String,

    /// Print a string without quotes, its escapes replaced
    #[arg(long)]
    text: bool,
}

#[derive(Debug, Args)]
struct Set {
    /// A file, or `-`
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Keys and indices with `/` between
    #[arg(value_name = "PATH")]
    path: String,

    /// The new value
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    value: String,

    /// Add the value where there is none yet
    #[arg(long)]
    insert: bool,

    /// Write the file instead of printing
    #[arg(long)]
    write: bool,
}

impl Sjson {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        let outcome = match &self.command {
            Command::Check(check) => return check.run(),
            Command::Format(format) => format.run(),
            Command::ToJson(to) => {
                let style = if to.compact { Style::JSON_COMPACT } else { Style::JSON };
                convert(&to.file, &Options::SJSON, style)
            }
            Command::FromJson(from) => convert(&from.file, &Options::JSON, Style::SJSON),
            Command::Get(get) => get.run(),
            Command::Set(set) => set.run(),
        };
        match outcome {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => unable(&message),
        }
    }
}

impl Check {
    /// Looks at every file, so that all that is wrong is reported at once.
    fn run(&self) -> ExitCode {
        let options = if self.json { Options::JSON } else { Options::SJSON };
        let mut status = 0;
        for file in &self.files {
            let checked = Source::read(file, &options).and_then(|source| source.check(&options));
            if let Err(fault) = checked {
                say!("loligo: {fault}");
                status = status.max(if matches!(fault, SourceError::Syntax(_)) { 1 } else { 2 });
            }
        }
        ExitCode::from(status)
    }
}

impl Format {
    fn run(&self) -> Result<(), String> {
        if let ([_, _, ..], false) = (&self.files[..], self.write) {
            return Err("one file is printed at a time; `--write` writes several".into());
        }
        // All are read before the first is written.
        let mut formatted = Vec::new();
        for file in &self.files {
            let source = Source::read(file, &Options::SJSON).map_err(text)?;
            let written = source.format(&Options::SJSON, Style::SJSON).map_err(text)?;
            formatted.push((source, written));
        }
        for (source, written) in formatted {
            if !self.write {
                print(&written)?;
            } else if source.bytes() != written.as_bytes() {
                source.replace(&written)?;
            }
        }
        Ok(())
    }
}

impl Get {
    fn run(&self) -> Result<(), String> {
        let source = Source::read(&self.file, &Options::SJSON).map_err(text)?;
        let tree = source.tree().map_err(text)?;
        let node =
            tree.find(Path::new(&self.path)).map_err(|error| source.no_way(&tree, &error))?;
        let mut value = String::new();
        match node.string() {
            Some(string) if self.text => {
                let Ok(()) = string.unescape(|piece| {
                    value.push_str(piece);
                    Ok::<(), core::convert::Infallible>(())
                });
            }
            _ => value.push_str(node.text()),
        }
        value.push('\n');
        print(&value)
    }
}

impl Set {
    fn run(&self) -> Result<(), String> {
        let source = Source::read(&self.file, &Options::SJSON).map_err(text)?;
        let tree: SyntaxTree<'_, '_, _> = source.tree().map_err(text)?;
        let (path, value) = (Path::new(&self.path), &*self.value);
        let mut edits = Edits::new(&tree);
        let set = match edits.set(path, value) {
            Err(EditError::Path(_)) if self.insert => edits.insert(path, value),
            set => set,
        };
        set.map_err(|error| {
            let mut message = source.no_edit(&tree, &error);
            if !self.insert && edits.insert(path, value).is_ok() {
                message.push_str("; --insert adds it");
            }
            message
        })?;
        let mut edited = String::new();
        // A string takes every write.
        edits.write(&mut edited).map_err(text)?;
        if self.write { source.replace(&edited) } else { print(&edited) }
    }
}

/// Prints a file in another form.
fn convert(file: &std::path::Path, options: &Options, style: Style) -> Result<(), String> {
    let source = Source::read(file, options).map_err(text)?;
    print(&source.format(options, style).map_err(text)?)
}

fn unable(message: &str) -> ExitCode {
    say!("loligo: {message}");
    ExitCode::from(2)
}

fn text(error: impl fmt::Display) -> String {
    error.to_string()
}

/// The memory of trees: the command's own.
type Memory = loligo_allocators::Locked<
    loligo_allocators::HeapAllocator<'static, loligo_allocators::PageAllocator>,
>;

/// Returns the allocator that trees are in.
fn memory() -> &'static Memory {
    MEMORY.inner()
}
