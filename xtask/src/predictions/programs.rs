//! The programs, what they are given to do, and the files for that.

use core::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::debian;
use crate::outcome::{Failure, Outcome};

/// A program and a task for it.
pub(super) struct Program {
    /// What it is called on the page.
    pub(super) name: &'static str,
    /// What it does.
    pub(super) what: &'static str,
    /// Debian's package.
    package: &'static str,
    /// What is run, in the folder of the files. `@ROOT@` is this checkout, and `@CC1@` the compiler that
    /// `gcc` runs; `{}` is the program of the crate `story`.
    words: &'static [&'static str],
}

/// What the program of the crate replaces.
pub(super) const STORY: &str = "{}";

/// The folder of the crate.
pub(super) const STORY_FOLDER: &str = "story";

pub(super) const PROGRAMS: [Program; 12] = [
    Program {
        name: "git",
        what: "the changes of 300 commits",
        package: "git",
        words: &["git", "-C", "@ROOT@", "log", "-p", "-300"],
    },
    Program {
        name: "python3",
        what: "words in dictionaries",
        package: "python3",
        words: &["python3", "words.py"],
    },
    Program {
        name: "sqlite3",
        what: "60 000 rows, an index, two queries",
        package: "sqlite3",
        words: &["sqlite3", ":memory:", ".read job.sql"],
    },
    Program {
        name: "perl",
        what: "words in hashes",
        package: "perl",
        words: &["perl", "words.pl"],
    },
    Program {
        name: "lua5.4",
        what: "trees of tables",
        package: "lua5.4",
        words: &["lua5.4", "trees.lua"],
    },
    Program {
        name: "cc1",
        what: "gcc -O2 of 60 functions",
        package: "gcc",
        words: &["@CC1@", "-quiet", "-O2", "job.c", "-o", "/dev/null"],
    },
    Program {
        name: "jq",
        what: "80 000 objects of JSON, regrouped",
        package: "jq",
        words: &[
            "jq",
            "group_by(.group) | map({group: .[0].group, names: map(.name)})",
            "job.json",
        ],
    },
    Program {
        name: "gawk",
        what: "words in associative arrays",
        package: "gawk",
        words: &["gawk", "-f", "words.awk", "job.txt"],
    },
    Program {
        name: "xmllint",
        what: "a tree of 300 000 elements",
        package: "libxml2-utils",
        words: &["xmllint", "--noout", "--huge", "job.xml"],
    },
    Program {
        name: "ruby",
        what: "objects and texts",
        package: "ruby",
        words: &["ruby", "objects.rb"],
    },
    Program {
        name: "dot",
        what: "the layout of a graph of 60 nodes",
        package: "graphviz",
        words: &["dot", "-Tplain", "-o", "/dev/null", "job.dot"],
    },
    Program {
        name: "rust",
        what: "a program of ours: JSON parsed, a cache of texts",
        package: "cargo",
        words: &[STORY, "job.json"],
    },
];

impl Program {
    /// Returns `true` if it is there, once it was installed where that may be done.
    pub(super) fn is_there(&self) -> bool {
        let program = match self.words[0] {
            "@CC1@" => "gcc",
            STORY => return true,
            program => program,
        };
        is_found(program) || debian::installed(self.package) && is_found(program)
    }

    /// Returns `true` for the program of the crate.
    pub(super) fn is_story(&self) -> bool {
        self.words[0] == STORY
    }

    /// Returns the words of the command.
    pub(super) fn words(&self, root: &Path) -> Vec<String> {
        let cc1 = || {
            let said = Command::new("gcc").arg("-print-prog-name=cc1").output();
            said.map_or_else(
                |_| "cc1".into(),
                |said| String::from_utf8_lossy(&said.stdout).trim().to_owned(),
            )
        };
        let word = |word: &&str| match *word {
            "@ROOT@" => root.display().to_string(),
            "@CC1@" => cc1(),
            word => word.to_owned(),
        };
        self.words.iter().map(word).collect()
    }
}

