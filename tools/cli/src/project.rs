//! `loligo check` of a project.

use core::fmt::Write as _;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use loligo_compiler::Platform;

use crate::output::Output;
use crate::print::print;
use crate::references::References;
use crate::texts::{self, TextResource};

mod findings;
mod graph;
mod page;
mod treemap;
mod trial;

use trial::Trial;

/// From how many bytes on a resource is large, if nothing else is said.
const LARGE: u64 = 16 << 20;

/// How a project is checked.
#[derive(Debug, Args)]
pub(crate) struct ProjectOptions {
    /// Of a project: write a page with what takes the bytes and what names what
    #[arg(long, value_name = "FILE.html")]
    page: Option<PathBuf>,

    /// Of a project: findings that are left out; may be given several times
    #[arg(long, value_enum, value_name = "KIND")]
    allow: Vec<Allowed>,

    /// Of a project: from how many bytes on a resource is large
    #[arg(long, value_name = "BYTES", default_value_t = LARGE)]
    large: u64,
}

/// Findings that may be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Allowed {
    /// Resources that nothing names
    Unused,
    /// Files with the same bytes
    Double,
    /// Resources of many bytes
    Large,
    /// Texts that are missing in a language, or that no source has
    Text,
}

/// What a finding is about, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A level, an entity or a script that cannot be loaded.
    Failed,
    /// A resource that is named and not there.
    Missing,
    /// A text that is missing in a language, or that no source has.
    Text,
    Unused,
    Double,
    Large,
}

impl Kind {
    const ALL: [Self; 6] =
        [Self::Failed, Self::Missing, Self::Text, Self::Unused, Self::Double, Self::Large];

    const fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Missing => "missing",
            Self::Text => "text",
            Self::Unused => "unused",
            Self::Double => "double",
            Self::Large => "large",
        }
    }

    fn is_allowed(self, allowed: &[Allowed]) -> bool {
        let as_option = match self {
            Self::Failed | Self::Missing => return false,
            Self::Text => Allowed::Text,
            Self::Unused => Allowed::Unused,
            Self::Double => Allowed::Double,
            Self::Large => Allowed::Large,
        };
        allowed.contains(&as_option)
    }
}

/// Something that a person should look at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    kind: Kind,
    /// Where it is, as `file:line:column` or `file`.
    place: String,
    text: String,
}

/// Returns whether a text is the folder of a game.
pub(crate) fn is_project(text: &str) -> bool {
    Path::new(text).join("game.config").is_file()
}

impl ProjectOptions {
    /// Returns whether nothing was said of projects.
    pub(crate) fn are_default(&self) -> bool {
        self.page.is_none() && self.allow.is_empty() && self.large == LARGE
    }

    /// Compiles a project, looks at its tables and tries all that it has; returns whether nothing is wrong.
    ///
    /// # Errors
    ///
    /// What is to be printed, if it could not be done.
    pub(crate) fn check(&self, project: &Path) -> Result<bool, String> {
        let page = self.page.as_deref().map(Output::prepare).transpose();
        let page = page.map_err(|error| error.to_string())?;
        let references = References::of(project)?;
        let reached = findings::reached(project, &references)?;
        let mut findings = findings::missing(&references);
        findings.extend(text_findings(project, &references)?);
        findings.extend(findings::unused(&references, &reached));
        findings.extend(findings::doubles(project, &references));
        findings.extend(findings::large(&references, self.large));
        let data = project.join(".loligo").join(Platform::here().name);
        // Of what is wrong there are old bytes, or none.
        let trial = match references.wrong {
            0 => Trial::of(&data, &references, &reached),
            _ => Trial::default(),
        };
        findings.extend(trial.findings.iter().cloned());
        for name in &trial.missing_texts {
            // Those that a script names are among the findings, with their places.
            let named = format!("there is no text `{name}`;");
            if !findings.iter().any(|finding| finding.text.starts_with(&named)) {
                let text =
                    format!("the game asks for the text `{name}`, which no source has; add it");
                let place = "game.config".to_owned();
                findings.push(Finding { kind: Kind::Text, place, text });
            }
        }
        findings.retain(|finding| !finding.kind.is_allowed(&self.allow));
        findings.sort();
        print(&text(&references, &trial, &findings))?;
        if let Some(page) = page {
            let text = page::page(project, &references, &findings);
            page.write(text.as_bytes()).map_err(|error| error.to_string())?;
        }
        Ok(findings.is_empty() && references.wrong == 0)
    }
}

/// Returns what is to be said of texts.
fn text_findings(project: &Path, references: &References) -> Result<Vec<Finding>, String> {
    let all = TextResource::all(project, references)?;
    let mut remarks: Vec<_> = all.iter().flat_map(TextResource::remarks).collect();
    remarks.extend(texts::unknown(project, references, &all)?);
    let finding = |of: texts::Remark| Finding { kind: Kind::Text, place: of.place, text: of.text };
    Ok(remarks.into_iter().map(finding).collect())
}

/// Returns the findings as lines, and what was looked at.
fn text(references: &References, trial: &Trial, findings: &[Finding]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for finding in findings {
        let _ = writeln!(text, "{}: {}: {}", finding.place, finding.kind.word(), finding.text);
    }
    let resources = references.index.entries.len();
    let Trial { levels, entities, scripts, .. } = trial;
    let _ = match references.wrong {
        0 => writeln!(
            text,
            "{resources} resources; tried: {levels} levels, {entities} entities, {scripts} scripts"
        ),
        wrong => writeln!(
            text,
            "{resources} resources, of which {wrong} are wrong: nothing was tried; correct them first"
        ),
    };
    let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
    findings.iter().for_each(|finding| *counts.entry(finding.kind).or_default() += 1);
    let counts: Vec<String> = Kind::ALL
        .into_iter()
        .filter_map(|kind| Some(format!("{} {}", counts.get(&kind)?, kind.word())))
        .collect();
    let _ = match counts.is_empty() {
        true => writeln!(text, "nothing is to be said"),
        false => writeln!(text, "{}", counts.join(", ")),
    };
    text
}
