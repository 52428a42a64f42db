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
    AllocError, Allocator, Arena, FrameAllocator, HeapAllocator, Locked, Own, PageAllocator,
    PoolAllocator, ProxyAllocator, SharedRef, StaticHeap, own_dyn,
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

/// A tree in the memory of a frame, a scope, a scratch or a temporary allocator.
struct Tree<'f> {
    name: &'f str,
    children: &'f [Tree<'f>],
}

fn tree<'f>(depth: usize, memory: &'f impl Arena) -> Tree<'f> {
    Tree {
        name: memory.format(format_args!("level {depth}")),
        children: memory.alloc_slice_fill_with(depth, |_| tree(depth - 1, memory)),
    }
}

/// A list in any memory; each node is dropped and freed with the one before it.
struct Track<'m> {
    title: Own<'m, str>,
    next: Option<Own<'m, Track<'m>>>,
}

fn push<'m>(
    next: Option<Own<'m, Track<'m>>>,
    title: &str,
    memory: &'m dyn Allocator,
) -> Result<Own<'m, Track<'m>>, AllocError> {
    Own::new(Track { title: Own::new_str(title, memory)?, next }, memory)
}

/// Owners of closures: all of one type, and one that can be sent.
struct Callbacks<'m> {
    here: Own<'m, dyn FnMut(u32) + 'm>,
    sent: Own<'m, dyn Fn(u32) -> u32 + Send + 'm, dyn Allocator + Sync + 'm>,
}

impl<'m> Callbacks<'m> {
    fn new(sum: &'m mut u32, memory: SharedRef<'m>) -> Result<Self, AllocError> {
        let here = Own::new(move |number| *sum += number, memory)?;
        let sent = Own::new_in(|number| number * 2, memory)?;
        Ok(Self {
            here: own_dyn!(here => dyn FnMut(u32) + 'm),
            sent: own_dyn!(sent => dyn Fn(u32) -> u32 + Send + 'm),
        })
    }
}

/// Runs the owners above.
fn with_owners() -> Result<(), AllocError> {
    let mut list = None;
    for title in ["second", "first"] {
        list = Some(push(list, title, &HEAP)?);
    }
    let first = list.as_ref().map_or("", |track| &*track.title);
    let second = list.as_ref().and_then(|track| track.next.as_ref());
    assert_eq!((first, second.map_or("", |track| &*track.title)), ("first", "second"), "in order");

    let mut sum = 0;
    let Callbacks { mut here, sent } = Callbacks::new(&mut sum, &HEAP)?;
    here(3);
    here(4);
    let doubled = thread::scope(|threads| threads.spawn(move || sent(21)).join());
    drop(here);
    assert_eq!((sum, doubled.expect("it does not panic")), (7, 42), "both were called");
    Ok(())
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

    let tree = tree(3, &sound.frame);
    let leaf = tree.children[2].children[1].children[0].name;
    println!("{} is above {leaf}", tree.name);
    with_owners()?;

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
