//! The figures: what share of the mutants is caught, and how much of tier 0 the verdicts cover.

use core::fmt::Write as _;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::explained::{self, Explained};
use super::judge::BUDGET_SECONDS;
use super::record;
use super::request::{Request, Wanted};
use super::site::Mutant;
use super::sources::CRATES;
use super::verdicts::{Verdict, Verdicts};
use super::world::World;
use crate::outcome::{Failure, Outcome};

/// The path of the page, from the root.
const PAGE: &str = "docs/evidence/mutants.md";

/// How many mutants of a place there are, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// All that were found in the code as it is.
    pub(crate) found: usize,
    /// Those without a verdict.
    pub(crate) open: usize,
    pub(crate) caught: usize,
    pub(crate) timeout: usize,
    pub(crate) missed: usize,
    pub(crate) unreached: usize,
    /// Those of the survivors that are explained.
    pub(crate) explained: usize,
    pub(crate) unviable: usize,
}

impl Tally {
    fn add(&mut self, verdict: Option<Verdict>, is_explained: bool) {
        self.found += 1;
        let count = match verdict {
            None => &mut self.open,
            Some(Verdict::Caught) => &mut self.caught,
            Some(Verdict::Timeout) => &mut self.timeout,
            Some(Verdict::Missed) => &mut self.missed,
            Some(Verdict::Unreached) => &mut self.unreached,
            Some(Verdict::Unviable) => &mut self.unviable,
        };
        *count += 1;
        if is_explained && verdict.is_some_and(Verdict::survives) {
            self.explained += 1;
        }
    }

    /// Those for which a test failed or ran out of time.
    pub(crate) fn all_caught(&self) -> usize {
        self.caught + self.timeout
    }

    /// Those that were judged and are programs.
    pub(crate) fn judged(&self) -> usize {
        self.all_caught() + self.missed + self.unreached
    }

    /// Those that live on without an explanation.
    pub(crate) fn survivors(&self) -> usize {
        self.missed + self.unreached - self.explained
    }

    /// The share caught of those judged, in tenths of a per cent.
    pub(crate) fn share(&self) -> usize {
        per_mille(self.all_caught(), self.judged())
    }

    /// The share that has a verdict, in tenths of a per cent.
    pub(crate) fn cover(&self) -> usize {
        per_mille(self.found - self.open, self.found)
    }

    fn sum(self, other: Self) -> Self {
        Self {
            found: self.found + other.found,
            open: self.open + other.open,
            caught: self.caught + other.caught,
            timeout: self.timeout + other.timeout,
            missed: self.missed + other.missed,
            unreached: self.unreached + other.unreached,
            explained: self.explained + other.explained,
            unviable: self.unviable + other.unviable,
        }
    }
}

/// Rounded down, so that 100.0 % is all of them.
fn per_mille(part: usize, whole: usize) -> usize {
    (part * 1000).checked_div(whole).unwrap_or(0)
}

/// Shows tenths of a per cent.
fn percent(per_mille: usize) -> String {
    format!("{}.{} %", per_mille / 10, per_mille % 10)
}

/// All figures.
pub(crate) struct Report<'a> {
    world: &'a World,
    verdicts: &'a Verdicts,
    explained: Explained,
    stale: usize,
    /// By file, those without mutants left out.
    files: BTreeMap<&'a str, Tally>,
}

impl<'a> Report<'a> {
    /// Counts.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if the explanations are damaged.
    pub(super) fn new(
        world: &'a World,
        verdicts: &'a Verdicts,
        root: &Path,
        stale: usize,
    ) -> Result<Self, Failure> {
        let explained = Explained::load(root)?;
        let mut files = BTreeMap::<&str, Tally>::new();
        for mutant in world.mutants() {
            let tally = files.entry(&mutant.file).or_default();
            tally.add(verdicts.get(mutant), explained.has(mutant));
        }
        Ok(Self { world, verdicts, explained, stale, files })
    }

    /// Returns the figures of all files whose path begins so.
    pub(crate) fn tally(&self, prefix: &str) -> Tally {
        let files = self.files.iter().filter(|(path, _)| path.starts_with(prefix));
        files.fold(Tally::default(), |sum, (_, tally)| sum.sum(*tally))
    }

    /// Returns the figures in two lines.
    pub(super) fn totals(&self) -> String {
        let all = self.tally("");
        let (caught, judged) = (all.all_caught(), all.judged());
        let mut text = format!(
            "mutants: {caught} of {judged} are caught, {}; {} survive, {} more are explained\n",
            percent(all.share()),
            all.survivors(),
            all.explained
        );
        let _ = writeln!(
            text,
            "cover: {} of tier 0: {} mutants found, {} without a verdict, {} are no programs; \
             {} of marks for memory checkers are left to those",
            percent(all.cover()),
            all.found,
            all.open,
            all.unviable,
            self.world.marks()
        );
        text
    }

    /// Returns the totals and what in the files is out of date.
    pub(super) fn check(&self) -> String {
        let mut text = self.totals();
        if self.stale > 0 {
            let _ = writeln!(
                text,
                "{} functions of {} have changed or are gone",
                self.stale,
                record::FILE
            );
        }
        let survives = |mutant: &Mutant| self.verdicts.get(mutant).is_some_and(Verdict::survives);
        let used = self.world.mutants().filter(|it| survives(it) && self.explained.has(it)).count();
        let lapsed = self.explained.len() - used;
        if lapsed > 0 {
            let what = "explain nothing that survives: the function changed, or a test was added";
            let _ = writeln!(text, "{lapsed} rows of {} {what}", explained::FILE);
        }
        text
    }

