//! The display list: the commands for a back end, made from sorted items.
//!
//! After "Parallel rendering" on the BitSquid blog (2009), whose third pass makes the lists of the
//! graphics API from the sorted stream, in parallel. Changes: neighbours of equal state become one
//! indirect draw, and a list does not show into how many ranges its items were cut.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::context::{Package, RenderContext};
use crate::draw::{Draw, IndirectArgs};
use crate::key::layer_of;
use crate::sort_item::SortItem;

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// What follows belongs to this layer.
    Layer(u8),
    /// Draw `count` consecutive records of arguments with one state.
    Draws {
        /// The number of the state.
        state: u32,
        /// The first record.
        first: u32,
        /// How many.
        count: u32,
    },
    /// Do other work: the package of a context.
    Job {
        /// The number of the context.
        context: u32,
        /// Where its package begins.
        package: u32,
    },
}

const _: () = assert!(size_of::<Command>() == 16, "the docs state it");

/// Commands, and the arguments of all draws as one array, which is copied into a buffer of indirect
/// draws unchanged.
///
/// Several threads make a list each from a range of the sorted items
/// ([`try_append`](Self::try_append)); appending these lists to each other in the order of the
/// ranges ([`try_append_list`](Self::try_append_list)) gives, to the byte, what one list of all
/// items would have been.
///
/// Draws fold in two steps: neighbours of equal layer and state become one [`Command::Draws`]; and
/// of those, neighbours of the same mesh whose instances follow each other become one record.
///
/// # Complexity
///
/// O(items), O(records) for appending a list.
///
/// # Memory
///
/// 16 bytes a command and 20 bytes a record of arguments, in two blocks, kept when the list is
/// cleared.
///
/// # Threads
///
/// `Send` where the allocator is `Sync`.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_render::{
///     Command, DisplayList, Draw, Geometry, IndirectArgs, ItemSorter, LayerKeys, Order, RenderContext,
/// };
///
/// static MEMORY: StaticHeap<16384> = StaticHeap::new("doc");
/// let keys = LayerKeys::new(0, Order::ByState);
/// let cube = Geometry { index_count: 36, first_index: 0, base_vertex: 0 };
/// let mut context: RenderContext = RenderContext::new(&MEMORY);
/// for instance in 0..3 {
///     let draw = Draw { state: 7, args: IndirectArgs::new(cube, instance, 1) };
///     context.try_draw(keys.key(7, cube.first_index, 5.0), draw)?;
/// }
/// let mut sorter: ItemSorter = ItemSorter::new(&MEMORY);
/// let contexts = [context];
/// let mut list: DisplayList = DisplayList::new(&MEMORY);
/// list.try_append(sorter.try_merge(&contexts)?, &contexts)?;
/// assert_eq!(list.commands(), [Command::Layer(0), Command::Draws { state: 7, first: 0, count: 1 }]);
/// assert_eq!(list.args(), [IndirectArgs::new(cube, 0, 3)]);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
///
/// # Invariants
///
/// 1. The first command is a layer; no layer follows its own.
/// 2. The draws of the commands are all records, in order, and each command has one at least.
/// 3. Between two neighbours nothing is left to fold.
pub struct DisplayList<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    commands: Array<'a, Command, A>,
    args: Array<'a, IndirectArgs, A>,
    layer: Option<u8>,
    draws: u64,
}

