//! One line of a graph.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, Ring};

use crate::event::{Event, What};

/// What a series shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A float or a counter.
    Value,
    /// A part of a vector: 0 is x, 1 is y, 2 is z.
    Part(u8),
    /// Milliseconds in a scope in each frame.
    Scope,
    /// Live bytes of a heap: of blocks that are recorded, or a counter of its name.
    Heap,
}

/// A point of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// When it was, in nanoseconds from when the monitor was made.
    pub time_ns: u64,
    /// The value.
    pub value: f32,
}

/// A line of a graph: the last values of something.
pub struct Series<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    pub(crate) name: Array<'a, u8, A>,
    pub(crate) source: Source,
    pub(crate) color: Option<[u8; 3]>,
    pub(crate) points: Ring<'a, Point, A>,
    pub(crate) history: u32,
    pub(crate) sum: Sum,
}

/// What a series adds up between two points.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    /// Live bytes, or nanoseconds of scopes since the end of the last frame, less the beginnings of
    /// open scopes.
    total: i64,
    /// Open scopes of this name.
    open: u32,
}

impl<A: Allocator + ?Sized> Series<'_, A> {
    /// Returns the name that its values are recorded under.
    #[must_use]
    pub fn name(&self) -> &str {
        core::str::from_utf8(&self.name).unwrap_or("?")
    }

    /// Returns what it shows.
    #[must_use]
    pub const fn source(&self) -> Source {
        self.source
    }

    /// Returns the color that it was given: red, green and blue.
    #[must_use]
    pub const fn color(&self) -> Option<[u8; 3]> {
        self.color
    }

    /// Returns the points, the oldest first.
    pub fn points(&self) -> impl DoubleEndedIterator<Item = &Point> + ExactSizeIterator {
        self.points.iter()
    }

    /// Returns how many points there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Returns `true` if there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Takes an event of this name, or one without a name.
    pub(crate) fn take(&mut self, event: &Event<'_>) {
        let time = event.time_ns.cast_signed();
        match (self.source, event.what) {
            (Source::Value, What::Float { value, .. }) => self.push(event.time_ns, value),
            (Source::Value, What::Counter { value, .. }) => self.push(event.time_ns, value as f32),
            (Source::Part(part), What::Vector { value, .. }) => {
                self.push(event.time_ns, value[usize::from(part) % 3]);
            }
            (Source::Scope, What::Enter { .. }) => {
                self.sum.total -= time;
                self.sum.open += 1;
            }
            // A scope that began before the series was added is not counted.
            (Source::Scope, What::Leave { .. }) if self.sum.open > 0 => {
                self.sum.total += time;
                self.sum.open -= 1;
            }
            (Source::Scope, What::Frame { .. }) => {
                // What is open so far belongs to this frame, the rest of it to the next.
                let open = i64::from(self.sum.open).wrapping_mul(time);
                let ns = self.sum.total.wrapping_add(open);
                self.sum.total = open.wrapping_neg();
                // Threads come in no order, so one frame may get what another lacks: never less
                // than nothing.
                self.push(event.time_ns, (ns.max(0) as f64 / 1e6) as f32);
            }
            (Source::Heap, What::Allocate { bytes, .. }) => {
                self.sum.total = self.sum.total.saturating_add_unsigned(bytes);
                self.push(event.time_ns, self.sum.total as f32);
            }
            (Source::Heap, What::Free { bytes, .. }) => {
                self.sum.total = self.sum.total.saturating_sub_unsigned(bytes);
                self.push(event.time_ns, self.sum.total as f32);
            }
            // Of a program that counts what is live by itself, and records no blocks.
            (Source::Heap, What::Counter { value, .. }) => {
                self.sum.total = value;
                self.push(event.time_ns, value as f32);
            }
            _ => {}
        }
    }

    fn push(&mut self, time_ns: u64, value: f32) {
        while self.points.len() >= self.history as usize {
            self.points.pop_front();
        }
        // There is room for a history from the start, so nothing falls out here.
        self.points.push_over(Point { time_ns, value });
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Series<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Series")
            .field("name", &self.name())
            .field("source", &self.source)
            .field("points", &self.points)
            .finish_non_exhaustive()
    }
}
