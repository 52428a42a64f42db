//! The types that a program writes for its memory: fields, arguments, statics and threads. The
//! guide docs/guide/types-you-will-write.md shows parts of this file.
//!
//! ```sh
//! cargo run -p loligo-containers --example types_you_will_write
//! ```
#![forbid(unsafe_code)]

use core::error::Error;
use core::mem::MaybeUninit;
use std::thread;

use loligo_allocators::{
    AllocError, Allocator, FrameAllocator, HeapAllocator, Locked, PageAllocator, PoolAllocator,
    ProxyAllocator, SharedRef, StaticHeap,
};
use loligo_containers::{Array, GrowError, SortedMap};
use loligo_ids::{HoleTable, Id, InsertError};

struct Door {
    is_open: bool,
}

/// Containers over any memory.
struct Level<'m> {
    names: Array<'m, u32>,
    prices: SortedMap<'m, u32, f32>,
    doors: HoleTable<'m, Door>,
}

impl<'m> Level<'m> {
    fn new(memory: &'m dyn Allocator) -> Result<Self, GrowError> {
        Ok(Self {
            names: Array::try_with_capacity(64, memory)?,
            prices: SortedMap::try_with_capacity(16, memory)?,
            doors: HoleTable::new(memory),
        })
    }
}

/// Owns allocators, and a container in the memory that these are over.
struct Sound<'m> {
    heap: HeapAllocator<'m>,
    frame: FrameAllocator<'m>,
    playing: Array<'m, u32>,
}

impl<'m> Sound<'m> {
    fn new(memory: SharedRef<'m>) -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            heap: HeapAllocator::fixed("sound", 1 << 20, memory)?,
            frame: FrameAllocator::new("mixer", 64 << 10, memory)?,
            playing: Array::try_with_capacity(32, memory)?,
        })
    }
}

/// Makes the heap first and lends it.
fn with_level<R>(
    pages: &PageAllocator,
    play: impl FnOnce(&mut Level) -> R,
) -> Result<R, GrowError> {
    let heap = HeapAllocator::new("level", pages);
    let mut level = Level::new(&heap)?;
    Ok(play(&mut level))
}

static PAGES: PageAllocator = PageAllocator::new("pages");
static HEAP: Locked<HeapAllocator> = Locked::new(HeapAllocator::new("game", &PAGES));
static SMALL: StaticHeap<{ 64 << 10 }> = StaticHeap::new("small");

/// Owns everything: what is borrowed lives as long as the program.
struct Game {
    level: Level<'static>,
    scores: Array<'static, u32>,
}

impl Game {
    fn new() -> Result<Self, GrowError> {
        Ok(Self { level: Level::new(&HEAP)?, scores: Array::try_with_capacity(8, &SMALL)? })
    }
}

/// Takes any container of numbers.
fn sum(numbers: &[u32]) -> u32 {
    numbers.iter().sum()
}

/// Returns a container in the caller's memory.
fn squares(count: u32, memory: &dyn Allocator) -> Result<Array<'_, u32>, GrowError> {
    let mut squares = Array::try_with_capacity(count as usize, memory)?;
    squares.try_extend((0..count).map(|number| number * number))?;
    Ok(squares)
}

/// Keeps the type of the allocator: every call of it is direct, and can be inlined.
fn evens<A: Allocator + ?Sized>(count: u32, memory: &A) -> Result<Array<'_, u32, A>, GrowError> {
    let mut evens = Array::try_with_capacity_in(count as usize, memory)?;
    evens.try_extend((0..count).map(|number| number * 2))?;
    Ok(evens)
}

/// What a thread sends to another: its allocator is one that threads share.
type Sent<'m> = Array<'m, u32, dyn Allocator + Sync + 'm>;

fn filled(memory: SharedRef<'_>) -> Result<Sent<'_>, GrowError> {
    let mut numbers = Array::new_in(memory);
    numbers.try_extend(0..100)?;
    Ok(numbers)
}

fn open_a_door(level: &mut Level<'_>) -> Result<Id<Door>, InsertError> {
    let door = level.doors.insert(Door { is_open: false })?;
    if let Some(door) = level.doors.get_mut(door) {
        door.is_open = true;
    }
    Ok(door)
}

/// A pool over a heap of this thread: neither can be sent, so the pool keeps the heap's type.
fn pooled(heap: &HeapAllocator<'_>) -> Result<usize, AllocError> {
    let layout = core::alloc::Layout::new::<Door>();
    let doors: PoolAllocator<'_, HeapAllocator<'_>> = PoolAllocator::new_in("doors", layout, heap);
    Ok(doors.stats().live)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut memory = [MaybeUninit::uninit(); 4096];
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let proxy = ProxyAllocator::new("counted", &frame);
    assert_eq!(sum(&squares(4, &proxy)?), 14, "0, 1, 4 and 9");
    assert_eq!(sum(&evens(4, &proxy)?), 12, "0, 2, 4 and 6");

    let mut sound = Sound::new(&PAGES)?;
    sound.playing.try_push(7)?;
    let heard = Array::<u32>::try_from_slice(&sound.playing, &sound.frame)?;
    assert_eq!((sum(&heard), pooled(&sound.heap)?), (7, 0), "one sound, and no door");
    drop(heard);

    let opened = with_level(&PAGES, |level| {
        level.names.push(3);
        level.prices.insert(3, 0.5);
        open_a_door(level)
    });
    println!("opened {:?} in a level that is gone again", opened??);

    let mut game = Game::new()?;
    open_a_door(&mut game.level)?;
    game.scores.try_push(100)?;
    let sent = thread::scope(|threads| {
        threads.spawn(|| filled(&HEAP)).join().expect("it does not panic")
    })?;
    println!("{} scores, {} numbers from another thread", game.scores.len(), sent.len());
    Ok(())
}
