//! Wrong use of an allocator, done on purpose in a child process, and what became of it.

use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use loligo_allocators::Allocator;

use crate::child::Ended;

#[cfg(feature = "replay")]
mod peer;
#[cfg(feature = "peers")]
pub mod table;

#[cfg(feature = "replay")]
pub use peer::commit_on;

/// A way to use an allocator wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wrong {
    /// Frees a block twice in a row.
    DoubleFree,
    /// Frees a block twice, with others freed before and after it.
    DoubleFreeLater,
    /// Frees all blocks, so that all may be merged, and one of them again.
    DoubleFreeMerged,
    /// Frees memory that another allocator gave out.
    ForeignFree,
    /// Frees an aligned address inside a block.
    InteriorFree,
    /// Frees the second byte of a block.
    OddFree,
    /// Frees a block with a layout of eight times the size that it was given.
    WrongSize,
    /// Drops the allocator with a live block.
    Leak,
    /// Writes a byte past a block's end.
    OverflowByte,
    /// Writes 32 bytes past a block's end.
    Overflow32,
    /// Writes a MiB past a block's end.
    OverflowMany,
    /// Writes a byte before a block's start.
    UnderflowByte,
    /// Writes 32 bytes before a block's start.
    Underflow32,
    /// Writes a MiB before a block's start.
    UnderflowMany,
    /// Writes over a block that was freed.
    UseAfterFree,
}

impl Wrong {
    /// Every way.
    pub const ALL: [Self; 15] = [
        Self::DoubleFree,
        Self::DoubleFreeLater,
        Self::DoubleFreeMerged,
        Self::ForeignFree,
        Self::InteriorFree,
        Self::OddFree,
        Self::WrongSize,
        Self::Leak,
        Self::OverflowByte,
        Self::Overflow32,
        Self::OverflowMany,
        Self::UnderflowByte,
        Self::Underflow32,
        Self::UnderflowMany,
        Self::UseAfterFree,
    ];

    /// Whether it is a free of what may not be freed.
    #[must_use]
    pub const fn is_free(self) -> bool {
        matches!(
            self,
            Self::DoubleFree
                | Self::DoubleFreeLater
                | Self::DoubleFreeMerged
                | Self::ForeignFree
                | Self::InteriorFree
                | Self::OddFree
                | Self::WrongSize
        )
    }

    /// Returns the heading of its column in a table.
    #[must_use]
    pub const fn heading(self) -> &'static str {
        match self {
            Self::DoubleFree => "double free",
            Self::DoubleFreeLater => "double free, others between",
            Self::DoubleFreeMerged => "double free, all freed",
            Self::ForeignFree => "foreign free",
            Self::InteriorFree => "interior free (+16)",
            Self::OddFree => "interior free (+1)",
            Self::WrongSize => "wrong size",
            Self::Leak => "leak",
            Self::OverflowByte => "overflow 1",
            Self::Overflow32 => "overflow 32",
            Self::OverflowMany => "overflow 1 MiB",
            Self::UnderflowByte => "underflow 1",
            Self::Underflow32 => "underflow 32",
            Self::UnderflowMany => "underflow 1 MiB",
            Self::UseAfterFree => "use after free",
        }
    }

    /// The way with that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wrong| format!("{wrong:?}") == name)
    }
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The allocator said so, with its own name and the address; a peer: the process ended with a
    /// message and an abort or a panic.
    Detected,
    /// The system stopped the process at the wrong write itself.
    Stopped,
    /// Nothing was said, but `verify` found damage.
    FoundByVerify,
    /// Nothing was said, and the process went on.
    Survived,
    /// The process ended some other way.
    CrashedElsewhere,
    /// The process did not end in time.
    Hung,
    /// There is no way to do this to it.
    NotApplicable,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Detected => "detected",
            Self::Stopped => "stopped",
            Self::FoundByVerify => "by verify",
            Self::Survived => "survived",
            Self::CrashedElsewhere => "crashed",
            Self::Hung => "hung",
            Self::NotApplicable => "-",
        })
    }
}

/// The line before the address that is about to be misused.
const TARGET: &str = "misused address: ";
/// The line before a wrong write.
const WRITING: &str = "about to write";
/// The line after a wrong write that nothing stopped.
const WRITTEN: &str = "written";
/// The line of a process that went on.
const SURVIVED: &str = "the process went on";
/// The line of a process in which `verify` found damage.
const DAMAGED: &str = "verify found damage";

