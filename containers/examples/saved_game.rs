//! A saved game that outlives three versions of the program: one function a type writes it and
//! reads it, and a damaged file is refused with the field it broke in.
//!
//! Run it with `cargo run -p loligo-containers --example saved_game`.

use core::error::Error;
use std::fs;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::{Array, Stream, StreamError, StreamFormat, Streamed};
use loligo_ids::{IdString32, SmallId, id32};

/// Version 1 had health, place and bag. Version 2 brought the title and the target and measured
/// health in hundredths no more; version 3 lets things be worn.
const FORMAT: StreamFormat = StreamFormat::new("saved_game", 3);

/// What the hero may aim at.
enum Unit {}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Difficulty {
    Easy,
    #[default]
    Normal,
    Hard,
}

#[derive(Debug, PartialEq)]
struct Item {
    what: IdString32,
    count: u16,
    is_worn: bool,
}

impl Default for Item {
    fn default() -> Self {
        Self { what: id32!("nothing"), count: 0, is_worn: false }
    }
}

impl Streamed for Item {
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        stream.field("what", &mut self.what)?;
        stream.field("count", &mut self.count)?;
        stream.added(3, "is_worn", &mut self.is_worn)
    }
}

#[derive(Debug)]
struct Hero<'a> {
    name: Array<'a, u8>,
    title: Array<'a, u8>,
    difficulty: Difficulty,
    health: f32,
    place: [f32; 3],
    target: Option<SmallId<Unit>>,
    bag: Array<'a, Item>,
}

impl<'a> Hero<'a> {
    fn new(memory: &'a dyn Allocator) -> Self {
        Self {
            name: Array::new(memory),
            title: Array::new(memory),
            difficulty: Difficulty::default(),
            health: 1.0,
            place: [0.0; 3],
            target: None,
            bag: Array::new(memory),
        }
    }
}

impl Streamed for Hero<'_> {
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        const DIFFICULTIES: [Difficulty; 3] =
            [Difficulty::Easy, Difficulty::Normal, Difficulty::Hard];
        stream.text("name", &mut self.name)?;
        if stream.version() >= 2 {
            stream.text("title", &mut self.title)?;
        }
        stream.choice("difficulty", &mut self.difficulty, &DIFFICULTIES)?;
        // What version 1 had in place of the health, from which the health is made.
        let mut percent = (self.health * 100.0) as u8;
        stream.removed(2, "percent", &mut percent)?;
        stream.added_or(2, "health", &mut self.health, f32::from(percent) / 100.0)?;
        if S::READING && !(0.0..=1.0).contains(&self.health) {
            return Err(stream.refuse("a hero's health lies between 0 and 1"));
        }
        stream.field("place", &mut self.place)?;
        if stream.version() >= 2 {
            stream.id("target", &mut self.target)?;
        }
        stream.array("bag", &mut self.bag)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let memory = HeapAllocator::new("save", &pages);
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("galahad.save");

    let mut hero = Hero::new(&memory);
    hero.name.extend_from_slice(b"Galahad");
    hero.title.extend_from_slice(b"the Pure");
    hero.difficulty = Difficulty::Hard;
    hero.health = 0.75;
    hero.place = [12.0, 0.5, -3.0];
    hero.target = SmallId::from_bits(1 << 20 | 7);
    hero.bag.push(Item { what: id32!("oil"), count: 3, is_worn: false });
    hero.bag.push(Item { what: id32!("helmet"), count: 1, is_worn: true });

    // Written by this program, and read again.
    let mut bytes: Array<'_, u8> = Array::new(&memory);
    FORMAT.save(&mut hero, &mut bytes)?;
    fs::write(&path, &*bytes)?;
    let file = fs::read(&path)?;
    let mut read = Hero::new(&memory);
    FORMAT.load(&mut read, &file)?;
    println!("version 3: {} bytes, {} things in the bag", file.len(), read.bag.len());
    assert_eq!(
        (read.health, read.target, read.bag[1].is_worn),
        (0.75, hero.target, true),
        "it is as it was written"
    );
    assert_eq!(read.difficulty, Difficulty::Hard, "it is as it was written");

    // As the program of two years ago wrote it: the very same function, asked for its version.
    let mut old: Array<'_, u8> = Array::new(&memory);
    StreamFormat { version: 1, ..FORMAT }.save(&mut hero, &mut old)?;
    let mut read = Hero::new(&memory);
    FORMAT.load(&mut read, &old)?;
    println!("version 1: {} bytes, health {} from hundredths, no target", old.len(), read.health);
    assert_eq!(
        (read.health, read.target, read.bag[1].is_worn),
        (0.75, None, false),
        "defaults, where version 1 knew nothing"
    );
    assert!(read.title.is_empty(), "version 1 knew no titles");

    // The old program is given the new file.
    let error = StreamFormat { version: 1, ..FORMAT }.load(&mut read, &file).err();
    println!("the old program: {}", error.ok_or("it must not guess")?);

    // A disk that lost its end, and one that flipped a bit in the length of the bag.
    let error = FORMAT.load(&mut Hero::new(&memory), &file[..file.len() - 4]).err();
    println!("cut: {}", error.ok_or("a part is missing")?);
    let mut flipped = file.clone();
    let length = flipped.len() - 2 * 7 - 1;
    flipped[length] ^= 0x80;
    let error = FORMAT.load(&mut Hero::new(&memory), &flipped).err();
    println!("flipped: {}", error.ok_or("so many things are not there")?);

    // And a player who gave himself a little more.
    let mut cheated = file.clone();
    let health = 8 + 4 + 7 + 4 + 8 + 4;
    cheated[health..health + 4].copy_from_slice(&9000.0f32.to_le_bytes());
    let error = FORMAT.load(&mut Hero::new(&memory), &cheated).err();
    println!("cheated: {}", error.ok_or("nobody is that healthy")?);
    Ok(())
}
