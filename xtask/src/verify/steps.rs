//! The steps: what each proves, its command, and how to read what that says.

use super::figures::Row;
use super::{Request, read};

/// A step.
pub(super) struct Step {
    pub(super) name: &'static str,
    /// What it proves.
    pub(super) what: &'static str,
    /// Whether it belongs to a long run alone.
    pub(super) long: bool,
    /// Returns its command, words of the environment first.
    pub(super) command: fn(&Request) -> Vec<String>,
    /// Reads the figures.
    pub(super) read: fn(&str) -> Vec<Row>,
}

/// All steps, in order.
pub(super) const STEPS: &[Step] = &[
    Step {
        name: "tests",
        what: "every test and every example in the documentation",
        long: false,
        command: |_| words("cargo test --workspace"),
        read: read::tests,
    },
    Step {
        name: "worlds",
        what: "every operation in every state of small structures",
        long: false,
        command: |_| {
            words(
                "cargo test -p loligo-allocators -p loligo-ids -p loligo-containers \
                 -p loligo-tests --lib --tests -- --nocapture world exhaustive",
            )
        },
        read: read::worlds,
    },
    Step {
        name: "programs",
        what: "random programs of operations, beside models and under the oracle",
        long: false,
        command: |request| {
            let cases = if request.long { "PROPTEST_CASES=2000 " } else { "" };
            words(&format!(
                "{cases}cargo test -p loligo-tests --test it -- --nocapture run_programs \
                 runs_programs model_programs compositions"
            ))
        },
        read: read::programs,
    },
    Step {
        name: "loom",
        what: "every interleaving of what several threads share",
        long: false,
        command: |request| {
            words(if request.long { "cargo xtask loom --bound 3" } else { "cargo xtask loom" })
        },
        read: read::loom,
    },
    Step {
        name: "misuse",
        what: "each wrong use of each of our allocators, in a process of its own",
        long: false,
        command: |_| words("cargo xtask misuse --ours"),
        read: read::misuse,
    },
    Step {
        name: "sanitize",
        what: "tier 0 under AddressSanitizer and LeakSanitizer",
        long: false,
        command: |_| words("cargo xtask sanitize"),
        read: read::watched,
    },
    Step {
        name: "valgrind",
        what: "the allocators under Valgrind's memcheck",
        long: false,
        command: |request| {
            words(if request.long { "cargo xtask valgrind --long" } else { "cargo xtask valgrind" })
        },
        read: read::watched,
    },
    Step {
        name: "fuzz",
        what: "inputs that libFuzzer makes up, under AddressSanitizer",
        long: false,
        command: |request| {
            if request.long {
                words(&format!("cargo xtask fuzz --minutes {}", request.minutes))
            } else {
                words("cargo xtask ci fuzz")
            }
        },
        read: read::fuzz,
    },
    Step {
        name: "hostile",
        what: "spoiled inputs for all that reads from outside, in child processes",
        long: false,
        command: |_| words("cargo xtask hostile --seconds 60 --inputs 10000"),
        read: read::hostile,
    },
    Step {
        name: "perfetto",
        what: "a trace of a game, read by Perfetto's own code",
        long: false,
        command: |_| words("cargo xtask perfetto"),
        read: read::perfetto,
    },
    Step {
        name: "objects",
        what: "a team's cache on a server of S3 that is not ours",
        long: false,
        command: |_| {
            words(
                "cargo test -p loligo-compiler --features __s3-server --test it -- --nocapture s3::",
            )
        },
        read: read::objects,
    },
    Step {
        name: "targets",
        what: "the tests of tier 0 with 32 bits and in the other byte order",
        long: false,
        command: |_| words("cargo xtask targets"),
        read: read::targets,
    },
    Step {
        name: "tsan",
        what: "real threads under ThreadSanitizer",
        long: true,
        command: |_| words("cargo xtask tsan"),
        read: read::watched,
    },
    Step {
        name: "guests",
        what: "the tests of others' crates over our heap for threads",
        long: true,
        command: |_| words("cargo xtask guests"),
        read: read::guests,
    },
    Step {
        name: "foreign",
        what: "peers' own tests over our types, by adapters",
        long: true,
        command: |_| words("cargo xtask foreign --write"),
        read: read::foreign,
    },
    Step {
        name: "planted",
        what: "faults in our own code, each caught by several nets",
        long: false,
        command: |request| {
            let which = if request.long { "" } else { " --missing" };
            words(&format!("cargo xtask planted --write{which}"))
        },
        read: read::planted,
    },
    Step {
        name: "coverage",
        what: "the lines and branches that tests reach",
        long: true,
        command: |_| words("cargo xtask coverage --write"),
        read: read::coverage,
    },
    Step {
        name: "mutants",
        what: "changes of the code that tests notice",
        long: false,
        command: |request| {
            if request.long {
                words(&format!("cargo xtask mutants --minutes {}", request.minutes))
            } else {
                words("cargo xtask mutants --summary")
            }
        },
        read: read::mutants,
    },
];

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}
