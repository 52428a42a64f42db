//! What version 2 adds to the events: call sites, allocator objects, times, stacks, marks, notes.

use super::stacks::Stacks;
use super::{NoMemory, try_push, try_resize};

/// Everything but the events. Columns are empty, or have an entry for each event; the stacks may end
/// earlier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) sites: Labels,
    pub(super) objects: Labels,
    pub(super) times: Vec<u64>,
    pub(super) stacks: Stacks,
    pub(super) marks: Vec<Mark>,
    pub(super) notes: Vec<(String, String)>,
    pub(super) ending: Ending,
}

impl Columns {
    /// Enters the labels and the time of the event number `event`; zero means none.
    pub(super) fn push(
        &mut self,
        event: usize,
        site: u32,
        object: u32,
        time: u64,
    ) -> Result<(), NoMemory> {
        put(&mut self.sites.of, event, site)?;
        put(&mut self.objects.of, event, object)?;
        put(&mut self.times, event, time)
    }

    /// Returns the columns of the first `events` events.
    pub(super) fn first(&self, events: usize) -> Self {
        Self {
            sites: self.sites.first(events),
            objects: self.objects.first(events),
            times: self.times.iter().take(events).copied().collect(),
            stacks: self.stacks.first(events),
            marks: self
                .marks
                .iter()
                .take_while(|mark| mark.event <= events as u64)
                .copied()
                .collect(),
            notes: self.notes.clone(),
            ending: Ending::Whole,
        }
    }
}

/// Adds an entry to a column that is begun by the first entry that is not zero.
fn put<T: Copy + Default + PartialEq>(
    column: &mut Vec<T>,
    event: usize,
    entry: T,
) -> Result<(), NoMemory> {
    if !column.is_empty() {
        try_push(column, entry)?;
    } else if entry != T::default() {
        // A column that begins late is filled up with zeros, one for each event that is there.
        try_resize(column, event, T::default())?;
        try_push(column, entry)?;
    }
    Ok(())
}

/// A label for each event, and the names of the labels: call sites, or allocator objects.
///
/// Labels are numbers from 1; 0 means "not known". Of an allocation it is the one that asked; of a
/// reallocation or free it is the one that called, or 0 where the recorder does not know.
///
/// # Memory
///
/// 4 bytes an event; for each name its text, 16 bytes and what the heap adds to a block.
///
/// # Examples
///
/// ```
/// use loligo_replay::trace::{Details, Event, Op, Trace, TraceWriter};
///
/// let mut file = Vec::new();
/// let mut writer = TraceWriter::new(&mut file)?;
/// let site = writer.site("src/sound.rs:12:9")?;
/// let event = Event { op: Op::Allocate, align_log2: 4, thread: 0, slot: 0, bytes: 100 };
/// writer.event(event, Details { site, ..Details::default() })?;
/// writer.finish()?;
///
/// let trace = Trace::read("one", &file[..])?;
/// let sites = trace.sites().expect("the recording names its sites");
/// assert_eq!((sites.count(), sites.of(0), sites.name(sites.of(0))), (1, 1, "src/sound.rs:12:9"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    pub(super) of: Vec<u32>,
    pub(super) names: Vec<Box<str>>,
}

impl Labels {
    /// Returns the label of an event by its index, 0 where it is not known.
    #[must_use]
    pub fn of(&self, event: usize) -> u32 {
        self.of.get(event).copied().unwrap_or(0)
    }

    /// Returns the name of a label; it is empty for 0 and for unknown labels.
    #[must_use]
    pub fn name(&self, label: u32) -> &str {
        let index = (label as usize).checked_sub(1);
        index.and_then(|index| self.names.get(index)).map_or("", |name| name)
    }

    /// Returns how many labels there are; they are the numbers from 1 to this.
    #[must_use]
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Returns the names from label 1 on.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    fn first(&self, events: usize) -> Self {
        Self { of: self.of.iter().take(events).copied().collect(), names: self.names.clone() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// The end of a frame, or of whatever the program does again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// How many events are before it.
    pub event: u64,
    /// What the program said: the number of the frame, mostly.
    pub value: u64,
    /// When, in nanoseconds since the recording began; 0 where no times are recorded.
    pub time_ns: u64,
    /// The thread that set it.
    pub thread: u16,
}

/// How a recording ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// By its recorder, as it should.
    #[default]
    Whole,
    /// Without its last record: the program was killed, or the file was cut. What is there is
    /// valid.
    Cut {
        /// Bytes of a record that is not whole, which are left out.
        left_over: usize,
    },
}
