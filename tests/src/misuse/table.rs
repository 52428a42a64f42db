//! Every misuse against every allocator, ours and the peers', as a table.

use core::alloc::Layout;
use core::time::Duration;
use std::io;

use loligo_replay::rows::{self, Row};

use crate::child::Child;
use crate::compose::{Base, Stack, Wrapper};
use crate::text_table::text_table;
use crate::workers::on_each;

use super::{Verdict, Wrong, commit, commit_on, verdict, verdict_of_peer};

/// The block that is misused.
const BLOCK: Layout = match Layout::from_size_align(64, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("64 bytes at 16 are a layout"),
};
/// Bytes of the region that peers without growth live in.
const REGION_BYTES: usize = 8 << 20;
/// How long a process may take before it counts as hung.
const LIMIT: Duration = Duration::from_secs(10);

/// An allocator of the table.
enum Victim {
    Ours(Stack),
    Peer(Row),
}

/// What became of each misuse of one allocator, in the order of [`Wrong::ALL`].
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name, the layers from the top down for one of ours.
    pub name: String,
    /// Whether it is one of this family.
    pub is_ours: bool,
    /// What became of each misuse.
    pub verdicts: Vec<Verdict>,
    /// The misuses that its promise covers and that were not found as promised.
    pub broken: Vec<String>,
}

/// Does the job of this process, if it was started for one.
///
/// # Panics
///
/// If the job names no allocator or no misuse.
pub fn work() {
    let Some(job) = child().job() else { return };
    let (name, wrong) = job.split_once(' ').unwrap_or_else(|| panic!("no such job: {job}"));
    let wrong = Wrong::by_name(wrong).unwrap_or_else(|| panic!("no such misuse: {wrong}"));
    match victim(name) {
        Some(Victim::Ours(stack)) => stack.make(BLOCK, &mut |allocator| {
            commit(wrong, true, allocator, BLOCK);
        }),
        Some(Victim::Peer(row)) => {
            let driven = row.drive(REGION_BYTES, &mut |subject| {
                commit_on(wrong, name, subject);
            });
            driven.expect("the system has a region");
        }
        None => panic!("no such allocator: {name}"),
    }
    std::process::exit(0);
}

/// Runs every misuse against every allocator, each in its own process, several at a time.
/// `ours_only` leaves the peers out. [`work`] must be called first in `main`.
///
/// # Errors
///
/// The system's, if it cannot start a process.
pub fn run(ours_only: bool) -> io::Result<Vec<Line>> {
    let names: Vec<String> = ours()
        .iter()
        .map(ToString::to_string)
        .chain(rows::peers().iter().filter(|_| !ours_only).map(|row| row.name().to_owned()))
        .collect();
    on_each(&names, |name| line(name))
}

/// Our allocators: every base, and every wrapper over a heap in a region, or over what it needs.
fn ours() -> Vec<Stack> {
    let bases = Base::ALL.iter().map(|&base| Stack::of(base));
    let wrappers = Wrapper::ALL.iter().filter_map(|&wrapper| {
        let local = Stack::of(Base::HeapInRegion).under(wrapper);
        local.or_else(|_| Stack::of(Base::LockedHeap).under(wrapper)).ok()
    });
    bases.chain(wrappers).collect()
}

fn victim(name: &str) -> Option<Victim> {
    let ours = ours().into_iter().find(|stack| stack.to_string() == name).map(Victim::Ours);
    ours.or_else(|| rows::peers().into_iter().find(|row| row.name() == name).map(Victim::Peer))
}

const fn child() -> Child {
    Child::program().within(LIMIT)
}

fn line(name: &str) -> io::Result<Line> {
    let mut line = Line {
        name: name.to_owned(),
        is_ours: matches!(victim(name), Some(Victim::Ours(_))),
        verdicts: Vec::new(),
        broken: Vec::new(),
    };
    for wrong in Wrong::ALL {
        let verdict = match victim(name) {
            Some(Victim::Ours(stack)) => {
                let (verdict, said) = of_ours(&stack, wrong)?;
                let promised = promise(&stack, wrong).unwrap_or(verdict);
                if verdict != promised && verdict != Verdict::NotApplicable {
                    line.broken.push(format!("{}: {verdict}: {}", wrong.heading(), said.trim()));
                }
                verdict
            }
            Some(Victim::Peer(_)) => of_peer(name, wrong)?,
            None => Verdict::NotApplicable,
        };
        line.verdicts.push(verdict);
    }
    Ok(line)
}

