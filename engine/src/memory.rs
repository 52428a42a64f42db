//! The memory of an engine: an allocator for each subsystem.

use core::error::Error;
use core::fmt;

use loligo_allocators::{
    Allocator, BuddyAllocator, BuddyError, FrameAllocator, GuardPageAllocator, HeapAllocator,
    Locked, MemoryGlobals, PageAllocator, SharedProxy, SharedRef, SystemAllocator,
};
use loligo_containers::{Array, GrowError};

mod plan;
mod room;
#[cfg(test)]
mod tests;
mod third_party;

pub use plan::{MemoryPlan, PlanError, SUBSYSTEMS_MAX, SubsystemAllocator, SubsystemMemory};
pub(crate) use room::{Room, memory_of};
pub use third_party::{FrameGuard, Libraries, Library, libraries};

/// An allocator that several threads share, of any kind.
pub(crate) type SharedAllocator<'m> = dyn Allocator + Sync + 'm;

/// The memory of what dies with a frame: it is reset when the next frame begins, and keeps its
/// chunks. [`Arena`](loligo_allocators::Arena) puts values into it without unsafe code, and every
/// container takes its memory from it.
pub type FrameMemory<'m> = FrameAllocator<'m, SharedAllocator<'m>>;

/// The allocators of an engine's subsystems, each wrapped in a proxy with the subsystem's name.
///
/// They live as long as the call of [`with_memory`] that made them.
#[derive(Clone, Copy)]
pub struct Memory<'m> {
    first: [SharedRef<'m>; 4],
    /// What all share in place of the heap of the first ones.
    given: Option<SharedRef<'m>>,
    scratch: SharedRef<'m>,
    own: [Option<SharedRef<'m>>; SUBSYSTEMS_MAX],
    proxies: &'m [SharedProxy<'m>],
}

