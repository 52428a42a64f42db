//! Rule `voice`: texts are plain technical English, as `docs/style.md` shows.
//!
//! Some words are never right here and are refused. Others are right now and then; how often each
//! is used may only fall: `docs/evidence/voice.tsv` has the counts, and `cargo xtask tidy --voice`
//! lowers them.

use core::fmt::Write as _;

use crate::tidy::finding::{Finding, line_at};
use crate::tree::Tree;

/// Where the counts are kept.
pub(super) const COUNTS: &str = "docs/evidence/voice.tsv";

/// What is never right, and what to write instead. Taken apart, so that this file passes its own
/// rule.
const REFUSED: [(&str, &str); 10] = [
    (concat!("who", "ever"), "name the actor: the caller, the owner, a thread that .."),
    (concat!("an", "ew"), "again, or a verb with re-: recompile, rewrite, recreate"),
    (concat!("tells ", "whether"), "Returns `true` if .."),
    (concat!("how-", "manieth"), "its number"),
    (concat!("to ", "who renders"), "to the renderer"),
    (concat!("who ", "draws"), "the renderer, the back end"),
    (concat!("who ", "waits"), "a waiting thread"),
    (concat!("who ", "lends"), "the lender"),
    (concat!("of ", "who"), "name the actor: of a thread that .."),
    (concat!("wakes ", "who"), "wakes all waiting threads"),
];

/// What is right now and then: a name, and the words.
const COUNTED: [(&str, &[&str]); 8] = [
    ("tell", &["tell", "tells", "told"]),
    ("lie", &["lie", "lies", "lay"]),
    ("stand", &["stand", "stands", "stood"]),
    ("behind", &["behind"]),
    ("beside", &["beside"]),
    ("so many", &["so many"]),
    ("of its own", &["of its own"]),
    ("takes in", &["takes in", "taken in"]),
];

/// Looks at every text.
pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for (path, text) in texts(tree) {
        let lower = text.to_ascii_lowercase();
        for (words, instead) in REFUSED {
            for at in places(&lower, words) {
                let what = format!("`{words}` is not plain English: {instead}");
                findings.push(Finding::new("voice", path, line_at(text, at), what));
            }
        }
    }
    let kept = tree.text(COUNTS).unwrap_or_default();
    for (name, count) in counts(tree) {
        let most = most(kept, name);
        if let Some((line, most)) = most
            && count > most
        {
            let what = format!(
                "`{name}` is used {count} times, {most} before: say it plainly, as docs/style.md shows"
            );
            findings.push(Finding::new("voice", COUNTS, line, what));
        }
    }
}

/// Returns the file of counts as it is now; a count that is higher than before stays as it was.
pub(super) fn lowered(tree: &Tree) -> String {
    let kept = tree.text(COUNTS).unwrap_or_default();
    let mut text =
        String::from("# Words that are used less and less: `cargo xtask tidy --voice`.\n");
    for (name, count) in counts(tree) {
        let count = most(kept, name).map_or(count, |(_, most)| most.min(count));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name}\t{count}");
    }
    text
}

/// Returns how often each of the counted words is used.
pub(super) fn counts(tree: &Tree) -> Vec<(&'static str, usize)> {
    let mut counts: Vec<_> = COUNTED.iter().map(|(name, _)| (*name, 0)).collect();
    for (_, text) in texts(tree) {
        let lower = text.to_ascii_lowercase();
        for ((_, words), (_, count)) in COUNTED.iter().zip(&mut counts) {
            *count += words.iter().map(|word| places(&lower, word).count()).sum::<usize>();
        }
    }
    counts
}

/// Returns the line and the number that is kept for a name.
fn most(kept: &str, name: &str) -> Option<(usize, usize)> {
    (1..).zip(kept.lines()).find_map(|(line, row)| {
        let (key, count) = row.split_once('\t')?;
        (key == name).then(|| count.parse().ok().map(|count| (line, count)))?
    })
}

/// The texts that people write here: no records of runs, no verdicts, and not the page that shows
/// what to avoid.
fn texts(tree: &Tree) -> impl Iterator<Item = (&str, &str)> {
    tree.texts().filter(|(path, _)| {
        let is_text = [".rs", ".md", ".lua"].iter().any(|end| path.ends_with(end));
        let is_exempt = path.starts_with("benches/record/")
            || ["docs/style.md", "docs/evidence/mutants.md"].contains(path)
            || *path == concat!("xtask/src/tidy/vo", "ice.rs");
        is_text && !is_exempt
    })
}

/// Returns where the words begin, whole words alone.
fn places<'t>(lower: &'t str, words: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    lower.match_indices(words).map(|(at, _)| at).filter(move |at| {
        !lower[..*at].ends_with(is_letter) && !lower[at + words.len()..].starts_with(is_letter)
    })
}
