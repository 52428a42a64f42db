//! What draws a display list: a graphics API, or text.

use loligo_allocators::Allocator;

use crate::context::{Job, Package, RenderContext};
use crate::display_list::{Command, DisplayList, package_of};
use crate::draw::IndirectArgs;
use crate::frame::{FrameDescription, LayerRef, PassRef};

/// The receiver of draw commands, in order. Graphics APIs are wrapped in one;
/// [`Trace`](crate::Trace) is another.
///
/// Each method returns the back end's own error, with which [`play`] ends.
pub trait Backend {
    /// What can go wrong.
    type Error;

    /// A pass begins: its targets are bound and cleared. It comes also where nothing is drawn in
    /// it.
    ///
    /// # Errors
    ///
    /// The back end's.
    fn begin_pass(&mut self, pass: &PassRef<'_>) -> Result<(), Self::Error>;

    /// What follows belongs to this layer of the pass. Layers without packages are left out.
    ///
    /// # Errors
    ///
    /// The back end's.
    fn begin_layer(&mut self, layer: &LayerRef<'_>) -> Result<(), Self::Error>;

    /// Draws with one state: the records `args`, of which the first is number `first` of the list.
    ///
    /// # Errors
    ///
    /// The back end's.
    fn draw(&mut self, state: u32, first: u32, args: &[IndirectArgs]) -> Result<(), Self::Error>;

    /// Does other work.
    ///
    /// # Errors
    ///
    /// The back end's.
    fn job(&mut self, job: Job<'_>) -> Result<(), Self::Error>;

    /// The pass that began last ends.
    ///
    /// # Errors
    ///
    /// The back end's.
    fn end_pass(&mut self, pass: &PassRef<'_>) -> Result<(), Self::Error>;
}

/// All that a back end needs to draw a frame.
#[derive(Debug)]
pub struct Recorded<
    'f,
    'a,
    A: Allocator + ?Sized = dyn Allocator + 'a,
    B: Allocator + ?Sized = dyn Allocator + 'a,
> {
    /// What passes and layers there are.
    pub frame: &'f FrameDescription<'a, B>,
    /// What they draw.
    pub list: &'f DisplayList<'a, B>,
    /// The contexts that the list was made of, for the data of its jobs.
    pub contexts: &'f [RenderContext<'a, A>],
}

/// Plays a frame to a back end: each pass of the description, with the list's commands for the
/// layers of that pass.
///
/// # Complexity
///
/// O(passes + commands). Allocates nothing.
///
/// # Errors
///
/// The back end's first error; what would have come after it is left out.
///
/// # Panics
///
/// If the list has a layer that the description has not, or comes back to one: its keys were not
/// made by this description's [layers](FrameDescription::layers), or its items were not sorted.
pub fn play<'a, A: Allocator + ?Sized, B: Allocator + ?Sized, K: Backend>(
    recorded: &Recorded<'_, 'a, A, B>,
    backend: &mut K,
) -> Result<(), K::Error> {
    let Recorded { frame, list, contexts } = *recorded;
    let mut commands = list.commands();
    for pass in frame.passes() {
        backend.begin_pass(&pass)?;
        while let Some((first, rest)) = commands.split_first() {
            match *first {
                Command::Layer(number) => {
                    let Some(layer) = frame.layer_at(number) else { break };
                    if u16::from(layer.pass) != pass.number {
                        break;
                    }
                    backend.begin_layer(&layer)?;
                }
                Command::Draws { state, first, count } => {
                    let args = &list.args()[first as usize..][..count as usize];
                    backend.draw(state, first, args)?;
                }
                Command::Job { context, package } => {
                    if let Package::Job(job) = package_of(context, package, contexts) {
                        backend.job(job)?;
                    }
                }
            }
            commands = rest;
        }
        backend.end_pass(&pass)?;
    }
    let left = commands.first();
    assert!(left.is_none(), "{left:?} is of no pass, or of one that was over: is the list sorted?");
    Ok(())
}