/// Does the wrong thing, in a child process: this may abort, crash or return. Blocks have `layout`,
/// which is at least 32 bytes; with `sized` they are freed by address and layout.
///
/// It returns for [`Wrong::Leak`] alone, with one block alive; the caller then drops the allocator.
///
/// # Panics
///
/// If the allocator refuses a handful of blocks.
pub fn commit(wrong: Wrong, sized: bool, allocator: &dyn Allocator, layout: Layout) {
    let deed = Deed { allocator, layout, sized };
    let blocks: Vec<NonNull<u8>> = (0..6).map(|_| deed.allocate()).collect();
    let block = blocks[2];
    match wrong {
        Wrong::DoubleFree => {
            deed.free(block);
            deed.wrong_free(block);
        }
        Wrong::DoubleFreeLater => {
            deed.free(blocks[1]);
            deed.free(block);
            deed.free(blocks[4]);
            deed.wrong_free(block);
        }
        Wrong::DoubleFreeMerged => {
            blocks.iter().for_each(|&block| deed.free(block));
            deed.wrong_free(block);
        }
        Wrong::ForeignFree => {
            let foreign = Box::leak(Box::new([0_u128; 64]));
            deed.wrong_free(NonNull::from(foreign).cast());
        }
        Wrong::InteriorFree => deed.wrong_free(inside(block, 16)),
        Wrong::OddFree => deed.wrong_free(inside(block, 1)),
        Wrong::WrongSize => {
            tell(block);
            let wrong = Layout::from_size_align(8 * deed.bytes(block), layout.align());
            // SAFETY: none; that is the misuse.
            unsafe { allocator.deallocate_sized(block, wrong.unwrap_or(layout)) }
        }
        Wrong::Leak => {
            blocks.iter().filter(|&&other| other != block).for_each(|&block| deed.free(block));
            tell(block);
            return;
        }
        Wrong::OverflowMany => deed.scribble(block, deed.bytes(block) as isize, MANY),
        Wrong::UnderflowMany => deed.scribble(block, -(MANY as isize), MANY),
        Wrong::OverflowByte => deed.scribble(block, deed.bytes(block) as isize, 1),
        Wrong::Overflow32 => deed.scribble(block, deed.bytes(block) as isize, 32),
        Wrong::UnderflowByte => deed.scribble(block, -1, 1),
        Wrong::Underflow32 => deed.scribble(block, -32, 32),
        Wrong::UseAfterFree => {
            deed.free(block);
            deed.scribble(block, 0, layout.size());
        }
    }
    deed.go_on(wrong, &blocks);
}

/// An address inside a block.
fn inside(block: NonNull<u8>, offset: usize) -> NonNull<u8> {
    // SAFETY: blocks of a misuse have at least 32 bytes.
    unsafe { block.add(offset) }
}

fn tell(address: NonNull<u8>) {
    println!("{TARGET}{address:p}");
}

/// Bytes of the greatest stray writes.
const MANY: usize = 1 << 20;

struct Deed<'a> {
    allocator: &'a dyn Allocator,
    layout: Layout,
    sized: bool,
}

impl Deed<'_> {
    fn allocate(&self) -> NonNull<u8> {
        let block = self.allocator.allocate(self.layout).expect("a fresh allocator has room");
        block.cast()
    }

    fn free(&self, block: NonNull<u8>) {
        if self.sized {
            // SAFETY: right where the block is live; where it is not, that is the misuse.
            unsafe { self.allocator.deallocate_sized(block, self.layout) }
        } else {
            // SAFETY: as above.
            unsafe { self.allocator.deallocate(block) }
        }
    }

    fn wrong_free(&self, block: NonNull<u8>) {
        tell(block);
        self.free(block);
    }

    fn bytes(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the block is live.
        unsafe { self.allocator.allocated_size(block) }
    }

    fn scribble(&self, block: NonNull<u8>, offset: isize, bytes: usize) {
        tell(block);
        println!("{WRITING}");
        // SAFETY: none; that is the misuse.
        let target = unsafe { block.as_ptr().offset(offset) };
        // SAFETY: none; that is the misuse.
        unsafe { target.write_bytes(0xa5, bytes) }
        println!("{WRITTEN}");
    }

    /// Goes on as a program would that has noticed nothing, and ends the process.
    fn go_on(&self, wrong: Wrong, blocks: &[NonNull<u8>]) -> ! {
        if self.allocator.verify().is_err() {
            println!("{DAMAGED}");
        }
        if !wrong.is_free() {
            let free_before = if wrong == Wrong::UseAfterFree { 2 } else { blocks.len() };
            for (index, &block) in blocks.iter().enumerate() {
                if index != free_before {
                    self.free(block);
                }
            }
        }
        let more: Vec<NonNull<u8>> = (0..12)
            .filter_map(|_| self.allocator.allocate(self.layout).ok())
            .map(NonNull::cast)
            .collect();
        more.into_iter().for_each(|block| self.free(block));
        println!("{SURVIVED}");
        std::process::exit(0)
    }
}

/// Reads from a child process's end what became of the misuse of the allocator called `name`.
#[must_use]
pub fn verdict(ended: &Ended, name: &str) -> Verdict {
    let address = ended
        .stdout
        .lines()
        .find_map(|line| line.split(TARGET).nth(1))
        .map(|rest| rest.trim().to_owned());
    let named = ended.stderr.lines().any(|line| line.contains(&format!("allocator `{name}`")));
    let placed = address.is_some_and(|address| ended.stderr.contains(&address));
    if named && placed && !ended.succeeded() { Verdict::Detected } else { unreported(ended) }
}

/// Reads from a child process's end what became of the misuse of somebody else's allocator, whose
/// words we do not know: any message with an abort or a panic counts as detected.
#[must_use]
pub fn verdict_of_peer(ended: &Ended) -> Verdict {
    let said = !ended.stderr.trim().is_empty();
    if said && ended.aborted_or_panicked() { Verdict::Detected } else { unreported(ended) }
}

/// What became of a misuse that was not reported.
fn unreported(ended: &Ended) -> Verdict {
    if ended.status.is_none() {
        Verdict::Hung
    } else if ended.stdout.contains(DAMAGED) {
        Verdict::FoundByVerify
    } else if ended.succeeded() && ended.stdout.contains(SURVIVED) {
        Verdict::Survived
    } else if ended.faulted() && ended.stdout.contains(WRITING) && !ended.stdout.contains(WRITTEN) {
        Verdict::Stopped
    } else {
        Verdict::CrashedElsewhere
    }
}
