//! `cargo xtask planted`: faults planted in our own code, each of which several nets must catch.
//!
//! A test that cannot fail proves nothing. So faults of the kinds that such code has are written
//! down in `xtask/planted`, planted one at a time in a copy of the workspace, and the nets named
//! there are cast over it, each of which must fail, and must not fail without a fault.

mod cast;
mod fault;
mod ledger;
mod net;
mod page;
mod place;
#[cfg(test)]
mod tests;

use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet};

use crate::outcome::{Failure, Outcome};
use crate::tree::Tree;
use crate::workspace;

use cast::Cast;
use fault::Fault;
use ledger::{Ledger, Row};
use net::{Kind, Net};
use place::Place;

pub(crate) use ledger::PATH as LEDGER;
pub(crate) use page::PATH as PAGE;

const USAGE: &str = "\
Plants faults in a copy of the workspace, one at a time, and casts over each the nets that must catch it:
unit tests, small worlds, models, conformance suites, random programs, the table of misuse, fuzzing, loom,
threads, AddressSanitizer, Valgrind. First every net must let the copy without a fault pass. A net that does
not catch its fault is a finding, and so is a fault that less than two kinds of nets catch. What does not end
within ten times its time without the fault, and a minute, hangs, and is caught.

The faults are files in xtask/planted. What needs nightly or valgrind is skipped without.

Usage: cargo xtask planted [--write] [--missing] [--skip NET]... [--list] [--page] [FAULT...]

Options:
  --write    keeps the verdicts in tests/planted.tsv and writes docs/evidence/planted-faults.md from all that are kept
  --missing  leaves those out whose verdicts are all kept, so that several sittings add up
  --skip NET leaves a kind of net out, such as fuzz; its verdicts stay those of before
  --list     lists the faults and plants none
  --page     writes the page from the verdicts that are kept, and plants none

Nearly all of the time goes into compiling; what is not changed by a fault is compiled once.

Example:
  cargo xtask planted buddy-forgotten-merge
";

/// How long what has no fault may run.
const FIRST: Duration = Duration::from_secs(3600);

/// The least number of kinds of nets that must catch a fault.
pub(crate) const NETS_MIN: usize = 2;

/// What the arguments ask for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    write: bool,
    missing: bool,
    list: bool,
    page: bool,
    help: bool,
    skipped: Vec<Kind>,
    names: Vec<String>,
}

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a net fails without a fault or does not with it, [`Failure::Unable`] on
/// bad arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    if request.help {
        print!("{USAGE}");
        return Ok(());
    }
    let tree = Tree::read(&workspace::root())?;
    let faults = Fault::all(&tree)?;
    plantable(&tree, &faults)?;
    let mut wanted = wanted(&request.names, &faults)?;
    let mut ledger = Ledger::of(tree.text(LEDGER).unwrap_or_default(), &faults);
    if request.page {
        return write(PAGE, &page::text(&faults, &ledger));
    }
    if request.missing {
        wanted.retain(|fault| lacks_verdict(&ledger, fault));
    }
    if request.list {
        for fault in wanted {
            println!("{:<26}{}", fault.name, fault.class);
        }
        return Ok(());
    }
    let place = Place::lay(&tree)?;
    let nets = usable(&wanted, &request.skipped);
    let times = without_fault(&place, &nets)?;
    let mut findings = Vec::new();
    for fault in wanted {
        let rows = match try_fault(&place, fault, &times) {
            Ok(rows) => rows,
            Err(Failure::Found(what)) => {
                println!("{what}");
                findings.push(format!("{} cannot be tried", fault.name));
                continue;
            }
            Err(failure) => return Err(failure),
        };
        findings.extend(
            rows.iter()
                .filter(|row| !row.is_catch())
                .map(|row| format!("`{}` does not catch {}", row.net, row.fault)),
        );
        if kinds(&rows) < NETS_MIN {
            findings.push(format!("{}: {} kinds of nets catch it", fault.name, kinds(&rows)));
        }
        ledger.keep(fault, rows);
        if request.write {
            write(LEDGER, &ledger.text())?;
            write(PAGE, &page::text(&faults, &ledger))?;
        }
    }
    findings.iter().for_each(|finding| println!("{finding}"));
    if findings.is_empty() {
        println!("each planted fault is caught by all of its nets");
        return Ok(());
    }
    Err(Failure::Found(format!("planted: {} findings", findings.len())))
}

/// Returns the page as the files give it.
///
/// # Errors
///
/// [`Failure::Found`] if a fault is not written as it should be, or cannot be planted any more.
pub(crate) fn regenerated(tree: &Tree) -> Result<String, Failure> {
    let faults = Fault::all(tree)?;
    plantable(tree, &faults)?;
    let ledger = Ledger::of(tree.text(LEDGER).unwrap_or_default(), &faults);
    Ok(page::text(&faults, &ledger))
}

