//! The page of what is proven, how, and in which figures.

use super::figures::{Figure, Figures, TIME};
use super::steps::STEPS;
use crate::{faults, misuse};

/// The path of the page.
pub(crate) const PATH: &str = "docs/evidence/verification.md";

const HEAD: &str = "\
# Verification

Written by `cargo xtask verify` from `tests/verification.tsv`; not by hand. Each figure stands with the command
that gives it, the day, and the commit that it was had from; a `+` behind that reports changes that were not
committed. Anyone can run the commands:

```sh
cargo xtask verify                      # what a server runs each time
cargo xtask verify --long --minutes 60  # everything
cargo xtask verify --list               # the steps
```

Every tool has a canary: a fault planted for it, which it must find before its silence counts.

";

const REST: &str = "\
## What is not proven

- **No Miri.** So aliasing by Stacked or Tree Borrows and the provenance of pointers are checked by no machine.
- **No Kani**, nor another prover: what is exhaustive is so up to the sizes above.
- **No MemorySanitizer.** Reads of memory that was never written are found by Valgrind, in the allocators.
- **Linux alone is executed in full**: on x86-64 all of it, on x86 with 32 bits the unit tests of tier 0, a step of
  `cargo xtask ci`. `cargo xtask targets` runs these for s390x in an emulator; it can run them for AArch64 too, for Windows
  in Wine and for WebAssembly in Node, of which README.md says how far that went. For macOS and for machines without an operating system is compiled (`cargo xtask ci bare`), not run.
- Doc tests are run, but neither watched by a sanitizer nor mutated.
- Tests that damage memory on purpose cannot run under the sanitizers; `cargo xtask sanitize` names them.
- loom explores small models up to a bound of preemptions. It does not know the hardware.
- A step without figures above was not run for this page.
";

/// Returns the page.
pub(super) fn text(figures: &Figures) -> String {
    let mut text = String::from(HEAD);
    let seen = STEPS.iter().filter(|step| figures.of(step.name).next().is_some());
    for step in seen.clone() {
        text.push_str(&format!("- [{}](#{}): {}\n", step.name, step.name, step.what));
    }
    for step in seen {
        text.push_str(&format!("\n## {}\n\n{}\n\n", step.name, about(step.name)));
        text.push_str("| figure | value |\n|---|---|\n");
        let mut last = None;
        for figure in figures.of(step.name) {
            // The time is the last figure of a step.
            last = Some(figure);
            if figure.name != TIME {
                let Figure { name, value, unit, .. } = figure;
                let value = format!("{value} {unit}");
                text.push_str(&format!("| {} | {} |\n", name.replace('|', "/"), value.trim_end()));
            }
        }
        if let Some(Figure { value, unit, command, day, commit, .. }) = last {
            text.push_str(&format!("\n`{command}`, {day}, commit {commit}, {value} {unit}\n"));
        }
    }
    text.push('\n');
    text.push_str(REST);
    text
}

/// Says what a step proves and how.
fn about(step: &str) -> String {
    match step {
        "misuse" => format!(
            "What becomes of each wrong use; the whole table, peers included: [misuse.md](misuse.md) (`{}`).",
            misuse::PAGE
        ),
        "planted" => format!(
            "Faults of each class that such code has, planted one at a time, and the nets that catch them: [planted-faults.md](planted-faults.md) (`{}`).",
            faults::LEDGER
        ),
        "objects" => "A team's cache on s3s-fs, a server of S3 by others that checks signatures, in the test's process: \
                      what one machine puts another takes, a wrong secret and a server that is gone cost a note, damage \
                      is found."
            .to_owned(),
        _ => described(step).to_owned(),
    }
}

/// As [`about`], of the steps whose text is fixed.
fn described(step: &str) -> &'static str {
    match step {
        "tests" => {
            "Unit tests stand beside the code and know its inside. Integration tests use what is public: the \
             suites and programs of `loligo-tests` over each of our allocators, alone and stacked. Examples are \
             those of the documentation."
        }
        "worlds" => {
            "Small structures are gone through whole: from each state every operation is done, and what comes \
             of it compared with a model, `validate` included."
        }
        "programs" => {
            "Programs of operations are drawn by proptest from a seed that is printed, and run beside a model or \
             under an oracle that knows every byte and counter. What fails is made small and printed as Rust."
        }
        "loom" => {
            "Every interleaving, and every value that a load may see, of small models of what several threads \
             share. Each model asserts how many there are at the least, as one that explores a single \
             interleaving proves nothing."
        }
        "sanitize" => {
            "The tests of tier 0 with AddressSanitizer, to which our allocators report what is free, and \
             LeakSanitizer: [sanitizers.md](../guide/sanitizers.md)."
        }
        "valgrind" => {
            "The tests of the allocators under memcheck, with client requests; it also sees what was never \
             written: [sanitizers.md](../guide/sanitizers.md)."
        }
        "fuzz" => {
            "Targets over programs of operations and over every reader of bytes, under AddressSanitizer; \
             coverage is in branches and comparisons, by the inputs that a target began with and in the end: \
             [fuzzing.md](../guide/fuzzing.md)."
        }
        "hostile" => {
            "What comes from outside, first as it did harm once and then with something spoiled in it, in child \
             processes with limits on time and memory; a fault planted in each surface is found first: \
             [security.md](../security.md)."
        }
        "objects" => {
            "A team's cache on s3s-fs, a server of S3 by others that checks signatures, in the test's process: what one \
             machine puts another takes, a wrong secret and a server that is gone cost a note, damage is found."
        }
        "targets" => {
            "The unit tests of tier 0, built for x86 with 32 bits and run here, and for s390x, whose highest byte \
             comes first, and run in an emulator; the standard library is built with them. What each program is for is \
             read from its first bytes. What the emulator has not is left out and named. x86 is a step of each run."
        }
        "tsan" => {
            "The tests that start threads, with the standard library instrumented, so that nothing right is reported."
        }
        "guests" => {
            "The test suites of crates by others and of the standard library's `alloc`, unchanged, with \
             `tools/preload` in the place of `malloc`. Each program appends the heap's counters when it ends, and \
             one that did not run over the heap is a failure. What is left out is named: tests that only compile, \
             and one that is flaky over any heap."
        }
        "foreign" => {
            "The tests of peers, fetched and unchanged, over adapters that have the peers' API by calls of ours. \
             What does not pass is listed with the reason in docs/evidence/foreign-tests.md, and the lists are \
             exact. Each adapter is also run with a fault, which a test must notice."
        }
        "coverage" => {
            "Lines and branches of tier 0 that the unit and the integration tests reach; code of tests does not \
             count. By file in `tests/coverage.tsv`."
        }
        "mutants" => {
            "Small changes of the code of tier 0, each of which some test should notice; the verdicts are kept in \
             `docs/evidence/mutants.tsv`."
        }
        _ => "",
    }
}
