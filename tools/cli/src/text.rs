//! `loligo text`.

use core::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::print::{print, say};
use crate::references::References;
use crate::texts::{TextResource, unknown};

/// Lists the texts of a game by resource and language, and what is missing in which.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Text {
    /// The folder of the sources
    #[arg(value_name = "PROJECT")]
    project: PathBuf,

    /// Look at texts of this language alone
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
}

const EXAMPLES: &str = "Examples:
  loligo text game                    how many texts there are in each language, and what is missing
  loligo text game --language fr      what is to be translated into French

The project is compiled first, as `loligo compile` does. `loligo check` says the same among other things.
Exit status: 0 nothing is missing, 1 something is, or a source is wrong, 2 it could not be done.";

impl Text {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        match self.list() {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(1),
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    /// Prints the list; returns whether nothing is to be said.
    fn list(&self) -> Result<bool, String> {
        let references = References::of(&self.project)?;
        let all = TextResource::all(&self.project, &references)?;
        let languages = || all.iter().flat_map(|of| &of.files).map(|file| &*file.texts.language);
        if let Some(language) = &self.language
            && !languages().any(|of| of == language)
        {
            let mut known: Vec<&str> = languages().collect();
            known.sort_unstable();
            known.dedup();
            return Err(format!(
                "no source has texts in `{language}`; the languages are: {}",
                known.join(", ")
            ));
        }
        let is_wanted = |of: &str| self.language.as_deref().is_none_or(|wanted| wanted == of);
        let (mut text, mut remarks) = (String::new(), Vec::new());
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "{:<40} {:>8} {:>7} {:>7}", "source", "language", "texts", "missing");
        for resource in &all {
            for file in resource.files.iter().filter(|file| is_wanted(&file.texts.language)) {
                let (count, missing) = (file.texts.texts.len(), resource.missing_in(file));
                let (path, language) = (&file.path, &file.texts.language);
                let _ = writeln!(text, "{path:<40} {language:>8} {count:>7} {:>7}", missing.len());
                if self.language.is_some() {
                    remarks.extend(missing);
                }
            }
            if self.language.is_none() {
                remarks.extend(resource.remarks());
            }
        }
        if self.language.is_none() {
            remarks.extend(unknown(&self.project, &references, &all)?);
        }
        remarks.sort();
        remarks.dedup();
        for remark in &remarks {
            let _ = writeln!(text, "{}: {}", remark.place, remark.text);
        }
        print(&text)?;
        Ok(remarks.is_empty() && references.wrong == 0)
    }
}
