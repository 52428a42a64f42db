//! A file that is read whole, or standard input.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use loligo_sjson::{FormatError, Options, Parser, SjsonError, Style, format};

use crate::output::Output;

/// The bytes of a file, and what it is called.
pub(super) struct Source {
    /// None for standard input.
    path: Option<PathBuf>,
    name: String,
    bytes: Vec<u8>,
}

/// What is wrong with a file.
#[derive(Debug)]
pub(super) enum SourceError {
    /// It cannot be read.
    Unreadable(String),
    /// It is not what it should be.
    Syntax(String),
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Unreadable(message) | Self::Syntax(message)) = self;
        f.write_str(message)
    }
}

impl Source {
    /// Reads a file, or standard input for `-`, and no more of it than the options allow.
    pub(super) fn read(path: &Path, options: &Options) -> Result<Self, SourceError> {
        let is_stdin = path.as_os_str() == "-";
        let name = if is_stdin { "standard input".into() } else { path.display().to_string() };
        let mut bytes = Vec::new();
        let limit = u64::from(options.bytes_max);
        let read = if is_stdin {
            io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)
        } else {
            File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        };
        match read {
            Err(cause) => {
                let remedy = "name a file, or `-` for standard input";
                Err(SourceError::Unreadable(format!("{name}: cannot read: {cause}; {remedy}")))
            }
            Ok(_) if bytes.len() as u64 > limit => Err(SourceError::Unreadable(format!(
                "{name}: cannot read: it has more than {limit} bytes; split it"
            ))),
            Ok(_) => Ok(Self { path: (!is_stdin).then(|| path.to_owned()), name, bytes }),
        }
    }

    /// Returns the bytes as they were read.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns what messages call it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Reads the text to its end.
    pub(super) fn check(&self, options: &Options) -> Result<(), SourceError> {
        let mut parser = Parser::new(&self.bytes, options);
        loop {
            match parser.next_event() {
                Ok(Some(_)) => {}
                Ok(None) => return Ok(()),
                Err(error) => return Err(self.source_error(&error)),
            }
        }
    }

    /// Returns the text in another form.
    pub(super) fn format(&self, options: &Options, style: Style) -> Result<String, SourceError> {
        let mut text = String::with_capacity(self.bytes.len());
        match format(&self.bytes, options, style, &mut text) {
            Ok(()) => Ok(text),
            Err(FormatError::Syntax(error)) => Err(self.source_error(&error)),
            Err(error) => Err(SourceError::Unreadable(format!("{}: {error}", self.name))),
        }
    }

    /// Puts a text in the place of the file, whole or not at all.
    pub(super) fn replace(&self, text: &str) -> Result<(), String> {
        let Some(path) = &self.path else {
            return Err("standard input cannot be written; leave --write out".into());
        };
        let output = Output::prepare(path).map_err(|error| error.to_string())?;
        output.write(text.as_bytes()).map_err(|error| error.to_string())
    }

    /// Says what is wrong, with the line it is in and a mark below the place.
    pub(super) fn source_error(&self, error: &SjsonError) -> SourceError {
        let mut message = error.in_file(&self.name).to_string();
        let text = String::from_utf8_lossy(&self.bytes);
        let line = text.lines().nth(error.line() as usize - 1).unwrap_or_default();
        let column = error.column() as usize - 1;
        // A line that fills more than the screen says nothing.
        if line.chars().count() <= 120
            && line.chars().all(|char| char == '\t' || !char.is_control())
        {
            let indent: String = line
                .chars()
                .take(column)
                .map(|char| if char == '\t' { '\t' } else { ' ' })
                .collect();
            message.push_str(&format!("\n  {line}\n  {indent}^"));
        }
        SourceError::Syntax(message)
    }
}
