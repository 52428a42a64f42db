//! The page that shows which nets catch which fault.

use super::fault::{FOLDER, Fault};
use super::ledger::Ledger;
use super::net::KINDS;
use super::{NETS_MIN, kinds};

/// The path of the page.
pub(crate) const PATH: &str = "docs/evidence/planted-faults.md";

const HEAD: &str = "\
# Planted faults

Written by `cargo xtask planted --write` from `tests/planted.tsv`; not by hand.

A check that cannot fail proves nothing. So faults are planted in the code of tier 0, one at a time and one of
each class that such code has, in a copy of the workspace, and the nets named with each are cast over it. Each
must fail, must not fail without the fault, and each fault must be caught by two kinds of nets at least.

```sh
cargo xtask planted --list                    # the faults
cargo xtask planted buddy-forgotten-merge     # one of them
cargo xtask planted --write                   # all, and this page
```

A fault is a file in `xtask/planted`: the text that it replaces, what stands there then, and its nets. To plant
another, add a file.

";

/// Returns the page.
pub(super) fn text(faults: &[Fault], ledger: &Ledger) -> String {
    let mut text = String::from(HEAD);
    let rows = faults.iter().flat_map(|fault| ledger.rows(fault));
    let (mut caught, mut cast) = (0, 0);
    for row in rows {
        cast += 1;
        caught += usize::from(row.is_catch());
    }
    let count = faults.len();
    let named: usize = faults.iter().map(|fault| fault.nets.len()).sum();
    let twice = faults.iter().filter(|fault| kinds(ledger.rows(fault)) >= NETS_MIN).count();
    text.push_str(&format!(
        "{count} faults; {caught} of {cast} nets that were cast catch theirs, {} were not cast yet. {twice} \
         faults are caught by two kinds of nets at least.\n\n## Nets\n\n",
        named - cast
    ));
    let used = |name: &str| {
        faults.iter().any(|fault| ledger.rows(fault).iter().any(|row| row.kind() == name))
    };
    let used: Vec<_> = KINDS.iter().filter(|(_, name, _)| used(name)).collect();
    text.push_str("| net | what it is |\n|---|---|\n");
    for (_, name, what) in &used {
        text.push_str(&format!("| {name} | {what} |\n"));
    }
    text.push_str(
        "\n## Faults and nets\n\nYes: a test failed. Crash: the program ended by a signal, or a ",
    );
    text.push_str(
        "sanitizer ended it. Hang: it did not end. No: nothing was noticed. Nothing: not cast.\n\n| fault |",
    );
    used.iter().for_each(|(_, name, _)| text.push_str(&format!(" {name} |")));
    text.push_str("\n|---|");
    used.iter().for_each(|_| text.push_str("---|"));
    text.push('\n');
    for fault in faults {
        text.push_str(&format!("| {} |", fault.name));
        for (_, name, _) in &used {
            let mut row = ledger.rows(fault).iter().filter(|row| row.kind() == *name);
            let word = row.next().map_or("", |row| match row.verdict.as_str() {
                "caught" => "yes",
                "crashes" => "crash",
                "hangs" => "hang",
                _ => "no",
            });
            text.push_str(&format!(" {word} |"));
        }
        text.push('\n');
    }
    text.push_str("\n## Each fault\n");
    for fault in faults {
        let Fault { name, class, says, file, .. } = fault;
        text.push_str(&format!("\n### {name}\n\nClass: {class}. {says} Planted in `{file}` by "));
        text.push_str(&format!("[{name}.txt](../../{FOLDER}{name}.txt).\n\n"));
        for row in ledger.rows(fault) {
            let by = if row.by == "-" { String::new() } else { format!(" by {}", row.by) };
            text.push_str(&format!("- `{}`: {}{by}\n", row.net, row.verdict));
        }
    }
    text
}
