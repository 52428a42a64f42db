//! A program with what it runs on, whichever family it is of.

use core::fmt;

use crate::compose::{Base, Stack, Wrapper};
use crate::models::Fault;
use crate::programs::{AllocatorOp, FAMILIES, Family, Space, from_bytes, over_heap};

use super::records::{of_records, to_records};
use super::{Subject, allocator_test, shrink};

/// A program with what it runs on.
#[derive(Clone, Debug)]
pub enum Case {
    /// On a container, in parallel with its model.
    Model {
        /// Which.
        family: &'static Family,
        /// What is before the program in an input of the fuzz target.
        head: Vec<u8>,
        /// The program.
        program: Vec<u8>,
    },
    /// On an allocator, under the oracle.
    Allocator {
        /// Which.
        on: Subject,
        /// The program.
        program: Vec<AllocatorOp>,
    },
}

/// Why something cannot be shrunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// What is wrong, and what to do.
    pub what: String,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl core::error::Error for Unfit {}

/// Returns the fuzz targets that run programs on allocators.
#[must_use]
pub fn allocator_targets() -> [&'static str; 7] {
    ["buddy", "canary", "frame", "heap", "pool", "slab", "wrappers"]
}

impl Case {
    /// Returns the case as the job of a child: what it is, its name, and its bytes.
    pub(super) fn to_job(&self) -> (&'static str, String, Vec<u8>) {
        match self {
            Self::Model { family, head, program } => {
                ("model", family.target.to_owned(), [&head[..], program].concat())
            }
            Self::Allocator { on, program } => ("allocator", on.to_string(), to_records(program)),
        }
    }

    /// Returns the case of a job.
    pub(super) fn of_job(what: &str, name: &str, bytes: &[u8]) -> Option<Self> {
        match what {
            "model" => Self::from_input(name, bytes).ok()?,
            _ => Some(Self::Allocator { on: Subject::named(name)?, program: of_records(bytes)? }),
        }
    }

    /// Takes an input of a fuzz target apart; `None` if it is shorter than what is before the
    /// program.
    ///
    /// # Errors
    ///
    /// [`Unfit`] if no target of that name makes programs.
    pub fn from_input(target: &str, input: &[u8]) -> Result<Option<Self>, Unfit> {
        if let Some(family) = FAMILIES.iter().find(|family| family.target == target) {
            return Ok(input.split_at_checked(family.head).map(|(head, program)| Self::Model {
                family,
                head: head.to_vec(),
                program: program.to_vec(),
            }));
        }
        let stack = |bases: &[Base]| {
            let (&first, program) = input.split_first()?;
            let base = bases[usize::from(first) % bases.len()];
            Some((Subject::Stack(Stack::of(base)), program))
        };
        let found = match target {
            "buddy" => stack(&[Base::Buddy]),
            "canary" => Some((Subject::Faulty(Fault::WritesOnFree), input)),
            "frame" => stack(FRAMES),
            "heap" => stack(HEAPS),
            "pool" => stack(POOLS),
            "slab" => stack(&[Base::Slab]),
            "wrappers" => wrapped(input),
            other => return Err(unknown(other)),
        };
        Ok(found.map(|(on, program)| {
            let program = from_bytes(program, &Space::past(&on.limits()));
            Self::Allocator { on, program }
        }))
    }

    /// Runs the program.
    ///
    /// # Errors
    ///
    /// What fails, in words. It may also panic, crash or hang.
    pub fn run(&self) -> Result<(), String> {
        match self {
            Self::Model { family, head, program } => {
                over_heap(head[0], |memory| (family.run)(head, program, memory))
                    .map_err(|differs| differs.to_string())
            }
            Self::Allocator { on, program } => on.run(program).map_err(|broken| broken.to_string()),
        }
    }

    /// Makes the program small; `fails` says whether one still fails.
    #[must_use]
    pub fn shrink(&self, fails: &mut dyn FnMut(&Self) -> bool) -> Self {
        match self {
            Self::Model { family, head, program } => {
                let family = *family;
                let of = |head: &[u8], program: &[u8]| Self::Model {
                    family,
                    head: head.to_vec(),
                    program: program.to_vec(),
                };
                let mut head = head.clone();
                let shrunk = (family.shrink)(program, &mut |program| fails(&of(&head, program)));
                // Without refusals, and on the first table that fails: the rest is easier read
                // then.
                for at in 0..head.len() {
                    for plainer in (0..head[at]).filter(|&byte| at > 0 || byte == 0 || byte >= 128)
                    {
                        let mut plain = head.clone();
                        plain[at] = plainer;
                        if fails(&of(&plain, &shrunk)) {
                            head = plain;
                            break;
                        }
                    }
                }
                of(&head, &shrunk)
            }
            Self::Allocator { on, program } => {
                let of = |program: &[AllocatorOp]| Self::Allocator {
                    on: on.clone(),
                    program: program.to_vec(),
                };
                of(&shrink(program.clone(), &mut |program| fails(&of(program))))
            }
        }
    }

    /// Returns the program as a test to paste.
    #[must_use]
    pub fn as_test(&self, why: &str) -> String {
        match self {
            Self::Model { family, head, program } => {
                (family.test)(family.target, head, program, why)
            }
            Self::Allocator { on, program } => allocator_test(&on.to_string(), program, why),
        }
    }

    /// Returns how many operations the program has.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            // Six bytes each, as `ops_from_bytes` reads them.
            Self::Model { program, .. } => program.len() / 6,
            Self::Allocator { program, .. } => program.len(),
        }
    }

    /// Returns `true` if it has no operation.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The bases of the target `frame`, which its first byte picks from; so below.
const FRAMES: &[Base] =
    &[Base::Frame, Base::SharedFrame, Base::Scratch, Base::Temp, Base::GrowingFrame];
const HEAPS: &[Base] = &[Base::Heap, Base::HeapInRegion, Base::StaticHeap];
const POOLS: &[Base] = &[Base::Pool, Base::SharedPool];

fn wrapped(input: &[u8]) -> Option<(Subject, &[u8])> {
    let (&[base, lower, upper], program) = input.split_first_chunk()?;
    let mut stack = Stack::of(Base::ALL[usize::from(base) % Base::ALL.len()]);
    for wrapper in [lower, upper] {
        let wrapper = Wrapper::ALL[usize::from(wrapper) % Wrapper::ALL.len()];
        stack = stack.under(wrapper).unwrap_or(stack);
    }
    Some((Subject::Stack(stack), program))
}

fn unknown(target: &str) -> Unfit {
    let models = FAMILIES.iter().map(|family| family.target);
    let mut names: Vec<&str> = models.chain(allocator_targets()).collect();
    names.sort_unstable();
    let names = names.join(", ");
    Unfit {
        what: format!(
            "no family is called `{target}`; there are {names}. Inputs of readers of bytes are made \
             smaller by the fuzzer itself: run its program with -minimize_crash=1"
        ),
    }
}