impl<'a> DisplayList<'a> {
    /// Returns an empty list, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> DisplayList<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { commands: Array::new_in(memory), args: Array::new_in(memory), layer: None, draws: 0 }
    }

    /// Appends what sorted items ask for. `contexts` are those that were merged.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; the list is as it was.
    ///
    /// # Panics
    ///
    /// If an item is not of one of these contexts.
    pub fn try_append<B: Allocator + ?Sized>(
        &mut self,
        items: &[SortItem],
        contexts: &[RenderContext<'_, B>],
    ) -> Result<(), GrowError> {
        self.or_undone(|list| {
            items.iter().try_for_each(|item| {
                list.push_layer(layer_of(item.key))?;
                match package_of(item.context, item.package, contexts) {
                    Package::Draw(draw) => {
                        list.draws += 1;
                        list.push_draw(draw)
                    }
                    Package::Job(_) => {
                        let (context, package) = (item.context, item.package);
                        list.commands.try_push(Command::Job { context, package })
                    }
                }
            })
        })
    }

    /// Appends another list, made of the items that follow.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; the list is as it was.
    pub fn try_append_list<B: Allocator + ?Sized>(
        &mut self,
        next: &DisplayList<'_, B>,
    ) -> Result<(), GrowError> {
        self.or_undone(|list| {
            for command in &*next.commands {
                match *command {
                    Command::Layer(layer) => list.push_layer(layer)?,
                    Command::Job { .. } => list.commands.try_push(*command)?,
                    Command::Draws { state, first, count } => {
                        let args = &next.args[first as usize..][..count as usize];
                        let Some((first, rest)) = args.split_first() else { continue };
                        list.push_draw(Draw { state, args: *first })?;
                        // Nothing of the rest folds with what is before it: it would have.
                        list.args.try_extend_from_slice(rest)?;
                        if let Some(Command::Draws { count, .. }) = list.commands.last_mut() {
                            *count += rest.len() as u32;
                        }
                    }
                }
            }
            list.draws += next.draws;
            Ok(())
        })
    }

    /// Removes all commands and keeps the memory. O(1).
    pub fn clear(&mut self) {
        self.commands.clear();
        self.args.clear();
        self.layer = None;
        self.draws = 0;
    }

    /// Returns the commands.
    #[must_use]
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// Returns the arguments of all draws; `bytemuck::cast_slice` makes bytes of them.
    #[must_use]
    pub fn args(&self) -> &[IndirectArgs] {
        &self.args
    }

    /// Returns how many draws were asked for, before any were folded.
    #[must_use]
    pub const fn draws(&self) -> u64 {
        self.draws
    }

    /// Returns how many bytes there is room for.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.commands.capacity() * size_of::<Command>()
            + self.args.capacity() * size_of::<IndirectArgs>()
    }

    /// Checks the list's own structure.
    ///
    /// # Complexity
    ///
    /// O(commands + records).
    ///
    /// # Errors
    ///
    /// What is wrong, in words.
    pub fn validate(&self) -> Result<(), &'static str> {
        let (mut layer, mut next, mut state) = (None, 0, None);
        for command in &*self.commands {
            let last = state.take();
            match *command {
                Command::Layer(number) if layer == Some(number) => {
                    return Err("a layer follows itself");
                }
                Command::Layer(number) => layer = Some(number),
                Command::Draws { first, count, .. } if first != next || count == 0 => {
                    return Err("a command does not draw the records that are next");
                }
                Command::Draws { state: own, .. } if last == Some(own) => {
                    return Err("two neighbours of one state are two commands");
                }
                Command::Draws { state: own, first, count } => {
                    let args = self.args.get(first as usize..).unwrap_or_default();
                    let args = args.get(..count as usize).ok_or("records are missing")?;
                    if args.windows(2).any(|pair| pair[0].folded(&pair[1]).is_some()) {
                        return Err("two neighbours of one mesh are two records");
                    }
                    (next, state) = (first + count, Some(own));
                }
                Command::Job { .. } => {}
            }
            if layer.is_none() {
                return Err("a command is of no layer");
            }
        }
        if next as usize != self.args.len() {
            return Err("records belong to no command");
        }
        if layer == self.layer { Ok(()) } else { Err("the last layer is another") }
    }

    fn push_layer(&mut self, layer: u8) -> Result<(), GrowError> {
        if self.layer != Some(layer) {
            self.commands.try_push(Command::Layer(layer))?;
            self.layer = Some(layer);
        }
        Ok(())
    }

    // Called for each draw: outside of the loop, the draw would be copied into memory for it, which
    // takes half as much time again.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the compiler does not inline it into two places")]
    fn push_draw(&mut self, draw: Draw) -> Result<(), GrowError> {
        let first = self.args.len() as u32;
        match self.commands.last_mut() {
            Some(Command::Draws { state, count, .. }) if *state == draw.state => {
                if let Some(last) = self.args.last_mut()
                    && let Some(both) = last.folded(&draw.args)
                {
                    *last = both;
                    return Ok(());
                }
                self.args.try_push(draw.args)?;
                *count += 1;
            }
            _ => {
                self.args.try_push(draw.args)?;
                self.commands.try_push(Command::Draws { state: draw.state, first, count: 1 })?;
            }
        }
        Ok(())
    }

    /// Does some work, and undoes it where memory runs out.
    #[inline]
    fn or_undone(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<(), GrowError>,
    ) -> Result<(), GrowError> {
        let lens = (self.commands.len(), self.args.len());
        // The last ones may have been folded with.
        let lasts = (self.commands.last().copied(), self.args.last().copied());
        let (layer, draws) = (self.layer, self.draws);
        let outcome = work(self);
        if outcome.is_err() {
            self.commands.truncate(lens.0);
            self.args.truncate(lens.1);
            self.commands.last_mut().zip(lasts.0).into_iter().for_each(|(place, was)| *place = was);
            self.args.last_mut().zip(lasts.1).into_iter().for_each(|(place, was)| *place = was);
            (self.layer, self.draws) = (layer, draws);
        }
        outcome
    }
}

/// Returns the package that a command or an item names.
///
/// # Panics
///
/// If the contexts have none there.
#[inline]
pub(crate) fn package_of<'c, B: Allocator + ?Sized>(
    context: u32,
    package: u32,
    contexts: &'c [RenderContext<'_, B>],
) -> Package<'c> {
    let found = contexts.get(context as usize).and_then(|context| context.package_at(package));
    let Some(found) = found else {
        let count = contexts.len();
        panic!("no package begins at word {package} of context {context}, of {count} contexts");
    };
    found
}

impl<A: Allocator + ?Sized> fmt::Debug for DisplayList<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DisplayList")
            .field("commands", &self.commands())
            .field("args", &self.args())
            .field("draws", &self.draws)
            .finish()
    }
}
