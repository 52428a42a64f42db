//! What the arguments ask for.

use super::explained::Explained;
use super::site::Mutant;
use super::verdicts::{Verdict, Verdicts};
use crate::outcome::Failure;

/// What to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    #[default]
    Run,
    Help,
    Summary,
    List(Wanted),
    Page,
    Check,
}

/// Mutants that are meant by what became of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Verdict(Verdict),
    /// Missed or unreached, and not explained.
    Survived,
}

/// A request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) mode: Mode,
    /// Which part of how many, from 1.
    pub(super) shard: Option<(u32, u32)>,
    pub(super) minutes: Option<u64>,
    /// The time that the tests of one mutant may take, in seconds.
    pub(super) budget: Option<u32>,
    pub(super) again: Option<Wanted>,
    /// Whether only the unit tests of the mutants' own crates are run.
    pub(super) unit: bool,
    pub(super) files: Vec<String>,
}

impl Request {
    /// Whether a mutant is to be judged.
    pub(super) fn is_asked(
        &self,
        mutant: &Mutant,
        verdicts: &Verdicts,
        explained: &Explained,
    ) -> bool {
        if !self.is_in_files(&mutant.file) || !self.is_in_shard(mutant) {
            return false;
        }
        match (verdicts.get(mutant), self.again) {
            (None, _) => true,
            (Some(verdict), Some(wanted)) => wanted.holds(verdict, explained.has(mutant)),
            _ => false,
        }
    }

    /// Whether a file is asked for.
    pub(super) fn is_in_files(&self, path: &str) -> bool {
        self.files.is_empty() || self.files.iter().any(|name| is_below(path, name))
    }

    /// Functions stay together, as they are judged one after another.
    fn is_in_shard(&self, mutant: &Mutant) -> bool {
        self.shard.is_none_or(|(part, parts)| mutant.hash % parts == part - 1)
    }
}

impl Wanted {
    /// Whether a mutant of this verdict is meant.
    pub(super) fn holds(self, verdict: Verdict, is_explained: bool) -> bool {
        match self {
            Self::Verdict(wanted) => verdict == wanted,
            Self::Survived => verdict.survives() && !is_explained,
        }
    }
}

/// Whether a path is that of a file or is in the folder of that name, also said without `.rs`.
pub(super) fn is_below(path: &str, name: &str) -> bool {
    let name = name.trim_start_matches("./").trim_end_matches('/');
    let rest = path.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || rest == ".rs")
}

/// Reads the arguments.
///
/// # Errors
///
/// [`Failure::Unable`] if they ask for nothing known.
pub(super) fn parse(arguments: &[String]) -> Result<Request, Failure> {
    let mut request = Request::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = |what: &str| {
            let next = rest.next().cloned();
            next.ok_or_else(|| Failure::Unable(format!("`{argument}` needs {what}")))
        };
        match argument.as_str() {
            "--shard" => request.shard = Some(shard(&value("a part as 1/4")?)?),
            "--minutes" => request.minutes = Some(number(&value("a number")?)?.into()),
            "--budget" => request.budget = Some(number(&value("a number")?)?),
            "--again" => request.again = Some(wanted(&value("a verdict")?)?),
            "--list" => request.mode = Mode::List(wanted(&value("a verdict")?)?),
            "--unit" => request.unit = true,
            "--summary" => request.mode = Mode::Summary,
            "--page" => request.mode = Mode::Page,
            "--check" => request.mode = Mode::Check,
            "--help" | "-h" => request.mode = Mode::Help,
            other if other.starts_with('-') => {
                return Err(Failure::Unable(format!(
                    "`{other}` is no option of mutants; see `cargo xtask mutants --help`"
                )));
            }
            name => request.files.push(name.to_owned()),
        }
    }
    Ok(request)
}

fn number(text: &str) -> Result<u32, Failure> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| Failure::Unable(format!("`{text}` is no number from 1 up")))
}

fn shard(text: &str) -> Result<(u32, u32), Failure> {
    let parts = text.split_once('/').and_then(|(part, parts)| {
        let (part, parts) = (part.parse::<u32>().ok()?, parts.parse::<u32>().ok()?);
        (part >= 1 && part <= parts).then_some((part, parts))
    });
    parts.ok_or_else(|| {
        Failure::Unable(format!("`{text}` is no part of the work: say as 2/4, from 1/4 to 4/4"))
    })
}

fn wanted(name: &str) -> Result<Wanted, Failure> {
    if name == "survived" {
        return Ok(Wanted::Survived);
    }
    Verdict::of_name(name).map(Wanted::Verdict).ok_or_else(|| {
        let known = "caught, timeout, missed, unreached, unviable, survived";
        Failure::Unable(format!("`{name}` is no verdict; there are {known}"))
    })
}