/// Returns how many faults are planted, and how many of them at least two kinds of nets catch.
///
/// # Errors
///
/// As [`regenerated`].
pub(crate) fn caught(tree: &Tree) -> Result<(usize, usize), Failure> {
    let faults = Fault::all(tree)?;
    let ledger = Ledger::of(tree.text(LEDGER).unwrap_or_default(), &faults);
    let caught = faults.iter().filter(|fault| kinds(ledger.rows(fault)) >= NETS_MIN);
    Ok((faults.len(), caught.count()))
}

fn parse(arguments: &[String]) -> Result<Request, Failure> {
    let mut request = Request::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--skip" => {
                let name = rest.next().map_or("", String::as_str);
                let kind = Kind::of(name).map_err(Failure::Unable)?;
                request.skipped.push(kind);
            }
            "--write" => request.write = true,
            "--missing" => request.missing = true,
            "--list" => request.list = true,
            "--page" => request.page = true,
            "--help" | "-h" => request.help = true,
            option if option.starts_with('-') => {
                return Err(Failure::Unable(format!(
                    "planted takes no argument `{option}`; see `cargo xtask planted --help`"
                )));
            }
            name => request.names.push(name.to_owned()),
        }
    }
    Ok(request)
}

/// Picks the faults that were asked for: all if none was.
fn wanted<'f>(names: &[String], faults: &'f [Fault]) -> Result<Vec<&'f Fault>, Failure> {
    let is_known = |name: &&String| faults.iter().any(|fault| fault.name == **name);
    if let Some(unknown) = names.iter().find(|name| !is_known(name)) {
        let known: Vec<_> = faults.iter().map(|fault| fault.name.as_str()).collect();
        let known = known.join(", ");
        return Err(Failure::Unable(format!("no fault is called `{unknown}`; there are {known}")));
    }
    Ok(faults.iter().filter(|fault| names.is_empty() || names.contains(&fault.name)).collect())
}

/// Checks that the text that each fault replaces is in its file, once.
fn plantable(tree: &Tree, faults: &[Fault]) -> Outcome {
    for fault in faults {
        let Some(text) = tree.text(&fault.file) else {
            let (name, file) = (&fault.name, &fault.file);
            let what = format!("{}{name}.txt: there is no file {file}", fault::FOLDER);
            return Err(Failure::Found(what));
        };
        fault.plant(text)?;
    }
    Ok(())
}

/// Returns the nets of the faults that can be used on this machine, each once.
fn usable(faults: &[&Fault], skipped: &[Kind]) -> BTreeSet<Net> {
    let all = faults.iter().flat_map(|fault| &fault.nets);
    let all: BTreeSet<&Net> = all.filter(|net| !skipped.contains(&net.kind)).collect();
    let usable = all.into_iter().filter(|net| match cast::lacks(net) {
        Some(reason) => {
            println!("skipped: {}: {reason}", net.shown());
            false
        }
        None => true,
    });
    usable.cloned().collect()
}

/// Casts each net over the copy as it is. Returns how long each took.
fn without_fault(place: &Place, nets: &BTreeSet<Net>) -> Result<BTreeMap<Net, Duration>, Failure> {
    let mut times = BTreeMap::new();
    println!("without a fault:");
    for net in nets {
        let Cast { catch, time, count, said } = cast::cast(place, net, FIRST)?;
        let seconds = time.as_secs_f64();
        if catch != cast::Catch::Nothing {
            let (net, by) = (net.shown(), catch.by());
            let what = format!("`{net}` fails without a fault: {by}\n{said}");
            return Err(Failure::Found(what));
        }
        println!("  {:<60} {count:>6} run, {seconds:>6.1} s", net.shown());
        times.insert(net.clone(), time);
    }
    Ok(times)
}

/// Plants a fault and casts its nets.
fn try_fault(
    place: &Place,
    fault: &Fault,
    times: &BTreeMap<Net, Duration>,
) -> Result<Vec<Row>, Failure> {
    println!("{}: {}", fault.name, fault.says);
    place.with(fault, || {
        let mut rows = Vec::new();
        for net in &fault.nets {
            let Some(time) = times.get(net) else { continue };
            let limit = Duration::from_secs(60) + 10 * *time;
            let cast = cast::cast(place, net, limit)?;
            println!("  {:<60} {:<8} {}", net.shown(), cast.catch.word(), cast.catch.by());
            rows.push(Row::new(fault, net, &cast.catch));
        }
        Ok(rows)
    })
}

/// Returns `true` if a net of the fault has no verdict that is kept.
fn lacks_verdict(ledger: &Ledger, fault: &Fault) -> bool {
    let rows = ledger.rows(fault);
    !fault.nets.iter().all(|net| rows.iter().any(|row| row.net == net.shown()))
}

/// Returns how many kinds of nets have caught it.
fn kinds(rows: &[Row]) -> usize {
    let caught = rows.iter().filter(|row| row.is_catch());
    caught.map(Row::kind).collect::<BTreeSet<_>>().len()
}

fn write(path: &str, text: &str) -> Outcome {
    std::fs::write(workspace::root().join(path), text)
        .map_err(|error| Failure::io(&format!("cannot write {path}"), &error))
}
