//! Every wrapper over every base, two deep, each held to the contract.

use core::alloc::Layout;
use std::sync::Mutex;
use std::thread;

use loligo_tests::compose::{Base, Stack, Wrapper};
use loligo_tests::{Limits, conformance};

use crate::subject::bytes;

/// The block of the pools.
const BLOCK: Layout = bytes(72, 16);

/// Every stack of at most two wrappers, and every order that was refused with its reason.
fn stacks() -> (Vec<Stack>, Vec<String>) {
    let mut stacks = Vec::new();
    let mut refused = Vec::new();
    let mut widen = |from: &[Stack]| -> Vec<Stack> {
        let mut found = Vec::new();
        for stack in from {
            for &wrapper in Wrapper::ALL {
                match stack.under(wrapper) {
                    Ok(higher) => found.push(higher),
                    Err(reason) => {
                        refused.push(format!("{} over {stack}: {reason}", wrapper.name()))
                    }
                }
            }
        }
        found
    };
    let bases: Vec<Stack> = Base::ALL.iter().map(|&base| Stack::of(base)).collect();
    let single = widen(&bases);
    let double = widen(&single);
    stacks.extend(single);
    stacks.extend(double);
    (stacks, refused)
}

#[test]
fn every_wrapper_over_every_base_conforms() {
    let (stacks, refused) = stacks();
    println!("{} stacks, {} orders refused", stacks.len(), refused.len());
    let failed = Mutex::new(Vec::new());
    let queue = Mutex::new(stacks.iter());
    let workers = thread::available_parallelism().map_or(1, usize::from).min(8);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let Some(stack) = queue.lock().expect("nobody panics with it").next() else {
                        return;
                    };
                    // Leaks are looked for elsewhere: here each layer would write its report, and
                    // hundreds of them would hide the rest.
                    let limits = Limits { reports_leaks: false, ..stack.limits(BLOCK) };
                    let outcomes = conformance::allocator_outcomes(&limits, |test| {
                        stack.make(BLOCK, test);
                    });
                    for outcome in outcomes {
                        if let Err(broken) = outcome.result {
                            let what = format!("{stack}: {}: {broken}", outcome.check);
                            failed.lock().expect("nobody panics with it").push(what);
                        }
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("nobody panics with it");
    assert!(failed.is_empty(), "{} failures:\n{}", failed.len(), failed.join("\n"));
}
