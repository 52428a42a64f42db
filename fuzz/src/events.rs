//! Events for the target `event_stream` and its seeds.

use bytemuck::{AnyBitPattern, CheckedBitPattern, NoUninit};
use loligo_containers::{Event, EventReader};

/// An event all of whose bits are valid.
#[derive(Clone, Copy, Debug, AnyBitPattern, NoUninit)]
#[repr(C)]
pub struct Shot {
    /// When.
    pub time_us: u32,
    /// Who.
    pub by: [u16; 3],
    /// Whether it hit.
    pub hit: u16,
}

impl Event for Shot {
    const TYPE: u32 = 1;
}

/// An event of which they are not.
#[derive(Clone, Copy, Debug, CheckedBitPattern, NoUninit)]
#[repr(C)]
pub struct Fell {
    /// When.
    pub time_us: u32,
    /// On what.
    pub ground: Ground,
}

impl Event for Fell {
    const TYPE: u32 = 2;
}

/// What one may fall on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, CheckedBitPattern, NoUninit)]
#[repr(u32)]
pub enum Ground {
    /// Soft.
    Grass = 1,
    /// Hard.
    Stone = 2,
}

/// Reads all that is in a stream by every way there is, and returns how many bytes and events that
/// was.
#[must_use]
pub fn read_all(stream: EventReader<'_>) -> usize {
    let mut read = stream.of::<Shot>().count() + stream.of::<Fell>().count();
    read +=
        usize::from(stream.check::<Shot>().is_ok()) + usize::from(stream.check::<Fell>().is_ok());
    for record in stream {
        read += record.payload().iter().filter(|&&byte| byte != 0).count();
        if let Some((shot, tail)) = record.get_with_tail::<Shot, u16>() {
            read += usize::from(shot.hit) + tail.as_bytes().len();
        }
        read += usize::from(record.field::<u64>(4).is_some());
        assert_eq!(record.reader().iter().count(), 1, "a record is a stream of one event");
    }
    read
}

/// The time of an event, by which streams are merged.
#[must_use]
pub fn time_of(record: &loligo_containers::EventRecord<'_>) -> u32 {
    record.field(0).unwrap_or(0)
}
