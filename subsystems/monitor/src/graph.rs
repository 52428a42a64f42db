//! Graphs of what is recorded, drawn while the game runs.
//!
//! After Niklas Frykholm, "Monitoring your game" (2011): graphs are made, fed and ranged by lines
//! of text from the console or a script. Changes: a graph may also show how long a scope took in
//! each frame, and the live bytes of a heap; without a range it fits what it shows.

use core::fmt;
use core::ops::RangeInclusive;

use loligo_allocators::Allocator;
use loligo_containers::{Array, Ring};

use crate::error::GraphError;
use crate::event::{Consumer, Event, What};

mod command;
mod series;

pub use series::{Point, Series, Source};

/// How many graphs there may be, and how much they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphLimits {
    /// Graphs.
    pub graphs: u32,
    /// Series of each.
    pub series: u32,
    /// Points of each series that a command may ask for.
    pub history_max: u32,
}

impl Default for GraphLimits {
    /// 32 graphs of 16 series, of up to 65 536 points.
    fn default() -> Self {
        Self { graphs: 32, series: 16, history_max: 1 << 16 }
    }
}

/// The default number of points of a series: about four seconds of frames.
pub(crate) const HISTORY: u32 = 256;

/// A graph: series over one range.
pub struct Graph<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    pub(crate) name: Array<'a, u8, A>,
    pub(crate) series: Array<'a, Series<'a, A>, A>,
    pub(crate) range: Option<[f32; 2]>,
    pub(crate) history: u32,
    pub(crate) is_hidden: bool,
}

impl<'a, A: Allocator + ?Sized> Graph<'a, A> {
    /// Returns the graph's name.
    #[must_use]
    pub fn name(&self) -> &str {
        core::str::from_utf8(&self.name).unwrap_or("?")
    }

    /// Returns the lines of the graph, in the order in which they were added.
    #[must_use]
    pub fn series(&self) -> &[Series<'a, A>] {
        &self.series
    }

    /// Returns how many points each series keeps.
    #[must_use]
    pub const fn history(&self) -> u32 {
        self.history
    }

    /// Returns `true` if it is not to be drawn. Its series go on.
    #[must_use]
    pub const fn is_hidden(&self) -> bool {
        self.is_hidden
    }

    /// Returns the values from the lower to the upper edge: those that were set, else the least and
    /// the greatest that are shown, a half below and above where that is one value. O(points) where
    /// none was set.
    #[must_use]
    pub fn range(&self) -> RangeInclusive<f32> {
        if let Some([least, most]) = self.range {
            return least..=most;
        }
        let shown = self.series.iter().flat_map(|series| series.points());
        let values = shown.map(|point| point.value).filter(|value| value.is_finite());
        let (least, most) = values
            .fold((f32::MAX, f32::MIN), |(least, most), value| (least.min(value), most.max(value)));
        match least < most {
            true => least..=most,
            false if least == most => least - 0.5..=most + 0.5,
            false => 0.0..=1.0,
        }
    }

    /// Returns a series' points as places in a unit square, the newest at the right edge and as
    /// many from it as the history is long, 0 the lower edge; what is beyond the range is on an
    /// edge. NaNs are left out.
    ///
    /// # Examples
    ///
    /// See [`Graphs`].
    pub fn places(&self, series: usize) -> impl Iterator<Item = [f32; 2]> {
        let (least, most) = self.range().into_inner();
        let step = 1.0 / (self.history.max(2) - 1) as f32;
        let points = self.series.get(series).into_iter().flat_map(|series| {
            let len = series.len();
            series.points().enumerate().map(move |(index, point)| (len - 1 - index, point.value))
        });
        points.filter(|(_, value)| !value.is_nan()).map(move |(ago, value)| {
            // Halved, as the difference of two finite values may not be finite.
            let above = value.clamp(least, most) / 2.0 - least / 2.0;
            [1.0 - ago as f32 * step, above / (most / 2.0 - least / 2.0)]
        })
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Graph<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph")
            .field("name", &self.name())
            .field("range", &self.range)
            .field("history", &self.history)
            .field("series", &self.series)
            .finish()
    }
}

