//! Allocators by name: stacks, the reference allocator, those with a planted fault, peers.

use core::alloc::Layout;
use core::fmt;

use crate::compose::{Base, Stack, Wrapper};
use crate::limits::Limits;
use crate::models::{Fault, FaultyAllocator, NaiveAllocator};
use crate::programs::{AllocatorOp, run_to_end};
use crate::rule::{Rule, Violation};

/// Blocks of the pools, and so the size for which stacks are made.
const BLOCK: Layout = Layout::new::<[u128; 4]>();

/// Bytes of the reference allocator's region.
const REGION_BYTES: usize = 64 << 10;

/// Bytes of the region of a peer that lives in one: programs may have blocks of a GiB, of which
/// pages are touched at both ends only.
#[cfg(feature = "peers")]
const PEER_BYTES: usize = 4 << 30;

/// An allocator that a program is run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The reference allocator.
    Naive,
    /// The reference allocator with a planted fault.
    Faulty(Fault),
    /// One of ours.
    Stack(Stack),
    /// Somebody else's, or one of ours as the replayer drives it.
    #[cfg(feature = "peers")]
    Row(String),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Naive => f.write_str("naive"),
            Self::Faulty(fault) => write!(f, "faulty:{fault:?}"),
            Self::Stack(stack) => write!(f, "{stack}"),
            #[cfg(feature = "peers")]
            Self::Row(name) => f.write_str(name),
        }
    }
}

impl Subject {
    /// Returns the allocator of that name: `naive`, `faulty:FAULT`, one of ours (`heap`,
    /// `canary/slab`), or, with the feature `peers`, a row of the replayer (`mimalloc`).
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        if name == "naive" {
            return Some(Self::Naive);
        }
        if let Some(fault) = name.strip_prefix("faulty:") {
            let faults = Fault::CAUGHT.into_iter().map(|(fault, _)| fault);
            return faults.into_iter().find(|f| format!("{f:?}") == fault).map(Self::Faulty);
        }
        stack(name).map(Self::Stack).or_else(|| row(name))
    }

    /// Returns the names of the allocators that are not stacks of others, without faulty ones.
    #[must_use]
    pub fn names() -> Vec<String> {
        let ours = Base::ALL.iter().map(|base| base.name().to_owned());
        ["naive".to_owned()].into_iter().chain(ours).chain(rows()).collect()
    }

    /// Returns what it is held to.
    #[must_use]
    pub fn limits(&self) -> Limits {
        match self {
            Self::Naive | Self::Faulty(_) => Limits::region(REGION_BYTES),
            Self::Stack(stack) => stack.limits(BLOCK),
            #[cfg(feature = "peers")]
            Self::Row(_) => {
                Limits { size_max: 1 << 16, align_max: 16, ..Limits::growing() }.foreign()
            }
        }
    }

    /// Runs a program on it to the end, with everything freed.
    ///
    /// # Errors
    ///
    /// [`Violation`] if a rule is broken.
    ///
    /// # Panics
    ///
    /// If the system has no address space for the region of a peer.
    pub fn run(&self, program: &[AllocatorOp]) -> Result<(), Violation> {
        let limits = self.limits();
        match self {
            Self::Naive => run_to_end(program, &limits, |test| {
                test(&NaiveAllocator::new("naive", REGION_BYTES));
            }),
            Self::Faulty(fault) => run_to_end(program, &limits, |test| {
                test(&FaultyAllocator::new(*fault, REGION_BYTES));
            }),
            Self::Stack(stack) => {
                run_to_end(program, &limits, |test| stack.make(BLOCK, &mut |made| test(made)))
            }
            #[cfg(feature = "peers")]
            Self::Row(name) => {
                let row = all_rows().find(|row| row.name() == name);
                let row = row.expect("a subject is made of the name of a row");
                run_to_end(program, &limits, |test| {
                    let driven = row.drive(PEER_BYTES, &mut |subject| {
                        crate::conformance::with_subject(subject, test);
                    });
                    driven.expect("the system has address space");
                })
            }
        }
    }
}

/// Runs a program on the allocator of that name, to the end with everything freed.
///
/// # Errors
///
/// [`Violation`] if a rule is broken, or nothing has that name.
///
/// # Examples
///
/// ```
/// use loligo_tests::{programs::AllocatorOp::*, shrink::run_on};
///
/// let program = [AllocateZeroed { slot: 0, size: 1, align: 1 }];
/// assert!(run_on("heap", &program).is_ok());
/// assert!(run_on("faulty:ZeroesAskedOnly", &program).is_err());
/// ```
pub fn run_on(name: &str, program: &[AllocatorOp]) -> Result<(), Violation> {
    let Some(subject) = Subject::named(name) else {
        let names = Subject::names().join(", ");
        let text = format!("no allocator is called `{name}`; there are {names}, faulty:FAULT");
        return Err(Violation::new(Rule::Name, text));
    };
    subject.run(program)
}

/// Reads `top/../base`.
fn stack(name: &str) -> Option<Stack> {
    let mut layers = name.rsplit('/');
    let base = layers.next()?;
    let base = Base::ALL.iter().find(|known| known.name() == base)?;
    layers.try_fold(Stack::of(*base), |stack, layer| {
        let wrapper = Wrapper::ALL.iter().find(|known| known.name() == layer)?;
        (stack.wrappers().count() < 3).then(|| stack.under(*wrapper).ok())?
    })
}

#[cfg(feature = "peers")]
fn all_rows() -> impl Iterator<Item = loligo_replay::rows::Row> {
    loligo_replay::rows::peers().into_iter().chain(loligo_replay::ours())
}

#[cfg(feature = "peers")]
fn rows() -> Vec<String> {
    all_rows().map(|row| row.name().to_owned()).filter(|name| stack(name).is_none()).collect()
}

#[cfg(not(feature = "peers"))]
fn rows() -> Vec<String> {
    Vec::new()
}

#[cfg(feature = "peers")]
fn row(name: &str) -> Option<Subject> {
    rows().into_iter().find(|row| row == name).map(Subject::Row)
}

#[cfg(not(feature = "peers"))]
fn row(_name: &str) -> Option<Subject> {
    None
}