/// Returns `true` if a program is in a folder of `PATH`.
fn is_found(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Returns words as a line for a shell.
pub(super) fn line(words: &[String]) -> String {
    let is_plain =
        |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "_./:=@+-{}".contains(c));
    let quoted = |word: &String| {
        if is_plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Returns `true` if a package with a library of a peer is installed.
pub(super) fn has_library(package: &str) -> bool {
    let said = Command::new("dpkg").args(["-s", package]).output();
    said.is_ok_and(|said| said.status.success())
}

/// Writes the files that the programs read: scripts, and data that is always the same.
pub(super) fn write_inputs(folder: &Path) -> Outcome {
    let inputs: [(&str, String); 13] = [
        ("words.py", include_str!("words.py").to_owned()),
        ("words.pl", include_str!("words.pl").to_owned()),
        ("trees.lua", include_str!("trees.lua").to_owned()),
        ("objects.rb", include_str!("objects.rb").to_owned()),
        ("words.awk", include_str!("words.awk").to_owned()),
        ("job.sql", include_str!("job.sql").to_owned()),
        ("job.c", functions()),
        ("job.json", objects()),
        ("job.txt", text()),
        ("job.xml", elements()),
        ("job.dot", graph()),
        ("story/Cargo.toml", include_str!("story.toml.txt").to_owned()),
        ("story/src/main.rs", include_str!("story.rs.txt").to_owned()),
    ];
    fs::create_dir_all(folder.join("story/src"))
        .map_err(|error| Failure::io("cannot make a folder", &error))?;
    for (name, text) in inputs {
        fs::write(folder.join(name), text)
            .map_err(|error| Failure::io(&format!("cannot write {name}"), &error))?;
    }
    Ok(())
}

/// Numbers that look random and are the same each time.
fn numbers() -> impl Iterator<Item = u32> {
    core::iter::successors(Some(1_u32), |last| {
        Some(last.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
    })
    .skip(1)
    .map(|number| number >> 8)
}

// Writing to a string cannot fail.

fn functions() -> String {
    let mut text = String::from("struct pair { int a, b; double c[8]; };\n");
    for at in 0..60 {
        let _ = write!(
            text,
            "int f{at}(struct pair *p, int n) {{\n    int sum = {at};\n    for (int i = 0; i < n; i++) {{\n        \
             switch (p[i].a % 7) {{\n        case 0: sum += p[i].b; break;\n        case 1: sum ^= p[i].a << 2; \
             break;\n        case 2: p[i].c[i & 7] *= 1.5; break;\n        default: sum -= (int)p[i].c[{}];\n        \
             }}\n    }}\n    return sum;\n}}\n",
            at % 8
        );
    }
    text
}

fn objects() -> String {
    let mut text = String::from("[");
    for (at, number) in numbers().take(80_000).enumerate() {
        let comma = if at > 0 { "," } else { "" };
        let _ = write!(
            text,
            "{comma}\n{{\"name\": \"name {at}\", \"group\": {}, \"tags\": [\"a{}\", \"b{}\"]}}",
            number % 500,
            number % 7,
            number % 11
        );
    }
    text + "\n]\n"
}

fn text() -> String {
    let mut text = String::new();
    for (at, number) in numbers().take(400_000).enumerate() {
        let end = if at % 12 == 11 { '\n' } else { ' ' };
        let _ = write!(text, "word{}{end}", number % 30_000);
    }
    text
}

fn elements() -> String {
    let mut text = String::from("<items>\n");
    for (at, number) in numbers().take(100_000).enumerate() {
        let _ = writeln!(
            text,
            "<item id=\"{at}\"><name>item {number}</name><tag of=\"{}\"/></item>",
            number % 9
        );
    }
    text + "</items>\n"
}

fn graph() -> String {
    let mut text = String::from("digraph job {\n");
    for (at, number) in numbers().take(100).enumerate() {
        let _ = writeln!(text, "  n{} -> n{};", at % 60, number % 60);
    }
    text + "}\n"
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn words_become_a_line_that_a_shell_reads_back() {
        let words = ["jq", "map(.name)", "it's", "-o", "/dev/null"].map(String::from);
        assert_eq!(line(&words), r"jq 'map(.name)' 'it'\''s' -o /dev/null");
    }
}
