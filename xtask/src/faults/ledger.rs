//! The verdicts that are kept: which net has caught which fault, and by what.

use std::collections::BTreeMap;

use super::cast::Catch;
use super::fault::Fault;
use super::net::Net;

/// Where they are kept.
pub(crate) const PATH: &str = "tests/planted.tsv";

const HEAD: &str =
    "# Written by `cargo xtask planted --write`. Fault, its mark, net, verdict, by what.\n";

/// What a net made of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The fault's name.
    pub(super) fault: String,
    /// The net, as it is written.
    pub(super) net: String,
    /// `caught`, `crashes`, `hangs` or `missed`.
    pub(super) verdict: String,
    /// What caught it.
    pub(super) by: String,
}

impl Row {
    pub(super) fn new(fault: &Fault, net: &Net, catch: &Catch) -> Self {
        Self {
            fault: fault.name.clone(),
            net: net.shown(),
            verdict: catch.word().to_owned(),
            by: if catch.by().is_empty() { "-".into() } else { catch.by().replace('\t', " ") },
        }
    }

    /// Returns `true` if the net has caught it.
    pub(super) fn is_catch(&self) -> bool {
        self.verdict != Catch::Nothing.word()
    }

    /// Returns the name of the kind of net.
    pub(super) fn kind(&self) -> &str {
        self.net.split(' ').next().unwrap_or_default()
    }
}

/// The rows of each fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ledger {
    faults: BTreeMap<String, (String, Vec<Row>)>,
}

impl Ledger {
    /// Reads the rows of faults that are still as they were.
    pub(super) fn of(text: &str, faults: &[Fault]) -> Self {
        let mut ledger = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let parts: Vec<_> = line.split('\t').collect();
            let [name, mark, net, verdict, by] = parts[..] else { continue };
            if faults.iter().any(|fault| fault.name == name && fault.mark == mark) {
                let row = Row {
                    fault: name.to_owned(),
                    net: net.to_owned(),
                    verdict: verdict.to_owned(),
                    by: by.to_owned(),
                };
                let entry = ledger.faults.entry(name.to_owned());
                entry.or_insert_with(|| (mark.to_owned(), Vec::new())).1.push(row);
            }
        }
        ledger
    }

    /// Puts new rows in the place of the old ones of the same nets, and all in the fault's order.
    pub(super) fn keep(&mut self, fault: &Fault, new: Vec<Row>) {
        let old = self.faults.remove(&fault.name).map_or_else(Vec::new, |(_, rows)| rows);
        let rows = fault.nets.iter().filter_map(|net| {
            let is_its = |row: &&Row| row.net == net.shown();
            new.iter().find(is_its).or_else(|| old.iter().find(is_its)).cloned()
        });
        self.faults.insert(fault.name.clone(), (fault.mark.clone(), rows.collect()));
    }

    /// Returns the rows of a fault.
    pub(super) fn rows(&self, fault: &Fault) -> &[Row] {
        self.faults.get(&fault.name).map_or(&[], |(_, rows)| rows)
    }

    /// Returns the text of the file.
    pub(super) fn text(&self) -> String {
        let mut text = String::from(HEAD);
        for (mark, rows) in self.faults.values() {
            for Row { fault, net, verdict, by } in rows {
                text.push_str(&format!("{fault}\t{mark}\t{net}\t{verdict}\t{by}\n"));
            }
        }
        text
    }
}