/// A consumer that feeds graphs, which are made by lines of text.
///
/// | command | what it does |
/// |---|---|
/// | `graph make NAME` | makes a graph |
/// | `graph add NAME SERIES [COLOR]` | adds a float or a counter to it, by the name that it is recorded under |
/// | `graph add_vector3 NAME SERIES` | adds the three parts of a vector |
/// | `graph add_scope NAME SCOPE [COLOR]` | adds the milliseconds of each frame that threads were in the scope, summed |
/// | `graph add_heap NAME HEAP [COLOR]` | adds the live bytes of a heap: of its blocks that are recorded from now on, or a counter of its name |
/// | `graph range NAME LEAST MOST` | sets the values from the lower to the upper edge |
/// | `graph range NAME auto` | fits what is shown, as before |
/// | `graph history NAME COUNT` | shows the last `COUNT` points, 256 at first; what was there is dropped |
/// | `graph hide NAME`, `graph show NAME` | does not draw it, or does again |
/// | `graph remove NAME` | takes it away |
///
/// A color is `red`, `green`, `blue`, `yellow`, `cyan`, `magenta`, `orange`, `white` or `gray`, or six digits as
/// `#ff8000`. Without one, the program that draws chooses.
///
/// Names with spaces are in quotes: `graph add_scope "frame time" "animate units"`.
///
/// A float or counter gives a point each time it is recorded, a scope one at the end of each frame.
///
/// # Complexity
///
/// An event is O(series), with a comparison of its name.
///
/// # Memory
///
/// Room for all graphs when it is made (40 bytes each), for a graph's series and for a series'
/// history (16 bytes a point, rounded up to a power of two) by commands. An event never allocates.
///
/// # Examples
///
/// ```
/// use loligo_allocators::PageAllocator;
/// use loligo_monitor::{GraphLimits, Graphs, Monitor, Options, name};
///
/// let debug = PageAllocator::new("debug");
/// let monitor = Monitor::try_new(&Options::default(), &debug)?;
/// let mut graphs = Graphs::try_new(&GraphLimits::default(), &debug)?;
/// for line in ["graph make mousegraph", "graph add_vector3 mousegraph mouse", "graph range mousegraph -20 20"] {
///     graphs.command(line).expect("the line is right");
/// }
/// let main = monitor.try_recorder("main")?;
/// main.vector3(name!("mouse"), [10.0, 0.0, 0.0]);
/// main.frame();
/// assert_eq!(monitor.drain(&mut [&mut graphs]).lost, 0);
///
/// let graph = graphs.get("mousegraph").expect("it was made");
/// assert_eq!(graph.places(0).collect::<Vec<_>>(), [[1.0, 0.75]]);
/// let wrong = graphs.command("graph range mousegraph 20 -20").expect_err("the wrong way round");
/// assert_eq!(wrong.to_string(), "column 24: the least of a range must be below its most; change them about");
/// # Ok::<(), loligo_monitor::MonitorError>(())
/// ```
pub struct Graphs<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    pub(crate) graphs: Array<'a, Graph<'a, A>, A>,
    pub(crate) limits: GraphLimits,
    pub(crate) memory: &'a A,
}

impl<'a> Graphs<'a> {
    /// Makes a set of no graphs.
    ///
    /// # Errors
    ///
    /// [`GrowError`](loligo_containers::GrowError) if there is not enough memory.
    pub fn try_new(
        limits: &GraphLimits,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, loligo_containers::GrowError> {
        Self::try_new_in(limits, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Graphs<'a, A> {
    /// As [`try_new`](Self::try_new), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_new`](Self::try_new).
    pub fn try_new_in(
        limits: &GraphLimits,
        memory: &'a A,
    ) -> Result<Self, loligo_containers::GrowError> {
        let graphs = Array::try_with_capacity_in(limits.graphs as usize, memory)?;
        Ok(Self { graphs, limits: *limits, memory })
    }

    /// Does what a line of text says.
    ///
    /// # Complexity
    ///
    /// O(graphs + history).
    ///
    /// # Errors
    ///
    /// [`GraphError`] with the column and what to do; nothing has changed.
    pub fn command(&mut self, line: &str) -> Result<(), GraphError> {
        command::run(self, line)
    }

    /// Returns the graph of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Graph<'a, A>> {
        self.graphs.iter().find(|graph| graph.name() == name)
    }

    /// Returns all graphs.
    #[must_use]
    pub fn all(&self) -> &[Graph<'a, A>] {
        &self.graphs
    }
}

impl<A: Allocator + ?Sized> Consumer for Graphs<'_, A> {
    fn event(&mut self, event: &Event<'_>) {
        let name = match event.what {
            What::Enter { name, .. }
            | What::Leave { name, .. }
            | What::Counter { name, .. }
            | What::Float { name, .. }
            | What::Vector { name, .. } => Some(name),
            What::Allocate { heap, .. } | What::Free { heap, .. } => Some(heap),
            What::Frame { .. } | What::Lost { .. } => None,
        };
        for series in self.graphs.iter_mut().flat_map(|graph| graph.series.iter_mut()) {
            if name.is_none_or(|name| name == series.name()) {
                series.take(event);
            }
        }
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Graphs<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.graphs.iter()).finish()
    }
}

/// Returns an empty history.
pub(crate) fn try_history<A: Allocator + ?Sized>(
    history: u32,
    memory: &A,
) -> Result<Ring<'_, Point, A>, loligo_containers::GrowError> {
    Ring::try_with_capacity_in(history as usize, memory)
}