/// An allocator that serves one subsystem alone.
#[expect(
    clippy::large_enum_variant,
    reason = "there are a few in one block, made once; the tables of a heap are touched where there is one alone"
)]
enum Own<'m> {
    Heap(Locked<HeapAllocator<'m, PageAllocator>>),
    Buddy(Locked<BuddyAllocator<'m, PageAllocator>>),
    Page(PageAllocator),
    Guard(GuardPageAllocator<'m>),
    System(SystemAllocator<'m>),
}

/// Makes the allocators that a plan wants, shows them to `act`, and tears them down.
///
/// The plan and `subsystems` belong together: [`MemoryPlan::subsystem`] of a place is for the name
/// at that place. After `act` no block may be left: a subsystem that left one is named in a panic,
/// with the number of its blocks and bytes.
///
/// # Complexity
///
/// O(subsystems): what a subsystem asks for goes through its proxy to its allocator, without a
/// search.
///
/// # Memory
///
/// Two blocks of the heap that is shared: 128 bytes for each proxy, and the allocators themselves,
/// of which a heap of one's own takes the most, 20 KiB.
///
/// # Errors
///
/// [`MemoryError`] if there is no memory for the allocators themselves or for a buddy's bytes; then
/// `act` was not called.
///
/// # Panics
///
/// If there are more than [`SUBSYSTEMS_MAX`] subsystems; if a block is left.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{Allocator, MemoryGlobals, MemoryOptions, StaticHeap};
/// use loligo_containers::Array;
/// use loligo_engine::{MemoryPlan, with_memory};
///
/// static BOOT: StaticHeap<{ MemoryGlobals::BOOT_BYTES }> = StaticHeap::new("boot");
/// const SUBSYSTEMS: [&str; 2] = ["sound", "script"];
///
/// let globals = MemoryGlobals::init(&BOOT, &MemoryOptions::new())?;
/// let text = "subsystems = { script = { allocator = \"guard\" budget = 65536 } }";
/// let plan = MemoryPlan::try_read(text, &SUBSYSTEMS, globals.default_allocator())?;
/// with_memory(&globals, &plan, &SUBSYSTEMS, |memory| {
///     let script = memory.subsystem("script").expect("it is in the list");
///     let words = Array::try_from_slice(&[1, 2, 3], script).expect("there is memory");
///     assert_eq!((script.name(), script.stats().live), ("script", 1));
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn with_memory<R>(
    globals: &MemoryGlobals<'_>,
    plan: &MemoryPlan,
    subsystems: &[&'static str],
    act: impl FnOnce(Memory<'_>) -> R,
) -> Result<R, MemoryError> {
    with_memory_of(globals, None, plan, subsystems, act)
}

/// As [`with_memory`]; what the subsystems share is `given`, if anything is.
pub(crate) fn with_memory_of<R>(
    globals: &MemoryGlobals<'_>,
    given: Option<SharedRef<'_>>,
    plan: &MemoryPlan,
    subsystems: &[&'static str],
    act: impl FnOnce(Memory<'_>) -> R,
) -> Result<R, MemoryError> {
    assert!(
        subsystems.len() <= SUBSYSTEMS_MAX,
        "{} subsystems are more than {SUBSYSTEMS_MAX}",
        subsystems.len()
    );
    let shared = given.unwrap_or_else(|| globals.default_allocator());
    let mut own = Array::try_with_capacity_in(subsystems.len(), shared)?;
    for (index, &subsystem) in subsystems.iter().enumerate() {
        own.try_push(Own::new(
            plan.subsystem(index).allocator,
            subsystem,
            globals.page_allocator(),
        )?)?;
    }
    let mut own_refs = [None; SUBSYSTEMS_MAX];
    let mut proxies = Array::try_with_capacity_in(subsystems.len(), shared)?;
    for (index, (&subsystem, own)) in subsystems.iter().zip(own.as_slice()).enumerate() {
        own_refs[index] = own.as_ref().map(Own::shared);
        let proxy = SharedProxy::new_in(subsystem, own_refs[index].unwrap_or(shared));
        proxies.try_push(match plan.subsystem(index).budget {
            Some(bytes) => proxy.with_budget(bytes),
            None => proxy,
        })?;
    }
    Ok(act(Memory {
        first: globals.allocators(),
        given,
        scratch: globals.scratch_allocator(),
        own: own_refs,
        proxies: proxies.as_slice(),
    }))
}

impl<'m> Memory<'m> {
    /// Returns a subsystem's memory, if there is such a subsystem. O(subsystems).
    #[must_use]
    pub fn subsystem(&self, name: &str) -> Option<SharedRef<'m>> {
        let proxy = self.proxies.iter().find(|proxy| proxy.name() == name)?;
        Some(proxy)
    }

    /// Returns the memory of the subsystem at a place in the list.
    pub(crate) fn at(&self, place: usize) -> SharedRef<'m> {
        &self.proxies[place]
    }

    /// Returns the names of all subsystems, in the order of the list.
    pub fn subsystems(&self) -> impl ExactSizeIterator<Item = &'m str> + use<'m> {
        self.proxies.iter().map(SharedProxy::name)
    }

    /// Returns memory for what dies soon.
    #[must_use]
    pub const fn scratch(&self) -> SharedRef<'m> {
        self.scratch
    }

    /// Visits every allocator, those below before those above, as an
    /// [`Overview`](loligo_allocators::Overview) wants them.
    pub fn visit(&self, visit: &mut dyn FnMut(SharedRef<'m>)) {
        self.first.into_iter().for_each(&mut *visit);
        self.given.into_iter().for_each(&mut *visit);
        self.own.into_iter().flatten().for_each(&mut *visit);
        for proxy in self.proxies {
            visit(proxy);
        }
    }
}

impl fmt::Debug for Memory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.proxies.iter().map(|proxy| proxy.name())).finish()
    }
}

impl<'m> Own<'m> {
    fn new(
        allocator: SubsystemAllocator,
        subsystem: &'static str,
        pages: &'m PageAllocator,
    ) -> Result<Option<Self>, MemoryError> {
        Ok(Some(match allocator {
            SubsystemAllocator::Shared => return Ok(None),
            SubsystemAllocator::Heap => {
                Self::Heap(Locked::new(HeapAllocator::new_in("own heap", pages)))
            }
            SubsystemAllocator::Buddy { bytes, leaf } => {
                let buddy = BuddyAllocator::new_in("own buddy", bytes, leaf, pages)
                    .map_err(|error| MemoryError::Buddy { subsystem, error })?;
                Self::Buddy(Locked::new(buddy))
            }
            SubsystemAllocator::Page => Self::Page(PageAllocator::new("own pages")),
            SubsystemAllocator::Guard => {
                Self::Guard(GuardPageAllocator::new("own guard pages", pages))
            }
            SubsystemAllocator::System => {
                Self::System(SystemAllocator::new("own system heap", pages))
            }
        }))
    }

    fn shared(&self) -> SharedRef<'_> {
        match self {
            Self::Heap(heap) => heap,
            Self::Buddy(buddy) => buddy,
            Self::Page(pages) => pages,
            Self::Guard(guard) => guard,
            Self::System(system) => system,
        }
    }
}

/// The allocators of a plan cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryError {
    /// There is no memory for the allocators themselves.
    Memory(GrowError),
    /// A buddy of these bytes cannot be had.
    Buddy {
        /// Whose it was to be.
        subsystem: &'static str,
        /// Why not.
        error: BuddyError,
    },
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(error) => write!(f, "no memory for the allocators of the engine: {error}"),
            Self::Buddy { subsystem, error } => write!(f, "no buddy for `{subsystem}`: {error}"),
        }
    }
}

impl Error for MemoryError {}

impl From<GrowError> for MemoryError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}
