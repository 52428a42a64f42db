//! A program of ours that proves that the heap is under the programs that Cargo starts.

use std::path::Path;

use super::heap::Heap;
use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::packages;
use crate::registry;

/// Allocates blocks; frees one of them a second time if it is asked to.
const SOURCE: &str = r#"
fn main() {
    let blocks: Vec<Box<[usize; 5]>> = (0..10_000).map(|n| Box::new([n; 5])).collect();
    let block = Box::into_raw(Box::new([1_usize; 5]));
    drop(unsafe { Box::from_raw(block) });
    if std::env::args().nth(1).as_deref() == Some("twice") {
        drop(unsafe { Box::from_raw(block) });
    }
    println!("{} blocks", blocks.len());
}
"#;

/// What [`SOURCE`] allocates at the least.
const ALLOCATIONS_MIN: u64 = 10_000;

/// What the heap reports of the second free.
const REPORT: &str = "allocator `malloc`: double free";

/// Runs the program rightly and with its fault.
///
/// # Errors
///
/// [`Failure::Found`] if the counters do not move, if the fault is not reported or if one is
/// reported that is not there.
pub(super) fn check(heap: &Heap, folder: &Path) -> Outcome {
    packages::write(&folder.join("Cargo.toml"), registry::package("canary").as_bytes())?;
    packages::write(&folder.join("src/main.rs"), SOURCE.as_bytes())?;
    let run = |arguments: &[&str]| {
        let mut cargo = command::cargo(folder);
        let (output, counters) = heap.run(cargo.args(["run", "--quiet", "--"]).args(arguments))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok((output.status.success(), said, counters))
    };
    let (succeeded, said, counters) = run(&[])?;
    if !succeeded || said.contains(REPORT) {
        return Err(Failure::Found(format!("a program without a fault fails:\n{said}")));
    }
    let allocations: u64 = counters.iter().map(|of| of.allocations).sum();
    if allocations < ALLOCATIONS_MIN {
        return Err(Failure::Found(format!(
            "the heap is not under the programs: it served {allocations} allocations of a program \
             that makes {ALLOCATIONS_MIN}:\n{said}"
        )));
    }
    let (succeeded, said, _) = run(&["twice"])?;
    if succeeded || !said.contains(REPORT) {
        return Err(Failure::Found(format!("the planted second free is not reported:\n{said}")));
    }
    println!("guests: 1 planted fault reported, and none where there is none");
    Ok(())
}