    /// Returns the figures by file.
    pub(super) fn table(&self, request: &Request) -> String {
        let mut text = format!(
            "{:<46}{:>8}{:>8}{:>8}{:>10}{:>10}{:>6}\n",
            "file", "judged", "caught", "share", "survive", "explained", "open"
        );
        for (path, tally) in &self.files {
            if request.is_in_files(path) {
                let _ = writeln!(
                    text,
                    "{path:<46}{:>8}{:>8}{:>8}{:>10}{:>10}{:>6}",
                    tally.judged(),
                    tally.all_caught(),
                    percent(tally.share()),
                    tally.survivors(),
                    tally.explained,
                    tally.open
                );
            }
        }
        text + &self.totals()
    }

    /// Returns the mutants that are meant, with the lines that they change.
    pub(super) fn list(&self, request: &Request, wanted: Wanted) -> String {
        let mut text = String::new();
        let mut count = 0;
        for file in &self.world.files {
            let lines: Vec<&str> = file.text.lines().collect();
            for mutant in file.found.mutants.iter().filter(|mutant| !mutant.is_mark) {
                let verdict = self.verdicts.get(mutant);
                let holds = verdict
                    .is_some_and(|verdict| wanted.holds(verdict, self.explained.has(mutant)));
                if !holds || !request.is_in_files(&mutant.file) {
                    continue;
                }
                let Mutant { file, line, function, mutation, hash, .. } = mutant;
                let name = verdict.map_or("", Verdict::name);
                let source = lines.get(line - 1).map_or("", |line| line.trim());
                let _ =
                    writeln!(text, "{file}:{line}: {function}: {name}: {mutation} ({hash:08x})");
                let _ = writeln!(text, "    {source}");
                count += 1;
            }
        }
        let _ = writeln!(text, "{count} mutants");
        text
    }

    /// Writes the page.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if it cannot be written.
    pub(super) fn write(&self, root: &Path) -> Outcome {
        fs::write(root.join(PAGE), self.page())
            .map_err(|error| Failure::io(&format!("cannot write {PAGE}"), &error))?;
        println!("written to {PAGE}");
        Ok(())
    }

    fn page(&self) -> String {
        let all = self.tally("");
        let mut text = format!(
            "# Mutants: does a test notice?\n\n\
            Written by `cargo xtask mutants --page` from `{}`; do not edit.\n\n\
            `cargo xtask mutants` changes the code of tier 0 in one place at a time and runs the tests \
            that reach the place until one fails or does not end. What it changes: operators, compound \
            assignments, conditions and each of their clauses, numbers and truth values, the ends of \
            ranges, match arms and guards, some methods (`min` and `max`, `checked_add` and \
            `checked_sub` ...); it leaves out statements, and lets functions return at once. What it \
            does not look at: what macros write or read (`assert!`, `macro_rules!`), constants, code for \
            other systems, and the examples in the documentation, which are not run either. A mutant \
            that no reaching test notices within the sitting's budget of tests (`--budget`, {BUDGET_SECONDS} \
            seconds unless told), those of its own module and the quickest first, is missed.\n\n",
            record::FILE
        );
        let _ = writeln!(
            text,
            "**{} of {} mutants are caught: {}.** {} survive; {} more were looked at one by one and \
             are explained. The verdicts cover {} of the {} mutants found in the code as it is; \
             {} of those found are no programs. {} more change only what memory checkers are told, of \
             which nothing is left in the programs that judge: runs under AddressSanitizer and Valgrind \
             (`cargo xtask sanitize`, `cargo xtask valgrind`) and the fault `pool-left-open` of \
             `cargo xtask planted` stand for those.\n",
            all.all_caught(),
            all.judged(),
            percent(all.share()),
            all.survivors(),
            all.explained,
            percent(all.cover()),
            all.found,
            all.unviable,
            self.world.marks()
        );
        text.push_str("| crate | judged | caught | share | survive | explained | open |\n");
        text.push_str("|---|---|---|---|---|---|---|\n");
        for name in CRATES {
            row(&mut text, name, &self.tally(&format!("{name}/")));
        }
        text.push_str("\n## Files with survivors or without verdicts\n\n");
        text.push_str("| file | judged | caught | share | survive | explained | open |\n");
        text.push_str("|---|---|---|---|---|---|---|\n");
        for (path, tally) in &self.files {
            if tally.survivors() + tally.open > 0 {
                row(&mut text, &format!("`{path}`"), tally);
            }
        }
        let _ = writeln!(
            text,
            "\n`cargo xtask mutants --summary` prints this table with all files. The reason for each \
             mutant that no test can notice is in `{}`.",
            explained::FILE
        );
        text
    }
}

fn row(text: &mut String, name: &str, tally: &Tally) {
    let _ = writeln!(
        text,
        "| {name} | {} | {} | {} | {} | {} | {} |",
        tally.judged(),
        tally.all_caught(),
        percent(tally.share()),
        tally.survivors(),
        tally.explained,
        tally.open
    );
}
