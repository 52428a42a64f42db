//! A value with fields of every kind and of three versions, for the target `stream` and its seeds.

use loligo_allocators::Allocator;
use loligo_containers::{Array, Stream, StreamError, StreamFormat, Streamed};
use loligo_ids::{IdString32, SmallId};

/// The newest version of the format.
pub const FORMAT: StreamFormat = StreamFormat::new("knight", 3);

/// What is read and written.
pub struct Knight<'a> {
    name: Array<'a, u8>,
    health: f32,
    armour: u16,
    oath: char,
    house: IdString32,
    horse: Option<SmallId<u8>>,
    scores: Array<'a, i16>,
    arms: [bool; 3],
    rank: u8,
    squires: Array<'a, Knight<'a>>,
    memory: &'a dyn Allocator,
}

impl<'a> Knight<'a> {
    /// Returns a knight with nothing.
    #[must_use]
    pub fn new(memory: &'a dyn Allocator) -> Self {
        Self {
            name: Array::new_in(memory),
            health: 0.0,
            armour: 0,
            oath: ' ',
            house: IdString32::new("nobody"),
            horse: None,
            scores: Array::new_in(memory),
            arms: [false; 3],
            rank: 1,
            squires: Array::new_in(memory),
            memory,
        }
    }

    /// Returns a knight with a name, scores and a squire for each score.
    #[must_use]
    pub fn with_squires(name: &str, scores: &[i16], memory: &'a dyn Allocator) -> Self {
        let mut knight = Self::new(memory);
        knight.name.extend_from_slice(name.as_bytes());
        knight.scores.extend_from_slice(scores);
        knight.horse = SmallId::from_bits(1 << 20 | 7);
        for _ in scores {
            knight.squires.push(Self::with_squires(name, &[], memory));
        }
        knight
    }
}

impl Streamed for Knight<'_> {
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        let memory = self.memory;
        stream.text("name", &mut self.name)?;
        stream.field("health", &mut self.health)?;
        stream.added_or(2, "armour", &mut self.armour, 10)?;
        stream.removed(3, "mood", &mut 0_u8)?;
        stream.field("oath", &mut self.oath)?;
        stream.field("house", &mut self.house)?;
        stream.id("horse", &mut self.horse)?;
        stream.numbers("scores", &mut self.scores)?;
        stream.field("arms", &mut self.arms)?;
        stream.choice("rank", &mut self.rank, &[1, 4, 9])?;
        stream.array_with("squires", &mut self.squires, || Knight::new(memory))
    }
}