fn of_ours(stack: &Stack, wrong: Wrong) -> io::Result<(Verdict, String)> {
    let base = stack.base().limits(BLOCK);
    let reports_leaks = |wrapper: Wrapper| wrapper.limits(base).reports_leaks;
    if wrong == Wrong::Leak && !base.reports_leaks && !stack.wrappers().any(reports_leaks) {
        return Ok((Verdict::NotApplicable, String::new()));
    }
    let ended = child().run(&format!("{stack} {wrong:?}"))?;
    // Whichever layer finds it may say so.
    let found = stack.names().map(|layer| verdict(&ended, layer));
    let first = found.reduce(|best, next| if best == Verdict::Detected { best } else { next });
    // A proxy remembers no addresses, so its report of a leak names none.
    let leak = wrong == Wrong::Leak && ended.aborted_or_panicked() && {
        stack.names().any(|layer| {
            ended.stderr.contains(&format!("allocator `{layer}` was dropped with 1 live block"))
        })
    };
    let verdict = if leak { Verdict::Detected } else { first.unwrap_or(Verdict::CrashedElsewhere) };
    Ok((verdict, ended.stderr))
}

fn of_peer(name: &str, wrong: Wrong) -> io::Result<Verdict> {
    if wrong == Wrong::Leak {
        return Ok(Verdict::NotApplicable);
    }
    Ok(verdict_of_peer(&child().run(&format!("{name} {wrong:?}"))?))
}

/// What one of ours promises to make of a misuse; `None` where it promises nothing.
fn promise(stack: &Stack, wrong: Wrong) -> Option<Verdict> {
    if wrong.is_free() || wrong == Wrong::Leak {
        return Some(Verdict::Detected);
    }
    let small_over = matches!(wrong, Wrong::OverflowByte | Wrong::Overflow32);
    let small_under = matches!(wrong, Wrong::UnderflowByte | Wrong::Underflow32);
    match (stack.wrappers().next_back(), stack.base()) {
        (Some(Wrapper::Canary), _) if small_over || small_under => Some(Verdict::Detected),
        (Some(Wrapper::Quarantine), _) if wrong == Wrong::UseAfterFree => Some(Verdict::Detected),
        (None, Base::GuardOverrun) if small_over => Some(Verdict::Stopped),
        (None, Base::GuardUnderrun) if small_under => Some(Verdict::Stopped),
        (None, Base::GuardOverrun | Base::GuardUnderrun) if wrong == Wrong::UseAfterFree => {
            Some(Verdict::Stopped)
        }
        _ => None,
    }
}

/// Returns the lines as two aligned tables of text, wrong frees and leaks first, stray writes
/// second.
#[must_use]
pub fn tables(lines: &[Line]) -> [String; 2] {
    let is_first = |wrong: &Wrong| wrong.is_free() || *wrong == Wrong::Leak;
    let first: Vec<usize> =
        (0..Wrong::ALL.len()).filter(|&index| is_first(&Wrong::ALL[index])).collect();
    let second: Vec<usize> =
        (0..Wrong::ALL.len()).filter(|&index| !is_first(&Wrong::ALL[index])).collect();
    [table(lines, &first), table(lines, &second)]
}

fn table(lines: &[Line], columns: &[usize]) -> String {
    let mut rows = vec![
        core::iter::once("allocator".to_owned())
            .chain(columns.iter().map(|&column| Wrong::ALL[column].heading().to_owned()))
            .collect::<Vec<String>>(),
    ];
    rows.extend(lines.iter().map(|line| {
        core::iter::once(line.name.clone())
            .chain(columns.iter().map(|&column| line.verdicts[column].to_string()))
            .collect()
    }));
    text_table(&rows)
}
