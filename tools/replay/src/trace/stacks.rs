//! The call stacks of a recording: a table of frames, and the innermost frame of each event.

use super::{TraceErrorKind, try_push, try_resize};

/// The most frames of a stack that a reader accepts.
pub const STACK_FRAMES_MAX: u16 = 1024;

/// The call stack of each event.
///
/// A stack is a number from 1; 0 means "not known". It has an innermost frame, which is a call site
/// of [`Trace::sites`](super::Trace::sites), and a parent, the stack of the caller. Stacks that
/// begin alike share their outer frames.
///
/// # Invariants
///
/// 1. The parent of a frame is 0 or a frame before it, so each walk outwards ends.
///
/// # Memory
///
/// 4 bytes an event, 12 a frame.
///
/// # Examples
///
/// ```
/// use loligo_replay::trace::{Details, Event, Op, Trace, TraceWriter};
///
/// let mut file = Vec::new();
/// let mut writer = TraceWriter::new(&mut file)?;
/// let (main, load) = (writer.site("game!main+0x20")?, writer.site("game!load+0x9")?);
/// let outer = writer.stack(0, main)?;
/// let stack = writer.stack(outer, load)?;
/// let event = Event { op: Op::Allocate, align_log2: 4, thread: 0, slot: 0, bytes: 100 };
/// writer.event(event, Details { site: load, stack, ..Details::default() })?;
/// writer.finish()?;
///
/// let trace = Trace::read("one", &file[..])?;
/// let stacks = trace.stacks().expect("the recording has stacks");
/// assert_eq!(stacks.frames(stacks.of(0)).collect::<Vec<_>>(), [load, main]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stacks {
    /// May be shorter than there are events; those after it have no stack.
    of: Vec<u32>,
    frames: Vec<Frame>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    parent: u32,
    site: u32,
    depth: u16,
}

impl Stacks {
    /// Returns the stack of an event by its index, 0 where it is not known.
    #[must_use]
    pub fn of(&self, event: usize) -> u32 {
        self.of.get(event).copied().unwrap_or(0)
    }

    /// Returns how many stacks there are; they are the numbers from 1 to this.
    #[must_use]
    pub fn count(&self) -> usize {
        self.frames.len()
    }

    /// Returns the call sites of a stack, the innermost first; none of 0 and of unknown stacks.
    ///
    /// # Complexity
    ///
    /// O(frames), at most [`STACK_FRAMES_MAX`].
    pub fn frames(&self, stack: u32) -> impl Iterator<Item = u32> {
        let first = self.frame(stack);
        core::iter::successors(first, |frame| self.frame(frame.parent)).map(|frame| frame.site)
    }

    /// Returns the parent and the call site of a stack; `None` of 0 and of unknown stacks.
    #[must_use]
    pub fn parent_and_site(&self, stack: u32) -> Option<(u32, u32)> {
        self.frame(stack).map(|frame| (frame.parent, frame.site))
    }

    fn frame(&self, stack: u32) -> Option<Frame> {
        let index = (stack as usize).checked_sub(1)?;
        self.frames.get(index).copied()
    }

    /// Enters the next frame; `sites` are named so far.
    pub(super) fn push(
        &mut self,
        number: u32,
        (parent, site): (u32, u32),
        sites: usize,
    ) -> Result<(), TraceErrorKind> {
        let stacks = self.frames.len();
        if number as usize != stacks + 1 {
            return Err(TraceErrorKind::StackOutOfOrder { number, stacks });
        }
        if site == 0 || site as usize > sites {
            return Err(TraceErrorKind::SiteUnnamed { site, sites });
        }
        let depth = match self.frame(parent) {
            Some(parent) => parent.depth + 1,
            None if parent == 0 => 1,
            None => return Err(TraceErrorKind::StackUnknown { stack: parent, stacks }),
        };
        if depth > STACK_FRAMES_MAX {
            return Err(TraceErrorKind::StackTooDeep { stack: number });
        }
        Ok(try_push(&mut self.frames, Frame { parent, site, depth })?)
    }

    /// Enters the stacks of the events from `first` on, of which there are `events`.
    pub(super) fn push_events(
        &mut self,
        first: u64,
        stacks: &[[u8; 4]],
        events: usize,
    ) -> Result<(), TraceErrorKind> {
        let covered = self.of.len();
        let fits = usize::try_from(first).ok().filter(|&first| {
            first >= covered && first.checked_add(stacks.len()).is_some_and(|end| end <= events)
        });
        let Some(start) = fits else {
            let count = stacks.len();
            return Err(TraceErrorKind::StacksMisplaced { first, count, covered, events });
        };
        // Both lengths are at most the number of events that are really there.
        try_resize(&mut self.of, start, 0)?;
        for bytes in stacks {
            let stack = u32::from_le_bytes(*bytes);
            if stack as usize > self.frames.len() {
                let stacks = self.frames.len();
                return Err(TraceErrorKind::StackUnknown { stack, stacks });
            }
            try_push(&mut self.of, stack)?;
        }
        Ok(())
    }

    /// Returns the stacks of the first events.
    pub(super) fn first(&self, events: usize) -> Self {
        let of = self.of.iter().take(events).copied().collect();
        let mut first = Self { of, frames: self.frames.clone() };
        first.trim();
        first
    }

    /// Drops what the column says of no event, so that equal traces have equal columns.
    pub(super) fn trim(&mut self) {
        let used = self.of.iter().rposition(|&stack| stack != 0).map_or(0, |last| last + 1);
        self.of.truncate(used);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }
}
