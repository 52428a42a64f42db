//! `cargo xtask foreign`: peers' own tests over our types.
//!
//! The crate `loligo-foreign` has the names and the public API of each peer, implemented by calls
//! of ours. The tests are fetched and compiled against it unchanged. Those that cannot be compiled
//! or that fail are listed in `tests/foreign/lists`, each with the reason, and the lists are exact:
//! a listed test that passes is as much an error as one that fails and is not listed.

mod cut;
mod examples;
mod list;
mod page;
mod peer;
mod project;
mod results;
mod suite;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;

use crate::outcome::{Failure, Outcome};
use crate::registry::{self, Sources};
use crate::workspace;

use list::List;
use peer::{PEERS, Peer};
use project::Project;
use suite::Suite;

const USAGE: &str = "\
Runs the tests of peers over our types. The crate `loligo-foreign` (tests/foreign) has the peers'
names and public API, by calls of ours; the tests are fetched from crates.io, each crate in one
version, and compiled against it unchanged, in target/xtask/foreign.

The tests that ours cannot pass are listed with the reason in tests/foreign/lists, and the lists are
exact: it is an error if a listed test passes, or if one fails that is not listed. Each peer's
adapter is also run with a planted fault, which a test must notice.

Usage: cargo xtask foreign [--write] [PEER...]

Options:
  --write  writes docs/evidence/foreign-tests.md; needs all peers

Example:
  cargo xtask foreign slotmap

Needs the crates; is skipped without. Takes some minutes the first time.
Exit status: 0 all as listed, 1 it is not or a planted fault was missed, 2 it could not be run.
";

/// What the arguments ask for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    write: bool,
    help: bool,
    only: Vec<String>,
}

impl Request {
    fn parse(arguments: &[String]) -> Result<Self, Failure> {
        let mut request = Self::default();
        for argument in arguments {
            match argument.as_str() {
                "--write" => request.write = true,
                "--help" | "-h" => request.help = true,
                name if PEERS.iter().any(|peer| peer.name == name) => {
                    request.only.push(name.to_owned());
                }
                other => {
                    let known: Vec<_> = PEERS.iter().map(|peer| peer.name).collect();
                    let known = known.join(", ");
                    return Err(Failure::Unable(format!(
                        "there is no peer `{other}`; those are {known}"
                    )));
                }
            }
        }
        if request.write && !request.only.is_empty() {
            return Err(Failure::Unable("--write needs all peers: name none".into()));
        }
        Ok(request)
    }
}

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a list is not exact or if a planted fault goes unnoticed;
/// [`Failure::Unable`] on bad arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = Request::parse(arguments)?;
    if request.help {
        print!("{USAGE}");
        let peers: Vec<_> = PEERS.iter().map(|peer| peer.name).collect();
        println!("\nPeers: {}", peers.join(", "));
        return Ok(());
    }
    let folder = workspace::target().join("xtask/foreign");
    let crates: Vec<_> = PEERS.iter().map(|peer| (peer.name, peer.version)).collect();
    let Some(sources) = Sources::fetch(&folder.join("sources"), &crates)? else {
        println!("skipped: `cargo fetch` cannot bring the crates");
        return Ok(());
    };
    let is_wanted =
        |peer: &&Peer| request.only.is_empty() || request.only.iter().any(|name| name == peer.name);
    let mut passed = Vec::new();
    let mut problems = Vec::new();
    for peer in PEERS.iter().filter(is_wanted) {
        let Some(suite) = prepare(&folder, &sources, peer)? else {
            println!("skipped: `cargo fetch` cannot bring what the tests of {} use", peer.name);
            return Ok(());
        };
        let results = suite.run()?;
        problems.extend(suite.list.judge(&results).into_iter().map(|what| {
            println!("{}: {what}", peer.name);
            format!("{}: {what}", peer.name)
        }));
        suite.plant(&results)?;
        let count = results.passed();
        println!("foreign: {} {}: {}", peer.name, peer.version, suite.list.counts(count));
        passed.push((peer, count, suite.list));
    }
    if !problems.is_empty() {
        let what = problems.join("\n");
        return Err(Failure::Found(format!("the lists of tests/foreign are not exact:\n{what}")));
    }
    println!("foreign: {} planted faults noticed", passed.len());
    if request.write {
        write(page::PATH, &page::text(&passed))?;
        println!("written to {}", page::PATH);
    }
    Ok(())
}

/// Writes the project of a peer's tests; `None` if their dependencies cannot be fetched.
fn prepare(folder: &Path, sources: &Sources, peer: &Peer) -> Result<Option<Suite>, Failure> {
    let path = workspace::root().join(list::path(peer.name));
    let text = fs::read_to_string(&path)
        .map_err(|error| Failure::io(&format!("cannot read {}", path.display()), &error))?;
    let list = List::read(&text)
        .map_err(|what| Failure::Found(format!("{}: {what}", list::path(peer.name))))?;
    let from = sources.folder(peer.name, peer.version)?;
    let project = Project::write(peer, &from, &folder.join(peer.name), &list)?;
    if !registry::fetch(&project.folder)? {
        return Ok(None);
    }
    let target = folder.join("target");
    Ok(Some(Suite { project, list, target }))
}

fn write(path: &str, text: &str) -> Outcome {
    fs::write(workspace::root().join(path), text)
        .map_err(|error| Failure::io(&format!("cannot write {path}"), &error))
}
